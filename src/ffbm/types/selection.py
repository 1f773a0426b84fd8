"""Draws under the selection of columns: which are included, with which scales and weights."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array

MOST_ERROR = 0.01  # the largest Monte Carlo error of an inclusion probability that passes


@dataclass(frozen=True, eq=False)
class SelectionTrace:
    """Draws from p(inclusion, weights, scales | X, y): C chains of T draws, G columns, B blocks and D features.

    Parameters
    ----------
    inclusion : (C, T, G) bool
        Which columns are included.
    chance : (C, T, G) float64
        The probability of inclusion of each column given all others, estimated whenever the chain visits it: its mean
        is the inclusion probability, with less noise than the mean of ``inclusion``.
    scales : (C, T, G) float64
        s_g; from the prior while a column is out.
    weights : (C, T / thin, B, D) float64
        Less their mean over blocks; 0 where a column is out.
    energy : (C, T) float64
        Minus the log of the joint density of inclusion and weights, scales integrated out, up to a constant.
    acceptance_rate : (C, T) float64
        Of the Hamiltonian moves between visits of columns.
    accepted : (C, T, 5) int32
        Columns born, dead, refreshed, exchanged and bridged (born or dead while all weights moved along) in each sweep.
    full_start : (C,) bool
        Which chains began with all columns included; the others with none.
    partition : (C, T) int64
        The partition that each draw is of, if memberships are drawn, two chains going through the same ones; with the
        joint posterior the number of the draw, which has labels of its own; else 0.
    column_names : tuple of G
    of_feature : (D,) int64
        The column of each feature; -1 for the intercept.
    thin : int
    settings : dict
    """

    inclusion: Array
    chance: Array
    scales: Array
    weights: Array
    energy: Array
    acceptance_rate: Array
    accepted: Array
    full_start: Array
    partition: Array
    column_names: tuple[str, ...]
    of_feature: Array
    thin: int
    settings: dict[str, Any]

    @property
    def n_chains(self) -> int:
        """C."""
        return int(self.inclusion.shape[0])

    @property
    def n_draws(self) -> int:
        """T."""
        return int(self.inclusion.shape[1])

    @cached_property
    def probability(self) -> Array:
        """The inclusion probability of each column (G,)."""
        return np.asarray(self.chance.mean(axis=(0, 1)))

    @cached_property
    def error(self) -> Array:
        """The Monte Carlo standard error of each inclusion probability (G,), given the partitions if they are drawn.

        With the joint posterior the chain itself moves through partitions, and the error is over these too.
        """
        return mean_error(self.chance, None if self.settings.get("target") == "joint" else self.partition)

    @cached_property
    def by_partition(self) -> Array:
        """The inclusion probabilities of each partition (P, G), in the order of their numbers in ``partition``."""
        return _means_by(self.chance, self.partition)[0]

    @cached_property
    def difference(self) -> Array:
        """How far chains from all columns and from none disagree on each inclusion (G,); NaN without both."""
        if self.full_start.all() or not self.full_start.any():
            return np.full(len(self.column_names), np.nan)
        full, empty = self.chance[self.full_start], self.chance[~self.full_start]
        return np.asarray(np.abs(full.mean(axis=(0, 1)) - empty.mean(axis=(0, 1))))

    @property
    def is_precise(self) -> bool:
        """Whether every Monte Carlo error is at most 0.01."""
        return bool((self.error <= MOST_ERROR).all())

    def __repr__(self) -> str:
        chains = f"{count_of(self.n_chains, 'chain')} x {count_of(self.n_draws, 'draw')}"
        inside = int((self.probability > 0.5).sum())
        worst = float(self.error.max(initial=0.0))
        return (
            f"<SelectionTrace: {chains}, {inside} of {count_of(len(self.column_names), 'column')} more likely in than"
            f" out, Monte Carlo error up to {worst:.3f}>"
        )


def mean_error(values: Array, partition: Array | None = None) -> Array:
    """Return the standard error of the mean of values (C, T, G) over chains and draws, by their autocorrelation.

    What differs from partition to partition, ``partition`` (C, T) being their numbers, is taken out first. Chains that
    disagree about the same partitions have longer autocorrelations for it (Vehtari et al., 2021), up to chains that are
    worth one draw each.

    >>> rng = np.random.default_rng(1)
    >>> round(float(mean_error(rng.normal(size=(4, 2500, 1)))[0]), 3)
    0.01
    """
    n_chains, n_draws, n_columns = values.shape
    if n_draws < 2:
        return np.full(n_columns, np.inf if n_chains * n_draws else 0.0)
    partition = np.zeros((n_chains, n_draws), dtype=np.int64) if partition is None else partition
    mean, number, n_visits = _means_by(values, partition)
    off = values - mean[number]
    n_free = n_chains - round(n_chains / n_visits)  # means of chains that are free to differ
    lost = n_chains * n_draws / max(n_chains * n_draws - len(mean), 1)
    return np.asarray(np.sqrt([lost * _variance_of_mean(off[:, :, g], n_free) for g in range(n_columns)]))


def _variance_of_mean(draws: Array, n_free: int) -> float:
    """Return the variance of the mean of C chains of T draws (C, T), by Geyer's initial monotone sequence.

    The means of the chains have ``n_free`` degrees of freedom around 0.
    """
    n_chains, n_draws = draws.shape
    centre = draws.mean(axis=1)
    spectrum = np.fft.rfft(draws - centre[:, np.newaxis], 2 * n_draws, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n_draws].mean(axis=0) / n_draws
    within = covariance[0] * n_draws / (n_draws - 1)
    total = covariance[0] + ((centre**2).sum() / n_free if n_free else 0.0)
    if not total > 0:
        return 0.0
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    pairs = correlation[: n_draws - n_draws % 2].reshape(-1, 2).sum(axis=1)
    n_positive = int(np.argmax(pairs < 0)) if (pairs < 0).any() else len(pairs)
    length = 2 * np.minimum.accumulate(pairs[: max(n_positive, 1)]).sum() - 1
    return float(total * min(max(length, 1 / np.log10(n_chains * n_draws)), n_draws) / (n_chains * n_draws))


def _means_by(values: Array, partition: Array) -> tuple[Array, Array, float]:
    """Return the means of values (C, T, G) by partition (P, G), the row of each draw, and how many chains visit one."""
    numbers, row = np.unique(partition, return_inverse=True)
    row = row.reshape(partition.shape)
    total = np.zeros((len(numbers), values.shape[2]))
    np.add.at(total, row, values)
    n_each = np.bincount(row.ravel(), minlength=len(numbers))
    visits = sum(len(np.unique(labels)) for labels in partition) / max(len(numbers), 1)
    return total / np.maximum(n_each, 1)[:, np.newaxis], row, visits
