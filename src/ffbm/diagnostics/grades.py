"""Grades of block chains: what was measured, held to limits, and the sentence that says so."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

from ffbm.diagnostics.convergence import MIN_DRAWS
from ffbm.diagnostics.measures import ERROR_LIMIT, ESS_LIMIT, BlockMeasures
from ffbm.diagnostics.verdict import (
    CONVERGED,
    MULTIMODAL,
    ONE_CHAIN,
    RHAT_LIMIT,
    TOO_SHORT,
    USABLE,
    USABLE_ESS,
    USABLE_RHAT,
    Verdict,
    rounded,
)
from ffbm.errors import DataError


class Limits(NamedTuple):
    """What a grade asks for: R-hat of S at most, ESS of S at least, the standard error of 99 % of the pairs at most."""

    rhat: float
    ess: float
    error: float


FULL = Limits(RHAT_LIMIT, ESS_LIMIT, ERROR_LIMIT)
HALF = Limits(RHAT_LIMIT, 400.0, 0.025)  # at half the length there is half the ESS, and sqrt(2) times the error
ROUGH = Limits(USABLE_RHAT, USABLE_ESS, 0.05)
SHARE_ALLOWED = 0.01  # of the pairs may be open, or apart
SPREAD_LIMIT = 0.05  # between chains, in the frequency of a pair: above, chains differ
CHANCE = 1e-4  # of chains of one law to differ so much on a given pair
ROUND_TRIPS = 10  # of each ladder, from the cold end to the hot one and back


def judge_blocks(
    measures: BlockMeasures,
    previous: BlockMeasures | Verdict | None = None,
    round_trips: npt.ArrayLike | None = None,
) -> Verdict:
    """Grade block chains by what was measured of them.

    Parameters
    ----------
    measures : BlockMeasures
        Of all draws.
    previous : BlockMeasures or Verdict, optional
        What was measured at half the length, or the verdict of :func:`judge_previous` on it; None if the length was
        fixed beforehand, so that there was one check only.
    round_trips : (C,) integers, optional
        How often each ladder of temperatures brought a state from the cold end to the hot one and back; None without
        tempering.

    Notes
    -----
    The grade is the first that holds.

    "converged"
        R-hat of S at most 1.01, its ESS at least 800, 99 % of the pairs known to 0.0177; at half the length, if that
        was checked, R-hat at most 1.01, ESS 400 and 0.025; at least 10 round trips of each ladder, if there are any.
    "usable"
        R-hat of S at most 1.05, its ESS at least 100, 99 % of the pairs known to 0.05.
    "multimodal"
        Chains differ on more than 1 % of the pairs: see :func:`pairs_apart`.
    "too short"
        Otherwise.

    Examples
    --------
    >>> from ffbm.diagnostics import measure_blocks
    >>> rng = np.random.default_rng(2)
    >>> labels, s = rng.integers(0, 2, size=(4, 500, 6)), rng.normal(size=(4, 500))
    >>> judge_blocks(measure_blocks(labels, s, seed=0), round_trips=[20, 31, 9, 25]).grade
    'usable'
    >>> labels[:2] = 0
    >>> print(judge_blocks(measure_blocks(labels, s, seed=0)))  # doctest: +ELLIPSIS
    multimodal: the 4 chains show different pictures: on 15 of 15 pairs of vertices they differ by more than chance...
    """
    m = measures
    if m.n_chains < 2:
        return Verdict(TOO_SHORT, ONE_CHAIN)
    if m.n_draws < MIN_DRAWS:
        return Verdict(TOO_SHORT, f"{m.n_draws} draws per chain are too few to judge: keep at least {MIN_DRAWS}")
    against = _against(m, FULL)
    further = [*_against_previous(previous), *_against_ladders(m.n_chains, round_trips)]
    if not against and not further:
        return Verdict(CONVERGED, _in_favour(m, is_twice=previous is not None))
    reason = f"{', '.join([*against, *further])}, over {m.n_chains} chains"
    if not _against(m, ROUGH):
        return Verdict(USABLE, f"how often two vertices share a block is known to {ROUGH.error:g}, but {reason}")
    apart = pairs_apart(m)
    if apart.sum() > SHARE_ALLOWED * len(m.pairs):
        return Verdict(MULTIMODAL, _describe_apart(m, apart))
    return Verdict(TOO_SHORT, reason)


def judge_previous(measures: BlockMeasures) -> Verdict:
    """Say whether chains were on the way at half their length: R-hat of S at most 1.01, ESS 400, pairs to 0.025.

    That is what "converged" asks for, with the ESS and the errors that half the draws have.
    """
    against = _against(measures, HALF) if measures.n_draws >= MIN_DRAWS else ["there were too few draws to judge"]
    return Verdict(TOO_SHORT, ", ".join(against)) if against else Verdict(CONVERGED, "the chains agreed")


def pairs_apart(measures: BlockMeasures) -> npt.NDArray[np.bool_]:
    """Tell for each pair (P,) whether chains differ on how often the two share a block.

    The variance between chains of their frequencies must exceed the noise that the ESS inside each chain explains, s2,
    by more than 0.05^2; and it must be larger than chains of one law show with chance 1e-4: more than s2 times
    that quantile of chi-square / (C - 1). Short chains of one law do the first by mere noise, but not the second.
    """
    m = measures
    variance, noise = m.spread_pairs**2, m.noise_pairs**2
    factor = float(chdtri(m.n_chains - 1, CHANCE)) / (m.n_chains - 1) if m.n_chains > 1 else math.inf
    return np.asarray((variance - noise > SPREAD_LIMIT**2) & (variance > factor * noise))


def _against(m: BlockMeasures, limits: Limits) -> list[str]:
    """Return what speaks against a grade, a clause each."""
    clauses = []
    if not m.is_constant:
        if math.isinf(m.rhat_entropy):
            clauses.append("each chain holds S at a value of its own")
        elif not m.rhat_entropy <= limits.rhat:  # NaN, where S is not finite, is no pass
            clauses.append(
                f"R-hat of S is {rounded(m.rhat_entropy, limits.rhat)} (at most {limits.rhat:g} is asked for)"
            )
        if not m.ess_entropy >= limits.ess:
            least = f"at least {limits.ess:,.0f}{'' if clauses else ' is asked for'}"
            clauses.append(f"ESS of S is {_whole(m.ess_entropy)} ({least})")
    n_open = m.n_open(limits.error)
    if n_open > SHARE_ALLOWED * len(m.pairs):
        clauses.append(f"{n_open:,} of {len(m.pairs):,} pairs of vertices are not known to {limits.error:g}")
    return clauses


def _against_previous(previous: BlockMeasures | Verdict | None) -> list[str]:
    judged = judge_previous(previous) if isinstance(previous, BlockMeasures) else previous
    return [f"at half the length {judged.reason}"] if judged is not None and not judged else []


def _against_ladders(n_chains: int, round_trips: npt.ArrayLike | None) -> list[str]:
    if round_trips is None:
        return []
    trips = np.asarray(round_trips)
    if trips.shape != (n_chains,):
        raise DataError(f"round_trips must be one number for each of {n_chains} ladders; got shape {trips.shape}")
    least = int(trips.min())
    return [f"a ladder made {least} round trips (at least {ROUND_TRIPS})"] if least < ROUND_TRIPS else []


def _in_favour(m: BlockMeasures, is_twice: bool) -> str:
    """Return the sentence that says what was seen."""
    of_s = "S is constant"
    if not m.is_constant:
        of_s = f"R-hat of S is {m.rhat_entropy:.3f} and its ESS {_whole(m.ess_entropy)}"
    parts = [f"{of_s} over {m.n_chains} chains"]
    if len(m.pairs):
        share = 1 - m.n_open(FULL.error) / len(m.pairs)
        parts.append(f"{share:.0%} of {len(m.pairs):,} pairs of vertices are known to {FULL.error:g}")
    return ", ".join(parts) + (", as they were at half the length" if is_twice else "")


def _describe_apart(m: BlockMeasures, apart: npt.NDArray[np.bool_]) -> str:
    worst = float(m.spread_pairs[apart].max())
    return (
        f"the {m.n_chains} chains show different pictures: on {int(apart.sum()):,} of {len(m.pairs):,} pairs of"
        f" vertices they differ by more than chance (standard deviation between chains up to {worst:.2f})"
    )


def _whole(value: float) -> str:
    return "not known" if math.isnan(value) else f"{math.floor(value):,}"
