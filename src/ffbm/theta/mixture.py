"""The law of the columns: a mixture of classes of vertices, inside which the columns are independent.

The generator: class shares are Dirichlet(1/K, ..., 1/K); in each class a part with V values has them with
probabilities from Dirichlet(2/V, ..., 2/V), and a number, standardised, is normal, 1/s^2 ~ Gamma(2, rate 1/2), mean ~
N(0, s^2 / k), k = 1/2. A vertex draws its class, then each of its cells. That is a joint law of all columns, correlated
ones too, and every conditional of it is known; with one class the columns are independent.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.theta.parts import Parts
from ffbm.types.graph import Array

SHARES = 1.0  # the prior counts of classes, in all
VALUES = 2.0  # those of the values of a part, in all
SHAPE, RATE, TIGHTNESS = 2.0, 0.5, 0.5  # of numbers
_LEAST = 1e-300


class Mixture(NamedTuple):
    """One draw of the law of the columns: K classes, C values, Q numbers."""

    shares: Array  # (K,)
    chances: Array  # (K, C): of each value, summing to 1 over each part
    mean: Array  # (K, Q)
    sd: Array  # (K, Q)


def draw_mixture(
    rng: np.random.Generator, parts: Parts, n_classes: int, classes: Array, codes: Array, numbers: Array
) -> Mixture:
    """Draw the law given the class and all cells of each vertex: ``codes`` (N, P) and ``numbers`` (N, Q)."""
    n_each = np.bincount(classes, minlength=n_classes)
    shares = np.maximum(rng.standard_gamma(SHARES / n_classes + n_each), _LEAST)
    n_values = len(parts.feature)
    counts = np.bincount(
        (classes[:, np.newaxis] * n_values + codes).ravel(), minlength=n_classes * n_values
    ).reshape(n_classes, n_values)  # fmt: skip
    prior = VALUES / np.diff(parts.start)[parts.owner]
    chances = np.maximum(rng.standard_gamma(prior + counts), _LEAST)
    if parts.n_parts:
        chances /= np.add.reduceat(chances, parts.start[:-1], axis=1)[:, parts.owner]
    joins = sp.csr_array((np.ones(len(classes)), (classes, np.arange(len(classes)))), shape=(n_classes, len(classes)))
    total, square = joins @ numbers, joins @ numbers**2
    n = n_each[:, np.newaxis]
    centre = total / (n + TIGHTNESS)
    rate = RATE + 0.5 * np.maximum(square - total * centre, 0.0)
    sd = np.sqrt(rate / rng.standard_gamma(SHAPE + 0.5 * n, size=rate.shape))
    mean = centre + sd / np.sqrt(n + TIGHTNESS) * rng.standard_normal(rate.shape)
    return Mixture(shares / shares.sum(), chances, mean, sd)


def log_of_classes(law: Mixture, codes: Array, numbers: Array) -> Array:
    """Return ln of share times the probability of the known cells of each vertex in each class (N, K).

    Cells are unknown where ``codes`` (N, P) are negative and ``numbers`` (N, Q) not finite.
    """
    n, n_parts = codes.shape
    result = np.tile(np.log(law.shares), (n, 1))
    if n_parts:
        known, levels = (codes >= 0).ravel().astype(np.float64), np.maximum(codes, 0).ravel()
        entries = known, levels, np.arange(0, n * n_parts + 1, n_parts)
        result += sp.csr_array(entries, shape=(n, law.chances.shape[1])) @ np.log(law.chances).T
    for q in range(numbers.shape[1]):
        here = np.flatnonzero(np.isfinite(numbers[:, q]))
        result[here] += log_normal(law, q, numbers[here, q])
    return result


def log_normal(law: Mixture, q: int, x: Array) -> Array:
    """Return the log density of number q at x (n,) in each class (n, K), up to a constant."""
    off = (x[:, np.newaxis] - law.mean[:, q]) / law.sd[:, q]
    return np.asarray(-0.5 * off**2 - np.log(law.sd[:, q]))


def draw_rows(rng: np.random.Generator, log_weights: Array) -> Array:
    """Draw a number for each row (n,) with probabilities proportional to exp of its log weights (n, K).

    >>> draw_rows(np.random.default_rng(1), np.array([[0.0, -np.inf], [-900.0, -800.0]])).tolist()
    [0, 1]
    """
    return draw_of(rng, np.exp(log_weights - log_weights.max(axis=1, keepdims=True)))


def draw_of(rng: np.random.Generator, weights: Array) -> Array:
    """Draw a number for each row (n,) with probabilities proportional to its weights (n, K)."""
    upto = np.cumsum(weights, axis=1)
    at = rng.random((len(weights), 1)) * upto[:, -1:]
    return np.asarray(np.minimum((upto <= at).sum(axis=1), weights.shape[1] - 1))


def complete_rows(
    rng: np.random.Generator, law: Mixture, parts: Parts, codes: Array, numbers: Array
) -> tuple[Array, Array]:
    """Draw the unknown cells of vertices given their known ones: the class first, then each cell."""
    classes = draw_rows(rng, log_of_classes(law, codes, numbers))
    codes, numbers = codes.copy(), numbers.copy()
    for p in range(parts.n_parts):
        blank = np.flatnonzero(codes[:, p] < 0)
        chances = law.chances[classes[blank], parts.start[p] : parts.start[p + 1]]
        codes[blank, p] = parts.start[p] + draw_of(rng, chances)
    for q in range(numbers.shape[1]):
        blank = np.flatnonzero(~np.isfinite(numbers[:, q]))
        classes_here = classes[blank]
        numbers[blank, q] = law.mean[classes_here, q] + law.sd[classes_here, q] * rng.standard_normal(len(blank))
    return codes, numbers
