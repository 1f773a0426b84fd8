"""Integrals over t from 0 to 1 on any values of t, ratios of neighbouring t, and where the values of t should be.

The rule is the integral of the cubic spline through the values; at t = 0 the derivative of ln p is 0. The same rule on
every second value of t tells whether there are enough of them.
"""

import numpy as np
from scipy.interpolate import CubicSpline

from ffbm.blocks.temperatures import half_distance
from ffbm.types import Array

_MOST_TURNS = 200
_STEP = 0.45  # of the barrier between neighbours: about half of the exchanges are made


def first_points(n: int) -> Array:
    """Return n values of t above 0, the last of which is 1, more of them where t is small.

    >>> first_points(4).tolist()
    [0.0625, 0.25, 0.5625, 1.0]
    """
    return np.asarray((np.arange(1, n + 1) / n) ** 2)


def rule_weights(t: Array) -> Array:
    """Return W (n, n): row j times the values of f at t (n,) is the integral of f from 0 to t_j, where f(0) = 0.

    >>> t = first_points(8)
    >>> bool(np.allclose(rule_weights(t) @ (4 * t**3), t**4))
    True
    """
    unit = np.eye(len(t) + 1)[:, 1:]
    return np.asarray(CubicSpline(np.append(0.0, t), unit).antiderivative()(t))


def coarse_weights(t: Array) -> Array:
    """Return the weights (n,) of the integral from 0 to 1 by every second value of t alone: the others are 0.

    >>> coarse_weights(np.array([0.25, 0.5, 0.75, 1.0])).round(3).tolist()
    [0.0, 0.667, 0.0, 0.167]
    """
    weights = np.zeros(len(t))
    weights[1::2] = rule_weights(t[1::2])[-1]
    return weights


def barriers(down: Array, up: Array) -> Array:
    """Return the barrier (K,) between each t and the one before, the first of which is 0.

    Between two values of t it is half the mean distance of two independent draws of ln L(t) less ln L(t'), averaged
    over both ends: see ``blocks.temperatures``. Neighbours with equal barriers exchange equally often.

    Parameters
    ----------
    down, up : (T, K) float64
        As in ``stepping_stones``.
    """
    below, above = ([half_distance(column) for column in table.T] for table in (down, up))
    return np.array([below[0], *((a + b) / 2 for a, b in zip(below[1:], above[:-1], strict=True))])


def values_needed(barrier: Array) -> int:
    """Return how many values of t, an even number, have neighbours that make about half of their exchanges.

    >>> values_needed(np.array([1.0, 2.0, 4.0]))
    16
    """
    return 2 * int(np.ceil(float(barrier.sum()) / _STEP / 2))


def spread(t: Array, barrier: Array, n: int) -> Array:
    """Return n values of t with equal barriers between them, from those (K,) between others.

    >>> spread(np.array([0.5, 1.0]), np.array([3.0, 1.0]), 4).round(3).tolist()
    [0.167, 0.333, 0.5, 1.0]
    """
    reached = np.append(0.0, np.cumsum(np.maximum(barrier, 1e-9)))
    points = np.interp(np.linspace(0.0, reached[-1], n + 1)[1:], reached, np.append(0.0, t))
    points[-1] = 1.0
    return np.asarray(points)


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


def _bridge(at_first: Array, at_second: Array) -> float:
    """Return ln r from ln l of draws at the first and at the second of two values of t."""
    log_ratio = float(np.median(np.concatenate((at_first, at_second))))
    for _ in range(_MOST_TURNS):
        above = np.mean(1 / (1 + np.exp(np.clip(log_ratio - at_first, -700, 700))))
        below = np.mean(1 / (1 + np.exp(np.clip(at_second - log_ratio, -700, 700))))
        change = float(np.log(above) - np.log(below))  # r_new / r: below is r times the mean of 1 / (l + r)
        log_ratio += change
        if abs(change) < 1e-10:
            break
    return log_ratio


def _log_mean(logs: Array, power: int) -> float:
    """Return minus or plus ln of the mean of exp(power * logs)."""
    top = float((power * logs).max())
    return power * (top + float(np.log(np.mean(np.exp(power * logs - top)))))
