"""Steps of many vertices that only lower S: for starts and for the choice of B, not for sampling."""

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import put
from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INNER, copy
from ffbm.kernels.mergesplit import Split, gather, launch, move_all, move_scored, scan
from ffbm.kernels.partition import may_share
from ffbm.kernels.target import closing_gain, merge_cost, move
from ffbm.kernels.workspace import ENTROPY

_DESCENTS = 10  # greedy scans of a split, at most
_GREEDY = 1e8  # an inverse temperature at which S never rises
LEAST = 1e-6  # nats that a step must gain


@njit(**INNER)
def split_low(rng, m, c, n_scans, split, sums, scratch):
    """Split a group between two blocks: coins, warm scans, then greedy ones until nothing moves."""
    launch(rng, m, c, 1.0, n_scans, split, sums, scratch)
    for _ in range(_DESCENTS):
        before = sums[ENTROPY]
        scan(rng, m, c, _GREEDY, split, split.group, False, sums, scratch)
        if sums[ENTROPY] >= before - LEAST:
            break


@njit(**INNER)
def try_split(rng, m, c, t, s, n_scans, least, group, scratch):
    """Split block t into itself and the empty block s; return how far S falls, undo it if by less than ``least``."""
    i, j = two_of(rng, c, t, group)
    size = gather(c, t, t, i, j, group)
    sums = np.zeros(2)
    move_scored(m, c, j, s, sums, scratch)
    split_low(rng, m, c, n_scans, Split(group, size, np.int64(t), np.int64(s)), sums, scratch)
    fallen = -sums[ENTROPY]
    if fallen < least:
        move_all(m, c, group, size, t)
        move(m, c, j, t)
    return fallen


@njit(**INNER)
def find_split(rng, m, c, n_scans, group, best, scratch):
    """Write the labels after the best split of a block into an empty one to ``best``; return how far S falls."""
    most = -np.inf
    for t in range(c.n.size):
        s = free_for(m, c, t)
        if s >= 0 and c.n[t] > 1:
            fallen = try_split(rng, m, c, t, s, n_scans, -np.inf, group, scratch)
            if fallen > most:
                most = fallen
                copy(c.b, best)
            move_all(m, c, group, gather(c, s, s, -1, -1, group), t)
    return most


@njit(**ENTRY)
def split_best(rng, model, ledger, n_scans, work, scratch):
    """Split the block whose split lowers S most, or raises it least; there must be an empty one of its type."""
    m, c = bare(model), bare(ledger)
    best, group = bare(work[0]), bare(work[1])
    find_split(rng, m, c, n_scans, group, best, scratch)
    put(m, c, best)


@njit(**ENTRY)
def split_down(rng, model, ledger, n_scans, work, scratch):
    """Split every block whose split lowers S; return by how much S fell."""
    m, c = bare(model), bare(ledger)
    group = bare(work[0])
    fallen = 0.0
    for t in range(c.n.size):
        s = free_for(m, c, t)
        if s >= 0 and c.n[t] > 1:
            fallen += max(try_split(rng, m, c, t, s, n_scans, LEAST, group, scratch), 0.0)
    return fallen


@njit(**ENTRY)
def merge_cheapest(model, ledger, least, work):
    """Merge the pair of blocks whose merge costs least, if S falls by ``least``; return how far it falls."""
    m, c = bare(model), bare(ledger)
    if c.used[0] < 2:
        return -np.inf
    r, s, cost = cheapest_merge(model, ledger)
    fallen = closing_gain(m, c, r) - cost
    if fallen >= least:
        group = bare(work[0])
        move_all(m, c, group, gather(c, r, s, -1, -1, group), r)
    return fallen


@njit(**INNER)
def free_for(m, c, t):
    """Return the first empty block that vertices of block t may be in; -1 if there is none."""
    for s in range(c.n.size):
        if c.n[s] == 0 and may_share(m.prior, s, t):
            return s
    return -1


@njit(**INNER)
def two_of(rng, c, t, group):
    """Return two different random vertices of block t."""
    size = gather(c, t, t, -1, -1, group)
    a, b = int(rng.random() * size), int(rng.random() * (size - 1))
    return group[a], group[b + int(b >= a)]


@njit(**ENTRY)
def cheapest_merge(model, ledger):
    """Return the pair of blocks whose merge costs least (P(e|b) left out), and its cost; for few blocks."""
    m, c = bare(model), bare(ledger)
    best, first, second = np.inf, 0, 0
    for r in range(c.n.size):
        for s in range(r):
            if c.n[r] > 0 and c.n[s] > 0:
                cost = merge_cost(m, c, r, s)
                if cost < best:
                    best, first, second = cost, r, s
    return first, second, best
