"""The groups of a level as the vertices of a multigraph, and its edge counts when a vertex of the level below moves.

A parallel edge is listed as often as it occurs.
"""

from numba import njit

from ffbm.kernels.arcs import Arcs
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import generic, implement
from ffbm.kernels.halfedges import Adjacency
from ffbm.kernels.tables import look


@generic
def list_groups(g, ers, n_groups):
    """Fill the multigraph of so many groups from their edge counts."""


@generic
def move_link(g, i, h, ers, r, s, t):
    """Move the link at place h of vertex i, whose other end is in group t, from group r to s."""


@generic
def move_ends(g, i, ers, e, r, s):
    """Move the self-loops of vertex i and its half-edges, e of each group, from group r to s."""


@njit(**INNER)
def list_edges(g, ers, n_groups):
    """Fill the multigraph of an undirected level."""
    position = 0
    for r in range(n_groups):
        g.indptr[r] = position
        degree = look(ers, r, r)
        g.vertex[r, 1] = degree // 2
        for s in range(n_groups):
            if s != r:
                d = look(ers, r, s)
                degree += d
                for _ in range(d):
                    g.indices[position] = s
                    position += 1
        g.vertex[r, 0] = degree
    g.indptr[n_groups] = position


@njit(**INNER)
def list_arcs(g, ers, n_groups):
    """Fill the multigraph of a directed level."""
    position = 0
    for r in range(n_groups):
        g.indptr[r] = position
        g.vertex[r, 2] = look(ers, r, r)
        for side in range(2):
            degree = look(ers, r, r)
            for s in range(n_groups):
                if s != r:
                    d = look(ers, r, s) if side == 0 else look(ers, s, r)
                    degree += d
                    for _ in range(d):
                        g.indices[position] = s
                        position += 1
            g.vertex[r, side] = degree
            if side == 0:
                g.middle[r] = position
    g.indptr[n_groups] = position


@njit(**INLINE)
def move_edge(g, i, h, ers, r, s, t):  # noqa: ARG001
    """Move an edge."""
    ers[r, t] -= 1
    ers[t, r] -= 1
    ers[s, t] += 1
    ers[t, s] += 1


@njit(**INLINE)
def move_arc(g, i, h, ers, r, s, t):
    """Move an arc."""
    if h < g.middle[i]:
        ers[r, t] -= 1
        ers[s, t] += 1
    else:
        ers[t, r] -= 1
        ers[t, s] += 1


@njit(**INLINE)
def move_half_edges(g, i, ers, e, r, s):
    """Move self-loops and half-edges."""
    ers[r, r] -= 2 * g.vertex[i, 1]
    ers[s, s] += 2 * g.vertex[i, 1]
    e[r] -= g.vertex[i, 0]
    e[s] += g.vertex[i, 0]


@njit(**INLINE)
def move_tails_and_heads(g, i, ers, e, r, s):
    """Move self-loops, tails and heads."""
    ers[r, r] -= g.vertex[i, 2]
    ers[s, s] += g.vertex[i, 2]
    for side in range(2):
        e[2 * r + side] -= g.vertex[i, side]
        e[2 * s + side] += g.vertex[i, side]


implement(Adjacency, list_groups=list_edges, move_link=move_edge, move_ends=move_half_edges)
implement(Arcs, list_groups=list_arcs, move_link=move_arc, move_ends=move_tails_and_heads)
