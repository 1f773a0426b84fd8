"""Typical scales of the columns under the learned prior: where geometry is taken."""

from dataclasses import replace

import numpy as np

from ffbm.kernels.metric import add_curvature
from ffbm.kernels.slab import DEGREES
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import WeightTarget
from ffbm.types.network import Array

_ROUNDS = 3


def settle_scales(target: WeightTarget) -> WeightTarget:
    """Return the target with typical scales to start from, if they are learned; else as it is."""
    return target if target.groups is None else replace(target, scale=typical_scales(target, target.groups))


def typical_scales(target: WeightTarget, groups: ColumnGroups) -> Array:
    """Return the scale of each feature (D,), the learned ones near the middle of their posterior.

    The mode of the weights with scales integrated out is no guide: in many dimensions it is far from where the
    posterior is. So scales are set to their conditional mean given the second moments of the weights, nearly, and these
    found again: s^2 = (3 + sum |v|^2 + var v) / (3 + k).
    """
    training, scale, slab = target.training, target.scale.copy(), groups.slab(target.training)
    own, n_blocks = groups.of_feature[training.rows.active], training.n_blocks
    learned = own >= 0
    for _ in range(_ROUNDS if learned.any() else 0):
        kernel = training.target(target.sums, scale, target.values)
        mode = find_mode(kernel)
        rest = np.repeat(kernel.precision[:, np.newaxis], n_blocks, axis=1)
        add_curvature(kernel.rows, mode, np.zeros((0, 0, n_blocks)), rest)
        moments = (mode**2 + (1 - 1 / n_blocks) / rest).sum(axis=1)
        square = np.bincount(own[learned], weights=moments[learned], minlength=len(groups.names))
        of_column = np.sqrt((DEGREES + square) / (DEGREES + slab.freedom))
        everywhere = groups.of_feature >= 0
        scale[everywhere] = of_column[groups.of_feature[everywhere]]
    return scale
