"""Draws from known pictures: what modes are found in."""

import numpy as np

from ffbm.types import BlockTrace


def trace_of(labels, n_blocks):
    """A trace of these labels (C, T, N), all of one description length."""
    labels = np.asarray(labels, dtype=np.uint8)
    shape = labels.shape[:2]
    return BlockTrace(labels, np.zeros(shape), np.zeros(shape), labels[0, 0].astype(np.int64), 0.0, n_blocks, 1, {})


def noisy(rng, truth, n_blocks, shape, noise):
    """Draws (C, T, N) of a picture (N,), or of one for each draw, with a share of labels at random."""
    labels = np.broadcast_to(truth, (*shape, np.shape(truth)[-1])).copy()
    flip = rng.random(labels.shape) < noise
    labels[flip] = rng.integers(0, n_blocks, flip.sum())
    return labels


def relabel(rng, labels, n_blocks):
    """The same draws, each under a random numbering."""
    out = np.empty_like(labels)
    for c, t in np.ndindex(labels.shape[:2]):
        out[c, t] = rng.permutation(n_blocks)[labels[c, t]]
    return out


def two_pictures(rng, n_nodes, n_blocks, changed):
    """Two pictures (2, N) that differ on a share of the vertices."""
    one = np.sort(rng.integers(0, n_blocks, n_nodes))
    other = one.copy()
    where = rng.choice(n_nodes, round(changed * n_nodes), replace=False)
    other[where] = (one[where] + rng.integers(1, n_blocks, len(where))) % n_blocks
    return np.stack((one, other))


def cliques_in_pairs(n=8, links=10):
    """Edges of four cliques in a ring with equal links, and the two equally good ways to pair them (2, N)."""
    rng = np.random.default_rng(0)
    inside = np.array([(i, j) for i in range(n) for j in range(i)])
    across = rng.integers(0, n, (links, 2))
    ring = [across + np.array([c * n, (c + 1) % 4 * n]) for c in range(4)]
    edges = np.concatenate([inside + c * n for c in range(4)] + ring)
    return edges, np.repeat([[0, 0, 1, 1], [0, 1, 1, 0]], n, axis=1)
