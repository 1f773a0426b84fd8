"""The weight chain as a stepper: ``start`` makes a state, ``advance`` moves it; what never changes is an argument."""

from typing import NamedTuple

import numpy as np

from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.mala import run_mala
from ffbm.kernels.metric import Metric, draw_velocity
from ffbm.kernels.softmax import Target
from ffbm.kernels.weightchain import ChainArrays, Plan, Record, Scratch, empty_record, make_scratch
from ffbm.theta.adapt import TARGETS, first_adaptation
from ffbm.theta.mode import curvature_metric, find_mode, integration_times, slowest_frequency
from ffbm.theta.prepare import WeightTarget
from ffbm.types.graph import Array

MALA_STEPS = 10  # Langevin steps to one draw: the paper keeps every tenth


class WeightSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    target: WeightTarget  # its response and its prior are those that chains start with
    metric: Metric
    plan: Plan
    sampler: str
    mode: Array  # (A, B)
    first_step: float


class WeightState(NamedTuple):
    """A chain at rest: all that steps change."""

    weights: Array  # (A, B) contrasts of the features that some training vertex has
    sums: Array  # (A, B) the response X'y: another if cells of X were sampled
    scale: Array  # (D,) the prior standard deviation of each feature's weights; a learned one is drawn with each draw
    values: Array  # of the training rows, in place of the design's own where cells are sampled; else empty
    adapt: Array  # (5,) the state of dual averaging
    done: Array  # (1,) int64: moves made, warm-up included
    mean: Array  # (B, D) running mean of all draws after warm-up
    square: Array  # (B, D) running sum of squared deviations
    thin: Array  # (1,) int64: every thin-th draw is stored, also of a chain that is lengthened later
    rng: np.random.Generator


def set_up(
    target: WeightTarget,
    sampler: str,
    n_warmup: int,
    rng: np.random.Generator,
    thin: int = 1,
    annealing: float | None = None,
    near: Array | None = None,
) -> WeightSetup:
    """Find the mode and the geometry there, once for all chains.

    ``rng`` serves only the Lanczos start. ``annealing`` is s in the paper's step sizes for MALA,
    h_t = s * 250 (1000 + t)^-0.8 / n at step t on n training vertices; None adapts the step size. The mode is looked
    for from ``near`` (A, B) on, if it is known about where it is.
    """
    kernel = target.gaussian
    mode = find_mode(kernel, near)
    metric = curvature_metric(kernel, mode)
    if target.groups is not None:
        metric = metric._replace(precision=kernel.precision)
    n_free = mode.size - mode.shape[0]
    times, first_step = (1.0, 1.0), 1.0
    if n_free and sampler == "hmc":
        times = integration_times(slowest_frequency(kernel, metric, mode, rng))
        first_step = min(3.5 * n_free**-0.25, times[0])
    elif n_free:
        first_step = float(metric.inverse_rest.min()) * n_free ** (-1 / 3)
    anneal = 0.0 if annealing is None else annealing / max(len(target.training.vertices), 1)
    plan = Plan(n_warmup, thin, TARGETS[sampler], *times, MALA_STEPS, anneal)
    return WeightSetup(target, metric, plan, sampler, mode, first_step)


def start(setup: WeightSetup, rng: np.random.Generator) -> WeightState:
    """Set up a chain at a draw from the normal approximation at the mode, with its own random stream."""
    weights = np.empty_like(setup.mode)
    draw_velocity(rng, setup.metric, weights, np.empty((2, max(setup.metric.n_dense, 1))))
    weights += setup.mode
    target = setup.target
    shape = target.n_blocks, len(target.scale)
    return WeightState(
        weights=weights,
        sums=target.sums.copy(),
        scale=target.scale.copy(),
        values=target.values.copy(),
        adapt=first_adaptation(setup.first_step),
        done=np.zeros(1, np.int64),
        mean=np.zeros(shape),
        square=np.zeros(shape),
        thin=np.array([setup.plan.thin]),
        rng=rng,
    )


def scratch_for(target: WeightTarget, n_dense: int) -> Scratch:
    """Return the arrays that moves of the weights work in; ``n_dense`` features have a dense metric."""
    n_rows = 0 if target.groups is None else len(target.training.rows.counts)
    return make_scratch(len(target.sums), target.n_blocks, len(target.scale), n_dense, n_rows)


def advance(setup: WeightSetup, state: WeightState, n: int, kernel: Target | None = None) -> tuple[WeightState, Record]:
    """Make ``n`` moves and return the state, changed in place, and the draws kept on the way.

    The first ``n_warmup`` moves of a chain adapt the step size and are not kept. Advancing by a and then by b is,
    bit for bit, advancing by a + b. ``kernel`` is the target where the caller keeps it, made of the state's arrays.
    """
    plan, done = setup.plan._replace(thin=int(state.thin[0])), int(state.done[0])
    before, after = max(done - plan.n_warmup, 0), max(done + n - plan.n_warmup, 0)
    n_draws, n_stored = after - before, after // plan.thin - before // plan.thin
    record = empty_record(n_draws, n_stored, *state.mean.shape)
    scratch = scratch_for(setup.target, setup.metric.n_dense)
    if kernel is None:
        kernel = setup.target.training.target(state.sums, state.scale, state.values, setup.target.slab)
    arrays = ChainArrays(state.weights, state.adapt, state.mean, state.square)
    if setup.sampler == "hmc":
        run_hmc(state.rng, kernel, setup.metric, plan, arrays, done, n, scratch, record)
    else:
        run_mala(state.rng, kernel, plan, arrays, done, n, scratch, record)
    state.done[0] += n
    return state, record
