"""The spread of edges within pairs of blocks, held to a sum over all pairs of vertices and to Poisson numbers."""

import numpy as np
import pytest

from ffbm.blocks.spread import spread
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.types import Graph


def slow_spread(graph, b, is_corrected):
    """The same by its definition: pair after pair."""
    n = graph.n_nodes
    a = np.zeros((n, n))
    np.add.at(a, tuple(graph.edges.T), 1)
    if not graph.is_directed:
        a = a + a.T
    out, into = (a.sum(axis=1), a.sum(axis=0)) if is_corrected else (np.ones(n), np.ones(n))
    squares = expected = 0.0
    for i in range(n):
        for j in range(n):
            r, s = b == b[i], b == b[j]
            weight = out[r].sum() * into[s].sum()
            if i != j and weight:
                mean = a[np.ix_(r, s)].sum() * out[i] * into[j] / weight
                squares += (a[i, j] - mean) ** 2
                expected += mean
    return squares / expected


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("is_corrected", [False, True])
def test_it_is_the_sum_over_all_pairs(directed, is_corrected):
    rng = np.random.default_rng(4)
    b = rng.integers(3, size=25)
    graph = draw_multigraph(rng, b, 3, 70, directed=directed)
    assert (graph.edges[:, 0] == graph.edges[:, 1]).any()
    assert len(np.unique(graph.edges, axis=0)) < graph.n_edges
    assert spread(graph, b, is_corrected) == pytest.approx(slow_spread(graph, b, is_corrected))


def test_poisson_numbers_have_a_spread_of_one():
    rng = np.random.default_rng(5)
    b = np.arange(200) % 2
    activity = rng.gamma(3.0, size=200)
    i, j = np.triu_indices(200, 1)
    times = rng.poisson(0.05 * (activity[i] * activity[j] * np.where(b[i] == b[j], 3, 1)))
    graph = Graph.from_edges(np.repeat(i, times), np.repeat(j, times), 200)
    assert spread(graph, b, True) == pytest.approx(1.0, abs=0.05)
    assert spread(graph, b, False) > 1.3  # degrees that differ are spread if nothing corrects for them


def test_a_network_without_edges_between_vertices_has_none():
    assert spread(Graph.from_edges([], [], 3), np.zeros(3, int), True) == 0.0
    assert spread(Graph.from_edges([1], [1], 3), np.arange(3), True) == 0.0
