"""A verdict on convergence: a grade, the sentence that gives its reason, and what would help."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ffbm.check import check_choice, check_real
from ffbm.diagnostics.convergence import MIN_DRAWS, Array, Summary
from ffbm.errors import ConvergenceWarning, OptionError

CONVERGED, USABLE, MULTIMODAL, TOO_SHORT = GRADES = ("converged", "usable", "multimodal", "too short")  # the best first

RHAT_LIMIT = 1.01  # Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021)
ESS_PER_CHAIN = 100.0  # the same: 400 for four chains
USABLE_RHAT, USABLE_ESS = 1.05, 100.0
ONE_CHAIN = "one chain cannot show convergence: run at least 2"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A grade, why, and what would help; true for the grade "converged" alone.

    Parameters
    ----------
    grade : {"converged", "usable", "multimodal", "too short"}
        Nothing speaks against convergence; figures are known, but roughly; chains show different pictures; none of it.
    reason : str
        What speaks against a better grade, or what was seen if there is none.
    command : str
        The command or call that would help; empty if none would, or if it is not known how the chains were started.

    Examples
    --------
    >>> judged = Verdict("usable", "R-hat of S is 1.03")
    >>> bool(judged), judged.is_usable
    (False, True)
    """

    grade: str
    reason: str
    command: str = ""

    def __post_init__(self) -> None:
        check_choice("grade", self.grade, GRADES)

    @property
    def is_usable(self) -> bool:
        """True for "converged" and "usable": what was estimated may be used."""
        return self.grade in (CONVERGED, USABLE)

    def named(self, name: str) -> "Verdict":
        """Return the same verdict with a name before its reason."""
        return replace(self, reason=f"{name}: {self.reason}")

    def warn(self, lead: str = "do not rely on this fit:", n_wrappers: int = 0) -> None:
        """Warn who called the caller, unless the grade is "converged"; ``lead`` is for grades that are not usable.

        ``n_wrappers`` functions stand around the caller.
        """
        if self:
            return
        message = "not converged, but" if self.is_usable else lead
        remedy = f"; go on with {self.command}" if self.command else ""
        warnings.warn(f"{message} {self}{remedy}", ConvergenceWarning, stacklevel=3 + n_wrappers)

    def __bool__(self) -> bool:
        return self.grade == CONVERGED

    def __str__(self) -> str:
        return f"{self.grade}: {self.reason}"

    def __and__(self, other: "Verdict") -> "Verdict":
        """Return the verdict on two things at once: the worse grade, the worse reason first; else both reasons."""
        both = sorted((self, other), key=lambda each: -GRADES.index(each.grade))
        chosen = [each for each in both if not each] or [self, other]
        reasons = "; ".join(dict.fromkeys(each.reason for each in chosen))
        return Verdict(both[0].grade, reasons, next((each.command for each in chosen if each.command), ""))


def verdict(
    quantities: Mapping[str, Summary],
    *,
    rhat_limit: float = RHAT_LIMIT,
    ess_per_chain: float = ESS_PER_CHAIN,
    tails: bool = True,
) -> Verdict:
    """Grade named quantities: R-hat at most ``rhat_limit``, ESS at least ``ess_per_chain`` for each chain.

    Parameters
    ----------
    quantities : name -> Summary
        The name stands in the sentence: "R-hat of S is ...". A Summary may hold many quantities.
    tails : bool
        Ask the tail ESS as well as the bulk ESS.

    Notes
    -----
    There must be two chains and 4 draws of each at least. A quantity that has one value in all chains
    agrees and is named as constant; one that is constant in each chain at different values has an
    infinite R-hat. A draw that is not finite speaks against convergence. No quantity, or none but
    constants, does not. What misses the limits is "usable" with R-hat at most 1.05 and an ESS of 100 in all, and
    "too short" otherwise.

    Examples
    --------
    >>> from ffbm.diagnostics import summarise
    >>> draws = np.random.default_rng(3).normal(size=(4, 500))
    >>> draws[0] += 1
    >>> print(verdict({"S": summarise(draws)}))
    too short: R-hat of S is 1.11 over 4 chains: they have not mixed (at most 1.01 is asked for)
    """
    limit = check_real("rhat_limit", rhat_limit, low=1)
    least = check_real("ess_per_chain", ess_per_chain, low=0)
    checked = {name: summary for name, summary in quantities.items() if summary.rhat.size}
    if not checked:
        return Verdict(CONVERGED, "there is nothing to converge")
    counts = {summary.n_chains for summary in checked.values()}
    if len(counts) > 1:
        raise OptionError(f"quantities judged together must come from the same chains; got {sorted(counts)}")
    n_chains, n_draws = counts.pop(), min(summary.n_draws for summary in checked.values())
    if n_chains < 2:
        return Verdict(TOO_SHORT, ONE_CHAIN)
    if n_draws < MIN_DRAWS:
        return Verdict(TOO_SHORT, f"{n_draws} draws per chain are too few to judge: keep at least {MIN_DRAWS}")
    reasons = _all_against(checked, limit, least * n_chains, tails)
    if not reasons:
        return Verdict(CONVERGED, _in_favour(checked, n_chains, tails))
    is_rough = not _all_against(checked, USABLE_RHAT, USABLE_ESS, tails)
    return Verdict(USABLE if is_rough else TOO_SHORT, "; ".join(reasons))


def _all_against(summaries: Mapping[str, Summary], limit: float, least: float, tails: bool) -> list[str]:
    """Return the clauses that speak against limits, one for each name that misses them."""
    clauses = (_against(name, summary, limit, least, tails) for name, summary in summaries.items())
    return [clause for clause in clauses if clause]


def _against(name: str, summary: Summary, limit: float, least: float, tails: bool) -> str:
    """Return the clause that speaks against one name, the gravest first; empty if there is none."""
    if not summary.finite.all():
        return f"draws of {name} are not finite{_share('', ~summary.finite).rstrip(',')}"
    moving = ~summary.constant
    if not moving.any():
        return ""
    chains = f"over {summary.n_chains} chains"
    is_stuck = moving & np.isinf(summary.rhat)
    if is_stuck.any():
        return f"each chain holds {name} at a value of its own{_share('', is_stuck)} {chains}: they have not mixed"
    is_large = moving & (summary.rhat > limit)
    if is_large.any():
        worst = rounded(float(summary.rhat[moving].max()), limit)
        return (
            f"R-hat of {name} is {worst}{_share(' at worst, too large', is_large)} {chains}: they have not mixed"
            f" (at most {limit:g} is asked for)"
        )
    by_part = {"bulk": summary.ess_bulk, "tail": summary.ess_tail} if tails else {"bulk": summary.ess_bulk}
    kind, ess = min(by_part.items(), key=lambda item: float(item[1][moving].min()))
    is_small = moving & (ess < least)
    if is_small.any():
        worst = f"{math.floor(ess[moving].min()):,}"
        return (
            f"{kind} ESS of {name} is {worst}{_share(' at worst, too small', is_small)} {chains}:"
            f" too few independent draws (at least {least:,.0f} is asked for)"
        )
    return ""


def _in_favour(summaries: Mapping[str, Summary], n_chains: int, tails: bool) -> str:
    """Return the sentence that says what was seen when nothing speaks against convergence."""
    moving = [(summary, ~summary.constant) for summary in summaries.values() if not summary.constant.all()]
    constant = [name for name, summary in summaries.items() if summary.constant.all()]
    lines = []
    if moving:
        rhat = max(float(summary.rhat[is_moving].max()) for summary, is_moving in moving)
        bulk = min(float(summary.ess_bulk[is_moving].min()) for summary, is_moving in moving)
        tail = min(float(summary.ess_tail[is_moving].min()) for summary, is_moving in moving)
        ess = min(bulk, tail) if tails else bulk
        names = " and ".join(name for name, summary in summaries.items() if not summary.constant.all())
        lines.append(
            f"R-hat of {names} is at most {rhat:.3f} and ESS at least {math.floor(ess):,} over {n_chains} chains"
        )
    if constant:
        lines.append(f"{' and '.join(constant)} constant in all {n_chains} chains")
    return "; ".join(lines)


def _share(lead: str, applies: Array) -> str:
    """Say in how many of a name's quantities it is so, if it has more than one."""
    return f"{lead} in {int(applies.sum()):,} of {applies.size:,}," if applies.size > 1 else ""


def rounded(value: float, limit: float) -> str:
    """Write a value with as many digits as show on which side of a limit it lies."""
    digits = next((d for d in (2, 3, 4) if (round(value, d) > limit) == (value > limit)), 5)
    return f"{value:.{digits}f}"
