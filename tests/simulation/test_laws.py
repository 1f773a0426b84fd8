"""Every stage of the model against its exact law, counted out at small sizes, and the whole model at once."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb, exp

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest, norm

from ffbm.blocks.entropy import description_length
from ffbm.simulation import simulate
from ffbm.simulation.memberships import draw_labels, draw_weights
from ffbm.simulation.multigraph import draw_degrees, draw_edge_counts, draw_multigraph, pair_half_edges
from ffbm.verification.enumeration import graph_of
from ffbm.verification.generation import edges_of, model_law, multigraphs
from ffbm.verification.goodness import fit_of_law

LEAST_P = 1e-3


def partitions(m, n, top=None):
    """All partitions of m into at most n parts, largest first, zeros included."""
    if n == 0:
        return [()] if m == 0 else []
    first = m if top is None else min(m, top)
    return [(k, *rest) for k in range(first, -1, -1) for rest in partitions(m - k, n - 1, k)]


@pytest.mark.parametrize(("sizes", "n_edges"), [((3, 2), 4), ((1, 0, 2), 5), ((4,), 3), ((1, 1, 1), 2), ((2, 1), 0)])
def test_edge_counts_are_a_uniform_composition(sizes, n_edges):
    rng = np.random.default_rng(n_edges)
    used = np.flatnonzero(sizes)
    pairs = [(r, s) for a, r in enumerate(used) for s in used[a:]]
    law = {}
    for edges in combinations_with_replacement(pairs, n_edges):
        count = Counter(edges)
        law[tuple(count[pair] for pair in pairs)] = Fraction(1, comb(len(pairs) + n_edges - 1, n_edges))
    draws = []
    for _ in range(4000):
        e = draw_edge_counts(rng, np.array(sizes), n_edges)
        assert np.array_equal(e, e.T)
        assert e.sum() == 2 * n_edges
        draws.append(tuple(int(e[r, s] // (2 if r == s else 1)) for r, s in pairs))
    assert fit_of_law(draws, law) > LEAST_P


@pytest.mark.parametrize(("m", "n"), [(10, 4), (7, 7), (3, 8), (12, 2), (6, 1), (0, 3)])
def test_degrees_are_a_uniform_partition_dealt_at_random(m, n):
    rng = np.random.default_rng([m, n])
    every = partitions(m, n)
    law = {}
    for parts in every:
        ways = set(permutations(parts)) if n < 8 else {parts}
        for way in ways:
            law[way] = Fraction(1, len(every) * len(ways))
    labels = np.repeat([0, 1], (n, 2))  # the second block has no half-edges
    draws = [draw_degrees(rng, labels, np.array([m, 0])) for _ in range(6000)]
    assert not any(k[n:].any() for k in draws)
    assert fit_of_law([tuple(k[:n].tolist() if n < 8 else sorted(k[:n].tolist())[::-1]) for k in draws], law) > LEAST_P


def test_degrees_beyond_the_exact_table():
    """m = 3001 into at most 3 parts: the smallest is j in q(m - 3j, 2) of q(m, 3) partitions."""
    m, rng = 3001, np.random.default_rng(1)
    ways = np.array([(m - 3 * j) // 2 + 1 for j in range(m // 3 + 1)], dtype=float)
    draws = [int(draw_degrees(rng, np.zeros(3, dtype=int), np.array([m])).min()) for _ in range(4000)]
    assert kstest(draws, lambda j: np.cumsum(ways)[np.asarray(j, dtype=int)] / ways.sum()).pvalue > LEAST_P


@pytest.mark.parametrize(
    ("labels", "degrees", "counts"),
    [
        ((0, 0, 1), (3, 1, 2), ((2, 2), (2, 0))),
        ((0, 0, 0), (2, 2, 2), ((6,),)),
        ((0, 2, 2, 0), (1, 3, 2, 2), ((2, 0, 1), (0, 0, 0), (1, 0, 4))),
    ],
)
def test_half_edges_are_paired_at_random(labels, degrees, counts):
    rng = np.random.default_rng(len(labels))
    b, k, e = np.array(labels), np.array(degrees), np.array(counts)
    law = {}
    for edges in multigraphs(len(b), int(k.sum()) // 2):
        graph = graph_of(edges, len(b))
        found = np.zeros_like(e)
        for i, j in b[graph.edges]:
            found[i, j] += 1
            found[j, i] += 1
        if np.array_equal(graph.degrees, k) and np.array_equal(found, e):
            law[edges_of(graph)] = exp(-description_length(graph, b).adjacency)
    draws = [edges_of(pair_half_edges(rng, b, k, e)) for _ in range(3000)]
    assert fit_of_law(draws, law) > LEAST_P


@pytest.mark.parametrize(("labels", "n_edges"), [((0, 0, 1), 3), ((0, 1, 2), 2), ((1, 1, 4), 3), ((0, 0, 0, 0), 2)])
def test_multigraphs_follow_the_description_length(labels, n_edges):
    rng = np.random.default_rng(n_edges)
    b = np.array(labels)
    draws = [edges_of(draw_multigraph(rng, b, 5, n_edges)) for _ in range(4000)]
    assert fit_of_law(draws, model_law(labels, n_edges)) > LEAST_P


def test_labels_follow_the_softmax():
    x, w = np.array([[1.0, 0.0], [0.5, 2.0]]), np.array([[0.3, 1.0], [-0.5, 0.2], [1.1, -0.4]])
    chance = np.exp(x @ w.T)
    chance /= chance.sum(axis=1, keepdims=True)
    law = {(r, s): chance[0, r] * chance[1, s] for r, s in product(range(3), repeat=2)}
    rng = np.random.default_rng(2)
    assert fit_of_law([tuple(draw_labels(rng, x, w).tolist()) for _ in range(20_000)], law) > LEAST_P


def test_weights_are_normal():
    w = draw_weights(np.random.default_rng(4), 40, 50, 1.7)
    assert kstest(w.ravel() / 1.7, norm.cdf).pvalue > LEAST_P


def test_the_whole_model_with_its_weights_integrated_out():
    """p(b, A | X) on all labels and multigraphs of three vertices and two edges, the weights by quadrature."""
    x, sigma = np.array([[1.0], [0.5], [-1.0]]), 1.5

    def together(v, b):  # v = w_0 - w_1 ~ N(0, 2 sigma^2)
        sign = np.where(np.array(b) == 0, 1.0, -1.0)
        return norm.pdf(v, scale=np.sqrt(2) * sigma) * np.prod(1 / (1 + np.exp(-sign * v * x[:, 0])))

    law = {}
    for b in product(range(2), repeat=3):
        chance = quad(together, -15 * sigma, 15 * sigma, args=(b,))[0]
        for edges in multigraphs(3, 2):
            graph = graph_of(edges, 3)
            law[b, edges_of(graph)] = chance * exp(-description_length(graph, b).without_partition)
    draws = []
    for seed in range(4000):
        made = simulate(n_blocks=2, n_edges=2, features=x, exact=True, sigma=sigma, seed=seed)
        draws.append((tuple(made.labels.tolist()), edges_of(made.network.graph)))
    assert fit_of_law(draws, law) > LEAST_P
