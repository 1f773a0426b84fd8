"""How probable each number of blocks is: short chains with B free, beside the choice of one."""

from functools import partial
from math import inf

import numpy as np

from ffbm.blocks.blocktypes import number_by_type
from ffbm.blocks.chain import BlockDraws, BlockSettings, BlockSetup, BlockState, advance, start
from ffbm.blocks.priors import UNLABELLED
from ffbm.blocks.search import Candidates, free_block_types
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.diagnostics.convergence import summarise
from ffbm.diagnostics.verdict import USABLE_ESS, USABLE_RHAT
from ffbm.pipeline.clock import Clock
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.run import Stepper, run_chains
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.types import Array

_MOST_EDGES = 2_000  # beyond, such chains take longer than the choice itself
_N_CHAINS, _N_SWEEPS, _BURN, _THIN = 4, 10_000, 2_000, 20
_JUMPS = 1.0  # moves of many vertices after each sweep: they open and close blocks
_STAGE = "number of blocks, free"
_LEAST = 0.005  # probability that is reported


def probabilities(
    target: BlockTarget, candidates: Candidates, seed: int, context: RunContext, end: float = inf
) -> list[tuple[int, float]] | None:
    """Return P(B | A) by falling probability, from chains with B free; None if that would take long, or did not mix.

    The list is empty if they have not ended by ``end``, by the clock.

    The chains begin with the partitions of lowest S, each with another number of blocks.
    """
    graph = target.graph
    if graph.n_edges > _MOST_EDGES:
        return None
    target = target._replace(prior=UNLABELLED)
    settings = BlockSettings(burn=_BURN, thin=_THIN, allow_empty=True, jumps=_JUMPS)
    block_types = free_block_types(target, max(candidates))
    setup = BlockSetup(target, block_model(target, block_types), settings)
    lowest = sorted(candidates.values(), key=lambda candidate: candidate.entropy)
    first = [lowest[chain % len(lowest)].labels for chain in range(_N_CHAINS)]
    starts = np.array([number_by_type(target.types, labels, block_types) for labels in first])
    begin = partial(context.begin, partial(_begin_one, seed, starts), BlockState, _N_CHAINS, setup)
    key = digest(setup, starts, seed) if context.checkpoints else ""
    stepper, clock = Stepper(advance, BlockState, BlockDraws), Clock(end, _THIN)
    _, draws, n_made = run_chains(_STAGE, stepper, setup, begin, _N_SWEEPS, context, key, clock)
    if n_made < _N_SWEEPS:
        return []
    numbers = np.array([[len(np.unique(labels)) for labels in chain] for chain in draws.labels])
    visited = summarise(numbers.astype(np.float64))
    if not bool(visited.constant) and not (visited.rhat <= USABLE_RHAT and visited.ess_bulk >= USABLE_ESS):
        return None
    values, counts = np.unique(numbers, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shares = counts / counts.sum()
    return [(int(values[j]), round(float(shares[j]), 4)) for j in order if shares[j] >= _LEAST]


def _begin_one(seed: int, starts: Array, setup: BlockSetup, chain: int) -> BlockState:
    return start(setup, starts[chain].astype(np.int64), stream(seed, _STAGE, chain))
