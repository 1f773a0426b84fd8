"""Calibration: how often vertices are in a block, against the probability that their features gave it."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.types.graph import Array

if TYPE_CHECKING:
    import pandas as pd

_BINS = 10


def calibration_bins(predicted: Array, observed: Array) -> "pd.DataFrame":
    """Return one row for each bin of predicted probabilities that has pairs of a vertex and a block.

    ``low`` and ``high`` of the bin, ``n`` pairs, the means ``predicted`` and ``observed``, and ``error``, the standard
    error of ``observed``, taken over vertices.

    >>> calibration_bins(np.array([[0.25, 0.75], [0.25, 0.75]]), np.array([[1, 0], [0, 1]])).round(2).to_dict("records")
    ... # doctest: +NORMALIZE_WHITESPACE
    [{'low': 0.2, 'high': 0.3, 'n': 2, 'predicted': 0.25, 'observed': 0.5, 'error': 0.35},
     {'low': 0.7, 'high': 0.8, 'n': 2, 'predicted': 0.75, 'observed': 0.5, 'error': 0.35}]
    """
    import pandas as pd

    bins = np.minimum((predicted * _BINS).astype(np.int64), _BINS - 1)
    rows = []
    for k in np.unique(bins).tolist():
        inside = bins == k
        n, mean = int(inside.sum()), float(observed[inside].mean())
        miss = np.where(inside, observed - mean, 0).sum(axis=1)  # pairs of one vertex go together
        error = float(np.sqrt((miss**2).sum())) / n
        rows.append((k / _BINS, (k + 1) / _BINS, n, float(predicted[inside].mean()), mean, error))
    return pd.DataFrame(rows, columns=["low", "high", "n", "predicted", "observed", "error"])


def calibration_error(predicted: Array, observed: Array) -> float:
    """Return the mean difference between observed and predicted over bins, each counted by its pairs.

    >>> calibration_error(np.array([[0.25, 0.75], [0.25, 0.75]]), np.array([[1, 0], [0, 1]]))
    0.25
    """
    bins = np.minimum((predicted * _BINS).astype(np.int64), _BINS - 1)
    sums = np.bincount(bins.ravel(), weights=np.ravel(observed - predicted), minlength=_BINS)
    return float(np.abs(sums).sum() / predicted.size)


def chance_errors(predicted: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Return that error (n_draws,) of blocks drawn from the predictions themselves."""
    n, n_blocks = predicted.shape
    chances, one_hot = np.cumsum(predicted, axis=1), np.eye(n_blocks)
    drawn = (np.minimum((rng.random((n, 1)) > chances).sum(axis=1), n_blocks - 1) for _ in range(n_draws))
    return np.array([calibration_error(predicted, one_hot[blocks]) for blocks in drawn])
