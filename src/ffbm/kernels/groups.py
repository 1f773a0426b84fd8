"""The groups of a level as the vertices of a multigraph, and how its edge counts follow a vertex of the level below.

A parallel edge stands as often as it is there.
"""

from numba import njit

from ffbm.kernels.arcs import Arcs
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import answer, question
from ffbm.kernels.halfedges import Adjacency
from ffbm.kernels.tables import look


@question
def list_groups(g, ers, n_groups):
    """Lay out the multigraph of so many groups from their edge counts."""


@question
def carry_link(g, i, h, ers, r, s, t):
    """Carry the link at place h of vertex i, which leads to group t, from group r to s."""


@question
def carry_vertex(g, i, ers, e, r, s):
    """Carry the self-loops of vertex i and its ends, e of each group, from group r to s."""


@njit(**INNER)
def list_edges(g, ers, n_groups):
    """Lay out the groups of an undirected level."""
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
    """Lay out the groups of a directed level."""
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
def carry_edge(g, i, h, ers, r, s, t):  # noqa: ARG001
    """Carry an edge."""
    ers[r, t] -= 1
    ers[t, r] -= 1
    ers[s, t] += 1
    ers[t, s] += 1


@njit(**INLINE)
def carry_arc(g, i, h, ers, r, s, t):
    """Carry an arc."""
    if h < g.middle[i]:
        ers[r, t] -= 1
        ers[s, t] += 1
    else:
        ers[t, r] -= 1
        ers[t, s] += 1


@njit(**INLINE)
def carry_ends(g, i, ers, e, r, s):
    """Carry self-loops and half-edges."""
    ers[r, r] -= 2 * g.vertex[i, 1]
    ers[s, s] += 2 * g.vertex[i, 1]
    e[r] -= g.vertex[i, 0]
    e[s] += g.vertex[i, 0]


@njit(**INLINE)
def carry_tails_and_heads(g, i, ers, e, r, s):
    """Carry self-loops, tails and heads."""
    ers[r, r] -= g.vertex[i, 2]
    ers[s, s] += g.vertex[i, 2]
    for side in range(2):
        e[2 * r + side] -= g.vertex[i, side]
        e[2 * s + side] += g.vertex[i, side]


answer(Adjacency, list_groups=list_edges, carry_link=carry_edge, carry_vertex=carry_ends)
answer(Arcs, list_groups=list_arcs, carry_link=carry_arc, carry_vertex=carry_tails_and_heads)
