"""Cholesky factors of small symmetric matrices, and what is solved with them, in place."""

from math import log, sqrt
from typing import Any

from numba import njit

from ffbm.kernels.compilation import INNER


@njit(**INNER)
def factorise(a: Any) -> float:
    """Replace the lower triangle of a positive definite matrix by L, a = L L'; return ln det a."""
    total = 0.0
    for j in range(a.shape[0]):
        for i in range(j, a.shape[0]):
            rest = a[i, j]
            for k in range(j):
                rest -= a[i, k] * a[j, k]
            a[i, j] = sqrt(rest) if i == j else rest / a[j, j]
        total += 2.0 * log(a[j, j])
    return total


@njit(**INNER)
def solve(lower: Any, x: Any) -> None:
    """Replace a vector x by (L L')^-1 x."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= lower[i, k] * x[k]
        x[i] /= lower[i, i]
    solve_transposed(lower, x)


@njit(**INNER)
def solve_transposed(lower: Any, x: Any) -> None:
    """Replace a vector x by (L')^-1 x."""
    for i in range(len(x) - 1, -1, -1):
        x[i] /= lower[i, i]
        for k in range(i):
            x[k] -= lower[i, k] * x[i]


@njit(**INNER)
def multiply_transposed(lower: Any, x: Any) -> None:
    """Replace a vector x by L' x."""
    for i in range(len(x)):
        x[i] *= lower[i, i]
        for k in range(i + 1, len(x)):
            x[i] += lower[k, i] * x[k]


@njit(**INNER)
def solve_rows(lower: Any, x: Any) -> None:
    """Replace a matrix x by (L L')^-1 x."""
    n = x.shape[0]
    for i in range(n):
        for k in range(i):
            for c in range(x.shape[1]):
                x[i, c] -= lower[i, k] * x[k, c]
        for c in range(x.shape[1]):
            x[i, c] /= lower[i, i]
    for i in range(n - 1, -1, -1):
        for c in range(x.shape[1]):
            x[i, c] /= lower[i, i]
        for k in range(i):
            for c in range(x.shape[1]):
                x[k, c] -= lower[i, k] * x[i, c]
