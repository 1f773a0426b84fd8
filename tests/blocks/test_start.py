"""Starts: all blocks in use, low, and different for each stream."""

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.start import Starts, greedy_labels, greedy_starts, pick_apart
from ffbm.blocks.target import BlockTarget
from ffbm.data import load_dataset
from ffbm.types import Graph

from .graphs import graph_of, random_graph
from .pictures import cliques_in_pairs


@pytest.mark.parametrize("n_blocks", [1, 2, 5, 12])
def test_all_blocks_are_in_use(n_blocks):
    graph = random_graph(np.random.default_rng(0), 12, 30)
    labels = greedy_labels(BlockTarget(graph), n_blocks, np.random.default_rng(1))
    assert sorted(set(labels)) == list(range(n_blocks))


@pytest.mark.parametrize(
    "graph", [Graph.from_edges([], [], 6), graph_of([(0, 0)], 6), graph_of([(0, i) for i in range(6)], 6)]
)
def test_odd_graphs(graph):
    assert len(set(greedy_labels(BlockTarget(graph), 3, np.random.default_rng(0)))) == 3


def test_starts_are_low_and_differ():
    net = load_dataset("polbooks")
    found = [greedy_labels(BlockTarget(net.graph), 3, np.random.default_rng(seed)) for seed in range(8)]
    lengths = [description_length(net, labels).without_partition for labels in found]
    assert np.mean(lengths) < 1230  # random labels: 1,520; the lowest known: 1,225.42
    assert len({tuple(labels) for labels in found}) > 1
    assert np.array_equal(found[0], greedy_labels(BlockTarget(net.graph), 3, np.random.default_rng(0)))


def test_starts_of_chains_are_far_apart():
    """Four chains see both of two equally good pictures, whichever of them a descent happens to find."""
    edges, pictures = cliques_in_pairs()
    target = BlockTarget(graph_of(edges, 32))
    for seed in range(6):
        rng = np.random.default_rng(seed)
        found = pick_apart([greedy_starts(target, 2, rng) for _ in range(12)], 4)
        shown = {tuple(row) for row in found ^ found[:, :1]}
        assert {tuple(row) for row in pictures} <= shown


def test_a_start_is_low_before_it_is_different():
    far = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    assert pick_apart([Starts(np.array([5.0, 6.0, 40.0]), far)], 2).tolist() == far[:2].tolist()
    assert pick_apart([Starts(np.array([5.0, 6.0, 7.0]), far)], 2).tolist() == far[[0, 2]].tolist()
    assert pick_apart([Starts(np.array([5.0]), far[:1])], 3).tolist() == [far[0].tolist()] * 3
