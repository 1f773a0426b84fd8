"""The mode of the target and the geometry around it: where chains start and how they move."""

from math import acos, isqrt, pi, sqrt

import numpy as np
from scipy.linalg import eigh_tridiagonal, solve_triangular
from scipy.optimize import minimize

from ffbm.kernels.metric import Metric, add_curvature, apply_inverse, subtract_mean
from ffbm.kernels.softmax import TILE, Target, energy_and_gradient
from ffbm.types.graph import Array

_LEAST_DENSE, _MOST_DENSE = 64, 512
_LANCZOS = 24
_SLOWEST = 1e-3
_USED_UP = 1e-6  # a Lanczos vector this short (squared, against 1) is noise: the space is used up


class Energy:
    """U and its gradient as a function of the weights, in any shape."""

    def __init__(self, target: Target) -> None:
        self.target, self._tile = target, np.empty((TILE, target.sums.shape[1]))

    def __call__(self, w: Array) -> tuple[float, Array]:
        """Return U and the gradient, in the shape of w."""
        at = np.ascontiguousarray(w).reshape(self.target.sums.shape)
        g = np.empty_like(at)
        return energy_and_gradient(self.target, at, g, self._tile), g.reshape(w.shape)


def find_mode(target: Target, near: Array | None = None) -> Array:
    """Return the minimum of U (D, B): U is strictly convex, so there is one, and its mean over blocks is 0.

    It only places the starts and the geometry: chains are right wherever it is, so it need not be sharp. It is looked
    for from ``near`` (D, B) on, or from 0.
    """
    start = np.zeros(target.sums.size) if near is None else np.ascontiguousarray(near).reshape(-1)
    if start.size == 0:
        return start.reshape(target.sums.shape)
    result = minimize(Energy(target), start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "gtol": 1e-4})
    mode = result.x.reshape(target.sums.shape)
    subtract_mean(mode)
    return mode


def curvature_metric(target: Target, w: Array) -> Metric:
    """Return the metric made of each block's own part of the Hessian of U at w.

    M_k = X' diag(n a_k (1 - a_k)) X + 1/sigma^2, over the m most frequent features; beyond them its
    diagonal. m is such that M^-1 costs no more than a gradient. Per row of X the Hessian over blocks,
    diag(a) - aa', is the Laplacian of a graph with weights a_k a_l, and its diagonal are that graph's
    degrees: so with m = D the Hessian is at most 2 M, whatever the weights.
    """
    return make_metric(*curvature(target, w))


def curvature(target: Target, w: Array) -> tuple[Array, Array]:
    """Return M at w: its lower triangles over the m most frequent features (m, m, B), the diagonal of all (D, B)."""
    n_features, n_blocks = w.shape
    m = min(n_features, max(_LEAST_DENSE, isqrt(len(target.rows.indices))), _MOST_DENSE)
    dense, rest = np.zeros((m, m, n_blocks)), np.zeros((n_features, n_blocks))
    add_curvature(target.rows, w, dense, rest)
    rest += target.precision[:, np.newaxis]
    dense[np.arange(m), np.arange(m)] += target.precision[:m, np.newaxis]
    return dense, rest


def make_metric(dense: Array, rest: Array, moving: Array | None = None) -> Metric:
    """Return the metric whose mass matrix ``curvature`` gives; of the features, only those that are ``moving``."""
    m, n_blocks = dense.shape[1:]
    inverse, root = np.zeros((2, n_blocks, m, m))
    rows = np.arange(m) if moving is None else np.flatnonzero(moving[:m])
    at = np.ix_(rows, rows)
    for k in range(n_blocks):
        lower = np.linalg.cholesky(dense[:, :, k][at])
        root[k][at] = solve_triangular(lower, np.eye(len(rows)), lower=True)  # row j is column j of the root of M^-1
        inverse[k][at] = root[k][at].T @ root[k][at]
    inverse_rest = 1 / rest if moving is None else moving[:, np.newaxis] / rest
    return Metric(inverse, root, inverse_rest, np.sqrt(inverse_rest))


def slowest_frequency(target: Target, metric: Metric, w: Array, rng: np.random.Generator) -> float:
    """Return the smallest eigenvalue of C M^-1 C times the Hessian of U at w, by Lanczos.

    1 for every direction would mean that the metric has made the target round; small values belong to the
    directions that a trajectory crosses slowly.
    """
    energy, line = Energy(target), np.empty((2, max(metric.n_dense, 1)))

    def hessian(v: Array) -> Array:
        tiny = 1e-4 / max(float(np.abs(v).max()), 1e-300)
        along = (energy(w + tiny * v)[1] - energy(w - tiny * v)[1]) / (2 * tiny)
        subtract_mean(along)  # rounding there would grow: the metric's eigenvalue is 0 for the mean
        return along

    q, before = rng.standard_normal(w.shape), np.zeros_like(w)
    subtract_mean(q)
    hq, beta = hessian(q), 0.0
    norm = sqrt(float(np.vdot(q, hq)))
    q, hq = q / norm, hq / norm
    alphas, betas = [], []
    for _ in range(min(_LANCZOS, w.size - w.shape[0])):
        r = np.empty_like(q)
        apply_inverse(metric, hq, r, line)
        alphas.append(float(np.vdot(r, hq)))
        r -= alphas[-1] * q + beta * before
        subtract_mean(r)
        hr = hessian(r)
        left = float(np.vdot(r, hr))
        if not left > _USED_UP:
            break
        beta, before = sqrt(left), q
        betas.append(beta)
        q, hq = r / beta, hr / beta
    ritz = eigh_tridiagonal(np.array(alphas), np.array(betas[: len(alphas) - 1]), eigvals_only=True)
    return float(ritz[0])


def integration_times(slowest: float) -> tuple[float, float]:
    """Return the least and the most time of a trajectory.

    A direction with eigenvalue a turns with frequency sqrt(a). The least time is a quarter of a period, after which
    a draw is independent of the last: (pi/2) a^(-1/4), in between the slowest direction's and that of the round
    ones. Turning on makes draws alternate, which helps means and harms standard deviations: with
    autocorrelation c = cos t the errors of both together, (1 + c)/(1 - c) + (1 + c^2)/(2 (1 - c^2)), are least at
    c = (sqrt(5) - 3)/2, and a trajectory goes no further than that.
    """
    least = 0.5 * pi * float(np.clip(slowest, _SLOWEST, 1.0)) ** -0.25
    return least, max(least, acos((sqrt(5) - 3) / 2))
