"""Moves of many vertices: the description length and the ledger they carry, and what they leave alone."""

import numpy as np
import pytest

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.target import BlockTarget
from ffbm.kernels.entry_points import move_many
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT

from .graphs import check_counts, model_and_ledger, random_graph


@pytest.mark.parametrize("likelihood", [DEGREE_CORRECTED, UNCORRECTED], ids=lambda one: one.name)
@pytest.mark.parametrize("field", [False, True])
@pytest.mark.parametrize("kind", [RESPLIT, MERGE_SPLIT, OPEN_CLOSE])
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks"), [(12, 20, 4), (30, 60, 5), (9, 40, 3)])
def test_what_is_carried_is_right(n_nodes, n_edges, n_blocks, kind, field, likelihood):
    rng = np.random.default_rng([n_edges, kind])
    graph = random_graph(rng, n_nodes, n_edges)
    target = BlockTarget(graph, likelihood)
    f = rng.normal(size=(n_nodes, n_blocks)) if field else None
    labels = np.arange(n_nodes) % (n_blocks - (kind == OPEN_CLOSE))
    model, ledger = model_and_ledger(graph, labels, n_blocks, f, likelihood=likelihood)
    totals = np.array([target.entropy(labels, n_blocks), 0.0, 0.0])
    work, scratch = np.zeros((4, n_nodes), dtype=np.int64), np.zeros((3, n_blocks + 1), dtype=np.int64)
    made = 0
    for _ in range(400):
        before = ledger.b.copy()
        used = int(ledger.used[0])
        if move_many(rng, model, ledger, kind, 0.3, 1, totals, work, scratch):
            made += 1
            assert abs(int(ledger.used[0]) - used) == (kind == OPEN_CLOSE)
        else:
            assert np.array_equal(before, ledger.b)
        assert totals[0] == pytest.approx(target.entropy(ledger.b, n_blocks), abs=1e-8)
        if field:
            lift = f[np.arange(n_nodes), ledger.b].sum() - f[np.arange(n_nodes), labels].sum()
            assert totals[1] == pytest.approx(lift, abs=1e-9)
    assert made > (0 if kind == OPEN_CLOSE else 5)
    check_counts(model, ledger, n_blocks)
    assert not scratch[2].any()
