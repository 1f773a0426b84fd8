"""The microcanonical degree-corrected SBM, P(A|k,e,b) P(k|e,b) P(e|b): see ``ffbm.blocks.degree_corrected``."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.edges import edge_change, edge_merge_change, edge_total, opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.logq import log_q
from ffbm.kernels.tables import log_factorials, look


class DegreeCorrected(NamedTuple):
    """Its tables."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of blocks in use
    lf: np.ndarray  # ln x!, x up to max(2E, N) + 1
    exact: np.ndarray  # the tables of ln q
    few: np.ndarray
    shape: np.ndarray


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return ln q(e, n)."""
    return log_q(e, n, likelihood.lf, likelihood.exact, likelihood.few, likelihood.shape)


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    lf = likelihood.lf
    adjacency = edge_change(lf, c, loops, r, s, blocks, links, n_near)
    adjacency += lf[c.e[r] - k] - lf[c.e[r]] + lf[c.e[s] + k] - lf[c.e[s]]
    return adjacency + degree_change(likelihood, c, k, kind, r, s) + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INLINE)
def degree_change(likelihood, c, k, kind, r, s):
    """Return the change of -ln P(k|e,b)."""
    lf = likelihood.lf
    own, other, n_r, n_s = look(c.eta, r, kind), look(c.eta, s, kind), c.n[r], c.n[s]
    total = lf[own] - lf[own - 1] + lf[other] - lf[other + 1]
    total += lf[n_r - 1] - lf[n_r] + lf[n_s + 1] - lf[n_s]
    total += block_term(likelihood, n_r - 1, c.e[r] - k) - c.term[r]
    return total + block_term(likelihood, n_s + 1, c.e[s] + k) - c.term[s]


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) up to the degrees and multiplicities of the graph."""
    lf = likelihood.lf
    nats = likelihood.edge_cost[c.used[0]] + edge_total(lf, c) - log_factorials(c.eta, lf, False)
    for r in range(c.n.size):
        nats += lf[c.e[r]] + lf[c.n[r]] + c.term[r]
    return nats


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    lf = likelihood.lf
    e, n = c.e[r] + c.e[s], c.n[r] + c.n[s]
    nats = edge_merge_change(lf, c, r, s)
    nats += lf[e] - lf[c.e[r]] - lf[c.e[s]]
    nats += lf[n] - lf[c.n[r]] - lf[c.n[s]]
    for kind in range(c.eta.shape[1]):
        own, other = c.eta[r, kind], c.eta[s, kind]
        if own > 0 and other > 0:
            nats -= lf[own + other] - lf[own] - lf[other]
    nats += block_term(likelihood, n, e)
    return nats - c.term[r] - c.term[s]


register(DegreeCorrected, change, total, merge_change, block_term)
