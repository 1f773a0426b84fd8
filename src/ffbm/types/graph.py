"""A multigraph in CSR form, with or without directions and weights of its edges."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types.edgeweights import EdgeWeights

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Graph:
    """A multigraph A in CSR form, undirected or directed, self-loops kept apart.

    Parameters
    ----------
    indptr : (N+1,) int64
        Row i of ``indices`` is ``indices[indptr[i]:indptr[i+1]]``.
    indices : (2(E-L),) int32
        The neighbours of each vertex in increasing order, once for each parallel edge. An edge is in
        the rows of both its ends, a self-loop in none. A row of a directed graph lists the targets
        of the vertex's edges, then the sources of those that lead to it.
    loops : (N,) int32
        The number of self-loops at each vertex, L in all. A_ii is twice that, once if directed.
    outward : (N,) int64, optional
        How many entries of each row are targets; None for an undirected graph.
    weights : EdgeWeights, optional
        A weight for each edge, in the order of ``edges``.

    Examples
    --------
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 2], n_nodes=4)
    >>> g.n_edges, g.degrees.tolist(), g.loops.tolist()
    (4, [2, 3, 3, 0], [0, 0, 1, 0])
    >>> g = Graph.from_edges([0, 2, 2], [1, 0, 2], n_nodes=3, directed=True)
    >>> g, g.out_degrees.tolist(), g.in_degrees.tolist()
    (<Graph: 3 vertices, 3 directed edges>, [1, 0, 2], [1, 1, 1])
    """

    indptr: Array
    indices: Array
    loops: Array
    outward: Array | None = None
    weights: EdgeWeights | None = None

    @classmethod
    def from_edges(
        cls,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        n_nodes: int,
        directed: bool = False,
        weights: EdgeWeights | None = None,
    ) -> "Graph":
        """Build the graph from the two ends of each edge, vertices numbered from 0; directed edges lead to ``target``.

        ``weights`` are in the order of these edges.
        """
        source, target = (
            ends if ends.dtype.kind == "i" else ends.astype(np.int64) for ends in map(np.asarray, (source, target))
        )
        if weights is not None:
            low, high = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
            weights = weights.take(np.lexsort((high, low, low == high)))  # as ``edges`` has them
        n_edges, bits = len(source), n_nodes.bit_length()
        if n_nodes >= 2**31 or 2 * n_edges >= 2**40:
            raise DataError(f"a network of {n_nodes} vertices and {n_edges} edges is larger than ffbm can index")
        looped = np.flatnonzero(source == target)
        loops = np.bincount(source[looped], minlength=n_nodes).astype(np.int32)
        key: Array = np.empty((2, n_edges), dtype=np.int64)  # row and column in one, each edge from both its ends
        for side, (row, column) in enumerate(((source, target), (target, source))):
            key[side] = row
            if directed:  # two rows per vertex: targets, then sources
                key[side] *= 2
                key[side] += side
            key[side] <<= bits
            key[side] |= column
        key[:, looped] = np.iinfo(np.int64).max  # sorted last and dropped
        key = key.ravel()
        key.sort()
        key = key[: 2 * (n_edges - len(looped))]
        indices = np.empty(len(key), dtype=np.int32)
        np.bitwise_and(key, (1 << bits) - 1, out=indices, casting="same_kind")
        key >>= bits
        indptr = np.zeros(n_nodes + 1, dtype=np.int64)
        sizes, outward = np.bincount(key, minlength=(2 if directed else 1) * n_nodes), None
        if directed:
            outward, sizes = sizes[::2].copy(), sizes[::2] + sizes[1::2]
        np.cumsum(sizes, out=indptr[1:])
        return cls(indptr, indices, loops, outward, weights)

    @property
    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self.outward is not None

    @property
    def n_nodes(self) -> int:
        """N."""
        return len(self.loops)

    @cached_property
    def n_edges(self) -> int:
        """E, every parallel edge and self-loop counted."""
        return len(self.indices) // 2 + int(self.loops.sum())

    @cached_property
    def degrees(self) -> Array:
        """k (N,) int64, a self-loop counting twice; of a directed graph the sum of both degrees."""
        return np.diff(self.indptr) + 2 * self.loops.astype(np.int64)

    @cached_property
    def out_degrees(self) -> Array:
        """The out-degrees (N,) int64 of a directed graph, a self-loop counting once."""
        return self._direction() + self.loops

    @cached_property
    def in_degrees(self) -> Array:
        """The in-degrees (N,) int64 of a directed graph, a self-loop counting once."""
        return np.diff(self.indptr) - self._direction() + self.loops

    def _direction(self) -> Array:
        if self.outward is None:
            raise DataError(
                "an undirected graph has no out- and in-degrees: see degrees, or read it with directed=True"
            )
        return self.outward

    @cached_property
    def edges(self) -> Array:
        """The edges as an (E,2) array, sorted, self-loops last: smaller end first, or (source, target) if directed."""
        row = np.repeat(np.arange(self.n_nodes, dtype=self.indices.dtype), np.diff(self.indptr))  # as small as can be
        if self.outward is None:
            is_first_end = row < self.indices
        else:
            is_first_end = np.arange(len(row)) < np.repeat(self.indptr[:-1] + self.outward, np.diff(self.indptr))
        looped = np.repeat(np.arange(self.n_nodes), self.loops)
        n_pairs = int(np.count_nonzero(is_first_end))
        pairs = np.empty((n_pairs + len(looped), 2), dtype=np.int64)
        pairs[:n_pairs, 0], pairs[:n_pairs, 1] = row[is_first_end], self.indices[is_first_end]
        pairs[n_pairs:] = looped[:, np.newaxis]
        return pairs

    @cached_property
    def component_sizes(self) -> Array:
        """The number of vertices of each connected component, the largest first; a directed edge joins its ends.

        >>> Graph.from_edges([0, 1, 3], [1, 2, 4], n_nodes=6).component_sizes.tolist()
        [3, 2, 1]
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        # 32 bits, as indices have: else scipy makes copies of both with 64
        ones, indptr = np.ones(len(self.indices), dtype=np.int8), self.indptr.astype(np.int32)
        # each edge is in both rows, so that strong components are those of the graph, without a transposed copy
        matrix = csr_array((ones, self.indices, indptr), shape=(self.n_nodes, self.n_nodes))
        _, component = connected_components(matrix, directed=True, connection="strong")
        return np.sort(np.bincount(component))[::-1]

    def __repr__(self) -> str:
        return f"<Graph: {count_of(self.n_nodes, 'vertex', 'vertices')}, {self.edges_in_words}>"

    @property
    def edges_in_words(self) -> str:
        """How many edges there are, and whether they have a direction, for people."""
        words = ("weighted " if self.weights is not None else "") + ("directed edge" if self.is_directed else "edge")
        return count_of(self.n_edges, words)

    def without_weights(self) -> "Graph":
        """Return the graph without the weights of its edges; the graph itself if they have none."""
        return self if self.weights is None else replace(self, weights=None)
