"""The tower: the levels above the one that moves, what they cost, and how they follow its moves.

Row u holds level u + 1, whose members are the groups of level u. A member that moves between groups r and s of level u
takes its edges along on every level up to the first where r and s are in one group; above it nothing changes. A group
opens or closes beside one with the same parent only, so that parents never open or close with it. The last row always
has one group, or one for each type of vertices: groups of different types never share one below it, so the group of the
last row that a group is in is its type. Rows whose groups are all of one member with a type of its own cost nothing.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.groups import move_ends, move_link
from ffbm.kernels.multigraph import (
    cost_between_change,
    cost_inside_change,
    edge_counts_cost,
    ends_of_loops,
    out_and_in,
    resize_change,
)
from ffbm.kernels.tables import log_factorial


class Tower(NamedTuple):
    """Labels and counts of the levels above 0: row u is level u + 1."""

    b: np.ndarray  # (L, W) int32: the group of each group of level u
    n: np.ndarray  # (L, K) int64: members of each group
    e: np.ndarray  # (L, rows) int64: half-edges of each group, as in a ledger
    ers: np.ndarray  # (L, K, K) int32: half-edges between groups, or arcs
    used: np.ndarray  # (L, 1) int64: groups in use
    pairs: np.ndarray  # (L, K, K) int64: pairs of members with edges between them, at r <= s or from r to s
    sums: np.ndarray  # (L, K, K) int64: of their weights, in units: see ``levelsums``; both empty if it is not used


@njit(**INLINE)
def partition_cost(lf, n_members, n_groups):
    """Return Peixoto's -ln P of a partition without the sizes of its groups: ln C(N-1, B-1) + ln N! + ln N."""
    nats = log_factorial(lf, n_members - 1) - log_factorial(lf, n_groups - 1)
    nats -= log_factorial(lf, n_members - n_groups)
    return nats + log_factorial(lf, n_members) + np.log(n_members)


@njit(**INLINE)
def n_types(used):
    """Return how many types of vertices there are, given the groups in use (L, 1) of each row."""
    return used[used.shape[0] - 1, 0]


@njit(**INNER)
def type_of(b, u, r):
    """Return the type of group r of level u; b (L, W) are the labels of a tower."""
    for row in range(u, b.shape[0]):
        r = np.int64(b[row, r])
    return r


@njit(**INNER)
def count_type(b, u, n, t):
    """Return the members and the groups of type t on level u, whose groups have n (B,) members."""
    n_members = n_groups = 0
    for r in range(n.size):
        if n[r] > 0 and type_of(b, u, np.int64(r)) == t:
            n_members += n[r]
            n_groups += 1
    return n_members, n_groups


@njit(**INNER)
def partitions_cost(b, n_types, lf, u, n):
    """Return the cost of the partition of level u without the sizes n (B,) of its groups: a sum over types."""
    nats = 0.0
    for t in range(n_types):
        n_members, n_groups = count_type(b, u, n, t)
        nats += partition_cost(lf, n_members, n_groups)
    return nats


@njit(**INNER)
def tower_total(tower, tables, u):
    """Return the cost of rows u and above."""
    nats, lf = 0.0, tables.lf
    for row in range(u, tower.used.shape[0]):
        nats += edge_counts_cost(tables, tower.n[row], tower.ers[row]) + partitions_cost(
            tower.b, n_types(tower.used), lf, row + 1, tower.n[row]
        )
        for r in range(tower.n.shape[1]):
            nats -= log_factorial(lf, tower.n[row, r])
    return nats


@njit(**INLINE)
def tower_change(likelihood, c, loops, r, s, blocks, links, n_near):
    """Return the change of the rows above when a member moves from group r to s of a level, whose ledger is c.

    likelihood: a ``Nested``, that of the level.
    """
    tower, tables, u = likelihood.tower, likelihood.tables, likelihood.level
    above_r, above_s = np.int64(tower.b[u, r]), np.int64(tower.b[u, s])
    if above_r == above_s:
        closes, opens = c.n[r] == 1, c.n[s] == 0
        return 0.0 if closes == opens else size_change(tower, tables, u, above_r, c.used[0], 1 if opens else -1)
    return carried_change(likelihood, above_r, above_s, loops, blocks, links, n_near)


@njit(**INNER)
def size_change(tower, tables, u, r, n_members, more):
    """Return the change of row u when its group r gains ``more`` members; all groups have ``n_members`` now."""
    n, ers, n_groups, lf = tower.n[u], tower.ers[u], tower.used[u, 0], tables.lf
    if n_types(tower.used) > 1:
        n_members, n_groups = count_type(tower.b, u + 1, n, type_of(tower.b, u + 1, r))
    nats = resize_change(tables, n, ers, r, more)
    nats += partition_cost(lf, n_members + more, n_groups) - partition_cost(lf, n_members, n_groups)
    return nats + log_factorial(lf, n[r]) - log_factorial(lf, n[r] + more)


@njit(**INLINE)
def carried_change(likelihood, r, s, loops, blocks, links, n_near):
    """Return the change of all rows above a level when edges are carried_change from group r to s of the first of them.

    likelihood: a ``Nested``, that of the level. ``blocks`` and ``links`` list how many edges there are into each of its
    groups. No branch here depends on the data, but where a row ends: a wrongly predicted one takes more time than
    the sums.
    """
    b, n, ers = likelihood.tower.b, likelihood.tower.n, likelihood.tower.ers
    tables, work, u, nats = likelihood.tables, likelihood.work, likelihood.level, 0.0
    while r != s:
        groups, ends, marks = work[u, 0], work[u, 1], work[u, 2]
        n_groups = 0
        for a in range(n_near):
            t = np.uintp(b[u, np.uintp(blocks[a])])
            groups[n_groups] = t  # the array has a place more than there are groups: it may be written in vain
            n_groups += int(marks[t] == 0)
            marks[t] += links[a]
        for a in range(n_groups):
            ends[a] = marks[groups[a]]
        nats += edges_moved(tables, n[u], ers[u], loops, r, s, groups, marks, n_groups)
        u += 1
        r, s = np.int64(b[u, r]), np.int64(b[u, s])
        blocks, links, n_near = groups, ends, n_groups
    return nats


@njit(**INLINE)
def edges_moved(tables, n, ers, loops, r, s, groups, marks, n_groups):
    """Return the change of one row when edges, ``marks`` into each of its groups, move from r to s; sizes stay.

    ``marks`` is zero afterwards.
    """
    n_r, n_s, looped = n[r], n[s], ends_of_loops(tables, loops)
    out_r, in_r = out_and_in(tables, marks[r])
    out_s, in_s = out_and_in(tables, marks[s])
    marks[r] = marks[s] = 0
    nats = cost_inside_change(tables, n_r, ers[r, r], -out_r - in_r - looped)
    nats += cost_inside_change(tables, n_s, ers[s, s], out_s + in_s + looped)
    nats += cost_between_change(tables, n_r, n_s, ers[r, s], ers[s, r], in_r - out_s, out_r - in_s)
    for a in range(n_groups):
        t = np.uintp(groups[a])
        out, into = out_and_in(tables, marks[t])
        marks[t] = 0
        nats += cost_between_change(tables, n_r, n[t], ers[r, t], ers[t, r], -out, -into)
        nats += cost_between_change(tables, n_s, n[t], ers[s, t], ers[t, s], out, into)
    return nats


@njit(**INNER)
def update_tower(tower, u, g, c, i, r, s):
    """Update rows u and above after vertex i of level u has moved from group r to s."""
    above_r, above_s = tower.b[u, r], tower.b[u, s]
    if above_r == above_s:
        tower.n[u, above_r] += int(c.n[s] == 1) - int(c.n[r] == 0)
        return
    row = u
    while above_r != above_s:
        ers = tower.ers[row]
        for h in range(g.indptr[i], g.indptr[i + 1]):
            t = c.b[g.indices[h]]
            for below in range(u, row + 1):
                t = tower.b[below, t]
            move_link(g, i, h, ers, above_r, above_s, t)
        move_ends(g, i, ers, tower.e[row], above_r, above_s)
        row += 1
        above_r, above_s = tower.b[row, above_r], tower.b[row, above_s]
