"""The geometry a weight chain moves in: the inverse mass matrix C M^-1 C and its root.

C subtracts the mean over blocks, so positions and velocities (D, B) stay in the contrasts. M is one matrix for
each block, dense over the first m features and diagonal over the rest. Where scales are learned, M belongs to typical
ones; for others M^-1 becomes F M^-1 F, F being a factor for each weight that makes the diagonal of M right.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INNER
from ffbm.kernels.lanes import LANES, broadcast, fused, load, store
from ffbm.kernels.softmax import TILE, logits, softmax_tile


class Metric(NamedTuple):
    """M^-1 and its root, block by block."""

    inverse: np.ndarray  # (B, m, m) float64: M^-1 over the first m features, symmetric
    root: np.ndarray  # (B, m, m) float64: row j is column j of R, upper triangular, M^-1 = R R'
    inverse_rest: np.ndarray  # (D, B) float64: M^-1 of the others; moves use no row of the first m
    root_rest: np.ndarray  # (D, B) float64: its root
    precision: np.ndarray = np.zeros(0)  # (D,): of the prior, as in M; empty unless scales are learned
    factor: np.ndarray = np.zeros((0, 0))  # (D, B): F, a buffer of a chain; empty where there is none

    @property
    def n_dense(self) -> int:
        """m."""
        return self.inverse.shape[1]


@njit(**ENTRY)
def subtract_mean(v: Any) -> None:
    """Subtract from v (D, B) its mean over blocks."""
    n_features, n_blocks = v.shape
    for d in range(n_features):
        total = 0.0
        for k in range(n_blocks):
            total += v[d, k]
        total /= n_blocks
        for k in range(n_blocks):
            v[d, k] -= total


@njit(**INNER)
def _multiply(matrices: Any, triangular: bool, v: Any, out: Any, line: Any) -> None:
    """Fill the first m rows of ``out`` (D, B) with the transpose of each block's matrix, of (B, m, m), times v (D, B).

    Zeros of triangular (lower) matrices are skipped. ``line`` (2, m) is overwritten; ``out`` may be v.
    """
    m = matrices.shape[1]
    whole = m - m % LANES
    for k in range(v.shape[1]):
        for j in range(m):
            line[1, j] = v[j, k]
        for i in range(0, whole, LANES):
            even, odd = broadcast(0.0), broadcast(0.0)  # two sums, so that an addition need not wait for the last one
            first = i if triangular else 0
            at = (k * m + first) * m + i
            for j in range(first, m - 1, 2):
                even = fused(broadcast(line[1, j]), load(matrices, at), even)
                odd = fused(broadcast(line[1, j + 1]), load(matrices, at + m), odd)
                at += 2 * m
            if (m - first) % 2 == 1:
                even = fused(broadcast(line[1, m - 1]), load(matrices, at), even)
            store(line, i, even + odd)
        for i in range(whole, m):
            line[0, i] = 0.0
            for j in range(i if triangular else 0, m):
                line[0, i] += matrices[k, j, i] * line[1, j]
        for i in range(m):
            out[i, k] = line[0, i]


@njit(**INNER)
def _scale(v: Any, factor: Any, out: Any) -> None:
    for d in range(v.shape[0]):
        for k in range(v.shape[1]):
            out[d, k] = factor[d, k] * v[d, k]


@njit(**INNER)
def update_factors(metric: Any, precision: Any) -> None:
    """Compute the factors F for these precisions (D,) of the prior; M was made with others."""
    for d in range(metric.factor.shape[0]):
        more = precision[d] - metric.precision[d]
        for k in range(metric.factor.shape[1]):
            metric.factor[d, k] = 1.0 / sqrt(1.0 + more * metric.inverse_rest[d, k])


@njit(**ENTRY)
def apply_inverse(metric: Any, g: Any, q: Any, line: Any) -> None:
    """Fill q with C M^-1 g, for g (D, B) in the contrasts; ``line`` (2, m) is scratch."""
    inverse, rest, factor = metric.inverse, metric.inverse_rest, metric.factor
    source = g
    if factor.shape[0] > 0:
        _scale(g, factor, q)
        source = q
    _multiply(inverse, False, source, q, line)
    for d in range(inverse.shape[1], g.shape[0]):
        for k in range(g.shape[1]):
            q[d, k] = rest[d, k] * source[d, k]
    if factor.shape[0] > 0:
        _scale(q, factor, q)
    subtract_mean(q)


@njit(**ENTRY)
def draw_velocity(rng: Any, metric: Any, v: Any, line: Any) -> None:
    """Fill v (D, B) with a draw from N(0, C M^-1 C)."""
    root, rest = metric.root, metric.root_rest
    for d in range(v.shape[0]):
        for k in range(v.shape[1]):
            v[d, k] = rng.standard_normal()
    _multiply(root, True, v, v, line)
    for d in range(root.shape[1], v.shape[0]):
        for k in range(v.shape[1]):
            v[d, k] *= rest[d, k]
    if metric.factor.shape[0] > 0:
        _scale(v, metric.factor, v)
    subtract_mean(v)


@njit(**ENTRY)
def add_curvature(rows: Any, w: Any, dense: Any, rest: Any) -> None:
    """Add each block's own part of the likelihood's Hessian at w (D, B), X' diag(n a (1 - a)) X.

    ``dense`` (m, m, B) takes the lower triangle over the first m features, ``rest`` (D, B) the diagonal over all.
    """
    m, n_blocks = dense.shape[0], w.shape[1]
    tile = np.empty((TILE, n_blocks))
    n_rows = len(rows.counts)
    for first in range(0, n_rows, TILE):
        last = min(first + TILE, n_rows)
        logits(rows, w, first, last, tile)
        softmax_tile(rows.counts, first, last - first, tile)
        for i in range(first, last):
            a = tile[i - first]
            for k in range(n_blocks):
                a[k] *= 1.0 - a[k] / rows.counts[i]
            for t in range(rows.indptr[i], rows.indptr[i + 1]):
                d = rows.indices[t]
                x = 1.0 if len(rows.values) == 0 else rows.values[t]
                for k in range(n_blocks):
                    rest[d, k] += x * x * a[k]
                if d >= m:
                    continue
                for s in range(rows.indptr[i], t + 1):  # indices increase along a row
                    e = rows.indices[s]
                    xx = x if len(rows.values) == 0 else x * rows.values[s]
                    for k in range(n_blocks):
                        dense[d, e, k] += xx * a[k]
