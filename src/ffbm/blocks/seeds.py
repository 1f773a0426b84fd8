"""Labels to begin a descent with: random, or a network's communities, which save it hundreds of sweeps."""

import random
import threading
from heapq import heapify, heapreplace

import igraph
import numpy as np

from ffbm.types import Array, Graph

_ITERATIONS = 2  # of the Leiden algorithm: the descent does the rest
_RESOLUTIONS = (1.0, 2.0, 4.0, 8.0)  # modularity does not see communities below a size
_LOCK = threading.Lock()  # igraph has one random stream for the whole process


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
    found = _communities(graph, n_blocks // 2, rng)
    rank = np.argsort(np.argsort(-np.bincount(found), kind="stable"))
    labels = rank[found]
    labels = np.where(labels < n_blocks, labels, rng.integers(0, n_blocks, graph.n_nodes))
    return _cut(labels, n_blocks, rng) if len(rank) < n_blocks else labels


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
    place = np.arange(len(labels)) - (np.cumsum(sizes) - sizes)[cut]
    new = np.empty_like(labels)
    new[order] = (np.cumsum(pieces) - pieces)[cut] + place % pieces[cut]
    return new


def _communities(graph: Graph, wanted: int, rng: np.random.Generator) -> Array:
    """Return the community of each vertex, at the first resolution that tells as many apart as are wanted."""
    peer = igraph.Graph(n=graph.n_nodes, edges=graph.edges)
    with _LOCK:
        igraph.set_random_number_generator(random.Random(int(rng.integers(2**63))))
        for resolution in _RESOLUTIONS:
            found = peer.community_leiden("modularity", resolution=resolution, n_iterations=_ITERATIONS).membership
            if np.count_nonzero(np.bincount(found) > 1) >= wanted:
                break
        igraph.set_random_number_generator(random)
    return np.asarray(found)
