"""Checks of the weight samplers: laws known in closed form, by quadrature or on a grid.

A law gives the exact expectation of some functions of the weights; a sampler passes if the mean of each function over
its draws lies within 4.5 standard errors of it, computed with the effective sample size.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.diagnostics import ess_mean
from ffbm.pipeline.weights import sample_weights
from ffbm.types import Array
from ffbm.verification.findings import Check, Effort, Finding

ALLOWED = 4.5
_PLANE = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, -1.5], [3.0, 1.0], [9.0, 9.0]])  # two features of five vertices

Function = Callable[[Array], Array]  # of the weights (C, T, B, D)


class Law(NamedTuple):
    """Arguments of ``sample_weights``, and exact expectations: of functions, and of the energy."""

    arguments: dict[str, Any]
    expectations: list[tuple[Function, float]]
    energy: float | None = None


def gaussian() -> Law:
    """Small features on many vertices: the likelihood is quadratic, with a mean and correlations of its own.

    To second order U = <W, n sum(x (1/B - y))> + tr(W' C W X'X) / (2B) + |W|^2 / (2 sigma^2). Every kind of vertex
    has its opposite, so that the third order vanishes; the fourth is below 1e-5.
    """
    eps, n, n_blocks, sigma = 0.004, 15_000, 3, 1.5
    rows = eps * np.array([[1.0, 0.0], [1.0, 1.0], [0.0, -1.0], [2.0, 1.0]])
    tilt = np.array([[0.01, 0.0, -0.01], [-0.01, 0.02, -0.01], [0.0, -0.01, 0.01], [0.005, -0.005, 0.0]])
    rows, tilt = np.concatenate((rows, -rows)), np.concatenate((tilt, -tilt))
    x = np.repeat(rows, n, axis=0)
    y = np.repeat(1 / n_blocks + tilt, n, axis=0)
    centring = np.eye(n_blocks) - 1 / n_blocks
    precision = np.kron(centring / n_blocks, n * rows.T @ rows) + np.eye(6) / sigma**2
    cov = np.linalg.inv(precision)
    mean = cov @ (n * tilt.T @ rows).ravel()

    def first(w: Array, i: int) -> Array:
        return np.asarray(w.reshape(*w.shape[:2], 6)[..., i])

    def second(w: Array, i: int, j: int) -> Array:
        return (first(w, i) - mean[i]) * (first(w, j) - mean[j])

    means = [(partial(first, i=i), float(mean[i])) for i in range(6)]
    squares = [(partial(second, i=i, j=j), float(cov[i, j])) for i in range(6) for j in range(i + 1)]
    return Law({"features": x, "members": y, "sigma": sigma}, [*means, *squares])


def one_vertex() -> Law:
    """One vertex, one feature, a hard label: the contrast v = (w_0 - w_1)/sqrt(2) has a skewed law."""
    x, sigma = 4.0, 1.7
    v = np.linspace(-12 * sigma, 12 * sigma, 40_001)
    u = np.logaddexp(0, -np.sqrt(2) * x * v) + v**2 / (2 * sigma**2)
    p = np.exp(-u)
    p /= p.sum()
    mean = float(p @ v)

    def power(w: Array, k: int) -> Array:
        return np.asarray((contrast(w) - mean) ** k)

    def below(w: Array, edge: float) -> Array:
        return (contrast(w) < edge).astype(float)

    expectations: list[tuple[Function, float]] = [(contrast, mean)]
    expectations += [(partial(power, k=k), float(p @ (v - mean) ** k)) for k in (2, 3)]
    expectations += [(partial(below, edge=edge), float(p[v < edge].sum())) for edge in (-0.3, 0.5, 2.0)]
    expectations += [(lambda w: w.mean(axis=2)[..., 0] ** 2, sigma**2 / 2)]
    arguments = {"features": np.array([[x]]), "members": np.array([[1.0, 0.0]]), "sigma": sigma}
    return Law(arguments, expectations, energy=float(p @ u) + 0.5)


def two_features() -> Law:
    """Five vertices, two features, soft and hard memberships, one vertex held out: a law on a plane, by a grid."""
    return _on_a_plane(_PLANE, 0.9)


def unequal_scales() -> Law:
    """Two features of unequal scales, after one that the held-out vertex alone has."""
    idle = np.array([[0.0], [0.0], [0.0], [0.0], [1.0]])
    scales = [3.0, 0.4, 2.0]
    law = _on_a_plane(np.hstack((idle, _PLANE)), scales)

    def square_of_mean(w: Array, d: int) -> Array:
        return np.asarray(w[..., d].mean(axis=2) ** 2)

    def square(w: Array, k: int) -> Array:
        return np.asarray(w[:, :, k, 0] ** 2)

    expectations = [(partial(square_of_mean, d=d), scale**2 / 2) for d, scale in enumerate(scales)]
    expectations += [(partial(square, k=k), scales[0] ** 2) for k in range(2)]
    assert law.energy is not None
    return Law(law.arguments, [*law.expectations, *expectations], law.energy + 1.0)


def _on_a_plane(x: Array, sigma: float | list[float]) -> Law:
    """Return the law of the last two features' contrasts: five vertices, the last held out, in two blocks; a grid."""
    y = np.array([[1.0, 0.0], [0.2, 0.8], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]])
    rows, scales = [0, 1, 2, 3], np.broadcast_to(sigma, x.shape[1])[-2:]
    lines = [np.linspace(-8 * scale, 8 * scale, 801) for scale in scales]
    v = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
    z = np.sqrt(2) * np.einsum("abd,id->abi", v, x[rows, -2:])
    u = (y[rows, 0] * np.logaddexp(0, -z) + y[rows, 1] * np.logaddexp(0, z)).sum(axis=-1)
    u += (v**2 / (2 * scales**2)).sum(axis=-1)
    p = np.exp(-u)
    p /= p.sum()
    means = np.einsum("ab,abd->d", p, v)

    def product(w: Array, ds: tuple[int, ...]) -> Array:
        return np.prod([contrast(w, d - 2) - means[d] for d in ds], axis=0)

    expectations: list[tuple[Function, float]] = [(partial(contrast, d=d - 2), float(means[d])) for d in (0, 1)]
    for ds in ((0, 0), (0, 1), (1, 1), (0, 0, 0)):
        exact = float((p * np.prod([v[..., d] - means[d] for d in ds], axis=0)).sum())
        expectations.append((partial(product, ds=ds), exact))
    arguments = {"features": x, "members": y, "sigma": sigma, "rows": rows}
    return Law(arguments, expectations, energy=float((p * u).sum()) + 1.0)


def contrast(w: Array, d: int = 0) -> Array:
    """Return (w_0d - w_1d) / sqrt(2), (C, T)."""
    return np.asarray((w[:, :, 0, d] - w[:, :, 1, d]) / np.sqrt(2))


LAWS: dict[str, Callable[[], Law]] = {f.__name__: f for f in (gaussian, one_vertex, two_features, unequal_scales)}


def deviations(name: str, sampler: str, n_draws: int = 8000, seed: int = 11, **changes: Any) -> Array:
    """Return for each function of a law how many standard errors its mean is off the exact value.

    ``changes`` replace arguments of ``sample_weights``, to see that a wrong one would be noticed.
    """
    law = LAWS[name]()
    options = law.arguments | changes
    trace = sample_weights(**options, weight_prior="fixed", sampler=sampler, n_draws=n_draws, seed=seed, progress=False)
    values = [(function(trace.weights), exact) for function, exact in law.expectations]
    if law.energy is not None:
        values.append((trace.energy, law.energy))
    return np.abs([(v.mean() - exact) / (v.std() / np.sqrt(ess_mean(v))) for v, exact in values])


def largest_deviation(sampler: str, name: str, effort: Effort) -> Finding:
    """Return the largest deviation of a sampler under a law, in standard errors."""
    off = deviations(name, sampler, 40_000 if effort.full else 8_000, effort.seed + 11)
    return Finding(float(off.max()), ALLOWED, details={"functions": len(off)})


CHECKS = tuple(
    Check(
        f"p(W|X,y): {sampler}, {name.replace('_', ' ')}",
        "largest deviation of a posterior expectation from its exact value, standard errors",
        "the published program's acceptance rule, a ratio left out, sigma ignored or of another feature, training rows "
        "ignored",
        partial(largest_deviation, sampler, name),
    )
    for sampler in ("hmc", "mala")
    for name in LAWS
)
