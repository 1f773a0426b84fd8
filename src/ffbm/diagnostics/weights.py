"""Diagnostics of weight chains: R-hat and effective sample size of every weight, divergences, the energy."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ffbm.diagnostics.convergence import Array, summarise
from ffbm.diagnostics.verdict import CONVERGED, TOO_SHORT, USABLE, Verdict, verdict
from ffbm.errors import DataError
from ffbm.types.selection import MOST_ERROR, SelectionTrace
from ffbm.types.weights import WeightTrace

_USABLE_ERROR = 0.05  # of an inclusion probability
_MOST_DIVERGING = 0.001  # of the draws


@dataclass(frozen=True, eq=False)
class WeightDiagnostics:
    """How well weight chains agree, weight by weight.

    Parameters
    ----------
    rhat, ess_bulk, ess_tail : (B, D) float64
        Of each weight; R-hat is NaN for a constant one.
    rhat_energy, ess_energy : float
        R-hat and bulk ESS of U.
    divergences : (C,) int64
        The number of diverging draws of each chain.
    diverges : bool
        Whether they are too many: more than one in 1,000.
    converged : Verdict
    """

    rhat: Array
    ess_bulk: Array
    ess_tail: Array
    rhat_energy: float
    ess_energy: float
    divergences: Array
    diverges: bool
    converged: Verdict

    @property
    def max_rhat(self) -> float:
        """The largest R-hat over weights that are not constant; NaN if there are none."""
        moving = self.rhat[~np.isnan(self.rhat)]
        return float(moving.max()) if len(moving) else math.nan

    @property
    def min_ess_bulk(self) -> float:
        """The smallest bulk ESS; NaN without weights."""
        return float(self.ess_bulk.min()) if self.ess_bulk.size else math.nan

    @property
    def min_ess_tail(self) -> float:
        """The smallest tail ESS; NaN without weights."""
        return float(self.ess_tail.min()) if self.ess_tail.size else math.nan

    @property
    def n_divergences(self) -> int:
        """The number of diverging draws in all chains."""
        return int(self.divergences.sum())

    def __repr__(self) -> str:
        return (
            f"<WeightDiagnostics: R-hat up to {self.max_rhat:.3f}, ESS from {self.min_ess_bulk:,.0f} (bulk)"
            f" and {self.min_ess_tail:,.0f} (tail), {self.n_divergences} divergences; {self.converged}>"
        )


def diagnose_weights(trace: WeightTrace) -> WeightDiagnostics:
    """Return the diagnostics of a trace: R-hat and ESS of the stored draws, and the divergences of all of them.

    Where columns are selected, the Monte Carlo error of every inclusion belongs to the verdict. The weights of a single
    block say nothing, and nothing is asked of them.
    """
    # a stored draw stands for itself and those before it, the last also for what is left over
    first = np.arange(trace.weights.shape[1]) * trace.thin
    diverging = np.logical_or.reduceat(trace.diverging, first, axis=1)
    diagnostics = weight_diagnostics(trace.weights, trace.stored(trace.energy), diverging)
    if trace.n_blocks == 1:
        return replace(diagnostics, converged=Verdict(CONVERGED, "of one block weights say nothing"))
    if trace.selected is None:
        return diagnostics
    return replace(diagnostics, converged=diagnostics.converged & _judge_inclusion(trace.selected))


def _judge_inclusion(selected: SelectionTrace) -> Verdict:
    """Grade inclusion probabilities by their Monte Carlo errors: at most 0.01, and for "usable" 0.05."""
    worst = float(selected.error.max(initial=0.0))
    message = f"the Monte Carlo error of inclusion is up to {worst:.3f}"
    if worst <= MOST_ERROR:
        return Verdict(CONVERGED, message)
    return Verdict(
        USABLE if worst <= _USABLE_ERROR else TOO_SHORT,
        f"{message}: too few sweeps (at most {MOST_ERROR:g} is asked for)",
    )


def weight_diagnostics(
    weights: npt.ArrayLike, energy: npt.ArrayLike, diverging: npt.ArrayLike | None
) -> WeightDiagnostics:
    """Return R-hat, bulk and tail ESS of every weight, of the energy, and the divergences.

    Parameters
    ----------
    weights : (C, T, B, D) float64
        The draws, raw or centred: they are judged as they are given.
    energy : (C, T) float64
        U of each draw; there may be more of them than of stored weights, if these are thinned.
    diverging : (C, T) bool, or None
        Draws whose trajectory left the energy surface, also those whose weights are not stored; None for a
        sampler without trajectories.

    Notes
    -----
    For "converged" every R-hat must be at most 1.01 and every bulk and tail ESS at least 100 a chain, U's among
    them, and at most one draw in 1,000 may diverge; "usable" is R-hat up to 1.05 and an ESS from 100 in all. Given the
    scales U is convex, so a divergence is a step that was too long for where it began, not a region that the chain
    cannot enter: the move is rejected, and the law stays what it is.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> diagnostics = weight_diagnostics(rng.normal(size=(4, 1000, 2, 3)), rng.normal(size=(4, 1000)), None)
    >>> bool(diagnostics.converged), diagnostics.rhat.shape
    (True, (2, 3))
    """
    w, u = np.asarray(weights), np.asarray(energy)
    if w.ndim != 4:
        raise DataError(f"weights must have shape (chains, draws, blocks, features); got shape {w.shape}")
    lost = np.zeros(u.shape, dtype=bool) if diverging is None else np.asarray(diverging)
    for name, part in (("energy", u), ("diverging", lost)):
        if part.ndim != 2 or len(part) != len(w):
            raise DataError(f"{name} must have shape (chains, draws) for {len(w)} chains; got shape {part.shape}")
    of_w, of_u = summarise(w), summarise(u)
    judged = verdict({"the weights": of_w, "the energy": of_u})
    n_lost = int(np.count_nonzero(lost))
    diverges = n_lost > _MOST_DIVERGING * lost.size
    if diverges:
        judged = judged & Verdict(TOO_SHORT, f"{n_lost:,} of {lost.size:,} draws diverged: lengthen the warm-up")
    return WeightDiagnostics(
        rhat=of_w.rhat,
        ess_bulk=of_w.ess_bulk,
        ess_tail=of_w.ess_tail,
        rhat_energy=float(of_u.rhat),
        ess_energy=float(of_u.ess_bulk),
        divergences=np.count_nonzero(lost, axis=1),
        diverges=diverges,
        converged=judged,
    )
