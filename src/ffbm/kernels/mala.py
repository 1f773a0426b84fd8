"""The loop of the weight chains by Langevin moves in the contrasts."""

from math import exp, sqrt
from typing import Any

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, copy_table
from ffbm.kernels.metric import subtract_mean
from ffbm.kernels.slab import draw_precisions, draw_scales, without_scales
from ffbm.kernels.softmax import energy_and_gradient, given_scales
from ffbm.kernels.weightchain import keep_draw, learn, step_size


@njit(**ENTRY)
def langevin_log_ratio(w: Any, g: Any, w_new: Any, g_new: Any, h: float) -> float:
    """Return ln q(w_new -> w) - ln q(w -> w_new), q(w -> .) = N(w - h g, 2 h C) on the contrasts."""
    forward, reverse = 0.0, 0.0
    for d in range(w.shape[0]):
        for k in range(w.shape[1]):
            step = w_new[d, k] - w[d, k]
            forward += (step + h * g[d, k]) ** 2
            reverse += (-step + h * g_new[d, k]) ** 2
    return (forward - reverse) / (4.0 * h)


@njit(**ENTRY)
def run_mala(rng: Any, target: Any, plan: Any, chain: Any, done: int, n: int, scratch: Any, record: Any) -> None:
    """Make n times ``plan.n_inner`` Langevin moves from where a chain is, the first ``plan.n_warmup`` as warm-up."""
    target, chain = bare(target), bare(chain)
    w, adapt = chain.w, chain.adapt
    tile, draw, vectors = bare(scratch.tile), bare(scratch.draw), bare(scratch.vectors)
    g, w_new, g_new, gaussian = vectors[0], vectors[1], vectors[2], given_scales(target)
    n_active, n_blocks, learned, slab = w.shape[0], w.shape[1], len(target.slab.column) > 0, target.slab
    active, places = target.rows.active, (target.rows.active, target.rows.idle, target.scale)
    u = energy_and_gradient(gaussian, w, g, tile)
    for t in range(done, done + n):
        warm = t < plan.n_warmup
        mean_acceptance, h = 1.0, 0.0
        if n_active > 0:
            mean_acceptance = 0.0
            if learned:
                draw_precisions(rng, slab, active, w, target.scale, target.precision)
                u = energy_and_gradient(gaussian, w, g, tile)
            for i in range(plan.n_inner):
                if plan.anneal > 0.0:
                    h = plan.anneal * 250.0 * (1000.0 + t * plan.n_inner + i) ** -0.8
                else:
                    h = step_size(adapt, warm)
                noise = sqrt(2.0 * h)
                for d in range(n_active):
                    for k in range(n_blocks):
                        w_new[d, k] = rng.standard_normal()
                subtract_mean(w_new)
                for d in range(n_active):
                    for k in range(n_blocks):
                        w_new[d, k] = w[d, k] - h * g[d, k] + noise * w_new[d, k]
                u_new = energy_and_gradient(gaussian, w_new, g_new, tile)
                log_ratio = u - u_new + langevin_log_ratio(w, g, w_new, g_new, h)
                acceptance = exp(min(log_ratio, 0.0)) if log_ratio == log_ratio else 0.0
                if rng.random() < acceptance:
                    u = u_new
                    copy_table(w_new, w)
                    copy_table(g_new, g)
                if warm and plan.anneal <= 0.0:
                    learn(adapt, acceptance, plan.target)
                mean_acceptance += acceptance / plan.n_inner
            if learned:
                u += without_scales(slab, active, w, target.precision)
        if not warm:
            if learned:
                draw_scales(rng, slab, active, w, target.scale)
            row = keep_draw(rng, places, plan, done, t, chain, u, draw, record)
            record.acceptance[row], record.step_size[row] = mean_acceptance, h
            record.n_steps[row], record.diverging[row] = plan.n_inner, False
