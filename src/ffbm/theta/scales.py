"""Typical scales of the columns under the learned prior, for which the geometry is computed."""

from dataclasses import replace

import numpy as np

from ffbm.kernels.metric import add_curvature
from ffbm.theta.chain import advance, set_up, start
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.cost import affordable_moves
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import WeightTarget
from ffbm.types.graph import Array

_ROUNDS, _PILOTS = 3, 2
_N_PILOT, _LEAST_PILOT = 100, 20  # moves of a pilot chain that are kept, and as many before them
_SECONDS = 5.0  # of such a chain, about: where moves are long there are fewer of them


def settle_scales(target: WeightTarget, rng: np.random.Generator) -> WeightTarget:
    """Return the target with typical scales to start from, if they are learned; else as it is.

    The mode of the weights with scales integrated out is no guide: in many dimensions it is far from where the
    posterior is. So scales are set to their conditional mean given the second moments of the weights, first those of a
    normal approximation, then those of short pilot chains, which know how skewed the posterior is.
    """
    groups = target.groups
    if groups is None or not (groups.of_feature[target.training.rows.active] >= 0).any():
        return target
    target = replace(target, scale=_by_approximation(target, groups))
    for _ in range(_PILOTS):
        target = replace(target, scale=_by_pilot(target, groups, rng))
    return target


def _by_approximation(target: WeightTarget, groups: ColumnGroups) -> Array:
    """Return the scales (D,) found by turns with the mode: s^2 = (3 + sum |v|^2 + var v) / (3 + k)."""
    training, scale, n_blocks = target.training, target.scale, target.n_blocks
    for _ in range(_ROUNDS):
        kernel = training.target(target.sums, scale, target.values)
        mode = find_mode(kernel)
        rest = np.repeat(kernel.precision[:, np.newaxis], n_blocks, axis=1)
        add_curvature(kernel.rows, mode, np.zeros((0, 0, n_blocks)), rest)
        moments = (mode**2 + (1 - 1 / n_blocks) / rest).sum(axis=1)
        scale = _of_moments(target, groups, moments)
    return scale


def _by_pilot(target: WeightTarget, groups: ColumnGroups, rng: np.random.Generator) -> Array:
    """Return the scales (D,) estimated from the weights of a short chain."""
    n_cells = len(target.training.rows.indices)
    n_pilot = affordable_moves(n_cells, target.n_blocks, _SECONDS / 2, _LEAST_PILOT, _N_PILOT)
    setup = set_up(target, "hmc", n_pilot, rng)
    _, drawn = advance(setup, start(setup, rng), 2 * n_pilot)
    centred = drawn.weights - drawn.weights.mean(axis=1, keepdims=True)
    squares = (centred[:, :, target.training.rows.active] ** 2).sum(axis=1)
    return np.median([_of_moments(target, groups, moments) for moments in squares], axis=0)


def _of_moments(target: WeightTarget, groups: ColumnGroups, moments: Array) -> Array:
    """Return the scales (D,) for |v|^2 of each active feature (A,)."""
    column = groups.of_feature[target.training.rows.active]
    square = np.bincount(column[column >= 0], weights=moments[column >= 0], minlength=len(groups.names))
    of_column = np.sqrt((groups.degrees + square) / (groups.degrees + target.slab.freedom))
    return np.where(groups.of_feature >= 0, np.append(of_column, 0.0)[groups.of_feature], target.scale)
