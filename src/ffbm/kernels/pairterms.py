"""-ln P of the weights of edges between two blocks, from their number, sum and squares: ``ffbm.blocks.edge_weights``.

Sums are whole numbers of units, the same for every order of moves. So are the sums over pairs that the law of the sums
needs: each pair adds a whole number of units so small that rounding does not matter.
"""

from math import lgamma, log, pi
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER

GEOMETRIC, POISSON, EXPONENTIAL, NORMAL = 0, 1, 2, 3


class PairTerms(NamedTuple):
    """The terms of a pair of blocks, or of all pairs: nats, and four whole numbers."""

    nats: float
    used: int  # 1 if there are edges
    many: int  # 1 if there are two or more, of normal weights
    square: Any  # the square of their sum, in units, of normal weights
    spread: Any  # their squares around the mean, in units, of normal weights


class Law(NamedTuple):
    """The law of the weights between two blocks, and the units they are counted in."""

    kind: int
    is_conjugate: bool
    is_flat: bool  # whether all sums of the pairs are equally probable; else the levels of a hierarchy explain them
    unit: float  # of a sum: y = unit times whole number; a weight is centre + scale y
    square_unit: float  # of a sum of squares of y
    centre: float
    scale: float
    least: float  # the smallest variance: of rounding
    pair_unit: float  # of ``PairTerms.square``
    spread_unit: float  # of ``PairTerms.spread``
    total: float  # the sum of all weights
    a: float  # hyperparameters of a conjugate prior, m0, k0, v0 and nu0 of a normal one
    b: float
    c: float
    d: float


@njit(**INLINE)
def log_simplex(m, x):
    """Return ln of the volume of the m positive numbers that sum to x."""
    return (m - 1) * log(x) - lgamma(m)


@njit(**INLINE)
def log_sphere(m, v):
    """Return ln of the volume of the m > 1 numbers with one sum and the squares v around their mean."""
    return -lgamma(0.5 * (m - 1)) - 0.5 * log(m) + 0.5 * (m - 3) * log(v) + 0.5 * (m - 1) * log(pi)


@njit(**INLINE)
def log_compositions(m, x):
    """Return ln C(m - 1 + x, x): in how many ways x is a sum of m whole numbers from 0."""
    return lgamma(m + x) - lgamma(x + 1.0) - lgamma(m)


@njit(**INNER)
def pair_terms(law, m, x, xx):
    """Return the terms of a pair of blocks with m edges, the sum x and the sum of squares xx, both in units."""
    if m == 0:
        return PairTerms(0.0, 0, 0, 0, 0)
    edges, y = float(m), law.unit * x
    if law.kind == NORMAL:
        mean = y / edges
        v = law.scale * law.scale * (law.square_unit * xx - y * mean)
        return _normal(law, m, edges, edges * law.centre + law.scale * y, v)
    if law.is_conjugate:
        return PairTerms(_conjugate(law, edges, y), 1, 0, 0, 0)
    if law.kind == GEOMETRIC:
        return PairTerms(log_compositions(edges, y), 1, 0, 0, 0)
    if law.kind == POISSON:
        return PairTerms(y * log(edges) - lgamma(y + 1.0), 1, 0, 0, 0)
    return PairTerms(log_simplex(edges, max(y, law.unit)), 1, 0, 0, 0)


@njit(**INLINE)
def _normal(law, m, edges, x, v):
    if law.is_conjugate:
        m0, k0, v0, nu0 = law.a, law.b, law.c, law.d
        k, nu, off = k0 + edges, nu0 + edges, x / edges - m0
        nats = lgamma(0.5 * nu0) - lgamma(0.5 * nu) + 0.5 * log(k / k0) - 0.5 * nu0 * log(nu0 * v0)
        nats += 0.5 * nu * log(nu0 * v0 + max(v, 0.0) + edges * k0 / k * off * off) + 0.5 * edges * log(pi)
        return PairTerms(nats, 1, 0, 0, 0)
    square = np.int64(np.rint(x * x / law.pair_unit))
    if m == 1:
        return PairTerms(0.0, 1, 0, square, 0)
    v = max(v, law.least * edges)
    return PairTerms(log_sphere(edges, v), 1, 1, square, np.int64(np.rint(v / law.spread_unit)))


@njit(**INLINE)
def _conjugate(law, m, x):
    a, b = law.a, law.b
    if law.kind == GEOMETRIC:
        return lgamma(a) + lgamma(b) - lgamma(a + b) - lgamma(m + a) - lgamma(x + b) + lgamma(m + a + x + b)
    if law.kind == POISSON:
        return lgamma(a) - a * log(b) - lgamma(x + a) + (x + a) * log(m + b)
    return lgamma(a) - a * log(b) - lgamma(m + a) + (m + a) * log(b + x)


@njit(**INNER)
def cost_of_sums(law, pairs):
    """Return -ln P of the sums of all pairs given the sum of all weights; 0 under a conjugate prior."""
    if law.is_conjugate or not law.is_flat or pairs.used == 0:
        return 0.0
    n = float(pairs.used)
    if law.kind in (GEOMETRIC, POISSON):
        return log_compositions(n, law.total)
    if law.kind == EXPONENTIAL:
        return log_simplex(n, law.total)
    nats = 0.0
    if pairs.used > 1:
        around = law.pair_unit * pairs.square - law.total * law.total / n
        nats += log_sphere(n, max(around, law.least * n))
    if pairs.many > 1:
        nats += log_simplex(float(pairs.many), law.spread_unit * pairs.spread)
    return nats


@njit(**INLINE)
def add_terms(one, other, sign):
    """Return the sum of two sets of terms, the second with a sign."""
    return PairTerms(
        one.nats + sign * other.nats, one.used + sign * other.used, one.many + sign * other.many,
        one.square + sign * other.square, one.spread + sign * other.spread,
    )  # fmt: skip
