"""The likelihood of one level in a hierarchy: its own one, in which the levels above take the place of P(e|b)."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.levelsums import recount_sums, sums_total, update_sums, with_weights
from ffbm.kernels.likelihood import block_term as inner_block_term
from ffbm.kernels.likelihood import change as inner_change
from ffbm.kernels.likelihood import recount as inner_recount
from ffbm.kernels.likelihood import register
from ffbm.kernels.likelihood import total as inner_total
from ffbm.kernels.likelihood import update as inner_update
from ffbm.kernels.tower import Tower, tower_change, tower_total, update_tower


class Nested(NamedTuple):
    """A level and the tower above it."""

    inner: Any  # the likelihood of the level, whose ``edge_cost`` is 0
    tower: Tower
    tables: Any  # of the levels above: ``multigraph.Multigraph`` or ``DirectedMultigraph``
    work: np.ndarray  # (L, 3, K+1) int64, its last row of each level zero before and after
    level: int  # row ``level`` of the tower is the one above
    sums: Any  # ``levelsums.LevelSums`` if the levels explain weights, else ``NoSums``


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) and of the levels above when a vertex moves from r to s."""
    nats = inner_change(likelihood.inner, c, k, loops, kind, r, s, blocks, links, n_near)
    return nats + tower_change(likelihood, c, loops, r, s, blocks, links, n_near)


@njit(**INNER)
def total(likelihood, c):
    """Return the cost of the level and of those above it."""
    nats = inner_total(likelihood.inner, c) + tower_total(likelihood.tower, likelihood.tables, likelihood.level)
    return nats + sums_total(likelihood.sums, likelihood.tower, likelihood.level)


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return the term of one group in the level's own likelihood."""
    return inner_block_term(likelihood.inner, n, e)


@njit(**INLINE)
def update(likelihood, g, c, i, r, s):
    """Update the levels above, and the weights of edges if there are some."""
    update_tower(likelihood.tower, likelihood.level, g, c, i, r, s)
    inner_update(likelihood.inner, g, c, i, r, s)
    update_sums(likelihood.sums, likelihood.inner, likelihood.tower, likelihood.level, g, c, i, r)


@njit(**INLINE)
def recount(likelihood, g, c):
    """Count the weights of edges, if there are some."""
    inner_recount(likelihood.inner, g, c)
    recount_sums(likelihood.sums, likelihood.tower, likelihood.level, c)


@njit(**INLINE)
def add_weights(likelihood, nats, g, c, i, s):
    """Return ``nats`` and the change of -ln P of the weights of edges, on the level and above."""
    return with_weights(likelihood.sums, likelihood.inner, nats, likelihood.tower, likelihood.level, g, c, i, s)


register(
    Nested, change=change, total=total, block_term=block_term, update=update, recount=recount, add_weights=add_weights
)
