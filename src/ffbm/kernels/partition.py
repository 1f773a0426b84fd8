"""What a partition costs by itself, -ln P(b): by the sizes of its blocks, and by how many of them are in use.

Vertices may be of several types, which never share a block: then every block has a type, that of its vertices, and
-ln P(b) is a sum over types. Which of the two it is, the class of the prior says when a kernel is compiled.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import generic, implement


class Prior(NamedTuple):
    """-ln P(b) up to a constant: what a block costs by its size, and what the number of blocks in use does."""

    size_cost: np.ndarray  # (N+2,) a block of n vertices
    size_step: np.ndarray  # (N+1,) one vertex more in it: size_cost[n + 1] - size_cost[n]
    used_cost: np.ndarray  # (B+1,)


class TypedPrior(NamedTuple):
    """-ln P(b) of vertices of several types; a ledger counts the blocks in use of type t in ``used[1 + t]``."""

    size_cost: np.ndarray
    size_step: np.ndarray
    used_cost: np.ndarray  # (types, B+1)
    kind: np.ndarray  # (B,) int64: the type of each block, be it empty


@generic
def may_share(prior, r, s):
    """Tell whether vertices of blocks r and s may be in one block."""


@generic
def used_costs(prior, c, r, more):
    """Return the cost of the number of blocks in use of the type of block r, now and with ``more`` of them."""


@generic
def used_total(prior, c):
    """Return the cost of the number of blocks in use, over all types."""


@generic
def count_types(prior, c):
    """Count the blocks in use of each type, from the sizes of blocks."""


@generic
def update_types(prior, c, r, s):
    """Update the counts of blocks in use by type, before a vertex moves from block r to another block s."""


@generic
def with_tables(prior, size_cost, size_step, used_cost):
    """Return the prior with these tables in place of its own."""


@njit(**INLINE)
def _any_share(prior, r, s):  # noqa: ARG001
    return True


@njit(**INLINE)
def _costs(prior, c, r, more):  # noqa: ARG001
    return prior.used_cost[c.used[0]], prior.used_cost[c.used[0] + more]


@njit(**INLINE)
def _total(prior, c):
    return prior.used_cost[c.used[0]]


@njit(**INLINE)
def count_none(prior, c):
    """Do nothing: there are no types, or labels on other levels give them."""


@njit(**INLINE)
def update_none(prior, c, r, s):
    """Do nothing, for the same reason."""


@njit(**INLINE)
def _with_tables(prior, size_cost, size_step, used_cost):  # noqa: ARG001
    return Prior(size_cost, size_step, used_cost)


@njit(**INLINE)
def _alike_share(prior, r, s):
    return prior.kind[r] == prior.kind[s]


@njit(**INLINE)
def _costs_of_type(prior, c, r, more):
    t = prior.kind[r]
    used = c.used[1 + t]
    return prior.used_cost[t, used], prior.used_cost[t, used + more]


@njit(**INLINE)
def _total_of_types(prior, c):
    nats = 0.0
    for t in range(prior.used_cost.shape[0]):
        nats += prior.used_cost[t, c.used[1 + t]]
    return nats


@njit(**INLINE)
def _count_types(prior, c):
    for t in range(prior.used_cost.shape[0]):
        c.used[1 + t] = 0
    for r in range(c.n.size):
        c.used[1 + prior.kind[r]] += int(c.n[r] > 0)


@njit(**INLINE)
def _update_types(prior, c, r, s):
    c.used[1 + prior.kind[r]] -= int(c.n[r] == 1)
    c.used[1 + prior.kind[s]] += int(c.n[s] == 0)


@njit(**INLINE)
def _with_typed_tables(prior, size_cost, size_step, used_cost):
    return TypedPrior(size_cost, size_step, used_cost, prior.kind)


implement(
    Prior,
    may_share=_any_share,
    used_costs=_costs,
    used_total=_total,
    count_types=count_none,
    update_types=update_none,
    with_tables=_with_tables,
)
implement(
    TypedPrior,
    may_share=_alike_share,
    used_costs=_costs_of_type,
    used_total=_total_of_types,
    count_types=_count_types,
    update_types=_update_types,
    with_tables=_with_typed_tables,
)
