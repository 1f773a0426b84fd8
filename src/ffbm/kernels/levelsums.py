"""The sums of weights between groups, explained level by level: see ``ffbm.blocks.edge_weights``.

A pair of groups has the pairs of its members that have edges between them, and the sum of their weights. A move changes
some pairs of groups; a pair of parents changes by the sum of these, and by how many of them gain or lose their edges.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INLINE, INNER
from ffbm.kernels.dispatch import generic, implement
from ffbm.kernels.likelihood import add_weights
from ffbm.kernels.multigraph import DirectedMultigraph, Multigraph
from ffbm.kernels.pairterms import EXPONENTIAL, Law, log_compositions, log_simplex
from ffbm.kernels.tables import look
from ffbm.kernels.weighted import COLUMN, EDGES, GAIN, ROW, SUM, Weighted, edges_of, list_changes, score_changes

NO_EDGES = -1  # in the place of a sum
PAIRS, SUMS, OPENS = 2, 3, 4  # of ``changes``, after ROW and COLUMN


class NoSums(NamedTuple):
    """Levels that explain edges alone."""

    is_directed: bool


class LevelSums(NamedTuple):
    """Levels that explain sums of weights too: their law, and arrays to work in."""

    is_directed: bool
    law: Law
    member_sums: np.ndarray  # (W, W) int64: between the members of the level that moves, ``NO_EDGES`` without edges
    changes: np.ndarray  # (5, 4 W + 4) int64: a pair, how many pairs of members and which sum it gains, if it opens
    mark: np.ndarray  # (K, K) int64: where a pair stands among the changes, from 1; zero before and after


@generic
def sums_total(sums, tower, u):
    """Return the cost of the sums of rows u and above."""


@generic
def with_weights(sums, inner, nats, tower, u, g, c, i, s):
    """Return ``nats`` and the change of what weights cost on level u and above when its member i moves to group s."""


@generic
def update_sums(sums, inner, tower, u, g, c, i, r):
    """Update the sums of the levels above after member i of level u has left group r."""


@generic
def recount_sums(sums, tower, u, c):
    """Count the sums of the groups of level u >= 1 again, after its labels have changed."""


@generic
def count_row(sums, tower, u, c):
    """Count the sums of row u from those of its members; c is the ledger of level 0."""


@generic
def store_member_sums(sums, tower, u, c):
    """Store the sums between the members of row u, whose groups are about to change; c is the ledger of level 0."""


@generic
def changes_of(inner, sums, tower, u, g, c, i, s):
    """Write down the pairs of groups that change on a row if member i of level u moves to group s.

    Return the change of what the weights themselves cost, the row, and how many pairs there are.
    """


@njit(**INLINE)
def cost_of_pair(law, m, x):
    """Return what the sum x, in units, of m pairs of members costs; 0 for none or one."""
    if m < 2:
        return 0.0
    if law.kind == EXPONENTIAL:
        return log_simplex(float(m), law.unit * max(x, 1))
    return log_compositions(float(m), law.unit * x)


@njit(**INLINE)
def note_pair(sums, n, r, t, d, dx):
    """Write down that the pair of r and t gains d pairs of members and the sum dx; return how many pairs change."""
    if r > t and not sums.is_directed:
        r, t = t, r
    changes, number = sums.changes, sums.mark[r, t]
    if number == 0:
        changes[ROW, n], changes[COLUMN, n], changes[PAIRS, n], changes[SUMS, n] = r, t, d, dx
        n += 1
        sums.mark[r, t] = n
    else:
        changes[PAIRS, number - 1] += d
        changes[SUMS, number - 1] += dx
    return n


@njit(**INNER)
def changes_of_blocks(inner, sums, tower, u, g, c, i, s):
    """Write down the pairs of parents of blocks that change: the pairs of blocks themselves are in the likelihood."""
    n_changes, n, noted, parents = list_changes(inner, g, c, i, s), 0, c.changes, tower.b[u]
    nats = score_changes(inner, c, n_changes).nats
    for k in range(n_changes):
        r, t, d, dx = noted[ROW, k], noted[COLUMN, k], noted[GAIN + EDGES, k], noted[GAIN + SUM, k]
        m = edges_of(inner, c, r, t)
        n = note_pair(sums, n, np.int64(parents[r]), np.int64(parents[t]), int(m + d > 0) - int(m > 0), dx)
    return nats, u, n


@njit(**INNER)
def changes_of_groups(inner, sums, tower, u, g, c, i, s):  # noqa: ARG001 - members and their sums are in ``sums.member_sums``
    """Write down the pairs of groups that the edges of one member leave and enter."""
    r, s, member_sums, n = np.int64(c.b[i]), np.int64(s), sums.member_sums, 0
    for j in range(c.b.size):
        t = np.int64(c.b[j])
        x = member_sums[i, j]
        if x != NO_EDGES:
            n = note_pair(sums, n, r, t, -1, -x)
            n = note_pair(sums, n, s, s if i == j else t, 1, x)
        x = member_sums[j, i]
        if sums.is_directed and i != j and x != NO_EDGES:
            n = note_pair(sums, n, t, r, -1, -x)
            n = note_pair(sums, n, t, s, 1, x)
    return 0.0, u - 1, n


@njit(**INNER)
def propagate(sums, tower, row, n, updates):
    """Return the change of the cost of the sums of this row and those above by the changes written down.

    With ``updates`` these are the changes of the reverse move, after a move: they are undone in the rows, not scored.
    """
    changes, mark, nats = sums.changes, sums.mark, 0.0
    while n > 0:
        pairs, total = tower.pairs[row], tower.sums[row]
        for k in range(n):
            r, t, d, dx = changes[ROW, k], changes[COLUMN, k], changes[PAIRS, k], changes[SUMS, k]
            mark[r, t] = 0
            if updates:
                pairs[r, t] -= d
                total[r, t] -= dx
            m, x = pairs[r, t], total[r, t]
            changes[OPENS, k] = int(m + d > 0) - int(m > 0)
            if not updates and (d != 0 or dx != 0):
                nats += cost_of_pair(sums.law, m + d, x + dx) - cost_of_pair(sums.law, m, x)
        row += 1
        if row == tower.used.shape[0]:
            break
        n_below, n, parents = n, 0, tower.b[row]
        for k in range(n_below):
            r, t, d, dx = changes[ROW, k], changes[COLUMN, k], changes[OPENS, k], changes[SUMS, k]
            if d != 0 or dx != 0:
                n = note_pair(sums, n, np.int64(parents[r]), np.int64(parents[t]), d, dx)
    return nats


@njit(**INNER)
def level_total(sums, tower, u):
    """Return what the sums of rows u and above cost."""
    nats, width = 0.0, tower.n.shape[1]
    for row in range(u, tower.used.shape[0]):
        for r in range(width):
            for t in range(width):
                nats += cost_of_pair(sums.law, tower.pairs[row, r, t], tower.sums[row, r, t])
    return nats


@njit(**INNER)
def level_weights(sums, inner, nats, tower, u, g, c, i, s):
    """Return ``nats`` and the change of what weights cost on level u and above."""
    sums, inner, tower, g, c = bare(sums), bare(inner), bare(tower), bare(g), bare(c)
    change, row, n = changes_of(inner, sums, tower, u, g, c, i, s)
    return nats + change + propagate(sums, tower, row, n, np.int64(0))


@njit(**INNER)
def level_update(sums, inner, tower, u, g, c, i, r):
    """Update the sums: undo the changes of the reverse move."""
    sums, inner, tower, g, c = bare(sums), bare(inner), bare(tower), bare(g), bare(c)
    _, row, n = changes_of(inner, sums, tower, u, g, c, i, r)
    propagate(sums, tower, row, n, np.int64(1))


@njit(**INNER)
def level_recount(sums, tower, u, c):
    """Count the pairs of level u again from those of its members, which are stored."""
    if u > 0:
        sum_members(sums, tower, u - 1, c.b.size)


@njit(**INNER)
def sum_members(sums, tower, row, n_members):
    """Fill a row from the sums stored of its members."""
    pairs, total, b = tower.pairs[row], tower.sums[row], tower.b[row]
    for r in range(pairs.shape[0]):
        for t in range(pairs.shape[1]):
            pairs[r, t] = total[r, t] = 0
    for i in range(n_members):
        for j in range(0 if sums.is_directed else i, n_members):
            if sums.member_sums[i, j] != NO_EDGES:
                r, t = b[i], b[j]
                if r > t and not sums.is_directed:
                    r, t = t, r
                pairs[r, t] += 1
                total[r, t] += sums.member_sums[i, j]


@njit(**INNER)
def store_sums(sums, edges, total, n_members):
    """Store the sums between the members of a level, given a table of their edges and one of their sums."""
    for i in range(n_members):
        for j in range(0 if sums.is_directed else i, n_members):
            sums.member_sums[i, j] = np.int64(look(total, i, j)) if look(edges, i, j) > 0 else NO_EDGES
            if not sums.is_directed:
                sums.member_sums[j, i] = sums.member_sums[i, j]


@njit(**INNER)
def level_store(sums, tower, u, c):
    """Store the sums between blocks, or between groups."""
    if u == 0:
        store_sums(sums, c.ers, c.sums, c.used[0])
    else:
        store_sums(sums, tower.pairs[u - 1], tower.sums[u - 1], tower.used[u - 1, 0])


@njit(**INNER)
def level_count(sums, tower, u, c):
    """Count the sums of row u."""
    level_store(sums, tower, u, c)
    sum_members(sums, tower, u, c.used[0] if u == 0 else tower.used[u - 1, 0])


@njit(**ENTRY)
def count_tower(ledger, tower, sums):
    """Count the sums of all rows, from the vertices up."""
    for row in range(tower.used.shape[0]):
        count_row(sums, tower, row, ledger)


@njit(**INLINE)
def zero_total(sums, tower, u):  # noqa: ARG001
    """Return 0."""
    return 0.0


@njit(**INLINE)
def inner_weights(sums, inner, nats, tower, u, g, c, i, s):  # noqa: ARG001
    """Return ``nats`` and the change of what weights cost on the level itself, if its edges have some."""
    return add_weights(inner, nats, g, c, i, s)


@njit(**INLINE)
def update_no_sums(sums, inner, tower, u, g, c, i, r):
    """Do nothing: there are no sums."""


@njit(**INLINE)
def count_no_sums(sums, tower, u, c):
    """Do nothing: there are no sums."""


implement(Weighted, changes_of=changes_of_blocks)
for kind_of_graph in (Multigraph, DirectedMultigraph):
    implement(kind_of_graph, changes_of=changes_of_groups)
implement(
    NoSums, sums_total=zero_total, with_weights=inner_weights, update_sums=update_no_sums, recount_sums=count_no_sums,
    count_row=count_no_sums, store_member_sums=count_no_sums,
)  # fmt: skip
implement(
    LevelSums, sums_total=level_total, with_weights=level_weights, update_sums=level_update, recount_sums=level_recount,
    count_row=level_count, store_member_sums=level_store,
)  # fmt: skip
