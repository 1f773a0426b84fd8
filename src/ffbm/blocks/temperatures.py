"""Which temperatures a ladder has: found from short runs before its first sweep, and then fixed.

Neighbours at beta and beta' exchange with a probability that falls with Lambda(beta, beta'), the integral between them
of half the mean distance of two independent draws of L = -ln P(A|b) (Syed, Bouchard-Cote, Deligiannidis and Doucet
2022); for a normal law that is sd(L) / sqrt(pi). Inverse temperatures that are equally far apart in Lambda exchange
equally often.
"""

from collections.abc import Callable

import numpy as np

from ffbm.blocks.ladder import LadderSetup, advance, start
from ffbm.blocks.priors import tabulated_nats
from ffbm.blocks.target import n_blocks_of
from ffbm.types import Array

_HOT = 0.7  # inverse temperature at which replicas leave the modes of cold ones, in small networks and in large ones
_LEAST, _MOST = 1.2, 4.0  # Lambda from the cold end to the hot one: it grows with the network
_ROUNDING = 1e-6  # S is carried as a sum of changes and varies by rounding
_LOWEST = 0.35  # inverse temperature
_N_SWEEPS = 300  # of a short run; the first half is dropped
_STEP, _WIDEST = 0.1, 0.05  # between short runs: Lambda, and inverse temperature at most


def find_betas(setup: LadderSetup, labels: Array, rng: np.random.Generator) -> Array:
    """Return the inverse temperatures (R,) of a ladder, from 1 down, from short runs that begin at ``labels`` (N,).

    Each run begins where the one before, a little colder, ended.
    """
    run_setup = setup._replace(settings=setup.settings._replace(burn=_N_SWEEPS // 2, thin=1))

    def run(beta: float) -> Array:
        nonlocal labels
        state = start(run_setup, labels[None], np.array([beta]), rng)
        state, draws = advance(run_setup, state, _N_SWEEPS)
        labels = state.ledgers.b[0]
        return run_setup.settings.beta * likelihood_nats(run_setup, draws.labels, draws.entropy, beta)

    return heat(run)


def heat(run: Callable[[float], Array]) -> Array:
    """Return the inverse temperatures (R,) of a ladder, from 1 down.

    ``run`` is called at lower and lower ones, and returns draws (T,) of the energy that they multiply.
    """
    betas, slopes, barrier = [1.0], [], [0.0]
    while True:
        beta = betas[-1]
        slopes.append(half_distance(run(beta)))
        if len(slopes) > 1:
            barrier.append(barrier[-1] + (betas[-2] - beta) * (slopes[-2] + slopes[-1]) / 2)
        is_hot = beta <= _HOT and barrier[-1] >= _LEAST
        if is_hot or barrier[-1] >= _MOST or beta == _LOWEST:
            return equal_steps(np.array(betas), np.array(barrier), hot_end(np.array(betas), np.array(barrier)))
        betas.append(max(beta - min(_WIDEST, _STEP / max(slopes[-1], 1e-9)), _LOWEST))


def hot_end(betas: Array, barrier: Array) -> float:
    """Return Lambda at the hot end of a ladder: that of ``_HOT``, within its limits and as far as it was heated.

    >>> betas = np.array([1.0, 0.8, 0.6])
    >>> [round(hot_end(betas, np.array([0.0, half, 2 * half])), 3) for half in (0.5, 1.0, 5.0)]
    [1.0, 1.5, 4.0]
    """
    hot = float(np.interp(-_HOT, -betas, barrier))
    return min(max(hot, _LEAST), _MOST, float(barrier[-1]))


def half_distance(nats: Array) -> float:
    """Return half the mean distance of two draws.

    >>> half_distance(np.array([1.0, 2.0, 4.0]))
    1.0
    """
    n = len(nats)
    return float((2 * np.arange(1, n + 1) - n - 1) @ np.sort(nats)) / (n * (n - 1))


def likelihood_nats(setup: LadderSetup, labels: Array, entropy: Array, beta: float) -> Array:
    """Return L of each draw (T, N) of a replica at ``beta``: its S without the prior."""
    prior = setup.model.prior
    sizes = np.array([np.bincount(partition, minlength=n_blocks_of(setup.model)) for partition in labels])
    return np.asarray(entropy - tabulated_nats(prior, sizes) / beta)


def equal_steps(betas: Array, barrier: Array, most: float) -> Array:
    """Return 2 Lambda + 2 inverse temperatures, rounded up, at equal steps of Lambda from 0 to ``most``.

    >>> equal_steps(np.array([1.0, 0.5]), np.array([0.0, 2.0]), 1.0).round(3).tolist()
    [1.0, 0.917, 0.833, 0.75]
    >>> equal_steps(np.array([1.0, 0.7, 0.5]), np.array([0.0, 0.0, 2.0]), 1.0).round(3).tolist()
    [1.0, 0.667, 0.633, 0.6]
    """
    if most < _ROUNDING:  # L does not vary, so one temperature is enough
        return np.ones(1)
    ladder = np.interp(np.linspace(0.0, most, int(np.ceil(2 * most + 2))), barrier, betas)
    ladder[0] = betas[0]  # where L does not vary at first, Lambda is 0 for several of them
    return np.asarray(ladder)
