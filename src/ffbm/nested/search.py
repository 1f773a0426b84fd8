"""The search for a hierarchy of low description length: a descent of the flat model, then a chain that cools down.

The chain of hierarchies opens and closes groups and levels by itself, so nothing but its temperature is steered. It
begins with more blocks than the flat model has, which merges small ones. A search is made in turns: some begin in
different ways, then most heat the lowest hierarchy again.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from ffbm.blocks.blocktypes import types_of_blocks
from ffbm.blocks.chain import NEVER
from ffbm.blocks.descent import budget_for
from ffbm.blocks.priors import FULL
from ffbm.blocks.search import best_of, descend_to_one
from ffbm.blocks.target import BlockTarget
from ffbm.nested.chain import NestedSettings, NestedSetup, advance, lowest_of, start
from ffbm.nested.target import Hierarchy

_BETAS = (1.0, 1.5, 2.0, 3.0, 5.0, 20.0)  # inverse temperatures; what is heated again leaves out the first
_CYCLES, _LEAST_CYCLES = 60, 5  # at each of them
_JUMPS = 5.0
_MORE = (1.5, 1.0)  # times the blocks of the flat model, in turn
_STARTS = (2, 0, 3, 1)  # how the first turns begin, the one that ends soonest first; then one turn in so many
_FIRST, _LONGER = 0.3, 8  # cycles of the first turn; they double every so many turns


class Candidate(NamedTuple):
    """A hierarchy and its S."""

    entropy: float
    levels: Hierarchy


def find_hierarchy(setup: NestedSetup, rng: np.random.Generator, turn: int = 0, longer: float = 1.0) -> Candidate:
    """Return a hierarchy of low S; ``turn`` chooses how the search begins, so that several differ."""
    target, graph = setup.target, setup.target.graph
    flat = descend_to_one(BlockTarget(graph, target.likelihood, FULL, target.types), rng, communities=turn % 2 == 0)
    wanted = _MORE[turn // 2 % 2] * best_of(flat)
    n_blocks = min((n for n in flat if wanted <= n <= setup.layout.n_blocks), default=best_of(flat))
    levels = [flat[n_blocks].labels, types_of_blocks(target.types, flat[n_blocks].labels)]
    return cool_down(setup, levels, rng, _BETAS, longer)


def cool_down(
    setup: NestedSetup, levels: Hierarchy, rng: np.random.Generator, betas: Sequence[float], longer: float
) -> Candidate:
    """Return the lowest hierarchy that a chain visits which begins at these levels and cools down."""
    graph, settings = setup.target.graph, NestedSettings(burn=NEVER, thin=1, jumps=_JUMPS)
    state = start(setup, levels, rng)
    visits = len(_BETAS) * settings.sweeps * max(graph.n_nodes, 1)
    n_cycles = max(_LEAST_CYCLES, int(longer * min(_CYCLES, budget_for(graph).visits / visits)))
    for beta in betas:
        advance(setup._replace(settings=settings._replace(beta=beta)), state, n_cycles)
    return Candidate(state.lowest, lowest_of(setup, state))


def search_hierarchies(setup: NestedSetup, rng: np.random.Generator) -> Iterator[Candidate]:
    """Yield the lowest hierarchy after each turn of a search without end."""
    lowest, n_starts = find_hierarchy(setup, rng, _STARTS[0], _FIRST), len(_STARTS)
    yield lowest
    for turn in count(1):
        longer = 2.0 ** (turn // _LONGER)
        if turn < n_starts or turn % n_starts == 0:
            number = turn if turn < n_starts else turn // n_starts
            candidate = find_hierarchy(setup, rng, _STARTS[number % n_starts], longer)
        else:
            candidate = cool_down(setup, lowest.levels, rng, _BETAS[1:], longer)
        lowest = min(lowest, candidate, key=lambda it: round(it.entropy, 6))
        yield lowest
