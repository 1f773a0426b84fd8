"""How directed graphs are counted: by the arcs e_rs from block r to block s, tails and heads apart.

The arcs between a vertex and a block, out of it and into it, are one number: its lower half the first, its upper half
the second. For proposals an arc is an edge with two ends, whichever way it points.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.choosing import answer
from ffbm.kernels.compiling import INLINE, INNER
from ffbm.kernels.ledger import clear_ring, enter, leave, used_after
from ffbm.kernels.tables import add, clear, look

OUT, INTO = 1, 1 << 32  # one arc out of a vertex, one into it, in a number that holds both


class Arcs(NamedTuple):
    """A directed graph as kernels read it."""

    indptr: np.ndarray  # (N+1,) int64: the graph without its self-loops
    indices: np.ndarray  # int32: in each row the vertices that arcs lead to, then those they come from
    middle: np.ndarray  # (N,) int64: where the latter begin
    vertex: np.ndarray  # (N, 5) int32: out-degree, in-degree, self-loops, classes of both degrees


@njit(**INLINE)
def outward(links):
    """Return the arcs out of a vertex of those between it and a block."""
    return links & (INTO - 1)


@njit(**INLINE)
def inward(links):
    """Return the arcs into a vertex of those between it and a block."""
    return links >> 32


@njit(**INLINE)
def n_sides(g):  # noqa: ARG001
    """Return 2: tails and heads."""
    return 2


@njit(**INLINE)
def vertex_of(g, i):
    """Return the degrees, out and in, of vertex i, its self-loops, and the classes of both degrees."""
    vertex = g.vertex
    return (vertex[i, 0], vertex[i, 1]), vertex[i, 2], (vertex[i, 3], vertex[i, 4])


@njit(**INLINE)
def turn_of(g, i):
    """Return where in the row of vertex i those begin that arcs come from."""
    return g.middle[i]


@njit(**INLINE)
def degree_of(g, i):
    """Return the sum of both degrees of vertex i."""
    return g.vertex[i, 0] + g.vertex[i, 1]


@njit(**INLINE)
def n_links(g, links):  # noqa: ARG001
    """Return how many arcs lead either way."""
    return outward(links) + inward(links)


@njit(**INLINE)
def ends_of(g, c, t):  # noqa: ARG001
    """Return the tails and heads in block t."""
    return c.e[t] + c.e[c.n.size + t]


@njit(**INLINE)
def between(g, c, r, s):  # noqa: ARG001
    """Return the arcs between blocks r and s, either way."""
    return look(c.ers, r, s) + look(c.ers, s, r)


@njit(**INNER)
def count_all(g, c):
    """Fill all counts from the labels."""
    n_blocks = c.n.size
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
        c.e[n_blocks + r] += g.vertex[i, 1]
        add(c.ers, r, r, g.vertex[i, 2])
        add(c.eta, r, g.vertex[i, 3], 1)
        add(c.eta, n_blocks + r, g.vertex[i, 4], 1)
        if c.ring.size > 0:
            enter(c, i, r)
        for h in range(g.indptr[i], g.middle[i]):
            add(c.ers, r, c.b[g.indices[h]], 1)
        if c.near.size > 0:
            for h in range(g.indptr[i], g.indptr[i + 1]):
                c.near[i, c.b[g.indices[h]]] += OUT if h < g.middle[i] else INTO
    c.used[0] = np.count_nonzero(c.n)


@njit(**INLINE)
def look_around(g, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its arcs to and from each; return how many."""
    n_near = 0
    if c.near.size > 0:
        for t in range(c.n.size):
            blocks[n_near] = t
            links[n_near] = c.near[i, t]
            n_near += c.near[i, t] > 0
        return n_near
    middle = g.middle[i]
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t = c.b[g.indices[h]]
        if marks[t] == 0:
            blocks[n_near] = t
            n_near += 1
        marks[t] += OUT if h < middle else INTO
    for a in range(n_near):
        links[a] = marks[blocks[a]]
        marks[blocks[a]] = 0
    return n_near


@njit(**INLINE)
def relabel(g, c, i, s):
    """Give vertex i the label s and bring all counts up to date."""
    r, loops, n_blocks = c.b[i], g.vertex[i, 2], c.n.size
    for h in range(g.indptr[i], g.middle[i]):
        j = g.indices[h]
        t = c.b[j]
        add(c.ers, r, t, -1)
        add(c.ers, s, t, 1)
        if c.near.size > 0:
            c.near[j, r] -= INTO
            c.near[j, s] += INTO
    for h in range(g.middle[i], g.indptr[i + 1]):
        j = g.indices[h]
        t = c.b[j]
        add(c.ers, t, r, -1)
        add(c.ers, t, s, 1)
        if c.near.size > 0:
            c.near[j, r] -= OUT
            c.near[j, s] += OUT
    add(c.ers, r, r, -loops)
    add(c.ers, s, s, loops)
    if c.ring.size > 0:
        leave(c, i)
        enter(c, i, s)
    c.used[0] = used_after(c, r, s)
    c.n[r] -= 1
    c.n[s] += 1
    for side in range(2):
        first, k, kind = side * n_blocks, g.vertex[i, side], g.vertex[i, 3 + side]
        c.e[first + r] -= k
        c.e[first + s] += k
        add(c.eta, first + r, kind, -1)
        add(c.eta, first + s, kind, 1)
    c.b[i] = s


@njit(**INLINE)
def across(g, c, t, which):
    """Return the block at the other end of end number ``which`` of block t, counted in any fixed order."""
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
    which -= 2 * g.vertex[v, 2]
    return t if which < 0 else c.b[g.indices[g.indptr[v] + which]]


answer(
    Arcs,
    n_sides=n_sides, vertex_of=vertex_of, turn_of=turn_of, degree_of=degree_of, n_links=n_links, ends_of=ends_of,
    between=between, count_all=count_all, look_around=look_around, relabel=relabel, across=across,
)  # fmt: skip
