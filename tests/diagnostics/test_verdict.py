"""A verdict is a grade and a sentence one can act on."""

import numpy as np
import pytest

from ffbm.diagnostics import GRADES, Verdict, summarise, verdict
from ffbm.diagnostics.verdict import rounded
from ffbm.errors import OptionError


def draws(seed=0, shape=(4, 1000)):
    return np.random.default_rng(seed).normal(size=shape)


def slow(keep, shape=(4, 1000)):
    z = draws(1, shape)
    for t in range(1, shape[1]):
        z[:, t] += keep * z[:, t - 1]
    return z


def test_good_chains_say_what_was_seen():
    found = summarise(draws())
    judged = verdict({"S": found})
    assert judged
    ess = int(min(found.ess_bulk, found.ess_tail))
    assert judged.reason == f"R-hat of S is at most {found.rhat:.3f} and ESS at least {ess:,} over 4 chains"


def test_a_chain_apart_is_named_with_its_rhat():
    x = draws()
    x[0] += 2
    judged = verdict({"S": summarise(x)})
    assert judged.grade == "too short"
    rhat = summarise(x).rhat
    assert judged.reason == (f"R-hat of S is {rhat:.2f} over 4 chains: they have not mixed (at most 1.01 is asked for)")


def test_of_many_quantities_the_worst_and_their_number_are_named():
    x = draws(shape=(4, 1000, 5))
    x[0, :, 1] += 1
    x[0, :, 3] += 2
    judged = verdict({"the weights": summarise(x)})
    worst = summarise(x).rhat[3]
    assert judged.reason.startswith(f"R-hat of the weights is {worst:.2f} at worst, too large in 2 of 5, over 4 chains")


@pytest.mark.parametrize(
    ("rhat", "text"),
    [(1.21, "1.21"), (1.0152, "1.02"), (1.012, "1.012"), (1.0104, "1.0104"), (1.0098, "1.01"), (1.0003, "1.00")],
)
def test_an_rhat_is_written_with_enough_digits_to_show_its_side_of_the_limit(rhat, text):
    assert rounded(rhat, 1.01) == text


def test_few_independent_draws_are_named():
    x = slow(0.9)
    found = summarise(x)
    judged = verdict({"S": found}, rhat_limit=2)
    kind, ess = min(("bulk", found.ess_bulk), ("tail", found.ess_tail), key=lambda pair: pair[1])
    assert judged.reason == (
        f"{kind} ESS of S is {int(ess)} over 4 chains: too few independent draws (at least 400 is asked for)"
    )
    assert verdict({"S": found}, rhat_limit=2, ess_per_chain=10)


def test_tails_can_be_left_out():
    x = draws(3)
    x[0, 100:190] = 9.0  # one excursion: the bulk hardly sees it
    found = summarise(x)
    assert found.ess_tail < 400 < found.ess_bulk
    assert not verdict({"S": found}, rhat_limit=2)
    assert verdict({"S": found}, rhat_limit=2, tails=False)


def test_one_chain_cannot_show_convergence():
    judged = verdict({"S": summarise(draws(shape=(1, 1000)))})
    assert not judged
    assert judged.reason == "one chain cannot show convergence: run at least 2"


def test_too_few_draws_cannot_either():
    judged = verdict({"S": summarise(draws(shape=(2, 3)))})
    assert (bool(judged), judged.reason) == (False, "3 draws per chain are too few to judge: keep at least 4")


def test_a_constant_agrees_and_is_said():
    judged = verdict({"S": summarise(np.full((4, 20), 3.3))})  # 80 draws: fewer than the ESS asked for
    assert (bool(judged), judged.reason) == (True, "S constant in all 4 chains")
    both = verdict({"S": summarise(np.full((4, 1000), 3.3)), "U": summarise(draws())})
    assert both
    assert both.reason.startswith("R-hat of U is at most")
    assert both.reason.endswith("; S constant in all 4 chains")


def test_different_constants_have_not_mixed():
    x = np.full((4, 100), 3.3)
    x[2] = 3.4
    judged = verdict({"S": summarise(x)})
    assert not judged
    assert judged.reason == "each chain holds S at a value of its own over 4 chains: they have not mixed"


def test_draws_that_are_not_finite_speak_against():
    x = draws(shape=(4, 1000, 3))
    x[0, 5, 1] = np.nan
    judged = verdict({"the weights": summarise(x)})
    assert (bool(judged), judged.reason) == (False, "draws of the weights are not finite in 1 of 3")
    assert verdict({"S": summarise(x[:, :, 1])}).reason == "draws of S are not finite"


def test_every_name_that_fails_is_heard():
    x = draws()
    x[0] += 2
    judged = verdict({"S": summarise(x), "U": summarise(draws()), "V": summarise(np.where(x > 0, np.nan, 1))})
    assert "R-hat of S" in judged.reason
    assert "draws of V are not finite" in judged.reason
    assert " U " not in judged.reason


def test_nothing_to_judge():
    assert verdict({})
    assert verdict({"the weights": summarise(np.zeros((4, 100, 3, 0)))}).reason == "there is nothing to converge"


def test_only_converged_is_true():
    assert [bool(Verdict(grade, "")) for grade in GRADES] == [True, False, False, False]
    assert [Verdict(grade, "").is_usable for grade in GRADES] == [True, True, False, False]
    with pytest.raises(OptionError, match=r"grade must be one of 'converged', .*; got True"):
        Verdict(True, "of an earlier version")


def test_two_verdicts_together():
    good, also = Verdict("converged", "a"), Verdict("converged", "b")
    rough, bad = Verdict("usable", "r", "do this"), Verdict("too short", "c")
    assert (good & also) == Verdict("converged", "a; b")
    assert (good & bad) == (bad & good) == Verdict("too short", "c")
    assert (rough & bad) == (bad & rough) == Verdict("too short", "c; r", "do this")
    assert (bad & Verdict("multimodal", "m")).grade == "too short"
    assert (bad & bad).reason == "c"
    assert str(bad) == "too short: c"
    assert rough.named("blocks") == Verdict("usable", "blocks: r", "do this")


def test_chains_that_nearly_agree_are_usable():
    rough = verdict({"S": summarise(slow(0.8))})
    assert rough.grade == "usable"
    assert "is asked for" in rough.reason
    good_and_rough = verdict({"S": summarise(slow(0.8)), "U": summarise(draws())})
    assert good_and_rough == rough
    assert verdict({"S": summarise(slow(0.99))}).grade == "too short"
    assert verdict({"S": summarise(draws(shape=(4, 20)))}).grade == "too short"  # ESS below 100 in all


@pytest.mark.parametrize("options", [{"rhat_limit": 0.9}, {"ess_per_chain": -1}, {"rhat_limit": "1.1"}])
def test_limits_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError, match="must be a number"):
        verdict({"S": summarise(draws())}, **options)


def test_quantities_may_be_thinned_but_must_come_from_the_same_chains():
    assert verdict({"S": summarise(draws()), "U": summarise(draws(shape=(4, 2000)))})
    assert not verdict({"S": summarise(draws()), "U": summarise(draws(shape=(4, 3)))})
    with pytest.raises(OptionError, match=r"must come from the same chains; got \[2, 4\]"):
        verdict({"S": summarise(draws()), "U": summarise(draws(shape=(2, 1000)))})
