"""The joint stage under the learned prior: labels and columns of one draw, and weights of the full model after."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.config import FitConfig
from ffbm.diagnostics import Verdict
from ffbm.diagnostics.verdict import CONVERGED
from ffbm.errors import OptionError
from ffbm.joint import chain
from ffbm.joint.chain import ADAPTING
from ffbm.pipeline import joint_fit, joint_selection, length
from ffbm.pipeline import run as running
from ffbm.pipeline.fit import run_fit
from ffbm.pipeline.joint_selection import number_blocks_like, select_jointly
from ffbm.pipeline.modes import explain_mode
from ffbm.theta.target import selection_energy

from ..planted import planted_network, two_flags

QUICK = FitConfig(
    n_blocks=2, target="joint", weight_prior="learned", n_sweeps=60, n_warmup=40, n_draws=60, n_chains=2, thin=2,
    seed=4, n_kept="all",
)  # fmt: skip
SHORT = {"n_sweeps": 40, "n_chains": 2, "thin": 2, "seed": 3}


@pytest.fixture(scope="module")
def net():
    return planted_network(1, two_flags)[0]


@pytest.fixture(scope="module")
def parts(net):
    return run_fit(net, QUICK, progress=False)


def energies(net, selected, blocks, rows):
    """Minus the log density of columns and weights given the labels, as it is written."""
    x = np.column_stack((sp.csr_array(net.features.values).toarray(), np.ones(net.n_nodes)))
    found = np.empty(blocks.labels.shape[:2])
    for at in np.ndindex(*found.shape):
        y = np.eye(blocks.n_blocks)[blocks.labels[at][rows]]
        found[at] = selection_energy(selected.weights[at], selected.inclusion[at], x[rows], y, selected.of_feature)
    return found


def test_labels_columns_and_weights_are_of_one_draw(net, parts):
    selected, everyone = parts.weights.selected, np.arange(net.n_nodes)
    assert parts.blocks.labels.shape[:2] == selected.inclusion.shape[:2] == selected.weights.shape[:2] == (2, 24)
    np.testing.assert_allclose(energies(net, selected, parts.blocks, everyone), selected.energy, atol=1e-8)
    assert selected.full_start.tolist() == [False, True]
    assert parts.diagnostics.joint is not None


def test_the_length_of_a_run_until_it_is_done_gives_the_same_run(net, monkeypatch):
    """Also after the thinning has doubled, and where columns are not visited after every sweep."""
    monkeypatch.setattr(length, "_FIRST", 20)
    monkeypatch.setattr(length, "_PER_BURN", 4)
    monkeypatch.setattr(joint_selection, "MOST_KEPT", 30)
    monkeypatch.setattr(joint_selection, "ADAPTING", 10)
    monkeypatch.setattr(chain, "ADAPTING", 10)
    monkeypatch.setattr(joint_selection, "_GAP", 2)
    checks = iter([False, False, True])
    monkeypatch.setattr(length, "judge_blocks", lambda *_: Verdict(CONVERGED, ""))
    monkeypatch.setattr(joint_selection, "_is_inclusion_known", lambda _: next(checks))
    found = select_jointly(net, 2, **SHORT | {"n_sweeps": "auto"})
    settings = found.blocks.settings
    assert (settings["n_sweeps"], settings["burn"], settings["thin"], settings["gap"]) == (10 + 320, 10 + 64, 16, 2)
    again = select_jointly(net, 2, **SHORT | {name: settings[name] for name in ("n_sweeps", "burn_in", "thin")})
    for name in ("labels", "entropy", "acceptance"):
        np.testing.assert_allclose(getattr(again.blocks, name), getattr(found.blocks, name), rtol=1e-12)
    for name in ("inclusion", "chance", "scales", "weights", "accepted"):
        np.testing.assert_allclose(getattr(again.selected, name), getattr(found.selected, name), rtol=1e-12)


def test_inclusion_is_known_once_its_error_is_small(net):
    found = select_jointly(net, 2, **SHORT)
    draws = SimpleNamespace(chance=np.full_like(found.selected.chance, 0.3))
    assert joint_selection._is_inclusion_known(draws)
    draws.chance[0] = 0.9
    assert not joint_selection._is_inclusion_known(draws)


def test_runs_for_scores_are_as_long_as_the_one_that_decides(net, monkeypatch):
    lengths = []

    def spy(*args, **options):
        found = select_jointly(*args, **options)
        lengths.append((options["n_sweeps"], found.blocks.settings["n_sweeps"], found.blocks.settings["thin"]))
        return found

    monkeypatch.setattr(joint_fit, "select_jointly", spy)
    monkeypatch.setattr(length, "_FIRST", 20)
    monkeypatch.setattr(length, "judge_blocks", lambda *_: Verdict(CONVERGED, ""))
    monkeypatch.setattr(joint_selection, "_is_inclusion_known", lambda _: True)
    run_fit(net, dataclasses.replace(QUICK, n_sweeps="auto", n_kept=None), progress=False)
    n_sweeps = ADAPTING + 2 * 20 * QUICK.thin
    assert lengths == [("auto", n_sweeps, QUICK.thin), (n_sweeps, n_sweeps, QUICK.thin)]


def test_the_clock_stops_a_run_after_its_chains_have_adapted(net):
    found = select_jointly(net, 2, **SHORT | {"n_sweeps": "auto"}, max_minutes=1e-9)
    settings = found.blocks.settings
    assert settings["n_sweeps"] == ADAPTING + 5 * 2
    assert found.blocks.labels.shape[1] == (settings["n_sweeps"] - settings["burn"]) // 2


def test_renumbered_draws_still_belong_together(net):
    rows = np.arange(50)
    found = select_jointly(net, 3, rows, **SHORT)
    like = dataclasses.replace(found.memberships, probs=np.roll(found.memberships.probs, 1, axis=1))
    other = number_blocks_like(found, like)
    np.testing.assert_array_equal(other.blocks.labels, (found.blocks.labels + 1) % 3)
    np.testing.assert_allclose(energies(net, other.selected, other.blocks, rows), other.selected.energy, atol=1e-8)


def test_decisions_come_from_all_vertices_and_scores_from_another_run(net, parts):
    assert parts.relevance.matters == ("x1",)
    assert len(parts.weights.rows) == net.n_nodes
    assert parts.scores.n_test == net.n_nodes - len(parts.train) > 0
    assert np.isfinite(parts.explanation.held_out).any()
    assert parts.explanation.columns.n_vertices == parts.scores.n_test
    assert parts.weights.weights.shape == (2, 72, 2, 3)  # at least 60 draws, 3 for each of 24 partitions
    assert parts.weights.settings["n_partitions"] == 48
    assert parts.weights.weight_prior == "learned"


def test_folds_are_runs_of_their_own_and_columns_are_measured_on_them(net, monkeypatch):
    runs, measured = [], []
    sample = joint_fit.select_jointly

    def watched(net, n_blocks, rows, **options):
        runs.append((rows, sample(net, n_blocks, rows, **options)))
        return runs[-1][1]

    monkeypatch.setattr(joint_fit, "select_jointly", watched)
    monkeypatch.setattr(joint_fit, "make_measure_on", lambda *of: measured.append(of[4]))
    found = run_fit(net, dataclasses.replace(QUICK, folds=2), progress=False)
    (everyone, first), *others = runs
    assert len(everyone) == net.n_nodes
    held_out = np.concatenate([np.setdiff1d(np.arange(net.n_nodes), rows) for rows, _ in others])
    assert sorted(held_out) == list(range(net.n_nodes))
    assert found.scores.n_test == net.n_nodes
    for fold, (rows, run) in zip(measured[0], others, strict=True):
        assert np.array_equal(fold.rows, rows)
        own = number_blocks_like(run, first.memberships).memberships
        assert np.array_equal(fold.members, own.probs)


def test_the_error_of_inclusion_is_over_partitions_too(parts):
    selected = parts.weights.selected
    assert len(selected.by_partition) == 48
    alone = dataclasses.replace(selected, settings={})
    assert selected.error.max() > 0
    assert alone.error.max() == 0  # given the partitions, each of which one draw has


def test_workers_change_nothing(net, parts):
    other = run_fit(net, QUICK, workers=1, progress=False)
    np.testing.assert_array_equal(parts.blocks.labels, other.blocks.labels)
    np.testing.assert_array_equal(parts.weights.inclusion, other.weights.inclusion)
    np.testing.assert_array_equal(parts.weights.weights, other.weights.weights)
    assert parts.scores.to_dict() == other.scores.to_dict()


def test_fewer_partitions_where_weights_take_long(net, monkeypatch):
    monkeypatch.setattr(joint_selection, "SECONDS", 0.0)
    monkeypatch.setattr(joint_selection, "LEAST_PARTITIONS", 5)
    found = run_fit(net, dataclasses.replace(QUICK, train_fraction=1.0), progress=False)
    assert found.weights.settings["n_partitions"] == 10
    assert found.weights.weights.shape == (2, 60, 2, 3)
    assert np.isnan(found.scores.loss_test)


def test_a_mode_is_explained_by_its_own_partitions(net, parts):
    mode_of = np.zeros(parts.memberships.mode_of.shape, dtype=np.int64)
    mode_of[1] = 1
    mode = parts.memberships.modes[0]
    own = [dataclasses.replace(mode, order=mode.order[:24])] * 2
    members = dataclasses.replace(parts.memberships, modes=tuple(own), mode_of=mode_of)
    found = explain_mode(dataclasses.replace(parts, memberships=members), 1, progress=False)
    assert found.weights.selected.column_names == ("x0", "x1")
    assert found.scores.n_test == 0


class Stop(BaseException):
    """What ends a run at once."""


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_run_that_stopped_ends_with_the_same_bits(net, parts, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_SEGMENT_SECONDS", 1e-4)
    monkeypatch.setattr(running, "_SAVE_SECONDS", 0.0)
    options = {name: value for name, value in QUICK.to_dict().items() if name not in ("out", "resume")}
    stops = []

    def stop(event):
        if event.stage == "joint" and event.done > 20 * (1 + len(stops)) and len(stops) < 2:
            stops.append(event.done)
            raise Stop

    found = None
    while found is None:
        try:
            found = ffbm.fit(net, out=tmp_path / "run", resume=bool(stops), progress=stop, **options)
        except Stop:
            continue
    assert len(stops) == 2
    loaded = ffbm.load_fit(tmp_path / "run")
    for one in (found, loaded):
        np.testing.assert_array_equal(one.blocks.labels, parts.blocks.labels)
        np.testing.assert_array_equal(one.weights.selected.chance, parts.weights.selected.chance)
        np.testing.assert_array_equal(one.weights.weights, parts.weights.weights)
    assert loaded.summary() == found.summary()
    assert "a cut step" in " ".join(found.summary().split())


def test_what_is_refused(net):
    with pytest.raises(OptionError, match="n_blocks must be a number"):
        select_jointly(net, "free", **SHORT)
    with pytest.raises(OptionError, match="intercept_sd must be a number"):
        select_jointly(net, 2, intercept_sd=0, **SHORT)
    with pytest.raises(OptionError, match="moves must be one of"):
        select_jointly(net, 2, moves="none", **SHORT)
