"""What the draws of a trace predict, averaged: the only place that goes through all of them."""

from typing import Any, NamedTuple

import numpy as np

from ffbm.kernels.prediction import predict_draws
from ffbm.progress import Listener, Progress, listening
from ffbm.scoring.rows import match_design
from ffbm.theta.design import Design
from ffbm.types.graph import Array
from ffbm.types.weights import WeightTrace
from ffbm.workers import open_workers

_PIECE = 2**24  # logits worked on between two looks at Ctrl-C: about a tenth of a second


class Prediction(NamedTuple):
    """What the draws say of distinct rows of features."""

    probs: Array  # (R, B): the mean of softmax(W x) over draws
    hits: Array  # (R, B): the share of draws in which a block is the most likely, the first of equals
    losses: Array  # (C, T, S): the summed cross-entropy of each set of vertices for each draw


def predict(trace: WeightTrace, features: Any, *, progress: Listener | bool | None = False) -> Array:
    """Return the probability of each block for vertices with these features, averaged over the draws.

    Parameters
    ----------
    trace : WeightTrace
    features : Features, or (N', D) array or sparse matrix
        Encoded as for sampling, without an intercept: that is added where the trace has one.
        ``Features`` are matched by name.
    progress : None, bool or callable

    Returns
    -------
    (N', B) float64
        p_ij = (1/T) sum_t softmax_j(W(t) x_i); rows sum to 1.

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
    nobody = np.zeros((0, len(design.counts)))
    averaged = average_draws(trace, design, nobody, np.zeros((*nobody.shape, trace.n_blocks)), progress=progress)
    return design.by_vertex(averaged.probs)


def contradicting(predicted: Array, labels: Array, degrees: Array) -> Array:
    """Return the vertices whose features give another block than theirs more than half of the probability.

    The block of a vertex without an edge is arbitrary, and contradicts nothing.

    >>> contradicting(np.array([[0.9, 0.1], [0.6, 0.4], [0.6, 0.4]]), np.array([0, 1, 1]), np.array([2, 1, 0])).tolist()
    [1]
    """
    return np.flatnonzero((predicted.argmax(axis=1) != labels) & (predicted.max(axis=1) > 0.5) & (degrees > 0))


def average_draws(
    trace: WeightTrace,
    design: Design,
    counts: Array,
    sums: Array,
    *,
    workers: int | None = None,
    progress: Listener | bool | None = False,
) -> Prediction:
    """Go through the stored draws of all chains and average what they predict.

    ``counts`` (S, R) and ``sums`` (S, R, B) are the vertices and the summed memberships of S sets, row by row.
    """
    n_chains, n_draws, n_blocks, _ = trace.weights.shape
    n_rows, n_sets = len(design.counts), len(counts)
    probs, hits = np.zeros((2, n_chains, n_rows, n_blocks))
    losses = np.zeros((n_chains, n_draws, n_sets))
    size = max(1, _PIECE // max(1, n_rows * n_blocks))
    with listening(progress) as tell, open_workers(workers, n_chains) as run:
        for first in range(0, n_draws, size):
            tell(Progress("scores", first, n_draws))
            part = slice(first, first + size)

            def go(c: int, part: slice = part) -> None:
                w = np.ascontiguousarray(trace.weights[c, part], dtype=np.float64)
                predict_draws(design.rows, w, counts, sums, probs[c], hits[c], losses[c, part])

            run(go, range(n_chains))
        tell(Progress("scores", n_draws, n_draws))
    # chain after chain, so that the sum does not depend on the number of workers
    n_all = n_chains * n_draws
    return Prediction(probs.sum(axis=0) / n_all, hits.sum(axis=0) / n_all, losses)
