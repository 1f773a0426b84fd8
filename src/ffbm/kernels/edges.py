"""The edge term that all flat likelihoods share, and P(e|b).

The edge term is -sum_{r<s} ln e_rs! - sum_r ln e_rr!! for undirected graphs; for directed ones see ``directed_edges``.
"""

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import generic
from ffbm.kernels.ledger import used_after
from ffbm.kernels.tables import log_factorial, log_factorials, look

LN2 = np.log(2.0)


@generic
def edge_change(likelihood, c, loops, r, s, blocks, links, n_near):
    """Return the change of the edge term when a vertex moves from r to s."""


@generic
def edge_total(likelihood, c):
    """Return the edge term, without P(e|b)."""


@generic
def edge_merge_change(likelihood, c, r, s):
    """Return the change of the edge term when blocks r and s become one; for dense tables."""


@njit(**INLINE)
def _change(likelihood, c, loops, r, s, blocks, links, n_near):
    lf = likelihood.lf
    to_r, to_s = 0, 0
    change = 0.0
    for a in range(n_near):
        t, d = blocks[a], links[a]
        if t == r:
            to_r = d
        elif t == s:
            to_s = d
        else:
            old_r, old_s = look(c.ers, r, t), look(c.ers, s, t)
            change += (
                log_factorial(lf, old_r)
                - log_factorial(lf, old_r - d)
                + log_factorial(lf, old_s)
                - log_factorial(lf, old_s + d)
            )
    inside_r, inside_s, between = look(c.ers, r, r) >> 1, look(c.ers, s, s) >> 1, look(c.ers, r, s)
    out, into = to_r + loops, to_s + loops
    change += (
        log_factorial(lf, inside_r)
        - log_factorial(lf, inside_r - out)
        + log_factorial(lf, inside_s)
        - log_factorial(lf, inside_s + into)
    )
    return change + (LN2 * (out - into) + log_factorial(lf, between) - log_factorial(lf, between + to_r - to_s))


@njit(**INLINE)
def opening_change(edge_cost, c, r, s):
    """Return the change of -ln P(e|b), tabulated by the number of blocks in use, when a block closes or opens."""
    if c.n[r] > 1 and c.n[s] > 0:
        return 0.0
    return edge_cost[used_after(c, r, s)] - edge_cost[c.used[0]]


@njit(**INNER)
def _total(likelihood, c):
    lf = likelihood.lf
    total = -log_factorials(c.ers, lf, True)
    for r in range(c.n.size):
        inside = look(c.ers, r, r) >> 1
        total -= log_factorial(lf, inside) + LN2 * inside
    return total


@njit(**INNER)
def _merge_change(likelihood, c, r, s):
    lf, change = likelihood.lf, 0.0
    for t in range(c.n.size):
        if t not in (r, s):
            change += (
                log_factorial(lf, c.ers[r, t])
                + log_factorial(lf, c.ers[s, t])
                - log_factorial(lf, c.ers[r, t] + c.ers[s, t])
            )
    inside_r, inside_s, between = c.ers[r, r] >> 1, c.ers[s, s] >> 1, c.ers[r, s]
    return change + (
        log_factorial(lf, inside_r)
        + log_factorial(lf, inside_s)
        + log_factorial(lf, between)
        - LN2 * between
        - log_factorial(lf, inside_r + inside_s + between)
    )


UNDIRECTED = {"edge_change": _change, "edge_total": _total, "edge_merge_change": _merge_change}
