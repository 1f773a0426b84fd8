"""The microcanonical degree-corrected SBM, P(A|k,e,b) P(k|e,b) P(e|b), out- and in-degrees apart in directed graphs.

See ``ffbm.blocks.degree_corrected``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.directed_edges import DIRECTED
from ffbm.kernels.dispatch import implement
from ffbm.kernels.edges import UNDIRECTED, edge_change, edge_merge_change, edge_total, opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.logq import log_q
from ffbm.kernels.tables import log_factorial, log_factorials, look


class DegreeCorrected(NamedTuple):
    """Tables of the degree-corrected likelihood of undirected graphs."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of blocks in use
    lf: np.ndarray  # ln x!, all or a first row: see ``log_factorial``
    exact: np.ndarray  # the tables of ln q
    few_parts: np.ndarray
    many_parts: np.ndarray


class DirectedCorrected(NamedTuple):
    """Tables of the degree-corrected likelihood of directed graphs."""

    edge_cost: np.ndarray
    lf: np.ndarray
    exact: np.ndarray
    few_parts: np.ndarray
    many_parts: np.ndarray


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return ln q(e, n), of half-edges, or of the tails or the heads in a block."""
    return log_q(e, n, likelihood.lf, likelihood.exact, likelihood.few_parts, likelihood.many_parts)


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    lf = likelihood.lf
    nats = edge_change(likelihood, c, loops, r, s, blocks, links, n_near)
    for side in range(len(k)):
        x, y, d = len(k) * r + side, len(k) * s + side, k[side]
        e_r, e_s = c.e[x], c.e[y]
        nats += (
            log_factorial(lf, e_r - d) - log_factorial(lf, e_r) + log_factorial(lf, e_s + d) - log_factorial(lf, e_s)
        )
        nats += degree_change(likelihood, c, d, kind[side], r, s, x, y)
    return nats + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INLINE)
def degree_change(likelihood, c, k, kind, r, s, x, y):
    """Return the change of -ln P(k|e,b), of one side; x and y are the rows of r and s in the ledger."""
    lf, m_r, m_s, n_r, n_s = likelihood.lf, look(c.eta, x, kind), look(c.eta, y, kind), c.n[r], c.n[s]
    total = log_factorial(lf, m_r) - log_factorial(lf, m_r - 1) + log_factorial(lf, m_s) - log_factorial(lf, m_s + 1)
    total += log_factorial(lf, n_r - 1) - log_factorial(lf, n_r) + log_factorial(lf, n_s + 1) - log_factorial(lf, n_s)
    total += block_term(likelihood, n_r - 1, c.e[x] - k) - c.term[x]
    return total + block_term(likelihood, n_s + 1, c.e[y] + k) - c.term[y]


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) up to the degrees and multiplicities of the graph."""
    lf, n_sides = likelihood.lf, c.e.size // c.n.size
    nats = likelihood.edge_cost[c.used[0]] + edge_total(likelihood, c) - log_factorials(c.eta, lf, False)
    for row in range(c.e.size):
        nats += log_factorial(lf, c.e[row]) + log_factorial(lf, c.n[row // n_sides]) + c.term[row]
    return nats


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    lf, n, n_sides = likelihood.lf, c.n[r] + c.n[s], c.e.size // c.n.size
    nats = edge_merge_change(likelihood, c, r, s)
    for side in range(n_sides):
        x, y = n_sides * r + side, n_sides * s + side
        e = c.e[x] + c.e[y]
        nats += log_factorial(lf, e) - log_factorial(lf, c.e[x]) - log_factorial(lf, c.e[y])
        nats += log_factorial(lf, n) - log_factorial(lf, c.n[r]) - log_factorial(lf, c.n[s])
        for kind in range(c.eta.shape[1]):
            m_r, m_s = c.eta[x, kind], c.eta[y, kind]
            if m_r > 0 and m_s > 0:
                nats -= log_factorial(lf, m_r + m_s) - log_factorial(lf, m_r) - log_factorial(lf, m_s)
        nats += block_term(likelihood, n, e)
        nats -= c.term[x] + c.term[y]
    return nats


for tables, edges in ((DegreeCorrected, UNDIRECTED), (DirectedCorrected, DIRECTED)):
    register(tables, change=change, total=total, merge_change=merge_change, block_term=block_term)
    implement(tables, **edges)
