"""Replica exchange of chains of hierarchies as a stepper: a ladder is one chain, the draws of the cold one its draws.

The replica at inverse temperature beta follows exp(-beta S): all of S is tempered, since what the levels above say of
the blocks is part of both the likelihood and the prior. Neighbours exchange hierarchies.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import NEVER, BlockDraws
from ffbm.blocks.exchange import exchange_tempered
from ffbm.blocks.temperatures import heat
from ffbm.kernels.ladder import Exchange
from ffbm.kernels.workspace import ENTROPY, SWEEPS
from ffbm.nested.chain import NestedSettings, NestedSetup, NestedState
from ffbm.nested.chain import advance as advance_chain
from ffbm.nested.chain import start as start_chain
from ffbm.nested.target import Hierarchy, nested_workspace
from ffbm.types import Array

_N_CYCLES = 100  # of a short run at one temperature; the first half is dropped


class NestedLadderState(NamedTuple):
    """A ladder at rest: all that steps change, and the inverse temperatures."""

    betas: Array  # (R,) from 1 down: never changed
    chains: list[NestedState]  # at each temperature
    exchange: Exchange  # counts are since the burn-in
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest S that any replica visited."""
        return min(chain.lowest for chain in self.chains)


def start(
    setup: NestedSetup, levels: Callable[[np.random.Generator, int], Hierarchy], betas: Array, rng: np.random.Generator
) -> NestedLadderState:
    """Set up a ladder: the replica at inverse temperature ``betas[k]``, from 1 down, at ``levels(its stream, k)``."""
    n = len(betas)
    chains = [start_chain(setup, levels(stream, k), stream) for k, stream in enumerate(rng.spawn(n))]
    return NestedLadderState(np.array(betas, dtype=np.float64), chains, Exchange.start(n), rng)


def advance(setup: NestedSetup, state: NestedLadderState, n_cycles: int) -> tuple[NestedLadderState, BlockDraws]:
    """Run ``n_cycles`` cycles of every replica, with exchanges after each; return the state and the cold draws kept.

    The state is changed in place. Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    workspace = nested_workspace(setup.target.graph, setup.layout)
    setups = [
        setup._replace(settings=_settings(setup.settings, k, beta)) for k, beta in enumerate(state.betas.tolist())
    ]
    done, kept = int(state.chains[0].tally[SWEEPS]), []
    for cycle in range(done + 1, done + n_cycles + 1):
        for own_setup, chain in zip(setups, state.chains, strict=True):
            _, draws = advance_chain(own_setup, chain, 1, workspace)
            if own_setup is setups[0]:
                kept.append(draws)
        entropy = np.array([chain.totals[ENTROPY] for chain in state.chains])
        exchange_tempered(state, cycle % 2, state.betas, entropy, take_over)
        if cycle == setup.settings.burn:
            state.exchange.clear()
    return state, BlockDraws(*map(np.concatenate, zip(*kept, strict=True)))


def _settings(settings: NestedSettings, k: int, beta: float) -> NestedSettings:
    """Return the settings of the replica at one temperature: draws of the cold one alone are kept."""
    return settings._replace(beta=beta, thin=settings.thin if k == 0 else NEVER)


def take_over(chain: NestedState, other: NestedState) -> NestedState:
    """Return a chain with the hierarchy of another, its S and the lowest that it has visited."""
    return other._replace(tally=chain.tally, rng=chain.rng)


def find_betas(setup: NestedSetup, levels: Hierarchy, rng: np.random.Generator) -> Array:
    """Return the inverse temperatures (R,) of a ladder, from 1 down, from short runs that begin at these levels."""
    state = start_chain(setup, levels, rng)

    def run(beta: float) -> Array:
        state.tally[:] = 0
        settings = setup.settings._replace(beta=beta, burn=_N_CYCLES // 2, thin=1)
        return advance_chain(setup._replace(settings=settings), state, _N_CYCLES)[1].entropy

    return heat(run)
