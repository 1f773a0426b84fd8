"""A scale for each feature through every stage of a fit: energies, refit, folds, modes, files, what is refused."""

import dataclasses
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.config import FitConfig
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.fit import run_fit
from ffbm.pipeline.joint import sample_joint
from ffbm.pipeline.modes import explain_mode
from ffbm.scoring import effects, predict, score_weights
from ffbm.theta import design as design_file
from ffbm.theta.design import make_design
from ffbm.theta.target import energy

from ..planted import planted_edges

QUICK = FitConfig(weight_prior="fixed", n_blocks=2, n_sweeps=60, n_warmup=60, n_draws=60, n_chains=2, seed=4)
BY_COLUMN = {"age": 0.3, "dept": 2.5}
SCALES = [0.3, 2.5, 2.5, 2.5, 1.0]  # age, three departments, vip


@pytest.fixture(scope="module")
def net():
    rng = np.random.default_rng(2)
    edges, labels = planted_edges(rng, (20, 20))
    table = pd.DataFrame(
        {
            "age": 40 + 5 * labels + rng.normal(0, 9, 40),
            "dept": np.where(rng.random(40) < 0.3, "law", np.where(labels == 0, "art", "bio")),
            "vip": rng.random(40) < 0.4,
        }
    )
    return ffbm.as_network(edges, table, node_ids=range(40))


def dense(net, intercept=False):
    x = sp.csr_array(net.features.values).toarray()
    return np.column_stack((x, np.ones(len(x)))) if intercept else x


def energies(trace, x, y, scales):
    draws = trace.weights.reshape(-1, *trace.weights.shape[2:])
    return [energy(w, x[trace.rows], y[trace.rows], scales) for w in draws]


@pytest.mark.parametrize("sigma", [BY_COLUMN, SCALES, tuple(SCALES), np.array(SCALES)])
def test_every_form_is_the_same_prior(net, sigma):
    parts = run_fit(net, dataclasses.replace(QUICK, sigma=sigma), progress=False)
    expected = energies(parts.weights, dense(net), parts.memberships.probs, SCALES)
    np.testing.assert_allclose(parts.weights.energy.ravel(), expected, rtol=1e-10)
    assert parts.weights.sigma.tolist() == parts.weights.settings["sigma"] == SCALES
    assert not np.allclose(
        parts.weights.energy.ravel(), energies(parts.weights, dense(net), parts.memberships.probs, 1)
    )


def test_the_intercept_has_a_scale_of_its_own(net):
    given = dataclasses.replace(QUICK, sigma={"vip": 0.5, "(intercept)": 4.0}, intercept=True)
    parts = run_fit(net, given, progress=False)
    expected = energies(parts.weights, dense(net, True), parts.memberships.probs, [1, 1, 1, 1, 0.5, 4])
    np.testing.assert_allclose(parts.weights.energy.ravel(), expected, rtol=1e-10)


@pytest.mark.parametrize("target", ["cut", "joint"])
@pytest.mark.parametrize("intercept", [False, True])
def test_kept_features_keep_their_scales(net, target, intercept):
    sigma = [*SCALES, 3.0] if intercept else SCALES
    config = dataclasses.replace(QUICK, target=target, sigma=sigma, n_kept=2, intercept=intercept)
    parts = run_fit(net, config, progress=False)
    reduced = parts.reduced.weights
    scales = dict(zip((*net.features.names, "(intercept)"), [*SCALES, 3.0], strict=True))
    assert reduced.sigma.tolist() == [scales[name] for name in reduced.names]
    assert len(reduced.names) == 2 + intercept
    if target == "cut":
        x = dense(net, intercept)[:, [parts.weights.names.index(name) for name in reduced.names]]
        expected = energies(reduced, x, parts.memberships.probs, reduced.sigma)
        np.testing.assert_allclose(reduced.energy.ravel(), expected, rtol=1e-10)


def test_joint_draws_have_their_scales(net):
    found = sample_joint(net, 2, rows=np.arange(30), sigma=BY_COLUMN, n_sweeps=60, n_warmup=50, n_chains=2)
    x, w = dense(net)[:30], found.weights.weights
    expected = [
        [energy(w[c, t], x, np.eye(2)[found.blocks.labels[c, t][:30]], SCALES) for t in range(w.shape[1])]
        for c in range(2)
    ]
    np.testing.assert_allclose(found.weights.energy, expected, rtol=1e-9)
    assert found.weights.sigma.tolist() == SCALES


def test_drawn_partitions_have_their_scales(net):
    blocks = ffbm.sample_blocks(net, 2, n_sweeps=30, n_chains=2, seed=1, progress=False)
    members = ffbm.align_blocks(blocks)
    trace, _ = sample_weights_drawn(net.features, blocks, members, sigma=BY_COLUMN, n_draws=20)
    n_each = trace.n_draws // blocks.labels.shape[1]
    for c, t in np.ndindex(*trace.energy.shape):
        b = members.order[c, t // n_each][blocks.labels[c, t // n_each]]
        assert trace.energy[c, t] == pytest.approx(
            energy(trace.weights[c, t], dense(net), np.eye(2)[b], SCALES), rel=1e-9
        )


@pytest.mark.parametrize("config", [{"folds": 2}, {"memberships": "drawn", "folds": 2}, {}, {"target": "joint"}])
def test_a_fit_reads_the_features_once(net, config):
    with mock.patch.object(design_file, "read_features", wraps=design_file.read_features) as read:
        run_fit(net, dataclasses.replace(QUICK, n_kept=2, sigma=BY_COLUMN, **config), progress=False)
    assert read.call_count == 1


def test_a_mode_has_the_scales_of_its_fit():
    cliques = [6 * c + np.array(np.triu_indices(6, 1)).T for c in range(4)]
    upper, left = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], 6, axis=1)
    net = ffbm.as_network(np.vstack(cliques), np.column_stack((upper, left)))
    blocks = ffbm.sample_blocks(net, 2, n_chains=2, n_sweeps=100, initial=[upper, left], moves="single", progress=False)
    parts = run_fit(net, dataclasses.replace(QUICK, sigma=[0.5, 2.0]), blocks=blocks, progress=False)
    mode = explain_mode(parts, 1, progress=False)
    assert mode.weights.sigma.tolist() == [0.5, 2.0]
    expected = energies(mode.weights, dense(net), parts.memberships.modes[1].probs, [0.5, 2.0])
    np.testing.assert_allclose(mode.weights.energy.ravel(), expected, rtol=1e-10)


def test_a_design_serves_in_place_of_features(net):
    blocks = ffbm.sample_blocks(net, 2, n_sweeps=40, n_chains=2, seed=1, progress=False)
    members = ffbm.align_blocks(blocks)
    options = {"n_draws": 30, "n_warmup": 30, "n_chains": 2, "intercept": True, "progress": False}
    for features in (make_design(net.features), make_design(net.features, intercept=True)):
        one, other = (ffbm.sample_weights(x, members, **options) for x in (net.features, features))
        np.testing.assert_array_equal(one.weights, other.weights)
        scores = [str(score_weights(one, x, members).to_dict()) for x in (net.features, features)]
        assert scores[0] == scores[1]
        pd.testing.assert_frame_equal(effects(one, net.features), effects(one, features))
        np.testing.assert_array_equal(predict(one, net.features), predict(one, features))
    without = ffbm.sample_weights(net.features, members, **options | {"intercept": False})
    with pytest.raises(DataError, match=r"'\(intercept\)' is unknown"):
        predict(without, features)


@pytest.mark.parametrize("target", ["cut", "joint"])
@pytest.mark.parametrize(
    ("sigma", "text"),
    [
        ({"aeg": 2.0}, "the columns that sigma names must be those of the features; got 'aeg': did you mean 'age'?"),
        ({"(intercept)": 2.0}, "got '(intercept)': there are 'age', 'dept', 'vip'"),
        ([1, 2, 3], "sigma as a list must have one number for each of 5 features; got 3 numbers"),
    ],
)
def test_a_wrong_prior_is_refused_before_anything_runs(net, target, sigma, text):
    stages = []
    with pytest.raises(OptionError) as error:
        run_fit(net, dataclasses.replace(QUICK, n_blocks="auto", target=target, sigma=sigma), progress=stages.append)
    assert text in str(error.value)
    assert "\n" not in str(error.value)
    assert not stages


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
@pytest.mark.parametrize("sigma", [BY_COLUMN, pytest.param(SCALES, marks=pytest.mark.slow)])
def test_a_run_keeps_it(net, tmp_path, sigma):
    options = {name: value for name, value in QUICK.to_dict().items() if name not in ("sigma", "out", "resume")}
    options |= {"n_kept": 2, "progress": False, "out": tmp_path / "run"}
    fit = ffbm.fit(net, sigma=sigma, **options)
    loaded = ffbm.load_fit(tmp_path / "run")
    assert loaded.config.sigma == fit.config.sigma == sigma
    assert loaded.weights.sigma.tolist() == SCALES
    assert loaded.reduced.weights.sigma.tolist() == fit.reduced.weights.sigma.tolist()
    again = ffbm.fit(net, sigma=sigma, resume=True, **options | {"n_draws": 90})
    np.testing.assert_array_equal(again.weights.weights[:, :60], fit.weights.weights)
    other = {"age": 0.3, "dept": 2.0} if isinstance(sigma, dict) else [0.3, 2, 2, 2, 1]
    with pytest.raises(OptionError, match=r"was begun with other settings: sigma was .* and is .*2\.0"):
        ffbm.fit(net, sigma=other, resume=True, **options | {"n_draws": 90})
