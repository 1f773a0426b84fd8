"""Chains of weights or columns in which unknown cells are drawn too, as steppers.

Each is the chain without unknown cells, with a sweep over them between its moves. Values, response and cells are part
of the state, so a chain that is cut into pieces gives the same bits.
"""

from typing import NamedTuple

import numpy as np

from ffbm.kernels.arrow import Columns
from ffbm.kernels.softmax import Target
from ffbm.kernels.weightchain import Plan
from ffbm.rng import stream
from ffbm.theta.cells import CellState
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.chain import WeightSetup, WeightState, advance, set_up, start
from ffbm.theta.drawn import DrawnPlan, DrawnState, join, start_drawn, take_moments
from ffbm.theta.drawn_selection import (
    DrawnSelectionPlan,
    DrawnSelectionState,
    advance_drawn_selection,
    start_drawn_selection,
)
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.selection import (
    SelectionRecord,
    SelectionSetup,
    SelectionState,
    advance_selection,
    start_selection,
)
from ffbm.theta.unknown import Unknown
from ffbm.types.graph import Array

LAW_EVERY = 25  # draws: the law of the columns is stored once in so many
LAW_EACH = 8  # or partitions


class ImputedSetup(NamedTuple):
    """What the chains of one target share."""

    setup: WeightSetup
    unknown: Unknown
    every: int = 1  # how many moves of the weights there are for a sweep over the cells

    @property
    def plan(self) -> Plan:
        """The lengths of the chains."""
        return self.setup.plan


class ImputedState(NamedTuple):
    """A chain of weights at rest, with its cells."""

    chain: WeightState
    cells: CellState

    @property
    def thin(self) -> Array:
        """One in how many draws is stored."""
        return self.chain.thin

    @property
    def mean(self) -> Array:
        """The running mean of the weights."""
        return self.chain.mean

    @property
    def square(self) -> Array:
        """The running sum of their squared deviations."""
        return self.chain.square


class ImputedRecord(NamedTuple):
    """What a stretch of a chain leaves behind: the fields of ``Record``, and the law of the columns now and then."""

    weights: Array
    energy: Array
    acceptance: Array
    step_size: Array
    n_steps: Array
    diverging: Array
    law: Array  # (T // 25, K, 1 + C + 2 Q): shares, chances, means and deviations


def start_imputed(model: ImputedSetup, rng: np.random.Generator) -> ImputedState:
    """Set up a chain of weights around the mode, and cells by the law of the columns."""
    cells = model.unknown.cells.begin(rng)
    return ImputedState(_with_cells(start(model.setup, rng), model.unknown, cells), cells)


def _with_cells(state: WeightState, unknown: Unknown, cells: CellState) -> WeightState:
    if len(state.values):
        unknown.cells.write(cells, state.values)
    state.sums[:] = unknown.base + unknown.cells.response(cells, unknown.y, len(unknown.base))
    return state


def advance_imputed(model: ImputedSetup, state: ImputedState, n: int) -> tuple[ImputedState, ImputedRecord]:
    """Make ``n`` moves of the weights, with a sweep over the cells after each, or after so many."""
    setup, (chain, cells) = model.setup, state
    target, n_warmup = setup.target, setup.plan.n_warmup
    slab = target.slab._replace(value=target.slab.value.copy())
    kernel = target.training.target(chain.sums, chain.scale, chain.values, slab)
    sampler = CellSampler(model.unknown.cells, model.unknown.y, cells, kernel, model.unknown.base)
    sampler.tie()
    records, laws = [], [np.zeros((0, len(cells.shares), 1 + cells.chances.shape[1] + 2 * cells.mean.shape[1]))]
    for _ in range(n):
        chain, record = advance(setup, chain, 1, kernel)
        records.append(record)
        n_kept = int(chain.done[0]) - n_warmup
        if int(chain.done[0]) % model.every == 0:
            sampler.sweep(chain.rng, chain.weights, keeps=n_kept > 0)
        if n_kept > 0 and n_kept % LAW_EVERY == 0:
            laws.append(cells.law_table[np.newaxis])
    if not records:
        records.append(advance(setup, chain, 0, kernel)[1])
    return ImputedState(chain, cells), ImputedRecord(**join(records)._asdict(), law=np.concatenate(laws))


class ImputedDrawnState(NamedTuple):
    """A chain of weights over partitions at rest, with its cells."""

    chain: DrawnState
    cells: CellState


def start_imputed_drawn(plan: DrawnPlan, chain: int) -> ImputedDrawnState:
    """Set up a chain before its first partition, with cells by the law of the columns."""
    assert plan.unknown is not None
    cells = plan.unknown.cells.begin(stream(plan.seed, "weights", chain, "cells"))
    return ImputedDrawnState(start_drawn(plan, chain), cells)


def advance_imputed_drawn(plan: DrawnPlan, state: ImputedDrawnState, n: int) -> tuple[ImputedDrawnState, ImputedRecord]:
    """Deal with the next ``n`` partitions as ``advance_drawn`` does; cells go on from one to the next."""
    assert plan.unknown is not None
    drawn_state, cells = state
    records, chain = [], int(drawn_state.chain[0])
    for _ in range(n):
        at = int(drawn_state.done[0])
        unknown = plan.unknown.given(plan.training, plan.labels[chain][at])
        bare = WeightTarget(plan.training, unknown.base, plan.scale, groups=plan.groups, intercept_sd=plan.intercept_sd)
        setup = set_up(unknown.complete(bare, cells), plan.sampler, plan.n_warmup, stream(plan.seed, "weights", "mode"))
        rng = stream(plan.seed, "weights", chain, at)
        inner = ImputedState(start(setup, rng), cells)
        inner, record = advance_imputed(ImputedSetup(setup, unknown), inner, plan.n_warmup + plan.n_each)
        number = np.arange(at * plan.n_each, (at + 1) * plan.n_each)
        law = cells.law_table[np.newaxis]
        records.append(
            record._replace(
                weights=record.weights[(number + 1) % plan.thin == 0], law=law if at % LAW_EACH == 0 else law[:0]
            )
        )
        take_moments(drawn_state, inner.chain)
    return ImputedDrawnState(drawn_state, cells), join(records)


class ImputedSelectionState(NamedTuple):
    """A chain that selects columns at rest, with its cells."""

    chain: SelectionState
    cells: CellState

    @property
    def thin(self) -> Array:
        """One in how many draws is stored."""
        return self.chain.thin


def start_imputed_selection(
    model: "ImputedSelection", rng: np.random.Generator, full: bool, thin: int = 1
) -> ImputedSelectionState:
    """Set up a chain with no column inside, or with all of them, and cells by the law of the columns."""
    cells = model.unknown.cells.begin(rng)
    return ImputedSelectionState(start_selection(model.setup, rng, full, thin), cells)


class ImputedSelection(NamedTuple):
    """What chains that select columns share."""

    setup: SelectionSetup
    unknown: Unknown


def advance_imputed_selection(
    model: ImputedSelection, state: ImputedSelectionState, n: int
) -> tuple[ImputedSelectionState, SelectionRecord]:
    """Make ``n`` sweeps over the columns, with a sweep over the cells before each."""
    chain, cells = state
    setup = own_arrays(model.setup, model.unknown, cells)

    def impute(target: Target, columns: Columns) -> CellSampler:
        sampler = CellSampler(
            model.unknown.cells, model.unknown.y, cells, target, model.unknown.base, copies=[columns.value]
        )
        sampler.tie()
        return sampler

    chain, record = advance_selection(setup, chain, n, impute)
    return ImputedSelectionState(chain, cells), record


def own_arrays(setup: SelectionSetup, unknown: Unknown, cells: CellState) -> SelectionSetup:
    """Return the setup with arrays of one chain's own where cells stand."""
    columns = setup.columns._replace(value=setup.columns.value.copy())
    return setup._replace(target=unknown.complete(setup.target, cells), columns=columns)


class ImputedDrawnSelectionState(NamedTuple):
    """A chain that selects columns over partitions at rest, with its cells."""

    chain: DrawnSelectionState
    cells: CellState

    @property
    def thin(self) -> Array:
        """One in how many draws is stored."""
        return self.chain.thin


class ImputedSelectionPlan(NamedTuple):
    """What chains that select columns over partitions share."""

    plan: DrawnSelectionPlan
    unknown: Unknown


def start_imputed_drawn_selection(
    model: ImputedSelectionPlan, chain: int, full: bool, thin: int = 1
) -> ImputedDrawnSelectionState:
    """Set up a chain before its first partition, with cells by the law of the columns."""
    cells = model.unknown.cells.begin(stream(model.plan.seed, "selection", chain, "cells"))
    return ImputedDrawnSelectionState(start_drawn_selection(model.plan, chain, full, thin), cells)


def advance_imputed_drawn_selection(
    model: ImputedSelectionPlan, state: ImputedDrawnSelectionState, n: int
) -> tuple[ImputedDrawnSelectionState, SelectionRecord]:
    """Deal with the next ``n`` partitions as ``advance_drawn_selection`` does; cells go on from one to the next."""
    chain, cells = state

    def inner(setup: SelectionSetup, chain: SelectionState, labels: Array, n_sweeps: int) -> SelectionRecord:
        unknown = model.unknown.given(setup.target.training, labels)
        return advance_imputed_selection(
            ImputedSelection(setup, unknown), ImputedSelectionState(chain, cells), n_sweeps
        )[1]  # fmt: skip

    chain, record = advance_drawn_selection(model.plan, chain, n, inner)
    return ImputedDrawnSelectionState(chain, cells), record
