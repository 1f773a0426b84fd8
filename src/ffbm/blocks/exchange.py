"""Exchanges of states between chains of neighbouring targets, and the round trips that replicas make."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ffbm.kernels.ladder import TO_COLD, TO_HOT, Exchange
from ffbm.types import Array


class Replicas(Protocol):
    """Chains of neighbouring targets, and which replica is at which."""

    @property
    def chains(self) -> list[Any]:
        """One for each target."""

    @property
    def exchange(self) -> Exchange:
        """Which replica is at each target, and how they have moved."""

    @property
    def rng(self) -> np.random.Generator:
        """That of the exchanges."""


def exchange(state: Replicas, first: int, down: Array, up: Array, take_over: Callable[[Any, Any], Any]) -> None:
    """Try to exchange what the chains number first and first + 1, first + 2 and first + 3, ... sample.

    ``down[k]`` and ``up[k]`` are the log density of the state of chain k at the target before and after less that at
    its own. ``take_over(chain, other)`` is a chain with what the other one samples; what belongs to a target stays
    there.
    """
    replica, swaps, heading, trips = state.exchange
    for k in range(first, len(state.chains) - 1, 2):
        swaps[k, 0] += 1
        if np.log(1 - state.rng.random()) < up[k] + down[k + 1]:
            swaps[k, 1] += 1
            one, other = state.chains[k], state.chains[k + 1]
            state.chains[k], state.chains[k + 1] = take_over(one, other), take_over(other, one)
            replica[[k, k + 1]] = replica[[k + 1, k]]
    cold, hot = replica[0], replica[-1]  # at the first and at the last target
    trips[hot] += heading[hot] == TO_HOT
    heading[hot] = TO_COLD
    if heading[cold] == TO_COLD:
        heading[cold] = TO_HOT


def exchange_tempered(
    state: Replicas, first: int, betas: Array, energy: Array, take_over: Callable[[Any, Any], Any]
) -> None:
    """Exchange between chains at inverse temperatures ``betas`` (K,), from 1 down, which multiply ``energy`` (K,)."""
    step = -np.diff(betas)
    exchange(state, first, np.append(0.0, -step * energy[1:]), np.append(step * energy[:-1], 0.0), take_over)
