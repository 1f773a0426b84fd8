"""-ln P(A|b) of the microcanonical directed SBM without degree correction, to be read; the kernels are held to it.

Given the arc counts, every tail and every head of an arc is at any vertex of its block alike.
"""

import numpy as np

from ffbm.blocks.edges import arc_multiplicity_nats, arc_nats, factorial_table
from ffbm.kernels.uncorrected import DirectedUncorrected
from ffbm.types import Array, Graph


def parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P(A|e,b), and 0: degrees have no part of their own."""
    sizes, ends = np.bincount(b), np.bincount(b, weights=graph.degrees)
    at_vertices = float((ends * np.log(np.maximum(sizes, 1))).sum())
    return arc_nats(graph, b) + at_vertices + constant(graph), 0.0


def constant(graph: Graph) -> float:
    """Return what does not depend on the partition: sum_ij ln A_ij!."""
    return arc_multiplicity_nats(graph)


def tables(graph: Graph, edge_cost: Array) -> DirectedUncorrected:
    """Return the tables that its kernels score by."""
    lf = factorial_table(graph.n_edges + 1)
    return DirectedUncorrected(edge_cost, lf, np.log(np.maximum(np.arange(graph.n_nodes + 2.0), 1)))
