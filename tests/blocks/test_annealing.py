"""Annealing: what it returns is what it says, no higher than where it began, and free of B only if asked."""

import numpy as np
import pytest

from ffbm.blocks.annealing import anneal
from ffbm.blocks.descent import budget_for
from ffbm.blocks.meet import meet
from ffbm.blocks.priors import FULL, UNIFORM
from ffbm.blocks.target import BlockTarget, block_model

from .graphs import graph_of, random_graph


def cliques(n_cliques, size):
    pairs = [(c * size + i, c * size + j) for c in range(n_cliques) for i in range(size) for j in range(i)]
    return graph_of(pairs, n_cliques * size)


@pytest.mark.parametrize(
    ("prior", "free"), [(UNIFORM, False), (FULL, False), pytest.param(FULL, True, marks=pytest.mark.slow)]
)
def test_s_is_that_of_the_labels_and_does_not_rise(prior, free):
    rng = np.random.default_rng(1)
    for _ in range(5):
        graph = random_graph(rng, 30, 80)
        target = BlockTarget(graph, prior=prior)
        labels = rng.permutation(np.arange(30) % 4)
        found = anneal(target, block_model(target, 1), labels, budget_for(graph), rng, free)
        assert sorted(set(found.labels)) == list(range(found.n_blocks))
        assert free or found.n_blocks == 4
        assert found.entropy == pytest.approx(target.entropy(found.labels, found.n_blocks), abs=1e-8)
        assert found.entropy <= target.entropy(labels, 4) + 1e-9


def test_a_wrong_pairing_is_mended():
    """Two cliques whose members were dealt crosswise: no single vertex wants to move far."""
    graph, labels = cliques(3, 12), np.repeat([0, 1, 2], 12)
    labels[:24] = np.arange(24) % 2
    target = BlockTarget(graph)
    found = anneal(target, block_model(target, 1), labels, budget_for(graph), np.random.default_rng(0))
    assert len({tuple(found.labels[12 * c : 12 * c + 12]) for c in range(3)}) == 3
    assert all(len(set(found.labels[12 * c : 12 * c + 12])) == 1 for c in range(3))


@pytest.mark.parametrize("n_begun", [1, 2, 9])
def test_blocks_open_and_close(n_begun):
    graph = cliques(4, 12)
    target = BlockTarget(graph, prior=FULL)
    labels = np.random.default_rng(2).permutation(np.arange(48) % n_begun)
    found = anneal(target, block_model(target, 1), labels, budget_for(graph), np.random.default_rng(0), free=True)
    assert found.n_blocks == 4


def test_the_meet_is_finer_than_both():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 50), rng.integers(0, 5, 50)
    both = meet(a, b)
    together = (a[:, None] == a) & (b[:, None] == b)
    assert np.array_equal(both[:, None] == both, together)
    assert sorted(set(both)) == list(range(int(both.max()) + 1))
