"""How undirected graphs are counted: an edge is two half-edges, one in the row of each of its ends."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import implement
from ffbm.kernels.tables import add, look


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
    return (g.vertex[i, 0],), g.vertex[i, 1], (g.vertex[i, 2],)


@njit(**INLINE)
def successors_end(g, i):
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


@njit(**INLINE)
def link_of(g, leads):  # noqa: ARG001
    """Return 1: edges have no direction."""
    return 1


@njit(**INLINE)
def add_edges(g, c, r, t, leads, d):  # noqa: ARG001
    """Add to the half-edges from r to t and from t to r."""
    add(c.ers, r, t, d)
    add(c.ers, t, r, d)


implement(
    Adjacency,
    n_sides=n_sides, vertex_of=vertex_of, successors_end=successors_end, degree_of=degree_of, n_links=n_links,
    ends_of=ends_of, between=between, link_of=link_of, add_edges=add_edges,
)  # fmt: skip
