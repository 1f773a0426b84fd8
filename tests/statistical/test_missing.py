"""Missing cells: planted effects are found without bias, and today's rule is biased; calibration of true cells."""

import numpy as np
import pytest

from ffbm.verification import imputation
from ffbm.verification.findings import Effort


@pytest.mark.slow
def test_planted_effects_with_missing_cells(study):
    """Against the same data with nothing missing, in standard errors over eight data sets."""
    whole, sampled, read = (
        np.array([study.estimate(100 + seed, rule) for seed in range(8)])
        for rule in ("nothing missing", "impute=True", "without impute")
    )
    off = {name: own - whole for name, own in (("sampled", sampled), ("read", read))}
    errors = {name: one.mean(axis=0) / (one.std(axis=0, ddof=1) / np.sqrt(8)) for name, one in off.items()}
    assert (np.abs(errors["sampled"]) < 4).all()
    assert np.abs(off["sampled"].mean(axis=0)).max() < 0.3
    assert (np.abs(errors["read"][:2]) > 6).all()
    assert off["read"].mean(axis=0)[0] < -0.8


@pytest.mark.slow
def test_ranks_of_true_weights_and_cells_are_uniform():
    found = imputation.uniform_ranks(Effort(False, 5, lambda function, items: [function(item) for item in items]))
    assert found.passed, found.details


@pytest.mark.slow
def test_cells_that_ignore_their_block_are_seen(monkeypatch):
    """The check is worth something: cells by the law of the columns alone pull the weights to 0."""
    right = imputation.find_unknown
    monkeypatch.setattr(imputation, "find_unknown", lambda *of: right(*of)._replace(y=0 * right(*of).y))
    found = imputation.uniform_ranks(Effort(False, 5, lambda function, items: [function(item) for item in items]))
    assert not found.passed
