"""The ledger of a partition: its counts, how they follow from the labels, and how moving a vertex changes them.

It counts and does not score: likelihoods do. The class of the graph's arrays chooses how it is counted: ``halfedges``
for undirected graphs, ``arcs`` for directed ones. Proposals treat both alike, as if arcs had no direction.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import generic, implement
from ffbm.kernels.tables import add, clear


class Ledger(NamedTuple):
    """What a move changes. A row is a block; of a directed graph 2 r is its tails and 2 r + 1 its heads."""

    b: np.ndarray  # (N,) int32: labels
    n: np.ndarray  # (B,) int64: block sizes
    e: np.ndarray  # (rows,) int64: half-edges e_r
    ers: np.ndarray  # (B, B) table: half-edges from r to s, e_rr twice the edges inside r; or arcs from r to s
    eta: np.ndarray  # (rows, K) table: vertices of each degree class
    term: np.ndarray  # (rows,) float64: what the likelihood keeps of each block, see ``likelihood.block_term``
    links: np.ndarray  # (N, B): links of each vertex with each block without loops; (0, 0): counted when needed
    used: np.ndarray  # (1,) int64: blocks that are not empty; then those of each type, if there are types
    members: np.ndarray  # (N + B, 2) int32: each block's vertices as a doubly linked list; (0, 0) where ers is dense


class WeightedLedger(NamedTuple):
    """A ledger of edges with weights: the same, and whole numbers of units of weight, so that nothing drifts."""

    b: np.ndarray
    n: np.ndarray
    e: np.ndarray
    ers: np.ndarray
    eta: np.ndarray
    term: np.ndarray
    links: np.ndarray
    used: np.ndarray
    members: np.ndarray
    sums: np.ndarray  # (B, B) table: the weights between r and s, at r <= s; or from r to s
    squares: np.ndarray  # the same of their squares; (0, 0) where the likelihood has none
    pair_totals: np.ndarray  # (4,) int64: of all pairs of blocks, see ``pairterms.PairTerms``
    vertex_sums: np.ndarray  # (7, B) int64: of one vertex, by block; zero before and after but for its last row
    changes: np.ndarray  # (5, 4 B + 4) int64: changes of pairs of blocks, written down by ``weighted.note_change``


@generic
def n_sides(g):
    """Return how many rows a block has in a ledger: 1, or 2 for tails and heads."""


@generic
def vertex_of(g, i):
    """Return the degree of vertex i, its self-loops and its degree class; degree and class for each side in turn."""


@generic
def successors_end(g, i):
    """Return where in the row of vertex i its successors end and its predecessors begin; its end if undirected."""


@generic
def degree_of(g, i):
    """Return the degree of vertex i, a self-loop counting twice."""


@generic
def n_links(g, links):
    """Return the number of links that an entry of ``links`` stands for."""


@generic
def ends_of(g, c, t):
    """Return the number of half-edges of block t."""


@generic
def between(g, c, r, s):
    """Return the number of half-edges from block r to block s; from r to itself twice the edges inside."""


@generic
def ledger_at(s, k):
    """Return ledger k of several ledgers that are stacked along the first axis of every array."""


@generic
def blocks_in_use(c):
    """Return the ledger without the blocks after the first ``used[0]`` of them, which are empty."""


@generic
def link_of(g, leads):
    """Return what one neighbour adds to a vertex's links: a successor if ``leads``, else a predecessor."""


@generic
def add_edges(g, c, r, t, leads, d):
    """Add d edges between blocks r and t to the counts; in directed graphs from r to t if ``leads``, else to r."""


@njit(**INLINE)
def used_after(c, r, s):
    """Return how many blocks are in use after one vertex has moved from block r to another block s."""
    return c.used[0] - int(c.n[r] == 1) + int(c.n[s] == 0)


@njit(**INLINE)
def clear_members(c):
    """Empty the list of members of every block."""
    for a in range(c.members.shape[0]):
        c.members[a, 0] = c.members[a, 1] = a


@njit(**INLINE)
def enter(c, i, s):
    """Put vertex i into the list of members of block s, which begins and ends at entry N + s."""
    head = c.b.size + s
    first = c.members[head, 1]
    c.members[head, 1] = i
    c.members[i, 0], c.members[i, 1] = head, first
    c.members[first, 0] = i


@njit(**INLINE)
def leave(c, i):
    """Take vertex i out of the list of members it is in."""
    before, after = c.members[i, 0], c.members[i, 1]
    c.members[before, 1] = after
    c.members[after, 0] = before


@njit(**INLINE)
def count_vertex(g, c, i, r, d):
    """Add vertex i to the counts of block r, but for its links with others; with d = -1 take it out."""
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
    c.links[:] = 0
    clear(c.ers)
    clear(c.eta)
    clear_members(c)
    for i in range(c.b.size):
        r, middle = c.b[i], successors_end(g, i)
        count_vertex(g, c, i, r, 1)
        if c.members.size > 0:
            enter(c, i, r)
        for h in range(g.indptr[i], g.indptr[i + 1]):
            t = c.b[g.indices[h]]
            if h < middle:
                add(c.ers, r, t, 1)
            if c.links.size > 0:
                c.links[i, t] += link_of(g, h < middle)
    c.used[0] = np.count_nonzero(c.n)


@njit(**INLINE)
def list_neighbour_blocks(g, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its links with each; return how many.

    marks (B,) is zero before and after.
    """
    n_near = 0
    if c.links.size > 0:
        for t in range(c.n.size):
            blocks[n_near] = t
            links[n_near] = c.links[i, t]
            n_near += c.links[i, t] > 0
        return n_near
    middle = successors_end(g, i)
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t = c.b[g.indices[h]]
        if marks[t] == 0:
            blocks[n_near] = t
            n_near += 1
        marks[t] += link_of(g, h < middle)
    for a in range(n_near):
        links[a] = marks[blocks[a]]
        marks[blocks[a]] = 0
    return n_near


@njit(**INLINE)
def relabel(g, c, i, s):
    """Give vertex i the label s and bring all counts up to date."""
    r, middle = c.b[i], successors_end(g, i)
    for h in range(g.indptr[i], g.indptr[i + 1]):
        j = g.indices[h]
        t = c.b[j]
        add_edges(g, c, r, t, h < middle, -1)
        add_edges(g, c, s, t, h < middle, 1)
        if c.links.size > 0:
            c.links[j, r] -= link_of(g, h >= middle)
            c.links[j, s] += link_of(g, h >= middle)
    if c.members.size > 0:
        leave(c, i)
        enter(c, i, s)
    c.used[0] = used_after(c, r, s)
    count_vertex(g, c, i, r, -1)
    count_vertex(g, c, i, s, 1)
    c.b[i] = s


@njit(**INLINE)
def across(g, c, t, which):
    """Return the block at the other end of half-edge number ``which`` of block t, in any fixed order."""
    if c.members.size > 0:
        return across_members(g, c, t, which)
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
def across_members(g, c, t, which):
    """Answer ``across`` from the members of block t: a compact table has no rows that could be read."""
    v = c.members[c.b.size + t, 1]
    while which >= degree_of(g, v):
        which -= degree_of(g, v)
        v = c.members[v, 1]
    which -= 2 * vertex_of(g, v)[1]
    return t if which < 0 else c.b[g.indices[g.indptr[v] + which]]


@njit(**INLINE)
def plain_at(s, k):
    """Return ledger k of several, without weights."""
    return Ledger(s.b[k], s.n[k], s.e[k], s.ers[k], s.eta[k], s.term[k], s.links[k], s.used[k], s.members[k])


@njit(**INLINE)
def weighted_at(s, k):
    """Return ledger k of several, with weights."""
    return WeightedLedger(
        s.b[k], s.n[k], s.e[k], s.ers[k], s.eta[k], s.term[k], s.links[k], s.used[k], s.members[k],
        s.sums[k], s.squares[k], s.pair_totals[k], s.vertex_sums[k], s.changes[k],
    )  # fmt: skip


@njit(**INLINE)
def plain_in_use(c):
    """Return the ledger without its empty blocks, without weights."""
    return Ledger(c.b, c.n[: c.used[0]], c.e, c.ers, c.eta, c.term, c.links, c.used, c.members)


@njit(**INLINE)
def weighted_in_use(c):
    """Return the ledger without its empty blocks, with weights."""
    return WeightedLedger(
        c.b, c.n[: c.used[0]], c.e, c.ers, c.eta, c.term, c.links, c.used, c.members,
        c.sums, c.squares, c.pair_totals, c.vertex_sums, c.changes,
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


implement(Ledger, ledger_at=plain_at, blocks_in_use=plain_in_use)
implement(WeightedLedger, ledger_at=weighted_at, blocks_in_use=weighted_in_use)
