"""The chain that selects columns as a stepper: which are inside, and the weights of those that are."""

from typing import NamedTuple

import numpy as np

from ffbm.kernels.arrow import Columns, Workspace
from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.selection import log_inclusion_prior, visit_columns
from ffbm.kernels.slab import DEGREES
from ffbm.kernels.softmax import TILE, energy_and_gradient
from ffbm.kernels.weightchain import Plan, Record, Scratch
from ffbm.theta.adapt import TARGETS, first_adaptation
from ffbm.theta.chain import rows_room
from ffbm.theta.columns import lay_out
from ffbm.theta.mode import curvature, make_metric
from ffbm.theta.prepare import WeightTarget
from ffbm.types.network import Array

PARTICLES = 4  # for each feature
TIME = 1.6  # of a trajectory
N_MOVES = 4  # Hamiltonian ones, after each sweep
MOVES = ("births", "deaths", "refreshed", "exchanged")


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
    accepted: Array  # (T, 4) int32: births, deaths, columns refreshed, pairs exchanged


def set_up_selection(target: WeightTarget, n_warmup: int, full: Array) -> SelectionSetup:
    """Prepare what chains share; ``full`` (A, B) are weights with all columns inside, to start from."""
    assert target.groups is not None
    columns = lay_out(target.groups, target.training, target.intercept_sd)
    plan = Plan(n_warmup * N_MOVES, 2 * N_MOVES, TARGETS["hmc"], TIME, TIME, 0, 0.0)
    return SelectionSetup(target, columns, *curvature(target.gaussian, full), n_warmup, plan, full)


def start_selection(setup: SelectionSetup, rng: np.random.Generator, full: bool, thin: int = 1) -> SelectionState:
    """Set up a chain with no column inside, or with all of them."""
    assert setup.target.groups is not None
    weights = setup.full.copy() if full else np.zeros_like(setup.full)
    inside = np.full(len(setup.target.groups.names), full)
    return SelectionState(weights, inside, first_adaptation(0.5), np.zeros(1, np.int64), np.array([thin]), rng)


def advance_selection(setup: SelectionSetup, state: SelectionState, n: int) -> tuple[SelectionState, SelectionRecord]:
    """Make ``n`` sweeps, each followed by a Hamiltonian move; return the state, changed in place, and the draws kept.

    The first ``n_warmup`` sweeps of a chain adapt the step size and are not kept. Advancing by a and then by b is, bit
    for bit, advancing by a + b.
    """
    rng, done, thin = state.rng, int(state.done[0]), int(state.thin[0])
    before, after = max(done - setup.n_warmup, 0), max(done + n - setup.n_warmup, 0)
    n_draws, n_stored = after - before, after // thin - before // thin
    n_active, n_blocks = state.weights.shape
    n_columns, n_features = len(state.inside), len(setup.target.scale)
    record = SelectionRecord(
        weights=np.zeros((n_stored, n_blocks, n_features)),
        inclusion=np.zeros((n_draws, n_columns), np.bool_),
        chance=np.zeros((n_draws, n_columns)),
        scales=np.zeros((n_draws, n_columns)),
        energy=np.zeros(n_draws),
        acceptance=np.zeros(n_draws),
        accepted=np.zeros((n_draws, len(MOVES)), np.int32),
    )
    target, columns = setup.target.kernel, setup.columns
    target = target._replace(scale=target.scale.copy())  # Hamiltonian moves write to it
    freedom, active = target.slab.freedom, target.rows.active
    n_rows = len(target.rows.counts)
    logits = np.empty((n_rows, n_blocks))
    work = workspace(n_rows, n_blocks, int(np.diff(columns.start).max(initial=0)))
    own = target.slab.column[active]
    scratch, moves = _room(setup, n_active, n_blocks, n_features)
    chance, moments = np.zeros(n_columns), np.zeros((2, n_blocks, n_features))
    metric, moved = None, np.zeros(0)
    for sweep in range(done, done + n):
        accepted = np.zeros(len(MOVES), np.int32)
        visit_columns(
            rng, columns, target.rows.counts, target.sums, freedom, state.weights, state.inside, logits, work,
            chance, accepted,
        )  # fmt: skip
        moving = np.append(state.inside, True)[own]  # the intercept always does
        if metric is None or not np.array_equal(moving, moved):
            metric, moved = make_metric(setup.dense, setup.rest, moving), moving
        tail = (state.weights, state.adapt, sweep * N_MOVES, N_MOVES, *moments, scratch, moves)
        run_hmc(rng, target, metric, setup.plan, *tail)
        if sweep < setup.n_warmup:
            continue
        row, drawn = sweep - max(done, setup.n_warmup), sweep - setup.n_warmup + 1
        u = energy_and_gradient(target, state.weights, scratch.own[0], scratch.tile, scratch.bits)
        record.energy[row] = u - log_inclusion_prior(state.inside, freedom)
        degrees = DEGREES + np.where(state.inside, freedom, 0.0)  # |V|^2 of the columns is in ``square`` now
        record.scales[row] = np.sqrt((DEGREES + target.slab.square) / rng.chisquare(degrees))
        record.acceptance[row], record.accepted[row] = moves.acceptance.mean(), accepted
        record.inclusion[row], record.chance[row] = state.inside, chance
        if drawn % thin == 0:
            record.weights[drawn // thin - before // thin - 1][:, active] = state.weights.T
    state.done[0] += n
    return state, record


def _room(setup: SelectionSetup, n_active: int, n_blocks: int, n_features: int) -> tuple[Scratch, Record]:
    """Return what Hamiltonian moves need to work in, and where they leave what is of no use here."""
    scratch = Scratch(
        tile=np.empty((TILE, n_blocks)),
        bits=np.empty(TILE * n_blocks, dtype=np.int64),
        line=np.empty((2, max(len(setup.dense), 1))),
        own=np.empty((6, n_active, n_blocks)),
        draw=np.empty((n_blocks, n_features)),
        **rows_room(setup.target),
    )
    moves = Record(
        weights=np.empty((1, n_blocks, n_features)),
        energy=np.empty(N_MOVES),
        acceptance=np.empty(N_MOVES),
        step_size=np.empty(N_MOVES),
        n_steps=np.empty(N_MOVES, dtype=np.int32),
        diverging=np.empty(N_MOVES, dtype=np.bool_),
    )
    return scratch, moves


def workspace(n_rows: int, n_blocks: int, n_features: int, n_particles: int = PARTICLES) -> Workspace:
    """Return arrays for the moves of columns with at most so many features."""
    table, square = (n_features, n_blocks), (n_features, n_blocks, n_blocks)
    return Workspace(
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
        line=np.zeros((6, n_blocks)),
        point=np.zeros((2, 3)),
        bits=np.zeros(4, np.int64),
        particle=np.zeros((n_particles, n_blocks)),
        chance=np.zeros(n_particles),
    )
