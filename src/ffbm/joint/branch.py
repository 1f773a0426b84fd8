"""Hot chains that leave a path at one of its values of t, and the exchanges with it.

The chain at inverse temperature beta has the target of the path at that t with -ln P(A|b) multiplied by beta; features
and the prior of the weights are as they are, see ``joint/ladder.py``. A state of the path climbs by exchanges of
neighbours, changes to other blocks where it is hot, and comes back.
"""

from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.exchange import exchange_tempered
from ffbm.joint.chain import JointSetup, JointState
from ffbm.joint.exchange import take_over
from ffbm.joint.selection import ColumnSetup, ColumnState
from ffbm.kernels.ladder import Exchange
from ffbm.kernels.workspace import ENTROPY
from ffbm.types import Array


class BranchSetup(NamedTuple):
    """What a branch shares with those of other ladders, and no step changes."""

    at: int  # the number of the t where it leaves the path
    betas: Array  # (1+H,) inverse temperatures, from the 1 of the path down
    chains: list[JointSetup | ColumnSetup]  # (H,)


class BranchState(NamedTuple):
    """A branch at rest: all that steps change."""

    chains: list[JointState | ColumnState]  # (H,)
    exchange: Exchange  # with the chain of the path first; counts are since the burn-in

    @classmethod
    def start(cls, chains: list[Any]) -> "BranchState":
        """Return the branch of these chains."""
        return cls(chains, Exchange.start(1 + len(chains)))


class _Ladder(NamedTuple):
    """The chain of the path and those of the branch: see ``blocks.exchange``."""

    chains: list[Any]
    exchange: Exchange
    rng: np.random.Generator


def make_branch(at: int, target: JointSetup | ColumnSetup, hot: Array) -> BranchSetup:
    """Prepare hot chains, at inverse temperatures ``hot`` (H,) from below 1 down, of the target of one t."""
    chains = [target._replace(settings=target.settings._replace(beta=beta)) for beta in hot.tolist()]
    return BranchSetup(at, np.append(1.0, hot), chains)


def exchange_with(setup: BranchSetup, state: BranchState, chain: Any, first: int, rng: np.random.Generator) -> Any:
    """Let the chain of the path and the hot ones exchange, pairs as in ``blocks.exchange``; return that of the path."""
    ladder = _Ladder([chain, *state.chains], state.exchange, rng)
    energy = np.array([each.totals[ENTROPY] for each in ladder.chains])
    exchange_tempered(ladder, first, setup.betas, energy, take_over)
    state.chains[:] = ladder.chains[1:]
    return ladder.chains[0]
