"""The target of the weights, p(theta | X, y): the design, the response and the prior, checked and put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.kernels.slab import Slab
from ffbm.kernels.softmax import NO_SLAB, Target
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import Training, make_design, read_rows, train_on
from ffbm.theta.prior import INTERCEPT_SD, learned_scales, prior_scales
from ffbm.theta.response import read_members
from ffbm.types.graph import Array


@dataclass(frozen=True, eq=False)
class WeightTarget:
    """p(theta | X, y) prepared for chains.

    Parameters
    ----------
    training : Training
        The design of the training vertices.
    sums : (A, B) float64
        The response, X'y.
    scale : (D,) float64
        The prior: the standard deviation of each feature's weights. Chains start with it and have it in their state.
    values : float64
        Values of the training rows in place of the design's own, if a chain samples cells; else empty.
    groups : ColumnGroups, optional
        The columns whose scales are learned, under the learned prior; ``scale`` is then only where chains start.
    intercept_sd : float
        Of the intercept, under the learned prior.
    """

    training: Training
    sums: Array
    scale: Array
    values: Array = field(default_factory=lambda: np.zeros(0))
    groups: ColumnGroups | None = None
    intercept_sd: float = INTERCEPT_SD

    @property
    def n_blocks(self) -> int:
        """B."""
        return self.training.n_blocks

    @cached_property
    def slab(self) -> Slab:
        """Which scales are learned, for kernels."""
        return NO_SLAB if self.groups is None else self.groups.slab(self.training, self.values)

    @property
    def kernel(self) -> Target:
        """The target for kernels."""
        return self.training.target(self.sums, self.scale, self.values, self.slab)

    @property
    def gaussian(self) -> Target:
        """The target for kernels with all scales fixed: the geometry is computed from it."""
        return self.training.target(self.sums, self.scale, self.values)


def weight_target(
    features: Any,
    members: Any,
    rows: Any = None,
    sigma: Any = 1.0,
    intercept: bool = False,
    weight_prior: str = "fixed",
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
) -> WeightTarget:
    """Check features and memberships and prepare the target of the weights.

    The arguments are those of ``sample_weights``; features may be a Design. Three things are done here once, all exact:
    vertices with equal features are merged into one row with a count, the memberships are summed to X'y, and features
    that no training vertex has are set aside (their weights are the prior's).

    Examples
    --------
    >>> x = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]])
    >>> target = weight_target(x, [0, 1, 1], sigma=[1, 1, 0.5])
    >>> target.training.rows.counts.tolist(), target.training.rows.idle.tolist(), target.scale.tolist()
    ([2.0, 1.0], [2], [1.0, 1.0, 0.5])
    """
    design = make_design(features, intercept)
    chosen = read_rows(rows, design.n_nodes)
    y = read_members(members, design.n_nodes, chosen)
    training = train_on(design, chosen, y.shape[1])
    sums = training.sums(y)
    if weight_prior == "fixed":
        return WeightTarget(training, sums, prior_scales(sigma, design.columns))
    groups = group_columns(design, column_groups)
    return WeightTarget(training, sums, learned_scales(design, intercept_sd), groups=groups, intercept_sd=intercept_sd)
