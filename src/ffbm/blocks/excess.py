"""How many more edges vertices of equal value have than their blocks say: one column against one partition.

Half-edges are paired at random between and inside blocks, so that the ends i in r and j in s of an edge are chosen in
proportion to k_i k_j. The share of pairs of equal value among them, times the edges between r and s, is what blocks
and degrees expect.
"""

from typing import NamedTuple

import numpy as np

from ffbm.types import Array, Graph

_TERTILES = 3


class Ties(NamedTuple):
    """The edges between different vertices whose values of a column are known."""

    codes: Array  # (N,) from 0, -1 where a vertex has no value
    source: Array  # (E',)
    target: Array
    n_equal: int  # edges between vertices of equal value


def ties_of(graph: Graph, codes: Array) -> Ties:
    """Return the edges of a network that a column has something to say of."""
    source, target = graph.edges.T
    kept = (source != target) & (codes[source] >= 0) & (codes[target] >= 0)
    source, target = source[kept], target[kept]
    return Ties(codes, source, target, int((codes[source] == codes[target]).sum()))


def excess(ties: Ties, strata: Array, tails: Array, heads: Array) -> float:
    """Return the excess of edges between vertices of equal value, in standard deviations of as many single edges.

    ``strata`` (N,) are the blocks, ``tails`` and ``heads`` (N,) in which proportion an edge begins and ends at each
    vertex of a stratum: its degrees, or 1. It is 0 if no column of values could show an excess.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 2, 0, 1], [1, 3, 2, 3], n_nodes=4)
    >>> ties, one = ties_of(graph, np.array([0, 0, 1, 1])), np.ones(4)
    >>> ties.n_equal, round(excess(ties, np.zeros(4, dtype=int), one, one), 3)  # a third of 4 edges is expected
    (2, 0.707)
    """
    n, n_values = int(strata.max()) + 1, int(ties.codes.max(initial=0)) + 1
    known = ties.codes >= 0
    s, value, out, into = strata[known], ties.codes[known], tails[known], heads[known]
    met = np.bincount(strata[ties.source] * n + strata[ties.target], minlength=n * n).reshape(n, n)
    begin, end = (
        np.bincount(s * n_values + value, weights=weight, minlength=n * n_values).reshape(n, n_values)
        for weight in (out, into)
    )
    itself = np.diag(np.bincount(s, weights=out * into, minlength=n))  # no edge leads back to where it begins
    equal, pairs = begin @ end.T - itself, np.outer(begin.sum(axis=1), end.sum(axis=1)) - itself
    share = np.clip(np.divide(equal, pairs, out=np.zeros(pairs.shape), where=pairs > 1e-9), 0.0, 1.0)
    variance = float((met * share * (1 - share)).sum())
    return float((ties.n_equal - (met * share).sum()) / np.sqrt(variance)) if variance > 1e-9 else 0.0


def degree_tertiles(b: Array, degrees: Array) -> Array:
    """Return finer strata (N,): the thirds of each block in the order of degrees, equal degrees in one of them.

    >>> degree_tertiles(np.array([0, 0, 0, 0, 1]), np.array([1, 2, 2, 9, 5])).tolist()
    [0, 1, 1, 2, 5]
    """
    order = np.lexsort((degrees, b))
    sizes = np.bincount(b)
    first = np.cumsum(sizes) - sizes
    tertile = np.zeros(len(b), dtype=np.int64)
    for cut in range(1, _TERTILES):
        at = first + np.minimum(-(-cut * sizes // _TERTILES), sizes - 1)
        tertile += degrees >= degrees[order[np.clip(at, 0, len(b) - 1)]][b]
    return _TERTILES * b + tertile
