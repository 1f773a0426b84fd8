"""One more edge: its gain is the change of S, for every kind of pair, and its average over partitions is exact."""

import itertools

import numpy as np
import pytest

from ffbm.blocks.additions import edge_gains, multiplicities
from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.types import Graph

from .graphs import random_graph


def with_edge(graph, i, j, times=1):
    """The graph with an edge more, or less."""
    edges = graph.edges.tolist()
    if times < 0:
        edges.remove([i, j] if graph.is_directed else [min(i, j), max(i, j)])
    return Graph.from_edges(*np.array(edges + [[i, j]] * (times > 0)).T, graph.n_nodes, graph.is_directed)


def likelihood_nats(graph, labels, corrected):
    found = description_length(graph, labels, degree_corrected=corrected)
    return -(found.adjacency + found.degrees)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_gain_is_the_change_of_s(seed, corrected, directed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 9, 40 if directed else 22)  # loops and parallel edges among them
    graph = Graph.from_edges(*graph.edges.T, 9, directed)
    b = rng.permutation(np.arange(9) % 3)
    pairs = np.array(list(itertools.permutations(range(9), 2)))
    times = multiplicities(graph, pairs)
    assert times.min() == 0
    assert times.max() > 1
    found = edge_gains(graph, b, 3, pairs, times, likelihood_of(corrected))
    for (i, j), there, gain in zip(pairs.tolist(), times, found, strict=True):
        other = with_edge(graph, i, j, -1 if there else 1)
        change = likelihood_nats(other, b, corrected) - likelihood_nats(graph, b, corrected)
        assert gain == pytest.approx(-change if there else change, abs=1e-9)


def test_multiplicities_count_edges_both_ways():
    graph = Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 2], n_nodes=4)
    assert multiplicities(graph, np.array([[0, 1], [1, 0], [1, 2], [0, 3]])).tolist() == [2, 2, 1, 0]
    arcs = Graph.from_edges([0, 0, 2], [1, 1, 1], n_nodes=3, directed=True)
    assert multiplicities(arcs, np.array([[0, 1], [1, 0], [2, 1]])).tolist() == [2, 0, 1]
    assert multiplicities(Graph.from_edges([], [], 3), np.array([[0, 1]])).tolist() == [0]
