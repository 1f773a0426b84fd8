"""R-hat and ESS are arviz-stats' numbers, and what is not a number is said."""

import warnings

import numpy as np
import pytest
from arviz_stats.base import array_stats

from ffbm.diagnostics import convergence, ess_bulk, ess_mean, ess_tail, rhat, summarise
from ffbm.errors import DataError


def reference(draws):
    """R-hat, bulk, tail and mean ESS by arviz-stats."""
    y = np.moveaxis(np.asarray(draws, dtype=float), (0, 1), (-2, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            array_stats.rhat(y, method="rank"),
            array_stats.ess(y, method="bulk"),
            array_stats.ess(y, method="tail", prob=(0.05, 0.95)),
            array_stats.ess(y, method="mean"),
        )


def autoregression(rng, shape, keep):
    z = rng.normal(size=shape)
    for t in range(1, shape[1]):
        z[:, t] += keep * z[:, t - 1]
    return z


KINDS = {
    "independent": lambda rng, shape: rng.normal(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_cauchy(size=shape),
    "slow": lambda rng, shape: autoregression(rng, shape, 0.95),
    "walk": lambda rng, shape: autoregression(rng, shape, 1.0),
    "antithetic": lambda rng, shape: autoregression(rng, shape, -0.8),
    "discrete": lambda rng, shape: rng.integers(0, 4, size=shape),
    "rare": lambda rng, shape: rng.random(shape) < 0.1,
    "rounded": lambda rng, shape: rng.normal(size=shape).round(1),
    "apart": lambda rng, shape: rng.normal(size=shape) + np.arange(shape[0])[:, None, None],
    "unequal spread": lambda rng, shape: rng.normal(size=shape) * (1 + np.arange(shape[0]))[:, None, None],
    "sticky": lambda rng, shape: np.repeat(rng.normal(size=shape), 3, axis=1)[:, : shape[1]],
    "large offset": lambda rng, shape: 1e6 + rng.normal(size=shape),
}


@pytest.mark.parametrize("n_draws", [4, 5, 6, 7, 9, 10, 21, 50, 101, 400, 1001])
@pytest.mark.parametrize("n_chains", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_arviz_stats(kind, n_chains, n_draws):
    draws = KINDS[kind](np.random.default_rng([n_chains, n_draws]), (n_chains, n_draws, 6))
    found = summarise(draws)
    expected = [np.where(part > 1e6, np.inf, part) for part in reference(draws)]  # infinite but for rounding
    for name, part in zip(("rhat", "ess_bulk", "ess_tail", "ess_mean"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), part, rtol=1e-8, atol=1e-8, err_msg=name)


def test_each_name_returns_its_own_part_in_the_shape_of_the_quantities():
    draws = autoregression(np.random.default_rng(5), (3, 60, 2, 5), 0.7)
    for function, expected in zip((rhat, ess_bulk, ess_tail, ess_mean), reference(draws), strict=True):
        assert function(draws).shape == (2, 5)
        np.testing.assert_allclose(function(draws), expected, rtol=1e-8)
    assert rhat(draws[:, :, 0, 0]).shape == ()


def test_the_size_of_the_chunks_does_not_matter(monkeypatch):
    draws = autoregression(np.random.default_rng(6), (2, 300, 40), 0.98)
    whole = summarise(draws)
    monkeypatch.setattr(convergence, "_CHUNK", 1300)
    monkeypatch.setattr(convergence, "_BATCH", 1)
    monkeypatch.setattr(convergence, "_MAX_LAG", 9)
    pieces = summarise(draws)
    for name in ("rhat", "ess_bulk", "ess_tail", "ess_mean"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-10)


def test_draws_are_left_as_they_are():
    draws = np.random.default_rng(7).normal(size=(2, 30, 3))
    before = draws.copy()
    summarise(draws)
    np.testing.assert_array_equal(draws, before)


def test_a_constant_has_no_rhat_and_is_worth_all_its_draws():
    draws = np.full((4, 101, 2), 0.1)
    draws[2:, :, 1] = 0.3
    found = summarise(draws)
    assert np.isnan(found.rhat[0])
    assert found.ess_bulk[0] == found.ess_tail[0] == found.ess_mean[0] == 400
    assert found.constant.tolist() == [True, False]
    assert found.rhat[1] == np.inf  # each chain constant, and they differ
    assert found.ess_bulk[1] < 8
    assert reference(draws)[0][1] > 1e6


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_draw_that_is_not_finite_spoils_its_own_quantity_alone(bad):
    draws = np.random.default_rng(8).normal(size=(2, 40, 3))
    draws[1, 17, 1] = bad
    found = summarise(draws)
    assert found.finite.tolist() == [True, False, True]
    alone = summarise(draws[:, :, [0, 2]])
    for name in ("rhat", "ess_bulk", "ess_tail", "ess_mean"):
        assert np.isnan(getattr(found, name)[1])
        np.testing.assert_array_equal(getattr(found, name)[[0, 2]], getattr(alone, name))


def test_one_chain_has_sizes_and_no_rhat():
    found = summarise(np.random.default_rng(9).normal(size=(1, 50)))
    assert np.isnan(found.rhat)
    assert found.ess_bulk > 10


@pytest.mark.parametrize("n_draws", [0, 1, 3])
def test_too_few_draws_say_nothing(n_draws):
    found = summarise(np.zeros((2, n_draws, 3)))
    for part in (found.rhat, found.ess_bulk, found.ess_tail, found.ess_mean):
        assert part.shape == (3,)
        assert np.isnan(part).all()


@pytest.mark.parametrize("shape", [(2, 10, 0), (2, 10, 3, 0), (0, 10, 2), (2, 0, 0)])
def test_nothing_in_nothing_out(shape):
    assert summarise(np.zeros(shape)).rhat.shape == shape[2:]


@pytest.mark.parametrize("draws", [np.zeros(5), np.zeros(()), np.zeros((2, 5), dtype=complex), [["a", "b"]]])
def test_what_is_not_chains_of_numbers_is_refused(draws):
    with pytest.raises(DataError, match=r"draws must be numbers of shape \(chains, draws, \.\.\.\); got"):
        summarise(draws)
