"""The upper half of the model: features, weights of the features on blocks, and the block of each vertex."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.theta.design import read_features
from ffbm.types import Array, Features


def draw_flags(rng: np.random.Generator, n_nodes: int, n_features: int) -> Features:
    """Draw flags, each set on a vertex with chance 1/2; one that would be the same everywhere is drawn again.

    >>> flags = draw_flags(np.random.default_rng(0), 6, 3)
    >>> flags.names, flags.values.shape, bool((flags.support % 6 > 0).all())
    (('x0', 'x1', 'x2'), (6, 3), True)
    """
    values = rng.random((n_nodes, n_features)) < 0.5
    while n_nodes > 1 and (same := (values == values[:1]).all(axis=0)).any():
        values[:, same] = rng.random((n_nodes, int(same.sum()))) < 0.5
    return _name(values.astype(np.float64))


def take_features(features: Any) -> Features:
    """Take features as they are: Features, or an (N, D) array or sparse matrix of finite numbers."""
    checked = read_features(features)[0]
    if isinstance(features, Features):
        return features
    return _name(checked if sp.issparse(features) else checked.toarray())


def draw_weights(rng: np.random.Generator, n_blocks: int, n_features: int, sigma: float) -> Array:
    """Draw W (B, D), every weight from N(0, sigma^2)."""
    return sigma * rng.standard_normal((n_blocks, n_features))


def draw_labels(rng: np.random.Generator, values: Any, weights: Array) -> Array:
    """Draw b (N,), each vertex from P(b_i = r | x_i) = softmax_r(W x_i), independently; a block may stay empty.

    Adding a Gumbel variable to each w_r x_i and taking the largest draws from the softmax.
    """
    scores = np.asarray(values @ weights.T)
    return np.asarray((scores + rng.gumbel(size=scores.shape)).argmax(axis=1))


def _name(values: Any) -> Features:
    n_features = values.shape[1]
    names = tuple(f"x{j}" for j in range(n_features))
    return Features(values, names, names, np.zeros(n_features), np.ones(n_features))
