"""Replicates of a network: the same blocks, edges between them and degrees, paired at random otherwise."""

import numpy as np

from ffbm.blocks.additions import count, count_arcs
from ffbm.simulation.multigraph import join_arcs, pair_half_edges, scatter_half_edges
from ffbm.types import Array, Graph


def replicate(graph: Graph, b: Array, is_corrected: bool, rng: np.random.Generator) -> Graph:
    """Draw a network with the edge counts of this one between blocks and, if corrected for, its degrees.

    >>> graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], n_nodes=4)
    >>> replicate(graph, np.array([0, 0, 1, 1]), True, np.random.default_rng(1)).degrees.tolist()
    [2, 2, 2, 2]
    """
    if graph.is_directed:
        return _replicate_arcs(graph, b, is_corrected, rng)
    counts = count(graph, b, int(b.max(initial=0)) + 1)
    degrees = graph.degrees if is_corrected else scatter_half_edges(rng, b, counts.ends)
    return pair_half_edges(rng, b, degrees, counts.edges)


def _replicate_arcs(graph: Graph, b: Array, is_corrected: bool, rng: np.random.Generator) -> Graph:
    arcs = count_arcs(graph, b, int(b.max(initial=0)) + 1)
    tails, heads = graph.out_degrees, graph.in_degrees
    if not is_corrected:
        tails, heads = (scatter_half_edges(rng, b, arcs.sum(axis=axis)) for axis in (1, 0))
    return join_arcs(rng, b, tails, heads, arcs)
