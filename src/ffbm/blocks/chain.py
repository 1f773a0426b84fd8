"""The block chain as a stepper: ``start`` makes a state, ``advance`` moves it; what never changes is an argument.

The target is p(b) proportional to exp(beta (sum_i f[i, b_i] - S(b))) on the partitions into B blocks, none
of them empty, or on all of [B]^N with ``allow_empty``.
"""

from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.target import BlockTarget, block_ledger, n_blocks_of
from ffbm.kernels.blockchain import BlockDraws as BlockDraws
from ffbm.kernels.blockchain import Schedule, run_blocks
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.target import Model, entropy_of
from ffbm.kernels.workspace import LOWEST, SWEEPS, Counters, make_workspace
from ffbm.types import Array

BlockSettings = Schedule  # kernels take it as it is
NEVER = 2**60  # the burn-in or thinning of a chain that keeps no draws


class BlockSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    target: BlockTarget
    model: Model
    settings: BlockSettings


class BlockState(NamedTuple):
    """A chain at rest: all that steps change."""

    ledger: Ledger | WeightedLedger
    totals: Array  # see ``workspace.Counters``
    tally: Array
    best: Array  # (N,) the labels of the lowest S
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest S visited, the start included."""
        return float(self.totals[LOWEST])

    @property
    def counters(self) -> Counters:
        """What the chain counts, for kernels."""
        return Counters(self.totals, self.tally, self.best)


def start(setup: BlockSetup, labels: Array, rng: np.random.Generator) -> BlockState:
    """Set up a chain at ``labels`` with its own random stream."""
    model = setup.model
    ledger = block_ledger(model, labels, n_blocks_of(model))
    entropy = entropy_of(model, ledger)
    lift = float(model.field[np.arange(len(labels)), labels].sum()) if model.field.size else 0.0
    totals = np.array([entropy, lift, entropy])
    return BlockState(ledger, totals, np.zeros(5, dtype=np.int64), ledger.b.copy(), rng)


def advance(setup: BlockSetup, state: BlockState, n_sweeps: int) -> tuple[BlockState, BlockDraws]:
    """Run ``n_sweeps`` sweeps and return the state, changed in place, and the draws kept on the way.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    n_nodes, n_blocks = len(state.ledger.b), len(state.ledger.n)
    draws = empty_draws(setup.settings, int(state.tally[SWEEPS]), n_sweeps, n_nodes, n_blocks)
    run_blocks(
        state.rng, setup.model, state.ledger, setup.settings, n_sweeps,
        state.counters, make_workspace(n_nodes, n_blocks), draws,
    )  # fmt: skip
    return state, draws


def empty_draws(settings: Any, done: int, n_sweeps: int, n_nodes: int, n_blocks: int) -> BlockDraws:
    """Return empty arrays for the draws that ``n_sweeps`` sweeps keep after those that are done."""
    kept = n_kept(settings.burn, settings.thin, done, n_sweeps)
    labels = np.empty((kept, n_nodes), dtype=np.min_scalar_type(n_blocks - 1))
    return BlockDraws(labels, np.empty(kept), np.empty(kept))


def n_kept(burn: int, thin: int, done: int, n_sweeps: int) -> int:
    """Return how many draws ``n_sweeps`` sweeps keep after those that are done."""
    return max((done + n_sweeps - burn) // thin, 0) - max((done - burn) // thin, 0)
