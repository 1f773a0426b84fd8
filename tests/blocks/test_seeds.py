"""Labels to begin with: every block in use, along communities where there are any, and repeatable."""

import random

import numpy as np
import pytest

from ffbm.blocks.seeds import community_labels, random_labels, spectral_labels
from ffbm.types import Graph

from .graphs import graph_of, random_graph


def cliques(n_cliques, size):
    edges = [(c * size + i, c * size + j) for c in range(n_cliques) for i in range(size) for j in range(i)]
    return graph_of(edges, n_cliques * size)


STRUCTURED = pytest.mark.parametrize("find", [community_labels, spectral_labels])


@STRUCTURED
def test_cliques_are_found(find):
    labels = find(cliques(4, 6), 4, np.random.default_rng(0))
    if find is community_labels:
        assert [len(set(labels[c * 6 : c * 6 + 6])) for c in range(4)] == [1, 1, 1, 1]
    assert len(set(labels)) == 4


def planted_pieces(n_blocks, weights, size=200, degree=20):
    """Blocks of one size whose edges follow a matrix of weights, and the blocks."""
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(n_blocks), size)
    pairs = rng.choice(n_blocks**2, size=n_blocks * size * degree // 2, p=np.ravel(weights) / np.sum(weights))
    ends = [(pairs // n_blocks) * size, (pairs % n_blocks) * size]
    source, target = (end + rng.integers(0, size, len(pairs)) for end in ends)
    return Graph.from_edges(source, target, n_blocks * size), truth


@pytest.mark.parametrize("weights", [np.eye(8) + 1 / 8, 1 - np.eye(2), np.ones((4, 4)) + 7 * np.eye(4)[::-1]])
def test_blocks_of_a_planted_network_are_found_pure(weights):
    graph, truth = planted_pieces(len(weights), weights)
    labels = spectral_labels(graph, 4 * len(weights), np.random.default_rng(1))
    overlap = np.zeros((4 * len(weights), len(weights)), dtype=np.int64)
    np.add.at(overlap, (labels, truth), 1)
    assert overlap.max(axis=1).sum() > 0.9 * len(truth)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 9, 24])
def test_any_number_of_blocks(n_blocks):
    for graph in (cliques(4, 6), Graph.from_edges([], [], 24), random_graph(np.random.default_rng(1), 24, 60)):
        for find in (community_labels, spectral_labels):
            assert sorted(set(find(graph, n_blocks, np.random.default_rng(0)))) == list(range(n_blocks))
        assert sorted(set(random_labels(24, n_blocks, np.random.default_rng(0)))) == list(range(n_blocks))


@STRUCTURED
def test_the_stream_decides_and_nothing_else(find):
    graph = random_graph(np.random.default_rng(2), 60, 200)
    first = find(graph, 8, np.random.default_rng(3))
    random.seed(99)
    state = random.getstate()
    second = find(graph, 8, np.random.default_rng(3))
    assert np.array_equal(first, second)
    assert random.getstate() == state
