"""Levels stacked on blocks: what merges cost, a planted hierarchy, and the bound on what is saved."""

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.levels import multigraph_nats
from ffbm.blocks.priors import FULL
from ffbm.blocks.stack import _Merging, merge_groups, nats_by_levels, stack_levels
from ffbm.types import Graph


def random_counts(rng, n_groups, is_directed):
    counts = rng.poisson(rng.gamma(0.5, 6, (n_groups, n_groups)))
    return counts if is_directed else counts + counts.T


def cost(counts, labels, is_directed):
    """What a level and one group on top of it cost."""
    sizes, n_groups = np.bincount(labels), int(labels.max()) + 1
    top = np.zeros(n_groups, dtype=np.int64)
    e = np.zeros((n_groups, n_groups), dtype=np.int64)
    np.add.at(e, (labels[:, None], labels[None, :]), counts)
    nats = multigraph_nats(counts, labels, is_directed) + FULL.nats(sizes, 0)
    return nats + multigraph_nats(e, top, is_directed) + FULL.nats(np.array([n_groups]), 0)


@pytest.mark.parametrize("is_directed", [False, True])
def test_a_merge_changes_s_as_it_says(is_directed):
    counts = random_counts(np.random.default_rng(3), 9, is_directed)
    state, labels = _Merging(counts, is_directed), np.arange(9)
    total = cost(counts, labels, is_directed)
    for n_groups in range(8, 0, -1):
        before = state.number_cost(9, n_groups + 1)
        total += state.merge(labels) + state.number_cost(9, n_groups) - before
        assert sorted(set(labels.tolist())) == list(range(n_groups))
        assert total == pytest.approx(cost(counts, labels, is_directed))


@pytest.mark.parametrize("is_directed", [False, True])
def test_the_first_merge_is_the_best_pair(is_directed):
    counts = random_counts(np.random.default_rng(5), 7, is_directed)
    labels = np.arange(7)
    _Merging(counts, is_directed).merge(labels)
    pairs = {}
    for r in range(7):
        for s in range(r):
            merged = np.where(np.arange(7) == r, s, np.arange(7))
            pairs[r, s] = cost(counts, np.unique(merged, return_inverse=True)[1], is_directed)
    r, s = min(pairs, key=pairs.get)
    assert labels[r] == labels[s]


@pytest.mark.parametrize("is_directed", [False, True])
def test_nearly_all_edges_inside_one_block(is_directed):
    labels, _ = merge_groups(np.diag([5000, 2, 2, 2]), is_directed)
    assert len(labels) == 4


@pytest.mark.parametrize("is_directed", [False, True])
def test_planted_levels_are_found(is_directed):
    above = np.arange(24) // 6
    counts = np.random.default_rng(1).poisson(np.where(above[:, None] == above, 40, 1))
    counts = counts if is_directed else counts + counts.T
    levels = stack_levels(counts, is_directed)
    assert np.array_equal(levels[0][:, None] == levels[0], above[:, None] == above)
    labels, saved = merge_groups(counts, is_directed)
    one = np.zeros(24, dtype=np.int64)
    whole = multigraph_nats(counts, one, is_directed) + FULL.nats(np.array([24]), 0)
    assert np.array_equal(labels, levels[0])
    assert saved == pytest.approx(whole - cost(counts, labels, is_directed))


def test_what_is_saved_is_a_difference_of_description_lengths():
    rng = np.random.default_rng(2)
    b = np.repeat(np.arange(16), 10)
    chance = np.where(b[:, None] == b, 0.5, np.where(b[:, None] // 4 == b // 4, 0.25, 0.01))
    source, target = np.nonzero(np.triu(rng.random((160, 160)) < chance, 1))
    graph = Graph.from_edges(source, target, 160)
    saved = nats_by_levels(graph, b)
    levels = [b, np.arange(16) // 4, np.zeros(4, dtype=int)]
    flat = description_length(graph, b, prior="full").total
    assert saved == pytest.approx(flat - description_length(graph, levels).total)
    assert saved > 50
    assert nats_by_levels(graph, b // 8) == 0.0  # two blocks
    assert nats_by_levels(graph, rng.permutation(b)) == 0.0  # blocks of nothing


@pytest.mark.parametrize("is_directed", [False, True])
def test_edges_that_lie_in_few_groups_are_counted(is_directed):
    counts = np.diag([500, 400, 300, 2, 2])
    state, labels = _Merging(counts, is_directed), np.arange(5)
    total = cost(counts, labels, is_directed) - state.number_cost(5, 5)
    while len(state.n) > 1:
        total += state.merge(labels)
    assert total + state.number_cost(5, 1) == pytest.approx(cost(counts, labels, is_directed))
