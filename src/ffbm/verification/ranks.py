"""Simulation-based calibration: ranks of the truth among draws, their histograms, the smallest p of uniform ones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm

from ffbm.types import Array
from ffbm.verification.findings import Effort, Finding
from ffbm.verification.goodness import chi_square

_N_FIFTHS = 5


def rank_among(draws: Array, truth: Array, rng: np.random.Generator) -> Array:
    """Return the rank (Q,) of the truth (Q,) among draws (Q, T) of each quantity, 0 .. T, ties broken at random.

    >>> rank_among(np.array([[1.0, 2.0, 4.0]]), np.array([3.0]), np.random.default_rng(0))
    array([2])
    """
    value = truth[:, np.newaxis]
    return np.asarray((draws < value).sum(axis=1) + rng.integers(0, (draws == value).sum(axis=1) + 1))


def rank_histograms(names: Sequence[str], ranks: Array, n_draws: int, n_bins: int, size: str) -> list[dict[str, Any]]:
    """Return the histogram of each quantity's ranks (n, Q), 0 .. n_draws, with Pearson's p of uniform ones.

    >>> [entry["counts"] for entry in rank_histograms(["U"], np.array([[0], [9], [10], [19]]), 19, 2, "N = 5")]
    [[2, 2]]
    """
    entries = []
    for name, column in zip(names, ranks.T, strict=True):
        counts = np.bincount(column * n_bins // (n_draws + 1), minlength=n_bins)
        p = chi_square(counts.astype(float), np.full(n_bins, len(ranks) / n_bins))
        entries.append({"quantity": name, "size": size, "p": p, "counts": counts.tolist()})
    return entries


def calibrate(
    rank: Callable[[Any, int, int], Array],
    names: Sequence[str],
    sizes: Mapping[str, Any],
    n_sets: int,
    n_draws: int,
    n_bins: int,
    effort: Effort,
) -> Finding:
    """Rank the truth in many simulated data sets of each size; return the smallest p of uniform ranks.

    Parameters
    ----------
    rank : callable
        ``rank(size, seed, number)`` simulates data set ``number``, samples its posterior and returns the rank of the
        truth, 0 .. n_draws, in each quantity. Where columns are selected, the inclusion probability of each and
        whether it is included in truth follow: then the rates of true inclusion have p values too.
    names : Q texts
        The quantities.
    sizes : mapping from names to sizes
    n_sets, n_draws, n_bins : int
        Data sets of each size, draws in each, bins of a histogram.
    effort : Effort
    """
    histograms, rates = list[dict[str, Any]](), list[float]()
    for name, size in sizes.items():
        results = np.array(effort.each(partial(rank, size, effort.seed), range(n_sets)))
        ranks, inclusion = np.split(results, [len(names)], axis=1)
        histograms += rank_histograms(names, ranks.astype(np.int64), n_draws, n_bins, name)
        if inclusion.size:
            rates += calibration_of_inclusion(*(part.ravel() for part in np.split(inclusion, 2, axis=1)))
    ps = [*(entry["p"] for entry in histograms), *rates]
    details: dict[str, Any] = {"n_networks": n_sets, "n_draws": n_draws, "ranks": histograms}
    if rates:
        details["inclusion"] = rates
    return Finding(min(ps), 0.001 / len(ps), at_least=True, details=details)


def calibration_of_inclusion(chance: Array, truth: Array) -> list[float]:
    """Return, for inclusion probabilities in fifths of their order, p of as many columns included in truth.

    >>> calibration_of_inclusion(np.full(10, 0.5), np.tile([0, 1], 5))[0]
    1.0
    """
    ps = []
    for part in np.array_split(np.argsort(chance, kind="stable"), _N_FIFTHS):
        off = truth[part].sum() - chance[part].sum()
        spread = np.sqrt((chance[part] * (1 - chance[part])).sum())
        ps.append(float(2 * norm.sf(abs(off) / max(spread, 1e-9))))
    return ps
