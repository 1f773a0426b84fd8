"""The geometry a weight chain moves in: the inverse mass matrix C M^-1 C and its root.

C takes the mean over blocks away, so positions and velocities (D, B) stay in the contrasts. M is one matrix for
each block, dense over the first m features and diagonal over the rest.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.softmax import TILE, logits, softmax_rows


class Metric(NamedTuple):
    """M^-1 and its root, block by block."""

    inverse: np.ndarray  # (B, m, m) float64: M^-1 over the first m features, symmetric
    root: np.ndarray  # (B, m, m) float64: row j is column j of R, upper triangular, M^-1 = R R'
    inverse_rest: np.ndarray  # (D, B) float64: M^-1 of the others; the first m rows are not used
    root_rest: np.ndarray  # (D, B) float64: its root


@njit(nogil=True, cache=True)
def take_mean_away(v: Any) -> None:
    """Subtract from v (D, B) its mean over blocks."""
    n_features, n_blocks = v.shape
    for d in range(n_features):
        total = 0.0
        for k in range(n_blocks):
            total += v[d, k]
        total /= n_blocks
        for k in range(n_blocks):
            v[d, k] -= total


@njit(nogil=True, cache=True)
def apply_inverse(metric: Any, g: Any, q: Any, line: Any) -> None:
    """Fill q with C M^-1 g, for g (D, B) in the contrasts; ``line`` (2, m) is scratch."""
    n_features, n_blocks = g.shape
    m = metric.inverse.shape[1]
    for k in range(n_blocks):
        for j in range(m):
            line[0, j] = 0.0
            line[1, j] = g[j, k]
        for j in range(m):
            c = line[1, j]
            for i in range(m):
                line[0, i] += metric.inverse[k, j, i] * c
        for j in range(m):
            q[j, k] = line[0, j]
    for d in range(m, n_features):
        for k in range(n_blocks):
            q[d, k] = metric.inverse_rest[d, k] * g[d, k]
    take_mean_away(q)


@njit(nogil=True, cache=True)
def draw_velocity(rng: Any, metric: Any, v: Any, line: Any) -> None:
    """Fill v (D, B) with a draw from N(0, C M^-1 C)."""
    n_features, n_blocks = v.shape
    m = metric.root.shape[1]
    for d in range(n_features):
        for k in range(n_blocks):
            v[d, k] = rng.standard_normal()
    for k in range(n_blocks):
        for j in range(m):
            line[0, j] = 0.0
            line[1, j] = v[j, k]
        for j in range(m):
            c = line[1, j]
            for i in range(j + 1):
                line[0, i] += metric.root[k, j, i] * c
        for j in range(m):
            v[j, k] = line[0, j]
    for d in range(m, n_features):
        for k in range(n_blocks):
            v[d, k] *= metric.root_rest[d, k]
    take_mean_away(v)


@njit(nogil=True, cache=True)
def add_curvature(model: Any, w: Any, dense: Any, rest: Any) -> None:
    """Add each block's own part of the likelihood's Hessian at w (D, B), X' diag(n a (1 - a)) X.

    ``dense`` (m, m, B) takes the lower triangle over the first m features, ``rest`` (D, B) the diagonal over all.
    """
    m, n_blocks = dense.shape[0], w.shape[1]
    tile, bits = np.empty((TILE, n_blocks)), np.empty(TILE * n_blocks, np.int64)
    n_rows = len(model.counts)
    for first in range(0, n_rows, TILE):
        last = min(first + TILE, n_rows)
        logits(model, w, first, last, tile)
        softmax_rows(model.counts[first:last], tile[: last - first], bits)
        for i in range(first, last):
            a = tile[i - first]
            for k in range(n_blocks):
                a[k] *= 1.0 - a[k] / model.counts[i]
            for t in range(model.indptr[i], model.indptr[i + 1]):
                d = model.indices[t]
                x = 1.0 if len(model.values) == 0 else model.values[t]
                for k in range(n_blocks):
                    rest[d, k] += x * x * a[k]
                if d >= m:
                    continue
                for s in range(model.indptr[i], t + 1):  # indices increase along a row
                    e = model.indices[s]
                    xx = x if len(model.values) == 0 else x * model.values[s]
                    for k in range(n_blocks):
                        dense[d, e, k] += xx * a[k]
