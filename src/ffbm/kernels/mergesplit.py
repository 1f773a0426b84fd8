"""Moves of many vertices at once: two blocks split anew, one pair merged and another split, blocks opened and closed.

A split of a group of vertices between blocks r and s is proposed from a launch: every vertex by a coin, then some
restricted Gibbs scans, then one last scan whose probability is known. The launch depends on the group, its two
anchors and the rest of the partition only, never on the present split; the probability of the way back is that of
the same kind of scan, from a launch of its own, forced to the present split. A launch of its own, since one launch
lies in the basin of one split, and from there the other is out of reach.
"""

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import DOOR, INLINE, INNER
from ffbm.kernels.partition import bare_counts, bare_model, entropy_change, look_around, move
from ffbm.kernels.single import accepts

RESPLIT, MERGE_SPLIT, OPEN_CLOSE = 0, 1, 2


@njit(**INNER)
def shift(m, c, i, s, sums, scratch):
    """Move vertex i to block s, if it is not there, and add the change of S and of the field to sums."""
    if c.b[i] != s:
        sums[0] += change_to(m, c, i, s, scratch)
        sums[1] += lift_to(m, c, i, s)
        move(m, c, i, s)


@njit(**INNER)
def change_to(m, c, i, s, scratch):
    """Return the change of S if vertex i moves to another block s."""
    blocks, links, marks = bare(scratch[0]), bare(scratch[1]), bare(scratch[2])
    found = look_around(m, c, i, blocks, links, marks)
    return entropy_change(m, c, i, s, blocks, links, found)


@njit(**INLINE)
def lift_to(m, c, i, s):
    """Return the change of the field's sum if vertex i moves to block s."""
    return m.field[i, s] - m.field[i, c.b[i]] if m.field.size > 0 else 0.0


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
def scan(rng, m, c, beta, group, size, r, s, goal, forced, sums, scratch):
    """Draw each vertex of the group anew between r and s, or force it to its goal; return ln of its chance."""
    log_probability = 0.0
    for a in range(size):
        v = group[a]
        other = r + s - c.b[v]
        change, lift = change_to(m, c, v, other, scratch), lift_to(m, c, v, other)
        x = beta * (change - lift)
        leaves = goal[a] == other if forced else np.log(rng.random()) < log_chance(x)
        log_probability += log_chance(x if leaves else -x)
        if leaves:
            move(m, c, v, other)
            sums[0] += change
            sums[1] += lift
    return log_probability


@njit(**INNER)
def launch(rng, m, c, beta, n_scans, group, size, r, s, goal, sums, scratch):
    """Bring the group to a launch between r and s: coins, then restricted Gibbs scans."""
    for a in range(size):
        shift(m, c, group[a], r if rng.random() < 0.5 else s, sums, scratch)
    for _ in range(n_scans):
        scan(rng, m, c, beta, group, size, r, s, goal, False, sums, scratch)


@njit(**INNER)
def place(m, c, group, size, labels, sums, scratch):
    """Move every vertex of the group to its label."""
    for a in range(size):
        shift(m, c, group[a], labels[a], sums, scratch)


@njit(**INNER)
def put(m, c, labels, sums, scratch):
    """Move every vertex to its label."""
    for v in range(c.b.size):
        shift(m, c, v, np.int64(labels[v]), sums, scratch)


@njit(**INNER)
def collect(m, c, group, size, r, sums, scratch):
    """Move every vertex of the group to block r."""
    for a in range(size):
        shift(m, c, group[a], r, sums, scratch)


@njit(**INNER)
def note(c, group, size, labels):
    """Write down the labels of the group."""
    for a in range(size):
        labels[a] = c.b[group[a]]


@njit(**INNER)
def resplit(rng, m, c, beta, n_scans, totals, work, scratch):
    """Split the union of two blocks anew; return whether the partition moved."""
    n_nodes = c.b.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    if r == s:
        return False
    group, old, new = bare(work[0]), bare(work[1]), bare(work[2])
    size = gather(c, r, s, i, j, group)
    note(c, group, size, old)
    path, spare = np.zeros(2), np.zeros(2)
    launch(rng, m, c, beta, n_scans, group, size, r, s, old, path, scratch)
    there = scan(rng, m, c, beta, group, size, r, s, old, False, path, scratch)
    note(c, group, size, new)
    launch(rng, m, c, beta, n_scans, group, size, r, s, old, spare, scratch)
    back = scan(rng, m, c, beta, group, size, r, s, old, True, spare, scratch)
    if accepts(rng.random(), beta * (path[1] - path[0]) + back - there):
        place(m, c, group, size, new, totals, scratch)
        return True
    return False


@njit(**INNER)
def merge_split(rng, m, c, beta, n_scans, totals, work, scratch):
    """Merge one pair of blocks and split another, B unchanged; return whether the partition moved."""
    n_nodes = c.b.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    if r == s:
        return False
    first, old = bare(work[0]), bare(work[1])
    second, new = bare(work[2]), bare(work[3])
    n_first = gather(c, r, s, i, j, first)
    note(c, first, n_first, old)
    path = np.zeros(2)  # from the present state to the one proposed
    collect(m, c, first, n_first, r, path, scratch)
    shift(m, c, j, r, path, scratch)
    k, h = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    t = np.int64(c.b[k])
    spare = np.zeros(2)
    if k == h or c.b[h] != t:
        shift(m, c, j, s, spare, scratch)
        place(m, c, first, n_first, old, spare, scratch)
        return False
    n_second = gather(c, t, t, k, h, second)
    shift(m, c, h, s, path, scratch)
    launch(rng, m, c, beta, n_scans, second, n_second, t, s, new, path, scratch)
    there = scan(rng, m, c, beta, second, n_second, t, s, new, False, path, scratch)
    note(c, second, n_second, new)
    collect(m, c, second, n_second, t, spare, scratch)
    shift(m, c, h, t, spare, scratch)
    shift(m, c, j, s, spare, scratch)
    launch(rng, m, c, beta, n_scans, first, n_first, r, s, old, spare, scratch)
    back = scan(rng, m, c, beta, first, n_first, r, s, old, True, spare, scratch)
    if accepts(rng.random(), beta * (path[1] - path[0]) + back - there):
        collect(m, c, first, n_first, r, totals, scratch)
        shift(m, c, j, r, totals, scratch)
        shift(m, c, h, s, totals, scratch)
        place(m, c, second, n_second, new, totals, scratch)
        return True
    return False


@njit(**INNER)
def open_close(rng, m, c, beta, n_scans, totals, work, scratch):
    """Split a block into a free label, or merge two blocks and free one; return whether the partition moved.

    A split picks one of the free labels; the merge that undoes it leaves no choice, the first anchor's label stays.
    """
    n_nodes, n_blocks = c.b.size, c.n.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    opens = rng.random() < 0.5
    r = np.int64(c.b[i])
    if i == j or (c.b[j] == r) != opens or (opens and c.used[0] == n_blocks):
        return False
    group, labels = bare(work[0]), bare(work[1])
    path, spare = np.zeros(2), np.zeros(2)
    if opens:
        free = n_blocks - c.used[0]
        s = free_label(c, int(rng.random() * free))
        size = gather(c, r, r, i, j, group)
        shift(m, c, j, s, path, scratch)
        launch(rng, m, c, beta, n_scans, group, size, r, s, labels, path, scratch)
        there = scan(rng, m, c, beta, group, size, r, s, labels, False, path, scratch) - np.log(free)
        if accepts(rng.random(), beta * (path[1] - path[0]) - there):
            totals[0] += path[0]
            totals[1] += path[1]
            return True
        collect(m, c, group, size, r, spare, scratch)
        shift(m, c, j, r, spare, scratch)
        return False
    s = np.int64(c.b[j])
    size = gather(c, r, s, i, j, group)
    note(c, group, size, labels)
    collect(m, c, group, size, r, path, scratch)
    shift(m, c, j, r, path, scratch)
    free = n_blocks - c.used[0]
    shift(m, c, j, s, spare, scratch)
    launch(rng, m, c, beta, n_scans, group, size, r, s, labels, spare, scratch)
    back = scan(rng, m, c, beta, group, size, r, s, labels, True, spare, scratch) - np.log(free)
    if accepts(rng.random(), beta * (path[1] - path[0]) + back):
        collect(m, c, group, size, r, totals, scratch)
        shift(m, c, j, r, totals, scratch)
        return True
    return False


@njit(**INNER)
def free_label(c, which):
    """Return the empty block number ``which``, counted from 0."""
    for r in range(c.n.size):
        if c.n[r] == 0:
            if which == 0:
                return r
            which -= 1
    return -1


@njit(**DOOR)
def many_at_once(rng, model, counts, kind, beta, n_scans, totals, work, scratch):
    """Try one move of a kind; return whether the partition moved. work (4, N) int64."""
    m, c = bare_model(model), bare_counts(counts)
    totals = bare(totals)
    if kind == RESPLIT:
        return resplit(rng, m, c, beta, n_scans, totals, work, scratch)
    if kind == MERGE_SPLIT:
        return merge_split(rng, m, c, beta, n_scans, totals, work, scratch)
    return open_close(rng, m, c, beta, n_scans, totals, work, scratch)
