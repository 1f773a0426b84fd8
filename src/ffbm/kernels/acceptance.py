"""The one place where a proposal is accepted or undone."""

import numpy as np
from numba import njit

from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.target import move
from ffbm.kernels.workspace import ENTROPY, FIELD

IMPOSSIBLE = -np.inf  # the log ratio of a proposal that was not made


@njit(**INLINE)
def accepts(u, log_ratio):
    """Decide on a proposal with the uniform number u: the one Metropolis-Hastings rule, for every kind of move."""
    return log_ratio >= 0.0 or u < np.exp(log_ratio)


@njit(**INNER)
def decide(rng, m, c, beta, change, lift, log_ratio, before, after, totals):
    """Accept the labels ``after`` that a move proposes, or stay at those ``before``; the ledger may be anywhere.

    The move changes S by ``change`` and the field's sum by ``lift``; ``log_ratio`` is ln of the reverse over the
    forward proposal probability. S and the field's sum in totals are kept up to date.
    """
    is_accepted = log_ratio > IMPOSSIBLE and accepts(rng.random(), beta * (lift - change) + log_ratio)
    if is_accepted:
        totals[ENTROPY] += change
        totals[FIELD] += lift
    put(m, c, after if is_accepted else before)
    return is_accepted


@njit(**INNER)
def put(m, c, labels):
    """Move every vertex to its label (N,)."""
    for v in range(c.b.size):
        if c.b[v] != labels[v]:
            move(m, c, v, np.int64(labels[v]))
