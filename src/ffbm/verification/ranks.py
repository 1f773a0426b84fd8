"""Ranks of the truth among draws, their histograms, and the smallest p of uniform ones."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ffbm.types import Array
from ffbm.verification.findings import Effort, Finding
from ffbm.verification.goodness import chi_square


def rank_among(draws: Array, truth: Array, rng: np.random.Generator) -> Array:
    """Return the rank (Q,) of the truth (Q,) among draws (Q, T) of each quantity, 0 .. T, ties broken at random.

    >>> rank_among(np.array([[1.0, 2.0, 4.0]]), np.array([3.0]), np.random.default_rng(0))
    array([2])
    """
    at = truth[:, np.newaxis]
    return np.asarray((draws < at).sum(axis=1) + rng.integers(0, (draws == at).sum(axis=1) + 1))


def rank_histograms(names: Sequence[str], ranks: Array, n_draws: int, n_bins: int, size: str) -> list[dict[str, Any]]:
    """Return the histogram of each quantity's ranks (n, Q), 0 .. n_draws, with Pearson's p of uniform ones.

    >>> [it["counts"] for it in rank_histograms(["U"], np.array([[0], [9], [10], [19]]), 19, 2, "N = 5")]
    [[2, 2]]
    """
    entries = []
    for name, column in zip(names, ranks.T, strict=True):
        counts = np.bincount(column * n_bins // (n_draws + 1), minlength=n_bins)
        p = chi_square(counts.astype(float), np.full(n_bins, len(ranks) / n_bins))
        entries.append({"quantity": name, "size": size, "p": p, "counts": counts.tolist()})
    return entries


def rank_each(
    rank: Callable[[int], Array], names: Sequence[str], n: int, n_draws: int, n_bins: int, size: str, effort: Effort
) -> Finding:
    """Rank the truth in n data sets, numbered from 0, of one size; return the smallest p of uniform ranks."""
    ranks = np.array(effort.each(rank, range(n)))
    return smallest_p(rank_histograms(names, ranks, n_draws, n_bins, size), n, n_draws=n_draws)


def smallest_p(
    histograms: list[dict[str, Any]], n_networks: int, rates: Sequence[float] = (), **details: Any
) -> Finding:
    """Return the smallest p of uniform ranks, and of rates that have a p of their own."""
    ps = [*(entry["p"] for entry in histograms), *rates]
    details = {"n_networks": n_networks, **details, "ranks": histograms}
    return Finding(min(ps), 0.001 / len(ps), at_least=True, details=details)
