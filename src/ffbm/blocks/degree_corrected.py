"""-ln P(A|b) of the microcanonical degree-corrected SBM, written to be read; the kernels are held to it.

In directed graphs out-degrees and in-degrees have a histogram each: one joint histogram would not be a law.
"""

import numpy as np

from ffbm.blocks.edges import count_factorials, edge_nats, log_factorials, multiplicity_nats, n_ends
from ffbm.blocks.logq import log_partitions, partition_tables
from ffbm.kernels.degree_corrected import DegreeCorrected, DirectedCorrected
from ffbm.types import Array, Graph


def parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P(A|k,e,b) and -ln P(k|e,b)."""
    sizes = np.bincount(b)
    used = sizes > 0
    adjacency, degrees = edge_nats(graph, b), 0.0
    for k in _degrees(graph):
        ends = np.bincount(b, weights=k).astype(np.int64)
        eta = np.unique(np.column_stack((b, k)), axis=0, return_counts=True)[1]
        adjacency += log_factorials(ends)
        degrees += log_factorials(sizes) + float(log_partitions(ends[used], sizes[used]).sum()) - log_factorials(eta)
    return adjacency + constant(graph), degrees


def constant(graph: Graph) -> float:
    """Return what does not depend on the partition: the multiplicities of edges less sum_i ln k_i!."""
    return multiplicity_nats(graph) - sum(log_factorials(k) for k in _degrees(graph))


def tables(graph: Graph, edge_cost: Array) -> DegreeCorrected | DirectedCorrected:
    """Return the tables that its kernels score by."""
    make = DirectedCorrected if graph.is_directed else DegreeCorrected
    q = partition_tables(n_ends(graph), graph.n_nodes)
    lf = count_factorials(max(n_ends(graph), graph.n_nodes) + 1)
    return make(edge_cost, lf, q.exact, q.few_parts, q.many_parts)


def _degrees(graph: Graph) -> tuple[Array, ...]:
    return (graph.out_degrees, graph.in_degrees) if graph.is_directed else (graph.degrees,)
