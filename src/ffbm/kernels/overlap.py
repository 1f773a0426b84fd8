"""How much partitions overlap with memberships and with each other: what alignment maximises and modes differ in."""

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY


@njit(**ENTRY)
def overlap(labels, probs, out):
    """Add probs[i, s] to out[labels[i], s] for every vertex and block."""
    labels, probs, out = bare(labels), bare(probs), bare(out)
    for i in range(labels.size):
        r = labels[i]
        for s in range(probs.shape[1]):
            out[r, s] += probs[i, s]


@njit(**ENTRY)
def tally_labels(labels, order, out):
    """Add 1 to out[i, order[labels[i]]] for every vertex."""
    labels, order, out = bare(labels), bare(order), bare(out)
    for i in range(labels.size):
        out[i, order[labels[i]]] += 1.0


@njit(**ENTRY)
def shared_vertices(labels, others, out):
    """Add 1 to out[labels[i], others[i]] for every vertex."""
    labels, others, out = bare(labels), bare(others), bare(out)
    for i in range(labels.size):
        out[labels[i], others[i]] += 1.0


@njit(**ENTRY)
def add_draws(draws, order, factors, out):
    """Add factors[t] to out[i, order[t, draws[t, i]]] for every draw and vertex."""
    draws, order, factors, out = bare(draws), bare(order), bare(factors), bare(out)
    for t in range(draws.shape[0]):
        f = factors[t]
        for i in range(draws.shape[1]):
            out[i, order[t, draws[t, i]]] += f


@njit(**ENTRY)
def sum_along(draws, order, table, out):
    """Set out[t] to the sum over vertices of table[i, order[t, draws[t, i]]]."""
    draws, order, table, out = bare(draws), bare(order), bare(table), bare(out)
    for t in range(draws.shape[0]):
        total = 0.0
        for i in range(draws.shape[1]):
            total += table[i, order[t, draws[t, i]]]
        out[t] = total
