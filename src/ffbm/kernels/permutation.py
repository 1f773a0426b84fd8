"""The adjacency and degree parts of S under permutations of labels over vertices, each counted in O(E + N)."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INNER
from ffbm.kernels.degree_corrected import block_term
from ffbm.kernels.edges import LN2
from ffbm.kernels.tables import add, clear, log_factorial, log_factorials


class EdgeList(NamedTuple):
    """A graph as a list of edges, and the degrees of its vertices."""

    source: np.ndarray  # (E,) int32
    target: np.ndarray  # (E,) int32, the same vertex for a self-loop
    degree: np.ndarray  # (N, 1) int64; (N, 2) out and in of a directed graph
    kind: np.ndarray  # (N, 1 or 2) int32, which of the different degrees it is


class LabelCounts(NamedTuple):
    """Counts by label, overwritten at each permutation; B rows, 2B for a directed graph: tails, then heads."""

    ers: Any  # (B, B) table of edges between labels
    eta: Any  # (rows, kinds) table of degrees
    n: np.ndarray  # (B,) int64
    e: np.ndarray  # (rows,) int64


@njit(**INNER)
def permute(rng, b, order, bounds):
    """Permute labels uniformly inside each stratum, the vertices order[bounds[s]:bounds[s+1]]."""
    for stratum in range(bounds.size - 1):
        first = bounds[stratum]
        for last in range(bounds[stratum + 1] - 1, first, -1):
            i, j = order[last], order[first + int(rng.random() * (last - first + 1))]
            b[i], b[j] = b[j], b[i]


@njit(**INNER)
def parts(likelihood, graph, b, label_counts):
    """Return the adjacency and degree parts of S, up to what does not depend on labels."""
    ers, eta, n, e = label_counts
    lf, n_blocks, n_sides = likelihood.lf, n.size, graph.degree.shape[1]
    clear(ers)
    clear(eta)
    for r in range(n_blocks):
        n[r] = 0
    for row in range(e.size):
        e[row] = 0
    for i in range(b.size):
        n[b[i]] += 1
        for side in range(n_sides):
            row = side * n_blocks + b[i]
            e[row] += graph.degree[i, side]
            add(eta, row, graph.kind[i, side], 1)
    inside = 0
    for k in range(graph.source.size):
        r, s = b[graph.source[k]], b[graph.target[k]]
        if n_sides == 2:
            add(ers, r, s, 1)
        else:
            add(ers, min(r, s), max(r, s), 1)
            inside += r == s
    adjacency = -log_factorials(ers, lf, False) - LN2 * inside
    degrees = -log_factorials(eta, lf, False)
    for row in range(e.size):
        size = n[row % n_blocks]
        adjacency += log_factorial(lf, e[row])
        degrees += log_factorial(lf, size) + block_term(likelihood, size, e[row])
    return adjacency, degrees


@njit(**ENTRY)
def score_permutations(rng, likelihood, graph, b, order, bounds, label_counts, nats):
    """Permute labels again and again, and fill nats (T, 2) with the parts of S after each permutation.

    Without vertices in ``order`` the labels stay as they are.
    """
    likelihood, graph, b, label_counts = bare(likelihood), bare(graph), bare(b), bare(label_counts)
    for t in range(nats.shape[0]):
        permute(rng, b, order, bounds)
        nats[t, 0], nats[t, 1] = parts(likelihood, graph, b, label_counts)
