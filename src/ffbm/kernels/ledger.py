"""The ledger of a partition: its counts, how they follow from the labels, and how moving a vertex changes them.

It counts and does not score: what the counts are worth is the business of a likelihood. How a graph is counted is
chosen by the class of its arrays: ``halfedges`` does it for undirected graphs, ``arcs`` for directed ones. What
proposals ask for is the same of both: a directed graph answers as if its arcs had no direction.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.choosing import question
from ffbm.kernels.compiling import INLINE, INNER


class Ledger(NamedTuple):
    """What a move changes. A row is a block; of a directed graph r is the tails in block r, B + r the heads in it."""

    b: np.ndarray  # (N,) int32: labels
    n: np.ndarray  # (B,) int64: block sizes
    e: np.ndarray  # (rows,) int64: half-edges e_r
    ers: np.ndarray  # (B, B) table: half-edges from r to s, e_rr twice the edges inside r; or arcs from r to s
    eta: np.ndarray  # (rows, K) table: vertices of each degree class
    term: np.ndarray  # (rows,) float64: what the likelihood keeps of each block, see ``likelihood.block_term``
    near: np.ndarray  # (N, B): links of i with each block without loops; (0, 0): counted when needed
    used: np.ndarray  # (1,) int64: blocks that are not empty; then those of each type, if there are types
    ring: np.ndarray  # (N + B, 2) int32: the members of each block, linked both ways; (0, 0) where ers is dense


@question
def n_sides(g):
    """Return how many rows a block has in a ledger: 1, or 2 for tails and heads."""


@question
def vertex_of(g, i):
    """Return the degree of vertex i, its self-loops and its degree class; degree and class are pairs if directed."""


@question
def count_all(g, c):
    """Fill all counts from the labels."""


@question
def look_around(g, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its links with each; return how many.

    marks (B,) is zero before and after.
    """


@question
def relabel(g, c, i, s):
    """Give vertex i the label s and bring all counts up to date."""


@question
def degree_of(g, i):
    """Return the degree of vertex i, a self-loop counting twice."""


@question
def n_links(g, links):
    """Return how many links an entry of ``links`` stands for."""


@question
def ends_of(g, c, t):
    """Return the half-edges of block t."""


@question
def between(g, c, r, s):
    """Return the half-edges from block r to block s; from r to itself twice the edges inside."""


@question
def across(g, c, t, which):
    """Return the block at the other end of half-edge number ``which`` of block t, counted in any fixed order."""


@njit(**INLINE)
def used_after(c, r, s):
    """Return how many blocks are in use after one vertex has moved from block r to another block s."""
    return c.used[0] - int(c.n[r] == 1) + int(c.n[s] == 0)


@njit(**INLINE)
def clear_ring(c):
    """Take all vertices out of the rings."""
    for a in range(c.ring.shape[0]):
        c.ring[a, 0] = c.ring[a, 1] = a


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


@njit(**INNER)
def free_label(c, which):
    """Return the empty block number ``which``, counted from 0; -1 if there are not so many."""
    for r in range(c.n.size):
        if c.n[r] == 0:
            if which == 0:
                return r
            which -= 1
    return -1
