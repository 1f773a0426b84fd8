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
from ffbm.kernels.mergesplit import SplitScans, draw_anchors, merge_blocks, resplit, split_block
from ffbm.kernels.tables import log_factorial, look
from ffbm.kernels.target import update_term
from ffbm.kernels.tower import n_types, type_of
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY


@njit(**INNER)
def draw_linked_anchors(rng, g, c):
    """Draw a member and another one, half of the time a neighbour: parts of one group are found along their edges.

    Which groups they are in plays no part, so a pair is as likely after a move as before it. It may be a member twice.
    """
    i, j = draw_anchors(rng, c)
    if rng.random() < 0.5:
        begin, end = g.indptr[i], g.indptr[i + 1]
        j = int(g.indices[begin + int(rng.random() * (end - begin))]) if end > begin else i
    return i, j


@njit(**INNER)
def split_or_merge(rng, scans, c, parents, work):
    """Propose to split a group into two with the same parent, or to merge two such groups.

    The pair of anchors that splits a group is the one that merges the two.
    """
    i, j = draw_linked_anchors(rng, scans.model.graph, c)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    splits = r == s
    if i == j or (splits and c.used[0] == c.n.size) or parents[r] != parents[s]:
        return 0.0, 0.0, IMPOSSIBLE
    if splits:
        s = c.used[0]
        parents[s] = parents[r]
        return split_block(rng, scans, c, i, j, s, work)
    return merge_blocks(rng, scans, c, i, j, work)


@njit(**INNER)
def move_many(rng, m, c, parents, splits, beta, n_scans, totals, work, scratch):
    """Try to split two groups again or, with ``splits``, to split one or merge two; return whether they moved."""
    copy(c.b, work[BEFORE])
    scans = SplitScans(m, scratch, beta, n_scans)
    if splits:
        change, lift, log_ratio = split_or_merge(rng, scans, c, parents, work)
    else:
        i, j = draw_anchors(rng, c)
        change, lift, log_ratio = resplit(rng, scans, c, i, j, work)
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
        update_term(m.graph, m.likelihood, c, r)
    recount(m.likelihood, m.graph, c)


@njit(**INNER)
def move_level(rng, c, tower, lf, sums, beta, totals):
    """Try to open a level whose groups have one member each, or to close such a level; return whether it was done.

    Its n groups cost ln n! + ln n, those of each type apart, and no edge counts or weights. The number of rows is
    fixed: a level is opened only while the last row but one is not needed.
    """
    last, fewest = tower.used.shape[0] - 1, n_types(tower.used)
    u = int(rng.random() * last)
    n_members = c.used[0] if u == 0 else tower.used[u - 1, 0]
    opens = rng.random() < 0.5
    if n_members == fewest or (opens and (n_members > tower.n.shape[1] or tower.used[last - 1, 0] > fewest)):
        return False
    if not opens and tower.used[u, 0] != n_members:
        return False
    cost = cost_of_singletons(tower, lf, u, n_members)
    if not accepts(rng.random(), -beta * cost if opens else beta * cost):
        return False
    if opens:
        totals[ENTROPY] += cost
        for row in range(last, u, -1):
            copy_row(tower, row - 1, row)
        if u == 0:
            make_singletons(tower, u, c.ers, n_members)
        else:
            make_singletons(tower, u, tower.ers[u - 1], n_members)
        count_row(sums, tower, u, c)
    else:
        totals[ENTROPY] -= cost
        for g in range(n_members):
            tower.b[u, g] = tower.b[u + 1, tower.b[u, g]]
        for g in range(n_members):
            tower.b[u + 1, g] = tower.b[u, g]
        for row in range(u, last):
            copy_row(tower, row + 1, row)
        make_singletons(tower, last, tower.ers[last - 1], fewest)
        count_row(sums, tower, last, c)
    return True


@njit(**INNER)
def cost_of_singletons(tower, lf, u, n_members):
    """Return the cost of putting each of the first ``n_members`` groups of level u into a group of its own."""
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
def make_singletons(tower, u, ers, n_members):
    """Make row u the level whose groups have one member each."""
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
