"""A multigraph given groups of its vertices, all ways to deal edges to pairs alike: see ``ffbm.blocks.levels``.

It is the likelihood of the levels above the blocks: their vertices are the groups of the level below. What edges and
arcs have in common is written once: edge counts are read both ways, and those of edges are symmetric.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.arcs import inward, outward
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import answer, question
from ffbm.kernels.edges import opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.tables import log_factorial, look


class Multigraph(NamedTuple):
    """Its tables."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of groups in use
    lf: np.ndarray  # (1, n) ln x!, as far as they are tabulated


class DirectedMultigraph(NamedTuple):
    """The tables of a directed one."""

    edge_cost: np.ndarray
    lf: np.ndarray


@question
def between(tables, n_r, n_s, e_rs, e_sr):
    """Return what the edges between groups of n_r and n_s members cost, e_rs one way and e_sr the other."""


@question
def between_more(tables, n_r, n_s, e_rs, e_sr, out, into):
    """Return what the edges between groups cost more if there are ``out`` and ``into`` more, fewer if negative."""


@question
def inside(tables, n, e):
    """Return what the edges inside a group of n members cost, e_rr being e."""


@question
def inside_more(tables, n, e, more):
    """Return what the edges inside a group cost more if e_rr is so much more, less if negative."""


@question
def both_ways(tables, links):
    """Return how many links of a vertex with a group lead there and how many back; each edge is one of both."""


@question
def ends_of_loops(tables, loops):
    """Return by how much self-loops of a vertex count in e_rr of its group."""


@njit(**INLINE)
def ways(lf, n_pairs, n_edges):
    """Return ln C(n_pairs + n_edges - 1, n_edges); 0 for no pairs, which have no edges."""
    if n_edges == 0 or n_pairs == 0:
        return 0.0
    nats = log_factorial(lf, n_pairs + n_edges - 1) - log_factorial(lf, n_edges)
    return nats - log_factorial(lf, n_pairs - 1)


@njit(**INLINE)
def ways_more(lf, n_pairs, n_edges, more):
    """Return ``ways`` of so many more edges, less if negative, minus that of ``n_edges``; there are pairs."""
    after = n_edges + more
    if n_pairs + max(n_edges, after) > lf.shape[1]:
        return ways(lf, n_pairs, after) - ways(lf, n_pairs, n_edges)
    base = n_pairs - 1
    many = lf[0, np.uintp(base + after)] + lf[0, np.uintp(n_edges)]
    few = lf[0, np.uintp(base + n_edges)] + lf[0, np.uintp(after)]
    return many - few


@njit(**INLINE)
def edges_between(tables, n_r, n_s, e_rs, e_sr):  # noqa: ARG001 - it is e_rs
    """Return what e_rs edges between groups of n_r and n_s members cost."""
    return ways(tables.lf, n_r * n_s, e_rs)


@njit(**INLINE)
def arcs_between(tables, n_r, n_s, e_rs, e_sr):
    """Return what the arcs between groups of n_r and n_s members cost."""
    return ways(tables.lf, n_r * n_s, e_rs) + ways(tables.lf, n_r * n_s, e_sr)


@njit(**INLINE)
def edges_more(tables, n_r, n_s, e_rs, e_sr, out, into):  # noqa: ARG001 - they are e_rs and out
    """Return what ``out`` more edges between groups cost."""
    return ways_more(tables.lf, n_r * n_s, e_rs, out)


@njit(**INLINE)
def arcs_more(tables, n_r, n_s, e_rs, e_sr, out, into):
    """Return what more arcs between groups cost, ``out`` one way and ``into`` the other."""
    return ways_more(tables.lf, n_r * n_s, e_rs, out) + ways_more(tables.lf, n_r * n_s, e_sr, into)


@njit(**INLINE)
def edges_inside(tables, n, e):
    """Return what e half-edges inside a group of n members cost."""
    return ways(tables.lf, n * (n + 1) // 2, e >> 1)


@njit(**INLINE)
def arcs_inside(tables, n, e):
    """Return what e arcs inside a group of n members cost."""
    return ways(tables.lf, n * n, e)


@njit(**INLINE)
def edges_inside_more(tables, n, e, more):
    """Return what ``more`` half-edges inside a group, two for each edge, cost."""
    return ways_more(tables.lf, n * (n + 1) // 2, e >> 1, more >> 1)


@njit(**INLINE)
def arcs_inside_more(tables, n, e, more):
    """Return what more arcs inside a group cost."""
    return ways_more(tables.lf, n * n, e, more)


@njit(**INLINE)
def edges_both_ways(tables, links):  # noqa: ARG001
    """Return the edges twice."""
    return links, links


@njit(**INLINE)
def arcs_both_ways(tables, links):  # noqa: ARG001
    """Return the arcs out of the vertex and those into it."""
    return outward(links), inward(links)


@njit(**INLINE)
def two_ends(tables, loops):  # noqa: ARG001
    """Return two for each."""
    return 2 * loops


@njit(**INLINE)
def one_end(tables, loops):  # noqa: ARG001
    """Return one for each: an arc from the group to itself."""
    return loops


@njit(**INNER)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):  # noqa: ARG001 - degrees do not matter
    """Return the change of -ln P(A|b) when a vertex moves from r to s."""
    n_r, n_s = c.n[r], c.n[s]
    out_r, out_s, in_r, in_s = 0, 0, 0, 0
    nats = 0.0
    for t in range(c.n.size):  # as if the vertex had no edges: sizes alone
        if t != r and t != s and c.n[t] > 0:  # r and s may be of two types
            e_rt, e_tr, e_st, e_ts = look(c.ers, r, t), look(c.ers, t, r), look(c.ers, s, t), look(c.ers, t, s)
            nats += between(likelihood, n_r - 1, c.n[t], e_rt, e_tr) - between(likelihood, n_r, c.n[t], e_rt, e_tr)
            nats += between(likelihood, n_s + 1, c.n[t], e_st, e_ts) - between(likelihood, n_s, c.n[t], e_st, e_ts)
    for a in range(n_near):  # then its edges
        t = blocks[a]
        out, into = both_ways(likelihood, links[a])
        if t == r:
            out_r, in_r = out, into
        elif t == s:
            out_s, in_s = out, into
        else:
            e_rt, e_tr, e_st, e_ts = look(c.ers, r, t), look(c.ers, t, r), look(c.ers, s, t), look(c.ers, t, s)
            n_t = c.n[t]
            nats += between(likelihood, n_r - 1, n_t, e_rt - out, e_tr - into)
            nats -= between(likelihood, n_r - 1, n_t, e_rt, e_tr)
            nats += between(likelihood, n_s + 1, n_t, e_st + out, e_ts + into)
            nats -= between(likelihood, n_s + 1, n_t, e_st, e_ts)
    e_rr, e_ss, e_rs, e_sr = look(c.ers, r, r), look(c.ers, s, s), look(c.ers, r, s), look(c.ers, s, r)
    looped = ends_of_loops(likelihood, loops)
    nats += inside(likelihood, n_r - 1, e_rr - out_r - in_r - looped) - inside(likelihood, n_r, e_rr)
    nats += inside(likelihood, n_s + 1, e_ss + out_s + in_s + looped) - inside(likelihood, n_s, e_ss)
    nats += between(likelihood, n_r - 1, n_s + 1, e_rs + in_r - out_s, e_sr + out_r - in_s)
    return nats - between(likelihood, n_r, n_s, e_rs, e_sr) + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INNER)
def dealt(tables, n, ers):
    """Return what the edge counts (B, B) of groups of n (B,) members cost in all."""
    nats = 0.0
    for r in range(n.size):
        if n[r] > 0:
            nats += inside(tables, n[r], look(ers, r, r))
            for s in range(r):
                nats += between(tables, n[r], n[s], look(ers, r, s), look(ers, s, r))
    return nats


@njit(**INNER)
def resized(tables, n, ers, r, more):
    """Return the change of what edge counts cost when group r has so many members more."""
    nats = inside(tables, n[r] + more, ers[r, r]) - inside(tables, n[r], ers[r, r])
    for t in range(n.size):
        if t != r and n[t] > 0:
            nats += between(tables, n[r] + more, n[t], ers[r, t], ers[t, r])
            nats -= between(tables, n[r], n[t], ers[r, t], ers[t, r])
    return nats


@njit(**INLINE)
def block_term(likelihood, n, e):  # noqa: ARG001
    """Return 0: nothing of a group is dear."""
    return 0.0


answer(
    Multigraph, between=edges_between, inside=edges_inside, between_more=edges_more, inside_more=edges_inside_more,
    both_ways=edges_both_ways, ends_of_loops=two_ends,
)  # fmt: skip
answer(
    DirectedMultigraph, between=arcs_between, inside=arcs_inside, between_more=arcs_more, inside_more=arcs_inside_more,
    both_ways=arcs_both_ways, ends_of_loops=one_end,
)  # fmt: skip
for kind_of_graph in (Multigraph, DirectedMultigraph):
    register(kind_of_graph, change=change, block_term=block_term)
