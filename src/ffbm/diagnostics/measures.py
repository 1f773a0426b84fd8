"""What is measured of block chains: numbers that do not depend on how blocks are numbered, and no judgement."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ffbm.diagnostics.convergence import MIN_DRAWS, Array, summarise
from ffbm.diagnostics.pairs import choose_pairs, measure_pairs
from ffbm.diagnostics.verdict import RHAT_LIMIT, rounded
from ffbm.errors import DataError

N_PAIRS = 500
ESS_LIMIT = 800.0  # 93 to 99 % of stationary chains with this ESS meet R-hat <= 1.01; with 400 it is half
ERROR_LIMIT = 0.0177  # of the frequency of a pair: a fair coin's at that ESS, 1 / (2 sqrt(800))


@dataclass(frozen=True, eq=False)
class BlockMeasures:
    """What C chains of T partitions say of S, and of who shares a block with whom.

    Parameters
    ----------
    n_chains, n_draws : int
        C and T.
    rhat_entropy, ess_entropy : float
        R-hat and bulk ESS of S; R-hat is NaN if S is constant, and for one chain.
    is_constant : bool
        S has one value in all draws of all chains.
    pairs : (P, 2) int64
        The pairs of vertices that are measured.
    frequency_pairs : (P,) float64
        How often the two share a block, over all draws.
    error_pairs : (P,) float64
        The Monte Carlo standard error of the frequency: sqrt(p (1-p) / ESS), and more for a pair hardly ever seen; see
        ``standard_errors`` of ``diagnostics/pairs.py``.
    rhat_pairs, ess_pairs : (P,) float64
        R-hat and ESS of [b_i = b_j]; R-hat is NaN for a pair that is always, or never, together.
    spread_pairs : (P,) float64
        The standard deviation between chains of the frequency in each chain.
    noise_pairs : (P,) float64
        The standard deviation that chains of one law would show, from the ESS inside each chain.
    """

    n_chains: int
    n_draws: int
    rhat_entropy: float
    ess_entropy: float
    is_constant: bool
    pairs: Array
    frequency_pairs: Array
    error_pairs: Array
    rhat_pairs: Array
    ess_pairs: Array
    spread_pairs: Array
    noise_pairs: Array

    @property
    def max_rhat_pairs(self) -> float:
        """The largest R-hat over pairs that are not constant; NaN if all are."""
        moving = self.rhat_pairs[~np.isnan(self.rhat_pairs)]
        return float(moving.max()) if len(moving) else math.nan

    @property
    def share_unsettled(self) -> float:
        """The share of pairs whose frequency is not known to 0.0177."""
        return self.n_open() / len(self.pairs) if len(self.pairs) else 0.0

    def n_open(self, limit: float = ERROR_LIMIT) -> int:
        """Return how many pairs have a standard error above a limit."""
        return int(np.count_nonzero(self.error_pairs > limit))

    @property
    def state(self) -> str:
        """How far the chains are, in a few words: "R-hat 1.03, 12 of 500 pairs open"."""
        if self.n_draws < MIN_DRAWS:
            return "too few draws to judge"
        parts = ["S constant" if self.is_constant else f"R-hat {rounded(self.rhat_entropy, RHAT_LIMIT)}"]
        if not self.is_constant and self.ess_entropy < ESS_LIMIT:
            parts.append(f"ESS {math.floor(self.ess_entropy):,} of {ESS_LIMIT:,.0f}")
        if len(self.pairs):
            parts.append(f"{self.n_open():,} of {len(self.pairs):,} pairs open")
        return ", ".join(parts)


def measure_blocks(labels: npt.ArrayLike, entropy: npt.ArrayLike, seed: int) -> BlockMeasures:
    """Measure S and co-membership on a fixed random set of pairs of vertices.

    Parameters
    ----------
    labels : (C, T, N) integers
        The block of each vertex; each draw may number its blocks as it likes.
    entropy : (C, T) float64
        S of each draw.
    seed : int
        The pairs come from its stream ("diagnostics", "pairs"), see :func:`choose_pairs`.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> labels = rng.integers(0, 2, size=(4, 500, 6))
    >>> measure_blocks(labels, rng.normal(size=(4, 500)), seed=0).state
    'R-hat 1.00, 0 of 15 pairs open'
    """
    b, s = np.asarray(labels), np.asarray(entropy)
    if b.ndim != 3 or b.dtype.kind not in "iu":
        raise DataError(f"labels must be integers of shape (chains, draws, vertices); got {b.dtype} of shape {b.shape}")
    if s.shape != b.shape[:2]:
        raise DataError(f"entropy must have the chains and draws of labels, {b.shape[:2]}; got shape {s.shape}")
    pairs = choose_pairs(b.shape[2], N_PAIRS, seed)
    # chains that sit in one partition carry its S with rounding errors of their own: not a difference
    of_s, of_pairs = summarise(np.round(s, 6)), measure_pairs(b, pairs)
    return BlockMeasures(
        n_chains=b.shape[0],
        n_draws=b.shape[1],
        rhat_entropy=float(of_s.rhat),
        ess_entropy=float(of_s.ess_bulk),
        is_constant=bool(of_s.constant),
        pairs=pairs,
        frequency_pairs=of_pairs.frequency,
        error_pairs=of_pairs.error,
        rhat_pairs=of_pairs.rhat,
        ess_pairs=of_pairs.ess,
        spread_pairs=of_pairs.spread,
        noise_pairs=of_pairs.noise,
    )
