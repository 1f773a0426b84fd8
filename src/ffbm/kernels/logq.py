"""ln q(m, n), the number of partitions of m into at most n parts, from tables: exact, few parts, many parts."""

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.tables import log_factorial


@njit(**INLINE)
def log_q(m, n, lf, exact, few_parts, many_parts):
    """Return ln q(m, n) as ``ffbm.blocks.logq`` defines it; lf[x] is ln x!."""
    if m < exact.shape[0]:
        return exact[m, min(n, m, exact.shape[1] - 1)]
    if n < 3:
        return np.log(m // 2 + 1.0) if n == 2 else 0.0
    return _log_q_beyond(m, n, lf, few_parts, many_parts)


@njit(**INNER)
def _log_q_beyond(m, n, lf, few_parts, many_parts):
    """Return ln q(m, n) where the exact table ends."""
    x = np.sqrt(m)
    u = n / x
    if u >= 20.0:
        return _log_p(float(m))
    t = m + 0.25 * n * (n + 1)
    closed = (n - 1) * np.log(t) - log_factorial(lf, n) - log_factorial(lf, n - 1)
    if n <= 32:
        y = 1.0 / (t * t)
        poly = 0.0
        for j in range(few_parts.shape[1] - 1, -1, -1):
            poly = poly * y + few_parts[n, j]
        return closed + np.log(poly)
    cell = int(u * (many_parts.shape[0] / 20.0))
    d = u - cell * (20.0 / many_parts.shape[0])
    rest = 0.0
    for order in range(3, -1, -1):
        piece = many_parts[cell, order]
        rest = rest / x + ((piece[0] * d + piece[1]) * d + piece[2]) * d + piece[3]
    return closed + rest * x


@njit(**INNER)
def _log_p(m):
    """Return ln p(m), all partitions of m: Hardy and Ramanujan's first term, exact to exp(-1.28 sqrt(m))."""
    c = np.pi * np.sqrt(2.0 / 3.0 * (m - 1.0 / 24.0))
    return c + np.log1p(-1.0 / c) - np.log(4.0 * np.sqrt(3.0) * (m - 1.0 / 24.0))
