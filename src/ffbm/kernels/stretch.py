"""Moves that stretch the weights of a column by a common factor: the direction that a learned scale leaves long.

Where the data only say that weights are large, |V_g| has a heavy tail, and Hamiltonian moves made for its bulk take
long to cross it. V' = c V with ln c symmetric about 0 has the Jacobian c^k, k being the contrasts of the column. A
column is tried with the rows that have it alone, so all of them together cost about as much as two gradients.
"""

from math import exp, inf, log
from typing import Any

from numba import njit

from ffbm.kernels.compiling import INNER
from ffbm.kernels.slab import DEGREES

LEAST, MOST = 0.05, 1.2  # between which the standard deviation of ln c is drawn
FEWEST, MOST_TRIED = 6, 40  # columns tried at a time, each several times if they are few


@njit(**INNER)
def _log_sum_exp(z: Any, i: int) -> float:
    top = -inf
    for k in range(z.shape[1]):
        top = max(top, z[i, k])
    total = 0.0
    for k in range(z.shape[1]):
        total += exp(z[i, k] - top)
    return top + log(total)


@njit(**INNER)
def _shift(slab: Any, a: int, w: Any, factor: float, z: Any) -> None:
    """Add factor times the logits of feature a to z."""
    for t in range(slab.row_start[a], slab.row_start[a + 1]):
        i, x = slab.row[t], factor * slab.value[t]
        for k in range(w.shape[1]):
            z[i, k] += x * w[a, k]


@njit(**INNER)
def stretch_columns(rng: Any, target: Any, w: Any, z: Any, norm: Any) -> bool:
    """Try to stretch each column of w (A, B) that is not 0; tell whether some were. z (R, B) and norm (R,) are room."""
    slab, sums, counts = target.slab, target.sums, target.rows.counts
    for i in range(z.shape[0]):
        for k in range(z.shape[1]):
            z[i, k] = 0.0
    for a in range(w.shape[0]):
        _shift(slab, a, w, 1.0, z)
    for i in range(z.shape[0]):
        norm[i] = _log_sum_exp(z, i)
    moved, n_columns = False, len(slab.freedom)
    rounds, share = max(1, FEWEST // max(n_columns, 1)), MOST_TRIED / max(n_columns, 1)
    for visit in range(rounds * n_columns):
        if rng.random() >= share:
            continue
        g, square, fit = visit % n_columns, 0.0, 0.0
        for f in range(slab.start[g], slab.start[g + 1]):
            a = slab.feature[f]
            for k in range(w.shape[1]):
                square += w[a, k] * w[a, k]
                fit += w[a, k] * sums[a, k]
        if square == 0.0:  # a column that is out
            continue
        log_factor = LEAST * (MOST / LEAST) ** rng.random() * rng.standard_normal()
        factor = exp(log_factor)
        change = (factor - 1.0) * fit
        for f in range(slab.start[g], slab.start[g + 1]):
            _shift(slab, slab.feature[f], w, factor - 1.0, z)
        for t in range(slab.union_start[g], slab.union_start[g + 1]):
            i = slab.union[t]
            change -= counts[i] * (_log_sum_exp(z, i) - norm[i])
        spread = log(DEGREES + factor * factor * square) - log(DEGREES + square)
        change -= 0.5 * (DEGREES + slab.freedom[g]) * spread
        accepted = log(rng.random()) < change + slab.freedom[g] * log_factor
        moved = moved or accepted
        for f in range(slab.start[g], slab.start[g + 1]):
            a = slab.feature[f]
            if accepted:
                for k in range(w.shape[1]):
                    w[a, k] *= factor
            else:
                _shift(slab, a, w, 1.0 - factor, z)
        for t in range(slab.union_start[g], slab.union_start[g + 1] if accepted else 0):
            norm[slab.union[t]] = _log_sum_exp(z, slab.union[t])
    return moved
