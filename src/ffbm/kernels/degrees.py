"""Degrees drawn at random: a uniform partition of a block's half-edges into at most one part a vertex."""

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY
from ffbm.kernels.logq import log_q


@njit(**ENTRY)
def draw_parts(rng, m, lf, exact, few, many, parts):
    """Fill ``parts`` (n,) with a uniform partition of m into at most n parts, in increasing order, zeros included.

    The walk of q(m,n) = q(m,n-1) + q(m-n,n): of the partitions of m into at most n open parts a share
    q(m,n-1)/q(m,n) has its smallest part finished; in all others every open part is at least one larger.
    """
    n, level = parts.size, 0
    while n > 0:
        closes = m < n
        if not closes and n > 1:
            closes = rng.random() < np.exp(log_q(m, n - 1, lf, exact, few, many) - log_q(m, n, lf, exact, few, many))
        if closes:
            parts[parts.size - n] = level
            n -= 1
        else:
            m -= n
            level += 1
    return m
