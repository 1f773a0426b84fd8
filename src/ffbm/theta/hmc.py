"""One Hamiltonian move, written to be read; the kernel is held to it.

The dynamics live in the contrasts: H(w, v) = U(w) + v' S^+ v / 2 with velocities v ~ N(0, S), S = C M^-1 C.
Here S is one explicit matrix and the kinetic energy is computed as it stands.
"""

from collections.abc import Callable

import numpy as np

from ffbm.kernels.hmc import JITTER, OUTER
from ffbm.kernels.metric import Metric
from ffbm.types.graph import Array


def velocity_root(metric: Metric) -> Array:
    """Return the matrix (D*B, D*B) that turns standard normal noise, flat, into velocities; it is a root of S."""
    n_features, n_blocks = metric.root_rest.shape
    m = metric.root.shape[1]
    root = np.zeros((n_features, n_blocks, n_features, n_blocks))
    for k in range(n_blocks):
        root[np.arange(n_features), k, np.arange(n_features), k] = metric.root_rest[:, k]
        root[:m, k, :m, k] = metric.root[k].T
    root -= root.mean(axis=1, keepdims=True)
    return root.reshape(n_features * n_blocks, -1)


def integrate(
    w: Array, v: Array, step: float, n_steps: int, gradient: Callable[[Array], Array], covariance: Array
) -> tuple[Array, Array]:
    """Return position and velocity (D, B) after ``n_steps`` two-stage steps::

        v -= b h S grad U(w);  w += h/2 v;  v -= (1 - 2b) h S grad U(w);  w += h/2 v;  v -= b h S grad U(w)

    with b = 0.21178 (Blanes, Casas and Sanz-Serna, 2014): at two gradients per step, its energy error in many
    dimensions is a fraction of that of two leapfrog steps of half the size.
    """

    def kick(w: Array, v: Array, h: float) -> Array:
        return v - h * (covariance @ gradient(w).ravel()).reshape(v.shape)

    for _ in range(n_steps):
        v = kick(w, v, OUTER * step)
        w = w + 0.5 * step * v
        v = kick(w, v, (1 - 2 * OUTER) * step)
        w = w + 0.5 * step * v
        v = kick(w, v, OUTER * step)
    return w, v


def hmc_step(
    rng: np.random.Generator,
    w: Array,
    step: float,
    n_steps: int,
    energy: Callable[[Array], float],
    gradient: Callable[[Array], Array],
    metric: Metric,
) -> tuple[Array, float]:
    """Return the next weights (D, B) and the acceptance probability; the step is jittered as in the kernel."""
    root = velocity_root(metric)
    covariance = root @ root.T
    precision = np.linalg.pinv(covariance, hermitian=True)
    v = (root @ rng.standard_normal(w.size)).reshape(w.shape)
    h = step * (1 + JITTER * (2 * rng.random() - 1))
    w_new, v_new = integrate(w, v, h, n_steps, gradient, covariance)
    kinetic, kinetic_new = (0.5 * float(p.ravel() @ precision @ p.ravel()) for p in (v, v_new))
    change = energy(w_new) + kinetic_new - energy(w) - kinetic
    acceptance = float(np.exp(min(-change, 0.0)))
    return (w_new if rng.random() < acceptance else w), acceptance
