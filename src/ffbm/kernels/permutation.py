"""The adjacency and degree parts of S under permutations of labels over vertices, each counted in O(E + N)."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import DOOR, INNER
from ffbm.kernels.degree_corrected import block_term
from ffbm.kernels.edges import LN2
from ffbm.kernels.tables import add, clear, log_factorials


class EdgeList(NamedTuple):
    """A graph as what is counted in one pass."""

    source: np.ndarray  # (E,) int32
    target: np.ndarray  # (E,) int32, the same vertex for a self-loop
    degree: np.ndarray  # (N,) int64
    kind: np.ndarray  # (N,) int32, which of the different degrees it is


@njit(**INNER)
def permute(rng, b, order, bounds):
    """Permute labels uniformly inside each stratum, the vertices order[bounds[s]:bounds[s+1]]."""
    for stratum in range(bounds.size - 1):
        first = bounds[stratum]
        for last in range(bounds[stratum + 1] - 1, first, -1):
            i, j = order[last], order[first + int(rng.random() * (last - first + 1))]
            b[i], b[j] = b[j], b[i]


@njit(**INNER)
def parts(likelihood, graph, b, ers, eta, n, e):
    """Return the adjacency and degree parts of S, up to what does not depend on labels."""
    lf = likelihood.lf
    clear(ers)
    clear(eta)
    for r in range(n.size):
        n[r], e[r] = 0, 0
    for i in range(b.size):
        r = b[i]
        n[r] += 1
        e[r] += graph.degree[i]
        add(eta, r, graph.kind[i], 1)
    inside = 0
    for k in range(graph.source.size):
        r, s = b[graph.source[k]], b[graph.target[k]]
        add(ers, min(r, s), max(r, s), 1)
        inside += r == s
    adjacency = -log_factorials(ers, lf, False) - LN2 * inside
    degrees = -log_factorials(eta, lf, False)
    for r in range(n.size):
        adjacency += lf[e[r]]
        degrees += lf[n[r]] + block_term(likelihood, n[r], e[r])
    return adjacency, degrees


@njit(**DOOR)
def score_permutations(rng, likelihood, graph, b, order, bounds, ers, eta, n, e, nats):
    """Permute labels again and again, and fill nats (T, 2) with the parts of S after each permutation.

    Without vertices in ``order`` the labels stay as they are. n and e (B,) int64 and the tables ers (B, B) and
    eta (B, kinds) are overwritten.
    """
    likelihood, graph, b, ers, eta = bare(likelihood), bare(graph), bare(b), bare(ers), bare(eta)
    for t in range(nats.shape[0]):
        permute(rng, b, order, bounds)
        nats[t, 0], nats[t, 1] = parts(likelihood, graph, b, ers, eta, n, e)
