"""The kernels under R-hat and ESS, each against a line of numpy or scipy."""

import numpy as np
import pytest
from scipy import stats

from ffbm.diagnostics.convergence import _autocovariances, _normal_scores, _split_positions
from ffbm.kernels import convergence as kernel


def sorted_rows(seed, size):
    rng = np.random.default_rng(seed)
    return [
        np.sort(rng.normal(size=size)),
        np.sort(rng.integers(0, 5, size=size)).astype(float),
        np.sort(rng.standard_cauchy(size=size)),
        np.zeros(size),
        np.sort(rng.normal(size=size).round(1)),
    ]


@pytest.mark.parametrize("size", [4, 10, 200])
@pytest.mark.parametrize("kind", range(5))
def test_ranks_are_scipys_average_ranks(size, kind):
    value = sorted_rows(1, size)[kind]
    at = np.random.default_rng(2).permutation(size)
    out = np.empty(size)
    kernel._score_ranks(value, at, _normal_scores(size), out)
    expected = stats.norm.ppf((stats.rankdata(value) - 3 / 8) / (size + 1 / 4))
    np.testing.assert_allclose(out[at], expected, atol=1e-13)


@pytest.mark.parametrize("size", [4, 10, 200])
@pytest.mark.parametrize("kind", range(5))
def test_folding_sorts_the_distances_from_the_median_and_carries_the_places(size, kind):
    value = sorted_rows(3, size)[kind]
    distance = np.abs(value - np.median(value))
    folded, at = value.copy(), np.arange(size)
    kernel._fold(folded, at)
    np.testing.assert_array_equal(folded, np.sort(distance))
    np.testing.assert_array_equal(distance[at], folded)
    np.testing.assert_array_equal(np.sort(at), np.arange(size))


@pytest.mark.parametrize("size", [4, 5, 8, 20, 21, 41, 61, 81, 100, 101, 401, 4000, 4004])
def test_quantile_is_numpys_to_the_last_bit(size):
    row = np.random.default_rng(size).normal(size=size)
    for prob in (0.05, 0.95):
        assert kernel._quantile(row, np.argsort(row), prob) == np.quantile(row, prob)


def test_places_leave_out_the_middle_of_an_odd_chain():
    assert _split_positions(2, 5).reshape(5, 2).tolist() == [[0, 1], [4, 5], [-1, -1], [2, 3], [6, 7]]
    assert sorted(_split_positions(3, 8)) == list(range(24))


def test_potential_scale_of_constants_is_exact():
    tenths = np.full((9, 4), 0.1)
    assert np.isnan(kernel._potential_scale(tenths.ravel(), 9, 4))
    tenths[:, 2] = 0.3
    assert kernel._potential_scale(tenths.ravel(), 9, 4) == np.inf


def walks(n, n_split, count):
    steps = np.random.default_rng(n).normal(size=(count, n, n_split))
    keep = np.linspace(0, 1, count)[:, None]
    for t in range(1, n):
        steps[:, t] += keep * steps[:, t - 1]
    return steps


@pytest.mark.parametrize("n", [2, 3, 5, 17, 300])
@pytest.mark.parametrize("max_lag", [1, 8, 64])
def test_sums_lag_by_lag_and_one_transform_give_the_same_size(n, max_lag):
    series = walks(n, 4, count=12)
    ess, between, done = np.empty(12), np.empty(12), np.empty(12, dtype=bool)
    kernel.effective_size(series, max_lag, ess, between, done)
    found = np.empty(12)
    kernel.effective_size_from(_autocovariances(series), between, 4, found)
    np.testing.assert_allclose(ess[done], found[done], rtol=1e-10)
    if n == 300:
        assert not done.all()
        assert done[0]


def test_autocovariances_are_their_definition():
    x = walks(30, 2, count=3)
    x -= x.mean(axis=1, keepdims=True)
    slow = [
        [np.mean([(x[k, : 30 - lag, s] * x[k, lag:, s]).sum() / 30 for s in (0, 1)]) for lag in range(30)]
        for k in range(3)
    ]
    np.testing.assert_allclose(_autocovariances(x), slow, atol=1e-12)
