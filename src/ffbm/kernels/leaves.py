"""The likelihood of blocks that are the leaves of a given tree, whose edge counts are explained level by level.

A leaf may be empty; then it is as if it were not in the tree, and so are groups without an occupied leaf. A vertex that
moves may close its leaf and open another one, anywhere in the tree, with the groups above them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.groups import move_ends, move_link
from ffbm.kernels.likelihood import add_weights as inner_add_weights
from ffbm.kernels.likelihood import block_term as inner_block_term
from ffbm.kernels.likelihood import change as inner_change
from ffbm.kernels.likelihood import recount as inner_recount
from ffbm.kernels.likelihood import register
from ffbm.kernels.likelihood import total as inner_total
from ffbm.kernels.likelihood import update as inner_update
from ffbm.kernels.multigraph import (
    cost_between,
    cost_inside,
    edge_counts_cost,
    ends_of_loops,
    out_and_in,
    resize_change,
)
from ffbm.kernels.tables import look


class Branches(NamedTuple):
    """The groups above the leaves: row u holds level u + 1, and the last one has one group."""

    b: np.ndarray  # (L, W) int32: the group of each leaf or group of level u; never changed
    n: np.ndarray  # (L, W) int64: occupied members of each group
    e: np.ndarray  # (L, rows) int64: half-edges of each group, as in a ledger
    ers: np.ndarray  # (L, W, W) int32: half-edges between groups, or arcs


class Leaves(NamedTuple):
    """A likelihood of blocks and the tree above them."""

    inner: Any  # that of the blocks, whose ``edge_cost`` is 0
    branches: Branches
    tables: Any  # ``multigraph.Multigraph`` or ``DirectedMultigraph``
    work: np.ndarray  # (L, 3, W) int64: its last row of each level is zero before and after


@njit(**INNER)
def branch_change(branches, tables, work, c, loops, r, s, blocks, links, n_near):
    """Return the change of all levels when a vertex moves from leaf r to s."""
    closes, opens, nats = c.n[r] == 1, c.n[s] == 0, 0.0
    for u in range(branches.b.shape[0]):
        b, n, ers = branches.b[u], branches.n[u], branches.ers[u]
        above_r, above_s = np.int64(b[r]), np.int64(b[s])
        if above_r == above_s:
            more = int(opens) - int(closes)
            return nats + (resize_change(tables, n, ers, above_r, more) if more != 0 else 0.0)
        groups, ends, marks = work[u, 0], work[u, 1], work[u, 2]
        n_groups = 0
        for a in range(n_near):
            t = b[blocks[a]]
            if marks[t] == 0:
                groups[n_groups] = t
                n_groups += 1
            marks[t] += links[a]
        nats += carried_change(tables, n, ers, loops, above_r, above_s, int(closes), int(opens), marks)
        for a in range(n_groups):
            ends[a] = marks[groups[a]]
            marks[groups[a]] = 0
        closes, opens = closes and n[above_r] == 1, opens and n[above_s] == 0
        r, s, blocks, links, n_near = above_r, above_s, groups, ends, n_groups
    return nats


@njit(**INNER)
def carried_change(tables, n, ers, loops, r, s, closes, opens, marks):
    """Return the change of one level when a vertex takes its edges, ``marks`` into each group, from group r to s.

    Group r loses ``closes`` members by it, s gains ``opens``.
    """
    n_r, n_s, nats = n[r] - closes, n[s] + opens, 0.0
    for t in range(n.size):
        if t != r and t != s and n[t] > 0:
            out, into = out_and_in(tables, marks[t])
            nats += cost_between(tables, n_r, n[t], ers[r, t] - out, ers[t, r] - into)
            nats -= cost_between(tables, n[r], n[t], ers[r, t], ers[t, r])
            nats += cost_between(tables, n_s, n[t], ers[s, t] + out, ers[t, s] + into)
            nats -= cost_between(tables, n[s], n[t], ers[s, t], ers[t, s])
    looped = ends_of_loops(tables, loops)
    out_r, in_r = out_and_in(tables, marks[r])
    out_s, in_s = out_and_in(tables, marks[s])
    nats += cost_inside(tables, n_r, ers[r, r] - out_r - in_r - looped) - cost_inside(tables, n[r], ers[r, r])
    nats += cost_inside(tables, n_s, ers[s, s] + out_s + in_s + looped) - cost_inside(tables, n[s], ers[s, s])
    nats += cost_between(tables, n_r, n_s, ers[r, s] + in_r - out_s, ers[s, r] + out_r - in_s)
    return nats - cost_between(tables, n[r], n[s], ers[r, s], ers[s, r])


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    nats = inner_change(likelihood.inner, c, k, loops, kind, r, s, blocks, links, n_near)
    return nats + branch_change(
        likelihood.branches, likelihood.tables, likelihood.work, c, loops, r, s, blocks, links, n_near
    )


@njit(**INNER)
def total(likelihood, c):
    """Return the cost of the blocks and of all levels above them."""
    nats, branches = inner_total(likelihood.inner, c), likelihood.branches
    for u in range(branches.b.shape[0]):
        nats += edge_counts_cost(likelihood.tables, branches.n[u], branches.ers[u])
    return nats


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return the term of one block in the blocks' own likelihood."""
    return inner_block_term(likelihood.inner, n, e)


@njit(**INNER)
def update_branches(branches, g, c, i, r, s):
    """Update all levels after vertex i has moved from leaf r to s."""
    closes, opens = c.n[r] == 0, c.n[s] == 1
    for u in range(branches.b.shape[0]):
        n, ers = branches.n[u], branches.ers[u]
        r, s = np.int64(branches.b[u, r]), np.int64(branches.b[u, s])
        n[r] -= int(closes)
        n[s] += int(opens)
        if r == s:
            return
        for h in range(g.indptr[i], g.indptr[i + 1]):
            t = c.b[g.indices[h]]
            for below in range(u + 1):
                t = branches.b[below, t]
            move_link(g, i, h, ers, r, s, t)
        move_ends(g, i, ers, branches.e[u], r, s)
        closes, opens = closes and n[r] == 0, opens and n[s] == 1


@njit(**INLINE)
def update(likelihood, g, c, i, r, s):
    """Update the levels above, and what the blocks' own likelihood counts."""
    update_branches(likelihood.branches, g, c, i, r, s)
    inner_update(likelihood.inner, g, c, i, r, s)


@njit(**INNER)
def count_branches(branches, c):
    """Count the members and edges of all levels from those of the leaves."""
    n_leaves = c.n.size
    n_sides = branches.e.shape[1] // branches.n.shape[1]
    branches.n[:] = 0
    branches.e[:] = 0
    branches.ers[:] = 0
    for r in range(n_leaves):
        if c.n[r] > 0:
            branches.n[0, branches.b[0, r]] += 1
        for s in range(n_leaves):
            branches.ers[0, branches.b[0, r], branches.b[0, s]] += look(c.ers, r, s)
        for side in range(n_sides):
            branches.e[0, n_sides * branches.b[0, r] + side] += c.e[n_sides * r + side]
    for u in range(1, branches.b.shape[0]):
        for r in range(branches.n.shape[1]):
            above = branches.b[u, r]
            branches.n[u, above] += int(branches.n[u - 1, r] > 0)
            for s in range(branches.n.shape[1]):
                branches.ers[u, above, branches.b[u, s]] += branches.ers[u - 1, r, s]
            for side in range(n_sides):
                branches.e[u, n_sides * above + side] += branches.e[u - 1, n_sides * r + side]


@njit(**INLINE)
def recount(likelihood, g, c):
    """Count all levels."""
    inner_recount(likelihood.inner, g, c)
    count_branches(likelihood.branches, c)


@njit(**INLINE)
def add_weights(likelihood, nats, g, c, i, s):
    """Return ``nats`` and the change of -ln P of the weights of edges."""
    return inner_add_weights(likelihood.inner, nats, g, c, i, s)


register(
    Leaves, change=change, total=total, block_term=block_term, update=update, recount=recount, add_weights=add_weights
)
