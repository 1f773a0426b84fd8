"""The target of block chains: a likelihood of the graph, a prior on partitions and a field, on one ledger.

ln p(b) = sum_i f[i, b_i] - S(b), S(b) = -ln P(A|b) - ln P(b). Moves see only the functions of this file:
the change of S and of the field's sum if a vertex moves, and the move itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INLINE, INNER
from ffbm.kernels.ledger import count_all, list_neighbour_blocks, n_sides, relabel, vertex_of
from ffbm.kernels.likelihood import add_weights, block_term, change, merge_change, recount, total, update
from ffbm.kernels.partition import count_types, may_share, update_types, used_costs, used_total


class Model(NamedTuple):
    """What does not change along a chain."""

    graph: Any  # ``halfedges.Adjacency`` or ``arcs.Arcs``
    likelihood: Any  # a tuple of tables whose class is registered: see ``likelihood``
    prior: Any  # ``partition.Prior`` or ``partition.TypedPrior``
    field: np.ndarray  # (N, B) log prior of vertex i in block r, or (0, 0)
    constant: float  # what of S does not depend on the partition


@njit(**ENTRY)
def count(model, ledger):
    """Fill all counts from the labels, and the likelihood's term of each block."""
    m, c = bare(model), bare(ledger)
    count_all(m.graph, c)
    count_types(m.prior, c)
    for r in range(c.n.size):
        update_term(m.graph, m.likelihood, c, r)
    recount(m.likelihood, m.graph, c)


@njit(**INLINE)
def update_term(g, likelihood, c, r):
    """Compute again the likelihood's term of block r, of tails and heads apart in a directed graph."""
    for row in range(n_sides(g) * r, n_sides(g) * (r + 1)):
        c.term[row] = block_term(likelihood, c.n[r], c.e[row])


@njit(**ENTRY)
def entropy_of(model, ledger):
    """Return S."""
    m, c = bare(model), bare(ledger)
    nats = total(m.likelihood, c) + m.constant + used_total(m.prior, c)
    for r in range(c.n.size):
        nats += m.prior.size_cost[c.n[r]]
    return nats


@njit(**INLINE)
def entropy_change(m, c, i, s, blocks, links, n_near):
    """Return S after minus S before when vertex i moves from its block to another block s.

    ``blocks`` and ``links`` are what ``list_neighbour_blocks`` lists of the vertex.
    """
    r = c.b[i]
    k, loops, kind = vertex_of(m.graph, i)
    nats = change(m.likelihood, c, k, loops, kind, r, s, blocks, links, n_near)
    nats = add_weights(m.likelihood, nats, m.graph, c, i, s)
    return nats + prior_change(m.prior, c, r, s)


@njit(**INLINE)
def prior_change(prior, c, r, s):
    """Return the change of -ln P(b) when a vertex moves from block r to another block s of its type."""
    n_r, n_s = c.n[r], c.n[s]
    nats = prior.size_step[n_s] - prior.size_step[n_r - 1]
    if n_r == 1 or n_s == 0:
        now, after = used_costs(prior, c, r, int(n_s == 0) - int(n_r == 1))
        nats += after - now
    return nats


@njit(**INNER)
def change_to(m, c, i, s, scratch):
    """Return the change of S if vertex i moves to another block s."""
    m, c, scratch = bare(m), bare(c), bare(scratch)
    blocks, links, marks = scratch[0], scratch[1], scratch[2]
    n_near = list_neighbour_blocks(m.graph, c, i, blocks, links, marks)
    return entropy_change(m, c, i, s, blocks, links, n_near)


@njit(**INLINE)
def lift_to(m, c, i, s):
    """Return the change of the field's sum if vertex i moves to block s."""
    return m.field[i, s] - m.field[i, c.b[i]] if m.field.size > 0 else 0.0


@njit(**INLINE)
def move(m, c, i, s):
    """Move vertex i to block s."""
    update_types(m.prior, c, c.b[i], s)
    _move(m.graph, m.likelihood, c, i, s)


@njit(**INNER)
def _move(g, likelihood, c, i, s):
    """Relabel vertex i and update all counts; a call copies its tuples, so it takes only what it needs."""
    g, likelihood, c = bare(g), bare(likelihood), bare(c)
    r = c.b[i]
    relabel(g, c, i, s)
    update(likelihood, g, c, i, r, s)
    update_term(g, likelihood, c, r)
    update_term(g, likelihood, c, s)


@njit(**INNER)
def merge_cost(m, c, r, s):
    """Return the change of S when blocks r and s become one, the number of blocks left out; for dense tables.

    It is infinite for blocks of different types.
    """
    if not may_share(m.prior, r, s):
        return np.inf
    size_cost = m.prior.size_cost
    nats = merge_change(m.likelihood, c, r, s)
    return nats + size_cost[c.n[r] + c.n[s]] - size_cost[c.n[r]] - size_cost[c.n[s]]


@njit(**INLINE)
def closing_gain(m, c, r):
    """Return by how much S falls by there being one block in use less, of the type of block r."""
    used, likelihood = c.used[0], m.likelihood
    edges = likelihood.edge_cost[used] - likelihood.edge_cost[used - 1]
    now, after = used_costs(m.prior, c, r, -1)
    return edges + now - after
