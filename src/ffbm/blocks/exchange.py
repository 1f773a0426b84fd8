"""Exchanges of states between chains of neighbouring targets, and the round trips that replicas make."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ffbm.types import Array


class Replicas(Protocol):
    """Chains of neighbouring targets, and who is where."""

    @property
    def chains(self) -> list[Any]:
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


def exchange(state: Replicas, first: int, down: Array, up: Array, take_over: Callable[[Any, Any], Any]) -> None:
    """Let the chains number first and first + 1, first + 2 and first + 3, ... exchange what they sample, or not.

    ``down[k]`` and ``up[k]`` are the log density of the state of chain k at the target before and after less that at
    its own. ``take_over(chain, other)`` is a chain with what the other one samples; what belongs to a target stays
    there.
    """
    for k in range(first, len(state.chains) - 1, 2):
        state.swaps[k, 0] += 1
        if np.log(1 - state.rng.random()) < up[k] + down[k + 1]:
            state.swaps[k, 1] += 1
            one, other = state.chains[k], state.chains[k + 1]
            state.chains[k], state.chains[k + 1] = take_over(one, other), take_over(other, one)
            state.replica[[k, k + 1]] = state.replica[[k + 1, k]]
    top, bottom = state.replica[-1], state.replica[0]
    state.trips[top] += state.heading[top] == -1
    state.heading[top] = 1
    if state.heading[bottom] == 1:
        state.heading[bottom] = -1


def exchange_tempered(
    state: Replicas, first: int, betas: Array, energy: Array, take_over: Callable[[Any, Any], Any]
) -> None:
    """Exchange between chains at inverse temperatures ``betas`` (K,), from 1 down, which multiply ``energy`` (K,)."""
    step = -np.diff(betas)
    exchange(state, first, np.append(0.0, -step * energy[1:]), np.append(step * energy[:-1], 0.0), take_over)


def swap_rates(swaps: Array) -> Array:
    """Return the share (K-1,) of exchanges made, by pair of neighbours; NaN where none was tried.

    >>> swap_rates(np.array([[10, 4], [0, 0]])).tolist()
    [0.4, nan]
    """
    tried, made = swaps.T
    return np.where(tried > 0, made / np.maximum(tried, 1), np.nan)
