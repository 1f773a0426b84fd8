"""Replica exchange as a stepper: a ladder of block chains at several temperatures is one chain, the cold one its draws.

The replica at inverse temperature beta follows p(b) proportional to exp(F(b) - P(b) - beta L(b)), with L = -ln P(A|b),
P the prior's nats and F the field's sum; the cold one has beta = 1. Hot replicas cross between modes, and what they
find comes down by exchanges of neighbours. Inverse temperatures are chosen before the first sweep, see
``temperatures``, and no step changes them.
"""

from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import BlockDraws, BlockSettings, BlockSetup, empty_draws
from ffbm.blocks.chain import start as block_start
from ffbm.blocks.target import BlockTarget
from ffbm.kernels.ladder import Exchange, Rungs, prior_cost, run_ladder
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.target import Model
from ffbm.kernels.workspace import ENTROPY, FIELD, LOWEST, SWEEPS, Counters, make_workspace
from ffbm.types import Array


class LadderSetup(NamedTuple):
    """What the ladders of one target share, and no step changes."""

    target: BlockTarget
    model: Model
    settings: BlockSettings  # of every replica; its beta is that of the whole target
    gap: int = 1  # sweeps between exchanges: they cost next to nothing


class LadderState(NamedTuple):
    """A ladder at rest: all that steps change, and the inverse temperatures."""

    betas: Array  # (R,) from 1 down: never changed
    ledgers: Ledger | WeightedLedger  # that of replica k at place k of each array
    totals: Array  # (R, 3) of each replica: S with the prior over beta, the field's sum over beta, the lowest S if cold
    tally: Array  # (R, 5) of each temperature: visits, moves, sweeps, moves of many vertices tried and made
    best: Array  # (N,) the labels of the lowest S of the cold chain and of all starts
    exchange: Exchange
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest S of the cold chain and of all starts."""
        return float(self.totals[self.exchange.replica[0], LOWEST])

    @property
    def counters(self) -> Counters:
        """What the replicas count, for kernels."""
        return Counters(self.totals, self.tally, self.best)


def start(setup: LadderSetup, labels: Array, betas: Array, rng: np.random.Generator) -> LadderState:
    """Set up a ladder: replica k at ``labels[k]`` (R, N) and inverse temperature ``betas[k]`` (R,), from 1 down."""
    betas = np.array(betas, dtype=np.float64)
    plain = BlockSetup(setup.target, setup.model, setup.settings)
    first = [block_start(plain, replica_labels, rng) for replica_labels in labels]
    lowest = min(first, key=lambda state: round(float(state.totals[ENTROPY]), 6))
    ledgers = type(first[0].ledger)(*map(np.stack, zip(*(state.ledger for state in first), strict=True)))
    rungs, plain_rung = lay_out(setup, betas), lay_out(setup, np.ones(1))
    totals, prior = np.array([state.totals for state in first]), setup.model.prior
    for k in range(len(betas)):
        totals[k, ENTROPY] += prior_cost(prior, rungs, k, ledgers, k) - prior_cost(prior, plain_rung, 0, ledgers, k)
    totals[:, FIELD] /= betas
    totals[:, LOWEST] = [lowest.totals[ENTROPY], *np.full(len(betas) - 1, -np.inf)]
    tally = np.zeros((len(betas), 5), dtype=np.int64)
    return LadderState(betas, ledgers, totals, tally, lowest.best, Exchange.start(len(betas)), rng)


def advance(setup: LadderSetup, state: LadderState, n_sweeps: int) -> tuple[LadderState, BlockDraws]:
    """Run ``n_sweeps`` sweeps of every replica and return the state, changed in place, and the cold draws kept.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    n_nodes, n_blocks = state.ledgers.b.shape[1], state.ledgers.n.shape[1]
    draws = empty_draws(setup.settings, int(state.tally[0, SWEEPS]), n_sweeps, n_nodes, n_blocks)
    run_ladder(
        state.rng, setup.model, lay_out(setup, state.betas), state.ledgers, setup.settings, n_sweeps,
        state.counters, state.exchange, make_workspace(n_nodes, n_blocks), draws,
    )  # fmt: skip
    return state, draws


def lay_out(setup: LadderSetup, betas: Array) -> Rungs:
    """Lay out what differs between temperatures."""
    model = setup.model
    return Rungs(
        beta=setup.settings.beta * betas,
        size_cost=model.prior.size_cost / betas[:, None],
        size_step=model.prior.size_step / betas[:, None],
        used_cost=np.array([model.prior.used_cost / beta for beta in betas]),
        field=model.field / betas[:, None, None],
        gap=setup.gap,
    )
