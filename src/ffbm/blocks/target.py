"""The target of block chains, p(b | A): a graph, its likelihood given blocks, and a prior on partitions.

``entropy`` is its readable truth; ``block_model`` lays it out for kernels, ``block_ledger`` the counts of a partition.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.edge_weights import constant as weight_constant
from ffbm.blocks.edge_weights import weight_nats
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.priors import UNIFORM, PartitionPrior, partition_nats, prior_tables
from ffbm.blocks.weighted import weighted_ledger, weighted_tables
from ffbm.kernels.arcs import Arcs
from ffbm.kernels.halfedges import Adjacency
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.partition import TypedPrior
from ffbm.kernels.tables import compact_table
from ffbm.kernels.target import Model, count
from ffbm.kernels.weighted import Weighted
from ffbm.types import Array, Graph

_NEAR_BYTES, _SQUARE_BYTES = 1 << 26, 1 << 28  # a dense table may have this size
_NEAR_PER_EDGE, _SQUARE_PER_EDGE = 9, 64  # or so many bytes per edge: every chain has its own


class BlockTarget(NamedTuple):
    """What partitions are scored by."""

    graph: Graph
    likelihood: Likelihood = DEGREE_CORRECTED
    prior: PartitionPrior = UNIFORM
    types: Array | None = None  # (N,) from 0: vertices of different types never share a block

    def entropy(self, labels: Array, n_blocks: int | Sequence[int]) -> float:
        """Return S(b) as chains carry it: -ln P(A|b) - ln P(b), without the N ln B of a uniform prior.

        With types ``n_blocks`` is B of each type.
        """
        sizes = np.bincount(labels)
        nats = float(self.likelihood.edge_cost(self.graph, np.count_nonzero(sizes)))
        nats += sum(self.likelihood.parts(self.graph, labels)) + weight_nats(self.graph, labels)
        return nats + (0.0 if self.prior is UNIFORM else partition_nats(self.prior, self.types, labels, n_blocks))


def block_model(target: BlockTarget, n_blocks: int | Array, field: Array | None = None) -> Model:
    """Lay out the graph and tabulate the target for chains with so many blocks, or with blocks of these types."""
    graph, likelihood = target.graph, target.likelihood
    block_types = n_blocks if isinstance(n_blocks, np.ndarray) else np.zeros(n_blocks, dtype=np.int64)
    tables = likelihood.tables(graph, _edge_costs(target, len(block_types)))
    return Model(
        graph=_lay_out(graph),
        likelihood=tables if graph.weights is None else weighted_tables(graph, tables),
        prior=prior_tables(target.prior, target.types, graph.n_nodes, block_types),
        field=np.zeros((0, 0)) if field is None else np.ascontiguousarray(field, dtype=np.float64),
        constant=likelihood.constant(graph) + weight_constant(graph),
    )


def _lay_out(graph: Graph) -> Adjacency | Arcs:
    """Return the graph as kernels read it."""
    if graph.outward is None:
        degree_class = np.unique(graph.degrees, return_inverse=True)[1]
        return Adjacency(
            graph.indptr, graph.indices, np.column_stack((graph.degrees, graph.loops, degree_class)).astype(np.int32)
        )
    degrees = np.column_stack((graph.out_degrees, graph.in_degrees))
    degree_class = np.unique(degrees, return_inverse=True)[1].reshape(degrees.shape)
    return Arcs(
        graph.indptr,
        graph.indices,
        graph.indptr[:-1] + graph.outward,
        np.column_stack((degrees, graph.loops, degree_class)).astype(np.int32),
    )


def resized(target: BlockTarget, model: Model, block_types: Array) -> Model:
    """Return the model of the same target for another number of blocks, of these types (B,)."""
    return model._replace(
        likelihood=with_edge_costs(model.likelihood, _edge_costs(target, len(block_types))),
        prior=prior_tables(target.prior, target.types, target.graph.n_nodes, block_types),
    )


def with_edge_costs(tables: Any, edge_cost: Array) -> Any:
    """Return the tables of a likelihood with another cost (B+1,) of the edge counts of so many blocks."""
    if isinstance(tables, Weighted):
        tables = tables._replace(inner=tables.inner._replace(edge_cost=edge_cost))
    return tables._replace(edge_cost=edge_cost)


def n_blocks_of(model: Model) -> int:
    """Return for how many blocks a model was made."""
    return int(model.prior.used_cost.shape[-1]) - 1


def _edge_costs(target: BlockTarget, n_blocks: int) -> Array:
    return np.asarray(target.likelihood.edge_cost(target.graph, np.arange(n_blocks + 1.0)))


def block_ledger(model: Model, labels: Array, n_blocks: int, dense: bool | None = None) -> Ledger | WeightedLedger:
    """Return the counts of a partition; a table is dense where it is not too large, or as ``dense`` says."""
    n_nodes, n_ends = len(labels), len(model.graph.indices)
    n_sides = 2 if isinstance(model.graph, Arcs) else 1
    n_rows = n_sides * n_blocks
    n_types = len(model.prior.used_cost) if isinstance(model.prior, TypedPrior) else 0
    n_kinds = int(model.graph.vertex[:, -n_sides:].max(initial=-1)) + 1
    n_edges = n_ends // 2
    square, oblong = 4 * n_blocks * max(n_blocks, n_sides * n_kinds), 4 * n_sides * n_nodes * n_blocks
    square_fits = square <= max(_SQUARE_BYTES, _SQUARE_PER_EDGE * n_edges) if dense is None else dense
    near_fits = oblong <= max(_NEAR_BYTES, _NEAR_PER_EDGE * n_edges) if dense is None else dense
    ledger = Ledger(
        b=labels.astype(np.int32),
        n=np.zeros(n_blocks, dtype=np.int64),
        e=np.zeros(n_rows, dtype=np.int64),
        ers=_table(n_blocks, n_blocks, n_ends + n_nodes, square_fits),
        eta=_table(n_rows, n_kinds, n_sides * n_nodes, square_fits),
        term=np.zeros(n_rows),
        links=np.zeros((n_nodes, n_blocks) if near_fits else (0, 0), dtype=np.int32 if n_sides == 1 else np.int64),
        used=np.zeros(1 + n_types, dtype=np.int64),
        members=np.zeros((0, 0) if square_fits else (n_nodes + n_blocks, 2), dtype=np.int32),
    )
    if isinstance(model.likelihood, Weighted):
        weighted = weighted_ledger(ledger, n_ends + n_nodes, len(model.likelihood.xx) > 0)
        count(model, weighted)
        return weighted
    count(model, ledger)
    return ledger


def _table(n_rows: int, n_columns: int, n_cells: int, dense: bool) -> Array:
    return np.zeros((n_rows, n_columns), dtype=np.int32) if dense else compact_table(n_columns, n_cells)
