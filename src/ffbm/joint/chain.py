"""The joint chain as a stepper: ``start`` makes a state, ``advance`` moves it; the state holds everything.

A sweep over the labels in the field of the weights, some moves of many vertices, then weight moves given the labels.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.chain import block_counts
from ffbm.blocks.entropy import description_length
from ffbm.joint.prepare import JointModel, sums_of
from ffbm.kernels.carrying import Desk
from ffbm.kernels.joint import Harvest, Pace, run_joint
from ffbm.kernels.metric import Metric
from ffbm.kernels.partition import Counts, Model
from ffbm.kernels.settling import MEMORY, Room
from ffbm.kernels.softmax import TILE
from ffbm.kernels.weightchain import Record, Scratch
from ffbm.theta import chain as weights
from ffbm.types import Array

_EPSILON, _SCANS = 0.5, 2


class JointSettings(NamedTuple):
    """What is chosen for a chain."""

    burn: int
    thin: int
    n_moves: int = 1  # weight moves after each sweep
    n_warmup: int = 500  # weight moves before the first sweep
    jumps: float = 0.2  # moves of many vertices with the weights as they are, after each sweep, in the mean
    shifts: float = 0.2  # moves of many vertices that carry the weights along
    sampler: str = "hmc"

    @property
    def pace(self) -> Pace:
        """The same for the kernel."""
        return Pace(
            self.burn, self.thin, self.n_moves, _EPSILON, self.jumps, self.shifts, _SCANS, self.sampler == "hmc"
        )


class JointState(NamedTuple):
    """A chain at rest: everything that the next step needs."""

    model: JointModel
    settings: JointSettings
    blocks: Model  # with this chain's own field
    counts: Counts
    totals: Array  # S, a place that block moves alone use, the lowest S
    tally: Array  # (8,) int64: see ``run_joint``
    best: Array  # (N,) the labels of the lowest S
    setup: weights.WeightSetup  # the likelihood with this chain's own sums, the geometry, the plan of the weight moves
    weights: Array  # (A, B) contrasts of the features that some training vertex has
    adapt: Array  # (5,) the state of dual averaging
    rng: np.random.Generator


def start(model: JointModel, labels: Array, settings: JointSettings, rng: np.random.Generator) -> JointState:
    """Set up a chain at ``labels``, its weights after ``n_warmup`` moves given these, with its own random stream."""
    setup = set_up(model, labels, settings, rng)
    begun, _ = weights.advance(weights.start(setup, rng), settings.n_warmup)
    return resume_at(model, labels, begun.weights, begun.adapt, setup, settings, rng)


def resume_at(
    model: JointModel,
    labels: Array,
    w: Array,
    adapt: Array,
    setup: weights.WeightSetup,
    settings: JointSettings,
    rng: np.random.Generator,
) -> JointState:
    """Set up a chain at ``labels`` and weights w (A, B) in a geometry that is known already."""
    n_nodes, n_blocks = model.graph.n_nodes, model.n_blocks
    counts = block_counts(model.blocks, labels, n_blocks)
    entropy = description_length(model.graph, labels).without_partition
    tally = np.zeros(8, dtype=np.int64)
    tally[7] = settings.n_warmup
    return JointState(
        model=model,
        settings=settings,
        blocks=model.blocks._replace(field=np.zeros((n_nodes, n_blocks))),
        counts=counts,
        totals=np.array([entropy, 0.0, entropy]),
        tally=tally,
        best=counts.b.copy(),
        setup=setup,
        weights=w.copy(),
        adapt=adapt.copy(),
        rng=rng,
    )


def set_up(model: JointModel, labels: Array, settings: JointSettings, rng: np.random.Generator) -> weights.WeightSetup:
    """Find the mode and the geometry of the weights given labels, with sums that are the chain's own."""
    likelihood = model.target.likelihood._replace(sums=sums_of(model, labels))
    n_warmup = settings.n_warmup + settings.burn * settings.n_moves  # until the end of the burn-in
    return weights.set_up(replace(model.target, likelihood=likelihood), settings.sampler, n_warmup, rng)


def advance(state: JointState, n_sweeps: int) -> tuple[JointState, Harvest]:
    """Run ``n_sweeps`` sweeps and return the state and the draws kept on the way.

    Half-way through the burn-in the geometry is found anew, at the labels of that moment, and the step size is adapted
    to it until the burn-in ends. Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    renewal = state.settings.burn // 2
    before = renewal - int(state.tally[2])
    if renewal == 0 or not 0 <= before < n_sweeps:
        return state, _run(state, n_sweeps)
    first = _run(state, before)
    setup = set_up(state.model, state.counts.b, state.settings, state.rng)
    state = state._replace(setup=setup, adapt=weights.start(setup, state.rng).adapt)
    return state, _joined(first, _run(state, n_sweeps - before))


def _joined(first: Harvest, second: Harvest) -> Harvest:
    return Harvest(*(np.concatenate(parts) for parts in zip(first, second, strict=True)))


def _run(state: JointState, n_sweeps: int) -> Harvest:
    settings, setup = state.settings, state.setup
    n_nodes, n_blocks = len(state.counts.b), len(state.counts.n)
    n_features = len(setup.layout.sigma)
    done = int(state.tally[2])
    kept = max((done + n_sweeps - settings.burn) // settings.thin, 0) - max((done - settings.burn) // settings.thin, 0)
    harvest = Harvest(
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
    run_joint(
        state.rng, state.blocks, state.counts, settings.pace, n_sweeps, setup.likelihood, setup.metric, setup.layout,
        setup.plan, state.model.telling, state.model.even, state.weights, state.adapt, state.totals, state.tally,
        state.best, *_room(state.weights, n_nodes, n_features, setup.metric, state), harvest,
    )  # fmt: skip
    return harvest


def _room(w: Array, n_nodes: int, n_features: int, metric: Metric, state: JointState) -> tuple[Any, ...]:
    """Return the room that the kernel works in."""
    n_active, n_blocks = w.shape
    n_moves = state.settings.n_moves
    tile, bits = np.empty((TILE, n_blocks)), np.empty(TILE * n_blocks, dtype=np.int64)
    line = np.empty((2, max(metric.root.shape[1], state.model.even.root.shape[1], 1)))
    desk = Desk(
        modes=np.empty((2, n_active, n_blocks)),
        curves=np.empty((2, n_active, n_blocks)),
        carried=np.empty((3, n_active, n_blocks)),
        rows=np.empty((len(state.setup.likelihood.counts), n_blocks)),
        blank=np.zeros((0, 0)),
        nowhere=np.zeros((0, 0, n_blocks)),
    )
    room = Room(
        tile,
        bits,
        line,
        now=np.empty((5, n_active, n_blocks)),
        moved=np.empty((MEMORY, n_active, n_blocks)),
        bent=np.empty((MEMORY, n_active, n_blocks)),
    )
    draw = np.empty((n_blocks, n_features))
    inner = Scratch(tile, bits, line, np.empty((6, n_active, n_blocks)), draw)
    record = Record(
        weights=np.empty((n_moves, n_blocks, n_features)),
        energy=np.empty(n_moves),
        acceptance=np.empty(n_moves),
        step_size=np.empty(n_moves),
        n_steps=np.empty(n_moves, dtype=np.int32),
        diverging=np.empty(n_moves, dtype=np.bool_),
    )
    return (
        np.empty((2, n_nodes), dtype=np.int64),  # journal
        np.empty((5, n_nodes), dtype=np.int64),  # work
        np.zeros((3, n_blocks + 1), dtype=np.int64),  # scratch
        desk,
        room,
        inner,
        np.zeros((2, n_blocks, n_features)),  # moments, which labels that change would make meaningless
        record,
    )
