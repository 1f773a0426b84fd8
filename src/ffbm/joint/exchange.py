"""Exchanges of states between joint chains of neighbouring targets, and the round trips that replicas make."""

from typing import Any, Protocol

import numpy as np

from ffbm.joint.chain import JointState
from ffbm.joint.selection import ColumnState
from ffbm.types import Array


class Replicas(Protocol):
    """Chains of neighbouring targets, and who is where."""

    @property
    def chains(self) -> list[JointState | ColumnState]:
        """One for each target."""

    @property
    def replica(self) -> Array:
        """(K,) which replica is at each target."""

    @property
    def heading(self) -> Array:
        """(K,) by replica: 1 if it was at the last target last, -1 if at the first one, 0 if at neither."""

    @property
    def trips(self) -> Array:
        """(K,) by replica: round trips between the ends."""

    @property
    def swaps(self) -> Array:
        """(K-1, 2) exchanges with the next target tried and made."""

    @property
    def rng(self) -> np.random.Generator:
        """That of the exchanges."""


def exchange(state: Replicas, first: int, down: Array, up: Array) -> None:
    """Let the chains number first and first + 1, first + 2 and first + 3, ... exchange labels and weights, or not.

    ``down[k]`` and ``up[k]`` are the log density of the state of chain k at the target before and after less that at
    its own. Which columns are inside goes with the weights. What belongs to a target, the geometry and the step size of
    its weight moves, stays there.
    """
    for k in range(first, len(state.chains) - 1, 2):
        state.swaps[k, 0] += 1
        if np.log(1 - state.rng.random()) < up[k] + down[k + 1]:
            state.swaps[k, 1] += 1
            one, other = state.chains[k], state.chains[k + 1]
            state.chains[k], state.chains[k + 1] = _take_over(one, other), _take_over(other, one)
            state.replica[[k, k + 1]] = state.replica[[k + 1, k]]
    top, bottom = state.replica[-1], state.replica[0]
    state.trips[top] += state.heading[top] == -1
    state.heading[top] = 1
    if state.heading[bottom] == 1:
        state.heading[bottom] = -1


def _take_over(chain: Any, other: Any) -> Any:
    """Return a chain, under either prior, with the labels, weights and columns of another."""
    moved = {"ledger": other.ledger, "totals": other.totals, "best": other.best}
    if isinstance(chain, JointState):
        return chain._replace(weights=other.weights, **moved)
    of_columns = {name: getattr(other.columns, name) for name in ("weights", "inside", "chance")}
    return chain._replace(columns=chain.columns._replace(**of_columns), **moved)
