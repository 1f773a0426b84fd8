"""The counts of a partition: how they follow from the labels, how a move changes them, what it costs."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import DOOR, INLINE, INNER
from ffbm.kernels.logq import log_q
from ffbm.kernels.tables import add, clear, log_factorials, look

LN2 = np.log(2.0)


class Model(NamedTuple):
    """What does not change along a chain: graph, tables, target."""

    indptr: np.ndarray  # (N+1,) int64: the graph without its self-loops
    indices: np.ndarray  # int32
    vertex: np.ndarray  # (N, 3) int32: degree, self-loops, degree class
    field: np.ndarray  # (N, B) log prior of vertex i in block r, or (0, 0)
    edge_cost: np.ndarray  # (B+1,) -ln P(e|b), and of P(b) what depends on it, by the number of blocks in use
    size_cost: np.ndarray  # (N+2,) what a block of n vertices costs by its size alone
    lf: np.ndarray  # ln x!, x up to max(2E, N) + 1
    exact: np.ndarray  # the tables of ln q
    few: np.ndarray
    shape: np.ndarray


class Counts(NamedTuple):
    """What a move changes."""

    b: np.ndarray  # (N,) int32: labels
    n: np.ndarray  # (B,) int64: block sizes
    e: np.ndarray  # (B,) int64: half-edges e_r
    ers: np.ndarray  # (B, B) table: half-edges from r to s; e_rr is twice the edges inside r
    eta: np.ndarray  # (B, K) table: vertices of each degree class
    logq: np.ndarray  # (B,) ln q(e_r, n_r)
    near: np.ndarray  # (N, B) int32: half-edges from i into each block without loops; (0, 0): counted anew
    used: np.ndarray  # (1,) int64: blocks that are not empty
    ring: np.ndarray  # (N + B, 2) int32: the members of each block, linked both ways; (0, 0) where ers is dense


@njit(**INLINE)
def bare_model(m):
    """Return the model in bare arrays."""
    return Model(
        bare(m.indptr), bare(m.indices), bare(m.vertex), bare(m.field), bare(m.edge_cost),
        bare(m.size_cost), bare(m.lf), bare(m.exact), bare(m.few), bare(m.shape),
    )  # fmt: skip


@njit(**INLINE)
def bare_counts(c):
    """Return the counts in bare arrays."""
    return Counts(
        bare(c.b), bare(c.n), bare(c.e), bare(c.ers), bare(c.eta), bare(c.logq), bare(c.near), bare(c.used),
        bare(c.ring),
    )  # fmt: skip


@njit(**DOOR)
def count(model, counts):
    """Fill all counts from the labels."""
    m, c = bare_model(model), bare_counts(counts)
    c.n[:] = 0
    c.e[:] = 0
    c.near[:] = 0
    clear(c.ers)
    clear(c.eta)
    for a in range(c.ring.shape[0]):
        c.ring[a, 0] = c.ring[a, 1] = a
    for i in range(c.b.size):
        r = c.b[i]
        c.n[r] += 1
        c.e[r] += m.vertex[i, 0]
        add(c.ers, r, r, 2 * m.vertex[i, 1])
        add(c.eta, r, m.vertex[i, 2], 1)
        if c.ring.size > 0:
            enter(c, i, r)
        for h in range(m.indptr[i], m.indptr[i + 1]):
            t = c.b[m.indices[h]]
            add(c.ers, r, t, 1)
            if c.near.size > 0:
                c.near[i, t] += 1
    c.used[0] = np.count_nonzero(c.n)
    for r in range(c.n.size):
        c.logq[r] = log_q(c.e[r], c.n[r], m.lf, m.exact, m.few, m.shape)


@njit(**DOOR)
def entropy_of(model, counts):
    """Return S up to what does not depend on the partition: the degrees and multiplicities of the graph."""
    m, c = bare_model(model), bare_counts(counts)
    s = m.edge_cost[c.used[0]] - log_factorials(c.ers, m.lf, True) - log_factorials(c.eta, m.lf, False)
    for r in range(c.n.size):
        inside = look(c.ers, r, r) >> 1
        s += m.lf[c.e[r]] + m.size_cost[c.n[r]] + c.logq[r] - m.lf[inside] - LN2 * inside
    return s


@njit(**INLINE)
def look_around(m, c, i, blocks, links, marks):
    """List the blocks that vertex i has neighbours in, and its half-edges into each; return how many.

    marks (B,) is zero before and after.
    """
    found = 0
    if c.near.size > 0:
        for t in range(c.n.size):
            blocks[found] = t
            links[found] = c.near[i, t]
            found += c.near[i, t] > 0
        return found
    for h in range(m.indptr[i], m.indptr[i + 1]):
        t = c.b[m.indices[h]]
        if marks[t] == 0:
            blocks[found] = t
            found += 1
        marks[t] += 1
    for a in range(found):
        links[a] = marks[blocks[a]]
        marks[blocks[a]] = 0
    return found


@njit(**INLINE)
def entropy_change(m, c, i, s, blocks, links, found):
    """Return S after minus S before when vertex i moves from its block to another block s."""
    r, k, loops = c.b[i], m.vertex[i, 0], m.vertex[i, 1]
    to_r, to_s = 0, 0
    change = 0.0
    for a in range(found):
        t, d = blocks[a], links[a]
        if t == r:
            to_r = d
        elif t == s:
            to_s = d
        else:
            old_r, old_s = look(c.ers, r, t), look(c.ers, s, t)
            change += m.lf[old_r] - m.lf[old_r - d] + m.lf[old_s] - m.lf[old_s + d]
    inside_r, inside_s, between = look(c.ers, r, r) >> 1, look(c.ers, s, s) >> 1, look(c.ers, r, s)
    out, into = to_r + loops, to_s + loops
    change += m.lf[inside_r] - m.lf[inside_r - out] + m.lf[inside_s] - m.lf[inside_s + into]
    change += LN2 * (out - into) + m.lf[between] - m.lf[between + to_r - to_s]
    change += m.lf[c.e[r] - k] - m.lf[c.e[r]] + m.lf[c.e[s] + k] - m.lf[c.e[s]]
    return change + degree_change(m, c, i, s) + opening_change(m, c, r, s)


@njit(**INLINE)
def degree_change(m, c, i, s):
    """Return the change of -ln P(k|e,b), and of what P(b) has by block sizes, when vertex i moves to s."""
    r, k, kind = c.b[i], m.vertex[i, 0], m.vertex[i, 2]
    own, other, n_r, n_s = look(c.eta, r, kind), look(c.eta, s, kind), c.n[r], c.n[s]
    change = m.lf[own] - m.lf[own - 1] + m.lf[other] - m.lf[other + 1]
    change += m.size_cost[n_r - 1] - m.size_cost[n_r] + m.size_cost[n_s + 1] - m.size_cost[n_s]
    change += log_q(c.e[r] - k, c.n[r] - 1, m.lf, m.exact, m.few, m.shape) - c.logq[r]
    return change + log_q(c.e[s] + k, c.n[s] + 1, m.lf, m.exact, m.few, m.shape) - c.logq[s]


@njit(**INLINE)
def opening_change(m, c, r, s):
    """Return the change of -ln P(e|b), and of what P(b) has by blocks in use, when a block closes or opens."""
    if c.n[r] > 1 and c.n[s] > 0:
        return 0.0
    after = c.used[0] - int(c.n[r] == 1) + int(c.n[s] == 0)
    return m.edge_cost[after] - m.edge_cost[c.used[0]]


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
def move(model, counts, i, s):
    """Move vertex i to block s and bring all counts up to date."""
    m, c = bare_model(model), bare_counts(counts)
    r, k, loops, kind = c.b[i], m.vertex[i, 0], m.vertex[i, 1], m.vertex[i, 2]
    for h in range(m.indptr[i], m.indptr[i + 1]):
        j = m.indices[h]
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
    c.used[0] += int(c.n[s] == 0) - int(c.n[r] == 1)
    c.n[r] -= 1
    c.n[s] += 1
    c.e[r] -= k
    c.e[s] += k
    add(c.eta, r, kind, -1)
    add(c.eta, s, kind, 1)
    c.logq[r] = log_q(c.e[r], c.n[r], m.lf, m.exact, m.few, m.shape)
    c.logq[s] = log_q(c.e[s], c.n[s], m.lf, m.exact, m.few, m.shape)
    c.b[i] = s
