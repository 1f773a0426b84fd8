"""Bits of columns: intervals cover what the fits explain of fresh vertices, and noise is not called relevant."""

import numpy as np
import pytest

from ffbm.pipeline import contributions


@pytest.fixture
def watched(study, monkeypatch):
    """The same, with refits that say what they explain of fresh vertices."""
    monkeypatch.setattr(contributions, "_Refits", study.Watched)
    return study


@pytest.mark.slow
def test_intervals_cover(watched):
    """Of 96 intervals of 95.4 %: within three standard errors of that; intervals of one data set go together."""
    z = np.array([[row["z"] for row in watched.cover(700 + seed, 300)] for seed in range(12)])
    covered = (np.abs(z) <= 2).mean(axis=1)
    error = max(covered.std(ddof=1), 0.05) / np.sqrt(len(z))
    assert abs(covered.mean() - 0.954) < 3 * error
    assert 0.6 < np.sqrt((z**2).mean()) < 1.4


@pytest.mark.slow
def test_a_standard_error_of_half_the_size_does_not(watched, monkeypatch):
    """The check is worth something: errors over folds' means as if vertices were twice as many would be seen."""
    mean = contributions.mean_and_error
    monkeypatch.setattr(contributions, "mean_and_error", lambda *of: (mean(*of)[0], mean(*of)[1] / 2))
    z = np.array([[row["z"] for row in watched.cover(700 + seed, 300)] for seed in range(6)])
    assert np.sqrt((z**2).mean()) > 1.4


@pytest.mark.slow
def test_noise_is_not_called_relevant(study):
    """Columns of 2, 20 and 60 noise values: 30 of them, at most two above two standard errors."""
    rows = [row for seed in range(10) for row in study.noise(900 + seed, 300)]
    noise = [row for row in rows if row["column"] != "own"]
    assert sum(row["alone"] for row in noise) <= 2
    assert sum(row["unique"] for row in noise) <= 2
    assert all(row["alone"] for row in rows if row["column"] == "own")
