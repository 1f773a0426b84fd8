"""The block chain as a stepper: ``start`` makes a state, ``advance`` moves it; what never changes is handed in.

The target is p(b) proportional to exp(beta (sum_i f[i, b_i] - S(b))) on the partitions into B blocks, none
of them empty, or on all of [B]^N with ``allow_empty``.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from ffbm.blocks.entropy import description_length
from ffbm.blocks.logq import partition_tables
from ffbm.kernels.blockchain import run_blocks
from ffbm.kernels.partition import Counts, Model, count
from ffbm.kernels.tables import compact_table
from ffbm.types import Array, Graph

_NEAR_BYTES, _SQUARE_BYTES = 1 << 26, 1 << 28  # a dense table may have this size
_BYTES_PER_EDGE = 64  # or this


class BlockSettings(NamedTuple):
    """What is chosen for a chain."""

    burn: int
    thin: int
    beta: float = 1.0
    epsilon: float = 0.5
    allow_empty: bool = False
    jumps: float = 0.0  # moves of many vertices tried after each sweep, in the mean
    n_scans: int = 2  # restricted Gibbs scans of a launch


class BlockSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    graph: Graph
    model: Model
    settings: BlockSettings


class BlockState(NamedTuple):
    """A chain at rest: all that steps change."""

    counts: Counts
    totals: Array  # S, the field's sum, the lowest S
    tally: Array  # visits and moves since the last kept draw, sweeps, moves of many vertices tried and made
    best: Array  # (N,) the labels of the lowest S
    rng: np.random.Generator


class BlockDraws(NamedTuple):
    """The draws kept on a stretch of the chain."""

    labels: Array  # (T, N)
    entropy: Array  # (T,)
    acceptance: Array  # (T,) the share of visits that moved their vertex, since the draw before


def block_model(graph: Graph, n_blocks: int, field: Array | None = None, prior: str = "uniform") -> Model:
    """Lay out the graph and tabulate the target for chains with at most ``n_blocks`` blocks.

    prior: "uniform" is the FFBM's, a constant left out. "full" is Peixoto's P(b). "sets" is the same on set
    partitions: every labelled one has that weight divided by the number of ways to label it, B!/(B - B_b)!.
    """
    n_ends = 2 * graph.n_edges
    tables = partition_tables(n_ends, graph.n_nodes)
    kinds = np.unique(graph.degrees, return_inverse=True)[1]
    lf = gammaln(np.arange(1.0, max(n_ends, graph.n_nodes) + 3))
    return Model(
        indptr=graph.indptr,
        indices=graph.indices,
        vertex=np.column_stack((graph.degrees, graph.loops, kinds)).astype(np.int32),
        field=np.zeros((0, 0)) if field is None else np.ascontiguousarray(field, dtype=np.float64),
        edge_cost=edge_costs(graph, n_blocks, prior),
        size_cost=lf[: graph.n_nodes + 2] if prior == "uniform" else np.zeros(graph.n_nodes + 2),
        lf=lf,
        exact=tables.exact,
        few=tables.few,
        shape=tables.shape,
    )


def edge_costs(graph: Graph, n_blocks: int, prior: str = "uniform") -> Array:
    """Return -ln P(e|b), and of the prior what depends on nothing but the blocks in use, for 0 .. n_blocks of them."""
    used = np.arange(n_blocks + 1.0)
    pairs = np.maximum(used * (used + 1) / 2, 1)
    costs = gammaln(pairs + graph.n_edges) - gammaln(graph.n_edges + 1) - gammaln(pairs)
    if prior != "uniform":
        n, some = graph.n_nodes, np.clip(used, 1, graph.n_nodes)
        costs += gammaln(n) - gammaln(some) - gammaln(n - some + 1) + gammaln(n + 1) + np.log(n)
    if prior == "sets":
        costs += gammaln(n_blocks + 1) - gammaln(n_blocks - used + 1)
    return np.asarray(costs)


def block_counts(model: Model, labels: Array, n_blocks: int, dense: bool | None = None) -> Counts:
    """Return the counts of a partition; a table is dense where it is not too large, or as ``dense`` says."""
    n_nodes, n_ends = len(labels), len(model.indices)
    n_kinds = int(model.vertex[:, 2].max(initial=-1)) + 1
    per_edge = _BYTES_PER_EDGE * n_ends // 2
    square, oblong = 4 * n_blocks * max(n_blocks, n_kinds), 4 * n_nodes * n_blocks
    square_fits = square <= max(_SQUARE_BYTES, per_edge) if dense is None else dense
    near_fits = oblong <= max(_NEAR_BYTES, per_edge) if dense is None else dense
    counts = Counts(
        b=labels.astype(np.int32),
        n=np.zeros(n_blocks, dtype=np.int64),
        e=np.zeros(n_blocks, dtype=np.int64),
        ers=_table(n_blocks, n_blocks, n_ends + n_nodes, square_fits),
        eta=_table(n_blocks, n_kinds, n_nodes, square_fits),
        logq=np.zeros(n_blocks),
        near=np.zeros((n_nodes, n_blocks) if near_fits else (0, 0), dtype=np.int32),
        used=np.zeros(1, dtype=np.int64),
        ring=np.zeros((0, 0) if square_fits else (n_nodes + n_blocks, 2), dtype=np.int32),
    )
    count(model, counts)
    return counts


def _table(n_rows: int, n_columns: int, n_cells: int, dense: bool) -> Array:
    return np.zeros((n_rows, n_columns), dtype=np.int32) if dense else compact_table(n_columns, n_cells)


def target_entropy(graph: Graph, labels: Array, n_blocks: int, prior: str = "uniform") -> float:
    """Return S(b) as a chain with this prior carries it: see ``block_model``."""
    if prior == "uniform":
        return description_length(graph, labels).without_partition
    n_used = len(np.unique(labels))
    labellings = gammaln(n_blocks + 1) - gammaln(n_blocks - n_used + 1) if prior == "sets" else 0.0
    return description_length(graph, labels, prior="full").total + float(labellings)


def start(setup: BlockSetup, labels: Array, rng: np.random.Generator, prior: str = "uniform") -> BlockState:
    """Set up a chain at ``labels`` with its own random stream; prior: the one the model was made with."""
    model = setup.model
    n_blocks = len(model.edge_cost) - 1
    entropy = target_entropy(setup.graph, labels, n_blocks, prior)
    lift = float(model.field[np.arange(len(labels)), labels].sum()) if model.field.size else 0.0
    counts = block_counts(model, labels, n_blocks)
    totals = np.array([entropy, lift, entropy])
    return BlockState(counts, totals, np.zeros(5, dtype=np.int64), counts.b.copy(), rng)


def advance(setup: BlockSetup, state: BlockState, n_sweeps: int) -> tuple[BlockState, BlockDraws]:
    """Run ``n_sweeps`` sweeps and return the state, changed in place, and the draws kept on the way.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    burn, thin, *_ = setup.settings
    done, n_blocks = int(state.tally[2]), len(state.counts.n)
    room = max((done + n_sweeps - burn) // thin, 0) - max((done - burn) // thin, 0)
    labels = np.empty((room, len(state.counts.b)), dtype=np.min_scalar_type(n_blocks - 1))
    entropy, acceptance = np.empty(room), np.empty(room)
    journal = np.empty((2, len(state.counts.b)), dtype=np.int64)
    work = np.empty((4, len(state.counts.b)), dtype=np.int64)
    scratch = np.zeros((3, n_blocks + 1), dtype=np.int64)
    run_blocks(
        state.rng, setup.model, state.counts, n_sweeps, *setup.settings,
        state.totals, state.tally, state.best, journal, work, scratch, labels, entropy, acceptance,
    )  # fmt: skip
    return state, BlockDraws(labels, entropy, acceptance)
