"""The loop of the weight chains by Hamiltonian moves in the contrasts."""

from math import ceil, exp, inf, isfinite
from typing import Any

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INNER, copy_table
from ffbm.kernels.lanes import LANES, broadcast, fused, load, store, total
from ffbm.kernels.metric import Metric, apply_inverse, draw_velocity, update_factors
from ffbm.kernels.slab import draw_precisions, draw_scales, without_scales
from ffbm.kernels.softmax import energy_and_gradient, given_scales
from ffbm.kernels.stretch import stretch_columns
from ffbm.kernels.weightchain import keep_draw, learn, step_size

OUTER = 0.21178  # the outer kicks of the two-stage step (Blanes, Casas and Sanz-Serna, 2014)
JITTER = 0.2  # the step size of a draw is uniform within this share of the adapted one
MAX_STEPS = 128
DIVERGED = 1000.0  # an energy error in nats that no sound trajectory has


@njit(**INNER)
def kick(g: Any, q: Any, v: Any, h: float) -> float:
    """Subtract h q, q = C M^-1 g, from the velocity v; return the change of the kinetic energy, h^2 g'q / 2 - h v'g.

    Known by this difference, the kinetic energy itself is never needed, nor M.
    """
    n_blocks, whole = g.shape[1], g.size - g.size % LANES
    lanes, rest = broadcast(0.0), 0.0
    for at in range(0, whole, LANES):
        change, velocity = h * load(q, at), load(v, at)
        lanes = fused(load(g, at), 0.5 * change - velocity, lanes)
        store(v, at, velocity - change)
    for at in range(whole, g.size):
        d, k = at // n_blocks, at % n_blocks
        rest += g[d, k] * (0.5 * h * q[d, k] - v[d, k])
        v[d, k] -= h * q[d, k]
    return h * (total(lanes) + rest)


@njit(**INNER)
def drift(w: Any, v: Any, h: float) -> None:
    """Move the position w by h v."""
    n_blocks, whole = w.shape[1], w.size - w.size % LANES
    for at in range(0, whole, LANES):
        store(w, at, fused(broadcast(h), load(v, at), load(w, at)))
    for at in range(whole, w.size):
        w[at // n_blocks, at % n_blocks] += h * v[at // n_blocks, at % n_blocks]


@njit(**ENTRY)
def trajectory(
    target: Any, metric: Any, w: Any, v: Any, g: Any, h: float, n_steps: int, q: Any, buffers: Any
) -> tuple[float, float]:
    """Integrate (w, v) for n_steps two-stage steps of size h, in place; return U at the end and the kinetic change.

    g and q hold the gradient at w and C M^-1 times it, on entry and on return. The map is reversible (turn v
    round and it retraces itself) and keeps volume, so the energies alone decide on its end as a proposal.
    """
    tile, line = buffers
    kinetic = kick(g, q, v, OUTER * h)
    u = inf
    for step in range(n_steps):
        drift(w, v, 0.5 * h)
        energy_and_gradient(target, w, g, tile)
        apply_inverse(metric, g, q, line)
        kinetic += kick(g, q, v, (1.0 - 2.0 * OUTER) * h)
        drift(w, v, 0.5 * h)
        u = energy_and_gradient(target, w, g, tile)
        apply_inverse(metric, g, q, line)
        ends = step == n_steps - 1
        kinetic += kick(g, q, v, OUTER * h if ends else 2.0 * OUTER * h)
    return u, kinetic


@njit(**INNER)
def move(
    rng: Any, target: Any, metric: Any, w: Any, u: float, step: float, n_steps: int, vectors: Any, buffers: Any
) -> tuple[float, float, bool]:
    """Make one Hamiltonian move from w (A, B), where U is u; return U after it, its acceptance, whether it diverged.

    The first two of ``vectors`` (6, A, B) hold the gradient at w and C M^-1 times it, before and after. ``buffers`` are
    the tile and the line of ``Scratch``.
    """
    g, q, v, w_old, g_old, q_old = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5]
    u_old = u
    copy_table(w, w_old)
    copy_table(g, g_old)
    copy_table(q, q_old)
    draw_velocity(rng, metric, v, buffers[1])
    h = step * (1.0 + JITTER * (2.0 * rng.random() - 1.0))
    u, kinetic = trajectory(target, metric, w, v, g, h, n_steps, q, buffers)
    error = u - u_old + kinetic
    diverged = not error < DIVERGED  # a trajectory that ran off to NaN has diverged too
    acceptance = exp(min(-error, 0.0)) if isfinite(error) else 0.0
    if not rng.random() < acceptance:
        u = u_old
        copy_table(w_old, w)
        copy_table(g_old, g)
        copy_table(q_old, q)
    return u, acceptance, diverged


@njit(**INNER)
def bare_metric(metric: Any, factor: Any) -> Any:
    """Return the metric with room for its factors, without reference counts: see ``bare``."""
    return Metric(
        bare(metric.inverse),
        bare(metric.root),
        bare(metric.inverse_rest),
        bare(metric.root_rest),
        bare(metric.precision),
        bare(factor),
    )


@njit(**ENTRY)
def run_hmc(
    rng: Any, target: Any, metric: Any, plan: Any, chain: Any, done: int, n: int, scratch: Any, record: Any
) -> None:
    """Make n Hamiltonian moves from where a chain is, the first ``plan.n_warmup`` of the chain as warm-up."""
    target, metric = bare(target), bare_metric(metric, scratch.factor)
    chain = bare(chain)
    w, adapt = chain.w, chain.adapt
    tile, line, vectors, draw = bare(scratch.tile), bare(scratch.line), bare(scratch.vectors), bare(scratch.draw)
    logits, counts = bare(scratch.logits), bare(scratch.counts)
    g, q, gaussian = vectors[0], vectors[1], given_scales(target)
    n_active, learned, slab = w.shape[0], len(target.slab.column) > 0, target.slab
    active, places = target.rows.active, (target.rows.active, target.rows.idle, target.scale)
    u = energy_and_gradient(gaussian, w, g, tile)
    apply_inverse(metric, g, q, line)
    for t in range(done, done + n):
        warm = t < plan.n_warmup
        acceptance, n_steps, diverged, step = 1.0, 0, False, 0.0
        if n_active > 0:
            if learned:
                draw_precisions(rng, slab, active, w, target.scale, target.precision)
                update_factors(metric, target.precision)
                u = energy_and_gradient(gaussian, w, g, tile)
                apply_inverse(metric, g, q, line)
            longest = step_size(adapt, warm)
            n_steps = max(ceil(min(plan.least_time / longest, MAX_STEPS)), 1)
            step = min(plan.most_time / n_steps, longest)
            u, acceptance, diverged = move(rng, gaussian, metric, w, u, step, n_steps, vectors, (tile, line))
            if warm:
                learn(adapt, acceptance, plan.target)
            if learned:
                u += without_scales(slab, active, w, target.precision)
                u -= stretch_columns(rng, target, w, logits, counts, tile)
        if not warm:
            if learned:
                draw_scales(rng, slab, active, w, target.scale)
            row = keep_draw(rng, places, plan, done, t, chain, u, draw, record)
            record.acceptance[row], record.step_size[row] = acceptance, step
            record.n_steps[row], record.diverging[row] = 2 * n_steps, diverged
