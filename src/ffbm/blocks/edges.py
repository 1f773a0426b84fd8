"""The parts of -ln P(A|b) that likelihoods share: edge or arc counts of blocks, and multiplicities."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from ffbm.types import Array, Graph

LN2 = float(np.log(2.0))
_TABULATED = 1 << 21  # counts beyond are those of a few large blocks


def edge_nats(graph: Graph, b: Array) -> float:
    """Return -sum_{r<s} ln e_rs! - sum_r ln e_rr!!, or -sum_rs ln e_rs! of a directed graph."""
    ends = b[graph.edges]
    if graph.is_directed:
        return -log_factorials(np.unique(ends, axis=0, return_counts=True)[1])
    pairs, counts = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    return -log_factorials(counts) - LN2 * float(counts[pairs[:, 0] == pairs[:, 1]].sum())


def multiplicity_nats(graph: Graph) -> float:
    """Return sum_{i<j} ln A_ij! + sum_i ln A_ii!!, A_ii twice the self-loops of i; if directed, sum_ij ln A_ij!."""
    if graph.is_directed:
        return log_factorials(np.unique(graph.edges, axis=0, return_counts=True)[1])
    again = np.flatnonzero(graph.indices[1:] == graph.indices[:-1]) + 1  # rows are sorted: parallel edges are runs
    row = np.searchsorted(graph.indptr, again, side="right") - 1
    is_parallel = (again > graph.indptr[row]) & (row < graph.indices[again])
    again = again[is_parallel]
    run = np.cumsum(np.diff(again, prepend=-1) > 1)
    parallel = log_factorials(np.bincount(run)[1:] + 1)
    return parallel + log_factorials(graph.loops) + LN2 * float(graph.loops.sum())


def n_ends(graph: Graph) -> int:
    """Return how many half-edges blocks share: 2 E, or E tails and as many heads if the graph is directed."""
    return graph.n_edges * (1 if graph.is_directed else 2)


def factorial_table(most: int) -> Array:
    """Return ln x! of all x up to ``most``.

    >>> factorial_table(3).round(6).tolist()
    [0.0, 0.0, 0.693147, 1.791759]
    """
    table = np.arange(1.0, most + 2)
    return np.asarray(gammaln(table, out=table))


def count_factorials(most: int) -> Array:
    """Return ln x! of counts up to ``most`` for kernels: all of them, or a row of the first two million.

    >>> count_factorials(3).shape, count_factorials(10**8).shape
    ((4,), (1, 2097153))
    """
    return factorial_table(most) if most <= _TABULATED else first_factorials(most)


def first_factorials(most: int) -> Array:
    """Return a row (1, n) of ln x! for kernels that may ask for more than ``most``.

    >>> first_factorials(3).shape
    (1, 4)
    """
    return factorial_table(min(most, _TABULATED))[np.newaxis]


def log_factorials(counts: Array) -> float:
    """Return the sum of ln x! over the counts.

    >>> round(log_factorials(np.array([3, 1, 0])), 6)  # ln 6
    1.791759
    """
    return float(gammaln(np.asarray(counts, dtype=float) + 1).sum())


def log_binomial(n: Any, k: Any) -> Any:
    """Return ln C(n, k), of numbers or arrays."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
