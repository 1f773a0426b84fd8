"""Moves of many vertices at once: two blocks split again, one pair merged and another split, blocks opened and closed.

A split of a group of vertices between blocks r and s is proposed from a launch state: every vertex by a coin, then some
restricted Gibbs scans, then one last scan, whose probability is known (Jain and Neal, 2004). The launch state depends
on the group, its two anchors and the rest of the partition only, never on the present split. The reverse proposal
probability is that of the same kind of scan, from a launch state of its own, forced to the present split: from the
launch state of the forward proposal, which lies in the basin of one split, the other could hardly be reached.

A proposal writes the labels that it proposes to ``work[AFTER]`` and returns the change of S, the change of the field's
sum, and ln of the reverse over the forward proposal probability. It leaves the ledger wherever it was last:
``acceptance.decide`` brings it to the labels that are accepted. How a split is drawn is a parameter: ``draw_split`` is
implemented by ``SplitScans`` here and by ``carriedsplit.CarriedScans`` where the weights are carried along.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, decide
from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import INNER, ONCE, copy
from ffbm.kernels.dispatch import generic, implement
from ffbm.kernels.ledger import free_label
from ffbm.kernels.partition import may_share
from ffbm.kernels.target import Model, change_to, lift_to, move
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY, FIELD

RESPLIT, MERGE_SPLIT, OPEN_CLOSE = 0, 1, 2


class Split(NamedTuple):
    """What is split between two blocks: a group of vertices without its anchors."""

    group: np.ndarray  # int64: the first ``size`` of it
    size: int | np.signedinteger
    r: int | np.signedinteger
    s: int | np.signedinteger


class SplitScans(NamedTuple):
    """Splits drawn by scans in the model of the chain."""

    model: Model
    scratch: np.ndarray  # (3, B+1) see ``workspace``
    beta: float
    n_scans: int  # restricted Gibbs scans of a launch


@generic
def draw_split(scans, rng, c, split, goal, forced, sums):
    """Draw a split from a launch state, or force its last scan to the labels ``goal``; return ln of the probability.

    The changes of S and of the field's sum on the way are added to ``sums``.
    """


@njit(**INNER)
def move_scored(m, c, i, s, sums, scratch):
    """Move vertex i to block s, if it is not there, and add the change of S and of the field to sums."""
    m, c, scratch = bare(m), bare(c), bare(scratch)
    if c.b[i] != s:
        sums[ENTROPY] += change_to(m, c, i, s, scratch)
        sums[FIELD] += lift_to(m, c, i, s)
        move(m, c, i, s)


@njit(**INNER)
def log_sigmoid(x):
    """Return ln(1 / (1 + exp(-x)))."""
    return -np.log1p(np.exp(-x)) if x > 0.0 else x - np.log1p(np.exp(x))


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
    """Draw each vertex of a split again, or force it to its label in ``goal`` (N,); return ln of the probability."""
    m, c, group, goal, sums, scratch = bare(m), bare(c), bare(split.group), bare(goal), bare(sums), bare(scratch)
    both = split.r + split.s
    log_probability = 0.0
    for a in range(split.size):
        v = group[a]
        other = both - c.b[v]
        change, lift = change_to(m, c, v, other, scratch), lift_to(m, c, v, other)
        x = beta * (change - lift)
        leaves = goal[v] == other if forced else np.log(rng.random()) < log_sigmoid(-x)
        log_probability += log_sigmoid(-x if leaves else x)
        if leaves:
            move(m, c, v, other)
            sums[ENTROPY] += change
            sums[FIELD] += lift
    return log_probability


@njit(**INNER)
def launch(rng, m, c, beta, n_scans, split, sums, scratch):
    """Bring a split to a launch state: coins, then restricted Gibbs scans."""
    for a in range(split.size):
        move_scored(m, c, split.group[a], split.r if rng.random() < 0.5 else split.s, sums, scratch)
    for _ in range(n_scans):
        scan(rng, m, c, beta, split, split.group, False, sums, scratch)  # no goal is looked at


@njit(**INNER)
def launch_and_scan(scans, rng, c, split, goal, forced, sums):
    """Launch a split and scan it one last time; return ln of that scan's probability."""
    launch(rng, scans.model, c, scans.beta, scans.n_scans, split, sums, scans.scratch)
    return scan(rng, scans.model, c, scans.beta, split, goal, forced, sums, scans.scratch)


@njit(**INNER)
def collect(m, c, split, r, sums, scratch):
    """Move every vertex of a split to block r and add the changes of S and of the field's sum to sums."""
    for a in range(split.size):
        move_scored(m, c, split.group[a], r, sums, scratch)


@njit(**INNER)
def move_all(m, c, group, size, r):
    """Move every vertex of the group to block r."""
    for a in range(size):
        if c.b[group[a]] != r:
            move(m, c, group[a], r)


@njit(**INNER)
def draw_anchors(rng, c):
    """Draw two vertices, which may be the same."""
    return int(rng.random() * c.b.size), int(rng.random() * c.b.size)


@njit(**ONCE)
def resplit(rng, scans, c, i, j, work):
    """Propose another split of the union of the blocks of the anchors i and j."""
    m, r, s = scans.model, np.int64(c.b[i]), np.int64(c.b[j])
    if r == s or not may_share(m.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    before, after, group = work[BEFORE], work[AFTER], work[2]
    split = Split(group, gather(c, r, s, i, j, group), r, s)
    path, reverse_path = np.zeros(2), np.zeros(2)  # changes of S and the field's sum; nobody reads those in reverse
    forward = draw_split(scans, rng, c, split, before, False, path)
    copy(c.b, after)
    reverse = draw_split(scans, rng, c, split, before, True, reverse_path)
    return path[ENTROPY], path[FIELD], reverse - forward


@njit(**ONCE)
def merge_split(rng, scans, c, i, j, work):
    """Propose to merge the blocks of the anchors i and j and to split another one, B unchanged."""
    m, scratch, r, s = scans.model, scans.scratch, np.int64(c.b[i]), np.int64(c.b[j])
    if r == s or not may_share(m.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    before, after, first, second = work[BEFORE], work[AFTER], work[2], work[3]
    merged = Split(first, gather(c, r, s, i, j, first), r, s)
    path, reverse_path = np.zeros(2), np.zeros(2)
    collect(m, c, merged, r, path, scratch)
    move_scored(m, c, j, r, path, scratch)
    k, h = draw_anchors(rng, c)
    t = np.int64(c.b[k])
    if k == h or c.b[h] != t or not may_share(m.prior, s, t):
        return 0.0, 0.0, IMPOSSIBLE
    split = Split(second, gather(c, t, t, k, h, second), t, s)
    move_scored(m, c, h, s, path, scratch)
    forward = draw_split(scans, rng, c, split, before, False, path)
    copy(c.b, after)
    move_all(m, c, second, split.size, t)
    move(m, c, h, t)
    move(m, c, j, s)
    reverse = draw_split(scans, rng, c, merged, before, True, reverse_path)
    return path[ENTROPY], path[FIELD], reverse - forward


@njit(**INNER)
def split_block(rng, scans, c, i, j, s, work):
    """Propose to move the anchor j, and part of its block, which i is in too, to the empty block s."""
    r, group, path = np.int64(c.b[i]), work[2], np.zeros(2)
    split = Split(group, gather(c, r, r, i, j, group), r, s)
    move_scored(scans.model, c, j, s, path, scans.scratch)
    forward = draw_split(scans, rng, c, split, work[BEFORE], False, path)
    copy(c.b, work[AFTER])
    return path[ENTROPY], path[FIELD], -forward


@njit(**INNER)
def merge_blocks(rng, scans, c, i, j, work):
    """Propose to move the whole block of the anchor j to that of i."""
    m, r, s, group = scans.model, np.int64(c.b[i]), np.int64(c.b[j]), work[2]
    path, reverse_path = np.zeros(2), np.zeros(2)
    split = Split(group, gather(c, r, s, i, j, group), r, s)
    collect(m, c, split, r, path, scans.scratch)
    move_scored(m, c, j, r, path, scans.scratch)
    copy(c.b, work[AFTER])
    move(m, c, j, s)
    reverse = draw_split(scans, rng, c, split, work[BEFORE], True, reverse_path)
    return path[ENTROPY], path[FIELD], reverse


@njit(**ONCE)
def open_close(rng, scans, c, i, j, opens, work):
    """Propose to split the block of both anchors into a free label, or to merge their two blocks, which frees one.

    A split picks one of the free labels, and is not made if that is of another type; the merge that undoes it leaves no
    choice, the first anchor's label stays.
    """
    r, s, n_free = np.int64(c.b[i]), np.int64(c.b[j]), c.n.size - c.used[0]
    if i == j or (s == r) != opens or (opens and n_free == 0):
        return 0.0, 0.0, IMPOSSIBLE
    if opens:
        s = np.int64(free_label(c, int(rng.random() * n_free)))
    if not may_share(scans.model.prior, r, s):
        return 0.0, 0.0, IMPOSSIBLE
    if opens:
        change, lift, log_ratio = split_block(rng, scans, c, i, j, s, work)
        return change, lift, log_ratio + np.log(n_free)
    change, lift, log_ratio = merge_blocks(rng, scans, c, i, j, work)
    return change, lift, log_ratio - np.log(n_free + 1)


@njit(**ONCE)
def many_at_once(rng, model, ledger, kind, beta, n_scans, totals, work, scratch):
    """Try one move of a kind; return whether the partition moved. work and scratch: see ``workspace``."""
    m, c, totals, work, scratch = bare(model), bare(ledger), bare(totals), bare(work), bare(scratch)
    copy(c.b, work[BEFORE])
    scans = SplitScans(m, scratch, beta, n_scans)
    i, j = draw_anchors(rng, c)
    if kind == RESPLIT:
        change, lift, log_ratio = resplit(rng, scans, c, i, j, work)
    elif kind == MERGE_SPLIT:
        change, lift, log_ratio = merge_split(rng, scans, c, i, j, work)
    else:
        change, lift, log_ratio = open_close(rng, scans, c, i, j, rng.random() < 0.5, work)
    return decide(rng, m, c, beta, change, lift, log_ratio, work[BEFORE], work[AFTER], totals)


implement(SplitScans, draw_split=launch_and_scan)
