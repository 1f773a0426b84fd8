"""The energy of the weights and its gradient: one pass over the set entries of the features.

Weights are laid out feature-major, (D, B): the weights of one feature for all blocks lie together, and inner loops
take four blocks at a time. Vertices with equal features are one row with a count, and the memberships enter only
through their sums X'y. With rows of y that sum to 1::

    U(W) = sum_r n_r logsumexp(W x_r) - <W, X'y> + sum_d |w_d|^2 / (2 sigma_d^2)

Under the learned prior scales are drawn between moves (``kernels/slab.py``); given them U is this.
"""

from math import log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INLINE, INNER
from ffbm.kernels.lanes import LANES, broadcast, fused, load, power_of_two, store, total
from ffbm.kernels.slab import Slab

TILE = 32  # rows worked on at a time: their logits stay in the first cache

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SHIFT = 1.5 * 2.0**52  # a number added to it is rounded to a whole one
_REACH = 700.0  # sums of exp do not overflow within this of 0
_LEAST = -708.0  # exp of anything below is less than 4e-308 of the largest term, which is 1


class TrainingRows(NamedTuple):
    """The design: distinct rows of the training vertices over the A features that some of them have, in CSR form."""

    indptr: np.ndarray  # (R+1,) int64
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, or empty when every entry is 1; they may belong to a chain's state
    counts: np.ndarray  # (R,) float64: training vertices with this row
    group: np.ndarray  # (N,) int32: the row of each training vertex; -1 if held out
    active: np.ndarray  # (A,) int64: which of all D features each is
    idle: np.ndarray  # int64: the features that no training vertex has


_NONE, _NO_ROWS = np.zeros(0, np.int64), np.zeros(0, np.int32)
NO_SLAB = Slab(  # the prior is fixed
    _NONE, np.zeros(0), np.zeros(0), np.zeros(0), _NONE, _NONE, _NONE, _NO_ROWS, np.zeros(0), _NONE, _NO_ROWS
)


class Target(NamedTuple):
    """What the energy is made of: the design, the response and the prior."""

    rows: TrainingRows
    sums: np.ndarray  # (A, B) float64: X'y
    scale: np.ndarray  # (D,) float64: the prior sd of each feature's weights, an array of the chain's state
    precision: np.ndarray  # (A,) float64: 1 / sd^2 of the active ones; where scales are learned, as last drawn
    slab: Slab = NO_SLAB  # which scales are learned


class Gaussian(NamedTuple):
    """A target given its scales. Calls copy their tuples, so those of hot loops hold no more than they need."""

    rows: TrainingRows
    sums: np.ndarray
    precision: np.ndarray


@njit(**INNER)
def given_scales(target: Any) -> Any:
    """Return the part of a target that ``energy_and_gradient`` looks at, of the same arrays."""
    return Gaussian(target.rows, target.sums, target.precision)


@njit(**ENTRY)
def energy_and_gradient(target: Any, w: Any, g: Any, tile: Any) -> float:
    """Fill g (A, B) with the gradient of U at w (A, B) and return U.

    ``tile`` (TILE, B) is overwritten.
    """
    rows, sums, precision = target.rows, target.sums, target.precision
    indptr, indices, values, counts = rows.indptr, rows.indices, rows.values, rows.counts
    n_rows = len(counts)
    for d in range(w.shape[0]):
        for k in range(w.shape[1]):
            g[d, k] = precision[d] * w[d, k] - sums[d, k]
    u = _half_product(w, g, sums)
    for first in range(0, n_rows, TILE):
        last = min(first + TILE, n_rows)
        _fill_logits(indptr, indices, values, w, first, last, tile)
        u += softmax_tile(counts, first, last - first, tile)
        _add_rows(indptr, indices, values, tile, first, last, g)
    return u


@njit(**INNER)
def _half_product(w: Any, g: Any, sums: Any) -> float:
    """Return <w, g - sums> / 2: with g = w / sigma^2 - sums, the part of U that is not logsumexp."""
    n_blocks, whole = w.shape[1], w.size - w.size % LANES
    part, rest = broadcast(0.0), 0.0
    for at in range(0, whole, LANES):
        part = fused(load(w, at), load(g, at) - load(sums, at), part)
    for at in range(whole, w.size):
        d, k = at // n_blocks, at % n_blocks
        rest += w[d, k] * (g[d, k] - sums[d, k])
    return 0.5 * (total(part) + rest)


@njit(**ENTRY)
def logits(rows: Any, w: Any, first: int, last: int, tile: Any) -> None:
    """Fill the first rows of ``tile`` with W x of the rows from ``first`` to ``last``."""
    _fill_logits(rows.indptr, rows.indices, rows.values, w, first, last, tile)


@njit(**ENTRY)
def softmax_rows(counts: Any, z: Any) -> float:
    """Turn logits z (n, B) into counts times softmax, in place; return sum_i counts_i logsumexp(z_i)."""
    return softmax_tile(counts, 0, z.shape[0], z)


@njit(**INNER)
def softmax_tile(counts: Any, first: int, n: int, z: Any) -> float:
    """Turn the first n rows of logits into counts times softmax; the first row has the count number ``first``."""
    n_blocks = z.shape[1]
    size, whole = n * n_blocks, n_blocks - n_blocks % LANES
    u = 0.0
    if not _squares(z, size) <= _REACH**2:  # far beyond what chains meet
        u = _subtract_largest(counts, first, n, z)
    _exp(z, size)
    for i in range(n):
        begin, count = i * n_blocks, counts[first + i]
        lanes, odds = broadcast(0.0), 0.0
        for k in range(0, whole, LANES):
            lanes = lanes + load(z, begin + k)
        for k in range(whole, n_blocks):
            odds += z[i, k]
        odds += total(lanes)
        u += count * log(odds)
        scale = count / odds
        for k in range(0, whole, LANES):
            store(z, begin + k, scale * load(z, begin + k))
        for k in range(whole, n_blocks):
            z[i, k] *= scale
    return u


@njit(**INNER)
def _squares(z: Any, size: int) -> float:
    """Return the sum of the first ``size`` entries squared: no entry is further from 0 than its root."""
    n_blocks, whole = z.shape[1], size - size % LANES
    lanes, rest = broadcast(0.0), 0.0
    for at in range(0, whole, LANES):
        lanes = fused(load(z, at), load(z, at), lanes)
    for at in range(whole, size):
        rest += z[at // n_blocks, at % n_blocks] ** 2
    return total(lanes) + rest


@njit(**INNER)
def _subtract_largest(counts: Any, first: int, n: int, z: Any) -> float:
    """Subtract its largest from each row of z and return the sum of counts times it; exp takes all of z then."""
    u = 0.0
    for i in range(n):
        top = z[i, 0]
        for k in range(1, z.shape[1]):
            top = max(top, z[i, k])
        for k in range(z.shape[1]):
            z[i, k] = max(z[i, k] - top, _LEAST)
        u += counts[first + i] * top
    return u


@njit(**INNER)
def _exp(z: Any, size: int) -> None:
    """Replace the first ``size`` entries of z, within reach, by exp of them."""
    n_blocks, whole = z.shape[1], size - size % LANES
    for at in range(0, whole, LANES):
        store(z, at, _exp_lanes(load(z, at)))
    for at in range(whole, size):  # the same instructions, on four copies: a quarter of their sum is exact
        i, k = at // n_blocks, at % n_blocks
        z[i, k] = 0.25 * total(_exp_lanes(broadcast(z[i, k])))


@njit(**INLINE)
def _exp_lanes(x: Any) -> Any:
    """Return exp(x) to one unit in the last place: 2^k exp(r), |r| <= ln(2)/2, with Taylor's polynomial for exp(r)."""
    shifted = fused(x, broadcast(_LOG2E), broadcast(_SHIFT))
    k = shifted - _SHIFT
    r = fused(k, broadcast(-_LN2_LOW), fused(k, broadcast(-_LN2_HIGH), x))
    p = fused(r, broadcast(1 / 479001600), broadcast(1 / 39916800))
    p = fused(p, r, broadcast(1 / 3628800))
    p = fused(p, r, broadcast(1 / 362880))
    p = fused(p, r, broadcast(1 / 40320))
    p = fused(p, r, broadcast(1 / 5040))
    p = fused(p, r, broadcast(1 / 720))
    p = fused(p, r, broadcast(1 / 120))
    p = fused(p, r, broadcast(1 / 24))
    p = fused(p, r, broadcast(1 / 6))
    p = fused(p, r, broadcast(0.5))
    p = fused(p, r, broadcast(1.0))
    return fused(p, r, broadcast(1.0)) * power_of_two(shifted)


@njit(**INNER)
def _fill_logits(indptr: Any, indices: Any, values: Any, w: Any, first: int, last: int, z: Any) -> None:
    n_blocks, flags = w.shape[1], len(values) == 0
    end = n_blocks - LANES
    for i in range(first, last):
        for c in range(0, n_blocks if end >= 0 else 0, LANES):
            k = min(c, end)  # the last lanes overlap those before, and agree with them
            lanes = broadcast(0.0)
            for t in range(indptr[i], indptr[i + 1]):
                x = 1.0 if flags else values[t]
                lanes = fused(broadcast(x), load(w, indices[t] * n_blocks + k), lanes)
            store(z, (i - first) * n_blocks + k, lanes)
        for k in range(n_blocks if end < 0 else 0):
            z[i - first, k] = 0.0
            for t in range(indptr[i], indptr[i + 1]):
                z[i - first, k] += w[indices[t], k] * (1.0 if flags else values[t])


@njit(**INNER)
def _add_rows(indptr: Any, indices: Any, values: Any, a: Any, first: int, last: int, g: Any) -> None:
    """Add to g (D, B) each row of a (n, B) times the features of its row."""
    n_blocks, flags = g.shape[1], len(values) == 0
    end = n_blocks - LANES
    for i in range(first, last):
        of = (i - first) * n_blocks
        for t in range(indptr[i], indptr[i + 1]):
            d = indices[t]
            x = 1.0 if flags else values[t]
            if end < 0:
                for k in range(n_blocks):
                    g[d, k] += x * a[i - first, k]
            else:  # the last lanes overlap those before: they are loaded first and stored last
                to = d * n_blocks
                final = fused(broadcast(x), load(a, of + end), load(g, to + end))
                for k in range(0, end, LANES):
                    store(g, to + k, fused(broadcast(x), load(a, of + k), load(g, to + k)))
                store(g, to + end, final)
