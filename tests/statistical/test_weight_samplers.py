"""One battery for every sampler of the weights, ``ffbm.verification.weights``, and laws that are the prior's own."""

import numpy as np
import pytest

from ffbm.kernels.softmax import Target
from ffbm.pipeline.weights import sample_weights
from ffbm.theta.design import Training
from ffbm.verification.weights import ALLOWED, LAWS, deviations

from ..mutants import planted_weights

SAMPLERS = ("hmc", "mala")


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("law", LAWS)
def test_every_sampler_has_the_right_law(law, sampler):
    assert deviations(law, sampler).max() < ALLOWED


def test_the_papers_annealed_steps_leave_the_law_alone():
    assert deviations("two_features", "mala", annealing=4.0).max() < ALLOWED


FAULTS = {
    # the authors' slip: densities of variance 1 where the noise has variance 2h
    "proposal variance 1": ("mala", "(forward - reverse) / (4.0 * h)", "(forward - reverse) / 2.0"),
    "no Hastings ratio": ("mala", "u - u_new + langevin_log_ratio(w, g, w_new, g_new, h)", "u - u_new"),
    "noise of variance h": ("mala", "noise = sqrt(2.0 * h)", "noise = sqrt(h)"),
    "never refused": ("mala", "if rng.random() < acceptance:", "if rng.random() < 2.0:"),
    "kinetic energy left out": ("hmc", "error = u - u_old + kinetic", "error = u - u_old"),
    "trajectory not reversible": (
        "hmc",
        "kinetic = kick(g, q, v, OUTER * h)",
        "kinetic = kick(g, q, v, 0.0)",
    ),
    "always accepted": ("hmc", "if not rng.random() < acceptance:", "if not rng.random() < 2.0:"),
    "mean over blocks too wide": ("hmc", "rng.standard_normal() / sqrt(n_blocks)", "rng.standard_normal()"),
    "scale ignored in the mean over blocks": ("hmc", "shared * scale[d] - total", "shared - total"),
    "scale of another feature in the mean over blocks": (
        "mala",
        "shared * scale[d] - total",
        "shared * scale[a] - total",
    ),
    "scale ignored in features nobody has": ("hmc", "draw[k, d] = scale[d] * x", "draw[k, d] = x"),
    "scale of another feature where nobody has one": (
        "mala",
        "draw[k, d] = scale[d] * x",
        "draw[k, d] = scale[d + 1] * x",
    ),
}


SLOW = {  # each compiles a sampler; a fault of the same kind is caught in every run
    "never refused",
    "trajectory not reversible",
    "noise of variance h",
    "no Hastings ratio",
    "scale ignored in features nobody has",
    "always accepted",
    "scale of another feature in the mean over blocks",
    "scale of another feature where nobody has one",
    "mean over blocks too wide",
    "scale ignored in the mean over blocks",
}


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=pytest.mark.slow if fault in SLOW else ()) for fault in FAULTS]
)
def test_a_planted_fault_fails_the_battery(fault, monkeypatch):
    sampler, right, wrong = FAULTS[fault]
    monkeypatch.setattr(f"ffbm.theta.chain.run_{sampler}", planted_weights(sampler, (right, wrong)))
    worst = max(deviations(law, sampler).max() for law in ("one_vertex", "two_features", "unequal_scales"))
    assert worst > 2 * ALLOWED


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("changes", [{"sigma": 1.0}, {"rows": None}])
def test_ignoring_sigma_or_rows_fails_the_battery(sampler, changes):
    assert deviations("two_features", sampler, **changes).max() > 2 * ALLOWED


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("sigma", [1.0, [3.0, 2.0, 0.4], [0.4, 2.0, 3.0], {"0": 3.0}])
def test_a_wrong_scale_fails_the_battery(sampler, sigma):
    assert deviations("unequal_scales", sampler, sigma=sigma).max() > 2 * ALLOWED


def of_the_first(training, sums, scale, *_):
    """Scales in the order of the table, where kernels have the most frequent feature first."""
    return Target(training.rows, sums, scale, scale[: len(training.rows.active)] ** -2)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_scale_of_the_wrong_feature_fails_the_battery(sampler, monkeypatch):
    monkeypatch.setattr(Training, "target", of_the_first)
    assert deviations("unequal_scales", sampler).max() > 2 * ALLOWED


@pytest.mark.parametrize("law", LAWS)
def test_equal_scales_are_one_sigma(law):
    given = LAWS[law]().arguments
    n_features = given["features"].shape[1]
    options = {"n_draws": 50, "n_warmup": 50, "n_chains": 1, "progress": False}
    one = sample_weights(**given | {"sigma": 0.7}, **options)
    for sigma in ([0.7] * n_features, {str(d): 0.7 for d in range(n_features)}):
        several = sample_weights(**given | {"sigma": sigma}, **options)
        np.testing.assert_array_equal(several.weights, one.weights)
        assert several.sigma.tolist() == [0.7] * n_features


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_without_training_vertices_the_prior_is_drawn_exactly(sampler):
    x = np.ones((3, 2))
    trace = sample_weights(x, np.eye(3), rows=[], sigma=0.5, sampler=sampler, n_draws=4000, progress=False)
    assert (trace.acceptance_rate == 1).all()
    n = trace.weights[..., 0, 0].size
    np.testing.assert_allclose(trace.mean, 0, atol=4.5 * 0.5 / np.sqrt(n))
    np.testing.assert_allclose(trace.sd, 0.5, rtol=4.5 / np.sqrt(2 * n))
    assert trace.energy.mean() == pytest.approx(3, abs=4.5 * np.sqrt(3 / n))  # half of the B D = 6 dimensions


def test_weights_of_a_feature_that_no_training_vertex_has_are_the_priors():
    rng = np.random.default_rng(0)
    x = np.column_stack((rng.random((40, 2)) < 0.5, np.zeros(40)))
    x[-1, 2] = 1  # held out
    labels = rng.integers(0, 3, 40)
    trace = sample_weights(x, labels, rows=np.arange(39), sigma=2.0, n_draws=4000, progress=False)
    w = trace.weights[..., 2]
    assert np.abs(w.mean(axis=(0, 1))).max() < 4.5 * 2 / np.sqrt(16_000)
    np.testing.assert_allclose(w.std(axis=(0, 1)), 2, rtol=4.5 / np.sqrt(32_000))
    shared = np.corrcoef(w.reshape(-1, 3).T)
    assert np.abs(shared - np.eye(3)).max() < 4.5 / np.sqrt(16_000)
