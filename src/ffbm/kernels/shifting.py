"""Splits and merges that take the weights along: in the joint target strong features hold a split fast otherwise.

A new partition b' is proposed as in ``mergesplit``, from a launch by restricted Gibbs scans, without a look at the
weights W; then they are carried over, see ``carrying``. The last scans see a field, ln softmax(m x_i) with m the mode
of the weights given the launch itself: a function of the launch, not of W. And the launch begins in one of three ways,
chosen beforehand for the way there and the way back: by coins, with all vertices beside the first anchor, or beside the
second. From a single anchor a small block grows as it would not from coins.
"""

from math import log

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.carrying import LOOKS, ROUGH, SHARP, decide, find_mode_of, see_mode
from ffbm.kernels.compiling import INNER, copy
from ffbm.kernels.mergesplit import (
    MERGE_SPLIT,
    RESPLIT,
    collect,
    free_label,
    gather,
    launch,
    note,
    place,
    scan,
    shift,
)

COINS, FROM_FIRST, FROM_SECOND = 0, 1, 2  # how a launch begins


@njit(**INNER)
def informed_scan(
    rng, plain, sighted, c, way, n_scans, group, size, r, s, goal, forced, target, metric, desk, room,
    scratch,
):  # fmt: skip
    """Launch a group between r and s, let features speak, and scan it one last time; return ln of its chance."""
    spare = np.zeros(2)
    if way == COINS:
        launch(rng, plain, c, 1.0, n_scans, group, size, r, s, goal, spare, scratch)
    else:
        collect(plain, c, group, size, r if way == FROM_FIRST else s, spare, scratch)
        for _ in range(n_scans):
            scan(rng, plain, c, 1.0, group, size, r, s, goal, False, spare, scratch)
    for _ in range(LOOKS):
        see_mode(target, metric, c, ROUGH, desk, room, sighted.field)
        scan(rng, sighted, c, 1.0, group, size, r, s, goal, False, spare, scratch)
    return scan(rng, sighted, c, 1.0, group, size, r, s, goal, forced, spare, scratch)


@njit(**INNER)
def shift_jump(
    rng, plain, sighted, counts, kind, n_scans, w, target, metric, totals, work, desk, room, scratch
):  # fmt: skip
    """Try one move of a kind on labels and weights; return whether they moved.

    plain and sighted: the block model without a field, and with a field to write in. work (5, N) int64.
    """
    c = counts
    n_nodes, n_blocks = c.b.size, c.n.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    coin, way = rng.random() < 0.5, int(rng.random() * 3)
    opens = kind not in (RESPLIT, MERGE_SPLIT) and coin
    if i == j or (r == s) != opens or (opens and c.used[0] == n_blocks):
        return False
    first, old, second, new, before = (bare(work[0]), bare(work[1]), bare(work[2]), bare(work[3]), bare(work[4]))
    tail = (target, metric, desk, room, scratch)
    path, spare = np.zeros(2), np.zeros(2)
    copy(c.b, before)
    ratio = 0.0
    if kind == RESPLIT:
        size = gather(c, r, s, i, j, first)
        note(c, first, size, old)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, old, False, *tail)
        note(c, first, size, new)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, old, True, *tail)
        find_mode_of(target, metric, c.b, SHARP, desk.modes[0], room)
        place(plain, c, first, size, new, path, scratch)
    elif kind == MERGE_SPLIT:
        n_first = gather(c, r, s, i, j, first)
        note(c, first, n_first, old)
        collect(plain, c, first, n_first, r, path, scratch)
        shift(plain, c, j, r, path, scratch)
        k, h = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
        t = np.int64(c.b[k])
        if k == h or c.b[h] != t:
            shift(plain, c, j, s, spare, scratch)
            place(plain, c, first, n_first, old, spare, scratch)
            return False
        n_second = gather(c, t, t, k, h, second)
        shift(plain, c, h, s, path, scratch)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, second, n_second, t, s, new, False, *tail)
        note(c, second, n_second, new)
        collect(plain, c, second, n_second, t, spare, scratch)
        shift(plain, c, h, t, spare, scratch)
        shift(plain, c, j, s, spare, scratch)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, n_first, r, s, old, True, *tail)
        find_mode_of(target, metric, c.b, SHARP, desk.modes[0], room)
        path[0] = 0.0
        collect(plain, c, first, n_first, r, path, scratch)
        shift(plain, c, j, r, path, scratch)
        shift(plain, c, h, s, path, scratch)
        place(plain, c, second, n_second, new, path, scratch)
    elif opens:
        find_mode_of(target, metric, c.b, SHARP, desk.modes[0], room)
        free = n_blocks - c.used[0]
        s = np.int64(free_label(c, int(rng.random() * free)))
        size = gather(c, r, r, i, j, first)
        shift(plain, c, j, s, spare, scratch)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, new, False, *tail) - log(free)
        note(c, first, size, new)
        collect(plain, c, first, size, r, spare, scratch)
        shift(plain, c, j, r, spare, scratch)
        shift(plain, c, j, s, path, scratch)
        place(plain, c, first, size, new, path, scratch)
    else:
        size = gather(c, r, s, i, j, first)
        note(c, first, size, old)
        collect(plain, c, first, size, r, spare, scratch)
        shift(plain, c, j, r, spare, scratch)
        free = n_blocks - c.used[0]
        shift(plain, c, j, s, spare, scratch)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, old, True, *tail) - log(free)
        find_mode_of(target, metric, c.b, SHARP, desk.modes[0], room)
        collect(plain, c, first, size, r, path, scratch)
        shift(plain, c, j, r, path, scratch)
    return decide(
        rng, plain, c, before, path[0], ratio, w, target, metric, totals, desk, room, scratch
    )  # fmt: skip
