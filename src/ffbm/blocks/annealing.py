"""Simulated annealing of a partition: a block chain with all its moves that cools down, then steps that only descend.

With a free number of blocks, blocks open and close on the way; otherwise all stay in use.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from ffbm.blocks.blocktypes import n_types_of, types_of_blocks, with_empty
from ffbm.blocks.chain import NEVER, BlockSettings, BlockSetup, advance, start
from ffbm.blocks.descent import LAST_SWEEPS, SearchBudget, sweep_down
from ffbm.blocks.target import BlockTarget, block_ledger, resized
from ffbm.kernels.improve import LEAST, merge_cheapest, split_down
from ffbm.kernels.target import Model, entropy_of
from ffbm.kernels.workspace import make_workspace
from ffbm.types import Array

_BETAS = (1.0, 1.5, 2.0, 3.0, 5.0)  # inverse temperatures
_SWEEPS = 120  # at each of them, at most
_JUMPS_PER_BLOCK, _JUMPS = 0.05, 0.2  # moves of many vertices in a sweep: about as much work as the sweep itself
_FEW = 256  # blocks, at most, for steps that price all pairs
_ROUNDS = 3  # of such steps
_SPARE = 8  # empty blocks for splits, at least


class Candidate(NamedTuple):
    """A partition and its S."""

    entropy: float
    labels: Array  # (N,) blocks 0..B-1, none of them empty

    @property
    def n_blocks(self) -> int:
        """B."""
        return int(self.labels.max(initial=0)) + 1


def anneal(
    target: BlockTarget, model: Model, labels: Array, budget: SearchBudget, rng: np.random.Generator, free: bool = False
) -> Candidate:
    """Return a partition of low S near this one: with as many blocks, or with any number if ``free``.

    ``model`` is one of the target, for any number of blocks.
    """
    refine = partial(_refine_freely if free else _refine, restless=budget.restless)
    refined = refine(target, model, labels, rng)
    n_sweeps = min(_SWEEPS, int(budget.visits / (len(_BETAS) * max(len(labels), 1))))
    if n_sweeps == 0 or (refined.n_blocks == n_types_of(target.types) and not free):
        return refined
    block_types = (
        with_empty(target.types, refined.labels, _spare) if free else types_of_blocks(target.types, refined.labels)
    )
    jumps = max(_JUMPS, _JUMPS_PER_BLOCK * refined.n_blocks)
    settings = BlockSettings(burn=NEVER, thin=1, allow_empty=free, jumps=jumps)
    setup = BlockSetup(target, resized(target, model, block_types), settings)
    state = start(setup, refined.labels, rng)
    for beta in _BETAS:
        advance(setup._replace(settings=settings._replace(beta=beta)), state, n_sweeps)
    return min(refined, refine(target, model, state.best, rng), key=lambda it: round(it.entropy, 6))


def _refine(target: BlockTarget, model: Model, labels: Array, rng: np.random.Generator, restless: float) -> Candidate:
    """Run greedy sweeps."""
    block_types = types_of_blocks(target.types, labels)
    model = resized(target, model, block_types)
    ledger = block_ledger(model, labels, len(block_types))
    sweep_down(model, ledger, 0, LAST_SWEEPS, rng, restless=restless)
    return Candidate(entropy_of(model, ledger), ledger.b.astype(np.int64))


def _refine_freely(
    target: BlockTarget, model: Model, labels: Array, rng: np.random.Generator, restless: float
) -> Candidate:
    """Split and merge blocks wherever that lowers S, with greedy sweeps between, until it fails."""
    current = Candidate(np.inf, _in_use(labels))
    for _ in range(_ROUNDS):
        block_types = with_empty(target.types, current.labels, _spare)
        model, n_blocks = resized(target, model, block_types), len(block_types)
        ledger = block_ledger(model, current.labels, n_blocks)
        if current.n_blocks <= _FEW:
            _, work, scratch = make_workspace(len(labels), n_blocks)
            split_down(rng, model, ledger, 2, work, scratch)
            while merge_cheapest(model, ledger, LEAST, work) >= LEAST:
                pass
        sweep_down(model, ledger, 0, LAST_SWEEPS, rng, allow_empty=True, restless=restless)
        before, current = current, Candidate(entropy_of(model, ledger), _in_use(ledger.b))
        if current.entropy > before.entropy - LEAST:
            break
    return current


def _spare(n_blocks: int, n_nodes: int) -> int:
    return min(n_blocks + max(_SPARE, n_blocks // 2), n_nodes)


def _in_use(labels: Array) -> Array:
    """Return labels of the blocks in use, numbered from 0."""
    return np.asarray(np.unique(labels, return_inverse=True)[1])
