"""The partition that an attribute defines, and S under permutations of its values, laid out for the kernel.

The truth that it is held to is ``description_length`` of each permuted partition.
"""

from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.edges import log_factorials
from ffbm.blocks.likelihoods import DEGREE_CORRECTED
from ffbm.kernels.permutation import EdgeList, LabelCounts, score_permutations
from ffbm.kernels.tables import compact_table
from ffbm.types import Array, Graph

_LIKE = 10  # vertices that count as of like degree, at least
_DENSE_CELLS = 4  # a table is dense if it has at most this many cells for each edge and vertex


class ScoredGraph(NamedTuple):
    """A graph as the kernel scores it."""

    edges: EdgeList
    likelihood: Any  # the tables of the degree-corrected likelihood
    constant: float  # of the adjacency part: what does not depend on labels
    n_kinds: int  # different degrees


class Shuffle(NamedTuple):
    """Labels, and which vertices may exchange theirs."""

    labels: Array  # (N,) int32, from 0
    order: Array  # (M,) int64, the vertices that may, stratum by stratum
    bounds: Array  # (S+1,) int64, where strata begin in ``order``


def score_graph(graph: Graph) -> ScoredGraph:
    """Lay a graph out for the kernel."""
    sides = (graph.out_degrees, graph.in_degrees) if graph.is_directed else (graph.degrees,)
    degrees = np.column_stack(sides)
    different, kind = np.unique(degrees, return_inverse=True)
    source, target = np.ascontiguousarray(graph.edges.T, dtype=np.int32)
    return ScoredGraph(
        EdgeList(source, target, degrees, kind.reshape(degrees.shape).astype(np.int32)),
        DEGREE_CORRECTED.tables(graph, np.zeros(1)),
        DEGREE_CORRECTED.constant(graph),
        len(different),
    )


def shuffle_inside(codes: Array, strata: Array) -> Shuffle:
    """Return the labels of a column's values, which vertices of a stratum may exchange.

    Vertices without a value, of code -1, are one group more and stay where they are. So do those of a stratum in
    which all have the same value: there is nothing to exchange.

    >>> shuffle_inside(np.array([0, 1, -1, 1, 1]), np.array([0, 0, 0, 1, 1]))
    Shuffle(labels=array([0, 1, 2, 1, 1], dtype=int32), order=array([0, 1]), bounds=array([0, 2]))
    """
    labels = np.where(codes < 0, codes.max(initial=-1) + 1, codes).astype(np.int32)
    known = np.flatnonzero(codes >= 0)
    stratum = np.unique(strata[known], return_inverse=True)[1]
    pairs = np.unique(np.column_stack((stratum, codes[known])), axis=0)
    varies = np.bincount(pairs[:, 0]) > 1
    free = varies[stratum]
    order = known[free][np.argsort(stratum[free], kind="stable")]
    return Shuffle(labels, order, np.append(0, np.cumsum(np.bincount(stratum)[varies])))


def like_degrees(degrees: Array, strata: Array, rng: np.random.Generator) -> Array:
    """Return finer strata (N,): inside each of those given, runs of ten vertices or more in the order of their degrees.

    >>> like_degrees(np.arange(25), np.zeros(25), np.random.default_rng(0)).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    at_level, sizes = np.unique(strata, return_inverse=True, return_counts=True)[1:]
    order = np.lexsort((rng.random(len(degrees)), degrees, at_level))  # equal degrees in any order, not the table's
    runs = [part for stratum in np.split(order, np.cumsum(sizes)[:-1]) for part in _runs(stratum)]
    finer = np.empty(len(degrees), dtype=np.int64)
    finer[order] = np.repeat(np.arange(len(runs)), [len(part) for part in runs])
    return finer


def _runs(vertices: Array) -> list[Array]:
    return np.array_split(vertices, max(1, len(vertices) // _LIKE))


def permuted_parts(graph: ScoredGraph, shuffle: Shuffle, n_permutations: int, rng: np.random.Generator) -> Array:
    """Return the adjacency and degree parts of S, (T, 2) in nats, of so many permutations."""
    n_blocks = int(shuffle.labels.max(initial=-1)) + 1
    n_sides = graph.edges.degree.shape[1]
    n_rows = n_sides * n_blocks
    n, e = np.zeros(n_blocks, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    n_edges, n_nodes = len(graph.edges.source), len(shuffle.labels)
    is_dense = n_blocks * max(n_blocks, n_sides * graph.n_kinds) <= _DENSE_CELLS * (n_edges + n_nodes)
    ers, eta = (
        np.zeros((n_rows_of, n_columns), dtype=np.int32) if is_dense else compact_table(n_columns, n_cells)
        for n_rows_of, n_columns, n_cells in ((n_blocks, n_blocks, n_edges), (n_rows, graph.n_kinds, n_sides * n_nodes))
    )
    nats, b = np.empty((n_permutations, 2)), shuffle.labels.copy()
    counts = LabelCounts(ers, eta, n, e)
    score_permutations(rng, graph.likelihood, graph.edges, b, shuffle.order, shuffle.bounds, counts, nats)
    nats[:, 0] += graph.constant
    return nats


def observed_parts(graph: ScoredGraph, shuffle: Shuffle) -> Array:
    """Return the parts of S of the labels as they are, (2,), added up as those of permutations are."""
    still = shuffle._replace(order=shuffle.order[:0], bounds=shuffle.bounds[:1])
    return permuted_parts(graph, still, 1, np.random.default_rng(0))[0]


def tie_width(graph: ScoredGraph) -> float:
    """Return what counts as equal: sums of the same terms in another order differ in their last bits."""
    return 1e-9 + 1e-12 * log_factorials(np.array([2 * len(graph.edges.source)]))
