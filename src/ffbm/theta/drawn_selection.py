"""The selection of columns over many partitions as a stepper: for each of them a stretch of p(inclusion | X, b).

A chain goes on from one partition to the next with the columns and weights it has: partitions of one network differ
little, so the next one needs but a short warm-up. Only the first starts from no column or from all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ffbm.rng import stream
from ffbm.theta.drawn import join, response_of
from ffbm.theta.selection import (
    SelectionRecord,
    SelectionSetup,
    SelectionState,
    advance_selection,
    start_selection,
)
from ffbm.types.graph import Array

CARRIED = ("weights", "inside", "adapt", "chance", "openness", "ease")  # from one partition to the next


class DrawnSelectionPlan(NamedTuple):
    """What the chains share, and no step changes."""

    labels: list[Array]  # of each chain (P, n): the aligned labels of the training vertices, partition by partition
    setup: SelectionSetup  # for the averaged response: partitions differ in X'y alone
    n_first: int  # sweeps before those of the first partition, not kept
    n_warmup: int  # sweeps for each further partition, not kept
    n_each: int  # sweeps kept of each partition
    seed: int


class DrawnSelectionState(NamedTuple):
    """A chain at rest, between two partitions."""

    chain: Array  # (1,) int64: its number
    done: Array  # (1,) int64: partitions dealt with
    thin: Array  # (1,) int64
    weights: Array  # (A, B) and what follows are those of ``SelectionState``
    inside: Array
    adapt: Array
    chance: Array
    openness: Array
    ease: Array


def start_drawn_selection(plan: DrawnSelectionPlan, chain: int, full: bool, thin: int = 1) -> DrawnSelectionState:
    """Set up a chain before its first partition, with no column inside or with all of them."""
    first = start_selection(plan.setup, stream(plan.seed, "selection", chain), full)
    carried = {name: getattr(first, name) for name in CARRIED}
    return DrawnSelectionState(np.array([chain]), np.zeros(1, np.int64), np.array([thin]), **carried)


# what makes so many sweeps given labels, other than by ``advance_selection``: unknown cells depend on them too
Inner = Callable[[SelectionSetup, SelectionState, Array, int], SelectionRecord]


def advance_drawn_selection(
    plan: DrawnSelectionPlan, state: DrawnSelectionState, n: int, inner: Inner | None = None
) -> tuple[DrawnSelectionState, SelectionRecord]:
    """Deal with the next ``n`` partitions and return the state, changed in place, and their draws in order.

    After the last of them comes the first again. Each visit has a random stream of its own name. Advancing by a, then
    by b, is advancing by a + b, bit for bit.
    """
    records, chain = [], int(state.chain[0])
    n_partitions = len(plan.labels[chain])
    for _ in range(n):
        at = int(state.done[0])
        n_warmup = plan.n_first if at == 0 else plan.n_warmup
        target = plan.setup.target
        labels = plan.labels[chain][at % n_partitions]
        setup = plan.setup._replace(
            target=replace(target, sums=response_of(target.training, labels)),
            n_warmup=n_warmup,
        )
        rng = stream(plan.seed, "selection", chain, at)
        carried = {name: getattr(state, name) for name in CARRIED}
        begun = SelectionState(**carried, done=np.zeros(1, np.int64), thin=state.thin, rng=rng)
        n_sweeps = n_warmup + plan.n_each
        records.append(
            advance_selection(setup, begun, n_sweeps)[1] if inner is None else inner(setup, begun, labels, n_sweeps)
        )
        state.done[0] += 1
    return state, join(records)
