"""Moves that stretch the weights of a column by a common factor: the direction that a learned scale leaves long.

Where the data only say that weights are large, |V_g| has a heavy tail, and scale and weights, drawn in turns, follow it
in steps of 1 / sqrt(k) for the k contrasts of a column. So V' = c V is drawn too, with scales integrated out and ln c
by slice sampling (Neal, 2003): its density is that of c V times the Jacobian c^k.
"""

from math import exp, log
from typing import Any

from numba import njit

from ffbm.kernels.compilation import INNER
from ffbm.kernels.softmax import TILE, logits, softmax_tile

MANY = 30.0  # contrasts from which on a column is stretched after every move, if time allows
EVALUATIONS = 5.0  # evaluations that a stretch takes, about
TIME = 3.0  # about what all stretches after a move take, in evaluations of all rows
WIDTH = 1.0  # of the first interval around ln c = 0
MOST_STEPS = 8  # by which it is widened


@njit(**INNER)
def _log_density(
    log_factor: float, n: int, fit: float, square: float, degrees: float, freedom: float, rows: Any
) -> float:
    """Return the log density of ln c, for the n rows of a column: ``rows`` are their logits, counts and a tile."""
    base, of_column, counts, tile = rows
    factor, n_blocks = exp(log_factor), base.shape[1]
    result = factor * fit + freedom * log_factor
    result -= 0.5 * (degrees + freedom) * log(degrees + factor * factor * square)
    for first in range(0, n, TILE):
        last = min(first + TILE, n)
        for i in range(first, last):
            for k in range(n_blocks):
                tile[i - first, k] = base[i, k] + factor * of_column[i, k]
        result -= softmax_tile(counts, first, last - first, tile)
    return result


@njit(**INNER)
def _slice(
    rng: Any, n: int, fit: float, square: float, degrees: float, freedom: float, rows: Any
) -> tuple[float, float]:
    """Return a draw of ln c from 0, and the change of the log density."""
    current = _log_density(0.0, n, fit, square, degrees, freedom, rows)
    level = current + log(1.0 - rng.random())
    low = -WIDTH * rng.random()
    high = low + WIDTH
    below = int(rng.random() * MOST_STEPS)
    above = MOST_STEPS - 1 - below
    while below > 0 and _log_density(low, n, fit, square, degrees, freedom, rows) > level:
        low -= WIDTH
        below -= 1
    while above > 0 and _log_density(high, n, fit, square, degrees, freedom, rows) > level:
        high += WIDTH
        above -= 1
    while True:
        new = low + (high - low) * rng.random()
        proposed = _log_density(new, n, fit, square, degrees, freedom, rows)
        if proposed >= level:
            return new, proposed - current
        if new < 0.0:
            low = new
        else:
            high = new


@njit(**INNER)
def _turns(slab: Any, n_rows: int) -> float:
    """Return the factor of the probability of stretching a column, so that all of them take about TIME."""
    cost = 0.0
    for g in range(len(slab.freedom)):
        cost += min(slab.freedom[g] / MANY, 1.0) * (slab.union_start[g + 1] - slab.union_start[g])
    return min(1.0, TIME * n_rows / (EVALUATIONS * cost)) if cost > 0.0 else 0.0


@njit(**INNER)
def stretch_columns(rng: Any, target: Any, w: Any, logit_buffer: Any, counts: Any, tile: Any) -> float:
    """Stretch some columns of w (A, B), those that are not 0; return the change of the log posterior without scales.

    ``logit_buffer`` (3, R, B) and ``counts`` (R,) are overwritten.
    """
    slab, sums = target.slab, target.sums
    n_rows, n_blocks = logit_buffer.shape[1], logit_buffer.shape[2]
    z, base, of_column = logit_buffer[0], logit_buffer[1], logit_buffer[2]
    share, change, is_filled = _turns(slab, n_rows), 0.0, False
    for g in range(len(slab.freedom)):
        if rng.random() >= share * min(slab.freedom[g] / MANY, 1.0):
            continue
        square, fit = 0.0, 0.0
        for f in range(slab.start[g], slab.start[g + 1]):
            a = slab.feature[f]
            for k in range(n_blocks):
                square += w[a, k] * w[a, k]
                fit += w[a, k] * sums[a, k]
        if square == 0.0:  # a column that is out
            continue
        if not is_filled:
            logits(target.rows, w, 0, n_rows, z)
            is_filled = True
        begin = slab.union_start[g]
        n = slab.union_start[g + 1] - begin
        _gather(slab, g, w, target.rows.counts, z, base, of_column, counts)
        rows = base, of_column, counts, tile
        log_factor, gain = _slice(rng, n, fit, square, slab.degrees[g], slab.freedom[g], rows)
        change += gain - slab.freedom[g] * log_factor
        factor = exp(log_factor)
        for f in range(slab.start[g], slab.start[g + 1]):
            a = slab.feature[f]
            for k in range(n_blocks):
                w[a, k] *= factor
        for t in range(n):
            i = slab.union[begin + t]
            for k in range(n_blocks):
                z[i, k] = base[t, k] + factor * of_column[t, k]
    return change


@njit(**INNER)
def _gather(slab: Any, g: int, w: Any, every: Any, z: Any, base: Any, of_column: Any, counts: Any) -> None:
    """Fill the first rows of ``of_column`` and ``base`` with the logits of column g and of all others.

    ``of_column`` is filled for all rows by their numbers first: in it, row t of the union is never behind row t.
    """
    n_blocks, begin, end = z.shape[1], slab.union_start[g], slab.union_start[g + 1]
    for t in range(begin, end):
        i = slab.union[t]
        for k in range(n_blocks):
            of_column[i, k] = 0.0
    for f in range(slab.start[g], slab.start[g + 1]):
        a = slab.feature[f]
        for t in range(slab.row_start[a], slab.row_start[a + 1]):
            i, x = slab.row[t], slab.value[t]
            for k in range(n_blocks):
                of_column[i, k] += x * w[a, k]
    for t in range(begin, end):  # the union is in increasing order
        i = slab.union[t]
        counts[t - begin] = every[i]
        for k in range(n_blocks):
            of_column[t - begin, k] = of_column[i, k]
            base[t - begin, k] = z[i, k] - of_column[t - begin, k]
