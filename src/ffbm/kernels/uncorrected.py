"""The microcanonical SBM without degree correction, P(A|e,b) P(e|b), of undirected and of directed graphs.

See ``ffbm.blocks.uncorrected``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.directed_edges import DIRECTED
from ffbm.kernels.dispatch import implement
from ffbm.kernels.edges import UNDIRECTED, edge_change, edge_merge_change, edge_total, opening_change
from ffbm.kernels.likelihood import register


class Uncorrected(NamedTuple):
    """Tables of the likelihood without degree correction of undirected graphs."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of blocks in use
    lf: np.ndarray  # ln x!, all or a first row: see ``log_factorial``
    ln: np.ndarray  # ln n, n up to N + 1; 0 for an empty block, which has no half-edges


class DirectedUncorrected(NamedTuple):
    """Tables of the likelihood without degree correction of directed graphs."""

    edge_cost: np.ndarray
    lf: np.ndarray
    ln: np.ndarray


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return e ln n: each half-edge of a block, or tail, or head, is at any of its vertices alike."""
    return e * likelihood.ln[n]


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):  # noqa: ARG001 - degrees do not matter
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    nats = edge_change(likelihood, c, loops, r, s, blocks, links, n_near)
    for side in range(len(k)):
        x, y = len(k) * r + side, len(k) * s + side
        nats += block_term(likelihood, c.n[r] - 1, c.e[x] - k[side]) - c.term[x]
        nats += block_term(likelihood, c.n[s] + 1, c.e[y] + k[side]) - c.term[y]
    return nats + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) up to the multiplicities of the graph."""
    return likelihood.edge_cost[c.used[0]] + edge_total(likelihood, c) + c.term.sum()


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    nats, n_sides = edge_merge_change(likelihood, c, r, s), c.e.size // c.n.size
    for side in range(n_sides):
        x, y = n_sides * r + side, n_sides * s + side
        nats += block_term(likelihood, c.n[r] + c.n[s], c.e[x] + c.e[y]) - c.term[x] - c.term[y]
    return nats


for tables, edges in ((Uncorrected, UNDIRECTED), (DirectedUncorrected, DIRECTED)):
    register(tables, change=change, total=total, merge_change=merge_change, block_term=block_term)
    implement(tables, **edges)
