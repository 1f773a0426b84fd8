"""Losses in which every draw of the weights is held to the labels of the same draw, as the joint posterior asks."""

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from scipy.special import logsumexp

from ffbm.errors import DataError
from ffbm.scoring.losses import TRAIN_AND_TEST, monte_carlo_error, score_weights
from ffbm.scoring.rows import match_design
from ffbm.types import Array, BlockTrace, Memberships
from ffbm.types.scores import Scores
from ffbm.types.weights import WeightTrace

_PIECE = 2**19  # logits held at a time


def score_draws(
    trace: WeightTrace,
    blocks: BlockTrace,
    features: Any,
    members: Memberships,
    *,
    workers: int | None = None,
) -> Scores:
    """Score draws of weights that come each with labels of its own.

    ``loss_train`` and ``loss_test`` are the means over draws t of (1/n) sum_i ln 1/a_{i, b_i(t)}(t), with draw t's own
    labels b(t); all other scores are those of ``score_weights`` against the memberships y-hat.

    Parameters
    ----------
    trace : WeightTrace
    blocks : BlockTrace
        The labels of the same draws (C, T, N); label r goes with row r of the weights.
    features : Features, or (N, D) array or sparse matrix
    members : Memberships
    workers : int, optional

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> from ffbm.pipeline.joint import sample_joint
    >>> draws = sample_joint(net, 2, n_sweeps=60, n_warmup=60, n_chains=2, seed=1)
    >>> scores = score_draws(draws.weights, draws.blocks, net.features, draws.memberships)
    >>> 0 < scores.loss_train < scores.uniform_loss
    True
    """
    scores = score_weights(trace, features, members, trace.rows, workers=workers)
    is_train = np.zeros(blocks.labels.shape[2], dtype=bool)
    is_train[trace.rows] = True
    sides = is_train, ~is_train
    means = np.full((2, *trace.energy.shape), nan)
    for part, losses in _losses(trace, blocks, features):
        for mean, side in zip(means, sides, strict=True):
            if side.any():
                mean.reshape(-1)[part] = losses[:, side].mean(axis=1)
    values: dict[str, float] = {}
    for name, draws in zip(TRAIN_AND_TEST, means, strict=True):
        values |= {f"loss_{name}": float(draws.mean()), f"loss_mcse_{name}": monte_carlo_error(draws)}
    return replace(scores, **values)  # type: ignore[arg-type]


def _losses(trace: WeightTrace, blocks: BlockTrace, features: Any) -> Iterator[tuple[slice, Array]]:
    """Yield the losses (draws, N) of a stretch of draws after the other, counted through all chains."""
    n_chains, n_draws, n_blocks, n_features = trace.weights.shape
    if blocks.labels.shape[:2] != (n_chains, n_draws):
        raise DataError(
            f"labels and weights must be of the same draws; got {blocks.labels.shape[:2]} and {(n_chains, n_draws)}"
        )
    design = match_design(trace, features)
    labels = blocks.labels.reshape(n_chains * n_draws, -1)
    weights = trace.weights.reshape(-1, n_blocks, n_features)
    size = max(1, _PIECE // max(1, len(design.counts) * n_blocks))
    for first in range(0, len(labels), size):
        part = weights[first : first + size]
        z = (design.x @ part.reshape(-1, n_features).T).reshape(-1, len(part), n_blocks)
        z = logsumexp(z, axis=2, keepdims=True) - z  # (R, draws, B)
        draw = np.arange(len(part))[:, np.newaxis]
        yield slice(first, first + size), z[design.group[np.newaxis], draw, labels[first : first + size]]
