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

from ffbm.kernels.acceptance import IMPOSSIBLE
from ffbm.kernels.carrying import LOOKS, ROUGH, SHARP, find_mode_of, see_mode
from ffbm.kernels.compiling import INNER, copy
from ffbm.kernels.ledger import free_label
from ffbm.kernels.mergesplit import (
    MERGE_SPLIT,
    RESPLIT,
    collect,
    gather,
    launch,
    scan,
    send,
    shift,
)
from ffbm.kernels.target import move

COINS, FROM_FIRST, FROM_SECOND = 0, 1, 2  # how a launch begins


@njit(**INNER)
def informed_scan(
    rng, plain, sighted, c, way, n_scans, group, size, r, s, goal, forced, sums, target, metric, desk,
    room, scratch,
):  # fmt: skip
    """Launch a group between r and s, let features speak, and scan it one last time; return ln of its chance."""
    if way == COINS:
        launch(rng, plain, c, 1.0, n_scans, group, size, r, s, sums, scratch)
    else:
        collect(plain, c, group, size, r if way == FROM_FIRST else s, sums, scratch)
        for _ in range(n_scans):
            scan(rng, plain, c, 1.0, group, size, r, s, goal, False, sums, scratch)
    for _ in range(LOOKS):
        see_mode(target, metric, c, ROUGH, desk, room, sighted.field)
        scan(rng, sighted, c, 1.0, group, size, r, s, goal, False, sums, scratch)
    return scan(rng, sighted, c, 1.0, group, size, r, s, goal, forced, sums, scratch)


@njit(**INNER)
def shift_jump(rng, plain, sighted, c, kind, n_scans, target, metric, work, desk, room, scratch):
    """Propose other labels by one kind of move; return the change of S and ln of the chance of the way back over there.

    plain and sighted: the block model without a field, and with a field to write in. work (4, N) int64: the labels
    before and after, and two groups of vertices. The mode of the weights given the labels before is left in
    ``desk.modes[0]``.
    """
    n_nodes, n_blocks = c.b.size, c.n.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    coin, way = rng.random() < 0.5, int(rng.random() * 3)
    opens = kind not in (RESPLIT, MERGE_SPLIT) and coin
    if i == j or (r == s) != opens or (opens and c.used[0] == n_blocks):
        return 0.0, IMPOSSIBLE
    before, after, first, second = work[0], work[1], work[2], work[3]
    tail = (target, metric, desk, room, scratch)
    path, spare = np.zeros(2), np.zeros(2)
    ratio = 0.0
    if kind == RESPLIT:
        size = gather(c, r, s, i, j, first)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, before, False, path, *tail)
        copy(c.b, after)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, before, True, spare, *tail)
    elif kind == MERGE_SPLIT:
        n_first = gather(c, r, s, i, j, first)
        collect(plain, c, first, n_first, r, path, scratch)
        shift(plain, c, j, r, path, scratch)
        k, h = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
        t = np.int64(c.b[k])
        if k == h or c.b[h] != t:
            return 0.0, IMPOSSIBLE
        n_second = gather(c, t, t, k, h, second)
        shift(plain, c, h, s, path, scratch)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, second, n_second, t, s, before, False, path, *tail)
        copy(c.b, after)
        send(plain, c, second, n_second, t)
        move(plain, c, h, t)
        move(plain, c, j, s)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, n_first, r, s, before, True, spare, *tail)
    elif opens:
        free = n_blocks - c.used[0]
        s = np.int64(free_label(c, int(rng.random() * free)))
        size = gather(c, r, r, i, j, first)
        shift(plain, c, j, s, path, scratch)
        ratio += log(free)
        ratio -= informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, before, False, path, *tail)
        copy(c.b, after)
    else:
        size = gather(c, r, s, i, j, first)
        collect(plain, c, first, size, r, path, scratch)
        shift(plain, c, j, r, path, scratch)
        copy(c.b, after)
        ratio -= log(n_blocks - c.used[0])
        move(plain, c, j, s)
        ratio += informed_scan(rng, plain, sighted, c, way, n_scans, first, size, r, s, before, True, spare, *tail)
    find_mode_of(target, metric, before, SHARP, desk.modes[0], room)
    return path[0], ratio
