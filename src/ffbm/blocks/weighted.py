"""Weights of edges laid out for kernels: whole numbers of units, and the law they are scored by."""

from typing import Any

import numpy as np

from ffbm.blocks.edge_weights import least_square
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.pairterms import EXPONENTIAL, GEOMETRIC, NORMAL, POISSON, Law
from ffbm.kernels.tables import compact_table
from ffbm.kernels.weighted import Weighted
from ffbm.types import Array, EdgeWeights, Graph
from ffbm.types.edgeweights import HYPERPARAMETERS

_KINDS = {
    "geometric": GEOMETRIC, "poisson": POISSON, "exponential": EXPONENTIAL, "log-normal": NORMAL, "normal": NORMAL,
}  # fmt: skip
_BITS = 61  # of a sum over all edges: one is left for the sign, one to spare


def weighted_tables(graph: Graph, inner: Any) -> Weighted:
    """Return the tables of a likelihood of edges with those of their weights."""
    weights = graph.weights
    assert weights is not None
    law = weight_law(weights)
    y = (weights.scored - law.centre) / law.scale
    x = np.rint(y / law.unit).astype(np.int64)
    is_normal = law.kind == NORMAL
    xx = np.rint(np.square(y) / law.square_unit).astype(np.int64) if is_normal else np.zeros(0, dtype=np.int64)
    order, loop, at = _half_edges(graph)
    loop_x, loop_xx = (np.zeros(graph.n_nodes, dtype=np.int64) for _ in range(2))
    np.add.at(loop_x, at, x[loop])
    if is_normal:
        np.add.at(loop_xx, at, xx[loop])
    return Weighted(
        inner, inner.edge_cost, law, graph.is_directed, x[order], xx[order] if is_normal else xx, loop_x, loop_xx
    )


def _half_edges(graph: Graph) -> tuple[Array, Array, Array]:
    """Return the edge of each entry of ``graph.indices``, the self-loops among the edges, and where these are."""
    u, v = graph.edges.T
    plain, loop = np.flatnonzero(u != v), np.flatnonzero(u == v)
    row, column = np.concatenate((u[plain], v[plain])), np.concatenate((v[plain], u[plain]))
    inward = np.repeat([0, 1], len(plain)) if graph.is_directed else np.zeros(2 * len(plain))
    order = np.lexsort((column, inward, row))
    return np.concatenate((plain, plain))[order], loop, u[loop]


def weight_law(weights: EdgeWeights) -> Law:
    """Return the law of weights, with the units that they are counted in."""
    values, kind = weights.scored, _KINDS[weights.model]
    prior = [] if weights.prior is None else [weights.prior[name] for name in HYPERPARAMETERS[weights.model]]
    unit, square_unit, centre, scale, pair_unit, spread_unit, least = 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0
    if kind == EXPONENTIAL:
        unit = _unit(values.sum())
    elif kind == NORMAL and len(values):
        centre, scale, least = float(values.mean()), float(values.std()) or 1.0, least_square(weights)
        y = (values - centre) / scale
        unit, square_unit = _unit(np.abs(y).sum()), _unit(np.square(y).sum())
        pair_unit = _unit(float(np.abs(values).sum()) ** 2)
        spread_unit = _unit(float(np.square(values - centre).sum()) + least * len(values))
    hyper = [float(one) for one in (*prior, 0.0, 0.0, 0.0, 0.0)[:4]]
    return Law(
        kind, weights.prior is not None, True, unit, square_unit, centre, scale, least, pair_unit, spread_unit,
        float(values.sum()), *hyper,
    )  # fmt: skip


def _unit(total: float) -> float:
    """Return a power of two of which a sum has about 2^61."""
    return float(2.0 ** (np.ceil(np.log2(total)) - _BITS)) if total > 0 else 1.0


def weighted_ledger(ledger: Ledger, n_cells: int, has_squares: bool) -> WeightedLedger:
    """Return a ledger with room for the sums of pairs of blocks, still to be counted."""
    n_blocks, is_dense = len(ledger.n), ledger.ers.ndim == 2

    def table(is_needed: bool = True) -> Array:
        size = n_blocks if is_needed else 0
        return np.zeros((size, size), dtype=np.int64) if is_dense else compact_table(size, n_cells if is_needed else 0)

    whole, around = np.zeros(4, dtype=np.int64), np.zeros((7, n_blocks), dtype=np.int64)
    noted = np.zeros((5, 4 * n_blocks + 4), dtype=np.int64)
    return WeightedLedger(*ledger, table(), table(has_squares), whole, around, noted)
