"""Random pairs of vertices, and how often each shares a block in every chain: by this block chains are compared."""

import math
from typing import NamedTuple

import numpy as np

from ffbm.check import check_int, check_seed
from ffbm.diagnostics.convergence import MIN_DRAWS, Array, effective_sizes
from ffbm.rng import stream

_CHUNK = 2**19  # pairs of labels compared at once: a few megabytes
_UNSEEN = 4.5  # half the square of 3, the standard errors at which frequencies are compared: see ``standard_errors``
_ENOUGH = 10.0  # independent visits that tell how long a visit lasts
_SLOW = 0.01  # the share of all pairs that may be slower than what the others borrow, as so many may stay open


class PairMeasures(NamedTuple):
    """What was measured of each pair of vertices, (P,) float64 each.

    With fewer than 4 draws per chain all but ``frequency`` are NaN.
    """

    frequency: Array  # the share of all draws in which the two are in one block
    error: Array  # the standard error of the frequency: see ``standard_errors``
    rhat: Array  # of [b_i = b_j]; NaN for a pair that is always, or never, together, and for one chain
    ess: Array  # of [b_i = b_j], for its mean
    spread: Array  # the standard deviation between chains of each chain's own frequency; NaN for one chain
    noise: Array  # the spread that is expected if all chains sample the same law, from the ESS of each


def choose_pairs(n_nodes: int, n_pairs: int, seed: int) -> Array:
    """Return ``n_pairs`` different pairs i > j of vertices (P, 2), in order; all of them if there are fewer.

    >>> choose_pairs(3, 500, seed=0).tolist()
    [[1, 0], [2, 0], [2, 1]]
    """
    n_nodes, n_pairs = check_int("n_nodes", n_nodes, low=0), check_int("n_pairs", n_pairs, low=0)
    total = n_nodes * (n_nodes - 1) // 2
    if total <= n_pairs:
        codes = list(range(total))
    else:
        rng = stream(check_seed(seed), "diagnostics", "pairs")
        codes = sorted(rng.choice(total, size=n_pairs, replace=False).tolist())
    # pair number c of the lower triangle, in whole numbers: floats would miss at millions of vertices
    rows = [(1 + math.isqrt(1 + 8 * code)) // 2 for code in codes]
    pairs = [(i, code - i * (i - 1) // 2) for i, code in zip(rows, codes, strict=True)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def measure_pairs(labels: Array, pairs: Array) -> PairMeasures:
    """Return what labels (C, T, N) say of each pair; some pairs at a time, for memory.

    R-hat and ESS are those that ``summarise`` gives for [b_i = b_j]. Ranks of a series of two values are the series
    itself on another scale, so there is nothing to sort.

    >>> labels = np.array([[[0, 0, 1], [0, 1, 1]] * 4, [[1, 1, 0], [0, 1, 1]] * 4])
    >>> measure_pairs(labels, np.array([[1, 0], [2, 0]])).frequency.tolist()
    [0.5, 0.0]
    """
    n_chains, n_draws = labels.shape[:2]
    n_at_once = max(1, _CHUNK // max(1, n_chains * n_draws))
    parts = []
    for first in range(0, max(1, len(pairs)), n_at_once):
        i, j = pairs[first : first + n_at_once].T
        parts.append(_measure(labels[:, :, i] == labels[:, :, j]))
    frequency, *others = (np.concatenate(part) for part in zip(*parts, strict=True))
    error = standard_errors(frequency, others[1], n_chains * n_draws)
    return PairMeasures(frequency, error, *others)


def standard_errors(frequency: Array, ess: Array, n_draws: int) -> Array:
    """Return the Monte Carlo standard errors (P,) of frequencies, of pairs that were hardly ever seen as well.

    Parameters
    ----------
    frequency, ess : (P,) float64
        Of [b_i = b_j].
    n_draws : int
        Of all chains: no pair is taken to have more independent draws.

    Notes
    -----
    With p the frequency and n independent draws::

        error = sqrt(q (1 - q) / n),  q = (n p + 9/2) / (n + 9)

    The 9 is 3 squared (Agresti and Coull 1998, for z = 3): a pair never seen in n draws has 3 errors = 6.4 / n, and a
    pair that is due to be seen 6.4 times is missed with chance 0.002, as what is normal misses 3 standard errors.

    The ESS counts on visits that are seen: how long they last is known after some ten. A pair with x = n min(p, 1 - p)
    visits borrows the rest: 1/n is the mean of 1/ESS, its own with weight x / (x + 10), and that of the slowest pair
    with ten visits but for 1 % of all P pairs, which may stay open where 99 % are asked for; where few pairs have ten
    visits, that of their median if it is slower. It only makes n smaller. Where no pair has ten visits there is nothing
    to borrow.

    Examples
    --------
    >>> standard_errors(np.array([0.0, 0.1, 0.5]), np.array([1000.0, 400.0, 400.0]), 1000).round(4).tolist()
    [0.0052, 0.0156, 0.025]
    """
    n = np.fmin(ess, n_draws)
    visits = n * np.minimum(frequency, 1 - frequency)
    known = np.sort(n[visits >= _ENOUGH])
    if len(known):
        slow, weight = known[min(int(_SLOW * len(n)), (len(known) - 1) // 2)], visits / (visits + _ENOUGH)
        n = np.minimum(n, 1 / (weight / n + (1 - weight) / slow))
    q = (n * frequency + _UNSEEN) / (n + 2 * _UNSEEN)
    return np.asarray(np.sqrt(q * (1 - q) / n))


def _measure(together: Array) -> tuple[Array, ...]:
    """Return the measures of some pairs but for their errors, for which all pairs are looked at."""
    n_chains, n_draws, n_pairs = together.shape
    frequency = together.mean(axis=(0, 1)) if together.size else np.full(n_pairs, np.nan)
    if n_draws < MIN_DRAWS or not n_chains:
        return frequency, *np.full((4, n_pairs), np.nan)
    half = n_draws // 2  # the middle draw of an odd number is in no half
    halves = np.empty((n_pairs, half, 2, n_chains))
    for number, part in enumerate((together[:, :half], together[:, n_draws - half :])):
        halves[:, :, number] = part.transpose(2, 1, 0)
    by_chain = together.mean(axis=1)  # (C, P)
    one_chain = halves.transpose(0, 3, 1, 2).copy().reshape(-1, half, 2)
    ess_by_chain = effective_sizes(one_chain).reshape(n_pairs, n_chains)
    noise = np.sqrt((by_chain * (1 - by_chain) / ess_by_chain.T).mean(axis=0))
    rhat, spread = np.full((2, n_pairs), np.nan)
    series = halves.reshape(n_pairs, half, 2 * n_chains)
    if n_chains > 1:
        rhat, spread = _potential_scale(series), by_chain.std(axis=0, ddof=1)
    return frequency, rhat, effective_sizes(series), spread, noise


def _potential_scale(series: Array) -> Array:
    """Return R-hat (P,) of half chains (P, n, S): infinite if each is constant and they differ, NaN if all agree."""
    n = series.shape[1]
    mean = series.mean(axis=1)
    within, between = (mean * (1 - mean)).mean(axis=1) / (n - 1), mean.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((n - 1) / n + between / within / n)
