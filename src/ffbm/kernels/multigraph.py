"""A multigraph given groups of its vertices, all ways to deal edges to pairs alike: see ``ffbm.blocks.levels``.

It is the likelihood of the levels above the blocks: their vertices are the groups of the level below. What edges and
arcs have in common is written once: edge counts are read both ways, and those of edges are symmetric.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.arcs import inward, outward
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.dispatch import generic, implement
from ffbm.kernels.edges import opening_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.tables import log_factorial, look


class Multigraph(NamedTuple):
    """Tables of an undirected multigraph."""

    edge_cost: np.ndarray  # (B+1,) -ln P(e|b) by the number of groups in use
    lf: np.ndarray  # (1, n) ln x!, as far as they are tabulated


class DirectedMultigraph(NamedTuple):
    """Tables of a directed multigraph."""

    edge_cost: np.ndarray
    lf: np.ndarray


@generic
def cost_between(tables, n_r, n_s, e_rs, e_sr):
    """Return the cost of the edges between groups of n_r and n_s members, e_rs one way and e_sr the other."""


@generic
def cost_between_change(tables, n_r, n_s, e_rs, e_sr, out, into):
    """Return the change of that cost with ``out`` and ``into`` more edges, fewer if negative."""


@generic
def cost_inside(tables, n, e):
    """Return the cost of the edges inside a group of n members, e_rr being e."""


@generic
def cost_inside_change(tables, n, e, more):
    """Return the change of that cost if e_rr grows by ``more``."""


@generic
def out_and_in(tables, links):
    """Return how many links of a vertex with a group lead out and how many in; an undirected edge is one of both."""


@generic
def ends_of_loops(tables, loops):
    """Return what self-loops of a vertex add to e_rr of its group."""


@njit(**INLINE)
def log_multiset(lf, n_pairs, n_edges):
    """Return ln C(n_pairs + n_edges - 1, n_edges); 0 for no pairs, which have no edges."""
    if n_edges == 0 or n_pairs == 0:
        return 0.0
    nats = log_factorial(lf, n_pairs + n_edges - 1) - log_factorial(lf, n_edges)
    return nats - log_factorial(lf, n_pairs - 1)


@njit(**INLINE)
def log_multiset_change(lf, n_pairs, n_edges, more):
    """Return the change of ``log_multiset`` with ``more`` edges; there are pairs."""
    after = n_edges + more
    if n_pairs + max(n_edges, after) > lf.shape[1]:
        return log_multiset(lf, n_pairs, after) - log_multiset(lf, n_pairs, n_edges)
    base = n_pairs - 1
    many = lf[0, np.uintp(base + after)] + lf[0, np.uintp(n_edges)]
    few = lf[0, np.uintp(base + n_edges)] + lf[0, np.uintp(after)]
    return many - few


@njit(**INLINE)
def edges_between(tables, n_r, n_s, e_rs, e_sr):  # noqa: ARG001 - it is e_rs
    """Return the cost of e_rs edges."""
    return log_multiset(tables.lf, n_r * n_s, e_rs)


@njit(**INLINE)
def arcs_between(tables, n_r, n_s, e_rs, e_sr):
    """Return the cost of the arcs, both ways."""
    return log_multiset(tables.lf, n_r * n_s, e_rs) + log_multiset(tables.lf, n_r * n_s, e_sr)


@njit(**INLINE)
def edges_between_change(tables, n_r, n_s, e_rs, e_sr, out, into):  # noqa: ARG001 - they are e_rs and out
    """Return the change with ``out`` more edges."""
    return log_multiset_change(tables.lf, n_r * n_s, e_rs, out)


@njit(**INLINE)
def arcs_between_change(tables, n_r, n_s, e_rs, e_sr, out, into):
    """Return the change with more arcs, ``out`` one way and ``into`` the other."""
    return log_multiset_change(tables.lf, n_r * n_s, e_rs, out) + log_multiset_change(tables.lf, n_r * n_s, e_sr, into)


@njit(**INLINE)
def edges_inside(tables, n, e):
    """Return the cost of e half-edges."""
    return log_multiset(tables.lf, n * (n + 1) // 2, e >> 1)


@njit(**INLINE)
def arcs_inside(tables, n, e):
    """Return the cost of e arcs."""
    return log_multiset(tables.lf, n * n, e)


@njit(**INLINE)
def edges_inside_change(tables, n, e, more):
    """Return the change with ``more`` half-edges, two for each edge."""
    return log_multiset_change(tables.lf, n * (n + 1) // 2, e >> 1, more >> 1)


@njit(**INLINE)
def arcs_inside_change(tables, n, e, more):
    """Return the change with more arcs."""
    return log_multiset_change(tables.lf, n * n, e, more)


@njit(**INLINE)
def edges_out_and_in(tables, links):  # noqa: ARG001
    """Return the edges twice."""
    return links, links


@njit(**INLINE)
def arcs_out_and_in(tables, links):  # noqa: ARG001
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
            n_t = c.n[t]
            nats += cost_between(likelihood, n_r - 1, n_t, e_rt, e_tr) - cost_between(likelihood, n_r, n_t, e_rt, e_tr)
            nats += cost_between(likelihood, n_s + 1, n_t, e_st, e_ts) - cost_between(likelihood, n_s, n_t, e_st, e_ts)
    for a in range(n_near):  # then its edges
        t = blocks[a]
        out, into = out_and_in(likelihood, links[a])
        if t == r:
            out_r, in_r = out, into
        elif t == s:
            out_s, in_s = out, into
        else:
            e_rt, e_tr, e_st, e_ts = look(c.ers, r, t), look(c.ers, t, r), look(c.ers, s, t), look(c.ers, t, s)
            n_t = c.n[t]
            nats += cost_between(likelihood, n_r - 1, n_t, e_rt - out, e_tr - into)
            nats -= cost_between(likelihood, n_r - 1, n_t, e_rt, e_tr)
            nats += cost_between(likelihood, n_s + 1, n_t, e_st + out, e_ts + into)
            nats -= cost_between(likelihood, n_s + 1, n_t, e_st, e_ts)
    e_rr, e_ss, e_rs, e_sr = look(c.ers, r, r), look(c.ers, s, s), look(c.ers, r, s), look(c.ers, s, r)
    looped = ends_of_loops(likelihood, loops)
    nats += cost_inside(likelihood, n_r - 1, e_rr - out_r - in_r - looped) - cost_inside(likelihood, n_r, e_rr)
    nats += cost_inside(likelihood, n_s + 1, e_ss + out_s + in_s + looped) - cost_inside(likelihood, n_s, e_ss)
    nats += cost_between(likelihood, n_r - 1, n_s + 1, e_rs + in_r - out_s, e_sr + out_r - in_s)
    return nats - cost_between(likelihood, n_r, n_s, e_rs, e_sr) + opening_change(likelihood.edge_cost, c, r, s)


@njit(**INNER)
def edge_counts_cost(tables, n, ers):
    """Return the cost of the edge counts (B, B) of groups of n (B,) members."""
    nats = 0.0
    for r in range(n.size):
        if n[r] > 0:
            nats += cost_inside(tables, n[r], look(ers, r, r))
            for s in range(r):
                nats += cost_between(tables, n[r], n[s], look(ers, r, s), look(ers, s, r))
    return nats


@njit(**INNER)
def resize_change(tables, n, ers, r, more):
    """Return the change of the cost of the edge counts when group r has ``more`` members more."""
    nats = cost_inside(tables, n[r] + more, ers[r, r]) - cost_inside(tables, n[r], ers[r, r])
    for t in range(n.size):
        if t != r and n[t] > 0:
            nats += cost_between(tables, n[r] + more, n[t], ers[r, t], ers[t, r])
            nats -= cost_between(tables, n[r], n[t], ers[r, t], ers[t, r])
    return nats


@njit(**INLINE)
def block_term(likelihood, n, e):  # noqa: ARG001
    """Return 0: no part of the cost depends on one group alone."""
    return 0.0


implement(
    Multigraph, cost_between=edges_between, cost_between_change=edges_between_change, cost_inside=edges_inside,
    cost_inside_change=edges_inside_change, out_and_in=edges_out_and_in, ends_of_loops=two_ends,
)  # fmt: skip
implement(
    DirectedMultigraph, cost_between=arcs_between, cost_between_change=arcs_between_change, cost_inside=arcs_inside,
    cost_inside_change=arcs_inside_change, out_and_in=arcs_out_and_in, ends_of_loops=one_end,
)  # fmt: skip
for kind_of_graph in (Multigraph, DirectedMultigraph):
    register(kind_of_graph, change=change, block_term=block_term)
