"""-ln P of the partition of one level of a hierarchy: Peixoto's prior, for each type of vertices by itself."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import implement
from ffbm.kernels.partition import count_none, update_none
from ffbm.kernels.tower import count_type, n_types, partition_cost, partitions_cost, type_of


class LevelPrior(NamedTuple):
    """Tables and labels; groups are of one type if they are in one group of the last row of the tower."""

    size_cost: np.ndarray  # (M+2,) a group of n members
    size_step: np.ndarray  # (M+1,)
    used_cost: np.ndarray  # (B+1,) the number of groups in use, if all members are of one type
    lf: np.ndarray  # ln x!, as far as they are tabulated
    b: np.ndarray  # (L, W) int32: the labels of the tower
    used: np.ndarray  # (L, 1) int64: its groups in use
    level: int


@njit(**INLINE)
def may_share(prior, r, s):
    """Tell whether groups r and s are of one type."""
    return n_types(prior.used) == 1 or type_of(prior.b, prior.level, r) == type_of(prior.b, prior.level, s)


@njit(**INLINE)
def used_costs(prior, c, r, more):
    """Return the cost of the number of groups of the type of r, now and with ``more`` of them."""
    if n_types(prior.used) == 1:
        return prior.used_cost[c.used[0]], prior.used_cost[c.used[0] + more]
    n_members, n_groups = count_type(prior.b, prior.level, c.n, type_of(prior.b, prior.level, np.int64(r)))
    return partition_cost(prior.lf, n_members, n_groups), partition_cost(prior.lf, n_members, n_groups + more)


@njit(**INLINE)
def used_total(prior, c):
    """Return the cost of the number of groups in use, over all types."""
    if n_types(prior.used) == 1:
        return prior.used_cost[c.used[0]]
    return partitions_cost(prior.b, n_types(prior.used), prior.lf, prior.level, c.n)


implement(
    LevelPrior,
    may_share=may_share,
    used_costs=used_costs,
    used_total=used_total,
    count_types=count_none,
    update_types=update_none,
)
