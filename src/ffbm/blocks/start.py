"""Where chains start: cheap, low, and as different from each other as good partitions are.

Two descents, one along communities and one from random labels, are annealed and crossed. Chains that all begin in
one mode agree even if there is another, so those of a small network begin far apart.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ffbm.blocks.annealing import Candidate, anneal
from ffbm.blocks.blocktypes import keep_apart, types_of_blocks
from ffbm.blocks.descent import budget_for, descend, needs_structure, structured_labels
from ffbm.blocks.meet import meet
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.target import BlockTarget, block_model, resized
from ffbm.kernels.target import Model
from ffbm.types import Array

_MORE = 4  # how many times as many blocks a descent begins with
_MOST = 4096  # blocks to begin with, unless more are wanted: pricing a merge takes time in their number
_SLACK = 10.0  # nats above the lowest S up to which a partition may be typical of a mode that matters


class Starts(NamedTuple):
    """Partitions into the same number of blocks, as arrays."""

    entropy: Array  # (K,)
    labels: Array  # (K, N)


def greedy_starts(
    target: BlockTarget, n_blocks: int | Sequence[int], rng: np.random.Generator, model: Model | None = None
) -> Starts:
    """Return up to three partitions into ``n_blocks`` non-empty blocks, or so many of each type, with a low S.

    ``model`` is one of the target, for any number of blocks, whose tables are then used: they may be large.
    """
    graph = target.graph
    least = np.atleast_1d(n_blocks)
    total = int(least.sum())
    top = min(graph.n_nodes, max(total, min(_MORE * total, _MOST)))
    if model is None:
        model = block_model(target, top)
    else:
        model = resized(target, model, np.zeros(top, dtype=np.int64))._replace(field=np.zeros((0, 0)))
    parts = [_annealed(target, model, structured_labels(graph, top, rng), least, rng)]
    if not needs_structure(graph):
        parts.append(_annealed(target, model, random_labels(graph.n_nodes, top, rng), least, rng))
        both = meet(parts[0].labels, parts[1].labels)
        if int(both.max(initial=0)) >= total:
            parts.append(_annealed(target, model, both, least, rng))
    return Starts(np.array([it.entropy for it in parts]), np.array([it.labels for it in parts]))


def greedy_labels(
    target: BlockTarget, n_blocks: int | Sequence[int], rng: np.random.Generator, model: Model | None = None
) -> Array:
    """Return labels (N,) of a partition into ``n_blocks`` non-empty blocks, or so many of each type, with a low S."""
    starts = greedy_starts(target, n_blocks, rng, model)
    return np.asarray(starts.labels[np.argmin(starts.entropy.round(6))])  # equally good partitions differ by rounding


def pick_apart(starts: Sequence[Starts], n_chains: int) -> Array:
    """Return labels (C, N) of low partitions that differ: the lowest, then always the one farthest from those taken.

    Taken are partitions within 10 nats of the lowest; the lowest ones if those are fewer than chains. The distance of
    two is the number of pairs of vertices that only one of them puts together.

    >>> rows = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 1, 0]])
    >>> pick_apart([Starts(np.array([1.0, 1.0, 1.5, 90.0]), rows)], 2).tolist()
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    entropy, labels = np.concatenate([it.entropy for it in starts]), np.concatenate([it.labels for it in starts])
    order = np.argsort(entropy.round(6), kind="stable")
    near = np.count_nonzero(entropy <= entropy[order[0]] + _SLACK)
    rows = labels[order[: max(near, n_chains)]]
    taken = [0]
    distances = np.full(len(rows), np.inf)
    while len(taken) < n_chains:
        distances = np.minimum(distances, [_distance(row, rows[taken[-1]]) for row in rows])
        taken.append(int(np.argmax(distances)))
    return np.asarray(rows[taken])


def _distance(one: Array, other: Array) -> float:
    shared = np.zeros((int(one.max()) + 1, int(other.max()) + 1))
    np.add.at(shared, (one, other), 1)
    return float((shared.sum(axis=0) ** 2).sum() + (shared.sum(axis=1) ** 2).sum() - 2 * (shared**2).sum()) / 2


def _cut_to(types: Array | None, labels: Array, least: Array, rng: np.random.Generator) -> Array:
    """Cut every block by type; a type with fewer than its ``least`` blocks gets them at random."""
    labels = keep_apart(types, labels)
    if types is None:
        return labels
    for t, wanted in enumerate(least.tolist()):
        members = np.flatnonzero(types == t)
        if len(np.unique(labels[members])) < wanted:
            labels[members] = labels.max() + 1 + random_labels(len(members), wanted, rng)
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _annealed(target: BlockTarget, model: Model, labels: Array, least: Array, rng: np.random.Generator) -> Candidate:
    budget, labels = budget_for(target.graph), _cut_to(target.types, labels, least, rng)
    model = resized(target, model, types_of_blocks(target.types, labels))
    for _, ledger in descend(target, model, labels, int(least.sum()), budget, rng, least):
        labels = ledger.b  # of the last level; the counts of the others are not kept
    return anneal(target, model, labels.astype(np.int64), budget, rng)
