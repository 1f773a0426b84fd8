"""The samplers against the reference posterior of the paper's data sets (FFBM_SHARED/reference/theta_*)."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax

import ffbm
from ffbm.diagnostics import ess_mean
from ffbm.pipeline.weights import sample_weights
from ffbm.ranking import rank_features

ALLOWED = 5.0  # combined standard errors
LOSS = {"polbooks": 0.01, "school": 0.01, "facebook": 0.03}
CUTOFF = {"polbooks": 0.05, "school": 0.05, "facebook": 0.1}


def loss(weights, x, y):
    """The cross-entropy of the memberships, averaged over vertices and draws."""
    draws = weights.reshape(-1, *weights.shape[2:])[::2]
    return -np.mean([np.sum(y * log_softmax(x @ w.T, axis=1)) / len(x) for w in draws])


@pytest.mark.parametrize(
    ("name", "sampler"),
    [
        ("polbooks", "hmc"),
        ("school", "hmc"),
        pytest.param("facebook", "hmc", marks=pytest.mark.slow),
        ("polbooks", "mala"),
        ("school", "mala"),
    ],
)
def test_the_reference_posterior(name, sampler, shared, paper_data):
    held = np.load(shared / "reference" / f"theta_{name}.npz")
    told = json.loads((shared / "reference" / "theta_reference.json").read_text())[name]
    features = ffbm.load_dataset(name).features
    x = features.values.toarray() if sp.issparse(features.values) else features.values
    y, train, test = held["memberships"], held["train"], held["test"]
    trace = sample_weights(features, y, train, sampler=sampler, n_chains=4, n_draws=1000, seed=1, progress=False)

    error = trace.sd / np.sqrt(ess_mean(trace.weights))
    error_held = held["weight_sd"] / np.sqrt(held["ess_mean"])
    assert (np.abs(trace.mean - held["weight_mean"]) / np.hypot(error, error_held)).max() < ALLOWED

    ess_square = ess_mean((trace.weights - trace.mean) ** 2)
    error = np.sqrt(1 / (2 * ess_square) + 1 / (2 * held["ess_square"]))
    assert (np.abs(np.log(trace.sd / held["weight_sd"])) / error).max() < ALLOWED

    assert loss(trace.weights, x[train], y[train]) == pytest.approx(told["L0"], abs=LOSS[name])
    assert loss(trace.weights, x[test], y[test]) == pytest.approx(told["L1"], abs=LOSS[name])
    ranking = rank_features(trace, k=1.0, n_kept=min(10, trace.n_features))
    assert ranking.cutoff == pytest.approx(told["cutoff"], abs=CUTOFF[name])
