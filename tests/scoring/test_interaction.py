"""Pairs of columns: p is uniform where columns add up, what acts together is found, each part of the test is needed."""

import numpy as np
import pytest
from scipy.stats import chisquare

from ffbm.scoring import interaction
from ffbm.scoring.interaction import evidence_of, fit_additive, score_cells

VALUES = (3, 3, 2)


def table(rng, n, strength, together=0.0, n_blocks=2):
    """Three columns, related to each other, make blocks; the first two may act together."""
    common = rng.integers(3, size=n)
    values = [np.where(rng.random(n) < 0.5, common % k, rng.integers(k, size=n)) for k in VALUES]
    logits = sum(strength * rng.normal(size=(k, n_blocks))[v] for v, k in zip(values, VALUES, strict=True))
    if together:  # whether both are odd or even says the first block
        is_even = (values[0] + values[1]) % 2 == 0
        logits = logits + together * np.outer(np.where(is_even, 1, -1), np.eye(n_blocks)[0])
    b = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    x = np.column_stack([np.ones(n), *(np.eye(k)[v] for v, k in zip(values, VALUES, strict=True))])
    return x, np.eye(9)[values[0] * 3 + values[1]], b


def p_known(rng, n, strength, together=0.0, n_blocks=2, n_draws=39):
    x, cells, b = table(rng, n, strength, together, n_blocks)
    y = np.eye(n_blocks)[b]
    y = y[:, y.any(axis=0)]
    return score_cells(x, [cells], evidence_of(y, y.mean(axis=0)), n_draws, rng)[0].p if y.shape[1] > 1 else np.nan


def blurred(rng, b, n_blocks, noise):
    """Return memberships as inferred from something that tells blocks with noise."""
    seen = np.eye(n_blocks)[b] + noise * rng.normal(size=(len(b), n_blocks))
    y = np.exp((seen - seen.max(axis=1, keepdims=True)) / noise**2) * np.bincount(b, minlength=n_blocks)
    return y / y.sum(axis=1, keepdims=True)


def uniform(p, bins=5):
    p = np.array([one for one in p if np.isfinite(one)])
    return chisquare(np.bincount(np.minimum((p * bins - 1e-9).astype(int), bins - 1), minlength=bins)).pvalue


def test_p_is_uniform_where_columns_add_up_and_exclusive_or_is_found():
    rng = np.random.default_rng(1)
    p = [p_known(rng, 60, 1.0, n_draws=19) for _ in range(20)]
    assert uniform(p, 4) > 0.003
    together = [p_known(rng, 60, 0.5, 2.0) for _ in range(5)]
    assert np.median(together) <= 0.05


def test_with_many_draws_the_score_is_that_of_rao():
    """Two flags and known blocks: the cells have one direction, and the score is a chi-square with one degree."""
    rng = np.random.default_rng(2)
    one, other = rng.integers(2, size=(2, 400))
    b = (rng.random(400) < 1 / (1 + np.exp(-(one + 0.7 * other - 0.8)))).astype(int)
    x = np.column_stack((np.ones(400), one, other))
    y = np.eye(2)[b]
    found = score_cells(x, [np.eye(4)[2 * one + other]], evidence_of(y, y.mean(axis=0)), 19, rng)[0]
    p = fit_additive(x, evidence_of(y, y.mean(axis=0)))[:, 1]
    z = one * other
    v = p * (1 - p)
    slope = np.linalg.solve((x.T * v) @ x, (x.T * v) @ z)  # of z on the additive features
    clean = z - x @ slope
    rao = (clean @ (b - p)) ** 2 / (clean**2 @ v)
    assert found.statistic == pytest.approx(rao, rel=0.05)
    assert 0.5 < found.freedom <= 1.0


def test_residuals_are_observed_less_expected():
    rng = np.random.default_rng(3)
    x, cells, b = table(rng, 80, 1.0)
    y = np.eye(2)[b]
    found = score_cells(x, [cells, cells[:, :3]], evidence_of(y, y.mean(axis=0)), 9, rng)
    assert np.allclose(found[0].expected + found[0].residuals, cells.T @ y)
    assert np.allclose(found[1].residuals, found[0].residuals[:3])
    assert (found[0].errors >= 0).all()


def test_edges_speak_for_blocks_by_the_ratio_to_what_was_known():
    y = np.array([[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])
    assert np.allclose(evidence_of(y, np.array([0.5, 0.5])).sum(axis=0), 3)
    prior = np.array([[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])
    assert np.allclose(evidence_of(y, prior), 1.0)  # memberships that only repeat the features say nothing


@pytest.mark.slow
@pytest.mark.parametrize(("n", "strength", "n_blocks"), [(60, 1.0, 3), (120, 2.5, 3), (300, 2.5, 5)])
def test_p_is_uniform_with_blocks_known(n, strength, n_blocks):
    rng = np.random.default_rng(4)
    p = [p_known(rng, n, strength, n_blocks=n_blocks, n_draws=99) for _ in range(200)]
    assert uniform(p, 10) > 0.001
    assert np.mean(np.array(p) <= 0.05) < 0.11


@pytest.mark.slow
def test_p_is_uniform_with_blocks_blurred_and_likeliest_blocks_are_not():
    rng = np.random.default_rng(5)
    p, naive = [], []
    for _ in range(200):
        x, cells, b = table(rng, 400, 2.5, n_blocks=3)
        y = blurred(rng, b, 3, 0.7)
        y = y[:, y.sum(axis=0) > 1]
        for found, members in ((p, y / y.sum(axis=1, keepdims=True)), (naive, np.eye(y.shape[1])[y.argmax(axis=1)])):
            found.append(score_cells(x, [cells], evidence_of(members, members.mean(axis=0)), 99, rng)[0].p)
    assert uniform(p, 10) > 0.001
    assert np.mean(np.array(p) <= 0.05) < 0.11
    assert np.mean(np.array(naive) <= 0.05) > 0.18


@pytest.mark.slow
def test_without_the_projection_p_is_not_uniform(monkeypatch):
    """The additive weights were fitted to the same blocks: without projection residuals of cells are too small."""
    monkeypatch.setattr(interaction, "cho_solve", lambda factor, right: np.zeros_like(right))
    rng = np.random.default_rng(6)
    assert uniform([p_known(rng, 120, 1.0, n_draws=99) for _ in range(200)], 10) < 1e-6


@pytest.mark.slow
def test_power():
    rng = np.random.default_rng(7)
    found = np.array([p_known(rng, 120, 1.0, 1.5, n_draws=99) for _ in range(60)])
    assert np.mean(found <= 0.05) > 0.8
