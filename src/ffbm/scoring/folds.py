"""Which vertices are for training, and scores put together from folds in which each vertex is a test vertex once."""

from collections.abc import Sequence
from math import floor, nan, sqrt
from typing import Any

import numpy as np

from ffbm.check import check_int, check_real
from ffbm.errors import OptionError, keyword
from ffbm.scoring.losses import base_rate_note, empty_notes
from ffbm.types.graph import Array
from ffbm.types.scores import Scores

_AVERAGED = ("loss", "predictive_loss", "base_rate_loss", "bits")
_OTHERS = ("bits_se", "bits_by_block", "bits_se_by_block", "accuracy", "loss_mcse")


def split_rows(n_nodes: int, train_fraction: float, rng: np.random.Generator) -> Array:
    """Return the training vertices: the first floor(f N) of a random permutation, sorted.

    >>> split_rows(10, 0.7, np.random.default_rng(1)).size, split_rows(3, 1.0, np.random.default_rng(1)).tolist()
    (7, [0, 1, 2])
    """
    fraction = check_real("train_fraction", train_fraction, low=0, high=1, above=True)
    n_train = floor(fraction * n_nodes + 1e-9)  # 0.29 * 100 is meant to be 29, not 28.999...
    if n_train == 0:
        raise OptionError(
            f"{keyword('train_fraction', train_fraction)} leaves none of {n_nodes} vertices for training;"
            f" give at least 1/{n_nodes}"
        )
    return np.sort(rng.permutation(n_nodes)[:n_train])


def fold_rows(n_nodes: int, folds: int, rng: np.random.Generator) -> list[Array]:
    """Return the training vertices of each fold; each vertex is left out, for testing, in exactly one of them.

    >>> parts = fold_rows(5, 2, np.random.default_rng(1))
    >>> [part.size for part in parts], sorted(np.concatenate(parts).tolist())
    ([2, 3], [0, 1, 2, 3, 4])
    """
    folds = check_int("folds", folds, low=2, high=n_nodes)
    order = rng.permutation(n_nodes)
    return [np.sort(np.delete(order, np.s_[fold::folds])) for fold in range(folds)]


def combine_folds(scores: Sequence[Scores]) -> Scores:
    """Put the scores of all folds together: test scores over all vertices, each where it was held out.

    Test losses, bits and accuracies are means over all vertices, and the standard errors of bits are over all vertices
    (variances pooled from the folds'). Training scores are means over folds, by number of vertices, and so are their
    standard errors, since the folds share their training vertices. Monte Carlo errors are those of independent chains.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> from ffbm.scoring.losses import score_weights
    >>> x, labels = np.tile(np.eye(2), (20, 1)), np.tile([0, 1], 20)
    >>> parts = fold_rows(40, 5, np.random.default_rng(0))
    >>> traces = [sample_weights(x, labels, rows, n_draws=50, weight_prior="fixed") for rows in parts]
    >>> scores = combine_folds([score_weights(trace, x, labels) for trace in traces])
    >>> scores.n_test, scores.n_by_block_test.tolist(), scores.accuracy_test.tolist()
    (40, [20, 20], [1.0, 1.0])
    """
    if len(scores) < 2 or len({part.n_blocks for part in scores}) > 1:
        raise OptionError(f"combine_folds needs scores of at least 2 folds with the same blocks; got {len(scores)}")
    n_train, n_test = (np.array([getattr(part, f"n_by_block_{name}") for part in scores]) for name in ("train", "test"))
    if n_train.sum() != (len(scores) - 1) * n_test.sum():  # not by block: folds may have memberships of their own
        raise OptionError(
            f"in {len(scores)} folds each vertex must be tested once and trained on {len(scores) - 1} times;"
            f" got {int(n_test.sum())} tests and {int(n_train.sum())} trainings: use the rows of fold_rows"
        )
    values: dict[str, Any] = {}
    for name, sizes in (("train", n_train), ("test", n_test)):
        by_fold = {key: np.array([getattr(part, f"{key}_{name}") for part in scores]) for key in (*_AVERAGED, *_OTHERS)}
        n = sizes.sum(axis=1)
        values |= {f"{key}_{name}": float(_average(by_fold[key], n)) for key in _AVERAGED}
        values |= {f"{key}_{name}": _average(by_fold[key], sizes) for key in ("bits_by_block", "accuracy")}
        values[f"loss_mcse_{name}"] = float(sqrt(np.sum((n * by_fold["loss_mcse"]) ** 2)) / n.sum())
        for key, n_vertices in (("bits", n), ("bits_by_block", sizes)):
            key_se = key.replace("bits", "bits_se")
            if name == "train":
                error = _average(by_fold[key_se], np.where(n_vertices > 1, n_vertices, 0))
            else:
                error = _pooled_error(by_fold[key], by_fold[key_se], n_vertices)
            values[f"{key_se}_{name}"] = error if error.ndim else float(error)
    whole = n_test.sum(axis=0)
    notes = empty_notes(whole, whole)
    lifted = [note.count for part in scores for note in part.notes if note.code == "base_rate_lifted"]
    if lifted:
        notes.append(base_rate_note(max(lifted)))
    return Scores(
        uniform_loss=scores[0].uniform_loss,
        n_by_block_train=whole,
        n_by_block_test=whole,
        description_length=scores[0].description_length,
        description_length_without_partition=scores[0].description_length_without_partition,
        notes=tuple(notes),
        **values,
    )


def _average(means: Array, sizes: Array) -> Array:
    """Return the mean over all vertices of folds with these means and sizes; NaN where there is no vertex."""
    total = np.where(sizes > 0, means, 0) * sizes
    n = sizes.sum(axis=0)
    return np.asarray(np.where(n > 0, total.sum(axis=0) / np.maximum(n, 1), nan))


def _pooled_error(means: Array, errors: Array, sizes: Array) -> Array:
    """Return the standard error of the mean over all vertices: n s^2 within each fold and the spread of their means."""
    within = np.where(sizes > 1, errors, 0) ** 2 * sizes * (sizes - 1)
    off = np.where(sizes > 0, means - _average(means, sizes), 0)
    n = sizes.sum(axis=0)
    square = (within + sizes * off**2).sum(axis=0)
    return np.asarray(np.where(n > 1, np.sqrt(square / np.maximum(n * (n - 1), 1)), nan))
