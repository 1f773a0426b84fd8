"""-ln P(A|b) of the microcanonical SBM without degree correction, written to be read; the kernels are held to it.

Given the edge counts, every half-edge of a block, in directed graphs every tail and every head, is at any of its
vertices with the same probability.
"""

import numpy as np

from ffbm.blocks.edges import count_factorials, edge_nats, multiplicity_nats, n_ends
from ffbm.kernels.uncorrected import DirectedUncorrected, Uncorrected
from ffbm.types import Array, Graph


def parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P(A|e,b), and 0: degrees have no part of their own."""
    sizes, ends = np.bincount(b), np.bincount(b, weights=graph.degrees)
    at_vertices = float((ends * np.log(np.maximum(sizes, 1))).sum())
    return edge_nats(graph, b) + at_vertices + constant(graph), 0.0


def constant(graph: Graph) -> float:
    """Return what does not depend on the partition: the multiplicities of edges."""
    return multiplicity_nats(graph)


def tables(graph: Graph, edge_cost: Array) -> Uncorrected | DirectedUncorrected:
    """Return the tables that its kernels score by."""
    make = DirectedUncorrected if graph.is_directed else Uncorrected
    return make(edge_cost, count_factorials(n_ends(graph) + 1), np.log(np.maximum(np.arange(graph.n_nodes + 2.0), 1)))
