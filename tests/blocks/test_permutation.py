"""S under permutations of labels: the kernel, the readable truth, and faults that are planted in it."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import ffbm
from ffbm.blocks import permutation
from ffbm.blocks.permutation import like_degrees, observed_parts, permuted_parts, score_graph, shuffle_inside
from ffbm.kernels import permutation as kernels
from ffbm.kernels.permutation import LabelCounts

from ..mutants import planted
from .graphs import random_graph

CASES = [(8, 14, 3), (30, 60, 4), (12, 6, 5), (40, 300, 4), (25, 1500, 20), (60, 4000, 3)]  # loops and parallels in all


def slow_permutation(rng, labels, order, bounds):
    """Fisher and Yates inside each stratum, in place."""
    for first, end in itertools.pairwise(bounds):
        for last in range(end - 1, first, -1):
            i, j = order[last], order[first + int(rng.random() * (last - first + 1))]
            labels[i], labels[j] = labels[j], labels[i]


def slow_parts(graph, shuffle, n_permutations, seed):
    rng, labels, found = np.random.default_rng(seed), shuffle.labels.copy(), []
    for _ in range(n_permutations):
        slow_permutation(rng, labels, shuffle.order, shuffle.bounds)
        s = ffbm.description_length(graph, labels)
        found.append((s.adjacency, s.degrees))
    return np.array(found)


def example(n_nodes, n_edges, n_values):
    rng = np.random.default_rng([n_nodes, n_edges])
    graph = random_graph(rng, n_nodes, n_edges)
    codes = rng.integers(-1, n_values, n_nodes)
    codes[:n_values] = np.arange(n_values)
    return graph, shuffle_inside(codes, rng.integers(0, 2, n_nodes))


@pytest.mark.parametrize("size", CASES)
@pytest.mark.parametrize("room", [0, 10**6], ids=["compact", "dense"])
def test_parts_are_those_of_the_description_length(size, room, monkeypatch):
    monkeypatch.setattr(permutation, "_DENSE_CELLS", room)
    graph, shuffle = example(*size)
    scored = score_graph(graph)
    found = permuted_parts(scored, shuffle, 20, np.random.default_rng(7))
    np.testing.assert_allclose(found, slow_parts(graph, shuffle, 20, 7), rtol=1e-11, atol=5e-6)
    s = ffbm.description_length(graph, shuffle.labels)
    np.testing.assert_allclose(observed_parts(scored, shuffle), (s.adjacency, s.degrees), rtol=1e-11, atol=5e-6)


def test_the_labels_handed_in_stay_as_they_are():
    graph, shuffle = example(30, 60, 4)
    before = shuffle.labels.copy()
    permuted_parts(score_graph(graph), shuffle, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(shuffle.labels, before)


def after_one(module, codes, strata, n_times):
    """Labels after a permutation, again and again from the first ones."""
    graph = score_graph(random_graph(np.random.default_rng(0), len(codes), 6))
    shuffle = shuffle_inside(np.array(codes), np.array(strata))
    n_blocks, rng = shuffle.labels.max() + 1, np.random.default_rng(1)
    room = np.zeros((n_blocks, max(n_blocks, graph.n_kinds)), dtype=np.int32)
    sizes, nats = np.zeros((2, n_blocks), dtype=np.int64), np.empty((1, 2))
    for _ in range(n_times):
        b = shuffle.labels.copy()
        counts = LabelCounts(room, room.copy(), *sizes)
        module.score_permutations(rng, graph.likelihood, graph.edges, b, shuffle.order, shuffle.bounds, counts, nats)
        yield tuple(b.tolist())


def check_uniform(module):
    n_times = 12_000
    seen = Counter(after_one(module, [0, 1, 2, 3, 4], [0, 0, 0, 1, 1], n_times))
    every = {(*one, *two) for one in itertools.permutations((0, 1, 2)) for two in itertools.permutations((3, 4))}
    assert set(seen) == every
    assert chisquare([seen[labels] for labels in every]).pvalue > 1e-4


def test_permutations_are_uniform_inside_strata():
    check_uniform(kernels)


@pytest.mark.parametrize("seed", range(5))
def test_permutations_keep_strata_and_vertices_without_a_value(seed):
    rng = np.random.default_rng(seed)
    codes, strata = rng.integers(-1, 3, 20), rng.integers(-1, 3, 20)
    start = shuffle_inside(codes, strata).labels
    for labels in map(np.array, after_one(kernels, codes, strata, 20)):
        np.testing.assert_array_equal(labels[codes < 0], start[codes < 0])
        for stratum in range(-1, 3):
            np.testing.assert_array_equal(np.sort(labels[strata == stratum]), np.sort(start[strata == stratum]))


def test_a_stratum_of_one_value_has_nothing_to_exchange():
    shuffle = shuffle_inside(np.array([0, 1, 1, 1, -1]), np.array([0, 0, 1, 1, 1]))
    assert (shuffle.order.tolist(), shuffle.bounds.tolist()) == ([0, 1], [0, 2])
    nothing = shuffle_inside(np.array([0, 0, 1, 1, -1]), np.array([0, 0, 1, 1, 1]))
    assert (nothing.order.tolist(), nothing.bounds.tolist()) == ([], [0])
    assert shuffle_inside(np.full(3, -1), np.zeros(3)).labels.tolist() == [0, 0, 0]


@pytest.mark.parametrize("n_nodes", [0, 1, 9, 10, 57, 300])
def test_vertices_of_like_degree(n_nodes):
    rng = np.random.default_rng(n_nodes)
    degrees, strata = rng.geometric(0.1, n_nodes), rng.integers(-1, 3, n_nodes)
    finer = like_degrees(degrees, strata, rng)
    for stratum in np.unique(strata):
        inside = strata == stratum
        sizes = np.unique(finer[inside], return_counts=True)[1]
        assert not np.isin(finer[~inside], finer[inside]).any()
        assert sizes.min() >= min(10, inside.sum())
        assert sizes.max() < 20
        tops = [degrees[inside][finer[inside] == run] for run in np.unique(finer[inside])]
        assert all(one.max() <= two.min() for one, two in itertools.pairwise(tops))


def test_equal_degrees_are_not_matched_in_the_order_of_the_table():
    finer = like_degrees(np.full(40, 3), np.zeros(40), np.random.default_rng(0))
    assert np.count_nonzero(np.diff(finer)) > 10


FAULTS = {
    "not the last one itself": ("(last - first + 1)", "(last - first)"),
    "half of the pairs": ("min(r, s), max(r, s)", "r, s"),
    "no factor two inside": ("- LN2 * inside", ""),
    "ends of blocks left out": ("adjacency += log_factorial(lf, e[row])", "adjacency += 0.0"),
    "sizes left out": ("degrees += log_factorial(lf, size) + ", "degrees += "),
    "counts that are not cleared": ("    clear(eta)\n", ""),
    "a stratum runs into the next": ("bounds[stratum + 1] - 1", "bounds[-1] - 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_noticed(fault, monkeypatch):
    name = "ffbm.kernels.permutation"
    faulty = planted(name, FAULTS[fault], order=["ffbm.kernels.compilation", name])[name]
    monkeypatch.setattr(permutation, "score_permutations", faulty.score_permutations)
    graph, shuffle = example(40, 300, 4)
    found = permuted_parts(score_graph(graph), shuffle, 20, np.random.default_rng(7))
    assert not np.allclose(found, slow_parts(graph, shuffle, 20, 7), rtol=1e-11, atol=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["not the last one itself", "a stratum runs into the next"])
def test_faults_of_the_permutation_show_in_its_law(fault):
    name = "ffbm.kernels.permutation"
    faulty = planted(name, FAULTS[fault], order=["ffbm.kernels.compilation", name])[name]
    with pytest.raises(AssertionError):
        check_uniform(faulty)
