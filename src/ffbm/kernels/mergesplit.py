"""Moves of many vertices at once: two blocks split again, one pair merged and another split, blocks opened and closed.

A split of a group of vertices between blocks r and s is proposed from a launch: every vertex by a coin, then some
restricted Gibbs scans, then one last scan whose probability is known. The launch depends on the group, its two
anchors and the rest of the partition only, never on the present split; the probability of the way back is that of
the same kind of scan, from a launch of its own, forced to the present split. A launch of its own, since one launch
lies in the basin of one split, and from there the other is out of reach.

A move writes down the labels that it proposes and returns the change of S, the change of the field's sum, and ln of
the probability of proposing the way back over that of the way there. It leaves the ledger wherever it was last:
``acceptance.decide`` brings it to the labels that are accepted.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, decide
from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import INNER, ONCE, copy
from ffbm.kernels.ledger import free_label
from ffbm.kernels.partition import may_share
from ffbm.kernels.target import change_to, lift_to, move
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY, FIELD

RESPLIT, MERGE_SPLIT, OPEN_CLOSE = 0, 1, 2


class Split(NamedTuple):
    """What is split between two blocks: a group of vertices without its anchors."""

    group: np.ndarray  # int64: the first ``size`` of it
    size: int | np.signedinteger
    r: int | np.signedinteger
    s: int | np.signedinteger


@njit(**INNER)
def move_scored(m, c, i, s, sums, scratch):
    """Move vertex i to block s, if it is not there, and add the change of S and of the field to sums."""
    m, c, scratch = bare(m), bare(c), bare(scratch)
    if c.b[i] != s:
        sums[ENTROPY] += change_to(m, c, i, s, scratch)
        sums[FIELD] += lift_to(m, c, i, s)
        move(m, c, i, s)


@njit(**INNER)
def log_chance(x):
    """Return ln(1 / (1 + exp(x)))."""
    return -np.log1p(np.exp(x)) if x < 0.0 else -x - np.log1p(np.exp(-x))


@njit(**INNER)
def gather(c, r, s, i, j, group):
    """List the vertices of blocks r and s without the anchors i and j; return how many."""
    size = 0
    for v in range(c.b.size):
        if (c.b[v] == r or c.b[v] == s) and v not in (i, j):
            group[size] = v
            size += 1
    return size


@njit(**INNER)
def scan(rng, m, c, beta, split, goal, forced, sums, scratch):
    """Draw each vertex of a split again, or force it to its goal (N,); return ln of its chance."""
    m, c, group, goal, sums, scratch = bare(m), bare(c), bare(split.group), bare(goal), bare(sums), bare(scratch)
    both = split.r + split.s
    log_probability = 0.0
    for a in range(split.size):
        v = group[a]
        other = both - c.b[v]
        change, lift = change_to(m, c, v, other, scratch), lift_to(m, c, v, other)
        x = beta * (change - lift)
        leaves = goal[v] == other if forced else np.log(rng.random()) < log_chance(x)
        log_probability += log_chance(x if leaves else -x)
        if leaves:
            move(m, c, v, other)
            sums[ENTROPY] += change
            sums[FIELD] += lift
    return log_probability


@njit(**INNER)
def launch(rng, m, c, beta, n_scans, split, sums, scratch):
    """Bring a split to a launch: coins, then restricted Gibbs scans."""
    for a in range(split.size):
        move_scored(m, c, split.group[a], split.r if rng.random() < 0.5 else split.s, sums, scratch)
    for _ in range(n_scans):
        scan(rng, m, c, beta, split, split.group, False, sums, scratch)  # no goal is looked at


@njit(**INNER)
def draw_split(rng, m, c, beta, n_scans, split, goal, forced, sums, scratch):
    """Launch a split and scan it one last time, or force it to the labels ``goal``; return ln of that scan's chance."""
    launch(rng, m, c, beta, n_scans, split, sums, scratch)
    return scan(rng, m, c, beta, split, goal, forced, sums, scratch)


@njit(**INNER)
def collect(m, c, split, r, sums, scratch):
    """Move every vertex of a split to block r and add what that changes to sums."""
    for a in range(split.size):
        move_scored(m, c, split.group[a], r, sums, scratch)


@njit(**INNER)
def move_all(m, c, group, size, r):
    """Move every vertex of the group to block r."""
    for a in range(size):
        if c.b[group[a]] != r:
            move(m, c, group[a], r)


@njit(**ONCE)
def resplit(rng, m, c, beta, n_scans, work, scratch):
    """Propose another split of the union of two blocks."""
    n_nodes = c.b.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    if r == s or not may_share(m.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    before, after, group = work[0], work[1], work[2]
    split = Split(group, gather(c, r, s, i, j, group), r, s)
    path, spare = np.zeros(2), np.zeros(2)  # from the present state to the one proposed, and the way back
    there = draw_split(rng, m, c, beta, n_scans, split, before, False, path, scratch)
    copy(c.b, after)
    back = draw_split(rng, m, c, beta, n_scans, split, before, True, spare, scratch)
    return path[ENTROPY], path[FIELD], back - there


@njit(**ONCE)
def merge_split(rng, m, c, beta, n_scans, work, scratch):
    """Propose to merge one pair of blocks and to split another, B unchanged."""
    n_nodes = c.b.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    if r == s or not may_share(m.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    before, after, first, second = work[0], work[1], work[2], work[3]
    merged = Split(first, gather(c, r, s, i, j, first), r, s)
    path, spare = np.zeros(2), np.zeros(2)
    collect(m, c, merged, r, path, scratch)
    move_scored(m, c, j, r, path, scratch)
    k, h = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    t = np.int64(c.b[k])
    if k == h or c.b[h] != t or not may_share(m.prior, s, t):
        return 0.0, 0.0, IMPOSSIBLE
    split = Split(second, gather(c, t, t, k, h, second), t, s)
    move_scored(m, c, h, s, path, scratch)
    there = draw_split(rng, m, c, beta, n_scans, split, before, False, path, scratch)
    copy(c.b, after)
    move_all(m, c, second, split.size, t)
    move(m, c, h, t)
    move(m, c, j, s)
    back = draw_split(rng, m, c, beta, n_scans, merged, before, True, spare, scratch)
    return path[ENTROPY], path[FIELD], back - there


@njit(**ONCE)
def open_close(rng, m, c, beta, n_scans, work, scratch):
    """Propose to split a block into a free label, or to merge two blocks and free one.

    A split picks one of the free labels, and is not made if that is of another type; the merge that undoes it leaves no
    choice, the first anchor's label stays.
    """
    n_nodes, n_blocks = c.b.size, c.n.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    opens = rng.random() < 0.5
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    if i == j or (s == r) != opens or (opens and c.used[0] == n_blocks):
        return 0.0, 0.0, IMPOSSIBLE
    before, after, group = work[0], work[1], work[2]
    path, spare = np.zeros(2), np.zeros(2)
    if opens:
        free = n_blocks - c.used[0]
        s = np.int64(free_label(c, int(rng.random() * free)))
    if not may_share(m.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    split = Split(group, gather(c, r, s, i, j, group), r, s)
    if opens:
        move_scored(m, c, j, s, path, scratch)
        there = draw_split(rng, m, c, beta, n_scans, split, before, False, path, scratch) - np.log(free)
        copy(c.b, after)
        return path[ENTROPY], path[FIELD], -there
    collect(m, c, split, r, path, scratch)
    move_scored(m, c, j, r, path, scratch)
    copy(c.b, after)
    free = n_blocks - c.used[0]
    move(m, c, j, s)
    back = draw_split(rng, m, c, beta, n_scans, split, before, True, spare, scratch) - np.log(free)
    return path[ENTROPY], path[FIELD], back


@njit(**ONCE)
def many_at_once(rng, model, ledger, kind, beta, n_scans, totals, work, scratch):
    """Try one move of a kind; return whether the partition moved. work and scratch: see ``workspace``."""
    m, c, totals, work, scratch = bare(model), bare(ledger), bare(totals), bare(work), bare(scratch)
    copy(c.b, work[BEFORE])
    if kind == RESPLIT:
        change, lift, log_ratio = resplit(rng, m, c, beta, n_scans, work, scratch)
    elif kind == MERGE_SPLIT:
        change, lift, log_ratio = merge_split(rng, m, c, beta, n_scans, work, scratch)
    else:
        change, lift, log_ratio = open_close(rng, m, c, beta, n_scans, work, scratch)
    return decide(rng, m, c, beta, change, lift, log_ratio, work[BEFORE], work[AFTER], totals)
