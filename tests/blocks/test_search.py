"""The number of blocks: found where it was planted, one where there is nothing, no worse from any side."""

import numpy as np
import pytest

from ffbm.blocks.annealing import Candidate
from ffbm.blocks.entropy import description_length
from ffbm.blocks.priors import FULL
from ffbm.blocks.search import best_of, cross, most_blocks, pool
from ffbm.blocks.target import BlockTarget
from ffbm.pipeline.choice import find_candidates
from ffbm.pipeline.context import RunContext
from ffbm.types import Graph

from ..planted import planted_edges
from .graphs import graph_of

PLANTED = [  # blocks, vertices in each, edges inside and between per vertex pair
    (1, 60, 0.1, 0.0), (1, 300, 0.05, 0.0), (2, 40, 0.3, 0.02), (2, 200, 0.1, 0.01), (3, 30, 0.4, 0.02),
    (3, 100, 0.15, 0.01), (4, 25, 0.5, 0.03), (4, 250, 0.06, 0.002), (5, 20, 0.6, 0.02), (5, 200, 0.08, 0.003),
    (6, 30, 0.5, 0.02), (6, 100, 0.2, 0.005), (7, 40, 0.4, 0.01), (8, 50, 0.4, 0.01), (8, 250, 0.1, 0.002),
    (9, 40, 0.5, 0.01), (10, 60, 0.4, 0.01), (11, 50, 0.4, 0.005), (12, 40, 0.5, 0.01), (12, 166, 0.2, 0.003),
]  # fmt: skip


def choose(graph, seed, listener=lambda _event: None):
    return find_candidates(BlockTarget(graph), seed, RunContext(1, listener))


@pytest.mark.slow
def test_planted_numbers_are_found():
    hits = 0
    for seed, (n_blocks, size, inside, between) in enumerate(PLANTED):
        edges, labels = planted_edges(np.random.default_rng(seed), (size,) * n_blocks, inside, between)
        graph = Graph.from_edges(edges[:, 0], edges[:, 1], len(labels))
        hits += best_of(choose(graph, seed)) == n_blocks
    assert hits >= 19


@pytest.mark.parametrize("seed", range(20))
def test_without_structure_there_is_one_block(seed):
    rng = np.random.default_rng(seed)
    n_nodes = int(rng.integers(50, 400))
    ends = rng.integers(0, n_nodes, (n_nodes * int(rng.integers(2, 12)), 2))
    assert best_of(choose(Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes), seed)) == 1


def test_candidates_are_what_they_say():
    edges, labels = planted_edges(np.random.default_rng(4), (30, 30, 30), 0.4, 0.02)
    graph = Graph.from_edges(edges[:, 0], edges[:, 1], len(labels))
    found = choose(graph, 0)
    assert best_of(found) == 3
    assert {1, 2, 3, 4, 5} <= set(found)
    for n_blocks, (entropy, b) in found.items():
        assert sorted(set(b)) == list(range(n_blocks))
        assert entropy == pytest.approx(description_length(graph, b, prior="full").total, abs=1e-6)


@pytest.mark.parametrize(
    "graph", [Graph.from_edges([], [], 1), Graph.from_edges([], [], 5), graph_of([(0, 0)], 2), graph_of([(0, 1)], 2)]
)
def test_tiny_graphs(graph):
    assert best_of(choose(graph, 0)) == 1


def test_pool_and_best():
    one = {2: Candidate(5.0, np.array([0, 1])), 1: Candidate(6.0, np.array([0, 0]))}
    two = {2: Candidate(4.0, np.array([1, 0])), 1: Candidate(4.0, np.array([0, 0]))}
    both = pool([one, two])
    assert both[2].labels.tolist() == [1, 0]
    assert best_of(both) == 1  # of equals, the fewer


def test_room():
    assert most_blocks(Graph.from_edges([], [], 7)) == 7
    assert most_blocks(Graph.from_edges(np.zeros(20_000, int), np.arange(20_000), 20_000)) == 400


def test_a_cross_keeps_what_its_parents_agree_on():
    """Two cliques each are one block in either parent: the child takes them apart and leaves the rest alone."""
    pairs = [(8 * c + i, 8 * c + j) for c in range(6) for i in range(8) for j in range(i)]
    graph = graph_of(pairs, 48)
    target = BlockTarget(graph, prior=FULL)
    first, second = np.repeat([0, 0, 1, 2, 3, 4], 8), np.repeat([0, 1, 2, 3, 4, 4], 8)
    parents = [Candidate(target.entropy(b, 5), b) for b in (first, second)]
    child = cross(target, *parents, np.random.default_rng(0))
    best = child[best_of(child)]
    assert best.entropy < min(it.entropy for it in parents)
    assert len({tuple(best.labels[8 * c : 8 * c + 8]) for c in range(6)}) == 6


def test_progress_moves_with_the_work():
    edges, labels = planted_edges(np.random.default_rng(5), (40, 40, 40), 0.15, 0.05)
    heard = []
    found = choose(Graph.from_edges(edges[:, 0], edges[:, 1], len(labels)), 0, heard.append)
    done = [event.done for event in heard]
    assert done[:5] == [0, 1, 2, 3, 4]  # the first round, piece by piece
    assert done == sorted(set(done))
    assert heard[-1].done == heard[-1].total
    lowest = [float(event.note.removeprefix("lowest S ").replace(",", "")) for event in heard[1:]]
    assert lowest == sorted(lowest, reverse=True)
    assert lowest[-1] == pytest.approx(found[best_of(found)].entropy, abs=0.005)


@pytest.mark.parametrize(("n_blocks", "size"), [(1, 12), (3, 12), (120, 22)])
def test_few_and_many_blocks_are_found(n_blocks, size):
    pairs = [(size * c + i, size * c + j) for c in range(n_blocks) for i in range(size) for j in range(i)]
    assert best_of(choose(graph_of(pairs, size * n_blocks), 0)) == n_blocks
