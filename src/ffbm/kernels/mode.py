"""The mode of the weights given a partition, to a tolerance: a fixed function of the labels, found by L-BFGS.

It starts from 0, is preconditioned by one metric, fixed and the same for all blocks, and takes no random numbers: so it
may be part of a forward and of a reverse proposal, and blocks renumbered give the mode renumbered.
"""

from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INNER, copy_table
from ffbm.kernels.metric import apply_inverse
from ffbm.kernels.softmax import energy_and_gradient

MEMORY = 5  # pairs of differences that L-BFGS keeps
_MOST_STEPS = 40
_SHORTEST = 1e-6  # a step cut down to this share gains nothing


class ModeBuffers(NamedTuple):
    """Arrays that the search overwrites."""

    tile: np.ndarray  # as energy_and_gradient takes it
    line: np.ndarray  # as apply_inverse takes it
    vectors: np.ndarray  # (5, A, B): gradient, direction, and the last point, gradient and preconditioned gradient
    point_steps: np.ndarray  # (MEMORY, A, B): differences of points
    gradient_steps: np.ndarray  # (MEMORY, A, B): differences of gradients


@njit(**INNER)
def dot(a, b):
    """Return the sum of products of two tables."""
    total = 0.0
    for d in range(a.shape[0]):
        for k in range(a.shape[1]):
            total += a[d, k] * b[d, k]
    return total


@njit(**INNER)
def add_scaled(a, x, b):
    """Add x times b to the table a."""
    for d in range(a.shape[0]):
        for k in range(a.shape[1]):
            a[d, k] += x * b[d, k]


@njit(**INNER)
def minimise_energy(target, metric, tolerance, w, buffers):
    """Fill w (A, B) with the minimum of U, to about ``tolerance`` / 2 nats.

    It stops sooner after 40 steps, or where no step along the direction lowers U.
    """
    vectors = buffers.vectors
    g, p, w_old, g_old, q = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    rho, alpha = np.zeros(MEMORY), np.zeros(MEMORY)
    for d in range(w.shape[0]):
        for k in range(w.shape[1]):
            w[d, k] = 0.0
    u = energy_and_gradient(target, w, g, buffers.tile)
    pairs = 0
    for _ in range(_MOST_STEPS):
        apply_inverse(metric, g, q, buffers.line)
        if dot(g, q) < tolerance:
            break
        if pairs > 0:
            direction(metric, buffers, rho, alpha, pairs)
        else:
            copy_table(q, p)
        slope = dot(g, p)
        if not slope > 0.0:  # the pairs have gone bad: begin again
            pairs = 0
            apply_inverse(metric, g, p, buffers.line)  # q is no longer what it was
            slope = dot(g, p)
        copy_table(w, w_old)
        copy_table(g, g_old)
        step, u_new = 1.0, inf
        while step > _SHORTEST:
            copy_table(w_old, w)
            add_scaled(w, -step, p)
            u_new = energy_and_gradient(target, w, g, buffers.tile)
            if isfinite(u_new) and u_new <= u - 1e-4 * step * slope:
                break
            step *= 0.5
        if step <= _SHORTEST:
            copy_table(w_old, w)
            break
        u = u_new
        at = pairs % MEMORY
        s, y = buffers.point_steps[at], buffers.gradient_steps[at]
        copy_table(w, s)
        add_scaled(s, -1.0, w_old)
        copy_table(g, y)
        add_scaled(y, -1.0, g_old)
        curved = dot(s, y)
        if curved > 0.0:
            rho[at] = 1.0 / curved
            pairs += 1


@njit(**INNER)
def direction(metric, buffers, rho, alpha, pairs):
    """Fill the direction with the inverse Hessian of the pairs kept, times the gradient: the two-loop recursion."""
    g, p, q = buffers.vectors[0], buffers.vectors[1], buffers.vectors[4]
    copy_table(g, q)
    kept = min(pairs, MEMORY)
    for age in range(kept):
        at = (pairs - 1 - age) % MEMORY
        alpha[at] = rho[at] * dot(buffers.point_steps[at], q)
        add_scaled(q, -alpha[at], buffers.gradient_steps[at])
    apply_inverse(metric, q, p, buffers.line)
    for age in range(kept - 1, -1, -1):
        at = (pairs - 1 - age) % MEMORY
        add_scaled(p, alpha[at] - rho[at] * dot(buffers.gradient_steps[at], p), buffers.point_steps[at])
