"""What a fit does when time is short: each stage does less, says so, and changes no number that it gives."""

import math
import time
from types import SimpleNamespace

import numpy as np
import pytest

import ffbm
from ffbm.blocks.target import BlockTarget
from ffbm.config import FitConfig
from ffbm.pipeline import choice, clock, contributions, explanation, numbers
from ffbm.pipeline.clock import SHARES, Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import Fold, column_bits
from ffbm.pipeline.fit import minutes_of_blocks, run_fit
from ffbm.pipeline.permutation import quick_p_values
from ffbm.pipeline.weights import sample_weights
from ffbm.results import checks, report
from ffbm.results.fit_run import fit_with, measured
from ffbm.results.fitted import Fit
from ffbm.results.record import fit_record
from ffbm.results.sentences import out_of_time
from ffbm.run_options import RunOptions
from ffbm.scoring import fold_rows
from ffbm.store.checkpoints import open_checkpoints
from ffbm.theta.design import make_design
from ffbm.types.columns import ColumnBits

QUIET = RunContext(1)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


def test_stages_end_one_after_the_other_and_none_begins_without_time(monkeypatch):
    hand = Hand()
    monkeypatch.setattr(clock, "time", hand)
    schedule = Schedule.of(FitConfig(max_minutes=10))
    assert list(SHARES.values()) == sorted(SHARES.values())
    assert SHARES["check"] == 1.0
    assert [schedule.end_of(stage) for stage in ("chains", "columns", "check")] == [450.0, 540.0, 600.0]
    hand.now = 1000.0
    assert schedule.end_of("columns") == 1030.0


@pytest.mark.parametrize(("lengths", "is_open"), [
    ({}, True), ({"n_sweeps": 100}, True), ({"n_draws": 100}, True), ({"n_sweeps": 100, "n_draws": 100}, False),
])  # fmt: skip
def test_fixed_lengths_know_no_clock(lengths, is_open):
    config = FitConfig(max_minutes=1e-9, **lengths)
    assert config.is_open is is_open
    assert (Schedule.of(config).end_of("columns") == math.inf) is not is_open


def test_blocks_leave_time_for_columns():
    net = ffbm.load_dataset("polbooks")
    assert minutes_of_blocks(net, FitConfig(max_minutes=10)) == 7.0


@pytest.fixture(scope="module")
def given():
    """Return what bits of four columns are found from: a network, its design, weights and three folds."""
    import pandas as pd

    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 120)
    team = np.where(rng.random(120) < 0.8, labels, rng.integers(0, 3, 120))
    club = np.where(rng.random(120) < 0.9, team, rng.integers(0, 3, 120))
    told = {"team": team, "club": club, "coin": rng.integers(0, 2, 120), "sock": rng.integers(0, 2, 120)}
    table = pd.DataFrame({name: [f"{name[0]}{cell}" for cell in cells] for name, cells in told.items()})
    net = ffbm.as_network([(i, (i + 1) % 120) for i in range(120)], table)
    design = make_design(net.features, intercept=True)
    options = {"intercept": True, "weight_prior": "learned", "n_draws": 100, "n_warmup": 100, "n_sweeps": 20}
    weights = sample_weights(design, labels, n_chains=2, seed=1, **options)
    folds = [Fold(rows, np.eye(3)[labels]) for rows in fold_rows(120, 3, np.random.default_rng(1))]
    return net, design, weights, folds


def bits_of(given, monkeypatch, seconds, n_folds=3, gains=None):
    """Return the bits of columns where every refit takes a second and there are so many of them.

    ``gains`` is given the bits of each vertex by each refit.
    """
    net, design, weights, folds = given
    hand, gain = Hand(), contributions._gain

    def slow(work, tasks, number):
        hand.now += 1.0
        found = gain(work, tasks, number)
        if gains is not None:
            gains[tasks[number]] = found
        return found

    monkeypatch.setattr(contributions, "time", hand)
    monkeypatch.setattr(contributions, "_gain", slow)
    found = column_bits(net, FitConfig(), design, weights, folds[:n_folds], 1, QUIET, end=seconds)
    monkeypatch.undo()
    return found, hand.now


def test_refits_end_with_the_time_and_what_is_given_stays_as_it_is(given, monkeypatch):
    """In each of three folds five refits of columns alone and of all, then four without one, and some of pairs."""
    whole, taken = bits_of(given, monkeypatch, math.inf)
    one, _ = bits_of(given, monkeypatch, math.inf, n_folds=1)
    assert whole.notes == one.notes == ()
    n_pairs = int(taken) // 3 - 9
    assert n_pairs >= 1

    nothing, taken = bits_of(given, monkeypatch, 0.0)
    assert taken == 1
    assert np.isfinite(nothing.alone).tolist().count(True) == 1
    np.testing.assert_array_equal(nothing.alone, np.where(np.isfinite(nothing.alone), one.alone, np.nan))
    assert np.isnan([nothing.whole, *nothing.unique]).all()
    assert (nothing.shared, nothing.n_folds, nothing.n_vertices, nothing.needed) == ((), 1, 40, one.needed)
    assert "1 of 4 columns alone" in nothing.notes[0].message

    gains = {}
    few, taken = bits_of(given, monkeypatch, 15.0, gains=gains)  # a fold and a half alone, then the same fold beyond
    assert taken == 8 + min(4 + n_pairs, 7)
    for name in ("alone", "alone_se", "unique", "unique_se", "whole", "needed"):
        np.testing.assert_array_equal(getattr(few, name), getattr(one, name))
    assert (few.n_folds, few.n_vertices) == (1, 40)
    held_out = given[3][0].held_out
    for g in range(4):
        assert few.alone[g] == pytest.approx(gains[(g,), 0][held_out].mean())
    assert few.notes[0].code == clock.OUT_OF_TIME
    assert "time was enough for 1 of 3 folds" in few.notes[0].message
    assert ColumnBits.from_dict(few.to_dict()).notes == few.notes

    most, taken = bits_of(given, monkeypatch, 29.0)  # all folds alone, in half of the time; most of them beyond
    assert taken < 15 + 3 * (4 + n_pairs)
    np.testing.assert_array_equal(most.alone, whole.alone)
    assert most.n_folds == 3
    assert "folds beyond the others" in most.notes[0].message


def test_permutations_follow_the_minutes_and_not_a_clock(given):
    net = given[0]
    names = [[name] for name in net.features.column_names]
    assert quick_p_values(net, names, 1, QUIET)[1] == quick_p_values(net, names, 1, QUIET, effort=1.0)[1] == 1000
    assert quick_p_values(net, names, 1, QUIET, effort=1e-9)[1] == 19


def test_a_search_without_time_ends_after_its_descents_and_goes_on_later(tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "_SAME", -math.inf)  # it goes through all rounds, though its slots soon agree
    target = BlockTarget(ffbm.load_dataset("polbooks").graph)
    whole = choice.search_until(target, 1, QUIET)
    assert whole.n_left == 0
    compared, neighbours = [], choice.try_neighbours
    monkeypatch.setattr(choice, "try_neighbours", lambda *of: compared.append(1) or neighbours(*of))
    with open_checkpoints(tmp_path, {}, resume=False) as checkpoints:
        context = RunContext(1, checkpoints=checkpoints)
        short = choice.search_until(target, 1, context, end=-math.inf)
        assert short.n_left == 8
        again = choice.search_until(target, 1, context)
    assert len(compared) == 2  # what the short search found is not taken for what the whole one does
    assert set(short.candidates) <= set(again.candidates)
    assert {n: it.entropy for n, it in again.candidates.items()} == {
        n: it.entropy for n, it in whole.candidates.items()
    }


def test_the_probabilities_of_numbers_are_left_out_and_that_is_told():
    net = ffbm.load_dataset("polbooks")
    target = BlockTarget(net.graph)
    found = choice.search_until(target, 1, QUIET, end=-math.inf).candidates
    assert numbers.probabilities(target, found, 1, QUIET, end=-math.inf) == []


def test_one_fold_is_enough_where_the_others_would_take_too_long(given, monkeypatch):
    net, design, weights, _ = given
    hand, labels = Hand(), np.arange(120) % 3

    def sample(design, rows, seed, stage):
        hand.now += 1.0
        return explanation.SampledWeights(weights, labels)

    monkeypatch.setattr(explanation, "time", hand)
    train = np.arange(80)
    for seconds, n_test in ((5.5, 24), (6.5, 120)):  # the weights take one, each of five folds another
        hand.now = 0.0
        monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: 0.0))
        schedule = Schedule(0.0, seconds / SHARES["scores"])
        found = explanation.explain(net.features, design, train, sample, 1, folds=5, schedule=schedule)
        assert found.scores.n_test == n_test
        codes = [note.code for note in found.scores.notes]
        assert (clock.OUT_OF_TIME in codes) == (n_test == 24)


@pytest.fixture(scope="module")
def hurried():
    """Return a fit whose time is over before it begins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "_LEAST", 0.0)
        net = ffbm.load_dataset("polbooks")
        config = FitConfig(n_blocks=3, n_sweeps=400, seed=1, weight_prior="learned", max_minutes=1e-6)
        fit = fit_with(net, config, RunOptions(workers=1), progress=False)
        return measured(fit, False, 1)


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_hurried_fit_has_an_answer_and_says_what_it_lacks(hurried, tmp_path):
    assert hurried.weights.weights.shape[1] == 100
    assert hurried.relevance is not None
    short = out_of_time(hurried)
    assert short == [
        "scores: time was enough for 1 of 5 folds",
        "bits of columns: time was enough for 1 of 5 folds, 0 of 1 columns beyond the others",
    ]
    assert fit_record(hurried)["out_of_time"] == short
    told = " ".join(hurried.summary(verbose=True).split())
    assert "was too short for all. Scores: time was enough for 1 of 5 folds; bits of columns: time" in told
    hurried.save(tmp_path / "run")
    again = ffbm.load_fit(tmp_path / "run")
    assert out_of_time(again) == short
    assert again.summary() == hurried.summary()


def test_recorded_lengths_give_the_same_draws_without_a_clock(hurried):
    lengths = {name: hurried.weights.settings[name] for name in ("n_draws", "n_warmup")}
    config = FitConfig(n_blocks=3, n_sweeps=400, seed=1, weight_prior="learned", **lengths)
    fixed = run_fit(hurried.network, config, workers=1, progress=False)
    np.testing.assert_array_equal(fixed.blocks.labels, hurried.blocks.labels)
    np.testing.assert_array_equal(fixed.weights.weights, hurried.weights.weights)
    assert out_of_time(Fit.of(fixed)) == []


def test_the_report_leaves_replicates_out_and_says_so(hurried, monkeypatch):
    page = report.report_text(hurried, end=-math.inf)
    assert "of the time that the fit had, none was left to draw replicates" in page
    assert "ffbm check RUN" in page
    page = report.report_text(hurried, end=time.monotonic() + 1e9)
    assert "200 replicates keep" in page
    assert "Time was enough" not in page
    hand, measure = Hand(), checks.measure

    def slow(*of):
        hand.now += 1.0
        return measure(*of)

    monkeypatch.setattr(checks, "time", hand)
    monkeypatch.setattr(checks, "measure", slow)
    assert [checks.affordable_replicates(hurried, end) for end in (20.0, 67.5, math.inf)] == [0, 65, 200]
    page = report.report_text(hurried, end=hand.now + 52.5)
    assert "Time was enough for 50 of 200 replicates, and for no test of pairs of columns." in page
    assert "50 replicates keep" in page
