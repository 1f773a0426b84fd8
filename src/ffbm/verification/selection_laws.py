"""Checks of the selection of columns: inclusion probabilities known by quadrature, for two blocks and one column.

With two blocks the contrasts are one number for each feature, v = (w_0 - w_1) / sqrt(2). Given the intercept and s the
features of a column of flags are independent, so the evidence for it is an integral over s and the intercept of a
product of integrals over one v each.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import log_expit, logsumexp

from ffbm.diagnostics import ess_mean
from ffbm.pipeline.weights import sample_weights
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Array
from ffbm.verification.findings import Check, Effort, Finding

ALLOWED = 0.01  # of an inclusion probability
ERRORS = 4.5  # of a posterior mean, in standard errors


class Law(NamedTuple):
    """Features (N, D) of one column and memberships (N, 2), with what quadrature gives."""

    x: Array
    y: Array
    inclusion: float
    mean: Array  # (D,): of the contrast of each feature, 0 where the column is out
    intercept: float  # the mean of the intercept's contrast
    full: Array  # (D + 1,): the means of all contrasts in the full model, which includes the column


def three_values() -> Law:
    """Return that of a column of three values, none of which some vertices have."""
    counts = [(3, 3), (6, 1), (0, 4), (4, 2)]  # in either block, with no value and with each of them
    x = np.repeat(np.vstack((np.zeros(3), np.eye(3))), [sum(c) for c in counts], axis=0)
    return solve(x, _hard(counts))


def covering() -> Law:
    """Return that of two flags of which every vertex has one: they are confounded with the intercept."""
    counts = [(9, 4), (3, 8)]
    return solve(np.repeat(np.eye(2), [sum(c) for c in counts], axis=0), _hard(counts))


def number() -> Law:
    """Return that of a number, positive and negative, with soft memberships."""
    x = np.linspace(-1.6, 2.1, 18)[:, np.newaxis]
    y = np.clip(0.5 + 0.25 * x[:, 0] + 0.2 * np.sin(9 * x[:, 0]), 0.05, 0.95)
    return solve(x, np.column_stack((y, 1 - y)))


def rare() -> Law:
    """Return that of a flag on too few vertices for the intercept to move with it, all of them in one block."""
    counts = [(24, 15), (0, 4)]
    x = np.repeat([[0.0], [1.0]], [sum(c) for c in counts], axis=0)
    return solve(x, _hard(counts))


def _hard(counts: list[tuple[int, int]]) -> Array:
    return np.concatenate([np.repeat(np.eye(2), pair, axis=0) for pair in counts])


LAWS: dict[str, Callable[[], Law]] = {f.__name__: f for f in (three_values, covering, number, rare)}


def solve(x: Array, y: Array) -> Law:
    """Return the law of a column with disjoint flags, or of one number, by quadrature on grids.

    >>> law = solve(np.zeros((3, 1)), np.array([[1.0, 0], [0, 1], [0, 1]]))  # a flag that nobody has
    >>> round(law.inclusion, 6), round(abs(float(law.mean[0])), 6)
    (0.5, 0.0)
    """
    a, u = np.linspace(-7.0, 7.0, 113), np.linspace(-8.0, 8.0, 321)
    t = np.linspace(np.log(0.2), np.log(60.0), 90)
    log_a = -0.5 * (a / INTERCEPT_SD) ** 2
    log_u = -0.5 * u**2 - logsumexp(-0.5 * u**2)
    log_t = -3 * t - 1.5 * np.exp(-2 * t)
    log_t -= logsumexp(log_t)
    has = x != 0
    of_others = _log_likelihood(a[:, np.newaxis], y[~has.any(axis=1)].sum(axis=0, keepdims=True))
    outside = log_a + _log_likelihood(a[:, np.newaxis], y.sum(axis=0, keepdims=True))
    evidence_out = logsumexp(outside)
    parts = np.empty((len(t), len(a)))
    means = np.empty((x.shape[1], len(t), len(a)))
    for k, s in enumerate(np.exp(t)):
        parts[k] = log_t[k] + log_a + of_others
        for j in range(x.shape[1]):
            values, where = np.unique(x[has[:, j], j], return_inverse=True)
            memberships = np.zeros((len(values), 2))
            np.add.at(memberships, where, y[has[:, j]])
            inner = log_u + _log_likelihood(a[:, np.newaxis, np.newaxis] + s * u[:, np.newaxis] * values, memberships)
            whole = logsumexp(inner, axis=1)
            means[j, k] = s * np.einsum("au,u->a", np.exp(inner - whole[:, np.newaxis]), u)
            parts[k] += whole
    evidence_in = logsumexp(parts)
    inclusion = float(1 / (1 + np.exp(evidence_out - evidence_in)))  # with one column the prior odds are 1
    share = np.exp(parts - evidence_in)
    of_a = inclusion * share.sum(axis=0) + (1 - inclusion) * np.exp(outside - evidence_out)
    full = np.append(np.einsum("jka,ka->j", means, share), share.sum(axis=0) @ a)
    return Law(x, y, inclusion, inclusion * full[:-1], float(of_a @ a), full)


def _log_likelihood(z: Array, y: Array) -> Array:
    """Return the log likelihood of sums of memberships (n, 2) at contrasts z (..., n)."""
    logit = np.sqrt(2) * z
    return np.asarray((y[:, 0] * log_expit(logit) + y[:, 1] * log_expit(-logit)).sum(axis=-1))


def compare(name: str, n_sweeps: int, seed: int) -> tuple[float, Array]:
    """Return how far the inclusion probability is off, and posterior means of both models in standard errors."""
    law = LAWS[name]()
    groups = {"column": [str(j) for j in range(law.x.shape[1])]}
    trace = sample_weights(
        law.x, law.y, weight_prior="learned", column_groups=groups, n_draws=2 * n_sweeps, n_warmup=200,
        n_sweeps=n_sweeps, seed=seed, progress=False,
    )  # fmt: skip
    assert trace.selected is not None
    off = [
        _deviations(trace.selected.weights, np.append(law.mean, law.intercept)),
        _deviations(trace.weights, law.full),
    ]
    return float(abs(trace.selected.probability[0] - law.inclusion)), np.concatenate(off)


def _deviations(w: Array, exact: Array) -> Array:
    """Return how many standard errors the means of the contrasts are off."""
    v = (w[:, :, 0] - w[:, :, 1]) / np.sqrt(2)
    error = [v[..., d].std() / np.sqrt(ess_mean(v[..., d])) for d in range(len(exact))]
    return np.asarray(np.abs(v.mean(axis=(0, 1)) - exact) / error)


def follow_the_law(name: str, effort: Effort) -> Finding:
    """Return the largest deviation under a law, of the inclusion probability or of a mean, in their bounds."""
    off, means = compare(name, 8000 if effort.full else 500, effort.seed + 5)
    return Finding(max(off / ALLOWED, float(means.max()) / ERRORS), 1.0, details={"inclusion": off})


CHECKS = tuple(
    Check(
        f"p(column|X,y): {name.replace('_', ' ')}",
        "largest deviation of inclusion (in 0.01) or of a posterior mean (in 4.5 standard errors) from quadrature",
        "a proposal density, volume, way back or odds left out of a move of columns",
        partial(follow_the_law, name),
    )
    for name in LAWS
)
