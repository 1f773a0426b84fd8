"""The directed SBM without degree correction, P(A|e,b) P(e|b): see ``ffbm.blocks.directed_uncorrected``."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.directed_edges import arc_change, arc_merge_change, arc_total
from ffbm.kernels.edges import opening_change
from ffbm.kernels.likelihood import register


class DirectedUncorrected(NamedTuple):
    """Its tables."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of blocks in use
    lf: np.ndarray  # ln x!, x up to E + 1
    ln: np.ndarray  # ln n, n up to N + 1; 0 for an empty block, which has no arcs


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return e ln n: each tail, or head, of a block is at any of its vertices alike."""
    return e * likelihood.ln[n]


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):  # noqa: ARG001 - degrees do not matter
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    nats = arc_change(likelihood.lf, c, loops, r, s, blocks, links, n_near)
    for side in range(2):
        x, y = side * c.n.size + r, side * c.n.size + s
        nats += block_term(likelihood, c.n[r] - 1, c.e[x] - k[side]) - c.term[x]
        nats += block_term(likelihood, c.n[s] + 1, c.e[y] + k[side]) - c.term[y]
    return nats + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) up to the multiplicities of the graph."""
    return likelihood.edge_cost[c.used[0]] + arc_total(likelihood.lf, c) + c.term.sum()


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    n = c.n[r] + c.n[s]
    nats = arc_merge_change(likelihood.lf, c, r, s)
    for side in range(2):
        x, y = side * c.n.size + r, side * c.n.size + s
        nats += block_term(likelihood, n, c.e[x] + c.e[y]) - c.term[x] - c.term[y]
    return nats


register(DirectedUncorrected, change, total, merge_change, block_term)
