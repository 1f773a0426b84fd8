"""A likelihood of edges with weights: that of the edges, and a term for the weights between each pair of blocks.

A move changes the number and the sums of the pairs that its edges leave and enter. The readable truth is
``ffbm.blocks.edge_weights``.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.ledger import successors_end, vertex_of
from ffbm.kernels.likelihood import block_term as inner_block_term
from ffbm.kernels.likelihood import change as inner_change
from ffbm.kernels.likelihood import merge_change as inner_merge_change
from ffbm.kernels.likelihood import register
from ffbm.kernels.likelihood import total as inner_total
from ffbm.kernels.pairterms import Law, PairTerms, add_terms, cost_of_sums, pair_terms
from ffbm.kernels.tables import HEAD, N_COLUMNS, add, clear, look

# rows of ``vertex_sums``: edges of a vertex to a block (from OUT on), from it (from INTO on), and a list of the blocks
EDGES, SUM, SQUARES = 0, 1, 2
OUT, INTO, NEAR = 0, 3, 6
ROW, COLUMN, GAIN = 0, 1, 2  # rows of ``changes``: a pair of blocks; from GAIN on the edges, sum and squares it gains


class Weighted(NamedTuple):
    """A likelihood of the edges, the law of their weights, and the weights as half-edges are laid out."""

    inner: Any  # the likelihood of the edges
    edge_cost: np.ndarray  # that of ``inner``
    law: Law
    is_directed: bool
    x: np.ndarray  # int64: the weight of each half-edge, in units, as the graph's indices
    xx: np.ndarray  # int64: its square, in units of squares; (0,) unless weights are normal
    loop_x: np.ndarray  # (N,) int64: the weights of the self-loops of each vertex
    loop_xx: np.ndarray  # (N,) int64, zero unless weights are normal


@njit(**INLINE)
def has_squares(likelihood):
    """Tell whether squares are counted."""
    return likelihood.xx.size > 0


@njit(**INLINE)
def edges_of(likelihood, c, r, t):
    """Return the edges between blocks r and t, or from r to t."""
    m = np.int64(look(c.ers, r, t))
    return m >> 1 if r == t and not likelihood.is_directed else m


@njit(**INLINE)
def note_change(c, n, r, t, d, dx, dxx):
    """Write down as change number n that the pair of r and t gains d edges with these sums; return n + 1."""
    noted = c.changes
    noted[ROW, n], noted[COLUMN, n] = r, t
    noted[GAIN + EDGES, n], noted[GAIN + SUM, n], noted[GAIN + SQUARES, n] = d, dx, dxx
    return n + 1


@njit(**INNER)
def score_changes(likelihood, c, n_changes):
    """Return the change of all terms by the changes written down: one place for all kinds of them."""
    change, noted = PairTerms(0.0, 0, 0, 0, 0), c.changes
    for n in range(n_changes):
        r, t = noted[ROW, n], noted[COLUMN, n]
        d, dx, dxx = noted[GAIN + EDGES, n], noted[GAIN + SUM, n], noted[GAIN + SQUARES, n]
        m = edges_of(likelihood, c, r, t)
        if r > t and not likelihood.is_directed:
            r, t = t, r
        x = np.int64(look(c.sums, r, t))
        xx = np.int64(look(c.squares, r, t)) if has_squares(likelihood) else 0
        for after in range(2):
            part = pair_terms(likelihood.law, m + after * d, x + after * dx, xx + after * dxx)
            change = add_terms(change, part, 2 * after - 1)
    return change


@njit(**INNER)
def list_changes(likelihood, g, c, i, s):
    """Write down the changes of all pairs when vertex i moves from its block to another block s; return their number.

    No pair is written down twice.
    """
    likelihood, g, c = bare(likelihood), bare(g), bare(c)
    r, s, around, middle = np.int64(c.b[i]), np.int64(s), c.vertex_sums, successors_end(g, i)
    n_near = n = 0
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t = c.b[g.indices[h]]
        if around[OUT + EDGES, t] == 0 and around[INTO + EDGES, t] == 0:
            around[NEAR, n_near] = t
            n_near += 1
        way = OUT if h < middle else INTO
        around[way + EDGES, t] += 1
        around[way + SUM, t] += likelihood.x[h]
        if has_squares(likelihood):
            around[way + SQUARES, t] += likelihood.xx[h]
    for a in range(n_near):
        t = around[NEAR, a]
        if t in (r, s):
            continue
        d, dx, dxx = counted(around, OUT, t)
        if d > 0:
            n = note_change(c, n, r, t, -d, -dx, -dxx)
            n = note_change(c, n, s, t, d, dx, dxx)
        d, dx, dxx = counted(around, INTO, t)
        if d > 0:
            n = note_change(c, n, t, r, -d, -dx, -dxx)
            n = note_change(c, n, t, s, d, dx, dxx)
    n = note_inside(likelihood, g, c, i, r, s, n)
    for a in range(n_near):
        for k in range(NEAR):
            around[k, around[NEAR, a]] = 0
    return n


@njit(**INLINE)
def counted(around, way, t):
    """Return the edges with block t, to it or from it, the sum of their weights and that of the squares."""
    return around[way + EDGES, t], around[way + SUM, t], around[way + SQUARES, t]


@njit(**INLINE)
def pair_changes(likelihood, g, c, i, s):
    """Return the change of all pairs when vertex i moves from its block to another block s."""
    return score_changes(likelihood, c, list_changes(likelihood, g, c, i, s))


@njit(**INLINE)
def note_inside(likelihood, g, c, i, r, s, n):
    """Write down the changes of the pairs among r and s themselves; the links of vertex i are in ``vertex_sums``."""
    loops = np.int64(vertex_of(g, i)[1])
    lx, lxx = likelihood.loop_x[i], likelihood.loop_xx[i]
    to_r, to_r_x, to_r_xx = counted(c.vertex_sums, OUT, r)
    to_s, to_s_x, to_s_xx = counted(c.vertex_sums, OUT, s)
    from_r, from_r_x, from_r_xx = counted(c.vertex_sums, INTO, r)
    from_s, from_s_x, from_s_xx = counted(c.vertex_sums, INTO, s)
    n = note_change(c, n, r, r, -to_r - from_r - loops, -to_r_x - from_r_x - lx, -to_r_xx - from_r_xx - lxx)
    n = note_change(c, n, s, s, to_s + from_s + loops, to_s_x + from_s_x + lx, to_s_xx + from_s_xx + lxx)
    if likelihood.is_directed:
        n = note_change(c, n, r, s, from_r - to_s, from_r_x - to_s_x, from_r_xx - to_s_xx)
        return note_change(c, n, s, r, to_r - from_s, to_r_x - from_s_x, to_r_xx - from_s_xx)
    return note_change(c, n, r, s, to_r - to_s, to_r_x - to_s_x, to_r_xx - to_s_xx)


@njit(**INLINE)
def sums_change(likelihood, c, d):
    """Return the change of -ln P of the sums of pairs when these change by d."""
    if d.used == 0 and d.many == 0 and d.square == 0 and d.spread == 0:
        return 0.0
    pairs = all_pairs(c)
    return cost_of_sums(likelihood.law, add_terms(pairs, d, 1)) - cost_of_sums(likelihood.law, pairs)


@njit(**INLINE)
def all_pairs(c):
    """Return the whole numbers of all pairs of blocks; not the nats, which nothing needs."""
    return PairTerms(0.0, c.pair_totals[0], c.pair_totals[1], c.pair_totals[2], c.pair_totals[3])


@njit(**INLINE)
def keep_pairs(c, pairs):
    """Keep the whole numbers of all pairs of blocks in the ledger."""
    totals = c.pair_totals
    totals[0], totals[1], totals[2], totals[3] = pairs.used, pairs.many, pairs.square, pairs.spread


@njit(**INLINE)
def add_weights(likelihood, nats, g, c, i, s):
    """Return ``nats`` and the change of -ln P of the weights."""
    change = pair_changes(likelihood, g, c, i, s)
    return nats + change.nats + sums_change(likelihood, c, change)


@njit(**INLINE)
def add_sum(likelihood, c, r, t, x, xx):
    """Add to the sums of the pair of r and t."""
    if r > t and not likelihood.is_directed:
        r, t = t, r
    add(c.sums, r, t, x)
    if has_squares(likelihood):
        add(c.squares, r, t, xx)


@njit(**INNER)
def update(likelihood, g, c, i, r, s):
    """Update the sums after vertex i has moved from block r to s: whole numbers, which a reverse move restores."""
    likelihood, g, c = bare(likelihood), bare(g), bare(c)
    r, s, middle = np.int64(r), np.int64(s), successors_end(g, i)
    for h in range(g.indptr[i], g.indptr[i + 1]):
        t, x = np.int64(c.b[g.indices[h]]), likelihood.x[h]
        xx = likelihood.xx[h] if has_squares(likelihood) else 0
        if h < middle:
            add_sum(likelihood, c, r, t, -x, -xx)
            add_sum(likelihood, c, s, t, x, xx)
        else:
            add_sum(likelihood, c, t, r, -x, -xx)
            add_sum(likelihood, c, t, s, x, xx)
    x, xx = likelihood.loop_x[i], likelihood.loop_xx[i]
    add_sum(likelihood, c, r, r, -x, -xx)
    add_sum(likelihood, c, s, s, x, xx)
    keep_pairs(c, add_terms(all_pairs(c), pair_changes(likelihood, g, c, i, r), -1))


@njit(**INNER)
def over_pairs(likelihood, c, ers):
    """Return the sum of the terms of all pairs of blocks; the kind of table ``ers`` of the ledger says how."""
    change = PairTerms(0.0, 0, 0, 0, 0)
    if ers.ndim == 2:
        for r in range(c.n.size):
            for t in range(0 if likelihood.is_directed else r, c.n.size):
                change = add_terms(change, emptied(likelihood, c, r, t), -1)
    else:
        for h in range(HEAD, ers.size, 2):
            r, t = ers[h] // ers[N_COLUMNS], ers[h] % ers[N_COLUMNS]
            if ers[h + 1] > 0 and (likelihood.is_directed or r <= t):
                change = add_terms(change, emptied(likelihood, c, r, t), -1)
    return change


@njit(**INNER)
def emptied(likelihood, c, r, t):
    """Return the change of the terms if the pair of r and t lost all its edges."""
    return score_changes(likelihood, c, note_transfer(likelihood, c, 0, r, t, r, t) - 1)  # where they go is not scored


@njit(**INNER)
def recount(likelihood, g, c):
    """Fill the sums from the labels."""
    clear(c.sums)
    clear(c.squares)
    for i in range(c.b.size):
        r = np.int64(c.b[i])
        for h in range(g.indptr[i], successors_end(g, i)):
            if likelihood.is_directed or i < g.indices[h]:
                xx = likelihood.xx[h] if has_squares(likelihood) else 0
                add_sum(likelihood, c, r, np.int64(c.b[g.indices[h]]), likelihood.x[h], xx)
        add_sum(likelihood, c, r, r, likelihood.loop_x[i], likelihood.loop_xx[i])
    keep_pairs(c, over_pairs(likelihood, c, c.ers))


@njit(**INNER)
def total(likelihood, c):
    """Return -ln P(A|b) and that of the weights, up to what does not depend on the partition."""
    nats = inner_total(likelihood.inner, c) + over_pairs(likelihood, c, c.ers).nats
    return nats + cost_of_sums(likelihood.law, all_pairs(c))


@njit(**INLINE)
def note_transfer(likelihood, c, n, r, t, u, v):
    """Write down that all edges of the pair of r and t go over to that of u and v; return the number of changes."""
    d, row, column = edges_of(likelihood, c, r, t), r, t
    if r > t and not likelihood.is_directed:
        row, column = t, r
    x = np.int64(look(c.sums, row, column))
    xx = np.int64(look(c.squares, row, column)) if has_squares(likelihood) else 0
    n = note_change(c, n, r, t, -d, -x, -xx)
    return note_change(c, n, u, v, d, x, xx)


@njit(**INNER)
def merge_change(likelihood, c, r, s):
    """Return the change when blocks r and s become one, P(e|b) left out."""
    r, s, n, is_directed = np.int64(r), np.int64(s), 0, likelihood.is_directed
    for t in range(c.n.size):
        if t not in (r, s):
            n = note_transfer(likelihood, c, n, s, t, r, t)
            if is_directed:
                n = note_transfer(likelihood, c, n, t, s, t, r)
    first = n  # the pairs among r and s all go over to that of r: their changes are summed in one
    n = note_transfer(likelihood, c, n, s, s, r, r)
    n = note_transfer(likelihood, c, n, r, s, r, r)
    if is_directed:
        n = note_transfer(likelihood, c, n, s, r, r, r)
    noted = c.changes
    for k in range(first + 3, n, 2):
        for row in range(GAIN, GAIN + 3):
            noted[row, first + 1] += noted[row, k]
            noted[row, k] = 0
    change = score_changes(likelihood, c, n)
    return inner_merge_change(likelihood.inner, c, r, s) + change.nats + sums_change(likelihood, c, change)


@njit(**INLINE)
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b), without the weights, when a vertex moves from r to s."""
    return inner_change(likelihood.inner, c, k, loops, kind, r, s, blocks, links, n_near)


@njit(**INLINE)
def block_term(likelihood, n, e):
    """Return the term of one block in the likelihood of the edges."""
    return inner_block_term(likelihood.inner, n, e)


register(
    Weighted, change=change, total=total, merge_change=merge_change, block_term=block_term, update=update,
    recount=recount, add_weights=add_weights,
)  # fmt: skip
