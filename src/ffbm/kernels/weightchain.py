"""The loops of the weight chains: Hamiltonian and Langevin moves in the contrasts, exact draws of the rest.

What the data do not touch is not sampled by moves: the mean over blocks of each feature's weights is
N(0, sigma^2 / B) and the weights of a feature that no training vertex has are N(0, sigma^2), both
independent of everything else, so each kept draw takes them afresh.
"""

from math import ceil, exp, inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import copy_table
from ffbm.kernels.lanes import LANES, fused, load, spread, store, total
from ffbm.kernels.metric import Metric, apply_inverse, draw_velocity, take_mean_away
from ffbm.kernels.softmax import Likelihood, energy_and_gradient

INNER = 0.21178  # the outer kicks of the two-stage step (Blanes, Casas and Sanz-Serna, 2014)
JITTER = 0.2  # the step size of a draw is uniform within this share of the adapted one
MAX_STEPS = 128
DIVERGED = 1000.0  # an energy error in nats that no sound trajectory has


class Layout(NamedTuple):
    """Where the weights stand in the result (B, D)."""

    active: np.ndarray  # (A,) int64: the feature of each row of the chain's weights (A, B)
    idle: np.ndarray  # int64: the features that no training vertex has
    sigma: np.ndarray  # (D,) float64: prior sd of each feature


class Plan(NamedTuple):
    """What is chosen for a chain."""

    n_warmup: int
    thin: int  # every thin-th draw is stored
    target: float  # acceptance rate that warm-up aims at
    least_time: float  # HMC: a trajectory takes as few steps as last this long ...
    most_time: float  # HMC: ... and its steps are shortened if they would last longer than this
    n_inner: int  # MALA: steps to one draw
    anneal: float  # MALA: s in h_t = s * 250 (1000 + t)^-0.8; 0: the step size is adapted


class Scratch(NamedTuple):
    """Room to work in, made by the caller: arrays made in a kernel could not be bare."""

    tile: np.ndarray  # (TILE, B)
    bits: np.ndarray  # (TILE * B,) int64
    line: np.ndarray  # (2, m)
    own: np.ndarray  # (6, A, B)
    draw: np.ndarray  # (B, D)


class Record(NamedTuple):
    """What a stretch of a chain leaves behind: stored weights, and the statistics of each draw."""

    weights: np.ndarray  # (T // thin, B, D)
    energy: np.ndarray  # (T,)
    acceptance: np.ndarray  # (T,)
    step_size: np.ndarray  # (T,)
    n_steps: np.ndarray  # (T,) int32: gradients taken
    diverging: np.ndarray  # (T,) bool


@njit(nogil=True, cache=True)
def learn(adapt: Any, acceptance: float, target: float) -> None:
    """Update the step size by dual averaging (Hoffman and Gelman, 2014).

    adapt = (log step, its average, mean shortfall of acceptance, updates so far, log of the first step).
    """
    adapt[3] += 1.0
    n = adapt[3]
    adapt[2] += (target - acceptance - adapt[2]) / (n + 10.0)
    adapt[0] = adapt[4] - sqrt(n) / 0.05 * adapt[2]
    adapt[1] += n**-0.75 * (adapt[0] - adapt[1])


@njit(nogil=True, cache=True)
def step_size(adapt: Any, warm: bool) -> float:
    """Return the step size: the one on trial in warm-up, its average after; within e^-20 and e^20."""
    return exp(min(max(adapt[0] if warm else adapt[1], -20.0), 20.0))


@njit(nogil=True, cache=True)
def kick(g: Any, q: Any, v: Any, h: float) -> float:
    """Take h q, q = C M^-1 g, from the velocity v; return the change of the kinetic energy, h^2 g'q / 2 - h v'g.

    Known by this difference, the kinetic energy itself is never needed, nor M.
    """
    n_blocks, whole = g.shape[1], g.size - g.size % LANES
    lanes, rest = spread(0.0), 0.0
    for at in range(0, whole, LANES):
        change, velocity = h * load(q, at), load(v, at)
        lanes = fused(load(g, at), 0.5 * change - velocity, lanes)
        store(v, at, velocity - change)
    for at in range(whole, g.size):
        d, k = at // n_blocks, at % n_blocks
        rest += g[d, k] * (0.5 * h * q[d, k] - v[d, k])
        v[d, k] -= h * q[d, k]
    return h * (total(lanes) + rest)


@njit(nogil=True, cache=True)
def drift(w: Any, v: Any, h: float) -> None:
    """Move the position w by h v."""
    n_blocks, whole = w.shape[1], w.size - w.size % LANES
    for at in range(0, whole, LANES):
        store(w, at, fused(spread(h), load(v, at), load(w, at)))
    for at in range(whole, w.size):
        w[at // n_blocks, at % n_blocks] += h * v[at // n_blocks, at % n_blocks]


@njit(nogil=True, cache=True)
def trajectory(
    model: Any,
    metric: Any,
    w: Any,
    v: Any,
    g: Any,
    h: float,
    n_steps: int,
    q: Any,
    tile: Any,
    bits: Any,
    line: Any,
) -> tuple[float, float]:
    """Integrate (w, v) for n_steps two-stage steps of size h, in place; return U at the end and the kinetic change.

    g and q hold the gradient at w and C M^-1 times it, on entry and on return. The map is reversible (turn v
    round and it retraces itself) and keeps volume, so the energies alone decide on its end as a proposal.
    """
    kinetic = kick(g, q, v, INNER * h)
    u = inf
    for step in range(n_steps):
        drift(w, v, 0.5 * h)
        energy_and_gradient(model, w, g, tile, bits)
        apply_inverse(metric, g, q, line)
        kinetic += kick(g, q, v, (1.0 - 2.0 * INNER) * h)
        drift(w, v, 0.5 * h)
        u = energy_and_gradient(model, w, g, tile, bits)
        apply_inverse(metric, g, q, line)
        ends = step == n_steps - 1
        kinetic += kick(g, q, v, INNER * h if ends else 2.0 * INNER * h)
    return u, kinetic


@njit(nogil=True, cache=True)
def langevin_log_ratio(w: Any, g: Any, w_new: Any, g_new: Any, h: float) -> float:
    """Return ln q(w_new -> w) - ln q(w -> w_new), q(w -> .) = N(w - h g, 2 h C) on the contrasts."""
    there, back = 0.0, 0.0
    for d in range(w.shape[0]):
        for k in range(w.shape[1]):
            forth = w_new[d, k] - w[d, k]
            there += (forth + h * g[d, k]) ** 2
            back += (-forth + h * g_new[d, k]) ** 2
    return (there - back) / (4.0 * h)


@njit(nogil=True, cache=True)
def record_draw(rng: Any, layout: Any, w: Any, u: float, n_drawn: int, draw: Any, mean: Any, square: Any) -> float:
    """Complete the contrasts w by exact draws of the rest, in ``draw`` (B, D), and take it into the moments.

    Return U of the complete weights. ``mean`` and ``square`` (B, D) are Welford's running mean and sum of
    squares over n_drawn draws, this one included.
    """
    n_active, n_blocks = w.shape
    for a in range(n_active):
        d = layout.active[a]
        own = 0.0
        for k in range(n_blocks):
            own += w[a, k]
        # The chain's own mean is 0 but for rounding; it is taken out so that the reported one is exact.
        shared = rng.standard_normal() / sqrt(n_blocks)
        u += 0.5 * n_blocks * shared * shared
        shared = shared * layout.sigma[d] - own / n_blocks
        for k in range(n_blocks):
            draw[k, d] = w[a, k] + shared
    for d in layout.idle:
        for k in range(n_blocks):
            x = rng.standard_normal()
            u += 0.5 * x * x
            draw[k, d] = layout.sigma[d] * x
    share = 1.0 / n_drawn
    for k in range(draw.shape[0]):
        for d in range(draw.shape[1]):
            off = draw[k, d] - mean[k, d]
            mean[k, d] += share * off
            square[k, d] += off * (draw[k, d] - mean[k, d])
    return u


@njit(nogil=True, cache=True)
def _bare_model(model: Any) -> Any:
    return Likelihood(
        bare(model.indptr),
        bare(model.indices),
        bare(model.values),
        bare(model.counts),
        bare(model.sums),
        bare(model.precision),
    )


@njit(nogil=True, cache=True)
def _bare_metric(metric: Any) -> Any:
    return Metric(bare(metric.inverse), bare(metric.root), bare(metric.inverse_rest), bare(metric.root_rest))


@njit(nogil=True, cache=True)
def run_hmc(
    rng: Any, model: Any, metric: Any, layout: Any, plan: Any, w: Any, adapt: Any, done: int, n: int,
    mean: Any, square: Any, scratch: Any, record: Any,
) -> None:  # fmt: skip
    """Make n Hamiltonian moves from w (A, B), the first ``plan.n_warmup`` of the chain as warm-up."""
    model, metric, w, mean, square = _bare_model(model), _bare_metric(metric), bare(w), bare(mean), bare(square)
    tile, bits, line = bare(scratch.tile), bare(scratch.bits), bare(scratch.line)
    own, draw = bare(scratch.own), bare(scratch.draw)
    g, q, v, w_old, g_old, q_old = own[0], own[1], own[2], own[3], own[4], own[5]
    n_active = w.shape[0]
    u = energy_and_gradient(model, w, g, tile, bits)
    apply_inverse(metric, g, q, line)
    row, stored = 0, 0
    for t in range(done, done + n):
        warm = t < plan.n_warmup
        acceptance, n_steps, diverged, step = 1.0, 0, False, 0.0
        if n_active > 0:
            longest = step_size(adapt, warm)
            n_steps = max(ceil(min(plan.least_time / longest, MAX_STEPS)), 1)
            step = min(plan.most_time / n_steps, longest)
            u_old = u
            copy_table(w, w_old)
            copy_table(g, g_old)
            copy_table(q, q_old)
            draw_velocity(rng, metric, v, line)
            h = step * (1.0 + JITTER * (2.0 * rng.random() - 1.0))
            u, kinetic = trajectory(model, metric, w, v, g, h, n_steps, q, tile, bits, line)
            error = u - u_old + kinetic
            diverged = not error < DIVERGED  # a trajectory that ran off to NaN has diverged too
            acceptance = exp(min(-error, 0.0)) if isfinite(error) else 0.0
            if not rng.random() < acceptance:
                u = u_old
                copy_table(w_old, w)
                copy_table(g_old, g)
                copy_table(q_old, q)
            if warm:
                learn(adapt, acceptance, plan.target)
        if not warm:
            drawn = t - plan.n_warmup + 1
            record.energy[row] = record_draw(rng, layout, w, u, drawn, draw, mean, square)
            record.acceptance[row], record.step_size[row] = acceptance, step
            record.n_steps[row], record.diverging[row] = 2 * n_steps, diverged
            row += 1
            if drawn % plan.thin == 0:
                copy_table(draw, record.weights[stored])
                stored += 1


@njit(nogil=True, cache=True)
def run_mala(
    rng: Any, model: Any, layout: Any, plan: Any, w: Any, adapt: Any, done: int, n: int,
    mean: Any, square: Any, scratch: Any, record: Any,
) -> None:  # fmt: skip
    """Make n times ``plan.n_inner`` Langevin moves from w (A, B), the first ``plan.n_warmup`` times as warm-up."""
    model, w, mean, square = _bare_model(model), bare(w), bare(mean), bare(square)
    tile, bits, draw, own = bare(scratch.tile), bare(scratch.bits), bare(scratch.draw), bare(scratch.own)
    g, w_new, g_new = own[0], own[1], own[2]
    n_active, n_blocks = w.shape
    u = energy_and_gradient(model, w, g, tile, bits)
    row, stored = 0, 0
    for t in range(done, done + n):
        warm = t < plan.n_warmup
        mean_acceptance, h = 1.0, 0.0
        if n_active > 0:
            mean_acceptance = 0.0
            for i in range(plan.n_inner):
                if plan.anneal > 0.0:
                    h = plan.anneal * 250.0 * (1000.0 + t * plan.n_inner + i) ** -0.8
                else:
                    h = step_size(adapt, warm)
                noise = sqrt(2.0 * h)
                for d in range(n_active):
                    for k in range(n_blocks):
                        w_new[d, k] = rng.standard_normal()
                take_mean_away(w_new)
                for d in range(n_active):
                    for k in range(n_blocks):
                        w_new[d, k] = w[d, k] - h * g[d, k] + noise * w_new[d, k]
                u_new = energy_and_gradient(model, w_new, g_new, tile, bits)
                log_ratio = u - u_new + langevin_log_ratio(w, g, w_new, g_new, h)
                acceptance = exp(min(log_ratio, 0.0)) if log_ratio == log_ratio else 0.0
                if rng.random() < acceptance:
                    u = u_new
                    copy_table(w_new, w)
                    copy_table(g_new, g)
                if warm and plan.anneal <= 0.0:
                    learn(adapt, acceptance, plan.target)
                mean_acceptance += acceptance / plan.n_inner
        if not warm:
            drawn = t - plan.n_warmup + 1
            record.energy[row] = record_draw(rng, layout, w, u, drawn, draw, mean, square)
            record.acceptance[row], record.step_size[row] = mean_acceptance, h
            record.n_steps[row], record.diverging[row] = plan.n_inner, False
            row += 1
            if drawn % plan.thin == 0:
                copy_table(draw, record.weights[stored])
                stored += 1
