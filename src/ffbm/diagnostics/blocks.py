"""Diagnostics of block chains: what was measured, and the grade that it earns."""

import math
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from ffbm.diagnostics.convergence import Array
from ffbm.diagnostics.grades import judge_blocks, judge_previous
from ffbm.diagnostics.measures import BlockMeasures, measure_blocks
from ffbm.diagnostics.verdict import CONVERGED, Verdict
from ffbm.errors import DataError


@dataclass(frozen=True, eq=False)
class BlockDiagnostics(BlockMeasures):
    """How well block chains agree about S and about who shares a block with whom: measures and a verdict.

    Parameters
    ----------
    acceptance : (C,) float64
        The share of proposals taken by each chain.
    converged : Verdict
        Its ``grade``, and a sentence, ``reason``: see :func:`judge_blocks`.
    previous : Verdict, optional
        On the chains at half their length, where that was checked.
    round_trips : (C,) int64, optional
        Of each ladder of temperatures, with tempering.
    """

    acceptance: Array
    converged: Verdict
    previous: Verdict | None = None
    round_trips: Array | None = None

    def __repr__(self) -> str:
        return (
            f"<BlockDiagnostics: R-hat of S {self.rhat_entropy:.3f}, ESS of S {self.ess_entropy:,.0f},"
            f" {self.share_unsettled:.1%} of {len(self.pairs)} pairs open; {self.converged}>"
        )


def block_diagnostics(
    labels: npt.ArrayLike,
    entropy: npt.ArrayLike,
    acceptance: npt.ArrayLike,
    seed: int,
    *,
    previous: BlockMeasures | Verdict | None = None,
    round_trips: npt.ArrayLike | None = None,
) -> BlockDiagnostics:
    """Measure S and co-membership on a fixed random set of pairs of vertices, and grade the chains.

    Parameters
    ----------
    labels : (C, T, N) integers
        The block of each vertex; each draw may number its blocks as it likes.
    entropy : (C, T) float64
        S of each draw.
    acceptance : (C,) or (C, T) float64
        The share of proposals taken.
    seed : int
        The pairs come from its stream ("diagnostics", "pairs"), see :func:`choose_pairs`.
    previous : BlockMeasures or Verdict, optional
        What was measured at half the length, or the verdict on it; None if the length was fixed.
    round_trips : (C,) integers, optional
        Of each ladder of temperatures; None without tempering.

    Notes
    -----
    A pair that shares a block in a few draws of thousands has a large R-hat as soon as these follow one another, though
    its frequency p is known to a few thousandths; so pairs are judged by the standard error, sqrt(p (1-p) / ESS) unless
    p is near 0 or 1, in which both the autocorrelation and the disagreement of chains count. See :func:`judge_blocks`
    for the limits.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> labels = rng.integers(0, 2, size=(4, 500, 6))
    >>> diagnostics = block_diagnostics(labels, rng.normal(size=(4, 500)), [0.3, 0.3, 0.2, 0.3], seed=0)
    >>> diagnostics.converged.grade, len(diagnostics.pairs)
    ('converged', 15)
    """
    measures = measure_blocks(labels, entropy, seed)
    rate, shape = np.asarray(acceptance, dtype=np.float64), (measures.n_chains, measures.n_draws)
    if rate.shape not in (shape[:1], shape):
        raise DataError(f"acceptance must have shape ({shape[0]},) or {shape}; got {rate.shape}")
    judged = judge_previous(previous) if isinstance(previous, BlockMeasures) else previous
    return BlockDiagnostics(
        **{field.name: getattr(measures, field.name) for field in fields(BlockMeasures)},
        acceptance=rate if rate.ndim == 1 else rate.mean(axis=1),
        converged=judge_blocks(measures, judged, round_trips),
        previous=judged,
        round_trips=None if round_trips is None else np.asarray(round_trips, dtype=np.int64),
    )


def given_diagnostics() -> BlockDiagnostics:
    """Return the diagnostics of blocks that were given: there is nothing to converge.

    >>> given_diagnostics().converged.reason
    'the blocks were given, not sampled'
    """
    none = np.zeros(0)
    return BlockDiagnostics(
        n_chains=1,
        n_draws=1,
        rhat_entropy=math.nan,
        ess_entropy=math.nan,
        is_constant=True,
        pairs=np.zeros((0, 2), dtype=np.int64),
        frequency_pairs=none,
        error_pairs=none,
        rhat_pairs=none,
        ess_pairs=none,
        spread_pairs=none,
        noise_pairs=none,
        acceptance=np.full(1, math.nan),
        converged=Verdict(CONVERGED, "the blocks were given, not sampled"),
    )
