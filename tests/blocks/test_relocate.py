"""Blocks spent elsewhere: what the move carries, what it leaves alone, and the weight of a path."""

from itertools import product

import numpy as np
import pytest
from numba import njit

from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.kernels.mergesplit import Split
from ffbm.kernels.relocate import cool, relocate
from ffbm.kernels.target import move
from ffbm.kernels.workspace import make_workspace
from ffbm.types import Graph

from .graphs import check_counts, model_and_ledger, random_graph


@pytest.mark.parametrize("field", [False, True])
@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks"), [(12, 20, 4), (30, 60, 5)])
def test_what_is_carried_is_right(n_nodes, n_edges, n_blocks, is_directed, field):
    rng = np.random.default_rng([n_edges, is_directed])
    graph = random_graph(rng, n_nodes, n_edges, is_directed)
    target, f = BlockTarget(graph), rng.normal(size=(n_nodes, n_blocks)) if field else None
    labels = np.arange(n_nodes) % n_blocks
    model, ledger = model_and_ledger(graph, labels, n_blocks, f)
    totals = np.array([target.entropy(labels, n_blocks), 0.0, 0.0])
    workspace, made = make_workspace(n_nodes, n_blocks), 0
    for _ in range(200):
        before = ledger.b.copy()
        if relocate(rng, model, ledger, 0.5, 5, totals, workspace.work, workspace.scratch):
            made += 1
            assert ledger.used[0] == n_blocks
        else:
            assert np.array_equal(before, ledger.b)
        assert totals[0] == pytest.approx(target.entropy(ledger.b, n_blocks), abs=1e-8)
        if field:
            lift = f[np.arange(n_nodes), ledger.b].sum() - f[np.arange(n_nodes), labels].sum()
            assert totals[1] == pytest.approx(lift, abs=1e-9)
    assert made > 5
    check_counts(model, ledger, n_blocks)
    assert not workspace.scratch[2].any()


@njit
def cool_often(rng, model, ledger, n_steps, split, scratch, weights):
    for k in range(len(weights)):
        weights[k] = np.exp(cool(rng, model, ledger, 0.7, n_steps, split, np.zeros(2), scratch))
        for i in split.group:
            if ledger.b[i] != split.r:
                move(model, ledger, i, split.r)


@pytest.mark.parametrize("n_steps", [1, 6])
def test_a_path_weighs_on_average_what_all_splits_do(n_steps):
    rng = np.random.default_rng(4)
    graph, labels, group = random_graph(rng, 8, 20), np.array([0, 0, 0, 0, 0, 1, 1, 1]), np.arange(5)
    field = rng.normal(size=(8, 3))
    model, ledger = model_and_ledger(graph, labels, 3, field)

    def energy(b):
        return BlockTarget(graph).entropy(b, 3) - field[np.arange(8), b].sum()

    splits = [np.append(half, labels[5:]) for half in product((0, 2), repeat=5) if len(set(half)) == 2]
    wanted = sum(np.exp(-0.7 * (energy(b) - energy(labels))) for b in splits)
    weights = np.empty(20_000)
    split = Split(group, np.int64(5), np.int64(0), np.int64(2))
    cool_often(rng, model, ledger, n_steps, split, make_workspace(8, 3).scratch, weights)
    error = weights.std() / np.sqrt(len(weights))
    assert error < 0.02 * wanted
    assert weights.mean() == pytest.approx(wanted, abs=4 * error)


def test_blocks_of_a_chain_move_to_where_they_are_needed():
    """Six cliques; two blocks halve one of them and two others share a block: single vertices never leave that."""
    edges = [(12 * k + i, 12 * k + j) for k in range(6) for i in range(12) for j in range(i)]
    graph = Graph.from_edges(*np.array(edges).T, 72)
    right, wrong = np.arange(72) // 12, np.arange(72) // 12
    wrong[12:24] = 0
    wrong[24:30] = 1
    target = BlockTarget(graph)
    lowest = target.entropy(right, 6)
    assert target.entropy(wrong, 6) > lowest + 20
    for relocations, is_found in ((0.0, False), (0.05, True)):
        setup = BlockSetup(target, block_model(target, 6), BlockSettings(0, 1, relocations=relocations))
        state, _ = advance(setup, start(setup, wrong, np.random.default_rng(1)), 300)
        assert (state.lowest < lowest + 1e-6) == is_found
