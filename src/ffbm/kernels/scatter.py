"""A block scattered over all others, or a new one grown out of them, with the weights carried along.

A small block of vertices that belong elsewhere, each somewhere else, is not undone by a merge with one other block.
Here every vertex of it finds a home of its own, by Gibbs steps in the field of the mode of the weights given the
partition before. The way back: from the partition without the block, a vertex drawn at random is its anchor, and
restricted Gibbs scans over all vertices, each between its home and the new block, let it grow; the last of them has a
known probability. As in ``shifting`` the weights themselves are not looked at, and a free label is drawn among all.
"""

from math import exp, inf, log

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, put
from ffbm.kernels.bare import bare
from ffbm.kernels.carrier import LOOKS, ROUGH, SHARP, fill_field, find_mode_of, see_mode
from ffbm.kernels.compilation import INNER, copy
from ffbm.kernels.ledger import free_label
from ffbm.kernels.mergesplit import log_chance, move_scored
from ffbm.kernels.target import change_to, lift_to, move
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY


@njit(**INNER)
def scan_homes(rng, m, c, home, s, anchor, goal, forced, scratch):
    """Draw each vertex but the anchor between its home and s, or force it to its goal; return ln of its chance."""
    m, c, home, goal, scratch = bare(m), bare(c), bare(home), bare(goal), bare(scratch)
    log_probability = 0.0
    for v in range(c.b.size):
        if v == anchor:
            continue
        other = home[v] if c.b[v] == s else s
        x = change_to(m, c, v, other, scratch) - lift_to(m, c, v, other)
        leaves = goal[v] == other if forced else log(rng.random()) < log_chance(x)
        log_probability += log_chance(x if leaves else -x)
        if leaves:
            move(m, c, v, other)
    return log_probability


@njit(**INNER)
def scatter(rng, m, c, s, home, forced, chances, scratch):
    """Draw a home for each vertex of block s among the other blocks in use, or force it; return ln of its chance."""
    m, c, home, chances, scratch = bare(m), bare(c), bare(home), bare(chances), bare(scratch)
    log_probability = 0.0
    n_blocks = c.n.size
    for v in range(c.b.size):
        if c.b[v] != s:
            continue
        top = -inf
        for t in range(n_blocks):
            chances[t] = -inf
            if t != s and c.n[t] > 0:
                chances[t] = lift_to(m, c, v, t) - change_to(m, c, v, t, scratch)
                top = max(top, chances[t])
        total = 0.0
        for t in range(n_blocks):
            total += exp(chances[t] - top)
        to = np.int64(home[v])
        if not forced:
            left, to = rng.random() * total, np.int64(-1)
            for t in range(n_blocks):
                if chances[t] > -inf and (to < 0 or left >= 0.0):
                    to = np.int64(t)
                    left -= exp(chances[t] - top)
        log_probability += chances[to] - top - log(total)
        move(m, c, v, to)
    return log_probability


@njit(**INNER)
def condense(rng, tools, c, home, s, anchor, goal, forced):
    """Let a block s grow from an anchor out of all others; return ln of the chance of the last scan."""
    plain, sighted, scratch = tools.plain, tools.sighted, tools.scratch
    move(plain, c, anchor, s)
    for _ in range(tools.n_scans):
        scan_homes(rng, plain, c, home, s, anchor, goal, False, scratch)
    for _ in range(LOOKS):
        see_mode(tools.carrier, c, ROUGH, sighted.field)
        scan_homes(rng, sighted, c, home, s, anchor, goal, False, scratch)
    return scan_homes(rng, sighted, c, home, s, anchor, goal, forced, scratch)


@njit(**INNER)
def scatter_jump(rng, tools, c):
    """Propose a block scattered over the others, or a new one grown out of all of them; return as ``shift_jump`` does.

    tools: a ``CarriedMove``. The mode of the weights given the labels before is left in its buffers, ``modes[BEFORE]``.
    """
    plain, sighted, carrier, scratch = tools.plain, tools.sighted, tools.carrier, tools.scratch
    n_nodes, n_blocks = c.b.size, c.n.size
    before, after = tools.work[BEFORE], tools.work[AFTER]
    j = int(rng.random() * n_nodes)
    opens = rng.random() < 0.5
    if (opens and c.used[0] == n_blocks) or (not opens and c.used[0] == 1):
        return 0.0, IMPOSSIBLE
    target, buffers = carrier.target, carrier.buffers
    chances = np.empty(n_blocks)
    find_mode_of(carrier, before, SHARP, buffers.modes[BEFORE])
    if opens:
        used = c.used[0]
        free = n_blocks - used
        s = np.int64(free_label(c, int(rng.random() * free)))
        ratio = log(free) - condense(rng, tools, c, before, s, j, before, False)
        if c.used[0] != used + 1:  # a block has gone over to the new one: there is no way back
            return 0.0, IMPOSSIBLE
        copy(c.b, after)
        see_mode(carrier, c, SHARP, sighted.field)
        ratio += scatter(rng, sighted, c, s, before, True, chances, scratch)
    else:
        s = np.int64(c.b[j])
        fill_field(target.rows, buffers.modes[BEFORE], 1.0, buffers.rows, sighted.field)
        ratio = -scatter(rng, sighted, c, s, before, False, chances, scratch)
        copy(c.b, after)
        free = n_blocks - c.used[0]
        ratio += condense(rng, tools, c, after, s, j, before, True) - log(free)
    path = np.zeros(2)
    put(plain, c, before)
    for v in range(n_nodes):
        move_scored(plain, c, v, np.int64(after[v]), path, scratch)
    return path[ENTROPY], ratio
