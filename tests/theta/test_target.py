"""The readable target against differences, and the kernel against the readable target."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from ffbm.kernels.softmax import TILE, energy_and_gradient, softmax_rows
from ffbm.theta.prepare import weight_target
from ffbm.theta.target import energy, gradient


def case(kind, n=90, n_features=6, n_blocks=4, seed=3):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.4).astype(float)
    if kind == "numbers":
        x = x * rng.normal(size=x.shape)
    y = rng.dirichlet(np.ones(n_blocks), n)
    return x, y, rng.normal(size=(n_blocks, n_features))


def from_kernel(target, w):
    """U and gradient of the weights w (B, D) by the kernel, in the layout of the readable one."""
    at = np.ascontiguousarray(w.T[target.kernel.rows.active])
    g, n_blocks = np.empty_like(at), w.shape[0]
    u = energy_and_gradient(target.kernel, at, g, np.empty((TILE, n_blocks)))
    full = w / target.scale**2
    full[:, target.kernel.rows.active] = g.T
    rest = w[:, target.kernel.rows.idle] / target.scale[target.kernel.rows.idle]
    return u + 0.5 * np.sum(rest**2), full


@pytest.mark.parametrize("kind", ["flags", "numbers"])
def test_the_gradient_is_that_of_the_energy(kind):
    x, y, w = case(kind)
    g, tiny = gradient(w, x, y, 0.7), 1e-6
    for k, d in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[k, d] = tiny
        slope = (energy(w + step, x, y, 0.7) - energy(w - step, x, y, 0.7)) / (2 * tiny)
        assert g[k, d] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("kind", ["flags", "numbers"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("labels", ["soft", "hard"])
@pytest.mark.parametrize("rows", [None, np.arange(5, 60), []])
@pytest.mark.parametrize("n_blocks", [2, 3, 4, 7, 10])  # fewer than lanes, whole lanes, lanes and a rest
def test_the_kernel_equals_the_readable_target(kind, form, labels, rows, n_blocks):
    x, y, w = case(kind, n_blocks=n_blocks)
    members = y if labels == "soft" else y.argmax(axis=1)
    y = y if labels == "soft" else np.eye(n_blocks)[members]
    target = weight_target(form(x), members, rows, sigma=0.7)
    chosen = slice(None) if rows is None else np.asarray(rows, dtype=int)
    u, g = from_kernel(target, w)
    assert u == pytest.approx(energy(w, x[chosen], y[chosen], 0.7), rel=1e-12, abs=1e-10)
    np.testing.assert_allclose(g, gradient(w, x[chosen], y[chosen], 0.7), atol=1e-10)


def test_the_kernel_equals_the_readable_target_with_an_intercept():
    x, y, _ = case("flags")
    w = np.random.default_rng(0).normal(size=(4, 7))
    u, g = from_kernel(weight_target(x, y, intercept=True), w)
    with_one = np.column_stack((x, np.ones(len(x))))
    assert u == pytest.approx(energy(w, with_one, y), abs=1e-10)
    np.testing.assert_allclose(g, gradient(w, with_one, y), atol=1e-10)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 400.0, 1e4, 1e150])
@pytest.mark.parametrize("shift", [0.0, 600.0, -5000.0])
def test_stable_for_any_weights(scale, shift):
    x, y, w = case("flags", n_blocks=5)
    w = w + shift / scale
    u, g = from_kernel(weight_target(x, y), scale * w)
    assert u == pytest.approx(energy(scale * w, x, y), rel=1e-12)
    np.testing.assert_allclose(g, gradient(scale * w, x, y), rtol=1e-12, atol=1e-10 * max(scale, 1))


def test_softmax_is_right_to_the_last_digits():
    z = np.concatenate((np.linspace(-700, 0, 4001), [0.0, -1e-300, -800, -1e300]))
    pairs = np.column_stack((np.zeros_like(z), z))
    out = pairs.copy()
    softmax_rows(np.ones(len(z)), out)
    np.testing.assert_allclose(out[:4001, 1] / out[:4001, 0], np.exp(z[:4001]), rtol=1e-15)
    assert out[-2:, 1].max() < 1e-300
    np.testing.assert_allclose(out.sum(axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize("z", np.linspace(-710, 710, 100))
def test_the_kernel_is_right_to_the_last_digits(z):
    x, y, w = np.array([[z]]), np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]])  # logits 0 and z
    u, g = from_kernel(weight_target(x, y), w)
    assert g[1, 0] - 1.0 == pytest.approx(z * expit(z), rel=4e-15, abs=1e-15)
    assert u - 0.5 == pytest.approx(np.logaddexp(0, z), rel=4e-15, abs=1e-15)


def test_the_gradient_of_the_likelihood_lies_in_the_contrasts():
    x, y, w = case("numbers")
    np.testing.assert_allclose((gradient(w, x, y) - w).sum(axis=0), 0, atol=1e-12)
