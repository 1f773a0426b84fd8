"""The directed degree-corrected SBM, P(A|k,e,b) P(k|e,b) P(e|b), out- and in-degrees apart.

See ``ffbm.blocks.directed_corrected``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.directed_edges import arc_change, arc_merge_change, arc_total
from ffbm.kernels.edges import opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.logq import log_q
from ffbm.kernels.tables import log_factorials, look


class DirectedCorrected(NamedTuple):
    """Its tables."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of blocks in use
    lf: np.ndarray  # ln x!, x up to max(E, N) + 1
    exact: np.ndarray  # the tables of ln q
    few: np.ndarray
    shape: np.ndarray


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return ln q(e, n), of the tails or of the heads in a block."""
    return log_q(e, n, likelihood.lf, likelihood.exact, likelihood.few, likelihood.shape)


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    nats = arc_change(likelihood.lf, c, loops, r, s, blocks, links, n_near)
    nats += degree_change(likelihood, c, k[0], kind[0], r, s, 0)
    nats += degree_change(likelihood, c, k[1], kind[1], r, s, c.n.size)
    return nats + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INLINE)
def degree_change(likelihood, c, k, kind, r, s, first):
    """Return what degrees of one side add, its rows of the ledger beginning at ``first``."""
    lf, e_r, e_s, n_r, n_s = likelihood.lf, c.e[first + r], c.e[first + s], c.n[r], c.n[s]
    own, other = look(c.eta, first + r, kind), look(c.eta, first + s, kind)
    total = lf[e_r - k] - lf[e_r] + lf[e_s + k] - lf[e_s]
    total += lf[own] - lf[own - 1] + lf[other] - lf[other + 1]
    total += lf[n_r - 1] - lf[n_r] + lf[n_s + 1] - lf[n_s]
    total += block_term(likelihood, n_r - 1, e_r - k) - c.term[first + r]
    return total + block_term(likelihood, n_s + 1, e_s + k) - c.term[first + s]


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) up to the degrees and multiplicities of the graph."""
    lf = likelihood.lf
    nats = likelihood.edge_cost[c.used[0]] + arc_total(lf, c) - log_factorials(c.eta, lf, False)
    for row in range(c.e.size):
        nats += lf[c.e[row]] + lf[c.n[row % c.n.size]] + c.term[row]
    return nats


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    lf, n = likelihood.lf, c.n[r] + c.n[s]
    nats = arc_merge_change(lf, c, r, s)
    for side in range(2):
        x, y = side * c.n.size + r, side * c.n.size + s
        e = c.e[x] + c.e[y]
        nats += lf[e] - lf[c.e[x]] - lf[c.e[y]] + lf[n] - lf[c.n[r]] - lf[c.n[s]]
        for kind in range(c.eta.shape[1]):
            own, other = c.eta[x, kind], c.eta[y, kind]
            if own > 0 and other > 0:
                nats -= lf[own + other] - lf[own] - lf[other]
        nats += block_term(likelihood, n, e) - c.term[x] - c.term[y]
    return nats


register(DirectedCorrected, change, total, merge_change, block_term)
