"""The draws of block chains, gathered into one trace."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ffbm.blocks.chain import BlockDraws, BlockState
from ffbm.blocks.entropy import description_length
from ffbm.diagnostics import block_diagnostics
from ffbm.joint.chain import JointState
from ffbm.types import Array, BlockTrace, Graph

_PARTS = "without_partition", "total"  # of S


def gather(
    graph: Graph,
    n_blocks: int,
    states: Sequence[BlockState | JointState],
    draws: BlockDraws,
    chosen: dict[str, Any],
) -> BlockTrace:
    """Return the trace of chains with a given number of blocks."""
    labels, entropy, acceptance = draws
    best = min(states, key=lambda state: round(float(state.totals[2]), 6))  # of equals, that of the first chain
    return BlockTrace(
        labels=labels,
        entropy=entropy,
        acceptance=acceptance,
        best_labels=best.best.astype(np.int64),
        best_entropy=float(best.totals[2]),
        n_blocks=n_blocks,
        n_edges=graph.n_edges,
        settings=chosen,
        diagnostics=block_diagnostics(labels, entropy, acceptance, chosen["seed"]),
    )


def gather_free(graph: Graph, states: list[BlockState], draws: BlockDraws, chosen: dict[str, Any]) -> BlockTrace:
    """Return the trace of chains on set partitions.

    Blocks are numbered from 0 in each draw, by decreasing size. Such a chain carries S with P(b) and the number of
    labellings in it; the trace has S without P(b), as every trace has. The best partition is the one with the lowest
    S with P(b) among the draws that are kept and the best that each chain carried.
    """
    labels = np.apply_along_axis(_by_size, 2, draws.labels)
    labels = labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
    measure = partial(description_length, graph, prior="full", degree_corrected=chosen["degree_corrected"])
    lengths = [[measure(b) for b in chain] for chain in labels]
    entropy, whole = (np.array([[getattr(s, part) for s in chain] for chain in lengths]) for part in _PARTS)
    carried = [_by_size(state.best) for state in states]
    best = min(
        (labels[np.unravel_index(whole.argmin(), whole.shape)], *carried),
        key=lambda b: measure(b).total,
    ).astype(np.int64)
    return BlockTrace(
        labels=labels,
        entropy=entropy,
        acceptance=draws.acceptance,
        best_labels=best,
        best_entropy=measure(best).without_partition,
        n_blocks=int(max(labels.max(initial=0), best.max(initial=0))) + 1,
        n_edges=graph.n_edges,
        settings=chosen,
        diagnostics=block_diagnostics(labels, entropy, draws.acceptance, chosen["seed"]),
    )


def _by_size(labels: Array) -> Array:
    """Return labels with the blocks in use numbered from 0 by decreasing size; of equals, by their number before."""
    _, b, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return np.asarray(np.argsort(np.argsort(-sizes, kind="stable"))[b])
