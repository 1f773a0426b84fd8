"""Losses, bits explained and accuracies of a trace of weights, on its training vertices and on the others."""

from collections.abc import Callable
from math import isqrt, log, nan, sqrt
from typing import Any

import numpy as np

from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.scoring.prediction import Piece, average_draws, parts_of, pieces
from ffbm.scoring.rows import match_design, sum_rows
from ffbm.theta.design import read_rows
from ffbm.theta.response import read_members
from ffbm.types.graph import Array
from ffbm.types.network import Note
from ffbm.types.scores import Scores
from ffbm.types.weights import WeightTrace

TRAIN_AND_TEST = ("train", "test")


def score_weights(
    trace: WeightTrace,
    features: Any,
    members: Any,
    rows: Any = None,
    *,
    workers: int | None = None,
) -> Scores:
    """Score the draws of a trace against the memberships of the vertices.

    Parameters
    ----------
    trace : WeightTrace
    features : Features, or (N, D) array or sparse matrix
        Of all vertices, as given to ``sample_weights``.
    members : Memberships, (N, B) array, or (N,) labels
        y-hat: whatever the weights were sampled with, losses are taken against it.
    rows : row numbers or (N,) truth values, optional
        The training vertices, those of the trace if left out; the others are the test vertices.
    workers : int, optional

    Returns
    -------
    Scores
        Each with its equation in the documentation of the class. Where there are no test vertices, or a block has none,
        the score is NaN and ``notes`` says so.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> x, labels = np.tile(np.eye(2), (20, 1)), np.tile([0, 1], 20)    # flags that tell two blocks apart
    >>> trace = sample_weights(x, labels, rows=range(30), n_draws=500, seed=1, weight_prior="fixed")
    >>> scores = score_weights(trace, x, labels)
    >>> scores.predictive_loss_test < scores.loss_test < scores.base_rate_loss_test == scores.uniform_loss
    True
    >>> scores.accuracy_test.tolist(), scores.n_test
    ([1.0, 1.0], 10)
    """
    design = match_design(trace, features)
    members_of = membership_reader(members, design.n_nodes, trace.n_blocks)
    chosen = read_rows(trace.rows if rows is None else rows, design.n_nodes)
    is_train = np.zeros(design.n_nodes, dtype=bool)
    is_train[chosen] = True
    sides = (is_train, ~is_train)
    block, mass = np.empty(design.n_nodes, dtype=np.int64), np.zeros(trace.n_blocks)
    for part in parts_of(design.n_nodes, trace.n_blocks):
        y = members_of(part)
        block[part] = y.argmax(axis=1)
        mass += y.sum(axis=0, where=is_train[part][:, np.newaxis])
    rate, lifted = _rate(mass)
    losses = np.zeros((*trace.weights.shape[:2], len(sides)))
    base, predictive, is_hit = np.empty((3, design.n_nodes))
    for piece in pieces(design, trace.n_blocks):
        labels, on = members_of(piece.vertices), [side[piece.vertices] for side in sides]
        base[piece.vertices] = -(labels @ np.log(rate))
        averages = average_draws(trace, piece.rows, *_gather(piece, labels, on), workers=workers)
        losses += averages.losses
        predictive[piece.vertices] = -_dot(labels, _log(piece.by_vertex(averages.probs)))
        is_hit[piece.vertices] = piece.by_vertex(averages.hits)[np.arange(len(labels)), block[piece.vertices]]
    values: dict[str, Any] = {}
    for s, (name, side) in enumerate(zip(TRAIN_AND_TEST, sides, strict=True)):
        n = int(side.sum())
        draws = losses[:, :, s] / n if n else np.full((1, 1), nan)
        bits = (base[side] - predictive[side]) / log(2)
        by_block = [bits[block[side] == j] for j in range(trace.n_blocks)]
        values |= {
            f"loss_{name}": float(draws.mean()),
            f"loss_mcse_{name}": monte_carlo_error(draws),
            f"predictive_loss_{name}": _mean(predictive[side]),
            f"base_rate_loss_{name}": _mean(base[side]),
            f"bits_{name}": _mean(bits),
            f"bits_se_{name}": _standard_error(bits),
            f"bits_by_block_{name}": np.array([_mean(part) for part in by_block]),
            f"bits_se_by_block_{name}": np.array([_standard_error(part) for part in by_block]),
            f"n_by_block_{name}": np.array([len(part) for part in by_block], dtype=np.int64),
            f"accuracy_{name}": np.array([_mean(is_hit[side & (block == j)]) for j in range(trace.n_blocks)]),
        }
    notes = empty_notes(values["n_by_block_train"], values["n_by_block_test"])
    if lifted:
        notes.append(base_rate_note(lifted))
    return Scores(uniform_loss=log(trace.n_blocks), notes=tuple(notes), **values)


def _gather(piece: Piece, y: Array, sides: list[Array]) -> tuple[Array, Array]:
    """Return how many vertices of each side a row has, and the sums of their memberships y (n, B)."""
    if piece.shares is None:
        counts = np.array([np.bincount(piece.group[side], minlength=piece.n_rows) for side in sides], dtype=np.float64)
        return counts, np.array([sum_rows(y[side], piece.group[side], piece.n_rows) for side in sides])
    counts = np.array([piece.shares.T @ side.astype(np.float64) for side in sides])
    return counts, np.array([piece.shares.T @ (y * side[:, np.newaxis]) for side in sides])


def membership_reader(members: Any, n_nodes: int, n_blocks: int) -> Callable[[Any], Array]:
    """Return a function that gives y (n, B) of some vertices, numbers or a slice.

    A large table of memberships is not copied: its rows are read when they are asked for. Labels may leave the last
    blocks empty.
    """
    probs = getattr(members, "probs", members)
    if np.ndim(probs) == 2 and len(parts_of(n_nodes, n_blocks)) > 1:
        return lambda vertices: _of_blocks(read_members(probs, n_nodes, vertices), n_blocks)
    whole = read_members(members, n_nodes)
    return lambda vertices: _of_blocks(whole[vertices], n_blocks)


def _of_blocks(y: Any, n_blocks: int) -> Array:
    if not isinstance(y, np.ndarray):  # labels
        y = np.pad(y.toarray(), ((0, 0), (0, max(0, n_blocks - y.shape[1]))))
    if y.shape[1] != n_blocks:
        raise DataError(
            f"members must be of the {n_blocks} blocks of the weights; got {y.shape[1]} blocks: take those of one run"
        )
    return np.asarray(y)


def base_rate(y: Array, is_train: Any = True) -> tuple[Array, int]:
    """Return q (B,), the mean of the training memberships y (n, B), and how many blocks were lifted to 1/B of a vertex.

    ``is_train`` (n,) bool says which vertices they are, if not all.

    >>> base_rate(np.array([[1.0, 0.0], [1.0, 0.0]]))    # nobody in block 1: it counts as half a vertex
    (array([0.8, 0.2]), 1)
    """
    return _rate(y.sum(axis=0, where=np.reshape(is_train, (-1, 1)), dtype=np.float64))


def _rate(mass: Array) -> tuple[Array, int]:
    least = 1 / len(mass)
    lifted = np.maximum(mass, least)
    return lifted / lifted.sum(), int((mass < least).sum())


def monte_carlo_error(draws: Array) -> float:
    """Return the standard error of the mean of ``draws`` (C, T), by batch means, sqrt(T) batches of each chain."""
    n_draws = draws.shape[1]
    n_batches = isqrt(n_draws)
    length = n_draws // n_batches
    means = draws[:, n_draws - n_batches * length :].reshape(-1, length).mean(axis=1)
    return _standard_error(means)


def empty_notes(n_train: Array, n_test: Array) -> list[Note]:
    """Say which scores are NaN because no vertex is there to take them from."""
    notes = []
    for name, sizes in zip(TRAIN_AND_TEST, (n_train, n_test), strict=True):
        empty = np.flatnonzero(sizes == 0)
        word = "training" if name == "train" else "test"
        if len(empty) == len(sizes):
            notes.append(
                Note(f"no_{name}_vertices", f"there are no {word} vertices: {name} scores are not defined", len(empty))
            )
        elif len(empty):
            subject = "the block" if len(empty) == 1 else "these blocks"
            blocks = f"block {empty[0]} has" if len(empty) == 1 else f"blocks {', '.join(map(str, empty))} have"
            message = f"{blocks} no {word} vertex: accuracy and bits of {subject} are not defined there"
            notes.append(Note(f"no_{name}_vertex_in_block", message, len(empty)))
    return notes


def base_rate_note(n_lifted: int) -> Note:
    """Say that the base rate is not the plain mean."""
    message = (
        f"{count_of(n_lifted, 'block')} with less than 1/B of a training vertex counted as 1/B of one in the base rate"
    )
    return Note("base_rate_lifted", message, n_lifted)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _log(p: Array) -> Array:
    return np.log(np.maximum(p, np.finfo(np.float64).tiny))  # a mean of thousands of zeros is not impossible, only rare


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else nan


def _standard_error(values: Array) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else nan
