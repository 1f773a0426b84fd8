"""Steps that only lower S: what they claim is true, and they find what they are for."""

import numpy as np
import pytest

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.priors import FULL, UNIFORM, UNLABELLED
from ffbm.blocks.target import block_ledger
from ffbm.kernels.improve import (
    LEAST,
    cheapest_merge,
    merge_cheapest,
    split_best,
    split_down,
)
from ffbm.kernels.target import entropy_of

from .graphs import check_counts, graph_of, model_and_ledger, random_graph


def cliques(n_cliques, size):
    pairs = [(c * size + i, c * size + j) for c in range(n_cliques) for i in range(size) for j in range(i)]
    return graph_of(pairs, n_cliques * size)


def buffers_for(graph, n_blocks):
    return np.zeros((4, graph.n_nodes), dtype=np.int64), np.zeros((3, n_blocks + 1), dtype=np.int64)


STEPS = {
    "split": lambda rng, m, c, *buffers: split_down(rng, m, c, 2, *buffers),
    "merge": lambda rng, m, c, work, _: max(merge_cheapest(m, c, LEAST, work), 0.0),
}


@pytest.mark.parametrize("likelihood", [DEGREE_CORRECTED, UNCORRECTED], ids=lambda one: one.name)
@pytest.mark.parametrize("prior", [UNIFORM, FULL], ids=lambda one: one.name)
@pytest.mark.parametrize("step", STEPS)
def test_s_falls_by_what_is_claimed(step, prior, likelihood):
    rng = np.random.default_rng(1)
    n_blocks, fell = 7, 0.0
    for _ in range(6):
        graph = cliques(3, 10) if step == "split" else random_graph(rng, 30, 90)
        labels = rng.permutation(np.arange(30) % (5 if step == "merge" else n_blocks))
        labels = np.arange(30) // 15 if step == "split" else labels
        model, ledger = model_and_ledger(graph, labels, n_blocks, prior=prior, likelihood=likelihood)
        before = entropy_of(model, ledger)
        fallen = STEPS[step](rng, model, ledger, *buffers_for(graph, n_blocks))
        assert fallen >= 0
        assert before - entropy_of(model, ledger) == pytest.approx(fallen, abs=1e-9)
        check_counts(model, ledger, n_blocks)
        fell += fallen
    assert fell > 0


@pytest.mark.parametrize("likelihood", [DEGREE_CORRECTED, UNCORRECTED], ids=lambda one: one.name)
@pytest.mark.parametrize("prior", [UNIFORM, FULL], ids=lambda one: one.name)
def test_cheapest_merge_is_the_cheapest(prior, likelihood):
    rng = np.random.default_rng(2)
    graph, n_blocks = random_graph(rng, 20, 50), 4
    labels = rng.permutation(np.arange(20) % n_blocks)
    model, ledger = model_and_ledger(graph, labels, n_blocks, prior=prior, likelihood=likelihood)
    number = model.likelihood.edge_cost + model.prior.used_cost
    before = entropy_of(model, ledger) - number[n_blocks]
    costs = {}
    for r in range(n_blocks):
        for s in range(r):
            merged = block_ledger(model, np.where(ledger.b == s, r, ledger.b), n_blocks)
            costs[r, s] = entropy_of(model, merged) - number[n_blocks - 1] - before
    r, s, cost = cheapest_merge(model, ledger)
    assert (r, s) == min(costs, key=costs.get)
    assert cost == pytest.approx(costs[r, s], abs=1e-9)


def test_the_best_split_is_of_the_block_that_needs_it():
    graph = cliques(4, 10)
    labels = np.repeat([0, 1, 2, 2], 10)
    model, ledger = model_and_ledger(graph, labels, 4)
    split_best(np.random.default_rng(0), model, ledger, 2, *buffers_for(graph, 4))
    assert ledger.used[0] == 4
    assert all(len(set(ledger.b[10 * c : 10 * c + 10])) == 1 for c in range(4))


def test_one_block_is_not_merged():
    graph = cliques(2, 4)
    model, ledger = model_and_ledger(graph, np.zeros(8, dtype=int), 2, prior=FULL)
    assert merge_cheapest(model, ledger, -np.inf, buffers_for(graph, 2)[0]) == -np.inf
    assert ledger.used[0] == 1


def test_costs_of_the_number_of_blocks_are_those_of_the_priors():
    full, unlabelled = (prior.tables(9, 4).used_cost for prior in (FULL, UNLABELLED))
    n_full = [np.log(9 * 40320 * 9), np.log(8 * 9 * 40320 * 9), np.log(28 * 9 * 40320 * 9)]
    assert full[1:4] == pytest.approx(n_full)
    assert (unlabelled - full)[1:] == pytest.approx(np.log([4, 12, 24, 24]))
    assert not UNIFORM.tables(9, 4).used_cost.any()
