"""-ln P(A|b) of the microcanonical directed degree-corrected SBM, written to be read; the kernels are held to it.

Out-degrees and in-degrees have a histogram each: one joint histogram would not be a law.
"""

import numpy as np

from ffbm.blocks.edges import arc_multiplicity_nats, arc_nats, factorial_table, log_factorials
from ffbm.blocks.logq import log_partitions, partition_tables
from ffbm.kernels.degree_corrected import DirectedCorrected
from ffbm.types import Array, Graph


def parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P(A|k,e,b) and -ln P(k|e,b)."""
    sizes = np.bincount(b)
    used = sizes > 0
    adjacency, degrees = arc_nats(graph, b) + constant(graph), 0.0
    for k in (graph.out_degrees, graph.in_degrees):
        ends = np.bincount(b, weights=k).astype(np.int64)
        eta = np.unique(np.column_stack((b, k)), axis=0, return_counts=True)[1]
        adjacency += log_factorials(ends)
        degrees += log_factorials(sizes) - log_factorials(eta)
        degrees += float(log_partitions(ends[used], sizes[used]).sum())
    return adjacency, degrees


def constant(graph: Graph) -> float:
    """Return what does not depend on the partition: sum_ij ln A_ij! - sum_i (ln k+_i! + ln k-_i!)."""
    return arc_multiplicity_nats(graph) - log_factorials(graph.out_degrees) - log_factorials(graph.in_degrees)


def tables(graph: Graph, edge_cost: Array) -> DirectedCorrected:
    """Return the tables that its kernels score by."""
    lf = factorial_table(max(graph.n_edges, graph.n_nodes) + 1)
    q = partition_tables(graph.n_edges, graph.n_nodes)
    return DirectedCorrected(edge_cost, lf, q.exact, q.few, q.shape)
