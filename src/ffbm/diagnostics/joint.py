"""Diagnostics of joint chains: functions of labels and weights together that do not depend on numbers of blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.diagnostics.convergence import summarise
from ffbm.diagnostics.verdict import Verdict, verdict
from ffbm.errors import DataError

_PIECE = 2**19  # numbers copied at a time


@dataclass(frozen=True, eq=False)
class JointDiagnostics:
    """How well joint chains agree about labels and weights taken together.

    Parameters
    ----------
    rhat_log_joint, ess_log_joint : float
        R-hat and bulk ESS of ln p(b, theta | A, X) = -S - U.
    rhat_size, ess_size : float
        The same of |W centred|^2.
    fewer : float
        P(B_b < B), the share of draws that leave a block empty.
    converged : Verdict
    """

    rhat_log_joint: float
    ess_log_joint: float
    rhat_size: float
    ess_size: float
    fewer: float
    converged: Verdict

    def __repr__(self) -> str:
        return (
            f"<JointDiagnostics: ESS of the log joint {self.ess_log_joint:,.0f}, of |W|^2 {self.ess_size:,.0f};"
            f" P(B_b < B) = {self.fewer:.2g}; {self.converged}>"
        )


def joint_diagnostics(
    labels: npt.ArrayLike, entropy: npt.ArrayLike, energy: npt.ArrayLike, weights: npt.ArrayLike
) -> JointDiagnostics:
    """Return R-hat and ESS of the log joint and of the size of the weights, and how often a block is empty.

    Parameters
    ----------
    labels : (C, T, N) integers
    entropy, energy : (C, T) float64
        S of the labels, and U of the weights given them.
    weights : (C, T, B, D) float64

    Notes
    -----
    For "converged" the log joint and |W centred|^2 must have R-hat at most 1.01 and a bulk ESS of 100 a chain, for
    "usable" R-hat at most 1.05 and an ESS of 100 in all. The number of blocks
    in use is not judged: where a block is empty in one draw of thousands its R-hat means nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> s, u, w = rng.normal(size=(4, 500)), rng.normal(size=(4, 500)), rng.normal(size=(4, 500, 2, 3))
    >>> diagnostics = joint_diagnostics(rng.integers(0, 2, size=(4, 500, 9)), s, u, w)
    >>> bool(diagnostics.converged), 0 < diagnostics.fewer < 0.02
    (True, True)
    """
    b, s, u, w = np.asarray(labels), np.asarray(entropy), np.asarray(energy), np.asarray(weights)
    if not b.shape[:2] == s.shape == u.shape == w.shape[:2]:
        raise DataError(
            f"labels, S, U and weights must be of the same draws; got {b.shape[:2]}, {s.shape}, {u.shape} and"
            f" {w.shape[:2]}"
        )
    used = _blocks_in_use(b, w.shape[2])
    of_joint, of_size = summarise(-s - u), summarise(_sizes(w))
    return JointDiagnostics(
        rhat_log_joint=float(of_joint.rhat),
        ess_log_joint=float(of_joint.ess_bulk),
        rhat_size=float(of_size.rhat),
        ess_size=float(of_size.ess_bulk),
        fewer=float((used < w.shape[2]).mean()),
        converged=verdict({"the log joint": of_joint, "|W|^2": of_size}, tails=False),
    )


def _sizes(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return |W centred|^2 of each draw (C, T)."""
    size = np.empty(weights.shape[:2])
    for c, t in _pieces(weights):
        w = weights[c, t]
        size[c, t] = ((w - w.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return size


def _blocks_in_use(labels: npt.NDArray[np.integer], n_blocks: int) -> npt.NDArray[np.int64]:
    """Return how many different labels each draw has (C, T)."""
    used = np.zeros(labels.shape[:2], dtype=np.int64)
    for c, t in _pieces(labels):
        b = labels[c, t]
        for r in range(n_blocks):
            used[c, t] += (b == r).any(axis=1)
    return used


def _pieces(draws: npt.NDArray[Any]) -> Iterator[tuple[int, slice]]:
    """Yield stretches of each chain, small enough to be copied: draws may lie on disk because they are many."""
    n_chains, n_draws = draws.shape[:2]
    size = max(1, _PIECE * n_chains * n_draws // max(1, draws.size))
    for c in range(n_chains):
        for first in range(0, n_draws, size):
            yield c, slice(first, first + size)
