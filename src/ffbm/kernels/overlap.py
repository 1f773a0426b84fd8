"""How much a partition overlaps with memberships: what the alignment of labels maximises."""

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import DOOR


@njit(**DOOR)
def overlap(labels, probs, out):
    """Add probs[i, s] to out[labels[i], s] for every vertex and block."""
    labels, probs, out = bare(labels), bare(probs), bare(out)
    for i in range(labels.size):
        r = labels[i]
        for s in range(probs.shape[1]):
            out[r, s] += probs[i, s]


@njit(**DOOR)
def tally_labels(labels, order, out):
    """Add 1 to out[i, order[labels[i]]] for every vertex."""
    labels, order, out = bare(labels), bare(order), bare(out)
    for i in range(labels.size):
        out[i, order[labels[i]]] += 1.0
