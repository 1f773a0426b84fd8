"""What the size of a network spares a fit: time is shared out, and long stages are shortened by size, not by clocks."""

import numpy as np
import pytest

from ffbm.blocks import descent
from ffbm.blocks.start import greedy_labels
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.config import FitConfig
from ffbm.pipeline import columns, explanation, fit, refits, selection
from ffbm.pipeline.fit import minutes_of_blocks, run_fit
from ffbm.results import calibration
from ffbm.results.fitted import Fit
from ffbm.scoring import predict
from ffbm.theta import cost
from ffbm.theta.design import make_design
from ffbm.types import Graph

from ..planted import planted_network, two_flags

pytestmark = [pytest.mark.auto_length, pytest.mark.users_defaults]


@pytest.fixture(scope="module")
def net():
    return planted_network(1, two_flags)[0]


@pytest.mark.parametrize(("seconds", "minutes"), [(0.0, 7.0), (120.0, 5.5), (240.0, 3.5), (9000.0, 3.0)])
def test_blocks_leave_time_for_weights(net, monkeypatch, seconds, minutes):
    monkeypatch.setattr(fit, "seconds_of_draws", lambda *_: seconds)
    assert minutes_of_blocks(net, FitConfig(max_minutes=10)) == pytest.approx(minutes)


def test_columns_are_selected_on_some_vertices_of_a_large_network(net, monkeypatch):
    design, rows = make_design(net.features, intercept=True), np.arange(net.n_nodes)
    rng = np.random.default_rng(1)
    assert selection.affordable_rows(design, rows, 2, rng) is rows
    monkeypatch.setattr(selection, "LONGEST", 1.0)
    monkeypatch.setattr(selection, "LEAST_VERTICES", 30)
    some = selection.affordable_rows(design, rows, 2, rng)
    assert len(set(some)) == len(some) == 30
    assert (np.diff(some) > 0).all()


def test_weights_are_sampled_on_some_vertices_of_a_very_large_network(net, monkeypatch):
    design, rows = make_design(net.features, intercept=True), np.arange(0, net.n_nodes, 2)
    rng = np.random.default_rng(1)
    assert cost.affordable_vertices(design, rows, 2, rng) is rows
    monkeypatch.setattr(cost, "_LONGEST", 1e-9)
    monkeypatch.setattr(cost, "_LEAST_VERTICES", 10)
    some = cost.affordable_vertices(design, rows, 2, rng)
    assert len(some) == 10
    assert (np.diff(some) > 0).all()
    assert set(some) <= set(rows)


def test_a_fit_of_a_large_network_is_shortened_and_says_so(net, monkeypatch):
    """All limits are set so low that eighty vertices are many."""
    monkeypatch.setattr(selection, "LONGEST", 1.0)
    monkeypatch.setattr(selection, "LEAST_VERTICES", 500)  # a tenth of it in the least time
    monkeypatch.setattr(explanation, "MOST_FOLDED", 10)
    monkeypatch.setattr(columns, "_MOST_SECONDS", 1e-9)
    monkeypatch.setattr(columns, "_LEAST_VERTICES", 400)
    monkeypatch.setattr(cost, "_GRADIENT_PER_WEIGHT", 1.0)
    monkeypatch.setattr(cost, "_LEAST_VERTICES", 70)
    heard = []
    config = FitConfig(n_blocks=2, n_sweeps=60, n_chains=2, seed=4, folds=1, max_minutes=1e-6)
    parts = run_fit(net, config, progress=heard.append)
    assert parts.weights.settings["n_warmup"] == 100
    assert parts.weights.n_draws == 100
    assert len(parts.weights.rows) == 70
    assert [note.message for note in parts.weights.notes] == [
        "columns were selected on 50 of 80 vertices, drawn at random: all of them would take too long",
        "weights were sampled on 70 of 80 vertices, drawn at random: all of them would take too long",
    ]
    assert not any("for scores" in event.stage for event in heard)  # one short chain
    assert parts.scores.n_test == 24
    assert refits.lengths(100, 2) == (50, 50)
    assert len(columns._some_vertices(parts)) == 40
    assert parts.weights.selected.settings["n_partitions"] == 1
    assert columns.compare_chains(parts) is None  # the partition of one chain: there is nothing to compare
    assert list(Fit.of(parts).column_table["decision"])


def test_predictions_of_a_very_large_network_are_not_kept(net, monkeypatch):
    monkeypatch.setattr(explanation, "MOST_FOLDED", 10)
    monkeypatch.setattr(cost, "_GRADIENT_PER_WEIGHT", 1.0)
    monkeypatch.setattr(cost, "_LEAST_VERTICES", 70)
    config = FitConfig(n_blocks=2, n_sweeps=60, n_chains=2, n_draws=50, n_warmup=50, seed=4, folds=1)
    kept = run_fit(net, config, progress=False)
    assert np.isfinite(kept.explanation.held_out).all(axis=1).sum() == 24
    monkeypatch.setattr(explanation, "MANY_CELLS", 159)  # of eighty vertices and two blocks
    parts = run_fit(net, config, progress=False)
    assert parts.explanation.held_out is None
    assert parts.scores.to_dict() == kept.scores.to_dict()
    left = np.setdiff1d(np.arange(80), parts.weights.rows)  # the weights of the fit were trained on 70
    predicted, observed = calibration.held_out_predictions(parts)
    np.testing.assert_allclose(predicted, predict(parts.weights, net.features)[left], rtol=1e-12)
    np.testing.assert_array_equal(observed, parts.memberships.probs[left])
    monkeypatch.setattr(calibration, "_COMPARED", 4)
    some, _ = calibration.held_out_predictions(parts)
    assert some.shape == (4, 2)
    assert all((np.abs(predicted - row).max(axis=1) < 1e-12).any() for row in some)


def test_greedy_sweeps_of_a_large_network_end_while_some_vertices_still_move(monkeypatch):
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(rng.integers(0, 400, 2000), rng.integers(0, 400, 2000), 400)
    model = block_model(BlockTarget(graph), 8)
    calls, real = [], descent.sweep
    monkeypatch.setattr(descent, "sweep", lambda *given: calls.append(1) or real(*given))
    for restless in (0.0, 1.0):
        ledger = block_ledger(model, np.arange(400) % 8, 8)
        calls.clear()
        descent.sweep_down(model, ledger, 1, 20, np.random.default_rng(1), restless=restless)
        assert (len(calls) == 2) == bool(restless)


def test_a_large_start_finds_planted_blocks():
    rng, n_nodes, n_edges, n_blocks = np.random.default_rng(3), 30_000, 310_000, 20
    truth = rng.permutation(np.arange(n_nodes) % n_blocks)
    order = np.argsort(truth, kind="stable")
    size = n_nodes // n_blocks
    source = rng.integers(0, n_nodes, n_edges)
    inside = order[truth[source] * size + rng.integers(0, size, n_edges)]
    target = np.where(rng.random(n_edges) < 0.5, inside, rng.integers(0, n_nodes, n_edges))
    graph = Graph.from_edges(source, target, n_nodes)
    assert descent.budget_for(graph).restless > 0
    labels = greedy_labels(BlockTarget(graph), n_blocks, np.random.default_rng(1))
    overlap = np.zeros((n_blocks, n_blocks), dtype=np.int64)
    np.add.at(overlap, (labels, truth), 1)
    assert overlap.max(axis=1).sum() > 0.99 * n_nodes
