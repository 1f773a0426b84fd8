"""Where the vertices of a network stand in a picture."""

from typing import Any

import numpy as np

from ffbm.check import check_seed
from ffbm.rng import igraph_stream
from ffbm.types import Array, Graph

_ALL_PAIRS = 1_500  # vertices up to which forces are computed between all pairs
_ROUNDS, _FEWER = 500, 100
_PULL, _INSIDE = 8.0, 3.0  # of an edge between vertices of degree 1; how much harder one inside a block pulls
_OUTER = 0.9  # the share of vertices whose distance from the middle is left as it is


def lay_out(graph: Graph, labels: Array | None = None, seed: int = 0) -> Array:
    """Return a place for each vertex (N, 2): forces by igraph, the longer side lying, outliers brought nearer.

    An edge pulls by 1 / sqrt(k_i k_j), so that dense parts do not collapse, and three times as hard inside a block if
    ``labels`` are given, so that blocks hold together. Vertices without an edge stand in a row below.

    >>> lay_out(Graph.from_edges([0, 1], [1, 2], 4)).shape
    (4, 2)
    """
    seed = check_seed(seed)
    joined = np.flatnonzero(np.diff(graph.indptr))
    positions = np.zeros((graph.n_nodes, 2))
    if len(joined):
        positions[joined] = _turn(_bring_near(_by_forces(graph, joined, labels, seed)))
    alone = np.setdiff1d(np.arange(graph.n_nodes), joined)
    if len(alone):
        low, high = positions[joined].min(axis=0, initial=0), positions[joined].max(axis=0, initial=1)
        positions[alone, 0] = np.linspace(low[0], high[0], len(alone))
        positions[alone, 1] = low[1] - 0.08 * (high[1] - low[1])
    return positions


def _by_forces(graph: Graph, joined: Array, labels: Array | None, seed: int) -> Array:
    import igraph

    number = np.full(graph.n_nodes, -1)
    number[joined] = np.arange(len(joined))
    ends = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
    degree = np.diff(graph.indptr).astype(np.float64)
    pull = _PULL / np.sqrt(degree[ends[:, 0]] * degree[ends[:, 1]])
    if labels is not None:
        pull[labels[ends[:, 0]] == labels[ends[:, 1]]] *= _INSIDE
    drawing = igraph.Graph(n=len(joined), edges=number[ends])
    is_small = len(joined) <= _ALL_PAIRS
    options: dict[str, Any] = {"niter": _ROUNDS if is_small else _FEWER, "grid": "nogrid" if is_small else "grid"}
    with igraph_stream(seed):
        layout = drawing.layout_fruchterman_reingold(weights=pull.tolist(), **options)
    return np.array(layout.coords)


def _bring_near(positions: Array) -> Array:
    """Centre the picture and let the distance of outliers grow with its logarithm only."""
    positions = positions - np.median(positions, axis=0)
    distance = np.linalg.norm(positions, axis=1)
    edge = max(float(np.quantile(distance, _OUTER)), 1e-12)
    nearer = np.where(distance > edge, edge * (1 + np.log(np.maximum(distance / edge, 1))), distance)
    return np.asarray(positions * (nearer / np.maximum(distance, 1e-12))[:, np.newaxis])


def _turn(positions: Array) -> Array:
    """Turn the picture so that its longer side lies, and what reaches furthest points right and up."""
    _, _, axes = np.linalg.svd(positions - positions.mean(axis=0), full_matrices=False)
    turned = positions @ axes.T if len(axes) == 2 else positions
    turned -= turned.mean(axis=0)
    return np.asarray(turned * np.where(turned.max(axis=0) >= -turned.min(axis=0), 1.0, -1.0))
