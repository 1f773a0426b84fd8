"""Check of the weights' energy and gradient: the kernel against the readable target, that against differences."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ffbm.kernels.softmax import TILE, energy_and_gradient
from ffbm.theta.prepare import WeightTarget, weight_target
from ffbm.theta.target import energy, gradient
from ffbm.types import Array
from ffbm.verification.findings import Check, Effort, Finding


def kernel_gradient(target: WeightTarget, w: Array) -> tuple[float, Array]:
    """Return U and its gradient at the weights w (B, D) by the kernel, in the layout of the readable target."""
    at = np.ascontiguousarray(w.T[target.kernel.rows.active])
    g, n_blocks = np.empty_like(at), w.shape[0]
    u = energy_and_gradient(target.kernel, at, g, np.empty((TILE, n_blocks)))
    full = w / target.scale**2
    full[:, target.kernel.rows.active] = g.T
    of_idle = w[:, target.kernel.rows.idle] / target.scale[target.kernel.rows.idle]
    return float(u + 0.5 * np.sum(of_idle**2)), full


def difference_gradient(w: Array, x: Array, y: Array, sigma: npt.ArrayLike) -> Array:
    """Return the gradient of the readable energy by central differences."""
    slope, step = np.empty_like(w), 1e-5
    for k, d in np.ndindex(*w.shape):
        aside = np.zeros_like(w)
        aside[k, d] = step
        slope[k, d] = (energy(w + aside, x, y, sigma) - energy(w - aside, x, y, sigma)) / (2 * step)
    return slope


def random_case(rng: np.random.Generator, numbers: bool) -> tuple[Array, Array, Array]:
    """Return features (90, 6), flags or numbers, memberships (90, 4) and weights (4, 6)."""
    n = 90
    x = (rng.random((n, 6)) < 0.4).astype(float)
    if numbers:
        x = x * rng.normal(size=x.shape)
    return x, rng.dirichlet(np.ones(4), n), rng.normal(size=(4, 6))


def energies_and_gradients(effort: Effort) -> Finding:
    """Compare kernel, readable target and differences: flags, numbers, all vertices, some, one sigma or several."""
    worst = 0.0
    for turn in range(20 if effort.full else 6):
        rng = np.random.default_rng([effort.seed, turn])
        x, y, w = random_case(rng, numbers=turn % 2 == 1)
        sigma: Any = rng.uniform(0.3, 2.0, 6) if turn % 4 in (1, 2) else float(rng.uniform(0.3, 2.0))
        rows = np.arange(len(x)) if turn % 3 == 0 else np.sort(rng.permutation(len(x))[:50])
        u, g = kernel_gradient(weight_target(sp.csr_array(x) if turn % 4 > 1 else x, y, rows, sigma), w)
        exact = energy(w, x[rows], y[rows], sigma)
        slow = gradient(w, x[rows], y[rows], sigma)
        scale = 1 + np.abs(slow).max()
        worst = max(worst, abs(u - exact) / (1 + abs(exact)), float(np.abs(g - slow).max()) / scale)
        off = np.abs(slow - difference_gradient(w, x[rows], y[rows], sigma)).max() / scale
        worst = max(worst, 1e-4 * float(off))  # differences are exact to about 1e-9, not 1e-13
    return Finding(worst, 1e-12)


CHECKS = (
    Check(
        "energy and gradient",
        "largest relative error of the kernel against the readable target (1e-4 of it against differences)",
        "a wrong gradient, sigma ignored, training rows ignored, equal rows merged wrongly",
        energies_and_gradients,
    ),
)
