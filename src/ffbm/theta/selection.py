"""The chain that selects columns as a stepper: which are inside, and the weights of those that are."""

from collections.abc import Callable
from functools import partial
from math import exp
from typing import NamedTuple

import numpy as np

from ffbm.kernels.arrow import Columns, ColumnWorkspace
from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.metric import Metric
from ffbm.kernels.selection import (
    BIRTHS,
    DEATHS,
    ColumnArrays,
    ColumnData,
    enter_or_leave,
    log_inclusion_prior,
    visit_columns,
)
from ffbm.kernels.slab import without_scales
from ffbm.kernels.softmax import Target, energy_and_gradient
from ffbm.kernels.weightchain import AVERAGE, ChainArrays, Plan, empty_record
from ffbm.theta.adapt import TARGETS, first_adaptation
from ffbm.theta.bridge import Bridge
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.chain import scratch_for
from ffbm.theta.collapsed import find_column_cells, move_column
from ffbm.theta.columns import lay_out
from ffbm.theta.mode import curvature, make_metric
from ffbm.theta.prepare import WeightTarget
from ffbm.types.graph import Array

RECENT = 0.9  # the weight of the past, sweep by sweep, in how open a column is
RAREST = 0.1  # the probability that a sweep visits a column that is not open at all, and of a bridge where none helps
EASE = 0.5  # the weight of the past, bridge by bridge, in how easily a column crosses
TIME = 1.6  # of a trajectory
N_MOVES = 10  # Hamiltonian ones, after each sweep
KEPT_BYTES = 1 << 25  # that metrics of sets of columns met before may take
MOVES = ("births", "deaths", "refreshed", "exchanged", "bridged")


class SelectionSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    target: WeightTarget
    columns: Columns
    dense: Array  # (m, m, B), of the metric of Hamiltonian moves: see ``curvature``
    rest: Array  # (A, B), the same
    n_warmup: int
    plan: Plan
    full: Array  # (A, B): where a chain that starts with all columns inside begins


class SelectionState(NamedTuple):
    """A chain at rest: all that steps change."""

    weights: Array  # (A, B) contrasts; 0 where a column is out
    inside: Array  # (G,) bool
    adapt: Array  # (5,) the state of dual averaging
    chance: Array  # (G,): the inclusion probability of each column given the rest, as of its last visit
    openness: Array  # (G,): how far that is from 0 and 1, over the last sweeps of warm-up
    ease: Array  # (G,): how likely it is to cross a bridge, over the last ones of warm-up
    done: Array  # (1,) int64: sweeps made, warm-up included
    thin: Array  # (1,) int64
    rng: np.random.Generator


class SelectionRecord(NamedTuple):
    """What a stretch of a chain leaves behind."""

    weights: Array  # (T // thin, B, D): contrasts, 0 where a column is out
    inclusion: Array  # (T, G) bool
    chance: Array  # (T, G): the conditional inclusion probability at each visit, estimated
    scales: Array  # (T, G): from the prior while a column is out
    energy: Array  # (T,): minus the log of the joint density of inclusion and contrasts, up to a constant
    acceptance: Array  # (T,): of the Hamiltonian move
    accepted: Array  # (T, 5) int32: births, deaths, columns refreshed, pairs exchanged, columns bridged


def set_up_selection(target: WeightTarget, n_warmup: int, full: Array) -> SelectionSetup:
    """Prepare what chains share; ``full`` (A, B) are weights with all columns inside, to start from."""
    assert target.groups is not None
    columns = lay_out(target.groups, target.training, target.intercept_sd, target.values)
    plan = Plan(N_MOVES, 2 * N_MOVES, TARGETS["hmc"], TIME, TIME, 0, 0.0)  # a sweep is a chain of its own
    return SelectionSetup(target, columns, *curvature(target.gaussian, full), n_warmup, plan, full)


def start_selection(setup: SelectionSetup, rng: np.random.Generator, full: bool, thin: int = 1) -> SelectionState:
    """Set up a chain with no column inside, or with all of them."""
    assert setup.target.groups is not None
    weights = setup.full.copy() if full else np.zeros_like(setup.full)
    inside = np.full(len(setup.target.groups.names), full)
    return SelectionState(
        weights,
        inside,
        first_adaptation(0.5),
        inside.astype(float),
        np.zeros(len(inside)),
        np.ones(len(inside)),
        np.zeros(1, np.int64),
        np.array([thin]),
        rng,
    )


def advance_selection(
    setup: SelectionSetup, state: SelectionState, n: int, impute: Callable[[Target, Columns], CellSampler] | None = None
) -> tuple[SelectionState, SelectionRecord]:
    """Make ``n`` sweeps, each followed by Hamiltonian moves; return the state, changed in place, and the draws kept.

    The first ``n_warmup`` sweeps of a chain adapt the step size, and how often each column is visited and tried by a
    bridge: the surer it is in or out, the more seldom. They are not kept. Advancing by a and then by b is, bit for bit,
    advancing by a + b. ``impute`` ties unknown cells to the target and its columns; they are drawn before each sweep.
    """
    done, thin = int(state.done[0]), int(state.thin[0])
    before, after = max(done - setup.n_warmup, 0), max(done + n - setup.n_warmup, 0)
    n_draws, n_stored = after - before, after // thin - before // thin
    n_blocks, n_columns, n_features = state.weights.shape[1], len(state.inside), len(setup.target.scale)
    record = SelectionRecord(
        weights=np.zeros((n_stored, n_blocks, n_features)),
        inclusion=np.zeros((n_draws, n_columns), np.bool_),
        chance=np.zeros((n_draws, n_columns)),
        scales=np.zeros((n_draws, n_columns)),
        energy=np.zeros(n_draws),
        acceptance=np.zeros(n_draws),
        accepted=np.zeros((n_draws, len(MOVES)), np.int32),
    )
    sweeper = Sweeper(setup)
    sampler = None if impute is None else impute(sweeper.target, sweeper.columns)
    for sweep in range(done, done + n):
        warm = sweep < setup.n_warmup
        accepted = sweeper.sweep(state, warm, sampler)
        if warm:
            continue
        row, drawn = sweep - max(done, setup.n_warmup), sweep - setup.n_warmup + 1
        record.energy[row] = sweeper.energy(state)
        record.scales[row] = sweeper.draw_scales(state, state.rng)
        record.acceptance[row], record.accepted[row] = sweeper.acceptance, accepted
        record.inclusion[row], record.chance[row] = state.inside, state.chance
        if drawn % thin == 0:
            active = setup.target.training.rows.active
            record.weights[drawn // thin - before // thin - 1][:, active] = state.weights.T
    state.done[0] += n
    return state, record


class Sweeper:
    """What the sweeps of a chain need: its target, whose response may change between them, metrics and buffers."""

    def __init__(self, setup: SelectionSetup) -> None:
        kernel, columns = setup.target.kernel, setup.columns
        n_rows, n_blocks, n_features = len(kernel.rows.counts), setup.full.shape[1], len(setup.target.scale)
        self.plan, self.columns, self.freedom = setup.plan, columns, kernel.slab.freedom
        self.groups = setup.target.groups
        self.degrees = kernel.slab.degrees
        self.metrics = _Metrics(setup, kernel.precision.copy())  # what the geometry was taken with
        self.target = kernel._replace(scale=kernel.scale.copy())  # Hamiltonian moves write to it, and to the precisions
        self.logits = np.empty((n_rows, n_blocks))
        n_most = int(np.diff(columns.start).max(initial=0)), int(columns.n_particles.max(initial=1))
        self.work = column_workspace(n_rows, n_blocks, *n_most)
        self.scratch = scratch_for(setup.target, len(setup.dense))
        self.moves = empty_record(N_MOVES, 1, n_blocks, n_features)
        self.moments = np.zeros((2, n_blocks, n_features))
        self.bridge = Bridge(self.target, self.metrics.column_of, self.scratch, columns.odds)

    @property
    def acceptance(self) -> float:
        """The mean acceptance of the last Hamiltonian moves."""
        return float(self.moves.acceptance.mean())

    def sweep(self, state: SelectionState, warm: bool, sampler: CellSampler | None = None) -> Array:
        """Visit columns, perhaps try a bridge, and make Hamiltonian moves; return how many columns moved (5,).

        The state is changed in place; ``warm`` sweeps visit all columns and adapt. ``sampler`` has the unknown cells,
        tied to this target; they are drawn first.
        """
        rng, target, n_columns = state.rng, self.target, len(state.inside)
        accepted = np.zeros(len(MOVES), np.int32)
        rate = np.ones(n_columns) if warm else visit_rates(state.openness)
        if sampler is not None:
            sampler.sweep(rng, state.weights, keeps=False)
            self._sum_cells_out(state, sampler, rate, accepted)
            self.bridge.parts.clear()  # they hold values and a response
        data, arrays = self.arrays(state, accepted)
        visit_columns(rng, self.columns, data, arrays, self.work, rate, state.chance)
        if warm:
            state.openness[:] *= RECENT
            state.openness[:] += (1 - RECENT) * 4 * state.chance * (1 - state.chance)
        size = np.sqrt(self.freedom)  # else large columns, and those that are hardly open, come and go slowly
        if size.any() and (warm or rng.random() < RAREST + state.ease[size > 0].sum()):
            upto = np.cumsum(size * visit_rates(state.ease) * visit_rates(1 - state.openness))
            g = int(np.searchsorted(upto, rng.random() * upto[-1], side="right"))
            along = self.metrics.of(state.inside | (np.arange(n_columns) == g))
            crossed, ease = self.bridge.cross(rng, g, state.weights, state.inside, exp(state.adapt[AVERAGE]), along)
            accepted[-1] += crossed
            if warm:
                state.ease[g] += (1 - EASE) * (ease - state.ease[g])
        done = 0 if warm else self.plan.n_warmup
        chain, metric = ChainArrays(state.weights, state.adapt, *self.moments), self.metrics.of(state.inside)
        run_hmc(rng, target, metric, self.plan, chain, done, N_MOVES, self.scratch, self.moves)
        return accepted

    def arrays(self, state: SelectionState, accepted: Array) -> tuple[ColumnData, ColumnArrays]:
        """Return what kernels look at and what they change, with the moves made counted in ``accepted``."""
        data = ColumnData(self.target.rows.counts, self.target.sums, self.freedom)
        return data, ColumnArrays(state.weights, state.inside, self.logits, accepted)

    def _sum_cells_out(self, state: SelectionState, sampler: CellSampler, rate: Array, accepted: Array) -> None:
        """Let columns with unknown cells be born or die, with these cells summed out."""
        rng, target, aside = state.rng, self.target, np.zeros(len(MOVES), np.int32)
        if self.groups is None or not len(target.rows.values):
            return
        for unknown in find_column_cells(sampler.cells, self.groups):
            g = unknown.column
            if self.freedom[g] == 0 or rng.random() >= rate[g]:
                continue
            data, arrays = self.arrays(state, aside)
            move = partial(enter_or_leave, rng, self.columns, data, g, arrays, self.work)
            if move_column(rng, sampler, unknown, state.weights, state.inside, move):
                accepted[BIRTHS if state.inside[g] else DEATHS] += 1

    def energy(self, state: SelectionState) -> float:
        """Return minus the log of the joint density of inclusion and contrasts given the response, up to a constant."""
        target, scratch = self.target, self.scratch
        u = energy_and_gradient(target, state.weights, scratch.vectors[0], scratch.tile)
        u += without_scales(target.slab, target.rows.active, state.weights, target.precision)
        return float(u - log_inclusion_prior(state.inside, self.degrees, self.freedom))

    def draw_scales(self, state: SelectionState, rng: np.random.Generator) -> Array:
        """Draw the scales (G,) given the contrasts whose energy was taken last; of columns that are out, a priori."""
        degrees = self.degrees + np.where(state.inside, self.freedom, 0.0)
        return np.asarray(np.sqrt((self.degrees + self.target.slab.square) / rng.chisquare(degrees)))


def visit_rates(openness: Array) -> Array:
    """Return the probability that a sweep visits each column (G,).

    >>> visit_rates(np.array([0.0, 0.04, 1.0])).round(2).tolist()
    [0.1, 0.28, 1.0]
    """
    return np.asarray(RAREST + (1 - RAREST) * np.sqrt(openness))


class _Metrics:
    """The metrics of Hamiltonian moves by the set of columns inside; the last ones that were made are kept."""

    def __init__(self, setup: SelectionSetup, precision: Array) -> None:
        self.setup, self.precision = setup, precision
        self.column_of = setup.target.slab.column[setup.target.training.rows.active]  # (A,) the column of each feature
        m, n_blocks = setup.dense.shape[1:]
        self.most = max(2, KEPT_BYTES // (16 * n_blocks * (m * m + len(setup.rest)) + 1))
        self.known: dict[bytes, Metric] = {}

    def of(self, inside: Array) -> Metric:
        """Return the metric in which these columns move (G,), and the intercept, which always does."""
        key = inside.tobytes()
        if key not in self.known:
            if len(self.known) >= self.most:
                del self.known[next(iter(self.known))]
            moving = np.append(inside, True)[self.column_of]
            made = make_metric(self.setup.dense, self.setup.rest, moving)
            self.known[key] = made._replace(precision=self.precision)
        return self.known[key]


def column_workspace(n_rows: int, n_blocks: int, n_features: int, n_particles: int) -> ColumnWorkspace:
    """Return arrays for the moves of columns with at most so many features."""
    table, square = (n_features, n_blocks), (n_features, n_blocks, n_blocks)
    return ColumnWorkspace(
        base=np.zeros((n_rows, n_blocks)),
        z=np.zeros((n_rows, n_blocks)),
        p=np.zeros((n_rows, n_blocks)),
        mode=np.zeros(table),
        lower=np.zeros(square),
        tie=np.zeros(square),
        slope=np.zeros(table),
        first=np.zeros(table),
        value=np.zeros(table),
        root=np.zeros((2, n_blocks, n_blocks)),
        centre=np.zeros((2, n_blocks)),
        cross=np.zeros((n_blocks, n_blocks)),
        line=np.zeros((7, n_blocks)),
        point=np.zeros((2, 3)),
        particle=np.zeros((n_particles, n_blocks)),
        chance=np.zeros(n_particles),
    )
