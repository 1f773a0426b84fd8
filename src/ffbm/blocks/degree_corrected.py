"""-ln P(A|b) of the microcanonical degree-corrected SBM, written to be read; the kernels are held to it."""

import numpy as np

from ffbm.blocks.edges import edge_nats, factorial_table, log_factorials, multiplicity_nats
from ffbm.blocks.logq import log_partitions, partition_tables
from ffbm.kernels.degree_corrected import DegreeCorrected
from ffbm.types import Array, Graph


def parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P(A|k,e,b) and -ln P(k|e,b)."""
    sizes = np.bincount(b)
    ends = np.bincount(b, weights=graph.degrees).astype(np.int64)
    used = sizes > 0
    eta = np.unique(np.column_stack((b, graph.degrees)), axis=0, return_counts=True)[1]
    partitions = float(log_partitions(ends[used], sizes[used]).sum())
    adjacency = edge_nats(graph, b) + log_factorials(ends) + constant(graph)
    return adjacency, log_factorials(sizes) + partitions - log_factorials(eta)


def constant(graph: Graph) -> float:
    """Return what does not depend on the partition: sum_{i<j} ln A_ij! + sum_i ln A_ii!! - sum_i ln k_i!."""
    return multiplicity_nats(graph) - log_factorials(graph.degrees)


def tables(graph: Graph, edge_cost: Array) -> DegreeCorrected:
    """Return the tables that its kernels score by."""
    n_ends = 2 * graph.n_edges
    lf = factorial_table(max(n_ends, graph.n_nodes) + 1)
    q = partition_tables(n_ends, graph.n_nodes)
    return DegreeCorrected(edge_cost, lf, q.exact, q.few, q.shape)
