"""The energy of the weights and its gradient: one pass over the set entries of the features.

Weights are laid out feature-major, (D, B): the weights of one feature for all blocks lie together, so every
inner loop runs over blocks and is vectorised. Vertices with equal features are one row with a count, and
the memberships enter only through their sums X'y. With rows of y that sum to 1::

    U(W) = sum_r n_r logsumexp(W x_r) - <W, X'y> + sum_d |w_d|^2 / (2 sigma_d^2)
"""

from math import floor, log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

TILE = 32  # rows worked on at a time: their logits stay in the first cache

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LEAST = -708.0  # exp of anything below is less than 4e-308 of the largest term, which is 1


class Likelihood(NamedTuple):
    """What the energy is made of, over the D features that some training vertex has."""

    indptr: np.ndarray  # (R+1,) int64: distinct rows of the features in CSR form
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, or empty when every entry is 1
    counts: np.ndarray  # (R,) float64: vertices with this row
    sums: np.ndarray  # (D, B) float64: X'y
    precision: np.ndarray  # (D,) float64: 1 / sigma^2


@njit(nogil=True, cache=True)
def energy_and_gradient(model: Any, w: Any, g: Any, tile: Any, bits: Any) -> float:
    """Fill g (D, B) with the gradient of U at w (D, B) and return U.

    ``tile`` (TILE, B) float64 and ``bits`` (TILE * B,) int64 are scratch.
    """
    n_features, n_blocks = w.shape
    n_rows = len(model.counts)
    u = 0.0
    for d in range(n_features):
        p = model.precision[d]
        for k in range(n_blocks):
            pull = p * w[d, k]
            s = model.sums[d, k]
            u += w[d, k] * (0.5 * pull - s)
            g[d, k] = pull - s
    for first in range(0, n_rows, TILE):
        last = min(first + TILE, n_rows)
        logits(model, w, first, last, tile)
        u += softmax_rows(model.counts[first:last], tile[: last - first], bits)
        if len(model.values) == 0:
            _add_flags(model.indptr, model.indices, tile, first, last, g)
        else:
            _add_numbers(model.indptr, model.indices, model.values, tile, first, last, g)
    return u


@njit(nogil=True, cache=True)
def logits(model: Any, w: Any, first: int, last: int, tile: Any) -> None:
    """Fill the first rows of ``tile`` with W x of the rows from ``first`` to ``last``."""
    if len(model.values) == 0:
        _flag_logits(model.indptr, model.indices, w, first, last, tile)
    else:
        _number_logits(model.indptr, model.indices, model.values, w, first, last, tile)


@njit(nogil=True, cache=True)
def softmax_rows(counts: Any, z: Any, bits: Any) -> float:
    """Turn logits z (n, B) into counts times softmax, in place; return sum_i counts_i logsumexp(z_i)."""
    n, n_blocks = z.shape
    u = 0.0
    for i in range(n):
        top = z[i, 0]
        for k in range(1, n_blocks):
            top = max(top, z[i, k])
        for k in range(n_blocks):
            z[i, k] -= top
        u += counts[i] * top
    _exp_nonpositive(z.reshape(-1), bits)
    for i in range(n):
        total = 0.0
        for k in range(n_blocks):
            total += z[i, k]
        u += counts[i] * log(total)
        scale = counts[i] / total
        for k in range(n_blocks):
            z[i, k] *= scale
    return u


@njit(nogil=True, cache=True)
def _exp_nonpositive(x: Any, bits: Any) -> None:
    """Replace x <= 0 by exp(x), to one unit in the last place.

    exp(x) = 2^k exp(r) with |r| <= ln(2)/2 and Taylor's polynomial for exp(r); the loops have no call and no
    branch, so they run on vector registers, twice as fast as the C library's exp.
    """
    for i in range(len(x)):
        v = max(x[i], _LEAST)
        k = floor(v * _LOG2E + 0.5)
        r = (v - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1 / 479001600
        p = p * r + 1 / 39916800
        p = p * r + 1 / 3628800
        p = p * r + 1 / 362880
        p = p * r + 1 / 40320
        p = p * r + 1 / 5040
        p = p * r + 1 / 720
        p = p * r + 1 / 120
        p = p * r + 1 / 24
        p = p * r + 1 / 6
        p = p * r + 0.5
        p = p * r + 1.0
        x[i] = p * r + 1.0
        bits[i] = (np.int64(k) + 1023) << 52
    powers = bits.view(np.float64)
    for i in range(len(x)):
        x[i] *= powers[i]


@njit(nogil=True, cache=True)
def _flag_logits(indptr: Any, indices: Any, w: Any, first: int, last: int, z: Any) -> None:
    for i in range(first, last):
        begin, end = indptr[i], indptr[i + 1]
        if (end - begin) % 2 == 1:
            d = indices[begin]
            z[i - first] = w[d]
            begin += 1
        else:
            z[i - first] = 0.0
        for t in range(begin, end, 2):  # two at a time: half the loads and stores of z
            d, e = indices[t], indices[t + 1]
            for k in range(w.shape[1]):
                z[i - first, k] += w[d, k] + w[e, k]


@njit(nogil=True, cache=True)
def _number_logits(indptr: Any, indices: Any, values: Any, w: Any, first: int, last: int, z: Any) -> None:
    for i in range(first, last):
        z[i - first] = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            d, x = indices[t], values[t]
            for k in range(w.shape[1]):
                z[i - first, k] += x * w[d, k]


@njit(nogil=True, cache=True)
def _add_flags(indptr: Any, indices: Any, a: Any, first: int, last: int, g: Any) -> None:
    for i in range(first, last):
        for t in range(indptr[i], indptr[i + 1]):
            d = indices[t]
            for k in range(g.shape[1]):
                g[d, k] += a[i - first, k]


@njit(nogil=True, cache=True)
def _add_numbers(indptr: Any, indices: Any, values: Any, a: Any, first: int, last: int, g: Any) -> None:
    for i in range(first, last):
        for t in range(indptr[i], indptr[i + 1]):
            d, x = indices[t], values[t]
            for k in range(g.shape[1]):
                g[d, k] += x * a[i - first, k]
