"""How well draws fit a law on finitely many outcomes."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy.stats import chi2

from ffbm.types import Array

Outcome = TypeVar("Outcome", bound=Hashable)


def fit_of_law(draws: Sequence[Outcome], law: Mapping[Outcome, float]) -> float:
    """Return Pearson's p of draws under a law, outcomes expected fewer than five times pooled; 0 for an impossible one.

    >>> fit_of_law(["a"] * 52 + ["b"] * 48, {"a": 0.5, "b": 0.5}) > 0.5
    True
    """
    counts = Counter(draws)
    if not set(counts) <= set(law):
        return 0.0
    observed = np.array([counts[outcome] for outcome in law], dtype=float)
    return chi_square(observed, len(draws) * np.array([float(law[outcome]) for outcome in law]))


def chi_square(observed: Array, expected: Array) -> float:
    """Return Pearson's p of counts, those expected to be below five pooled; 1 if nothing is left to differ."""
    rare = expected < 5
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        observed = np.append(observed[~rare], observed[rare].sum())
    possible = expected > 0
    statistic = float(((observed[possible] - expected[possible]) ** 2 / expected[possible]).sum())
    return float(chi2.sf(statistic, int(possible.sum()) - 1)) if possible.sum() > 1 else 1.0
