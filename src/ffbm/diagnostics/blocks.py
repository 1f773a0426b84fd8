"""Diagnostics of block chains that do not depend on how the blocks are numbered."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ffbm.check import check_int, check_seed
from ffbm.diagnostics.convergence import Array, summarise
from ffbm.diagnostics.verdict import ESS_PER_CHAIN, RHAT_LIMIT, Verdict, verdict
from ffbm.errors import DataError
from ffbm.rng import stream

N_PAIRS = 500
SHARE_ALLOWED = 0.01  # of the pairs may be unsettled
_CHUNK = 2**22  # pairs of labels looked at together


@dataclass(frozen=True, eq=False)
class BlockDiagnostics:
    """How well block chains agree about S and about who shares a block with whom.

    Parameters
    ----------
    rhat_entropy, ess_entropy : float
        R-hat and bulk ESS of S.
    pairs : (P, 2) int64
        The pairs of vertices looked at.
    frequency_pairs : (P,) float64
        How often the two share a block, over all draws.
    rhat_pairs, ess_pairs : (P,) float64
        R-hat and ESS of [b_i = b_j]; R-hat is NaN for a pair that is always, or never, together.
    error_pairs : (P,) float64
        The Monte Carlo standard error of the frequency, sqrt(p (1-p) / ESS).
    error_limit : float
        The error above which a pair is unsettled: a fair coin's at the ESS asked for, 0.025 for 4 chains.
    acceptance : (C,) float64
        The share of proposals taken by each chain.
    converged : Verdict
    """

    rhat_entropy: float
    ess_entropy: float
    pairs: Array
    frequency_pairs: Array
    rhat_pairs: Array
    ess_pairs: Array
    error_pairs: Array
    error_limit: float
    acceptance: Array
    converged: Verdict

    @property
    def max_rhat_pairs(self) -> float:
        """The largest R-hat over pairs that are not constant; NaN if all are."""
        moving = self.rhat_pairs[~np.isnan(self.rhat_pairs)]
        return float(moving.max()) if len(moving) else math.nan

    @property
    def share_above(self) -> float:
        """The share of pairs whose R-hat lies above the limit, constant ones counted as below."""
        return float((self.rhat_pairs > RHAT_LIMIT).mean()) if len(self.pairs) else 0.0

    @property
    def share_unsettled(self) -> float:
        """The share of pairs whose frequency is known less well than ``error_limit``."""
        return float((self.error_pairs > self.error_limit).mean()) if len(self.pairs) else 0.0

    def __repr__(self) -> str:
        return (
            f"<BlockDiagnostics: R-hat of S {self.rhat_entropy:.3f}, ESS of S {self.ess_entropy:,.0f},"
            f" {self.share_unsettled:.1%} of {len(self.pairs)} pairs unsettled; {self.converged}>"
        )


def block_diagnostics(
    labels: npt.ArrayLike, entropy: npt.ArrayLike, acceptance: npt.ArrayLike, seed: int
) -> BlockDiagnostics:
    """Return R-hat and ESS of S and of co-membership on a fixed random set of pairs of vertices.

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

    Notes
    -----
    S must have R-hat at most 1.01 and a bulk ESS of 100 a chain. A pair that shares a block in a few
    draws of thousands has a large R-hat as soon as these follow one another, though its frequency p is
    known to a thousandth; so pairs are judged by the standard error sqrt(p (1-p) / ESS), in which both
    the autocorrelation and the disagreement of chains count. It may be that of a fair coin at the same
    ESS, 1 / (2 sqrt(100 C)); at most 1 % of the pairs may exceed it.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> labels = rng.integers(0, 2, size=(4, 500, 6))
    >>> found = block_diagnostics(labels, rng.normal(size=(4, 500)), [0.3, 0.3, 0.2, 0.3], seed=0)
    >>> bool(found.converged), len(found.pairs)
    (True, 15)
    """
    b, s = np.asarray(labels), np.asarray(entropy)
    if b.ndim != 3 or b.dtype.kind not in "iu":
        raise DataError(f"labels must be integers of shape (chains, draws, vertices); got {b.dtype} of shape {b.shape}")
    if s.shape != b.shape[:2]:
        raise DataError(f"entropy must have the chains and draws of labels, {b.shape[:2]}; got shape {s.shape}")
    n_chains, n_draws, n_nodes = b.shape
    rate = np.asarray(acceptance, dtype=np.float64)
    if rate.shape not in ((n_chains,), (n_chains, n_draws)):
        raise DataError(f"acceptance must have shape ({n_chains},) or {(n_chains, n_draws)}; got {rate.shape}")
    pairs = choose_pairs(n_nodes, N_PAIRS, seed)
    # chains that sit in one partition carry its S with rounding errors of their own: not a difference
    of_s = summarise(np.round(s, 6))
    p, rhat, ess = _measure_pairs(b, pairs)
    error = np.sqrt(p * (1 - p) / ess)
    limit = 0.5 / math.sqrt(ESS_PER_CHAIN * max(n_chains, 1))
    judged = verdict({"S": of_s}, tails=False)
    if n_chains > 1 and len(pairs) and not np.isnan(error).any():
        judged = judged & _judge_pairs(error, rhat, n_chains, limit)
    return BlockDiagnostics(
        rhat_entropy=float(of_s.rhat),
        ess_entropy=float(of_s.ess_bulk),
        pairs=pairs,
        frequency_pairs=p,
        rhat_pairs=rhat,
        ess_pairs=ess,
        error_pairs=error,
        error_limit=limit,
        acceptance=rate if rate.ndim == 1 else rate.mean(axis=1),
        converged=judged,
    )


def given_diagnostics() -> BlockDiagnostics:
    """Return the diagnostics of blocks that were given: there is nothing to converge.

    >>> given_diagnostics().converged.reason
    'the blocks were given, not sampled'
    """
    none = np.zeros(0)
    return BlockDiagnostics(
        rhat_entropy=math.nan,
        ess_entropy=math.nan,
        pairs=np.zeros((0, 2), dtype=np.int64),
        frequency_pairs=none,
        rhat_pairs=none,
        ess_pairs=none,
        error_pairs=none,
        error_limit=math.nan,
        acceptance=np.full(1, math.nan),
        converged=Verdict(True, "the blocks were given, not sampled"),
    )


def choose_pairs(n_nodes: int, n_pairs: int, seed: int) -> Array:
    """Return ``n_pairs`` different pairs i > j of vertices (P, 2), in order; all of them if there are fewer.

    >>> choose_pairs(3, 500, seed=0).tolist()
    [[1, 0], [2, 0], [2, 1]]
    """
    n_nodes, n_pairs = check_int("n_nodes", n_nodes, low=0), check_int("n_pairs", n_pairs, low=0)
    total = n_nodes * (n_nodes - 1) // 2
    if total <= n_pairs:
        codes = list(range(total))
    else:
        rng = stream(check_seed(seed), "diagnostics", "pairs")
        codes = sorted(rng.choice(total, size=n_pairs, replace=False).tolist())
    # pair number c of the lower triangle, in whole numbers: floats would miss at millions of vertices
    rows = [(1 + math.isqrt(1 + 8 * code)) // 2 for code in codes]
    pairs = [(i, code - i * (i - 1) // 2) for i, code in zip(rows, codes, strict=True)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _measure_pairs(labels: Array, pairs: Array) -> tuple[Array, Array, Array]:
    """Return how often each pair shares a block (P,), R-hat and mean ESS of that; some pairs at a time, for memory."""
    n_draws = labels.shape[0] * labels.shape[1]
    step = max(1, _CHUNK // max(1, n_draws))
    found = []
    for first in range(0, max(1, len(pairs)), step):
        i, j = pairs[first : first + step].T
        together = labels[:, :, i] == labels[:, :, j]
        of_pairs = summarise(together)
        p = together.mean(axis=(0, 1)) if together.size else np.full(len(i), np.nan)
        found.append((p, of_pairs.rhat, of_pairs.ess_mean))
    p, rhat, ess = (np.concatenate(part) for part in zip(*found, strict=True))
    return p, rhat, ess


def _judge_pairs(error: Array, rhats: Array, n_chains: int, limit: float) -> Verdict:
    unsettled = error > limit
    if unsettled.mean() <= SHARE_ALLOWED:
        share = 1 - unsettled.mean()
        return Verdict(True, f"{share:.0%} of {len(error)} pairs of vertices are settled to {limit:.3f}")
    rhat = rhats[unsettled].max()
    worst = "infinite" if math.isinf(rhat) else f"{rhat:.2f}"
    return Verdict(
        False,
        f"how often {int(unsettled.sum())} of {len(error)} pairs of vertices share a block is not known"
        f" to {limit:.3f} over {n_chains} chains (worst R-hat {worst}):"
        " they do not agree on the blocks",
    )
