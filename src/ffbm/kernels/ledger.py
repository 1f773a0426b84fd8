"""The ledger of a partition: its counts, how they follow from the labels, and how moving a vertex changes them.

It counts and does not score: what the counts are worth is the business of a likelihood.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.tables import add, clear, look


class Adjacency(NamedTuple):
    """The graph as kernels read it."""

    indptr: np.ndarray  # (N+1,) int64: the graph without its self-loops
    indices: np.ndarray  # int32
    vertex: np.ndarray  # (N, 3) int32: degree, self-loops, degree class


class Ledger(NamedTuple):
    """What a move changes."""

    b: np.ndarray  # (N,) int32: labels
    n: np.ndarray  # (B,) int64: block sizes
    e: np.ndarray  # (B,) int64: half-edges e_r
    ers: np.ndarray  # (B, B) table: half-edges from r to s; e_rr is twice the edges inside r
    eta: np.ndarray  # (B, K) table: vertices of each degree class
    term: np.ndarray  # (B,) float64: what the likelihood keeps of each block, see ``likelihood.block_term``
    near: np.ndarray  # (N, B) int32: half-edges from i into each block without loops; (0, 0): counted when needed
    used: np.ndarray  # (1,) int64: blocks that are not empty
    ring: np.ndarray  # (N + B, 2) int32: the members of each block, linked both ways; (0, 0) where ers is dense


@njit(**INNER)
def count_all(g, c):
    """Fill all counts from the labels."""
    c.n[:] = 0
    c.e[:] = 0
    c.near[:] = 0
    clear(c.ers)
    clear(c.eta)
    for a in range(c.ring.shape[0]):
        c.ring[a, 0] = c.ring[a, 1] = a
    for i in range(c.b.size):
        r = c.b[i]
        c.n[r] += 1
        c.e[r] += g.vertex[i, 0]
        add(c.ers, r, r, 2 * g.vertex[i, 1])
        add(c.eta, r, g.vertex[i, 2], 1)
        if c.ring.size > 0:
            enter(c, i, r)
        for h in range(g.indptr[i], g.indptr[i + 1]):
            t = c.b[g.indices[h]]
            add(c.ers, r, t, 1)
            if c.near.size > 0:
                c.near[i, t] += 1
    c.used[0] = np.count_nonzero(c.n)


@njit(**INLINE)
def look_around(g, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its half-edges into each; return how many.

    marks (B,) is zero before and after.
    """
    n_near = 0
    if c.near.size > 0:
        for t in range(c.n.size):
            blocks[n_near] = t
            links[n_near] = c.near[i, t]
            n_near += c.near[i, t] > 0
        return n_near
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t = c.b[g.indices[h]]
        if marks[t] == 0:
            blocks[n_near] = t
            n_near += 1
        marks[t] += 1
    for a in range(n_near):
        links[a] = marks[blocks[a]]
        marks[blocks[a]] = 0
    return n_near


@njit(**INLINE)
def used_after(c, r, s):
    """Return how many blocks are in use after one vertex has moved from block r to another block s."""
    return c.used[0] - int(c.n[r] == 1) + int(c.n[s] == 0)


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
def relabel(g, c, i, s):
    """Give vertex i the label s and bring all counts up to date."""
    r, k, loops, kind = c.b[i], g.vertex[i, 0], g.vertex[i, 1], g.vertex[i, 2]
    for h in range(g.indptr[i], g.indptr[i + 1]):
        j = g.indices[h]
        t = c.b[j]
        add(c.ers, r, t, -1)
        add(c.ers, t, r, -1)
        add(c.ers, s, t, 1)
        add(c.ers, t, s, 1)
        if c.near.size > 0:
            c.near[j, r] -= 1
            c.near[j, s] += 1
    add(c.ers, r, r, -2 * loops)
    add(c.ers, s, s, 2 * loops)
    if c.ring.size > 0:
        leave(c, i)
        enter(c, i, s)
    c.used[0] = used_after(c, r, s)
    c.n[r] -= 1
    c.n[s] += 1
    c.e[r] -= k
    c.e[s] += k
    add(c.eta, r, kind, -1)
    add(c.eta, s, kind, 1)
    c.b[i] = s


@njit(**INLINE)
def across(g, c, t, which):
    """Return the block at the other end of half-edge number ``which`` of block t, counted in any fixed order."""
    if c.ring.size > 0:
        return across_ring(g, c, t, which)
    which -= look(c.ers, t, t)  # the own block first: it is the likeliest
    if which < 0:
        return t
    for s in range(c.n.size):
        if s != t:
            which -= look(c.ers, t, s)
            if which < 0:
                return s
    return t


@njit(**INNER)
def across_ring(g, c, t, which):
    """Do the same along the members of block t, where its row of counts cannot be read off."""
    v = c.ring[c.b.size + t, 1]
    while which >= g.vertex[v, 0]:
        which -= g.vertex[v, 0]
        v = c.ring[v, 1]
    which -= 2 * g.vertex[v, 1]
    return t if which < 0 else c.b[g.indices[g.indptr[v] + which]]


@njit(**INNER)
def free_label(c, which):
    """Return the empty block number ``which``, counted from 0; -1 if there are not so many."""
    for r in range(c.n.size):
        if c.n[r] == 0:
            if which == 0:
                return r
            which -= 1
    return -1
