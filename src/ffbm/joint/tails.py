"""The tails of the learned prior along the path from no features to all.

Weights of a column that is inside are Student t, of 3 degrees of freedom. Where t is small hardly any features are left
in the likelihood, and with tails that heavy a few weights may be so large that they matter all the same: chains are in
this mode or in the other, and none crosses. So the tails, too, change along the path: at t there are::

    nu(t) = 3 (1 + eps) / (t^2 + eps)

degrees of freedom, at t = 0 about 1,200, which is nearly normal, at t = 1 the 3 of the prior. For moving columns only.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from ffbm.kernels.slab import DEGREES
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.design import Training
from ffbm.types import Array

_EPS = 0.0025


class Tails(NamedTuple):
    """The columns whose tails change along the path."""

    column: Array  # (A,) the column of each active feature, G for those of no such column
    freedom: Array  # (G,) contrasts of each column; 0 if its tails stay as they are

    def degrees(self, t: float, still: Array) -> Array:
        """Return the degrees of freedom (G,) at t, given those of the columns whose tails stay as they are."""
        return np.where(self.freedom > 0, degrees_at(t), still)

    def squares(self, weights: Array) -> Array:
        """Return |V_g|^2 (G,) of weights (A, B)."""
        each = np.bincount(self.column, weights=(weights**2).sum(axis=1), minlength=len(self.freedom) + 1)
        return np.asarray(each[:-1])


def degrees_at(t: float) -> float:
    """Return nu(t).

    >>> degrees_at(1.0), round(degrees_at(0.5), 1), round(degrees_at(0.0))
    (3.0, 11.9, 1203)
    """
    return float(DEGREES * (1 + _EPS) / (t**2 + _EPS))


def make_tails(groups: ColumnGroups | None, moving: Array, training: Training) -> Tails:
    """Prepare the moving columns of a design; none under the fixed prior."""
    active = training.rows.active
    if groups is None:
        return Tails(np.zeros(len(active), np.int64), np.zeros(0))
    none = len(groups.names)
    column = np.where(moving[active], groups.of_feature[active], none)
    freedom = np.bincount(column, minlength=none + 1)[:-1] * float(training.n_blocks - 1)
    return Tails(column, freedom)


def log_tails(degrees: float, freedom: Array, square: Array) -> float:
    """Return the log density, up to what the degrees do not change, of columns with these |V_g|^2.

    >>> normal = -0.5 * 9.0
    >>> bool(abs(log_tails(1e9, np.array([4.0]), np.array([9.0])) - 4 / 2 * np.log(1 / 2) - normal) < 1e-5)
    True
    """
    half = (degrees + freedom) / 2
    log_norm = gammaln(half) - gammaln(degrees / 2) - freedom / 2 * np.log(degrees)
    return float((log_norm - half * np.log1p(square / degrees)).sum())


def tails_slope(t: float, freedom: Array, square: Array) -> float:
    """Return the derivative of ``log_tails`` with respect to t."""
    degrees = degrees_at(t)
    both = degrees + freedom
    by_degrees = digamma(both / 2) - digamma(degrees / 2) - freedom / degrees - np.log1p(square / degrees)
    by_degrees += both * square / (degrees * (degrees + square))
    return float(by_degrees.sum() / 2 * degrees * -2 * t / (t**2 + _EPS))
