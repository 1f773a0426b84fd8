"""The search for the maximum of a costly function of ln s, by parabolas through three points."""

from math import log, nan
from typing import Any

from numba import njit

from ffbm.kernels.compilation import INNER

STEP = 0.7  # between the first three points, and beyond them
N_TURNS = 7
_LEAST, _MOST = log(0.25), log(16.0)  # the search goes no further
_WIDEST, _NARROWEST = 0.7, 0.02


@njit(**INNER)
def next_point(turn: int, at: Any, height: Any) -> float:
    """Return where to evaluate next, NaN if the three points ``at`` with their heights are good enough."""
    if turn < 3:
        return (turn - 1) * STEP
    if height[0] > height[1]:
        return at[0] - STEP if at[0] > _LEAST else nan
    if height[2] > height[1]:
        return at[2] + STEP if at[2] < _MOST else nan
    spread = width(at, height)
    if min(at[1] - at[0], at[2] - at[1]) < 3.0 * spread:
        return nan
    new = top(at, height)
    least = 0.5 * spread if new >= at[1] else -0.5 * spread
    return new if abs(new - at[1]) >= abs(least) else at[1] + least


@njit(**INNER)
def keep_point(turn: int, t: float, value: float, at: Any, height: Any) -> None:
    """Put a new point in the place of one of the three."""
    slot = turn
    if turn >= 3:
        is_higher = value > height[1]
        if t < at[0] or (t < at[1] and is_higher):  # the last point goes
            at[2], height[2] = at[1], height[1]
            if t < at[0]:
                at[1], height[1] = at[0], height[0]
            slot = 0 if t < at[0] else 1
        elif t > at[2] or (t > at[1] and is_higher):  # the first one goes
            at[0], height[0] = at[1], height[1]
            if t > at[2]:
                at[1], height[1] = at[2], height[2]
            slot = 2 if t > at[2] else 1
        else:
            slot = 0 if t < at[1] else 2
    at[slot], height[slot] = t, value


@njit(**INNER)
def _bend(at: Any, height: Any) -> float:
    """Return half the second derivative of the parabola through the three points."""
    above, below = (height[2] - height[1]) / (at[2] - at[1]), (height[1] - height[0]) / (at[1] - at[0])
    return (above - below) / (at[2] - at[0])


@njit(**INNER)
def top(at: Any, height: Any) -> float:
    """Return where the parabola is highest, no further out than the points are."""
    bend = _bend(at, height)
    if not bend < -1e-6:
        return at[0] if height[0] > max(height[1], height[2]) else at[2] if height[2] > height[1] else at[1]
    slope = (height[1] - height[0]) / (at[1] - at[0]) + bend * (at[1] - at[0])
    return min(max(at[1] - 0.5 * slope / bend, at[0]), at[2])


@njit(**INNER)
def width(at: Any, height: Any) -> float:
    """Return the standard deviation of the normal law that the parabola is the logarithm of, within bounds."""
    bend = _bend(at, height)
    return min(max((-2.0 * bend) ** -0.5, _NARROWEST), _WIDEST) if bend < -1e-6 else _WIDEST
