"""The learned prior of the weights: a scale for each column, drawn given the weights before each of their moves.

A column g whose weights are N(0, s^2) with s^2 ~ InverseGamma(nu/2, nu/2) has s^2 | V ~ InverseGamma((nu + k)/2, (nu
+ |V|^2)/2) for the k contrasts V of its features. With s integrated out these are Student t with nu degrees of freedom,
3 in the model::

    -ln p(V) = (nu + k)/2 ln(1 + |V|^2 / nu) + const
"""

from math import exp, isnan, lgamma, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INLINE, INNER

DEGREES = 3.0  # of freedom, in the model


class Slab(NamedTuple):
    """Which features share a scale; with no columns at all the prior is fixed."""

    column: np.ndarray  # (D,) int64: the column of each feature, -1 if its scale is fixed; empty: all are fixed
    degrees: np.ndarray  # (G,) float64: nu
    freedom: np.ndarray  # (G,) float64: k, the contrasts of the features that some training vertex has
    square: np.ndarray  # (G,) float64: a buffer for |V|^2
    start: np.ndarray  # (G+1,) int64: where the features of each column, among the A active ones, begin
    feature: np.ndarray  # int64
    row_start: np.ndarray  # (A+1,) int64: where the training rows of each active feature begin
    row: np.ndarray  # int32
    value: np.ndarray  # float64
    union_start: np.ndarray  # (G+1,) int64: where the rows that have a feature of each column begin
    union: np.ndarray  # int32


@njit(**INNER)
def take_squares(slab: Any, active: Any, w: Any) -> None:
    """Fill ``slab.square`` with |V_g|^2 of each column, w (A, B) being contrasts."""
    column, square = slab.column, slab.square
    for g in range(len(square)):
        square[g] = 0.0
    for a in range(w.shape[0]):
        g = column[active[a]]
        if g >= 0:
            total = 0.0
            for k in range(w.shape[1]):
                total += w[a, k] * w[a, k]
            square[g] += total


@njit(**ENTRY)
def without_scales(slab: Any, active: Any, w: Any, precision: Any) -> float:
    """Return the change of U by integrating scales out: -ln p of the Student t less that given the precisions (A,).

    ``slab.square`` gets |V_g|^2.
    """
    take_squares(slab, active, w)
    more = 0.0
    for g in range(len(slab.square)):
        degrees = slab.degrees[g]
        more += 0.5 * (degrees + slab.freedom[g]) * log(1.0 + slab.square[g] / degrees)
    for a in range(w.shape[0]):
        if slab.column[active[a]] >= 0:
            for k in range(w.shape[1]):
                more -= 0.5 * precision[a] * w[a, k] * w[a, k]
    return more


@njit(**INNER)
def draw_scale(rng: Any, degrees: float, freedom: float, square: float) -> float:
    """Return a draw of s given k contrasts with |V|^2: s^2 ~ InverseGamma((nu + k)/2, (nu + |V|^2)/2)."""
    return sqrt(0.5 * (degrees + square) / rng.standard_gamma(0.5 * (degrees + freedom)))


@njit(**INNER)
def draw_scales(rng: Any, slab: Any, active: Any, w: Any, scale: Any) -> None:
    """Draw the scales (D,) of all features given the contrasts w (A, B), one for each column."""
    take_squares(slab, active, w)
    for g in range(len(slab.square)):
        slab.square[g] = draw_scale(rng, slab.degrees[g], slab.freedom[g], slab.square[g])
    for d in range(len(scale)):
        if slab.column[d] >= 0:
            scale[d] = slab.square[slab.column[d]]


@njit(**INNER)
def draw_precisions(rng: Any, slab: Any, active: Any, w: Any, scale: Any, precision: Any) -> None:
    """Draw the scales of all features given the contrasts, and set the precisions (A,) to them."""
    draw_scales(rng, slab, active, w, scale)
    for a in range(w.shape[0]):
        if slab.column[active[a]] >= 0:
            precision[a] = scale[active[a]] ** -2


@njit(**INNER)
def log_scale_prior(degrees: float, t: float) -> float:
    """Return the log density of t = ln s."""
    half = 0.5 * degrees
    return log(2.0) + half * log(half) - lgamma(half) - degrees * t - half * exp(-2.0 * t)


@njit(**INNER)
def slab_constant(degrees: float, freedom: float) -> float:
    """Return ln p(V) of the Student t at V = 0, in k contrasts."""
    if freedom == 0.0:
        return 0.0
    return lgamma(0.5 * (degrees + freedom)) - lgamma(0.5 * degrees) - 0.5 * freedom * log(degrees * pi)


@njit(**INLINE)
def log_odds_of_one_more(n_inside: int, n_columns: int, odds: float) -> float:
    """Return ln P(n + 1 given columns inside) / P(n of them): ``odds``, or with omega ~ Beta(1, G) integrated out."""
    if not isnan(odds):
        return odds
    return log((1.0 + n_inside) / (2.0 * n_columns - n_inside - 1.0))
