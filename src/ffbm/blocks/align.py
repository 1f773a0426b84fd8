"""One numbering of the blocks for all draws: the labels of a chain mean nothing, their pattern does."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from ffbm.errors import DataError
from ffbm.kernels.overlap import overlap, tally_labels
from ffbm.types import Array, BlockTrace, Memberships

_ROUNDS = 100  # the sum of overlaps rises in every round but the last, so this is never reached


def align_blocks(blocks: BlockTrace) -> Memberships:
    """Bring the draws of all chains to one numbering of the blocks and average them.

    Each draw is renumbered to overlap as much as possible with the memberships, by the Hungarian method;
    then the memberships are counted anew, and so on until no draw changes. The first memberships are
    the labels of the lowest description length. Blocks are numbered by decreasing size at the end.

    Parameters
    ----------
    blocks : BlockTrace

    Returns
    -------
    Memberships
        ``probs`` (N, B), ``labels`` (N,), ``agreement`` and ``order``.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> blocks = ffbm.sample_blocks(net, n_blocks=3, n_sweeps=200, seed=1)
    >>> members = ffbm.align_blocks(blocks)
    >>> members.probs.shape, bool(members.agreement > 0.8)
    ((105, 3), True)
    """
    n_chains, n_draws, n_nodes = blocks.labels.shape
    if n_chains * n_draws == 0:
        raise DataError("align_blocks needs at least one draw; got none: run more sweeps or thin less")
    draws = blocks.labels.reshape(-1, n_nodes)
    reference = np.eye(blocks.n_blocks)[blocks.best_labels]
    order = _assign(draws, reference)
    for _ in range(_ROUNDS):
        new = _assign(draws, _count(draws, order))
        if np.array_equal(new, order):
            break
        order = new
    probs = _count(draws, order) / len(draws)
    labels = probs.argmax(axis=1)
    by_size = np.lexsort((-probs.sum(axis=0), -np.bincount(labels, minlength=blocks.n_blocks)))
    rank = np.argsort(by_size)
    return Memberships(
        probs=np.ascontiguousarray(probs[:, by_size]),
        labels=rank[labels],
        agreement=float(probs.max(axis=1).mean()),
        order=rank[order].reshape(n_chains, n_draws, blocks.n_blocks),
    )


def _assign(draws: Array, reference: Array) -> Array:
    """Return the numbering of each draw (draws, B) that overlaps most with the reference (N, B)."""
    n_blocks = reference.shape[1]
    order = np.empty((len(draws), n_blocks), dtype=np.int64)
    for labels, new in zip(draws, order, strict=True):
        shared = np.zeros((n_blocks, n_blocks))
        overlap(labels, reference, shared)
        new[:] = linear_sum_assignment(shared, maximize=True)[1]
    return order


def _count(draws: Array, order: Array) -> Array:
    """Return how often each vertex is in each block (N, B)."""
    total = np.zeros((draws.shape[1], order.shape[1]))
    for labels, new in zip(draws, order, strict=True):
        tally_labels(labels, new, total)
    return total
