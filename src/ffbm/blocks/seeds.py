"""Labels to begin a descent with: random, or along the structure of a network, which saves hundreds of sweeps."""

from heapq import heapify, heapreplace

import igraph
import numpy as np

from ffbm.kernels.smoothing import average_neighbours
from ffbm.rng import igraph_stream
from ffbm.types import Array, Graph

_ITERATIONS = 2  # of the Leiden algorithm: the descent does the rest
_RESOLUTIONS = (1.0, 2.0, 4.0, 8.0)  # modularity does not see communities below a size
_AVERAGES, _ORTHOGONAL = 15, 5  # of the spectral start: the last ten averages weight an axis by its eigenvalue^10
_COLUMNS, _FEWER_COLUMNS, _MANY_EDGES = 32, 16, 3_000_000  # beyond so many edges a row is one line of the cache
_K_MEANS, _GROUPS, _PIECE = 6, 256, 1 << 16  # rounds of k-means, groups at most, vertices at a time
_SAMPLE = 200_000  # vertices that the centres of k-means are found on, at most


def random_labels(n_nodes: int, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return random labels (N,) of ``n_blocks`` blocks of about one size.

    >>> sorted(random_labels(5, 2, np.random.default_rng(0)).tolist())
    [0, 0, 0, 1, 1]
    """
    return rng.permutation(np.arange(n_nodes) % n_blocks)


def community_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of ``n_blocks`` non-empty blocks along the communities of the Leiden algorithm.

    Communities beyond ``n_blocks``, the smallest, are dealt to the others; if there are fewer, they are
    cut at random into pieces of about one size.
    """
    communities = _communities(graph, n_blocks // 2, rng)
    rank = np.argsort(np.argsort(-np.bincount(communities), kind="stable"))
    labels = rank[communities]
    labels = np.where(labels < n_blocks, labels, rng.integers(0, n_blocks, graph.n_nodes))
    return _cut(labels, n_blocks, rng) if len(rank) < n_blocks else labels


def spectral_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of ``n_blocks`` non-empty blocks of vertices that are alike in the leading eigenvectors.

    For large networks: half a minute for ten million edges, in which communities grown from single vertices come out
    mixed. Random columns are averaged over neighbours again and again, which leaves the leading eigenvectors of
    D^-1 A; directions are then grouped by k-means.
    """
    n_columns = _COLUMNS if graph.n_edges <= _MANY_EDGES else _FEWER_COLUMNS
    x = rng.standard_normal((graph.n_nodes, n_columns), dtype=np.float32)
    y = np.empty_like(x)
    degrees = np.maximum(graph.degrees, 1).astype(np.float32)
    for turn in range(_AVERAGES):
        average_neighbours(graph.indptr, graph.indices, x, y)
        x, y = y, x
        x -= degrees @ x / degrees.sum()  # without the eigenvector that is the same everywhere
        if turn == _ORTHOGONAL - 1:  # columns have come to lie along each other
            sizes, axes = np.linalg.eigh((x.T @ x).astype(np.float64))
            axes *= np.sqrt(graph.n_nodes / np.maximum(sizes, max(1e-12 * sizes[-1], 1e-20)))
            np.matmul(x, axes.astype(np.float32), out=y)
            x, y = y, x
    del y
    x /= np.maximum(np.sqrt(np.einsum("ij,ij->i", x, x)), np.float32(1e-9))[:, np.newaxis]
    first = rng.choice(graph.n_nodes, min(n_blocks, _GROUPS), replace=False)
    labels = _nearest_centre(x, _centres(x if len(x) <= _SAMPLE else x[:: -(-len(x) // _SAMPLE)], x[first]))
    used, labels = np.unique(labels, return_inverse=True)
    return _cut(labels, n_blocks, rng) if len(used) < n_blocks else labels


def _centres(x: Array, centres: Array) -> Array:
    """Move centres to the middle of the directions x (N, K) nearest to them, in turns; one without any becomes 0."""
    for _ in range(_K_MEANS - 1):
        labels = _nearest_centre(x, centres)
        sums = [np.bincount(labels, weights=column, minlength=len(centres)) for column in x.T]
        centres = np.stack(sums, axis=1).astype(np.float32)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), np.float32(1e-9))
    return centres


def _nearest_centre(x: Array, centres: Array) -> Array:
    """Return the centre that each of the directions x (N, K) is nearest to."""
    labels = np.empty(len(x), dtype=np.int64)
    for first in range(0, len(x), _PIECE):
        piece = slice(first, first + _PIECE)
        labels[piece] = (x[piece] @ centres.T).argmax(axis=1)
    return labels


def _cut(labels: Array, n_pieces: int, rng: np.random.Generator) -> Array:
    """Cut groups, none of them empty, into ``n_pieces`` in all: always the one with the largest pieces so far."""
    sizes = np.bincount(labels)
    pieces = np.ones(len(sizes), dtype=np.int64)
    largest = [(-size, group) for group, size in enumerate(sizes.tolist())]
    heapify(largest)
    for _ in range(n_pieces - len(sizes)):
        group = largest[0][1]
        pieces[group] += 1
        heapreplace(largest, (-sizes[group] / pieces[group], group))
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]  # by group, at random within it
    cut = labels[order]
    position = np.arange(len(labels)) - (np.cumsum(sizes) - sizes)[cut]
    new = np.empty_like(labels)
    new[order] = (np.cumsum(pieces) - pieces)[cut] + position % pieces[cut]
    return new


def _communities(graph: Graph, wanted: int, rng: np.random.Generator) -> Array:
    """Return the community of each vertex, at the first resolution that tells as many apart as are wanted."""
    peer = igraph.Graph(n=graph.n_nodes, edges=graph.edges)
    with igraph_stream(int(rng.integers(2**63))):
        for resolution in _RESOLUTIONS:
            member = peer.community_leiden("modularity", resolution=resolution, n_iterations=_ITERATIONS).membership
            if np.count_nonzero(np.bincount(member) > 1) >= wanted:
                break
    return np.asarray(member)
