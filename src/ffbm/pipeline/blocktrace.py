"""The draws of block chains, gathered into one trace."""

from functools import partial
from typing import Any

import numpy as np

from ffbm.blocks.entropy import description_length
from ffbm.diagnostics import BlockDiagnostics, block_diagnostics
from ffbm.pipeline.length import Chains
from ffbm.pipeline.tempering import ladder_settings
from ffbm.types import Array, BlockTrace, Graph

_PARTS = "without_partition", "total"  # of S


def gather(
    graph: Graph,
    n_blocks: int,
    chains: Chains,
    chosen: dict[str, Any],
) -> BlockTrace:
    """Return the trace of chains with a given number of blocks."""
    labels, entropy, acceptance = chains.draws
    best = min(chains.states, key=lambda state: round(state.lowest, 6))  # of equals, that of the first chain
    return BlockTrace(
        labels=labels,
        entropy=entropy,
        acceptance=acceptance,
        best_labels=best.best.astype(np.int64),
        best_entropy=best.lowest,
        n_blocks=n_blocks,
        n_edges=graph.n_edges,
        settings=chosen | _run_settings(chains),
        diagnostics=_diagnose(chains, labels, entropy, chosen["seed"]),
    )


def gather_free(graph: Graph, chains: Chains, chosen: dict[str, Any], types: Array | None = None) -> BlockTrace:
    """Return the trace of chains on set partitions.

    Blocks are numbered from 0 in each draw, by decreasing size. S is computed again from the labels, since the chain's
    own includes -ln P(b) and the number of labellings; the trace has S without P(b), as every trace has. The best
    partition has the lowest S with P(b) among the kept draws and the best partition of each chain.
    """
    draws, states = chains.draws, chains.states
    labels = np.apply_along_axis(_by_size, 2, draws.labels)
    labels = labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
    corrected = chosen["degree_corrected"]
    measure = partial(description_length, graph, prior="full", degree_corrected=corrected, node_type=types)
    lengths = [[measure(b) for b in chain] for chain in labels]
    entropy, total = (np.array([[getattr(s, part) for s in chain] for chain in lengths]) for part in _PARTS)
    best_of_chains = [_by_size(state.best) for state in states]
    best = min(
        (labels[np.unravel_index(total.argmin(), total.shape)], *best_of_chains),
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
        settings=chosen | _run_settings(chains),
        diagnostics=_diagnose(chains, labels, entropy, chosen["seed"]),
    )


def _run_settings(chains: Chains) -> dict[str, Any]:
    """Return how long the chains were and how they were tempered: with these settings they run the same again."""
    length = {"n_sweeps": chains.n_sweeps, "burn_in": chains.burn / chains.n_sweeps, "burn": chains.burn}
    return {**length, "thin": chains.thin, **ladder_settings(chains)}


def _diagnose(chains: Chains, labels: Array, entropy: Array, seed: int) -> BlockDiagnostics:
    rate, previous = chains.draws.acceptance, chains.previous
    return block_diagnostics(labels, entropy, rate, seed, previous=previous, round_trips=chains.round_trips)


def _by_size(labels: Array) -> Array:
    """Return labels with the blocks in use numbered from 0 by decreasing size; of equals, by their number before."""
    _, b, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return np.asarray(np.argsort(np.argsort(-sizes, kind="stable"))[b])
