"""Replica exchange of joint chains as a stepper: a ladder is one chain, the draws of the cold replica its draws.

The replica at inverse temperature beta follows exp(-beta L(b)) p(b | theta, X) p(theta): L = -ln P(A|b) alone is
tempered, as in a ladder of block chains; features and the prior of the weights are not. Neighbours exchange labels,
weights and, under the learned prior, which columns are inside; with the law above the ratio has the difference of L
alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.chain import NEVER
from ffbm.blocks.exchange import exchange_tempered
from ffbm.joint import chain as joint
from ffbm.joint import selection
from ffbm.joint.chain import JointSettings, JointSetup, JointState
from ffbm.joint.exchange import take_over
from ffbm.joint.selection import ColumnMoves, ColumnSetup, ColumnState
from ffbm.kernels.ladder import Exchange
from ffbm.kernels.workspace import ENTROPY, SWEEPS
from ffbm.theta.drawn import join
from ffbm.types import Array

_LEAST_GAP = 5  # sweeps between exchanges: setting out again costs about as much as a sweep


class JointLadderSetup(NamedTuple):
    """What the ladders of one target share, and no step changes."""

    chain: JointSetup | ColumnSetup  # the target, under the fixed or the learned prior
    settings: JointSettings  # of every replica

    @property
    def gap(self) -> int:
        """The sweeps between exchanges: columns have been swept over by then, and their scales are drawn next."""
        each = self.chain.gap if isinstance(self.chain, ColumnSetup) else 1
        return -(-_LEAST_GAP // each) * each

    def at(self, beta: float, is_cold: bool) -> Any:
        """Return the set-up of the replica at an inverse temperature; hot ones keep no draws."""
        thin = self.settings.thin if is_cold else NEVER
        return self.chain._replace(settings=self.settings._replace(beta=beta, thin=thin))


class JointLadderState(NamedTuple):
    """A ladder at rest: all that steps change, and the inverse temperatures."""

    betas: Array  # (R,) from 1 down: never changed
    chains: list[JointState | ColumnState]  # at each temperature
    exchange: Exchange  # counts are since the burn-in
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest S that any replica visited."""
        return self._lowest.lowest

    @property
    def best(self) -> Array:
        """The labels (N,) of the lowest S."""
        return self._lowest.best

    @property
    def _lowest(self) -> JointState | ColumnState:
        return min(self.chains, key=lambda chain: round(chain.lowest, 6))


def start(
    setup: JointLadderSetup, labels: Array, betas: Array, rng: np.random.Generator, full: bool = False
) -> JointLadderState:
    """Set up a ladder: the replica at inverse temperature ``betas[k]``, from 1 down, at ``labels[k]`` (R, N).

    Under the learned prior it starts from all columns if ``full``, else from none, and its neighbour the other way.
    """
    n = len(betas)
    chains: list[JointState | ColumnState] = []
    for k, (beta, replica_labels, stream) in enumerate(zip(betas.tolist(), labels, rng.spawn(n), strict=True)):
        setup_here = setup.at(beta, k == 0)
        if isinstance(setup_here, ColumnSetup):
            chains.append(selection.start(setup_here, replica_labels, stream, full != (k % 2 == 1)))
        else:
            chains.append(joint.start(setup_here, replica_labels, stream))
    return JointLadderState(np.array(betas, dtype=np.float64), chains, Exchange.start(n), rng)


def advance(setup: JointLadderSetup, state: JointLadderState, n_sweeps: int) -> tuple[JointLadderState, Any]:
    """Run ``n_sweeps`` sweeps of every replica and return the state, changed in place, and the cold draws kept.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    burn, gap = setup.settings.burn, setup.gap
    done, first = int(state.chains[0].tally[SWEEPS]), burn % gap
    end, kept = done + n_sweeps, []
    movers = [_mover(setup.at(beta, k == 0), state.chains[k]) for k, beta in enumerate(state.betas.tolist())]
    while done < end:
        n = min(end - done, gap - (done - first) % gap)
        moved = [move(chain, n) for move, chain in zip(movers, state.chains, strict=True)]
        state.chains[:] = [chain for chain, _ in moved]
        kept.append(moved[0][1])
        done += n
        if (done - first) % gap == 0:
            entropy = np.array([chain.totals[ENTROPY] for chain in state.chains])
            exchange_tempered(state, (done - first) // gap % 2, state.betas, entropy, take_over)
        if done == burn:
            state.exchange.clear()
    return state, join(kept)


def _mover(setup: Any, first: JointState | ColumnState) -> Callable[[Any, int], tuple[Any, Any]]:
    """Return what advances the chain of one temperature; what moves of columns need is made once for a geometry."""
    if isinstance(first, JointState):
        return lambda chain, n: joint.advance(setup, chain, n)
    moves = ColumnMoves(setup, first)

    def move(chain: ColumnState, n: int) -> tuple[ColumnState, Any]:
        nonlocal moves
        if moves.geometry is not chain.geometry:
            moves = ColumnMoves(setup, chain)
        return selection.advance(setup, chain, n, moves)

    return move
