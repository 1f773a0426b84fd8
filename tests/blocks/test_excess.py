"""The excess of edges between equal values, held to a sum over all pairs of vertices and to exact draws."""

import numpy as np
import pytest

from ffbm.blocks.excess import degree_tertiles, excess, ties_of
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.simulation.replicates import replicate


def slow_excess(graph, codes, strata, tails, heads):
    """The same by its definition: pair after pair, edge after edge."""
    known = np.flatnonzero(codes >= 0)
    observed = expected = variance = 0.0
    for r in range(strata.max() + 1):
        for s in range(strata.max() + 1):
            edges = [
                (i, j)
                for i, j in graph.edges.tolist()
                if i != j and strata[i] == r and strata[j] == s and min(codes[i], codes[j]) >= 0
            ]
            pairs = [(i, j) for i in known for j in known if i != j and strata[i] == r and strata[j] == s]
            total = sum(tails[i] * heads[j] for i, j in pairs)
            equal = sum(tails[i] * heads[j] for i, j in pairs if codes[i] == codes[j])
            share = equal / total if total else 0.0
            observed += sum(codes[i] == codes[j] for i, j in edges)
            expected += len(edges) * share
            variance += len(edges) * share * (1 - share)
    return (observed - expected) / np.sqrt(variance)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("by_degree", [False, True])
def test_it_is_the_sum_over_all_pairs(directed, by_degree):
    rng = np.random.default_rng(4)
    b = rng.integers(3, size=30)
    graph = draw_multigraph(rng, b, 3, 80, directed=directed)
    codes = rng.integers(-1, 3, size=30)
    tails = heads = np.ones(30)
    if by_degree:
        tails, heads = (graph.out_degrees, graph.in_degrees) if directed else (graph.degrees, graph.degrees)
    for strata in (b, degree_tertiles(b, graph.degrees)):
        wanted = slow_excess(graph, codes, strata, tails, heads)
        assert excess(ties_of(graph, codes), strata, tails, heads) == pytest.approx(wanted)


@pytest.mark.parametrize("directed", [False, True])
def test_its_mean_is_zero_in_replicates_and_it_is_about_standardised(directed):
    rng = np.random.default_rng(5)
    b, codes = np.arange(60) % 2, rng.integers(3, size=60)
    graph = draw_multigraph(rng, b, 2, 240, directed=directed)
    values = []
    for _ in range(400):
        one = replicate(graph, b, True, rng)
        sides = (one.out_degrees, one.in_degrees) if directed else (one.degrees, one.degrees)
        values.append(excess(ties_of(one, codes), b, *sides))
    assert np.mean(values) == pytest.approx(0, abs=4 * np.std(values) / 20)
    assert 0.7 < np.std(values) < 1.2


def test_a_column_that_is_the_blocks_has_none():
    rng = np.random.default_rng(6)
    b = np.arange(20) % 2
    graph = draw_multigraph(rng, b, 2, 40)
    assert excess(ties_of(graph, b), b, graph.degrees, graph.degrees) == 0
    assert excess(ties_of(graph, np.full(20, -1)), b, graph.degrees, graph.degrees) == 0


def test_tertiles_are_of_one_block_and_keep_equal_degrees_together():
    rng = np.random.default_rng(7)
    b, degrees = np.append(rng.integers(3, size=50), [4, 5]), np.append(rng.integers(6, size=50), [2, 2])
    strata = degree_tertiles(b, degrees)
    assert np.array_equal(strata // 3, b)
    for r in np.unique(b):
        inside = np.flatnonzero(b == r)
        assert len({(degrees[i], strata[i]) for i in inside}) == len(set(degrees[inside]))
        order = inside[np.argsort(degrees[inside])]
        assert (np.diff(strata[order]) >= 0).all()
