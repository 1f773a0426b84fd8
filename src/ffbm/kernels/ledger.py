"""The ledger of a partition: its counts, how they follow from the labels, and how moving a vertex changes them.

It counts and does not score: what the counts are worth is the business of a likelihood. How a graph is counted is
chosen by the class of its arrays: ``halfedges`` does it for undirected graphs, ``arcs`` for directed ones. What
proposals ask for is the same of both: a directed graph answers as if its arcs had no direction.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import answer, question
from ffbm.kernels.tables import add, clear


class Ledger(NamedTuple):
    """What a move changes. A row is a block; of a directed graph 2 r is its tails and 2 r + 1 its heads."""

    b: np.ndarray  # (N,) int32: labels
    n: np.ndarray  # (B,) int64: block sizes
    e: np.ndarray  # (rows,) int64: half-edges e_r
    ers: np.ndarray  # (B, B) table: half-edges from r to s, e_rr twice the edges inside r; or arcs from r to s
    eta: np.ndarray  # (rows, K) table: vertices of each degree class
    term: np.ndarray  # (rows,) float64: what the likelihood keeps of each block, see ``likelihood.block_term``
    near: np.ndarray  # (N, B): links of i with each block without loops; (0, 0): counted when needed
    used: np.ndarray  # (1,) int64: blocks that are not empty; then those of each type, if there are types
    ring: np.ndarray  # (N + B, 2) int32: the members of each block, linked both ways; (0, 0) where ers is dense


class WeightedLedger(NamedTuple):
    """A ledger of edges with weights: the same, and whole numbers of units of weight, so that nothing drifts."""

    b: np.ndarray
    n: np.ndarray
    e: np.ndarray
    ers: np.ndarray
    eta: np.ndarray
    term: np.ndarray
    near: np.ndarray
    used: np.ndarray
    ring: np.ndarray
    sums: np.ndarray  # (B, B) table: the weights between r and s, at r <= s; or from r to s
    squares: np.ndarray  # the same of their squares; (0, 0) where the likelihood has none
    whole: np.ndarray  # (4,) int64: of all pairs of blocks, see ``pairterms.Part``
    around: np.ndarray  # (7, B) int64: a buffer, zero before and after but for its last row
    noted: np.ndarray  # (5, 4 B + 4) int64: changes of pairs of blocks, written down by ``weighted.note``


@question
def n_sides(g):
    """Return how many rows a block has in a ledger: 1, or 2 for tails and heads."""


@question
def vertex_of(g, i):
    """Return the degree of vertex i, its self-loops and its degree class; degree and class for each side in turn."""


@question
def turn_of(g, i):
    """Return where in the row of vertex i the neighbours end that edges lead to: its end if they have no direction."""


@question
def degree_of(g, i):
    """Return the degree of vertex i, a self-loop counting twice."""


@question
def n_links(g, links):
    """Return how many links an entry of ``links`` stands for."""


@question
def ends_of(g, c, t):
    """Return the half-edges of block t."""


@question
def between(g, c, r, s):
    """Return the half-edges from block r to block s; from r to itself twice the edges inside."""


@question
def ledger_at(s, k):
    """Return the ledger at place k of arrays of ledgers."""


@question
def blocks_in_use(c):
    """Return the ledger without the blocks after the first ``used[0]`` of them, which are empty."""


@question
def link_of(g, leads):
    """Return what one entry in the row of a vertex adds to its links: an edge that leads to the other end, or not."""


@question
def add_edges(g, c, r, t, leads, d):
    """Add d edges between blocks r and t to the counts; those of a directed graph lead from r to t, or not."""


@njit(**INLINE)
def used_after(c, r, s):
    """Return how many blocks are in use after one vertex has moved from block r to another block s."""
    return c.used[0] - int(c.n[r] == 1) + int(c.n[s] == 0)


@njit(**INLINE)
def clear_ring(c):
    """Take all vertices out of the rings."""
    for a in range(c.ring.shape[0]):
        c.ring[a, 0] = c.ring[a, 1] = a


@njit(**INLINE)
def enter(c, i, s):
    """Link vertex i into the ring of block s, which begins and ends at entry N + s."""
    head = c.b.size + s
    first = c.ring[head, 1]
    c.ring[head, 1] = i
    c.ring[i, 0], c.ring[i, 1] = head, first
    c.ring[first, 0] = i


@njit(**INLINE)
def leave(c, i):
    """Take vertex i out of the ring it is in."""
    before, after = c.ring[i, 0], c.ring[i, 1]
    c.ring[before, 1] = after
    c.ring[after, 0] = before


@njit(**INLINE)
def count_vertex(g, c, i, r, d):
    """Count vertex i in block r, but for its links with others; with d = -1 it is taken out."""
    k, loops, kind = vertex_of(g, i)
    c.n[r] += d
    add(c.ers, r, r, d * loops * (2 // len(k)))  # a loop is two half-edges, or one arc
    for side in range(len(k)):
        row = len(k) * r + side
        c.e[row] += d * k[side]
        add(c.eta, row, kind[side], d)


@njit(**INNER)
def count_all(g, c):
    """Fill all counts from the labels."""
    c.n[:] = 0
    c.e[:] = 0
    c.near[:] = 0
    clear(c.ers)
    clear(c.eta)
    clear_ring(c)
    for i in range(c.b.size):
        r, turn = c.b[i], turn_of(g, i)
        count_vertex(g, c, i, r, 1)
        if c.ring.size > 0:
            enter(c, i, r)
        for h in range(g.indptr[i], g.indptr[i + 1]):
            t = c.b[g.indices[h]]
            if h < turn:
                add(c.ers, r, t, 1)
            if c.near.size > 0:
                c.near[i, t] += link_of(g, h < turn)
    c.used[0] = np.count_nonzero(c.n)


@njit(**INLINE)
def look_around(g, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its links with each; return how many.

    marks (B,) is zero before and after.
    """
    n_near = 0
    if c.near.size > 0:
        for t in range(c.n.size):
            blocks[n_near] = t
            links[n_near] = c.near[i, t]
            n_near += c.near[i, t] > 0
        return n_near
    turn = turn_of(g, i)
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t = c.b[g.indices[h]]
        if marks[t] == 0:
            blocks[n_near] = t
            n_near += 1
        marks[t] += link_of(g, h < turn)
    for a in range(n_near):
        links[a] = marks[blocks[a]]
        marks[blocks[a]] = 0
    return n_near


@njit(**INLINE)
def relabel(g, c, i, s):
    """Give vertex i the label s and bring all counts up to date."""
    r, turn = c.b[i], turn_of(g, i)
    for h in range(g.indptr[i], g.indptr[i + 1]):
        j = g.indices[h]
        t = c.b[j]
        add_edges(g, c, r, t, h < turn, -1)
        add_edges(g, c, s, t, h < turn, 1)
        if c.near.size > 0:
            c.near[j, r] -= link_of(g, h >= turn)
            c.near[j, s] += link_of(g, h >= turn)
    if c.ring.size > 0:
        leave(c, i)
        enter(c, i, s)
    c.used[0] = used_after(c, r, s)
    count_vertex(g, c, i, r, -1)
    count_vertex(g, c, i, s, 1)
    c.b[i] = s


@njit(**INLINE)
def across(g, c, t, which):
    """Return the block at the other end of half-edge number ``which`` of block t, counted in any fixed order."""
    if c.ring.size > 0:
        return across_ring(g, c, t, which)
    which -= between(g, c, t, t)  # the own block first: it is the likeliest
    if which < 0:
        return t
    for s in range(c.n.size):
        if s != t:
            which -= between(g, c, t, s)
            if which < 0:
                return s
    return t


@njit(**INNER)
def across_ring(g, c, t, which):
    """Do the same along the members of block t, where its row of counts cannot be read off."""
    v = c.ring[c.b.size + t, 1]
    while which >= degree_of(g, v):
        which -= degree_of(g, v)
        v = c.ring[v, 1]
    which -= 2 * vertex_of(g, v)[1]
    return t if which < 0 else c.b[g.indices[g.indptr[v] + which]]


@njit(**INLINE)
def plain_at(s, k):
    """Return the ledger at place k."""
    return Ledger(s.b[k], s.n[k], s.e[k], s.ers[k], s.eta[k], s.term[k], s.near[k], s.used[k], s.ring[k])


@njit(**INLINE)
def weighted_at(s, k):
    """Return the ledger at place k, of edges with weights."""
    return WeightedLedger(
        s.b[k], s.n[k], s.e[k], s.ers[k], s.eta[k], s.term[k], s.near[k], s.used[k], s.ring[k],
        s.sums[k], s.squares[k], s.whole[k], s.around[k], s.noted[k],
    )  # fmt: skip


@njit(**INLINE)
def plain_in_use(c):
    """Return the ledger of the blocks in use."""
    return Ledger(c.b, c.n[: c.used[0]], c.e, c.ers, c.eta, c.term, c.near, c.used, c.ring)


@njit(**INLINE)
def weighted_in_use(c):
    """Return the ledger of the blocks in use, of edges with weights."""
    return WeightedLedger(
        c.b, c.n[: c.used[0]], c.e, c.ers, c.eta, c.term, c.near, c.used, c.ring,
        c.sums, c.squares, c.whole, c.around, c.noted,
    )  # fmt: skip


@njit(**INNER)
def free_label(c, which):
    """Return the empty block number ``which``, counted from 0; -1 if there are not so many."""
    for r in range(c.n.size):
        if c.n[r] == 0:
            if which == 0:
                return r
            which -= 1
    return -1


answer(Ledger, ledger_at=plain_at, blocks_in_use=plain_in_use)
answer(WeightedLedger, ledger_at=weighted_at, blocks_in_use=weighted_in_use)
