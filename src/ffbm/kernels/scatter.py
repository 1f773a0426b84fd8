"""A block scattered over all others, or a new one grown out of them, with the weights carried along.

A small block of vertices that belong to several other blocks cannot be undone by a merge with one of them. Here every
vertex of it moves to another block, its *home*, by Gibbs steps in the field of the mode of the weights given the
partition before. The reverse move grows the block: a vertex drawn at random is its anchor, and restricted Gibbs scans
over all vertices, each between its home and the new block, follow; the probability of the last one is known. As in
``carriedsplit`` the weights themselves are not looked at, and a free label is drawn among all.
"""

from math import exp, inf, log

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, put
from ffbm.kernels.bare import bare
from ffbm.kernels.carrier import LOOSE, N_FIELD_SCANS, TIGHT, fill_field, find_mode_of, write_mode_field
from ffbm.kernels.compilation import INNER, copy
from ffbm.kernels.ledger import free_label
from ffbm.kernels.mergesplit import log_sigmoid, move_scored
from ffbm.kernels.target import change_to, lift_to, move
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY


@njit(**INNER)
def scan_homes(rng, m, c, home, s, anchor, goal, forced, scratch):
    """Draw each vertex but the anchor between its home and s, or force it to its goal; return ln of the probability."""
    m, c, home, goal, scratch = bare(m), bare(c), bare(home), bare(goal), bare(scratch)
    log_probability = 0.0
    for v in range(c.b.size):
        if v == anchor:
            continue
        other = home[v] if c.b[v] == s else s
        x = change_to(m, c, v, other, scratch) - lift_to(m, c, v, other)
        leaves = goal[v] == other if forced else log(rng.random()) < log_sigmoid(-x)
        log_probability += log_sigmoid(-x if leaves else x)
        if leaves:
            move(m, c, v, other)
    return log_probability


@njit(**INNER)
def scatter(rng, m, c, s, home, forced, chances, scratch):
    """Draw a home for each vertex of block s among the other blocks, or force it; return ln of the probability."""
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
def grow_block(rng, tools, c, home, s, anchor, goal, forced):
    """Grow block s from an anchor out of all others; return ln of the probability of the last scan."""
    without_field, with_field, scratch = tools.without_field, tools.with_field, tools.scratch
    move(without_field, c, anchor, s)
    for _ in range(tools.n_scans):
        scan_homes(rng, without_field, c, home, s, anchor, goal, False, scratch)
    for _ in range(N_FIELD_SCANS):
        write_mode_field(tools.carrier, c, LOOSE, with_field.field)
        scan_homes(rng, with_field, c, home, s, anchor, goal, False, scratch)
    return scan_homes(rng, with_field, c, home, s, anchor, goal, forced, scratch)


@njit(**INNER)
def propose_scatter(rng, tools, c):
    """Propose to scatter a block over the others, or to grow a new one out of all; return as ``propose_split`` does.

    tools: a ``CarriedMove``. The mode of the weights given the labels before is left in its buffers, ``modes[BEFORE]``.
    """
    without_field, with_field, carrier, scratch = tools.without_field, tools.with_field, tools.carrier, tools.scratch
    n_nodes, n_blocks = c.b.size, c.n.size
    before, after = tools.work[BEFORE], tools.work[AFTER]
    j = int(rng.random() * n_nodes)
    opens = rng.random() < 0.5
    if (opens and c.used[0] == n_blocks) or (not opens and c.used[0] == 1):
        return 0.0, IMPOSSIBLE
    target, buffers = carrier.target, carrier.buffers
    chances = np.empty(n_blocks)
    find_mode_of(carrier, before, TIGHT, buffers.modes[BEFORE])
    if opens:
        used = c.used[0]
        free = n_blocks - used
        s = np.int64(free_label(c, int(rng.random() * free)))
        ratio = log(free) - grow_block(rng, tools, c, before, s, j, before, False)
        if c.used[0] != used + 1:  # another block was emptied: the reverse move could not fill it
            return 0.0, IMPOSSIBLE
        copy(c.b, after)
        write_mode_field(carrier, c, TIGHT, with_field.field)
        ratio += scatter(rng, with_field, c, s, before, True, chances, scratch)
    else:
        s = np.int64(c.b[j])
        fill_field(target.rows, buffers.modes[BEFORE], 1.0, buffers.rows, with_field.field)
        ratio = -scatter(rng, with_field, c, s, before, False, chances, scratch)
        copy(c.b, after)
        free = n_blocks - c.used[0]
        ratio += grow_block(rng, tools, c, after, s, j, before, True) - log(free)
    path = np.zeros(2)
    put(without_field, c, before)
    for v in range(n_nodes):
        move_scored(without_field, c, v, np.int64(after[v]), path, scratch)
    return path[ENTROPY], ratio
