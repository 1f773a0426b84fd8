"""The meet of two partitions: vertices stay together that are together in both."""

import numpy as np

from ffbm.types import Array


def meet(first: Array, second: Array) -> Array:
    """Return labels (N,) of the coarsest partition that both refine to, numbered from 0.

    >>> meet(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).tolist()
    [0, 1, 2, 2]
    """
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1])
