"""Labels to begin with: every block in use, along communities where there are any, and repeatable."""

import random

import numpy as np
import pytest

from ffbm.blocks.seeds import community_labels, random_labels
from ffbm.types import Graph

from .graphs import graph_of, random_graph


def cliques(n_cliques, size):
    edges = [(c * size + i, c * size + j) for c in range(n_cliques) for i in range(size) for j in range(i)]
    return graph_of(edges, n_cliques * size)


def test_cliques_are_found():
    labels = community_labels(cliques(4, 6), 4, np.random.default_rng(0))
    assert [len(set(labels[c * 6 : c * 6 + 6])) for c in range(4)] == [1, 1, 1, 1]
    assert len(set(labels)) == 4


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 9, 24])
def test_any_number_of_blocks(n_blocks):
    for graph in (cliques(4, 6), Graph.from_edges([], [], 24), random_graph(np.random.default_rng(1), 24, 60)):
        labels = community_labels(graph, n_blocks, np.random.default_rng(0))
        assert sorted(set(labels)) == list(range(n_blocks))
        assert sorted(set(random_labels(24, n_blocks, np.random.default_rng(0)))) == list(range(n_blocks))


def test_the_stream_decides_and_nothing_else():
    graph = random_graph(np.random.default_rng(2), 60, 200)
    first = community_labels(graph, 8, np.random.default_rng(3))
    random.seed(99)
    state = random.getstate()
    second = community_labels(graph, 8, np.random.default_rng(3))
    assert np.array_equal(first, second)
    assert random.getstate() == state
