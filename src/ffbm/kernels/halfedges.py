"""How undirected graphs are counted: an edge is two half-edges, one in the row of each of its ends."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.choosing import answer
from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.ledger import clear_ring, enter, leave, used_after
from ffbm.kernels.tables import add, clear, look


class Adjacency(NamedTuple):
    """An undirected graph as kernels read it."""

    indptr: np.ndarray  # (N+1,) int64: the graph without its self-loops
    indices: np.ndarray  # int32
    vertex: np.ndarray  # (N, 3) int32: degree, self-loops, degree class


@njit(**INLINE)
def n_sides(g):  # noqa: ARG001
    """Return 1."""
    return 1


@njit(**INLINE)
def vertex_of(g, i):
    """Return degree, self-loops and degree class of vertex i."""
    return g.vertex[i, 0], g.vertex[i, 1], g.vertex[i, 2]


@njit(**INLINE)
def turn_of(g, i):
    """Return where the row of vertex i ends."""
    return g.indptr[i + 1]


@njit(**INLINE)
def degree_of(g, i):
    """Return the degree of vertex i."""
    return g.vertex[i, 0]


@njit(**INLINE)
def n_links(g, links):  # noqa: ARG001
    """Return the links: they are a number."""
    return links


@njit(**INLINE)
def ends_of(g, c, t):  # noqa: ARG001
    """Return e_t."""
    return c.e[t]


@njit(**INLINE)
def between(g, c, r, s):  # noqa: ARG001
    """Return e_rs."""
    return look(c.ers, r, s)


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
    """List the blocks that vertex i has neighbours in, and its half-edges into each; return how many."""
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


answer(
    Adjacency,
    n_sides=n_sides, vertex_of=vertex_of, turn_of=turn_of, degree_of=degree_of, n_links=n_links, ends_of=ends_of,
    between=between, count_all=count_all, look_around=look_around, relabel=relabel, across=across,
)  # fmt: skip
