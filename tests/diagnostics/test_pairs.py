"""The standard error of how often two vertices share a block covers the truth, of pairs hardly ever seen too."""

import itertools

import numpy as np
import pytest

from ffbm.diagnostics.pairs import measure_pairs, standard_errors

C, T, N = 4, 600, 24
PAIRS = np.array(list(itertools.combinations(range(N), 2)))
AWAY = np.geomspace(3e-4, 0.3, N)  # how often each vertex is not in its own block


def visitors(length, rng):
    """Return labels (C, T, N) of independent vertices that leave for visits of this mean length, in draws."""
    leave, come_back = AWAY / (1 - AWAY) / length, 1 / length
    away = rng.random((C, N)) < AWAY
    labels = np.empty((C, T, N), dtype=np.int64)
    for t in range(T):
        chance = rng.random((C, N))
        away = np.where(away, chance >= come_back, chance < leave)
        labels[:, t] = away ^ (np.arange(N) % 2 == 1)
    return labels


def truth():
    """Return how often each pair shares a block."""
    i, j = PAIRS.T
    same = (1 - AWAY[i]) * (1 - AWAY[j]) + AWAY[i] * AWAY[j]
    return np.where((i - j) % 2 == 0, same, 1 - same)


def plain_error(p, ess):
    return np.sqrt(p * (1 - p) / ess)


def half_a_visit(p, ess):
    n = np.fmin(ess, C * T)
    q = (p * n + 0.5) / (n + 1)
    return np.sqrt(q * (1 - q) / n)


def own_visits_only(p, ess):
    """Return the standard errors where no pair may borrow: each is handed over by itself."""
    return np.concatenate([standard_errors(*one, C * T) for one in zip(p[:, None], ess[:, None], strict=True)])


def covered(length, errors, rare=0.01):
    """Return the share of all pairs, and of rare ones, whose frequency lies within 3 standard errors of the truth."""
    rng, p, inside = np.random.default_rng(3), truth(), []
    for _ in range(30):
        found = measure_pairs(visitors(length, rng), PAIRS)
        error = found.error if errors is None else errors(found.frequency, found.ess)
        inside.append(np.abs(found.frequency - p) <= 3 * error)
    is_rare = np.minimum(p, 1 - p) < rare
    assert is_rare.sum() > 30
    return np.mean(inside), np.mean(inside, axis=0)[is_rare].mean()


@pytest.mark.parametrize("length", [1, 3, 10])
def test_three_standard_errors_cover_the_truth(length):
    whole, rare = covered(length, None)
    assert whole > 0.99
    assert rare > 0.99


def test_without_what_pairs_borrow_and_with_less_than_nine_they_do_not():
    """Frequencies of 0 have no error by the plain formula; half a visit is too little; an ESS sees visits only."""
    assert covered(10, plain_error)[1] < 0.6
    assert covered(10, half_a_visit)[1] < 0.65
    assert covered(10, own_visits_only)[1] < 0.85
    assert covered(1, plain_error)[1] < 0.98


def test_pairs_seen_often_keep_their_own_error():
    frequency, ess = np.array([0.5, 0.3, 0.9]), np.array([2000.0, 900.0, 1500.0])
    errors = standard_errors(frequency, ess, 2400)
    np.testing.assert_allclose(errors, plain_error(frequency, ess), rtol=0.05)
    assert (errors >= plain_error(frequency, ess)).all()


def test_a_rare_pair_borrows_and_a_frozen_network_has_nothing_to_lend():
    lone = standard_errors(np.array([0.0]), np.array([2000.0]), 2000)
    assert lone[0] == pytest.approx(np.sqrt(4.5 * 2004.5) / 2009 / np.sqrt(2000))
    beside = standard_errors(np.array([0.0, 0.5]), np.array([2000.0, 200.0]), 2000)
    assert beside[0] == pytest.approx(np.sqrt(4.5 * 204.5) / 209 / np.sqrt(200))
    assert standard_errors(np.array([0.0, 0.5]), np.array([100.0, 200.0]), 2000)[0] > beside[0]  # it never gains


def test_pairs_that_may_stay_open_do_not_keep_others_open():
    """1 % of all pairs may be slow without a word: the 475 that never met borrow from the sixth slowest of 25."""
    frequency, ess = np.zeros(500), np.full(500, 4000.0)
    frequency[:25], ess[:25] = 0.5, 2000.0
    for n_slow, n_open in ((5, 5), (6, 481)):
        ess[:n_slow] = 100.0
        assert (standard_errors(frequency, ess, 4000) > 0.0177).sum() == n_open


def test_an_ess_above_the_number_of_draws_is_not_believed():
    many, few = (standard_errors(np.array([0.5]), np.array([ess]), 1000)[0] for ess in (4000.0, 1000.0))
    assert many == few
