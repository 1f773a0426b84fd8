"""Integrals over t from 0 to 1: nested Clenshaw-Curtis rules, and ratios of neighbouring t by stepping stones.

The rule with n + 1 points is that of u = sqrt(t), since most happens where t is small: it integrates the polynomial in
u through the values of 2 u f(u^2) at u_j = (1 - cos(pi j / n)) / 2. Every second point is a point of the rule with
n / 2 + 1, so that two rules can be compared on the same values.
"""

import numpy as np
from numpy.polynomial import chebyshev

from ffbm.types import Array

_MOST_TURNS = 200


def rule_points(n: int) -> Array:
    """Return the n points t above 0 of the rule with n + 1, the last of which is 1; at 0 the value does not count.

    >>> rule_points(4).round(3).tolist()
    [0.021, 0.25, 0.729, 1.0]
    """
    return _roots(n)[1:] ** 2


def _roots(n: int) -> Array:
    points = (1 - np.cos(np.pi * np.arange(n + 1) / n)) / 2
    points[-1] = 1.0
    return np.asarray(points)


def rule_weights(n: int) -> Array:
    """Return W (n, n): row j times the values of f at the points is the integral of f from 0 to t_j.

    >>> t = rule_points(8)
    >>> bool(np.allclose(rule_weights(8) @ (4 * t**3), t**4))
    True
    """
    u = _roots(n)
    x = 2 * u - 1
    coefficients = np.linalg.inv(chebyshev.chebvander(x, n))  # of the polynomial that is 1 at one point, 0 at the rest
    antiderivative = chebyshev.chebint(coefficients, lbnd=-1)
    return np.asarray((chebyshev.chebvander(x, n + 1) @ antiderivative)[1:, 1:] * u[1:])  # dt = 2 u dx / 2


def coarse_weights(n: int) -> Array:
    """Return the weights (n,) of the rule with half the points, on those of the rule with n: every second is 0.

    >>> coarse_weights(4).round(3).tolist()
    [0.0, 0.667, 0.0, 0.333]
    """
    weights = np.zeros(n)
    weights[1::2] = rule_weights(n // 2)[-1]
    return weights


def stepping_stones(down: Array, up: Array) -> Array:
    """Return ln p(t_j) - ln p(0) at every t (K,), from the ratios of neighbours.

    Parameters
    ----------
    down, up : (T, K) float64
        ln L at the t before and after less ln L at the own, of draws at each t.

    Notes
    -----
    The first ratio, p(0) / p(t_1) = E_1[L(0) / L(t_1)], needs no draws at 0. The others use the draws at both ends
    (Bennett, 1976; Meng and Wong, 1996): r = p(t_k+1) / p(t_k) solves::

        r = E_k[l / (l + r)] / E_k+1[1 / (l + r)],   l = L(t_k+1) / L(t_k)

    Examples
    --------
    >>> stepping_stones(np.full((5, 2), -1.0), np.array([[1.0, 0.0]] * 5)).tolist()
    [1.0, 2.0]
    """
    steps = [_log_mean(-down[:, 0], -1)]
    steps += [_bridge(up[:, k], -down[:, k + 1]) for k in range(down.shape[1] - 1)]
    return np.cumsum(steps)


def _bridge(here: Array, there: Array) -> float:
    """Return ln r from ln l of draws at either end."""
    log_ratio = float(np.median(np.concatenate((here, there))))
    for _ in range(_MOST_TURNS):
        above = np.mean(1 / (1 + np.exp(np.clip(log_ratio - here, -700, 700))))
        below = np.mean(1 / (1 + np.exp(np.clip(there - log_ratio, -700, 700))))
        change = float(np.log(above) - np.log(below))  # r_new / r: below is r times the mean of 1 / (l + r)
        log_ratio += change
        if abs(change) < 1e-10:
            break
    return log_ratio


def _log_mean(logs: Array, power: int) -> float:
    """Return minus or plus ln of the mean of exp(power * logs)."""
    top = float((power * logs).max())
    return power * (top + float(np.log(np.mean(np.exp(power * logs - top)))))
