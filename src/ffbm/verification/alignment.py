"""Checks of labels: draws renumbered at random come back to one numbering, and weights stay with their blocks."""

from typing import Any

import numpy as np

from ffbm.blocks.align import align_blocks
from ffbm.diagnostics import ess_mean
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.weights import sample_weights
from ffbm.types import Array, BlockTrace
from ffbm.verification.findings import Check, Effort, Finding

_SIZES = (30, 20, 12, 6)


def renumbered_trace(rng: np.random.Generator, n_chains: int, n_draws: int, n_moved: int) -> tuple[BlockTrace, Array]:
    """Return draws of one partition, some vertices moved in each, under random numberings, and what they were before.

    The partition has blocks of 30, 20, 12 and 6 vertices, numbered in that order.
    """
    n_blocks, base = len(_SIZES), np.repeat(np.arange(len(_SIZES)), _SIZES)
    before = np.tile(base, (n_chains, n_draws, 1))
    labels = np.empty_like(before, dtype=np.uint8)
    for draw in np.ndindex(n_chains, n_draws):
        moved = rng.permutation(len(base))[:n_moved]
        before[draw][moved] = rng.integers(0, n_blocks, n_moved)
        labels[draw] = rng.permutation(n_blocks)[before[draw]]
    entropy = np.zeros((n_chains, n_draws))
    best = rng.permutation(n_blocks)[base]
    return BlockTrace(labels, entropy, entropy, best, 0.0, n_blocks, 0, {"seed": 0}), before


def one_numbering(effort: Effort) -> Finding:
    """Count the labels that alignment does not bring back, and memberships that are not their shares."""
    wrong = 0
    for turn in range(20 if effort.full else 5):
        trace, before = renumbered_trace(np.random.default_rng([effort.seed, turn]), 3, 40, 4)
        members = align_blocks(trace)
        for draw in np.ndindex(*trace.labels.shape[:2]):
            wrong += int((members.order[draw][trace.labels[draw]] != before[draw]).sum())
        share = np.stack([(before == r).mean(axis=(0, 1)) for r in range(len(_SIZES))], axis=1)
        wrong += int((np.abs(members.probs - share) > 1e-12).sum())
        wrong += int((members.labels != share.argmax(axis=1)).sum())
    return Finding(float(wrong), 0)


def rows_follow_labels(effort: Effort) -> Finding:
    """Draw weights for one partition under random numberings, and compare with weights given that partition."""
    rng = np.random.default_rng([effort.seed, 7])
    trace, before = renumbered_trace(rng, 2, 20, 0)
    x = (rng.random((before.shape[2], 3)) < 0.25 + 0.5 * (before[0, 0][:, np.newaxis] == [0, 1, 2])).astype(float)
    n_draws = 8000 if effort.full else 2000
    options: dict[str, Any] = {"n_draws": n_draws, "weight_prior": "fixed"}
    drawn, _ = sample_weights_drawn(x, trace, align_blocks(trace), seed=effort.seed, **options)
    fixed = sample_weights(x, before[0, 0], n_chains=2, seed=effort.seed + 1, progress=False, **options)
    error = np.sqrt(sum(part.sd**2 / ess_mean(part.weights) for part in (drawn, fixed)))
    return Finding(float((np.abs(drawn.mean - fixed.mean) / error).max()), 4.5)


CHECKS = (
    Check(
        "alignment of labels",
        "labels not brought back after random renumbering, and memberships that are not their shares",
        "labels, memberships and orders permuted apart",
        one_numbering,
    ),
    Check(
        "weights stay with their blocks",
        "largest difference between weights drawn for renumbered blocks and for one numbering, standard errors",
        "labels and rows of weights permuted apart",
        rows_follow_labels,
    ),
)
