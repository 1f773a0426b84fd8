import numpy as np
import pytest

from ffbm.theta.hmc import velocity_root
from ffbm.theta.mode import Energy, curvature_metric, find_mode, integration_times, slowest_frequency
from ffbm.theta.prepare import weight_target
from ffbm.theta.target import gradient


def case(n=120, n_features=5, n_blocks=4, flags=True, seed=1):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.5) * (1.0 if flags else rng.normal(size=(n, n_features)))
    return x, rng.dirichlet(np.full(n_blocks, 0.3), n)


def hessian(target, w):
    surface, tiny = Energy(target), 1e-5
    steps = tiny * np.eye(w.size).reshape(-1, *w.shape)
    return np.array([(surface(w + s)[1] - surface(w - s)[1]).ravel() / (2 * tiny) for s in steps])


def test_the_gradient_vanishes_at_the_mode_and_its_mean_is_0():
    x, y = case()
    target = weight_target(x, y, sigma=0.8)
    mode = find_mode(target.kernel)
    w = np.empty((4, 5))
    w[:, target.kernel.rows.active] = mode.T
    assert np.abs(gradient(w, x, y, 0.8)).max() < 1e-2
    np.testing.assert_allclose(w.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("flags", [True, False])
def test_the_metric_is_each_blocks_own_part_of_the_hessian(flags):
    target = weight_target(*case(flags=flags), sigma=0.8)
    w = 0.3 * np.random.default_rng(0).normal(size=(5, 4))
    metric = curvature_metric(target.kernel, w)
    full = hessian(target.kernel, w).reshape(5, 4, 5, 4)
    for k in range(4):
        np.testing.assert_allclose(np.linalg.inv(metric.inverse[k]), full[:, k, :, k], atol=1e-6)
        np.testing.assert_allclose(metric.root[k].T @ metric.root[k], metric.inverse[k], atol=1e-12)
        np.testing.assert_allclose(1 / metric.inverse_rest[:, k], np.diag(full[:, k, :, k]), atol=1e-6)


def test_beyond_the_frequent_features_the_metric_is_diagonal(monkeypatch):
    monkeypatch.setattr("ffbm.theta.mode._LEAST_DENSE", 1)
    monkeypatch.setattr("ffbm.theta.mode._MOST_DENSE", 2)
    target = weight_target(*case())
    w = np.zeros((5, 4))
    metric = curvature_metric(target.kernel, w)
    assert metric.inverse.shape == (4, 2, 2)
    root = velocity_root(metric)
    cov = (root @ root.T).reshape(5, 4, 5, 4)
    assert np.abs(cov[2, :, 3, :]).max() == 0
    assert np.abs(cov[0, :, 1, :]).max() > 0.001


@pytest.mark.parametrize("scale", [0.0, 1.0, 5.0])
def test_the_hessian_is_at_most_twice_the_metric(scale):
    target = weight_target(*case())
    w = scale * np.random.default_rng(2).normal(size=(5, 4))
    metric = curvature_metric(target.kernel, w)
    mass = np.zeros((5, 4, 5, 4))
    for k in range(4):
        mass[:, k, :, k] = np.linalg.inv(metric.inverse[k])
    gap = 2 * mass.reshape(20, 20) - hessian(target.kernel, w)
    assert np.linalg.eigvalsh((gap + gap.T) / 2).min() > -1e-5


@pytest.mark.parametrize("seed", range(4))
def test_lanczos_finds_the_slowest_direction_of_the_contrasts(seed):
    target = weight_target(*case(seed=seed))
    mode = find_mode(target.kernel)
    metric = curvature_metric(target.kernel, mode)
    root = velocity_root(metric)
    values = np.sort(np.linalg.eigvals(root @ root.T @ hessian(target.kernel, mode)).real)
    expected = values[mode.shape[0]]  # the first D belong to the mean over blocks and are 0
    found = slowest_frequency(target.kernel, metric, mode, np.random.default_rng(seed))
    assert found == pytest.approx(expected, rel=1e-3)


def test_a_round_target_takes_a_quarter_turn_or_a_little_more():
    least, most = integration_times(1.0)
    assert least == pytest.approx(np.pi / 2)
    c = np.cos(np.linspace(0.5, 3, 100_001))
    errors = (1 + c) / (1 - c) + (1 + c**2) / (2 * (1 - c**2))
    assert most == pytest.approx(np.linspace(0.5, 3, 100_001)[errors.argmin()], abs=1e-4)
    assert integration_times(1 / 16) == pytest.approx((np.pi, np.pi))
    assert np.isfinite(integration_times(-1.0)).all()
