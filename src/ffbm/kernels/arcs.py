"""How directed graphs are counted: by the arcs e_rs from block r to block s, tails and heads apart.

The arcs between a vertex and a block, out of it and into it, are one number: its lower half the first, its upper half
the second. For proposals an arc is an edge with two ends, whichever way it points.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import implement
from ffbm.kernels.tables import add, look

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
def successors_end(g, i):
    """Return where in the row of vertex i its predecessors begin."""
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
    return c.e[2 * t] + c.e[2 * t + 1]


@njit(**INLINE)
def between(g, c, r, s):  # noqa: ARG001
    """Return the arcs between blocks r and s, either way."""
    return look(c.ers, r, s) + look(c.ers, s, r)


@njit(**INLINE)
def link_of(g, leads):  # noqa: ARG001
    """Return one arc out of a vertex, or one into it."""
    return OUT if leads else INTO


@njit(**INLINE)
def add_edges(g, c, r, t, leads, d):  # noqa: ARG001
    """Add to the arcs from r to t, or to those from t to r."""
    if leads:
        add(c.ers, r, t, d)
    else:
        add(c.ers, t, r, d)


implement(
    Arcs,
    n_sides=n_sides, vertex_of=vertex_of, successors_end=successors_end, degree_of=degree_of, n_links=n_links,
    ends_of=ends_of, between=between, link_of=link_of, add_edges=add_edges,
)  # fmt: skip
