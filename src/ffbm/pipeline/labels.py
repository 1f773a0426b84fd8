"""Draws under one numbering of the blocks: the labels, and the weights that go with them."""

from dataclasses import replace

import numpy as np

from ffbm.store.memmap import pieces, written_like
from ffbm.types import Array, BlockTrace, Memberships


def number_labels(labels: Array, order: Array) -> Array:
    """Return labels (C, T, N) with each block r of draw (c, t) called ``order[c, t, r]``.

    >>> number_labels(np.array([[[0, 0, 1], [1, 0, 0]]]), np.array([[[0, 1], [1, 0]]])).tolist()
    [[[0, 0, 1], [0, 1, 1]]]
    """
    flat, new = labels.reshape(-1, labels.shape[2]), order.reshape(-1, order.shape[2])
    renumbered = (np.take_along_axis(new[part], flat[part].astype(np.intp), axis=1) for part in pieces(labels))
    return written_like(labels, "labels-numbered", renumbered)


def number_alike(blocks: BlockTrace, members: Memberships, weights: Array) -> tuple[BlockTrace, Memberships, Array]:
    """Write labels and rows of weights (C, T, B, D) in the numbering of the memberships: one permutation for both."""
    back = np.argsort(members.order, axis=2)
    labels = number_labels(blocks.labels, members.order)
    flat = weights.reshape(weights.shape[0] * weights.shape[1], *weights.shape[2:])
    rows = back.reshape(-1, back.shape[2], 1)
    renumbered = (np.take_along_axis(flat[part], rows[part], axis=1) for part in pieces(weights))
    w = written_like(weights, "weights-numbered", renumbered)
    identity = np.broadcast_to(np.arange(blocks.n_blocks), members.order.shape).copy()
    if members.n_modes == 1:
        return replace(blocks, labels=labels), replace(members, order=identity, modes=()), w
    modes = tuple(
        replace(mode, order=np.take_along_axis(mode.order, back[members.mode_of == number], axis=1))
        for number, mode in enumerate(members.modes)
    )
    return replace(blocks, labels=labels), replace(members, order=identity, modes=modes), w


def take_draws(blocks: BlockTrace, members: Memberships, draws: Array) -> tuple[BlockTrace, Memberships]:
    """Return some of the draws of every chain, with the memberships of all."""
    parts = {name: getattr(blocks, name)[:, draws] for name in ("labels", "entropy", "acceptance")}
    order = members.order[:, draws]
    return replace(blocks, **parts, diagnostics=None), replace(members, order=order, modes=())


def moments(weights: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of each weight over the draws of each chain (C, B, D), a block at a time."""
    n_chains, _, n_blocks, n_features = weights.shape
    mean, sd = np.empty((2, n_chains, n_blocks, n_features))
    for c, r in np.ndindex(n_chains, n_blocks):
        mean[c, r], sd[c, r] = weights[c, :, r].mean(axis=0), weights[c, :, r].std(axis=0)
    return mean, sd
