"""Grades of block chains: each limit counts, and stationary chains of known ESS get the grade they have earned."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.signal import lfilter

from ffbm.diagnostics import BlockMeasures, Verdict, block_diagnostics, judge_blocks, judge_previous, measure_blocks
from ffbm.diagnostics.grades import pairs_apart
from ffbm.errors import DataError

C = 4


def measures(n_pairs=200, error=0.01, **changes):
    """What good chains show, but for some of it."""
    level = np.full(n_pairs, 0.5)
    good = BlockMeasures(
        n_chains=C,
        n_draws=1000,
        rhat_entropy=1.004,
        ess_entropy=1500.0,
        is_constant=False,
        pairs=np.zeros((n_pairs, 2), dtype=np.int64),
        frequency_pairs=level,
        error_pairs=np.full(n_pairs, error),
        rhat_pairs=level + 0.6,
        ess_pairs=level * 3000,
        spread_pairs=np.full(n_pairs, 2 * error),
        noise_pairs=np.full(n_pairs, 2 * error),
    )
    return replace(good, **changes)


def errors(n_open, error, n_pairs=200):
    return np.where(np.arange(n_pairs) < n_open, error, 0.01)


@pytest.mark.parametrize(
    ("changes", "grade", "reason"),
    [
        (
            {},
            "converged",
            "R-hat of S is 1.004 and its ESS 1,500 over 4 chains, 100% of 200 pairs of vertices are known",
        ),
        ({"rhat_entropy": 1.0101}, "usable", "R-hat of S is 1.0101 (at most 1.01 is asked for), over 4 chains"),
        ({"ess_entropy": 799.9}, "usable", "known to 0.05, but ESS of S is 799 (at least 800 is asked for)"),
        ({"error_pairs": errors(2, 0.0178)}, "converged", "99% of 200 pairs of vertices are known to 0.0177"),
        ({"error_pairs": errors(3, 0.0178)}, "usable", "3 of 200 pairs of vertices are not known to 0.0177"),
        ({"rhat_entropy": 1.051}, "too short", "R-hat of S is 1.05 (at most 1.01 is asked for), over 4 chains"),
        ({"ess_entropy": 99.0}, "too short", "ESS of S is 99 (at least 800 is asked for)"),
        ({"error_pairs": errors(3, 0.051)}, "too short", "3 of 200 pairs of vertices are not known to 0.0177"),
        ({"rhat_entropy": np.inf, "ess_entropy": 5.0}, "too short", "each chain holds S at a value of its own"),
        ({"rhat_entropy": np.nan, "ess_entropy": np.nan}, "too short", "ESS of S is not known"),
        ({"rhat_entropy": np.nan, "is_constant": True}, "converged", "S is constant over 4 chains, 100% of 200 pairs"),
        ({"n_chains": 1}, "too short", "one chain cannot show convergence: run at least 2"),
        ({"n_draws": 3}, "too short", "3 draws per chain are too few to judge: keep at least 4"),
        ({"rhat_pairs": np.full(200, 1.5)}, "converged", "100% of 200 pairs"),  # shown, not judged
    ],
)
def test_every_limit_counts(changes, grade, reason):
    judged = judge_blocks(measures(**changes))
    assert (judged.grade, bool(judged)) == (grade, grade == "converged")
    assert reason in judged.reason
    assert judged.command == ""


def test_several_clauses_are_one_sentence():
    judged = judge_blocks(measures(rhat_entropy=1.2, ess_entropy=30.0, error_pairs=errors(9, 0.1)))
    assert judged.reason == (
        "R-hat of S is 1.20 (at most 1.01 is asked for), ESS of S is 30 (at least 800), 9 of 200 pairs of vertices are"
        " not known to 0.0177, over 4 chains"
    )


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({}, True),
        ({"ess_entropy": 401.0}, True),  # half the length has half the ESS
        ({"error_pairs": errors(50, 0.0249)}, True),  # and sqrt(2) times the error
        ({"ess_entropy": 399.0}, False),
        ({"error_pairs": errors(3, 0.0251)}, False),
        ({"rhat_entropy": 1.011}, False),
        ({"n_draws": 3}, False),
    ],
)
def test_the_check_at_half_the_length_counts_too(changes, holds):
    before = measures(**changes)
    judged = judge_blocks(measures(), before)
    assert judged.grade == ("converged" if holds else "usable")
    assert judged == judge_blocks(measures(), judge_previous(before))
    assert "at half the length" in judged.reason
    assert judge_blocks(measures(rhat_entropy=1.2), before).grade == "too short"


@pytest.mark.parametrize(("trips", "grade"), [([10, 11, 12, 99], "converged"), ([10, 9, 12, 99], "usable")])
def test_every_ladder_makes_ten_round_trips(trips, grade):
    judged = judge_blocks(measures(), round_trips=trips)
    assert judged.grade == grade
    assert ("a ladder made 9 round trips (at least 10)" in judged.reason) is (grade == "usable")


def test_as_many_ladders_as_chains():
    with pytest.raises(DataError, match=r"round_trips must be one number for each of 4 ladders; got shape \(3,\)"):
        judge_blocks(measures(), round_trips=[10, 10, 10])


def test_chains_differ_where_chance_does_not_explain_it():
    bad = {"rhat_entropy": 1.3}
    n = 200
    some = np.arange(n) < 5

    def grade(spread, noise):
        found = measures(**bad, spread_pairs=np.where(some, spread, 0.0), noise_pairs=np.where(some, noise, 0.0))
        return judge_blocks(found).grade

    assert grade(0.3, 0.02) == "multimodal"
    assert grade(0.3, 0.0) == "multimodal"  # each chain stands still, at a value of its own
    assert grade(0.3, 0.15) == "too short"  # what chains that slow show by chance
    assert grade(0.05, 0.0) == "too short"  # little
    few = measures(**bad, spread_pairs=np.where(some & (np.arange(n) < 2), 0.3, 0.0), noise_pairs=np.zeros(n))
    assert judge_blocks(few).grade == "too short"
    assert pairs_apart(few).sum() == 2


def test_diagnostics_carry_what_the_grade_rests_on():
    labels, s = stationary(np.random.default_rng(1), 3000)
    half = measure_blocks(labels[:, :10], s[:, :10], seed=0)
    found = block_diagnostics(labels, s, np.ones(C), 0, previous=half, round_trips=[12, 13, 14, 15])
    assert found.converged.grade == "usable"
    assert found.previous == judge_previous(half)
    assert found.round_trips.tolist() == [12, 13, 14, 15]
    again = block_diagnostics(labels, s, np.ones(C), 0, previous=found.previous, round_trips=found.round_trips)
    assert again.converged == found.converged
    assert block_diagnostics(labels, s, np.ones(C), 0).previous is None


def stationary(rng, ess, n_draws=500, n_nodes=30):
    """Labels and S of stationary chains: S is autoregressive with that ESS, vertices change side as slowly."""
    tau = C * n_draws / ess
    rho = (tau - 1) / (tau + 1)
    noise = rng.normal(size=(C, n_draws))
    noise[:, 1:] *= np.sqrt(1 - rho**2)
    s = lfilter([1], [1, -rho], noise, axis=1)
    shape = (C, n_draws, n_nodes)
    renewed = np.where(rng.random(shape) < 1 - rho, np.arange(n_draws)[:, np.newaxis], 0)
    across = np.take_along_axis(rng.random(shape) < 0.03, np.maximum.accumulate(renewed, axis=1), axis=1)
    return (across ^ (np.arange(n_nodes) % 2 == 0)).astype(np.uint8), s


def grades_of(ess, n_runs):
    rng = np.random.default_rng(ess)
    return [judge_blocks(measure_blocks(*stationary(rng, ess), seed=0)).grade for _ in range(n_runs)]


def test_stationary_chains_get_the_grade_that_their_length_has_earned():
    n = 40
    by_ess = {ess: grades_of(ess, n) for ess in (30, 250, 400, 1600)}
    assert by_ess[1600].count("converged") >= 0.95 * n
    assert by_ess[400].count("converged") == 0
    assert by_ess[400].count("usable") >= 0.95 * n
    assert by_ess[250].count("usable") >= 0.9 * n
    assert by_ess[30].count("too short") >= 0.9 * n  # noise of short chains is not taken for modes
    assert all("multimodal" not in found for ess, found in by_ess.items() if ess > 30)


def bimodal(rng, crossings, starts, n_draws=500, n_nodes=30):
    """Quick chains in two equally probable pictures, with so many crossings expected of each chain."""
    labels, s = stationary(rng, 1900, n_draws, n_nodes)
    is_crossing = rng.random((C, n_draws)) < crossings / n_draws
    mode = (np.array(starts)[:, np.newaxis] + is_crossing.cumsum(axis=1)) % 2
    labels[:, :, : n_nodes // 3] ^= mode[:, :, np.newaxis].astype(np.uint8)
    return measure_blocks(labels, s, seed=0)


def test_chains_that_never_cross_are_multimodal_and_those_that_cross_are_short():
    rng = np.random.default_rng(5)
    n = 20
    never = [judge_blocks(bimodal(rng, 0, [0, 1, 0, 1])).grade for _ in range(n)]
    sometimes = [judge_blocks(bimodal(rng, 8, [0, 1, 0, 1])).grade for _ in range(n)]
    assert never == ["multimodal"] * n
    assert sometimes.count("too short") >= 0.85 * n
    assert "converged" not in sometimes


def test_a_mode_that_no_chain_has_seen_cannot_be_told():
    """The limit of every such verdict: chains that all sit in one of two pictures look as if there were one."""
    assert judge_blocks(bimodal(np.random.default_rng(6), 0, [0, 0, 0, 0]))


def test_longer_is_never_worse():
    rng = np.random.default_rng(7)
    labels, s = stationary(rng, 3000, n_draws=1600)
    order = ["too short", "usable", "converged"]
    found = [judge_blocks(measure_blocks(labels[:, :n], s[:, :n], seed=0)) for n in (20, 100, 400, 1600)]
    places = [order.index(one.grade) for one in found]
    assert all(one <= other for one, other in pairwise(places))
    assert isinstance(found[0], Verdict)
    assert (places[0], places[-1]) == (0, 2)
