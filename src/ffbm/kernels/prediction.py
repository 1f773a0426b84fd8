"""What many draws of the weights predict, over distinct rows of features: probabilities, likeliest blocks, losses."""

from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INNER
from ffbm.kernels.softmax import TILE, logits, softmax_rows

_FAINT, _LEAST = 1e-250, 1e-308  # below the first, sums of odds lose digits; the second is the smallest probability


class Rows(NamedTuple):
    """Distinct rows of the features in CSR form."""

    indptr: np.ndarray  # (R+1,) int64
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, or empty when every entry is 1


@njit(**ENTRY)
def predict_draws(rows: Any, weights: Any, counts: Any, sums: Any, probs: Any, hits: Any, losses: Any) -> None:
    """Add softmax(W x) of each draw to ``probs`` (R, B), and 1 to ``hits`` (R, B) at the first of its largest entries.

    ``weights`` (T, B, D). ``losses`` (T, S) takes the cross-entropy of S sets of vertices, each given by the number of
    its vertices on every row, ``counts`` (S, R), and the sums of their memberships, ``sums`` (S, R, B):
    sum_r n_r logsumexp(z_r) - <sums_r, z_r> with z_r = W x_r.
    """
    n_draws, n_blocks, n_features = weights.shape
    n_rows, n_sets = len(rows.indptr) - 1, counts.shape[0]
    w, ones = np.empty((n_features, n_blocks)), np.ones(TILE)
    tile = np.empty((TILE, n_blocks))
    best, top = np.empty(TILE, np.int64), np.empty(TILE)
    for t in range(n_draws):
        transpose(weights[t], w)
        losses[t] = 0.0
        for first in range(0, n_rows, TILE):
            last = min(first + TILE, n_rows)
            logits(rows, w, first, last, tile)
            for i in range(last - first):
                best[i] = 0
                for k in range(1, n_blocks):
                    if tile[i, k] > tile[i, best[i]]:
                        best[i] = k
                top[i] = tile[i, best[i]]
                for s in range(n_sets):
                    for k in range(n_blocks):
                        losses[t, s] -= sums[s, first + i, k] * tile[i, k]
            softmax_rows(ones[: last - first], tile[: last - first])
            for i in range(last - first):
                lse = top[i] - log(tile[i, best[i]])
                hits[first + i, best[i]] += 1.0
                for s in range(n_sets):
                    losses[t, s] += counts[s, first + i] * lse
                for k in range(n_blocks):
                    probs[first + i, k] += tile[i, k]


@njit(**ENTRY)
def draw_probs(rows: Any, weights: Any, probs: Any) -> None:
    """Fill ``probs`` (T, R, B) with softmax(W x) of each row for each draw of ``weights`` (T, B, D)."""
    n_draws, n_blocks, n_features = weights.shape
    n_rows, w, ones = len(rows.indptr) - 1, np.empty((n_features, n_blocks)), np.ones(TILE)
    for t in range(n_draws):
        transpose(weights[t], w)
        for first in range(0, n_rows, TILE):
            last = min(first + TILE, n_rows)
            logits(rows, w, first, last, probs[t, first:last])
            softmax_rows(ones[: last - first], probs[t, first:last])


@njit(**ENTRY)
def mean_by_state(probs: Any, shares: Any, state: Any, w: Any, means: Any) -> None:
    """Fill ``means`` (T, V+1, B) with the mean of softmax over rows when all of them are brought to one state.

    Row r counts with ``shares`` (R,) and is now in state ``state[r]``: 0, or v + 1 where row v of ``w`` (T, V, B) is
    part of its logits. For another state its odds ``probs`` (T, R, B) are multiplied: no row needs an exponential.
    """
    n_draws, n_rows, n_blocks = probs.shape
    n_states = w.shape[1] + 1
    leave, enter, odds = np.ones((n_states, n_blocks)), np.ones((n_states, n_blocks)), np.empty(n_blocks)
    for t in range(n_draws):
        means[t] = 0.0
        for v in range(n_states - 1):
            low, high = w[t, v].min(), w[t, v].max()
            for k in range(n_blocks):
                leave[v + 1, k], enter[v + 1, k] = exp(low - w[t, v, k]), exp(w[t, v, k] - high)
        for r in range(n_rows):
            now = state[r]
            for k in range(n_blocks):
                odds[k] = probs[t, r, k] * leave[now, k]
            for u in range(n_states):
                total = 0.0
                for k in range(n_blocks):
                    total += odds[k] * enter[u, k]
                if u == now:
                    for k in range(n_blocks):
                        means[t, u, k] += shares[r] * probs[t, r, k]
                elif total > _FAINT:
                    scale = shares[r] / total
                    for k in range(n_blocks):
                        means[t, u, k] += scale * odds[k] * enter[u, k]
                else:
                    _add_by_logs(probs[t, r], w[t], now, u, shares[r], means[t, u])


@njit(**INNER)
def _add_by_logs(p: Any, w: Any, now: int, u: int, share: float, mean: Any) -> None:
    """Add share times softmax(ln p - w_now + w_u) to ``mean`` (B,), for odds too far apart to be multiplied."""
    z = np.empty(len(p))
    for k in range(len(p)):
        z[k] = log(max(p[k], _LEAST)) - (w[now - 1, k] if now > 0 else 0.0) + (w[u - 1, k] if u > 0 else 0.0)
    z = np.exp(z - z.max())
    mean += share / z.sum() * z


@njit(**INNER)
def transpose(weights: Any, w: Any) -> None:
    """Fill w (D, B) with ``weights`` (B, D)."""
    for d in range(w.shape[0]):
        for k in range(w.shape[1]):
            w[d, k] = weights[k, d]
