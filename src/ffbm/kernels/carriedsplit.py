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
from ffbm.kernels.carrier import LOOKS, ROUGH, SHARP, find_mode_of, see_mode
from ffbm.kernels.compilation import INNER, copy
from ffbm.kernels.ledger import free_label
from ffbm.kernels.mergesplit import MERGE_SPLIT, RESPLIT, Split, collect, gather, launch, move_all, move_scored, scan
from ffbm.kernels.target import move
from ffbm.kernels.workspace import BEFORE, ENTROPY

COINS, FROM_FIRST, FROM_SECOND = 0, 1, 2  # how a launch begins


@njit(**INNER)
def informed_scan(rng, tools, c, way, split, goal, forced, sums):
    """Launch a split, let features speak, and scan it one last time; return ln of its chance."""
    plain, sighted, n_scans, scratch = tools.plain, tools.sighted, tools.n_scans, tools.scratch
    if way == COINS:
        launch(rng, plain, c, 1.0, n_scans, split, sums, scratch)
    else:
        collect(plain, c, split, split.r if way == FROM_FIRST else split.s, sums, scratch)
        for _ in range(n_scans):
            scan(rng, plain, c, 1.0, split, goal, False, sums, scratch)
    for _ in range(LOOKS):
        see_mode(tools.carrier, c, ROUGH, sighted.field)
        scan(rng, sighted, c, 1.0, split, goal, False, sums, scratch)
    return scan(rng, sighted, c, 1.0, split, goal, forced, sums, scratch)


@njit(**INNER)
def shift_jump(rng, tools, c, kind):
    """Propose other labels by one kind of move; return the change of S and ln of the chance of the way back over there.

    tools: a ``CarriedMove``. The mode of the weights given the labels before is left in its buffers, ``modes[BEFORE]``.
    """
    plain, carrier, work, scratch = tools.plain, tools.carrier, tools.work, tools.scratch
    n_nodes, n_blocks = c.b.size, c.n.size
    i, j = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
    r, s = np.int64(c.b[i]), np.int64(c.b[j])
    coin, way = rng.random() < 0.5, int(rng.random() * 3)
    opens = kind not in (RESPLIT, MERGE_SPLIT) and coin
    if i == j or (r == s) != opens or (opens and c.used[0] == n_blocks):
        return 0.0, IMPOSSIBLE
    before, after, first, second = work[0], work[1], work[2], work[3]
    path, spare = np.zeros(2), np.zeros(2)
    ratio = 0.0
    if kind == RESPLIT:
        split = Split(first, gather(c, r, s, i, j, first), r, s)
        ratio -= informed_scan(rng, tools, c, way, split, before, False, path)
        copy(c.b, after)
        ratio += informed_scan(rng, tools, c, way, split, before, True, spare)
    elif kind == MERGE_SPLIT:
        merged = Split(first, gather(c, r, s, i, j, first), r, s)
        collect(plain, c, merged, r, path, scratch)
        move_scored(plain, c, j, r, path, scratch)
        k, h = int(rng.random() * n_nodes), int(rng.random() * n_nodes)
        t = np.int64(c.b[k])
        if k == h or c.b[h] != t:
            return 0.0, IMPOSSIBLE
        split = Split(second, gather(c, t, t, k, h, second), t, s)
        move_scored(plain, c, h, s, path, scratch)
        ratio -= informed_scan(rng, tools, c, way, split, before, False, path)
        copy(c.b, after)
        move_all(plain, c, second, split.size, t)
        move(plain, c, h, t)
        move(plain, c, j, s)
        ratio += informed_scan(rng, tools, c, way, merged, before, True, spare)
    elif opens:
        free = n_blocks - c.used[0]
        s = np.int64(free_label(c, int(rng.random() * free)))
        split = Split(first, gather(c, r, r, i, j, first), r, s)
        move_scored(plain, c, j, s, path, scratch)
        ratio += log(free)
        ratio -= informed_scan(rng, tools, c, way, split, before, False, path)
        copy(c.b, after)
    else:
        split = Split(first, gather(c, r, s, i, j, first), r, s)
        collect(plain, c, split, r, path, scratch)
        move_scored(plain, c, j, r, path, scratch)
        copy(c.b, after)
        ratio -= log(n_blocks - c.used[0])
        move(plain, c, j, s)
        ratio += informed_scan(rng, tools, c, way, split, before, True, spare)
    find_mode_of(carrier, before, SHARP, carrier.buffers.modes[BEFORE])
    return path[ENTROPY], ratio
