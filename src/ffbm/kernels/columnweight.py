"""The worth of a column: proposed weights and scale, and their importance weight, for forward and reverse proposals.

A column enters with a scale s, an intercept that is shifted to fit, and weights drawn feature by feature, each from
several particles (configurational-bias Monte Carlo; where features have no vertex in common, a product of means of
importance weights). Its *worth* is an unbiased estimate of the evidence for the column, given all others. For the
reverse proposal the present weights are one of the particles: they are *retraced*. Birth, death, refreshment and
exchange of columns are made of these two alone (``kernels/selection.py``).
"""

from math import exp, inf, log, log1p, sqrt
from typing import Any

import numpy as np
from numba import njit

from ffbm.kernels.arrow import (
    BEFORE,
    FIRST,
    SPARE,
    SPARE_TOO,
    TRIAL,
    WITH_COLUMN,
    WITHOUT_COLUMN,
    feature_root,
    feature_slope,
    inner_product,
    limit_step,
    log_likelihood,
    newton_steps,
    shift,
    shift_all,
    softmax_row,
    solve_feature,
    squared_distance,
)
from ffbm.kernels.cholesky import multiply_transposed, solve_transposed
from ffbm.kernels.compilation import INNER, copy, copy_table
from ffbm.kernels.parabola import N_TURNS, keep_point, next_point, top, width
from ffbm.kernels.slab import draw_scale, log_scale_prior

FROM_PRIOR = 0.1  # the share of particles that come from the prior given s: it bounds their importance weights
SCALE_FROM_PRIOR = 0.2  # the same for scales
PILOT_STEP = 0.5  # between the values of ln s at which a column of several features is weighed in that search


@njit(**INNER)
def log_sum(x: float, y: float) -> float:
    """Return ln(e^x + e^y)."""
    top, low = (x, y) if x > y else (y, x)
    return top + log1p(exp(low - top)) if low > -inf else top


@njit(**INNER)
def _begin(columns: Any, g: int, work: Any, modes: Any, a: Any) -> None:
    """Set mode, intercept and logits to where a search begins."""
    n_features = columns.start[g + 1] - columns.start[g]
    for t in range(columns.union_start[g], columns.union_start[g + 1]):
        i = columns.union[t]
        for k in range(work.z.shape[1]):
            work.z[i, k] = work.base[i, k]
    if columns.with_intercept[g]:
        shift_all(a, work.z, 1.0)
    for f in range(n_features):
        copy(modes[f], work.mode[f])
        shift(columns, columns.feature[columns.start[g] + f], work.mode[f], work.z, 1.0)


@njit(**INNER)
def locate_scale(rng: Any, columns: Any, counts: Any, sums: Any, g: int, work: Any) -> tuple[float, float]:
    """Return mode and width of a column's ln s given the others, by parabolas; the weights found are ``work.first``.

    The normal approximation underestimates the evidence for large s where features are on few vertices, and the errors
    of all features of a column add up. With several features the last points are estimates of the worth itself, drawn
    without looking at the present weights.
    """
    n_features = columns.start[g + 1] - columns.start[g]
    for f in range(n_features):
        for k in range(work.first.shape[1]):
            work.first[f, k] = 0.0
    if columns.with_intercept[g]:
        copy(work.centre[WITHOUT_COLUMN], work.centre[WITH_COLUMN])
    _begin(columns, g, work, work.first, work.centre[WITH_COLUMN])
    at, height = work.point[0], work.point[1]
    for turn in range(N_TURNS):
        t = next_point(turn, at, height)
        if t != t:
            break
        value = newton_steps(columns, counts, sums, g, exp(t), 3 if turn == 0 else 1, work)
        keep_point(turn, t, value + log_scale_prior(columns.degrees[g], t), at, height)
    for f in range(n_features):
        copy(work.mode[f], work.first[f])
    if columns.with_intercept[g]:
        copy(work.centre[WITH_COLUMN], work.line[FIRST])
    if n_features > 1:
        lowest, retrace = top(at, height), False  # a literal would compile a variant of its own
        for turn in range(3):
            copy(work.centre[WITHOUT_COLUMN], work.line[TRIAL])
            t = lowest + turn * PILOT_STEP
            value = _weigh_given(rng, columns, counts, sums, g, t, work.line[TRIAL], retrace, work)
            keep_point(turn, t, value + log_scale_prior(columns.degrees[g], t), at, height)
    return top(at, height), width(at, height)


@njit(**INNER)
def propose_log_scale(rng: Any, degrees: float, centre: float, spread: float) -> float:
    """Return a draw of t = ln s: logistic around the centre, or from the prior."""
    if rng.random() < SCALE_FROM_PRIOR:
        return log(draw_scale(rng, degrees, 0.0, 0.0))
    u = rng.random()
    return centre + 0.65 * spread * log((u + 1e-300) / (1.0 - u))


@njit(**INNER)
def log_scale_density(degrees: float, t: float, centre: float, spread: float) -> float:
    """Return the log density of that draw."""
    u = abs(t - centre) / (0.65 * spread)
    logistic = -u - 2.0 * log1p(exp(-u)) - log(0.65 * spread)
    return log_sum(log(1.0 - SCALE_FROM_PRIOR) + logistic, log(SCALE_FROM_PRIOR) + log_scale_prior(degrees, t))


@njit(**INNER)
def weigh(
    rng: Any, columns: Any, counts: Any, sums: Any, g: int, t: float, proposal: Any, a: Any, retrace: bool, work: Any
) -> float:
    """Draw a column's weights for ln s = t into ``work.value``, or retrace those that stand there; return ln worth.

    The intercept ``a`` (B,) is mapped from the normal approximation without the column to that with it; the reverse if
    ``retrace``. ``proposal`` is the centre and the spread of ln s, of ``locate_scale``. ``work.base`` holds the logits
    without the column and, if the intercept moves along, without it.
    """
    (centre, spread), degrees = proposal, columns.degrees[g]
    worth = log_scale_prior(degrees, t) - log_scale_density(degrees, t, centre, spread)
    return worth + _weigh_given(rng, columns, counts, sums, g, t, a, retrace, work)


@njit(**INNER)
def _weigh_given(
    rng: Any, columns: Any, counts: Any, sums: Any, g: int, t: float, a: Any, retrace: bool, work: Any
) -> float:  # fmt: skip
    """Draw or retrace the weights as ``weigh`` does; return ln worth given s."""
    begin, s = columns.start[g], exp(t)
    n_features = columns.start[g + 1] - begin
    worth = 0.0
    if columns.with_intercept[g]:
        copy(work.line[FIRST], work.centre[WITH_COLUMN])
    _begin(columns, g, work, work.first, work.centre[WITH_COLUMN])
    newton_steps(columns, counts, sums, g, s, np.int64(2), work)
    if columns.with_intercept[g]:
        worth += _move_intercept(columns, counts, sums, g, a, retrace, work)
    else:
        worth -= log_likelihood(columns, counts, g, work.base, work.p)
    worth += log_likelihood(columns, counts, g, work.z, work.p)
    for f in range(n_features):
        worth += inner_product(work.mode[f], sums[columns.feature[begin + f]])
    for f in range(n_features):
        worth += _choose(rng, columns, counts, sums, g, f, s, retrace, work)
    return worth


@njit(**INNER)
def _move_intercept(columns: Any, counts: Any, sums: Any, g: int, a: Any, retrace: bool, work: Any) -> float:
    """Map the intercept as ``weigh`` says; return ln of the ratio of priors, likelihoods and volumes.

    Modes are moved to those given the intercept that goes with the column, and the logits with them.
    """
    new, old = (WITHOUT_COLUMN, WITH_COLUMN) if retrace else (WITH_COLUMN, WITHOUT_COLUMN)
    before, after = work.line[BEFORE], work.line[SPARE]
    copy(a, before)
    for k in range(len(a)):
        after[k] = before[k] - work.centre[old, k]
    multiply_transposed(work.root[old], after)
    solve_transposed(work.root[new], after)
    volumes = 0.0
    for k in range(len(a)):
        after[k] += work.centre[new, k]
        volumes += log(work.root[WITHOUT_COLUMN, k, k]) - log(work.root[WITH_COLUMN, k, k])
    copy(after, a)
    without, within = (after, before) if retrace else (before, after)
    result = volumes - 0.5 * columns.tightness * (inner_product(within, within) - inner_product(without, without))
    result += inner_product(within, sums[columns.intercept]) - inner_product(without, sums[columns.intercept])
    copy_table(work.base, work.z)
    shift_all(without, work.z, 1.0)
    result -= log_likelihood(columns, counts, g, work.z, work.p)
    off = work.line[SPARE_TOO]
    for k in range(len(a)):
        off[k] = within[k] - work.centre[WITH_COLUMN, k]
    for f in range(columns.start[g + 1] - columns.start[g]):
        for k in range(len(a)):
            work.slope[f, k] = work.mode[f, k] - inner_product(work.tie[f, k], off)
    _begin(columns, g, work, work.slope, within)
    return result


@njit(**INNER)
def _choose(
    rng: Any, columns: Any, counts: Any, sums: Any, g: int, f: int, s: float, retrace: bool, work: Any
) -> float:
    """Choose the weights of feature f of a column from particles, or retrace them; return ln of their mean weight.

    The logits hold the feature at ``work.mode``; afterwards at what was chosen, ``work.value``.
    """
    n_blocks, tau, j = work.z.shape[1], s**-2, columns.feature[columns.start[g] + f]
    lower, mode, reference, step = work.lower[f], work.mode[f], work.line[SPARE], work.line[SPARE_TOO]
    copy(mode, reference)
    at_reference, log_det = 0.0, 0.0
    for turn in range(2):
        total = 0.0
        for t in range(columns.row_start[j], columns.row_start[j + 1]):
            i = columns.row[t]
            total += softmax_row(work.z, i, counts[i], work.p)
        at_reference = total if turn == 0 else at_reference
        feature_slope(columns, sums, work.p, j, mode, tau, step)
        log_det = feature_root(columns, counts, work.p, j, tau, 1.0, lower)
        solve_feature(columns, j, lower, step)
        factor = limit_step(step, 1.0)
        for k in range(n_blocks):
            step[k] *= factor
            mode[k] += step[k]
        shift(columns, j, step, work.z, 1.0)
    top, n_particles = -inf, columns.n_particles[g]
    for m in range(n_particles):
        v = work.particle[m]
        if retrace and m == 0:
            copy(work.value[f], v)
        else:
            _draw_particle(rng, columns, j, lower, mode, s, v)
        square = inner_product(v, v)
        for k in range(n_blocks):
            step[k] = v[k] - mode[k]
        fit = at_reference
        for t in range(columns.row_start[j], columns.row_start[j + 1]):
            fit -= _log_sum_exp(work.z, columns.row[t], columns.value[t], step) * counts[columns.row[t]]
        for k in range(n_blocks):
            fit += (v[k] - reference[k]) * sums[j, k]
        prior = -0.5 * tau * square - n_blocks * log(s)
        normal = 0.5 * log_det - 0.5 * squared_distance(columns, j, lower, step)
        work.chance[m] = fit + prior - log_sum(log(1.0 - FROM_PRIOR) + normal, log(FROM_PRIOR) + prior)
        top = max(top, work.chance[m])
    total = 0.0
    for m in range(n_particles):
        work.chance[m] = exp(work.chance[m] - top)
        total += work.chance[m]
    chosen = 0
    if not retrace:
        left = rng.random() * total
        while chosen < n_particles - 1 and left >= work.chance[chosen]:
            left -= work.chance[chosen]
            chosen += 1
    copy(work.particle[chosen], work.value[f])
    for k in range(n_blocks):
        step[k] = work.value[f, k] - mode[k]
    shift(columns, j, step, work.z, 1.0)
    return top + log(total / n_particles)


@njit(**INNER)
def _draw_particle(rng: Any, columns: Any, j: int, lower: Any, mode: Any, s: float, v: Any) -> None:
    """Fill v (B,) with contrasts from the normal approximation or from the prior."""
    for k in range(len(v)):
        v[k] = rng.standard_normal()
    if rng.random() < FROM_PRIOR:
        for k in range(len(v)):
            v[k] *= s
    else:
        if columns.light[j]:
            for k in range(len(v)):
                v[k] /= sqrt(lower[0, k])
        else:
            solve_transposed(lower, v)
        for k in range(len(v)):
            v[k] += mode[k]
    mean = 0.0
    for k in range(len(v)):
        mean += v[k] / len(v)
    for k in range(len(v)):
        v[k] -= mean


@njit(**INNER)
def _log_sum_exp(z: Any, i: int, x: float, by: Any) -> float:
    """Return logsumexp of z[i] + x by."""
    top = -inf
    for k in range(len(by)):
        top = max(top, z[i, k] + x * by[k])
    total = 0.0
    for k in range(len(by)):
        total += exp(z[i, k] + x * by[k] - top)
    return top + np.log(total)
