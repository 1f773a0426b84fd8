"""Predictions averaged over the draws of a trace: the only place that goes through all of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ffbm.kernels.prediction import Rows, predict_draws
from ffbm.scoring.rows import match_design
from ffbm.theta.design import Design
from ffbm.types.graph import Array
from ffbm.types.weights import WeightTrace
from ffbm.workers import open_workers

_PIECE = 2**24  # logits worked on between two looks at Ctrl-C: about a tenth of a second
_CELLS = 2**22  # rows x blocks held at a time
_MOST, _LEAST_DRAWS = 4e9, 50  # logits of a prediction, about 15 s of one core; draws that are averaged at least


class Prediction(NamedTuple):
    """What the draws say of distinct rows of features."""

    probs: Array  # (R, B): the mean of softmax(W x) over draws
    hits: Array  # (R, B): the share of draws in which a block is the most likely, the first of equals
    losses: Array  # (C, T, S): the summed cross-entropy of each set of vertices for each draw


def predict(trace: WeightTrace, features: Any) -> Array:
    """Return the probability of each block for vertices with these features, averaged over the draws.

    Parameters
    ----------
    trace : WeightTrace
    features : Features, or (N', D) array or sparse matrix
        Encoded as for sampling, without an intercept: that is added where the trace has one.
        ``Features`` are matched by name.

    Returns
    -------
    (N', B) float64
        p_ij = (1/T) sum_t softmax_j(W(t) x_i); rows sum to 1. Where different rows of features, blocks and draws are
        more than 4 x 10^9 in product, T are some of the draws, evenly spaced, 50 at least: see ``some_draws``.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> x = np.repeat(np.eye(2), 20, axis=0)
    >>> trace = sample_weights(x, np.repeat([0, 1], 20), n_draws=500, seed=1, weight_prior="fixed")
    >>> probs = predict(trace, [[1, 0], [0, 1], [0, 0]])
    >>> probs.argmax(axis=1)[:2].tolist(), probs[2].tolist()     # the last vertex has no flag: nothing is known
    ([0, 1], [0.5, 0.5])
    """
    design = match_design(trace, features)
    predicted = np.empty((design.n_nodes, trace.n_blocks))
    for vertices, probs in predict_pieces(trace, design):
        predicted[vertices] = probs
    return predicted


def predict_some(trace: WeightTrace, design: Design, vertices: Array) -> Array:
    """Return the same of some vertices of a design (n, B)."""
    if design.blanks is None:
        return predict(trace, design.of(vertices))
    return predict(trace, design)[vertices]


def predict_pieces(trace: WeightTrace, design: Design) -> Iterator[tuple[Any, Array]]:
    """Yield vertices, some at a time, as numbers or a slice, and what ``predict`` returns of them (n, B).

    The design has the features of the trace: see ``match_design``.
    """
    trace = some_draws(trace, design.x.shape[0])
    for piece in pieces(design, trace.n_blocks):
        nobody = np.zeros((0, piece.n_rows))
        sums = np.zeros((*nobody.shape, trace.n_blocks))
        averaged = average_draws(trace, piece.rows, nobody, sums)
        yield piece.vertices, piece.by_vertex(averaged.probs)


def some_draws(trace: WeightTrace, n_rows: int) -> WeightTrace:
    """Return a trace with as many draws as a prediction of so many different rows can afford, evenly spaced.

    Features of so many vertices say so much of the weights that the mean over 50 draws is that over all of them.
    """
    n_chains, n_draws, n_blocks, _ = trace.weights.shape
    most = max(_MOST / max(n_rows * n_blocks, 1), _LEAST_DRAWS)
    step = max(1, int(n_chains * n_draws / most))
    return trace if step == 1 else replace(trace, weights=trace.weights[:, ::step])


class Piece(NamedTuple):
    """Some of the distinct rows of a design, and the vertices that have them."""

    rows: Rows
    vertices: Any  # their numbers (n,), or a slice
    group: Array  # (n,) which of these rows each has
    shares: Any = None  # in place of that: see ``Design``

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows.indptr) - 1

    def by_vertex(self, values: Array) -> Array:
        """Return values of the rows (R, B) as values of the vertices (n, B)."""
        return np.asarray(values[self.group] if self.shares is None else self.shares @ values)


def pieces(design: Design, n_blocks: int) -> Iterator[Piece]:
    """Yield the rows of a design so many at a time that tables of rows and blocks are small; few rows all at once."""
    n_rows, size = design.x.shape[0], max(1, _CELLS // n_blocks)
    if design.shares is not None or n_rows <= size:
        yield Piece(design.rows, slice(None), design.group, design.shares)
        return
    order = np.argsort(design.group, kind="stable")
    begins = np.searchsorted(design.group[order], np.arange(0, n_rows + size, size))
    for number, first in enumerate(range(0, n_rows, size)):
        vertices = order[begins[number] : begins[number + 1]]
        rows = design.rows._replace(indptr=design.rows.indptr[first : first + size + 1])
        yield Piece(rows, vertices, design.group[vertices] - first)


def parts_of(n_nodes: int, n_blocks: int) -> list[Any]:
    """Return vertices so many at a time that a table of them and all blocks is small: everyone if that one is.

    >>> parts_of(100, 2), len(parts_of(10**6, 50))
    ([slice(None, None, None)], 12)
    """
    n_parts = -(-n_nodes * n_blocks // _CELLS)
    return [slice(None)] if n_parts <= 1 else np.array_split(np.arange(n_nodes), n_parts)


class PredictedBlocks(NamedTuple):
    """What features predict of each vertex, in short."""

    own: Array  # (N,) the probability of the block that it is in
    block: Array  # (N,) the likeliest block
    best: Array  # (N,) the probability of that

    @classmethod
    def of(cls, probs: Array, labels: Array) -> "PredictedBlocks":
        """Put it together from the probability of each block (N, B) and the block that each vertex is in."""
        return cls(probs[np.arange(len(probs)), labels], probs.argmax(axis=1), probs.max(axis=1))


def predict_blocks(trace: WeightTrace, features: Any, labels: Array) -> PredictedBlocks:
    """Return what ``predict`` says of vertices with these features and blocks, without a table of all blocks.

    >>> from ffbm.pipeline.weights import sample_weights
    >>> x, labels = np.repeat(np.eye(2), 20, axis=0), np.repeat([0, 1], 20)
    >>> trace = sample_weights(x, labels, n_draws=500, seed=1, weight_prior="fixed")
    >>> predicted = predict_blocks(trace, x, np.zeros(40, dtype=int))
    >>> predicted.block.tolist() == labels.tolist(), bool(predicted.own[20] < 0.5 < predicted.best[20])
    (True, True)
    """
    design = match_design(trace, features)
    in_own_block, block, best = np.empty(len(labels)), np.empty(len(labels), dtype=np.int64), np.empty(len(labels))
    for vertices, probs in predict_pieces(trace, design):
        in_own_block[vertices], block[vertices], best[vertices] = PredictedBlocks.of(probs, labels[vertices])
    return PredictedBlocks(in_own_block, block, best)


def contradicting(predicted: PredictedBlocks, labels: Array, degrees: Array) -> Array:
    """Return the vertices whose features give another block than theirs more than half of the probability.

    The block of a vertex without an edge is arbitrary, and contradicts nothing.

    >>> predicted = PredictedBlocks(np.array([0.9, 0.4, 0.4]), np.array([0, 0, 0]), np.array([0.9, 0.6, 0.6]))
    >>> contradicting(predicted, np.array([0, 1, 1]), np.array([2, 1, 0])).tolist()
    [1]
    """
    return np.flatnonzero((predicted.block != labels) & (predicted.best > 0.5) & (degrees > 0))


def average_draws(
    trace: WeightTrace, rows: Rows, counts: Array, sums: Array, *, workers: int | None = None
) -> Prediction:
    """Go through the stored draws of all chains and average what they predict.

    ``counts`` (S, R) and ``sums`` (S, R, B) are the vertices and the summed memberships of S sets, row by row.
    """
    n_chains, n_draws, n_blocks, _ = trace.weights.shape
    n_rows, n_sets = len(rows.indptr) - 1, len(counts)
    probs, hits = np.zeros((2, n_chains, n_rows, n_blocks))
    losses = np.zeros((n_chains, n_draws, n_sets))
    size = max(1, _PIECE // max(1, n_rows * n_blocks))
    with open_workers(workers, n_chains) as run:
        for first in range(0, n_draws, size):
            part = slice(first, first + size)

            def go(c: int, part: slice = part) -> None:
                w = np.ascontiguousarray(trace.weights[c, part], dtype=np.float64)
                predict_draws(rows, w, counts, sums, probs[c], hits[c], losses[c, part])

            run(go, range(n_chains))
    # chain after chain, so that the sum does not depend on the number of workers
    n_all = n_chains * n_draws
    return Prediction(probs.sum(axis=0) / n_all, hits.sum(axis=0) / n_all, losses)
