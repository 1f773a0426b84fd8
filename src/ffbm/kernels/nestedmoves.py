"""Moves of a hierarchy: groups of one parent split and merged, and whole levels opened and closed.

Groups have no names, so a split takes the next free label; those in use are always 0 .. B - 1.
"""

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, accepts, decide
from ffbm.kernels.compilation import INNER, copy
from ffbm.kernels.ledger import count_all
from ffbm.kernels.levelsums import count_row
from ffbm.kernels.likelihood import recount
from ffbm.kernels.mergesplit import Split, collect, draw_split, gather, move_scored, resplit
from ffbm.kernels.tables import log_factorial, look
from ffbm.kernels.target import keep_term, move
from ffbm.kernels.tower import n_types, type_of
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY, FIELD


@njit(**INNER)
def draw_anchors(rng, g, n_members):
    """Draw a member and another one, half of the time a neighbour: parts of one group are found along their edges.

    Which groups they are in plays no part, so a pair is as likely after a move as before it. It may be a member twice.
    """
    i, j = int(rng.random() * n_members), int(rng.random() * n_members)
    if rng.random() < 0.5:
        begin, end = g.indptr[i], g.indptr[i + 1]
        j = int(g.indices[begin + int(rng.random() * (end - begin))]) if end > begin else i
    return i, j


@njit(**INNER)
def split_or_merge(rng, m, c, parents, beta, n_scans, work, scratch):
    """Propose to split a group into two with the same parent, or to merge two such groups.

    The pair of anchors that splits a group is the one that merges the two.
    """
    i, j = draw_anchors(rng, m.graph, c.b.size)
    if i == j:
        return 0.0, 0.0, IMPOSSIBLE
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    splits = r == s
    before, after, group = work[0], work[1], work[2]
    path, spare = np.zeros(2), np.zeros(2)
    if splits:
        s = c.used[0]
        if s == c.n.size:
            return 0.0, 0.0, IMPOSSIBLE
        parents[s] = parents[r]
        split = Split(group, gather(c, r, r, i, j, group), r, s)
        move_scored(m, c, j, s, path, scratch)
        there = draw_split(rng, m, c, beta, n_scans, split, before, False, path, scratch)
        copy(c.b, after)
        return path[ENTROPY], path[FIELD], -there
    if parents[r] != parents[s]:
        return 0.0, 0.0, IMPOSSIBLE
    split = Split(group, gather(c, r, s, i, j, group), r, s)
    collect(m, c, split, r, path, scratch)
    move_scored(m, c, j, r, path, scratch)
    copy(c.b, after)
    move(m, c, j, s)
    back = draw_split(rng, m, c, beta, n_scans, split, before, True, spare, scratch)
    return path[ENTROPY], path[FIELD], back


@njit(**INNER)
def move_many(rng, m, c, parents, splits, beta, n_scans, totals, work, scratch):
    """Try to split two groups again or, with ``splits``, to split one or merge two; return whether they moved."""
    copy(c.b, work[BEFORE])
    if splits:
        change, lift, log_ratio = split_or_merge(rng, m, c, parents, beta, n_scans, work, scratch)
    else:
        change, lift, log_ratio = resplit(rng, m, c, beta, n_scans, work, scratch)
    is_accepted = decide(rng, m, c, beta, change, lift, log_ratio, work[BEFORE], work[AFTER], totals)
    if is_accepted and splits:
        fill_gap(m, c, parents)
    return is_accepted


@njit(**INNER)
def fill_gap(m, c, parents):
    """Give the last group the label that a merge has freed, if there is one."""
    n_used, free = c.used[0], 0
    while free < n_used and c.n[free] > 0:
        free += 1
    if free == n_used:
        return
    for v in range(c.b.size):
        if c.b[v] == n_used:
            c.b[v] = free
    parents[free] = parents[n_used]
    count_all(m.graph, c)
    for r in range(c.n.size):
        keep_term(m.graph, m.likelihood, c, r)
    recount(m.likelihood, m.graph, c)


@njit(**INNER)
def move_level(rng, c, tower, lf, sums, beta, totals):
    """Try to open a level whose groups have one member each, or to close such a level; return whether it was done.

    Its n groups cost ln n! + ln n, those of each type apart, and no edge counts or weights. There are as many rows as
    there are: a level is opened only while the last but one is not needed.
    """
    last, fewest = tower.used.shape[0] - 1, n_types(tower.used)
    u = int(rng.random() * last)
    n_members = c.used[0] if u == 0 else tower.used[u - 1, 0]
    opens = rng.random() < 0.5
    if n_members == fewest or (opens and (n_members > tower.n.shape[1] or tower.used[last - 1, 0] > fewest)):
        return False
    if not opens and tower.used[u, 0] != n_members:
        return False
    cost = cost_alone(tower, lf, u, n_members)
    if not accepts(rng.random(), -beta * cost if opens else beta * cost):
        return False
    if opens:
        totals[ENTROPY] += cost
        for row in range(last, u, -1):
            copy_row(tower, row - 1, row)
        if u == 0:
            stand_alone(tower, u, c.ers, n_members)
        else:
            stand_alone(tower, u, tower.ers[u - 1], n_members)
        count_row(sums, tower, u, c)
    else:
        totals[ENTROPY] -= cost
        for g in range(n_members):
            tower.b[u, g] = tower.b[u + 1, tower.b[u, g]]
        for g in range(n_members):
            tower.b[u + 1, g] = tower.b[u, g]
        for row in range(u, last):
            copy_row(tower, row + 1, row)
        stand_alone(tower, last, tower.ers[last - 1], fewest)
        count_row(sums, tower, last, c)
    return True


@njit(**INNER)
def cost_alone(tower, lf, u, n_members):
    """Return the cost of a partition of the first so many groups of level u into groups of one member each."""
    nats = 0.0
    for t in range(n_types(tower.used)):
        n_of_type = 0
        for r in range(n_members):
            n_of_type += int(type_of(tower.b, u, np.int64(r)) == t)
        nats += log_factorial(lf, n_of_type) + np.log(n_of_type)
    return nats


@njit(**INNER)
def copy_row(tower, source, target):
    """Copy a row of the tower."""
    for g in range(tower.b.shape[1]):
        tower.b[target, g] = tower.b[source, g]
    for r in range(tower.n.shape[1]):
        tower.n[target, r] = tower.n[source, r]
        for s in range(tower.n.shape[1]):
            tower.ers[target, r, s] = tower.ers[source, r, s]
            if tower.sums.size > 0:
                tower.pairs[target, r, s] = tower.pairs[source, r, s]
                tower.sums[target, r, s] = tower.sums[source, r, s]
    for row in range(tower.e.shape[1]):
        tower.e[target, row] = tower.e[source, row]
    tower.used[target, 0] = tower.used[source, 0]


@njit(**INNER)
def stand_alone(tower, u, ers, n_members):
    """Let each member of row u be a group by itself."""
    for r in range(tower.n.shape[1]):
        tower.n[u, r] = int(r < n_members)
        for s in range(tower.n.shape[1]):
            tower.ers[u, r, s] = look(ers, r, s) if r < n_members and s < n_members else 0
    for g in range(n_members):
        tower.b[u, g] = g
    tower.used[u, 0] = n_members
    count_ends(tower, u)


@njit(**INNER)
def count_ends(tower, u):
    """Count the half-edges of every group of row u, tails and heads apart if there are arcs."""
    e, ers = tower.e[u], tower.ers[u]
    n_sides = e.size // tower.n.shape[1]
    for r in range(tower.n.shape[1]):
        for side in range(n_sides):
            total = 0
            for s in range(tower.n.shape[1]):
                total += ers[r, s] if side == 0 else ers[s, r]
            e[n_sides * r + side] = total
