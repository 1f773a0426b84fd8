"""The joint chain as a stepper: ``start`` makes a state, ``advance`` moves it; what never changes is an argument.

A sweep over the labels in the field of the weights, some moves of many vertices, then weight moves given the labels.
Where cells of the features are unknown, a sweep over them follows, given labels and weights (``theta/cellsweep.py``).
"""

from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import n_kept
from ffbm.blocks.target import block_ledger
from ffbm.joint.prepare import JointModel
from ffbm.kernels.blockchain import Schedule
from ffbm.kernels.carrier import Carrier, CarryBuffers
from ffbm.kernels.joint import WEIGHT_MOVES, JointDraws, JointSchedule, WeightMoves, run_joint
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.metric import Metric
from ffbm.kernels.mode import MEMORY, ModeBuffers
from ffbm.kernels.target import entropy_of
from ffbm.kernels.weightchain import ChainArrays, Plan, empty_record, make_scratch
from ffbm.kernels.workspace import LOWEST, SWEEPS, Counters, make_workspace
from ffbm.theta import chain as weights
from ffbm.theta.adapt import TARGETS
from ffbm.theta.cells import NO_CELLS, CellState
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.drawn import join
from ffbm.theta.prepare import WeightTarget
from ffbm.types import Array

ADAPTING = 200  # sweeps of the burn-in, at most, that adapt the weight moves
LAW_EVERY, MOST_LAWS = 5, 32  # sweeps: the law of the columns is looked at once in so many; and how many are kept


class JointSettings(NamedTuple):
    """What is chosen for a chain."""

    burn: int
    thin: int
    n_moves: int = 1  # weight moves after each sweep
    n_warmup: int = 500  # weight moves before the first sweep
    jumps: float = 0.2  # moves of many vertices with the weights as they are, after each sweep, on average
    shifts: float = 0.2  # moves of many vertices that carry the weights along
    sampler: str = "hmc"
    beta: float = 1.0  # inverse temperature: see ``joint.ladder``

    @property
    def schedule(self) -> JointSchedule:
        """The settings as the kernel takes them."""
        blocks = Schedule(self.burn, self.thin, self.beta, allow_empty=True, jumps=self.jumps)
        return JointSchedule(blocks, self.shifts, self.n_moves, self.sampler == "hmc")

    @property
    def adapting(self) -> int:
        """The sweeps of the burn-in that adapt the weight moves; half-way through them the geometry is found again."""
        return min(self.burn, ADAPTING)

    @property
    def n_adapting(self) -> int:
        """How many weight moves adapt the step size: all until the end of these sweeps."""
        return self.n_warmup + self.adapting * self.n_moves

    def plan(self, times: Array) -> Plan:
        """Return the plan of the weight moves, with the times of a trajectory."""
        least, most = times.tolist()
        return Plan(self.n_adapting, 1, TARGETS[self.sampler], least, most, weights.MALA_STEPS, 0.0)


class JointSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    model: JointModel
    settings: JointSettings


class JointState(NamedTuple):
    """A chain at rest: all that steps change."""

    ledger: Ledger | WeightedLedger
    totals: Array  # see ``workspace.Counters``
    tally: Array  # (8,) int64: the same, and at the places that ``kernels.joint`` names
    best: Array  # (N,) the labels of the lowest S
    metric: Metric  # the geometry of the weight moves: it is found again while chains adapt
    times: Array  # (2,) the least and the most time of a trajectory in it
    weights: Array  # (A, B) contrasts of the features that some training vertex has
    scale: Array  # (D,) the prior standard deviation of each feature's weights: a sampler may update it
    values: Array  # of the training rows, in place of the design's own where cells are sampled; else empty
    adapt: Array  # (5,) the state of dual averaging
    cells: CellState  # the unknown cells, empty if there are none
    laws: Array  # (L, K, 1 + C + 2 Q): laws of the columns, a sample of those after the burn-in
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest S visited, the start included."""
        return float(self.totals[LOWEST])

    @property
    def counters(self) -> Counters:
        """What the chain counts, for kernels."""
        return Counters(self.totals, self.tally, self.best)


def start(setup: JointSetup, labels: Array, rng: np.random.Generator) -> JointState:
    """Set up a chain at ``labels``, its weights after ``n_warmup`` moves given these, with its own random stream."""
    unknown, cells, values = setup.model.unknown, NO_CELLS, np.zeros(0)
    if unknown is not None:
        cells = unknown.cells.begin(rng)
        values = unknown.values(setup.model.training, cells)
    weight_setup = set_up(setup, labels, setup.model.scale, values, rng)
    warm, _ = weights.advance(weight_setup, weights.start(weight_setup, rng), setup.settings.n_warmup)
    return resume_at(setup, labels, warm.weights, warm.adapt, weight_setup, rng, cells)


def resume_at(
    setup: JointSetup,
    labels: Array,
    w: Array,
    adapt: Array,
    weight_setup: weights.WeightSetup,
    rng: np.random.Generator,
    cells: CellState = NO_CELLS,
) -> JointState:
    """Set up a chain at ``labels`` and weights w (A, B), in the geometry of weights given other labels or these."""
    ledger = block_ledger(setup.model.blocks, labels, setup.model.n_blocks)
    entropy = entropy_of(setup.model.blocks, ledger)
    tally = np.zeros(8, dtype=np.int64)
    tally[WEIGHT_MOVES] = setup.settings.n_warmup
    return JointState(
        ledger=ledger,
        totals=np.array([entropy, 0.0, entropy]),
        tally=tally,
        best=ledger.b.copy(),
        metric=weight_setup.metric,
        times=_times(weight_setup),
        weights=w.copy(),
        scale=weight_setup.target.scale.copy(),
        values=weight_setup.target.values.copy(),
        adapt=adapt.copy(),
        cells=cells,
        laws=np.zeros((0, 0, 0) if setup.model.unknown is None else (0, *cells.law_table.shape)),
        rng=rng,
    )


def set_up(
    setup: JointSetup, labels: Array, scale: Array, values: Array, rng: np.random.Generator
) -> weights.WeightSetup:
    """Find the mode and the geometry of the weights given labels, the prior's scales and values of rows, if any."""
    training, settings = setup.model.training, setup.settings
    target = WeightTarget(training, training.sums_of_labels(labels, values), scale, values)
    return weights.set_up(target, settings.sampler, settings.n_adapting, rng)


def _times(weight_setup: weights.WeightSetup) -> Array:
    return np.array([weight_setup.plan.least_time, weight_setup.plan.most_time])


def advance(setup: JointSetup, state: JointState, n_sweeps: int) -> tuple[JointState, JointDraws]:
    """Run ``n_sweeps`` sweeps and return the state and the draws kept on the way.

    The first sweeps adapt. Half-way through them the geometry is computed again, at the labels of that moment, and the
    step size is adapted to it until they end. Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    if setup.model.unknown is None:
        return _move(setup, state, n_sweeps)
    pieces = [_run(setup, state, 0)]
    for _ in range(n_sweeps):
        state, one = _move(setup, state, 1)
        pieces += [one] * bool(len(one.entropy))
        state = _sweep_cells(setup, state)
    return state, join(pieces)


def _sweep_cells(setup: JointSetup, state: JointState) -> JointState:
    """Draw the unknown cells given labels and weights, and the law of the columns given all cells."""
    training, done = setup.model.training, int(state.tally[SWEEPS]) - setup.settings.burn
    assert setup.model.unknown is not None
    unknown = setup.model.unknown.given(training, state.ledger.b[training.vertices])
    target = training.target(np.empty_like(state.weights), state.scale, state.values)
    CellSampler(unknown.cells, unknown.y, state.cells, target, unknown.base).sweep(
        state.rng, state.weights, keeps=done > 0
    )
    if done <= 0 or done % LAW_EVERY:
        return state
    n_seen, law = done // LAW_EVERY, state.cells.law_table[np.newaxis]
    if n_seen <= MOST_LAWS:
        return state._replace(laws=np.concatenate((state.laws, law)))
    slot = int(state.rng.integers(n_seen))  # each law so far is among those kept with the same probability
    if slot < MOST_LAWS:
        state.laws[slot] = law[0]
    return state


def _move(setup: JointSetup, state: JointState, n_sweeps: int) -> tuple[JointState, JointDraws]:
    """Move labels and weights, given the cells."""
    renewal = setup.settings.adapting // 2
    before = renewal - int(state.tally[SWEEPS])
    if renewal == 0 or not 0 <= before < n_sweeps:
        return state, _run(setup, state, n_sweeps)
    first = _run(setup, state, before)
    weight_setup = set_up(setup, state.ledger.b, state.scale, state.values, state.rng)
    adapt = weights.start(weight_setup, state.rng).adapt
    state = state._replace(metric=weight_setup.metric, times=_times(weight_setup), adapt=adapt)
    return state, join([first, _run(setup, state, n_sweeps - before)])


def _run(setup: JointSetup, state: JointState, n_sweeps: int) -> JointDraws:
    model, settings = setup.model, setup.settings
    n_nodes, n_blocks = len(state.ledger.b), len(state.ledger.n)
    n_features = len(state.scale)
    kept = n_kept(settings.burn, settings.thin, int(state.tally[SWEEPS]), n_sweeps)
    draws = JointDraws(
        labels=np.empty((kept, n_nodes), dtype=np.min_scalar_type(n_blocks - 1)),
        entropy=np.empty(kept),
        moved=np.empty(kept),
        weights=np.empty((kept, n_blocks, n_features)),
        energy=np.empty(kept),
        acceptance=np.empty(kept),
        step_size=np.empty(kept),
        n_steps=np.empty(kept, dtype=np.int32),
        diverging=np.empty(kept, dtype=np.bool_),
    )
    # each sweep fills the field and the sums before it reads them
    blocks = model.blocks._replace(field=np.zeros((n_nodes, n_blocks)))
    carrier, moves = _carrier_and_moves(setup, state)
    run_joint(
        state.rng, blocks, state.ledger, settings.schedule, n_sweeps, carrier, moves, state.counters,
        make_workspace(n_nodes, n_blocks), draws,
    )  # fmt: skip
    return draws


def _carrier_and_moves(setup: JointSetup, state: JointState) -> tuple[Carrier, WeightMoves]:
    """Return what moves of the weights need, along with the labels and given them, with the arrays they work in."""
    model, (n_active, n_blocks) = setup.model, state.weights.shape
    n_features, n_moves = len(state.scale), setup.settings.n_moves
    n_dense = max(state.metric.n_dense, model.metric_at_zero.n_dense)
    scratch = make_scratch(n_active, n_blocks, n_features, n_dense, 0)  # the prior is fixed here
    buffers = CarryBuffers(
        modes=np.empty((2, n_active, n_blocks)),
        curves=np.empty((2, n_active, n_blocks)),
        carried=np.empty((3, n_active, n_blocks)),
        rows=np.empty((len(model.training.rows.counts), n_blocks)),
        no_field=np.zeros((0, 0)),
        no_dense=np.zeros((0, 0, n_blocks)),
    )
    mode_buffers = ModeBuffers(
        scratch.tile,
        scratch.line,
        vectors=np.empty((5, n_active, n_blocks)),
        point_steps=np.empty((MEMORY, n_active, n_blocks)),
        gradient_steps=np.empty((MEMORY, n_active, n_blocks)),
    )
    record = empty_record(n_moves, n_moves, n_blocks, n_features)
    target = model.training.target(np.empty_like(state.weights), state.scale, state.values)
    chain = ChainArrays(state.weights, state.adapt, *np.zeros((2, n_blocks, n_features)))
    moves = WeightMoves(state.metric, setup.settings.plan(state.times), scratch, chain, record)
    return Carrier(target, model.metric_at_zero, buffers, mode_buffers), moves
