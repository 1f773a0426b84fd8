"""Where a chain starts: cheap, low, and different for each random stream.

Two descents, one along communities and one from random labels, are annealed and crossed.
"""

import numpy as np

from ffbm.blocks.annealing import Found, anneal
from ffbm.blocks.crossing import meet
from ffbm.blocks.descent import Effort, descend, effort_for, needs_structure, structured_labels
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.target import BlockTarget, block_model, resized
from ffbm.kernels.target import Model
from ffbm.types import Array

_MORE = 4  # how many times as many blocks a descent begins with
_MOST = 4096  # blocks to begin with, unless more are wanted: pricing a merge takes time in their number


def greedy_labels(target: BlockTarget, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of a partition into ``n_blocks`` non-empty blocks with a low description length."""
    graph, effort = target.graph, effort_for(target.graph)
    top = min(graph.n_nodes, max(n_blocks, min(_MORE * n_blocks, _MOST)))
    model = block_model(target, top)
    one = _annealed(target, model, structured_labels(graph, top, rng), n_blocks, effort, rng)
    if needs_structure(graph):
        return one.labels
    two = _annealed(target, model, random_labels(graph.n_nodes, top, rng), n_blocks, effort, rng)
    both = meet(one.labels, two.labels)
    parts = [one, two]
    if int(both.max(initial=0)) >= n_blocks:
        parts.append(_annealed(target, model, both, n_blocks, effort, rng))
    return min(parts, key=lambda it: round(it.entropy, 6)).labels  # equally good partitions differ by rounding


def _annealed(
    target: BlockTarget, model: Model, labels: Array, n_blocks: int, effort: Effort, rng: np.random.Generator
) -> Found:
    *_, (_, ledger) = descend(target, resized(target, model, int(labels.max()) + 1), labels, n_blocks, effort, rng)
    return anneal(target, model, ledger.b.astype(np.int64), effort, rng)
