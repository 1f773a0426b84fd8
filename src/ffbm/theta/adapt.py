"""The step size, found in warm-up by dual averaging and frozen after it."""

from math import log

import numpy as np

from ffbm.kernels.weightchain import AVERAGE, FIRST, SHORTFALL, UPDATES
from ffbm.types.graph import Array

TARGETS = {"hmc": 0.8, "mala": 0.574}  # the acceptance rate that warm-up aims at


def first_adaptation(step: float) -> Array:
    """Return the state of dual averaging before its first update, for a chain that begins with ``step``.

    The five numbers are: log step, its average, mean shortfall of acceptance, updates so far, log of the
    first step. Warm-up uses the first, draws after it the second.
    """
    return np.array([log(step), log(step), 0.0, 0.0, log(step)])


def learn(adapt: Array, acceptance: float, target: float) -> Array:
    """Return the adaptation after one more acceptance probability (Hoffman and Gelman, 2014)::

        H_n = (1 - 1/(n+10)) H_(n-1) + (target - acceptance)/(n+10)
        ln h_n = ln h_0 - sqrt(n)/0.05 H_n,    average_n = n^-0.75 ln h_n + (1 - n^-0.75) average_(n-1)

    >>> first = first_adaptation(1.0)
    >>> bool(learn(first, 1.0, 0.8)[0] > 0), bool(learn(first, 0.0, 0.8)[0] < 0)
    (True, True)
    """
    n = adapt[UPDATES] + 1
    shortfall = (1 - 1 / (n + 10)) * adapt[SHORTFALL] + (target - acceptance) / (n + 10)
    log_step = adapt[FIRST] - np.sqrt(n) / 0.05 * shortfall
    weight = n**-0.75
    return np.array([log_step, weight * log_step + (1 - weight) * adapt[AVERAGE], shortfall, n, adapt[FIRST]])
