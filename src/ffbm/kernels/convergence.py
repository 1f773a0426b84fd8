"""Kernels of R-hat and of the effective sample size: ranks, folded ranks, autocovariances, Geyer's rule.

A quantity has S = 2C split chains of n draws, laid out time-major: draw t of split chain s stands at
t * S + s. Summed over the chains, the autocovariance at lag l is then one dot product of the series
with itself, l * S places on.
"""

from typing import Any

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INNER, copy

_CONSTANT = 1e-15  # a series that spans less than this is constant: arviz-stats' own bound


@njit(**ENTRY)
def split_series(x: Any, order: Any, position: Any, normal: Any, probs: Any, series: Any, rhat: Any) -> None:
    """Fill the four split series of each quantity and its R-hat.

    Parameters
    ----------
    x : (P, T*C) float64, finite
        Draw t of chain c of each quantity at t * C + c.
    order : (P, T*C) int64
        What sorts each row of ``x``.
    position : (T*C,) int64
        Where a draw stands in the split series; -1 for the middle draw of an odd number.
    normal : (2m+1,) float64
        The normal score of twice an average rank, m = n * S.
    probs : (2,) float64
        The two tail probabilities.
    series : (P, 4, n, S) float64, filled
        Rank-normalised draws, the indicators of the two tails, the draws themselves.
    rhat : (P,) float64, filled
        The larger of the R-hats of the rank-normalised draws and of the folded ones.
    """
    n, S = series.shape[2], series.shape[3]
    size = n * S
    at = np.empty(size, np.int64)
    value = np.empty(size)
    folded = np.empty(size)
    for p in range(len(x)):
        row, rank = x[p], order[p]
        flat = series[p].reshape(4, size)
        count = 0
        for i in range(len(rank)):
            if position[rank[i]] >= 0:
                at[count], value[count] = position[rank[i]], row[rank[i]]
                count += 1
        _score_ranks(value, at, normal, flat[0])
        bulk = _potential_scale(flat[0], n, S)
        _fold(value, at)
        _score_ranks(value, at, normal, folded)
        tail = _potential_scale(folded, n, S)
        rhat[p] = tail if tail > bulk else bulk  # a NaN in the tail leaves the bulk, not the reverse
        low, high = _quantile(row, rank, probs[0]), _quantile(row, rank, probs[1])
        for i in range(len(row)):
            to = position[i]
            if to >= 0:
                flat[1, to] = 1.0 if row[i] <= low else 0.0
                flat[2, to] = 1.0 if row[i] <= high else 0.0
                flat[3, to] = row[i]


@njit(**ENTRY)
def _score_ranks(value: Any, at: Any, normal: Any, out: Any) -> None:
    """Write the normal score of each of the sorted values to its place; ties share their average rank."""
    first = 0
    while first < len(value):
        last = first + 1
        while last < len(value) and value[last] == value[first]:
            last += 1
        score = normal[first + last + 1]
        for i in range(first, last):
            out[at[i]] = score
        first = last


@njit(**ENTRY)
def _fold(value: Any, at: Any) -> None:
    """Replace the sorted values by their sorted distances from the median, and their places with them.

    Both halves are sorted by distance already, the lower one backwards: one merge does it.
    """
    size = len(value)
    left, right = size // 2 - 1, size // 2
    median = (value[left] + value[right]) / 2.0
    below, above = abs(value[left] - median), abs(value[right] - median)
    distance = np.empty(size)
    whose = np.empty(size, at.dtype)
    for i in range(size):
        # which side is next is a coin toss: written so that it compiles without a branch to guess
        is_left = below <= above
        distance[i] = below if is_left else above
        whose[i] = at[left if is_left else right]
        left, right = left - is_left, right + (1 - is_left)
        below = abs(value[max(left, 0)] - median) if left >= 0 else np.inf
        above = abs(value[min(right, size - 1)] - median) if right < size else np.inf
    copy(distance, value)
    copy(whose, at)


@njit(**ENTRY)
def _quantile(row: Any, rank: Any, prob: float) -> float:
    """Return the linearly interpolated quantile with numpy's rounding, since draws are compared with it."""
    where = (len(rank) - 1) * prob
    i = int(np.floor(where))
    weight = where - i
    below, above = row[rank[i]], row[rank[i + 1]]
    if weight >= 0.5:
        return float(above - (above - below) * (1.0 - weight))
    return float(below + (above - below) * weight)


@njit(**ENTRY)
def _potential_scale(z: Any, n: int, S: int) -> float:
    """Return R-hat of S chains of n draws: infinite if each is constant and they differ, NaN if all agree."""
    mean = np.empty(S)
    _chain_means(z, n, S, mean)
    within = 0.0
    for s in range(S):
        centre, square = mean[s], 0.0
        for t in range(n):
            square += (z[t * S + s] - centre) ** 2
        within += square / (n - 1) / S
    between = n * _variance(mean)
    if within == 0.0:
        return np.inf if between > 0.0 else np.nan
    return float(np.sqrt((between / within + n - 1) / n))


@njit(**INNER)
def _chain_means(z: Any, n: int, S: int, mean: Any) -> None:
    """Fill the mean (S,) of each chain, exactly for a constant one: its value is taken off before summing."""
    for s in range(S):
        first, total = z[s], 0.0
        for t in range(n):
            total += z[t * S + s] - first
        mean[s] = first + total / n


@njit(**INNER)
def _variance(mean: Any) -> float:
    centre, total = 0.0, 0.0
    for m in mean:
        centre += (m - mean[0]) / len(mean)
    for m in mean:
        total += (m - mean[0] - centre) ** 2
    return total / (len(mean) - 1)


@njit(**ENTRY)
def effective_size(series: Any, max_lag: int, ess: Any, between: Any, done: Any) -> None:
    """Fill the effective sample size of each series, as far as ``max_lag`` autocovariances tell it.

    Parameters
    ----------
    series : (K, n, S) float64
        Centred chain by chain, in place.
    ess, between : (K,) float64, filled
        The effective sample size, and the variance of the chain means.
    done : (K,) bool, filled
        False where Geyer's rule asks for more lags than ``max_lag``; ``ess`` is not filled there.
    """
    n, S = series.shape[1], series.shape[2]
    mean = np.empty(S)
    gamma = np.empty(n)
    rho = np.empty(n)
    for k in range(len(series)):
        done[k] = True
        flat = series[k].reshape(n * S)
        if _is_constant(flat):
            ess[k] = n * S
            continue
        _chain_means(flat, n, S, mean)
        for t in range(n):
            for s in range(S):
                flat[t * S + s] -= mean[s]
        between[k] = _variance(mean)
        known, wanted = 0, min(8, n)
        while True:
            for lag in range(known, wanted):
                gamma[lag] = _dot(flat[: (n - lag) * S], flat[lag * S :]) / (n * S)
            known = wanted
            ess[k] = _geyer(gamma[:known], between[k], n, S, rho)
            if ess[k] >= 0.0 or np.isnan(ess[k]):
                break
            if known >= min(max_lag, n):
                done[k] = False
                break
            wanted = min(2 * known, n)


@njit(**INNER)
def _is_constant(flat: Any) -> bool:
    low, high = flat[0], flat[0]
    for v in flat:
        low, high = min(low, v), max(high, v)
        if not high - low < _CONSTANT:
            return False
    return True


@njit(**INNER, fastmath={"reassoc"})
def _dot(a: Any, b: Any) -> float:
    # a sum in any order is as good as another here, and only then do vector instructions serve
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(**ENTRY)
def effective_size_from(gamma: Any, between: Any, S: int, ess: Any) -> None:
    """Fill the effective sample size (K,) from all autocovariances (K, n), averaged over the S chains."""
    n = gamma.shape[1]
    rho = np.empty(n)
    for k in range(len(gamma)):
        ess[k] = _geyer(gamma[k], between[k], n, S, rho)


@njit(**INNER)
def _geyer(gamma: Any, between: float, n: int, S: int, rho: Any) -> float:
    """Return n S / tau by Geyer's initial monotone sequence; -1 if ``gamma`` stops before the rule does.

    The steps, and their quirks at the last pair, are arviz-stats'.
    """
    known = len(gamma)
    rho[:known] = 0.0
    mean_var = gamma[0] * n / (n - 1.0)
    var_plus = mean_var * (n - 1.0) / n + between
    even, odd = 1.0, 1.0 - (mean_var - gamma[1]) / var_plus
    if np.isnan(odd):
        return np.nan
    rho[0], rho[1] = even, odd
    t = 1
    while t < n - 3 and even + odd > 0.0:
        if t + 2 >= known:
            return -1.0
        even = 1.0 - (mean_var - gamma[t + 1]) / var_plus
        odd = 1.0 - (mean_var - gamma[t + 2]) / var_plus
        if even + odd >= 0.0:
            rho[t + 1], rho[t + 2] = even, odd
        t += 2
    last = t - 2
    if even > 0.0:
        rho[last + 1] = even
    t = 1
    while t <= last - 2:
        if rho[t + 1] + rho[t + 2] > rho[t - 1] + rho[t]:
            rho[t + 1] = (rho[t - 1] + rho[t]) / 2.0
            rho[t + 2] = rho[t + 1]
        t += 2
    tau = -1.0 + 2.0 * rho[: last + 1].sum() + rho[last + 1]
    size = n * S
    return float(size / max(tau, 1.0 / np.log10(size)))
