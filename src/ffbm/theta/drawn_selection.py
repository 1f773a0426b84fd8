"""The selection of columns over many partitions as a stepper: for each of them a short chain of p(inclusion | X, b)."""

from typing import NamedTuple

import numpy as np

from ffbm.rng import stream
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.design import Training
from ffbm.theta.drawn import response_of
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.selection import SelectionRecord, advance_selection, set_up_selection, start_selection
from ffbm.types.network import Array


class DrawnSelectionPlan(NamedTuple):
    """What the chains share, and no step changes."""

    labels: list[Array]  # of each chain (P, n): the aligned labels of the training vertices, partition by partition
    training: Training
    scale: Array  # (D,)
    groups: ColumnGroups
    intercept_sd: float
    n_warmup: int  # sweeps for each partition, not kept
    n_each: int  # sweeps kept of each partition
    thin: int
    seed: int


class DrawnSelectionState(NamedTuple):
    """A chain at rest, between two partitions."""

    chain: Array  # (1,) int64: its number
    full: Array  # (1,) bool: whether it starts each partition with all columns included
    done: Array  # (1,) int64: partitions dealt with


def advance_drawn_selection(
    plan: DrawnSelectionPlan, state: DrawnSelectionState, n: int
) -> tuple[DrawnSelectionState, SelectionRecord]:
    """Deal with the next ``n`` partitions and return the state, changed in place, and their draws in order.

    Each partition has a random stream of its own name, its own start and its own warm-up.
    """
    records, chain, full = [], int(state.chain[0]), bool(state.full[0])
    for _ in range(n):
        at = int(state.done[0])
        sums = response_of(plan.training, plan.labels[chain][at])
        target = WeightTarget(plan.training, sums, plan.scale, groups=plan.groups, intercept_sd=plan.intercept_sd)
        begin = find_mode(target.gaussian) if full else np.zeros_like(sums)
        setup = set_up_selection(target, plan.n_warmup, begin)
        inner = start_selection(setup, stream(plan.seed, "selection", chain, at), full, plan.thin)
        _, record = advance_selection(setup, inner, plan.n_warmup + plan.n_each)
        records.append(record)
        state.done[0] += 1
    return state, SelectionRecord(*(np.concatenate(parts) for parts in zip(*records, strict=True)))
