"""A multigraph given groups of its vertices, all ways to deal edges to pairs alike: see ``ffbm.blocks.levels``.

It is the likelihood of the levels above the blocks: their vertices are the groups of the level below.
"""

from math import lgamma
from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.edges import opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.tables import look


class Multigraph(NamedTuple):
    """Its tables."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of groups in use
    lf: np.ndarray  # ln x!, as far as they are tabulated


@njit(**INLINE)
def log_factorial(lf, x):
    """Return ln x!, from the table if it reaches so far."""
    return lf[x] if x < lf.size else lgamma(x + 1.0)


@njit(**INLINE)
def ways(lf, n_pairs, n_edges):
    """Return ln C(n_pairs + n_edges - 1, n_edges); 0 for no pairs, which have no edges."""
    if n_edges == 0 or n_pairs == 0:
        return 0.0
    nats = log_factorial(lf, n_pairs + n_edges - 1) - log_factorial(lf, n_edges)
    return nats - log_factorial(lf, n_pairs - 1)


@njit(**INLINE)
def between(lf, n_r, n_s, e):
    """Return what e edges between groups of n_r and n_s members cost."""
    return ways(lf, n_r * n_s, e)


@njit(**INLINE)
def inside(lf, n, e):
    """Return what e half-edges inside a group of n members cost."""
    return ways(lf, n * (n + 1) // 2, e >> 1)


@njit(**INNER)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):  # noqa: ARG001 - degrees do not matter
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    lf, n_r, n_s = likelihood.lf, c.n[r], c.n[s]
    to_r, to_s = 0, 0
    nats = 0.0
    for t in range(c.n.size):  # as if the vertex had no edges: sizes alone
        if t != r and t != s and c.n[t] > 0:  # r and s may be of two types
            e_r, e_s = look(c.ers, r, t), look(c.ers, s, t)
            nats += between(lf, n_r - 1, c.n[t], e_r) - between(lf, n_r, c.n[t], e_r)
            nats += between(lf, n_s + 1, c.n[t], e_s) - between(lf, n_s, c.n[t], e_s)
    for a in range(n_near):  # then its edges
        t, d = blocks[a], links[a]
        if t == r:
            to_r = d
        elif t == s:
            to_s = d
        else:
            e_r, e_s = look(c.ers, r, t), look(c.ers, s, t)
            nats += between(lf, n_r - 1, c.n[t], e_r - d) - between(lf, n_r - 1, c.n[t], e_r)
            nats += between(lf, n_s + 1, c.n[t], e_s + d) - between(lf, n_s + 1, c.n[t], e_s)
    e_rr, e_ss, e_rs = look(c.ers, r, r), look(c.ers, s, s), look(c.ers, r, s)
    nats += inside(lf, n_r - 1, e_rr - 2 * (to_r + loops)) - inside(lf, n_r, e_rr)
    nats += inside(lf, n_s + 1, e_ss + 2 * (to_s + loops)) - inside(lf, n_s, e_ss)
    nats += between(lf, n_r - 1, n_s + 1, e_rs + to_r - to_s) - between(lf, n_r, n_s, e_rs)
    return nats + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INNER)
def dealt(lf, n, ers):
    """Return what the edge counts (B, B) of groups of n (B,) members cost in all."""
    nats = 0.0
    for r in range(n.size):
        if n[r] > 0:
            nats += inside(lf, n[r], look(ers, r, r))
            for s in range(r):
                nats += between(lf, n[r], n[s], look(ers, r, s))
    return nats


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b)."""
    return likelihood.edge_cost[c.used[0]] + dealt(likelihood.lf, c.n, c.ers)


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when groups r and s become one, P(e|b) left out."""
    lf, n_r, n_s = likelihood.lf, c.n[r], c.n[s]
    nats = 0.0
    for t in range(c.n.size):
        if t not in (r, s) and c.n[t] > 0:
            e_r, e_s = c.ers[r, t], c.ers[s, t]
            nats += between(lf, n_r + n_s, c.n[t], e_r + e_s)
            nats -= between(lf, n_r, c.n[t], e_r) + between(lf, n_s, c.n[t], e_s)
    e_rr, e_ss, e_rs = c.ers[r, r], c.ers[s, s], c.ers[r, s]
    nats += inside(lf, n_r + n_s, e_rr + e_ss + 2 * e_rs)
    return nats - inside(lf, n_r, e_rr) - inside(lf, n_s, e_ss) - between(lf, n_r, n_s, e_rs)


@njit(**INLINE)
def block_term(likelihood, n, e):  # noqa: ARG001
    """Return 0: nothing of a group is dear."""
    return 0.0


register(Multigraph, change, total, merge_change, block_term)
