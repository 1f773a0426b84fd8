"""What one more edge would do: the change of ln P(A|b) with each of many pairs of vertices, given a partition.

The number of edges E grows by one whichever pair it is, so P(e|b) is left out. An edge that exists is scored as if it
were added to the network without it.
"""

from typing import NamedTuple

import numpy as np

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.logq import log_partitions
from ffbm.types import Array, Graph


class Counts(NamedTuple):
    """The counts of a partition."""

    edges: Array  # (B, B) e_rs, the diagonal twice the edges inside
    ends: Array  # (B,) e_r
    sizes: Array  # (B,) n_r
    degrees: Array  # (B, K+3) eta_k^r, how many vertices of block r have degree k


def count(graph: Graph, b: Array, n_blocks: int) -> Counts:
    """Count edges, half-edges, vertices and degrees of each block."""
    once = count_arcs(graph, b, n_blocks)
    edges = once + once.T
    degrees = np.zeros((n_blocks, int(graph.degrees.max(initial=0)) + 3), dtype=np.int64)
    np.add.at(degrees, (b, graph.degrees), 1)
    return Counts(edges, edges.sum(axis=1), np.bincount(b, minlength=n_blocks), degrees)


def count_arcs(graph: Graph, b: Array, n_blocks: int) -> Array:
    """Return the edges (B, B) from block to block as ``graph.edges`` lists them: for a directed graph e_rs."""
    arcs = np.zeros((n_blocks, n_blocks), dtype=np.int64)
    np.add.at(arcs, tuple(b[graph.edges].T), 1)
    return arcs


def multiplicities(graph: Graph, pairs: Array) -> Array:
    """Return A_ij (P,) of pairs of different vertices (P, 2), of a directed graph from i to j."""
    n, ends = graph.n_nodes, graph.edges.astype(np.int64)
    ends = ends if graph.is_directed else np.concatenate((ends, ends[:, ::-1]))
    known, times = np.unique(ends[:, 0] * n + ends[:, 1], return_counts=True)
    wanted = pairs[:, 0].astype(np.int64) * n + pairs[:, 1]
    if not len(known):
        return np.zeros(len(pairs), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, times[at], 0)


def edge_gains(
    graph: Graph, b: Array, n_blocks: int, pairs: Array, times: Array, likelihood: Likelihood = DEGREE_CORRECTED
) -> Array:
    """Return by how many nats ln P(A|b) grows with an edge between each of these pairs (P, 2), less a constant.

    ``times`` (P,) is A_ij. Where it is not 0 one of these edges is taken away and added again. In a directed graph the
    edge goes from the first of the pair to the second.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 4], n_nodes=5)
    >>> pairs = np.array([[0, 3], [1, 2]])
    >>> edge_gains(graph, np.array([0, 0, 0, 1, 1]), 2, pairs, multiplicities(graph, pairs)).round(3).tolist()
    [-3.178, 0.316]
    """
    if graph.is_directed:
        return _arc_gains(graph, b, n_blocks, pairs, times, likelihood)
    counts, is_there = count(graph, b, n_blocks), times > 0
    i, j = pairs.T
    r, s = b[i], b[j]
    inside = r == s
    taken = is_there.astype(np.int64)  # counts of the network without this edge
    e_rs = counts.edges[r, s] - taken * (1 + inside)
    gain = np.where(inside, np.log(e_rs + 2), np.log(e_rs + 1)) - np.log(times - taken + 1)
    if likelihood.name != DEGREE_CORRECTED.name:
        return np.asarray(gain - np.log(counts.sizes[r]) - np.log(counts.sizes[s]))
    e_r, e_s = counts.ends[r] - taken * (1 + inside), counts.ends[s] - taken * (1 + inside)
    k_i, k_j = graph.degrees[i] - taken, graph.degrees[j] - taken
    gain += np.log(k_i + 1) + np.log(k_j + 1) - np.log(e_r + 1) - np.log(e_s + 1 + inside)
    return np.asarray(gain + _degree_gains(counts, r, s, k_i, k_j, is_there))


def _degree_gains(counts: Counts, r: Array, s: Array, k_i: Array, k_j: Array, is_there: Array) -> Array:
    """Return the change of ln P(k|e,b) when k_i in block r and k_j in s become one more."""
    inside, taken = r == s, is_there.astype(np.int64)
    steps = np.arange(-2, 3)
    log_q = log_partitions(np.maximum(counts.ends[:, None] + steps, 0), counts.sizes[:, None])  # q(e_r - 2 ... e_r + 2)
    before = 2 - taken * (1 + inside)
    fewer = log_q[r, before] - log_q[r, before + 1 + inside]
    fewer += np.where(inside, 0.0, log_q[s, before] - log_q[s, before + 1])
    # One degree after the other; for an edge that exists the gain is minus that of its removal.
    low_i, low_j, step = k_i + taken, k_j + taken, 1 - 2 * taken
    same = inside.astype(np.int64)
    eta = counts.degrees
    moved = np.log(eta[r, low_i + step] + 1) - np.log(eta[r, low_i])
    leaves = eta[s, low_j] - same * (low_j == low_i) + same * (low_j == low_i + step)
    enters = eta[s, low_j + step] - same * (low_j + step == low_i) + same * (low_j == low_i)
    moved += np.log(enters + 1) - np.log(leaves)
    return np.asarray(fewer + np.where(is_there, -moved, moved))


def _arc_gains(graph: Graph, b: Array, n_blocks: int, pairs: Array, times: Array, likelihood: Likelihood) -> Array:
    """Return the gains in a directed graph: tails and heads have counts of their own, so no two changes interact."""
    arcs = count_arcs(graph, b, n_blocks)
    sizes, taken = np.bincount(b, minlength=n_blocks), (times > 0).astype(np.int64)
    blocks = b[pairs]
    gain = np.log(arcs[blocks[:, 0], blocks[:, 1]] - taken + 1) - np.log(times - taken + 1)
    if likelihood.name != DEGREE_CORRECTED.name:
        return np.asarray(gain - np.log(sizes[blocks]).sum(axis=1))
    for side, degrees in enumerate((graph.out_degrees, graph.in_degrees)):
        r, k, ends = blocks[:, side], degrees[pairs[:, side]] - taken, arcs.sum(axis=1 - side)
        eta = np.zeros((n_blocks, int(degrees.max(initial=0)) + 2), dtype=np.int64)
        np.add.at(eta, (b, degrees), 1)
        log_q = log_partitions(np.maximum(ends[:, None] + np.arange(-1, 2), 0), sizes[:, None])
        gain += np.log(k + 1) - np.log(ends[r] - taken + 1) + log_q[r, 1 - taken] - log_q[r, 2 - taken]
        gain += np.log(eta[r, k + 1] - taken + 1) - np.log(eta[r, k] + taken)
    return np.asarray(gain)
