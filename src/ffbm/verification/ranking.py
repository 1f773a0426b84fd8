"""Check of the ranking rule on a case made by hand, and against the paper's words on random draws."""

import numpy as np

from ffbm.ranking import rank_features
from ffbm.types import Array
from ffbm.verification.findings import Check, Effort, Finding

# two draws, three blocks, four features: mean - and + sd are the two values
_LOW = np.array([[2.0, -0.5, 1.0, 0.0], [0.0, -3.0, 1.0, 0.0], [-1.0, 0.0, 0.5, 0.0]])
_HIGH = np.array([[4.0, 0.5, 1.0, 0.0], [2.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.5, 0.0]])
_MEAN = [[3.0, 0.0, 1.0, 0.0], [1.0, -2.5, 1.0, 0.0], [-0.5, 0.0, 1.0, 0.0]]
_SD = [[1.0, 0.5, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0]]
_SCORES = {1.0: [2.0, 2.0, 1.0, 0.0], 2.0: [1.0, 1.5, 1.0, 0.0]}  # max_i (|mean| - k sd), by k


def kept_at(mean: Array, sd: Array, k: float, c: float) -> Array:
    """Return which features the paper keeps at cutoff c: for some block mean -+ k sd misses (-c, c)."""
    misses = (mean - k * sd >= c) | (mean + k * sd <= -c)
    return np.asarray(misses.any(axis=0))


def rule(effort: Effort) -> Finding:
    """Count disagreements with the hand-made case and with the definition of the cutoff."""
    draws = np.stack((_LOW, _HIGH))
    wrong = 0
    for k, scores in _SCORES.items():
        ranking = rank_features(draws, k=k, n_kept=3, names=list("abcd"))
        for part, exact in ((ranking.mean, _MEAN), (ranking.sd, _SD), (ranking.scores, scores)):
            wrong += not np.allclose(part, exact, atol=1e-12)
        wrong += ranking.kept != (("a", "b", "c") if k == 1 else ("b", "a", "c"))
        wrong += ranking.cutoff != 1.0
    for turn in range(200 if effort.full else 50):
        rng = np.random.default_rng([effort.seed, turn])
        w = rng.normal(rng.normal(size=(1, 1, 3, 8)) * 2, 0.7, size=(2, 20, 3, 8))
        n_kept, k = int(rng.integers(1, 9)), float(rng.choice([0.0, 1.0, 2.0]))
        ranking = rank_features(w, k=k, n_kept=n_kept)
        mean, sd = w.mean(axis=(0, 1)), w.std(axis=(0, 1))
        if np.isnan(ranking.cutoff):  # no cutoff above 0 keeps so many
            wrong += int(kept_at(mean, sd, k, 1e-9).sum()) >= n_kept
            continue
        at, above = (kept_at(mean, sd, k, ranking.cutoff * (1 + nudge)) for nudge in (-1e-9, 1e-9))
        wrong += int(at.sum()) != n_kept or int(above.sum()) >= n_kept
        wrong += {ranking.names[j] for j in np.flatnonzero(at)} != set(ranking.kept)
    return Finding(float(wrong), 0)


CHECKS = (
    Check(
        "ranking rule",
        "disagreements with a case made by hand and with the paper's words",
        "a standard deviation with another ddof, a score without its absolute value, a cutoff off by one",
        rule,
    ),
)
