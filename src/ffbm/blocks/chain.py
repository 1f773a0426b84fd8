"""The block chain as a stepper: ``start`` makes a state, ``advance`` moves it; the state holds everything.

The target is p(b) proportional to exp(beta (sum_i f[i, b_i] - S(b))) on the partitions into B blocks, none
of them empty, or on all of [B]^N with ``allow_empty``.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from ffbm.blocks.entropy import description_length
from ffbm.blocks.partitions import partition_tables
from ffbm.kernels.blockchain import run_blocks
from ffbm.kernels.partition import Counts, Model, count
from ffbm.types import Array, Graph

_DENSE_BYTES, _DENSE_BYTES_PER_EDGE = 1 << 26, 64  # how large the table of neighbours' blocks may be


class BlockSettings(NamedTuple):
    """What is chosen for a chain."""

    burn: int
    thin: int
    beta: float = 1.0
    epsilon: float = 0.5
    allow_empty: bool = False
    jumps: float = 0.0  # moves of many vertices tried after each sweep, in the mean
    n_scans: int = 2  # restricted Gibbs scans of a launch


class BlockState(NamedTuple):
    """A chain at rest: everything that the next step needs, in plain arrays."""

    model: Model
    counts: Counts
    settings: BlockSettings
    totals: Array  # S, the field's sum, the lowest S
    tally: Array  # visits and moves since the last kept draw, sweeps, moves of many vertices tried and made
    best: Array  # (N,) the labels of the lowest S
    rng: np.random.Generator


class BlockDraws(NamedTuple):
    """The draws kept on a stretch of the chain."""

    labels: Array  # (T, N)
    entropy: Array  # (T,)
    acceptance: Array  # (T,) the share of visits that moved their vertex, since the draw before


def block_model(graph: Graph, n_blocks: int, field: Array | None = None) -> Model:
    """Lay out the graph and tabulate the target for chains with ``n_blocks`` blocks."""
    n_ends = 2 * graph.n_edges
    tables = partition_tables(n_ends, graph.n_nodes)
    kinds = np.unique(graph.degrees, return_inverse=True)[1]
    return Model(
        indptr=graph.indptr,
        indices=graph.indices,
        vertex=np.column_stack((graph.degrees, graph.loops, kinds)).astype(np.int32),
        field=np.zeros((0, 0)) if field is None else np.ascontiguousarray(field, dtype=np.float64),
        edge_cost=edge_costs(graph.n_edges, n_blocks),
        lf=gammaln(np.arange(1.0, max(n_ends, graph.n_nodes) + 3)),
        exact=tables.exact,
        few=tables.few,
        shape=tables.shape,
    )


def edge_costs(n_edges: int, n_blocks: int) -> Array:
    """Return -ln P(e|b) for 0 .. n_blocks blocks in use."""
    used = np.arange(n_blocks + 1.0)
    pairs = np.maximum(used * (used + 1) / 2, 1)
    return np.asarray(gammaln(pairs + n_edges) - gammaln(n_edges + 1) - gammaln(pairs))


def block_counts(model: Model, labels: Array, n_blocks: int) -> Counts:
    """Return the counts of a partition; the table of neighbours' blocks only where it is not too large."""
    n_nodes = len(labels)
    dense = 4 * n_nodes * n_blocks <= max(_DENSE_BYTES, _DENSE_BYTES_PER_EDGE * len(model.indices) // 2)
    counts = Counts(
        b=labels.astype(np.int32),
        n=np.zeros(n_blocks, dtype=np.int64),
        e=np.zeros(n_blocks, dtype=np.int64),
        ers=np.zeros((n_blocks, n_blocks), dtype=np.int32),
        eta=np.zeros((n_blocks, int(model.vertex[:, 2].max(initial=-1)) + 1), dtype=np.int32),
        logq=np.zeros(n_blocks),
        near=np.zeros((n_nodes, n_blocks) if dense else (0, 0), dtype=np.int32),
        used=np.zeros(1, dtype=np.int64),
    )
    count(model, counts)
    return counts


def start(graph: Graph, model: Model, labels: Array, settings: BlockSettings, rng: np.random.Generator) -> BlockState:
    """Set up a chain at ``labels`` with its own random stream."""
    n_blocks = len(model.edge_cost) - 1
    entropy = description_length(graph, labels).without_partition
    lift = float(model.field[np.arange(len(labels)), labels].sum()) if model.field.size else 0.0
    counts = block_counts(model, labels, n_blocks)
    totals = np.array([entropy, lift, entropy])
    return BlockState(model, counts, settings, totals, np.zeros(5, dtype=np.int64), counts.b.copy(), rng)


def advance(state: BlockState, n_sweeps: int) -> tuple[BlockState, BlockDraws]:
    """Run ``n_sweeps`` sweeps and return the state, changed in place, and the draws kept on the way.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    burn, thin, *_ = state.settings
    done, n_blocks = int(state.tally[2]), len(state.counts.n)
    room = max((done + n_sweeps - burn) // thin, 0) - max((done - burn) // thin, 0)
    labels = np.empty((room, len(state.counts.b)), dtype=np.min_scalar_type(n_blocks - 1))
    entropy, acceptance = np.empty(room), np.empty(room)
    journal = np.empty((2, len(state.counts.b)), dtype=np.int64)
    work = np.empty((4, len(state.counts.b)), dtype=np.int64)
    scratch = np.zeros((3, n_blocks + 1), dtype=np.int64)
    run_blocks(
        state.rng, state.model, state.counts, n_sweeps, *state.settings,
        state.totals, state.tally, state.best, journal, work, scratch, labels, entropy, acceptance,
    )  # fmt: skip
    return state, BlockDraws(labels, entropy, acceptance)
