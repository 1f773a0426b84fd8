"""Single-vertex moves with Peixoto's neighbour-guided proposal.

A random neighbour of i lies in block t; the new block is s with probability (e_ts + eps)/(e_t + eps B).
Half-edges of self-loops are not picked; a vertex without neighbours takes any block alike. Arcs of a directed graph
are looked at as edges: neighbours are those that they lead to and come from, e_ts the arcs either way.
"""

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import accepts
from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INLINE
from ffbm.kernels.ledger import across, between, degree_of, ends_of, list_neighbour_blocks, n_links, vertex_of
from ffbm.kernels.partition import may_share
from ffbm.kernels.target import entropy_change, lift_to, move
from ffbm.kernels.workspace import ENTROPY, FIELD, LOWEST, MOVES, VISITS

ROUNDING = 1e-9  # S is carried as a sum of changes: a partition that is met again may seem lower by less than this
_NEVER = 40.0  # exp(-40) lies below the smallest uniform number above zero


@njit(**INLINE)
def propose(g, c, i, epsilon, u, v):
    """Return the block proposed for vertex i, from two uniform numbers."""
    n_blocks = c.n.size
    begin = g.indptr[i]
    k = g.indptr[i + 1] - begin
    if k == 0:
        return int(u * n_blocks)
    t = c.b[g.indices[begin + int(u * k)]]
    ends = ends_of(g, c, t)
    x = v * (ends + epsilon * n_blocks)
    if int(x) >= ends:
        return min(int((x - ends) / epsilon), n_blocks - 1)
    return across(g, c, t, int(x))


@njit(**INLINE)
def log_proposal_ratio(g, c, i, s, epsilon, blocks, links, n_near):
    """Return ln of the reverse over the forward proposal probability of a move of vertex i to block s."""
    if n_near == 0:
        return 0.0
    r, k, loops = c.b[i], degree_of(g, i), vertex_of(g, i)[1]
    base = epsilon * c.n.size
    to_r, to_s = 0, 0
    forward, reverse = 0.0, 0.0
    for a in range(n_near):
        t, d = blocks[a], n_links(g, links[a])
        if t == r:
            to_r = d
        elif t == s:
            to_s = d
        else:
            share = d / (ends_of(g, c, t) + base)
            forward += share * (between(g, c, s, t) + epsilon)
            reverse += share * (between(g, c, r, t) - d + epsilon)
    e_r, e_s, e_rs = ends_of(g, c, r), ends_of(g, c, s), between(g, c, r, s)
    forward += to_r * (e_rs + epsilon) / (e_r + base) + to_s * (between(g, c, s, s) + epsilon) / (e_s + base)
    reverse += to_r * (between(g, c, r, r) - 2 * (to_r + loops) + epsilon) / (e_r - k + base)
    reverse += to_s * (e_rs + to_r - to_s + epsilon) / (e_s + k + base)
    return np.log(reverse / forward)


@njit(**ENTRY)
def sweep(rng, model, ledger, beta, epsilon, allow_empty, totals, tally, undo_log, scratch):
    """Visit every vertex once, in order, and return how many entries of the undo log are in use.

    totals, tally, undo_log and scratch: see ``workspace``.
    undo_log (2, N): the moves since the lowest S of this sweep, as vertex and block left, so that the best
    partition can be found again at its end; -1 if the lowest S was not reached in this sweep.
    """
    m, c = bare(model), bare(ledger)
    totals, tally, undo_log = bare(totals), bare(tally), bare(undo_log)
    blocks, links, marks = bare(scratch[0]), bare(scratch[1]), bare(scratch[2])
    least = (c.e.sum() + epsilon * c.n.size) / epsilon  # every block is proposed with probability 1/least or more
    longest = np.log(least) + _NEVER
    most = (1.0 + 1e-9) * least  # no ratio of proposal probabilities is larger
    noted = -1
    for i in range(c.b.size):
        r = np.int64(c.b[i])
        s = np.int64(propose(m.graph, c, i, epsilon, rng.random(), rng.random()))
        if s == r or (c.n[r] == 1 and not allow_empty) or not may_share(m.prior, r, s):
            continue
        n_near = list_neighbour_blocks(m.graph, c, i, blocks, links, marks)
        change = entropy_change(m, c, i, s, blocks, links, n_near)
        lift = lift_to(m, c, i, s)
        if beta * (lift - change) < -longest:
            continue  # whatever the proposal ratio, this is not accepted
        u = rng.random()
        if u > most * np.exp(beta * (lift - change)):
            continue  # nor is this: most proposals end here
        ratio = log_proposal_ratio(m.graph, c, i, s, epsilon, blocks, links, n_near)
        if accepts(u, beta * (lift - change) + ratio):
            move(m, c, i, s)
            totals[ENTROPY] += change
            totals[FIELD] += lift
            tally[MOVES] += 1
            if totals[ENTROPY] < totals[LOWEST] - ROUNDING:
                totals[LOWEST] = totals[ENTROPY]
                noted = 0
            elif noted >= 0:
                undo_log[0, noted] = i
                undo_log[1, noted] = r
                noted += 1
    tally[VISITS] += c.b.size
    return noted
