"""The joint chain under the learned prior: labels, which columns matter, and their weights, all in one chain.

The target is p(b, inclusion, V | A, X), with V the contrasts of the columns inside, scales and omega integrated out::

    exp(-S(b)) prod_i softmax_{b_i}(V x_i) p(V | inclusion) p(inclusion)

A sweep has three parts, each of which leaves the target invariant. Scales are drawn given the weights. Given them, and
which columns are inside, the target is that of the fixed prior on these columns alone: its chain moves labels and
weights (``joint/chain.py``). Given the labels, columns come and go and weights move (``theta/selection.py``). Where
cells are unknown, a sweep over them, given labels and weights, comes before the columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.chain import NEVER, n_kept
from ffbm.blocks.target import BlockTarget, block_ledger
from ffbm.joint import chain as joint
from ffbm.joint.chain import JointSettings, JointSetup, JointState
from ffbm.joint.prepare import JointModel, joint_model
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.metric import Metric
from ffbm.kernels.target import entropy_of
from ffbm.kernels.weightchain import AVERAGE
from ffbm.kernels.workspace import ENTROPY, LOWEST, SWEEPS, VISITS
from ffbm.kernels.workspace import MOVES as MOVED
from ffbm.rng import far_from
from ffbm.theta.adapt import first_adaptation
from ffbm.theta.cells import NO_CELLS, CellState
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import Training, make_design
from ffbm.theta.imputed import ImputedSelection, ImputedSelectionState, advance_imputed_selection
from ffbm.theta.mode import curvature, curvature_metric, find_mode, make_metric
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.prior import INTERCEPT_SD, learned_scales
from ffbm.theta.scales import settle_scales
from ffbm.theta.selection import (
    MOVES,
    TIME,
    SelectionSetup,
    SelectionState,
    Sweeper,
    advance_selection,
    set_up_selection,
    start_selection,
)
from ffbm.types import Array, Graph

_MOST_PARTS = 64  # sets of columns whose models are remembered


class ColumnSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    model: JointModel
    settings: JointSettings  # of the labels: burn-in, thinning, moves of many vertices
    columns: SelectionSetup  # of the columns; response, geometry and warm-up are those of a chain
    gap: int = 1  # sweeps over the labels for one over the columns; it divides ``thin``


class Geometry(NamedTuple):
    """The geometry in which Hamiltonian moves are made: see ``curvature``."""

    dense: Array  # (m, m, B)
    rest: Array  # (A, B)
    scale: Array  # (D,) typical scales, with which it was taken


class ColumnState(NamedTuple):
    """A chain at rest: all that steps change."""

    ledger: Ledger | WeightedLedger
    totals: Array  # see ``workspace.Counters``
    tally: Array  # (8,) int64: the same, and at the places that ``kernels.joint`` names
    best: Array  # (N,) the labels of the lowest S
    geometry: Geometry  # found again while chains adapt
    columns: SelectionState  # ``done`` counts sweeps over the columns since the geometry was found
    scale: Array  # (D,) of each feature, as drawn after the last sweep over the columns
    chance: Array  # (G,) the sum of the inclusion probabilities over the sweeps since the last kept draw
    cells: CellState  # the unknown cells, empty if there are none
    accepted: Array  # (5,) int32: columns that moved since that draw

    @property
    def lowest(self) -> float:
        """The lowest S visited, the start included."""
        return float(self.totals[LOWEST])


class ColumnDraws(NamedTuple):
    """The draws kept on a stretch of the chain: labels, and columns and weights that belong to them."""

    labels: Array  # (T, N)
    entropy: Array  # (T,) S
    moved: Array  # (T,) the share of vertex visits that moved their vertex, since the draw before
    inclusion: Array  # (T, G) bool
    chance: Array  # (T, G): the conditional inclusion probability at visits, over the sweeps since the draw before
    scales: Array  # (T, G): from the prior while a column is out
    weights: Array  # (T, B, D): contrasts, 0 where a column is out
    energy: Array  # (T,): minus the log density of labels, inclusion and contrasts but for S, up to a constant
    acceptance: Array  # (T,): of the last Hamiltonian moves
    accepted: Array  # (T, 5) int32: as in ``SelectionRecord``, since the draw before


def column_setup(
    graph: Graph | BlockTarget,
    features: Any,
    n_blocks: int,
    settings: JointSettings,
    rows: Any = None,
    intercept: bool = True,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    n_warmup: int = 30,
) -> ColumnSetup:
    """Prepare the joint target of a graph and the features of its vertices under the learned prior.

    The arguments are those of ``joint_model`` and ``weight_target``; ``n_warmup`` sweeps over the columns adapt, before
    the first sweep over the labels and once more in the burn-in.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> setup = column_setup(graph, [[1, 0], [1, 0], [0, 1], [0, 1]], 2, JointSettings(burn=10, thin=1))
    >>> state = start(setup, np.array([0, 0, 1, 1]), np.random.default_rng(1), full=False)
    >>> advance(setup, state, 15)[1].inclusion.shape
    (5, 2)
    """
    design = make_design(features, intercept)
    scale = learned_scales(design, intercept_sd).tolist()
    model = joint_model(graph, design, n_blocks, rows, scale, intercept)
    return with_columns(model, settings, group_columns(design, column_groups), intercept_sd, n_warmup)


def with_columns(
    model: JointModel, settings: JointSettings, groups: ColumnGroups, intercept_sd: float, n_warmup: int
) -> ColumnSetup:
    """Prepare the selection of the columns of a joint target."""
    nothing = np.zeros((len(model.training.rows.active), model.n_blocks))
    target = WeightTarget(model.training, nothing, model.scale, groups=groups, intercept_sd=intercept_sd)
    return ColumnSetup(model, settings, set_up_selection(target, n_warmup, nothing))


def start(setup: ColumnSetup, labels: Array, rng: np.random.Generator, full: bool) -> ColumnState:
    """Set up a chain at ``labels`` with no column inside, or with all, after a warm-up of the columns given these."""
    unknown, training = setup.model.unknown, setup.model.training
    cells = NO_CELLS if unknown is None else unknown.cells.begin(rng)
    target = _response(setup, labels, cells)
    mode = find_mode(target.gaussian)
    geometry = Geometry(*curvature(target.gaussian, mode), target.scale)
    selection = _selection_setup(setup, target, geometry)._replace(full=mode)
    columns = start_selection(selection, rng, full)
    if unknown is None:
        advance_selection(selection, columns, selection.n_warmup)
    else:
        selects = ImputedSelection(selection, unknown.given(training, labels[training.vertices]))
        advance_imputed_selection(selects, ImputedSelectionState(columns, cells), selection.n_warmup)
    ledger = block_ledger(setup.model.blocks, labels, setup.model.n_blocks)
    entropy = entropy_of(setup.model.blocks, ledger)
    return ColumnState(
        ledger=ledger,
        totals=np.array([entropy, 0.0, entropy]),
        tally=np.zeros(8, dtype=np.int64),
        best=ledger.b.copy(),
        geometry=geometry,
        columns=columns,
        scale=target.scale.copy(),
        chance=np.zeros(len(columns.inside)),
        accepted=np.zeros(len(MOVES), np.int32),
        cells=cells,
    )


def advance(
    setup: ColumnSetup, state: ColumnState, n_sweeps: int, moves: "ColumnMoves | None" = None
) -> tuple[ColumnState, ColumnDraws]:
    """Run ``n_sweeps`` sweeps and return the state, changed in place, and the draws kept on the way.

    The first sweeps adapt. Half-way through them the geometry is computed again, at the labels of that moment; step
    size and the rates at which columns are visited are adapted to it before they end. Advancing by a and then by b is,
    bit for bit, advancing by a + b. ``moves`` are those of the state's geometry, made here if they are not at hand.
    """
    burn, thin, renewal = setup.settings.burn, setup.settings.thin, setup.settings.adapting // 2
    done = int(state.tally[SWEEPS])
    draws, end = _no_draws(setup, done, n_sweeps), done + n_sweeps
    kept, moves = 0, moves or ColumnMoves(setup, state)
    while done < end:
        since = (done - burn) % setup.gap  # sweeps over the labels since the last one over the columns
        if done == renewal > 0:
            state = renew(setup, state)
            moves = ColumnMoves(setup, state)
        if since == 0 or done in (0, renewal):
            moves.draw_scales(state)
        n = min(end - done, setup.gap - since, renewal - done if done < renewal else n_sweeps)
        moves.move_labels(state, n)
        state.chance[:] += n * state.columns.chance
        done += n
        if (done - burn) % setup.gap == 0:  # among others before each kept draw, since the gap divides ``thin``
            state.chance[:] -= state.columns.chance
            state.accepted[:] += moves.sweep_columns(state, done <= setup.settings.adapting)
            state.chance[:] += state.columns.chance
        if done == burn:
            _begin_draw(state)
        elif done > burn and (done - burn) % thin == 0:
            _keep(setup, state, moves.sweeper, draws, kept)
            _begin_draw(state)
            kept += 1
    return state, draws


class ColumnMoves:
    """The three parts of a sweep, with what they need: any state of a target with this geometry may be moved."""

    def __init__(self, setup: ColumnSetup, state: ColumnState) -> None:
        self.setup, self.geometry = setup, state.geometry
        target = _response(setup, state.ledger.b, state.cells)
        self.selection = _selection_setup(setup, target, state.geometry)
        if setup.model.unknown is not None:  # its own, since cells are written there
            columns = self.selection.columns
            self.selection = self.selection._replace(columns=columns._replace(value=columns.value.copy()))
        self.sweeper = Sweeper(self.selection)
        assert target.groups is not None
        self.of_feature = target.groups.of_feature
        self.column_of = self.of_feature[target.training.rows.active]  # (A,) the column of each active feature
        self.parts: dict[bytes, _Part] = {}

    def step(self, state: ColumnState, n_sweeps: int, burns: bool) -> None:
        """Make some sweeps over the labels and one over the columns."""
        self.draw_scales(state)
        self.move_labels(state, n_sweeps)
        self.sweep_columns(state, burns)

    def draw_scales(self, state: ColumnState) -> None:
        """Draw the scale of each feature given the contrasts; that of the intercept is as it is."""
        columns, of_learned = state.columns, self.column_of >= 0
        each = (columns.weights[of_learned] ** 2).sum(axis=1)
        square = np.bincount(self.column_of[of_learned], weights=each, minlength=len(columns.inside))
        degrees = self.sweeper.degrees
        drawn = columns.rng.chisquare(degrees + np.where(columns.inside, self.sweeper.freedom, 0.0))
        scale = np.sqrt((degrees + square) / drawn)
        state.scale[:] = np.append(scale, self.selection.target.intercept_sd)[self.of_feature]

    def move_labels(self, state: ColumnState, n_sweeps: int = 1) -> None:
        """Move labels, and weights of the columns inside, by the chain of the fixed prior with these scales."""
        moving, setup, metric, entries = self._part(state.columns.inside, state.geometry)
        w, adapt, rng, values = state.columns.weights, state.columns.adapt, state.columns.rng, np.zeros(0)
        if self.setup.model.unknown is not None and len(entries):
            values = self.setup.model.unknown.values(self.setup.model.training, state.cells)[entries]
        inner = JointState(
            state.ledger, state.totals, state.tally, state.best, metric, np.array([TIME, TIME]),
            np.ascontiguousarray(w[moving]), state.scale, values, adapt, NO_CELLS, np.zeros((0, 0, 0)), rng,
        )  # fmt: skip
        inner, _ = joint.advance(setup, inner, n_sweeps)
        w[moving] = inner.weights

    def sweep_columns(self, state: ColumnState, burns: bool) -> Array:
        """Move columns and weights given the labels; return how many columns moved (5,)."""
        sampler = None
        if self.setup.model.unknown is None:
            self.sweeper.target.sums[:] = self.setup.model.training.sums_of_labels(state.ledger.b)
        else:
            sampler = self._sampler(state)
        warm = burns and int(state.columns.done[0]) < self.selection.n_warmup
        state.columns.done[0] += 1
        return self.sweeper.sweep(state.columns, warm, sampler)

    def _sampler(self, state: ColumnState) -> CellSampler:
        """Return what draws the unknown cells of a state given its labels, tied to the target of the columns."""
        training, unknown = self.setup.model.training, self.setup.model.unknown
        assert unknown is not None
        known = unknown.given(training, state.ledger.b[training.vertices])
        more = [self.sweeper.columns.value]
        return CellSampler(known.cells, known.y, state.cells, self.sweeper.target, known.base, more)

    def _part(self, inside: Array, geometry: Geometry) -> "_Part":
        """Return the model of the columns inside."""
        key = inside.tobytes()
        if key not in self.parts:
            if len(self.parts) >= _MOST_PARTS:
                del self.parts[next(iter(self.parts))]
            moving = np.append(inside, True)[self.column_of]
            model, first = self.setup.model, np.flatnonzero(moving[: len(geometry.dense)])
            training = model.training.restrict(moving)
            nothing = np.zeros((len(training.rows.active), model.n_blocks))
            metric_at_zero = curvature_metric(training.target(nothing, geometry.scale), nothing)
            metric = make_metric(geometry.dense[np.ix_(first, first)], geometry.rest[moving])
            settings = self.setup.settings._replace(
                burn=0, thin=NEVER, n_moves=int(self.setup.gap > 1), n_warmup=0, sampler="hmc"
            )
            part = model._replace(training=training, metric_at_zero=metric_at_zero, unknown=None)
            self.parts[key] = _Part(moving, JointSetup(part, settings), metric, _entries(model.training, moving))
        return self.parts[key]


class _Part(NamedTuple):
    """The model of some columns."""

    moving: Array  # (A,) bool: their features, among the active ones
    setup: JointSetup
    metric: Metric
    entries: Array  # which values of all rows are those of their rows; empty if all values are 1


def _entries(training: Training, moving: Array) -> Array:
    """Return the numbers of the entries of the rows that belong to these active features."""
    if not len(training.rows.values):
        return np.zeros(0, np.int64)
    numbered = training.matrix(np.arange(1.0, len(training.rows.values) + 1))
    return sp.csr_array(numbered[:, np.flatnonzero(moving)]).sorted_indices().data.astype(np.int64) - 1


def _response(setup: ColumnSetup, labels: Array, cells: CellState) -> WeightTarget:
    """Return the target of the weights given labels and cells."""
    target, training, unknown = setup.columns.target, setup.model.training, setup.model.unknown
    if unknown is None:
        return replace(target, sums=training.sums_of_labels(labels))
    return unknown.given(training, labels[training.vertices]).complete(target, cells)


def _selection_setup(setup: ColumnSetup, target: WeightTarget, geometry: Geometry) -> SelectionSetup:
    """Return the set-up of the chain over columns, given labels and a geometry."""
    weight_target = replace(target, scale=geometry.scale)
    return setup.columns._replace(target=weight_target, dense=geometry.dense, rest=geometry.rest)


def renew(setup: ColumnSetup, state: ColumnState) -> ColumnState:
    """Find the geometry given the labels and typical scales; the step size begins again."""
    settled = settle_scales(_response(setup, state.ledger.b, state.cells), state.columns.rng)
    mode = find_mode(settled.gaussian)
    state.columns.done[0] = 0
    state.columns.adapt[:] = first_adaptation(exp(state.columns.adapt[AVERAGE]))
    return state._replace(geometry=Geometry(*curvature(settled.gaussian, mode), settled.scale))


def _begin_draw(state: ColumnState) -> None:
    """Reset the counts that go with the next draw."""
    state.tally[[VISITS, MOVED]], state.chance[:], state.accepted[:] = 0, 0.0, 0


def _keep(setup: ColumnSetup, state: ColumnState, sweeper: Sweeper, draws: ColumnDraws, row: int) -> None:
    """Write down the state as a draw.

    Scales are drawn from a stream far from the chain's, so that the chain is the same however often a draw is kept.
    """
    columns, tally = state.columns, state.tally
    draws.labels[row], draws.entropy[row] = state.ledger.b, state.totals[ENTROPY]
    draws.moved[row] = tally[MOVED] / max(tally[VISITS], 1)
    draws.inclusion[row] = columns.inside
    draws.chance[row] = state.chance / setup.settings.thin
    draws.energy[row] = sweeper.energy(columns)
    draws.scales[row] = sweeper.draw_scales(columns, far_from(columns.rng))
    draws.weights[row][:, setup.model.training.rows.active] = columns.weights.T
    draws.acceptance[row], draws.accepted[row] = sweeper.acceptance, state.accepted


def _no_draws(setup: ColumnSetup, done: int, n_sweeps: int) -> ColumnDraws:
    """Return empty arrays for the draws that so many sweeps keep."""
    n = n_kept(setup.settings.burn, setup.settings.thin, done, n_sweeps)
    n_blocks, n_nodes = setup.model.n_blocks, setup.model.graph.n_nodes
    n_columns = len(setup.columns.columns.start) - 1
    return ColumnDraws(
        labels=np.empty((n, n_nodes), dtype=np.min_scalar_type(n_blocks - 1)),
        entropy=np.empty(n),
        moved=np.empty(n),
        inclusion=np.empty((n, n_columns), dtype=np.bool_),
        chance=np.empty((n, n_columns)),
        scales=np.empty((n, n_columns)),
        weights=np.zeros((n, n_blocks, len(setup.model.scale))),
        energy=np.empty(n),
        acceptance=np.empty(n),
        accepted=np.empty((n, len(MOVES)), dtype=np.int32),
    )
