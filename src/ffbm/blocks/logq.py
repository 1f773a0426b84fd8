"""q(m, n), the number of partitions of the integer m into at most n parts, in logarithms.

Exact up to m = 2048 by the recursion q(m,n) = q(m,n-1) + q(m-n,n). Beyond, ln q is written as

    (n-1) ln(m + n(n+1)/4) - ln n! - ln (n-1)! + R(m, n)

and only the remainder R is approximated: for n <= 32 from the polynomial part of q, for more parts by
a saddle point with two orders of corrections. The error is below 2e-6 nats everywhere, and below 5e-7
but for n = 4.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.special import gammaln

from ffbm.blocks.saddle import log_partitions_saddle
from ffbm.types import Array

EXACT_UP_TO = 2048  # the largest m in the table
FEW_PARTS = 32  # up to here the polynomial part, above the saddle point
SHAPE_END = 20.0  # n > 20 sqrt(m): more parts change nothing (3e-8 nats)
_TERMS = 10  # of the polynomial part
_CELLS = 4096  # of the shape functions
_STEPS = np.array([1.0, 2.2, 7.0, 220.0])  # the sizes sqrt(m) at which the shape functions are fitted


class PartitionTables(NamedTuple):
    """What a kernel needs for ln q at any size."""

    exact: Array  # (M+1, P+1) ln q(m, n)
    few_parts: Array  # (33, 10) R = ln sum_j few_parts[n, j] t^(-2j), t = m + n(n+1)/4
    many_parts: Array  # (4096, 4, 4) cubic pieces in u = n/x of the r in R = x r0 + r1 + r2/x + r3/x^2, x = sqrt(m)


def log_partitions(m: npt.ArrayLike, n: npt.ArrayLike) -> Array:
    """Return ln q(m, n) for arrays of m and n, -inf where there is no partition.

    >>> np.round(np.exp(log_partitions([5, 5, 0, 3], [5, 2, 0, 0])), 9).tolist()
    [7.0, 3.0, 1.0, 0.0]
    """
    m, n = np.broadcast_arrays(np.asarray(m, dtype=np.int64), np.asarray(n, dtype=np.int64))
    out = np.full(m.shape, -np.inf)
    small = m <= EXACT_UP_TO
    if small.any():
        parts = np.minimum(n[small], m[small])
        out[small] = exact_table(int(m[small].max()), int(parts.max()))[m[small], parts]
    few = ~small & (n > 0) & (n <= FEW_PARTS)
    out[few] = closed_form(m[few], n[few]) + _remainder_of_few(m[few], n[few])
    two = ~small & (n == 2)
    out[two] = np.log(m[two] // 2 + 1)
    many = ~small & ~few & (n > 0)
    if many.any():
        parts = np.minimum(n[many], SHAPE_END * np.sqrt(m[many]))
        out[many] = log_partitions_saddle(m[many].astype(float), parts)
    return out


def partition_tables(m_max: int, n_max: int) -> PartitionTables:
    """Tabulate ln q for a kernel that asks for m <= m_max and n <= n_max."""
    rows = min(m_max, EXACT_UP_TO)
    if m_max <= EXACT_UP_TO:
        return PartitionTables(exact_table(rows, min(n_max, rows)), np.zeros((1, 1)), np.zeros((1, 1, 1)))
    return PartitionTables(exact_table(rows, min(n_max, rows)), few_coefficients(), shape_functions())


@lru_cache(maxsize=4)
def exact_table(m_max: int, n_max: int) -> Array:
    """Return ln q(m, n) for m = 0..m_max and n = 0..n_max by the recursion."""
    table = np.zeros((n_max + 1, m_max + 1))
    table[0, 0] = 1.0
    for n in range(1, n_max + 1):
        # Row n is the running sum, with stride n, of row n-1.
        padded = np.zeros(-(-(m_max + 1) // n) * n)
        padded[: m_max + 1] = table[n - 1]
        table[n] = np.cumsum(padded.reshape(-1, n), axis=0).ravel()[: m_max + 1]
    with np.errstate(divide="ignore"):
        return np.log(table.T, order="C")


def closed_form(m: Array, n: Array) -> Array:
    """Return ln q without its remainder R."""
    return np.asarray((n - 1) * np.log(m + n * (n + 1) / 4) - gammaln(n + 1) - gammaln(n))


def _remainder_of_few(m: Array, n: Array) -> Array:
    powers = (m + n * (n + 1) / 4)[:, None] ** (-2.0 * np.arange(_TERMS))
    return np.asarray(np.log((few_coefficients()[n] * powers).sum(axis=1)))


@lru_cache(maxsize=1)
def few_coefficients() -> Array:
    """Return a[n, j] such that q(m,n) = t^(n-1) / (n! (n-1)!) sum_j a[n,j] t^(-2j).

    They come from prod_{k<=n} (ks/2)/sinh(ks/2) = sum_j c_j s^(2j). The parts of q that oscillate
    with m are smaller by m^(-n/2) and left out: 1e-6 for n = 4, where they are largest (n = 2 is
    taken exactly).
    """
    bernoulli = [Fraction(1)]
    for j in range(1, 2 * _TERMS):
        bernoulli.append(-sum((comb(j + 1, i) * b for i, b in enumerate(bernoulli)), Fraction(0)) / (j + 1))
    out = np.zeros((FEW_PARTS + 1, _TERMS))
    for n in range(1, FEW_PARTS + 1):
        log_series = [Fraction(0)] * _TERMS
        for j in range(1, _TERMS):
            power_sum = sum(k ** (2 * j) for k in range(1, n + 1))
            log_series[j] = -bernoulli[2 * j] * power_sum / (2 * j * factorial(2 * j))
        series = [Fraction(1)]
        for j in range(1, _TERMS):
            series.append(sum((i * log_series[i] * series[j - i] for i in range(1, j + 1)), Fraction(0)) / j)
        for j in range(min(_TERMS, (n - 1) // 2 + 1)):
            out[n, j] = float(series[j] * factorial(n - 1) / factorial(n - 1 - 2 * j))
    return out


@lru_cache(maxsize=1)
def shape_functions() -> Array:
    """Return r0 .. r3 as cubic pieces over u = n / sqrt(m), from the saddle point at four sizes for each u."""
    u = np.linspace(0, SHAPE_END, _CELLS + 1)
    least = np.maximum(np.sqrt(EXACT_UP_TO), FEW_PARTS / u[1:])  # of sqrt(m), where this u is asked for
    x = least[:, None] * _STEPS
    parts = u[1:, None] * x
    remainder = log_partitions_saddle(x**2, parts) - closed_form(x**2, parts)
    powers = x[:, :, None] ** (1.0 - np.arange(4))
    r = np.zeros((_CELLS + 1, 4))
    r[1:] = np.linalg.solve(powers, remainder[:, :, None])[:, :, 0]
    return np.ascontiguousarray(CubicSpline(u, r).c.transpose(1, 2, 0))
