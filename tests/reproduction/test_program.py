"""The published program: the same draws as the authors' own, and its rule as it is written down."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from scipy.stats import multivariate_normal

import ffbm
from ffbm.reproduction.paper import PAPER
from ffbm.reproduction.program import FLOOR, lay_out, look, program_loss, published_step, run_program


@pytest.mark.parametrize("name", ["polbooks", "school"])
def test_it_is_the_same_program(name, shared, paper_data):
    kept = np.load(shared / "reference" / "published_program.npz")
    given = np.load(shared / "reference" / f"theta_{name}.npz")
    x = ffbm.load_dataset(name).features.values[given["train"]]
    y = given["memberships"][given["train"]]
    draws = run_program(x, y, PAPER[name].step_scale, np.random.RandomState(5), n_steps=600)
    np.testing.assert_allclose(draws.weights, kept[f"{name}_weights"], atol=1e-10, rtol=0)


def case(seed=3, n=30):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, 4)) < 0.4).astype(float)
    x[1] = x[0]  # vertices with equal features
    return rng, x, rng.dirichlet(np.full(3, 0.5), n)


def plain_energy(w, x, y):
    return 0.5 * np.sum(w**2) - np.sum(y * np.log(softmax(x @ w.T, axis=1) + FLOOR))


def plain_drift(w, x, y):
    return (softmax(x @ w.T, axis=1) - y).T @ x / len(x) + w


def plain_density(to, mean):
    return multivariate_normal(mean.ravel(), np.eye(mean.size)).logpdf(to.ravel())


def plain_proposal(w, x, y, h, xi):
    """The proposal and ln alpha, densities of variance 1 and all."""
    there = w - h * plain_drift(w, x, y) + np.sqrt(2 * h) * xi
    forth = plain_density(there, w - h * plain_drift(w, x, y))
    back = plain_density(w, there - h * plain_drift(there, x, y))
    return there, plain_energy(w, x, y) - plain_energy(there, x, y) + back - forth


def test_a_step_is_the_rule_as_it_is_written_down():
    rng, x, y = case()
    train = lay_out(x, y)
    w, h = rng.normal(size=(3, 4)), 0.05
    proposals = [(xi, *plain_proposal(w, x, y, h, xi)) for xi in rng.normal(size=(50, 3, 4))]
    uphill = next(proposal for proposal in proposals if proposal[2] > 0.1)
    xi, there, log_alpha = next(proposal for proposal in proposals if -2 < proposal[2] < -0.1)
    here = look(train, np.ascontiguousarray(w.T))
    accepted = published_step(train, here, h, np.ascontiguousarray(xi.T), np.exp(log_alpha - 1e-9))
    refused = published_step(train, here, h, np.ascontiguousarray(xi.T), np.exp(log_alpha + 1e-9))
    np.testing.assert_allclose(accepted.w.T, there, rtol=1e-12)
    assert refused is here
    assert published_step(train, here, h, np.ascontiguousarray(uphill[0].T), 1 - 1e-12) is not here


def test_energy_and_drift_are_those_of_the_paper_s_program():
    rng, x, y = case()
    w = 3 * rng.normal(size=(3, 4))
    found = look(lay_out(x, y), np.ascontiguousarray(w.T))
    assert len(lay_out(x, y).counts) < len(x)
    assert found.energy == pytest.approx(plain_energy(w, x, y), rel=1e-12)
    np.testing.assert_allclose(found.drift.T, plain_drift(w, x, y), atol=1e-13)


def test_steps_burn_in_and_thinning():
    _, x, y = case()
    every = run_program(x, y, 0.1, np.random.default_rng(1), n_steps=50, burn_in=0.0, thin=1)
    some = run_program(x, y, 0.1, np.random.default_rng(1), n_steps=50, burn_in=0.4, thin=10)
    np.testing.assert_array_equal(some.weights, every.weights[20::10])
    np.testing.assert_array_equal(some.energy, every.energy[20::10])
    h = 0.1 * 250 * (1000 + np.arange(50)) ** -0.8 / len(x)
    np.testing.assert_allclose(every.step_size, h, rtol=1e-14)
    moved = np.any(every.weights[1:] != every.weights[:-1], axis=(1, 2))
    np.testing.assert_array_equal(every.acceptance[1:], moved)


def test_wide_sparse_features_give_the_same_draws_as_dense_ones():
    rng, _, y = case(n=40)
    wide = sp.csr_array((rng.random((40, 300)) < 0.02).astype(float))
    assert sp.issparse(lay_out(wide, y).x)
    one = run_program(wide, y, 0.1, np.random.default_rng(2), n_steps=40)
    two = run_program(wide.toarray(), y, 0.1, np.random.default_rng(2), n_steps=40)
    np.testing.assert_allclose(one.weights, two.weights, atol=1e-12)


def test_its_loss_has_a_floor():
    w = np.array([[[100.0], [0.0]]])
    assert program_loss(w, np.ones((2, 1)), np.array([[0.0, 1.0]] * 2)) == pytest.approx(-np.log(FLOOR), rel=1e-6)
