"""The annealing path along which a column is born or dies: see ``theta/bridge.py``."""

from typing import Any

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INNER
from ffbm.kernels.hmc import bare_metric, move
from ffbm.kernels.metric import apply_inverse, update_factors
from ffbm.kernels.slab import draw_precisions
from ffbm.kernels.softmax import energy_and_gradient, given_scales


@njit(**INNER)
def multiply_column(target: Any, column: Any, factor: float) -> None:
    """Set the values of a column to ``factor`` times those it has, and its response with them."""
    entries, members, values, sums = column
    for t in range(len(entries)):
        target.rows.values[entries[t]] = factor * values[t]
    for j in range(len(members)):
        for k in range(sums.shape[1]):
            target.sums[members[j], k] = factor * sums[j, k]


@njit(**INNER)
def _add_prior(target: Any, w: Any, g: Any, sign: float) -> float:
    """Add the prior's part, times sign, to the gradient g (A, B); return its part of U."""
    total = 0.0
    for a in range(w.shape[0]):
        share = sign * target.precision[a]
        for k in range(w.shape[1]):
            total += 0.5 * share * w[a, k] * w[a, k]
            g[a, k] += share * w[a, k]
    return total


@njit(**ENTRY)
def follow_path(
    rng: Any, target: Any, metric: Any, path: Any, column: Any, step: float, n_steps: int, w: Any, scratch: Any
) -> float:
    """Move w (A, B) along ``path``, the factors of a column's values; return the work, the sum of changes of ln L.

    Between two factors all weights make a Hamiltonian move, after scales have been drawn. ``column`` are the places
    of its values among those of the rows, its features, and what both are at factor 1. The target's values and
    response are overwritten.
    """
    target, metric, w, column = bare(target), bare_metric(metric, scratch.factor), bare(w), bare(column)
    tile, line, vectors = bare(scratch.tile), bare(scratch.line), bare(scratch.vectors)
    g, q, gain, gaussian = vectors[0], vectors[1], 0.0, given_scales(target)
    draw_precisions(rng, target.slab, target.rows.active, w, target.scale, target.precision)
    multiply_column(target, column, path[0])
    u = energy_and_gradient(gaussian, w, g, tile)
    for at in range(1, len(path)):
        gain += u
        multiply_column(target, column, path[at])
        u = energy_and_gradient(gaussian, w, g, tile)
        gain -= u
        if at < len(path) - 1:
            u += _add_prior(target, w, g, -1.0)
            draw_precisions(rng, target.slab, target.rows.active, w, target.scale, target.precision)
            update_factors(metric, target.precision)
            u += _add_prior(target, w, g, 1.0)
            apply_inverse(metric, g, q, line)
            u, _, _ = move(rng, gaussian, metric, w, u, step, n_steps, vectors, (tile, line))
    return gain
