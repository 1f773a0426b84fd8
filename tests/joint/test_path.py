"""The path from no features to all: what is looked at along it, and exchanges between its chains."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_t

from ffbm import states
from ffbm.blocks.target import BlockTarget
from ffbm.joint import path
from ffbm.joint.branch import exchange_with
from ffbm.joint.exchange import exchange
from ffbm.joint.path import PathState, advance, make_path, measure, start
from ffbm.joint.quadrature import (
    barriers,
    coarse_weights,
    first_points,
    rule_weights,
    spread,
    stepping_stones,
    values_needed,
)
from ffbm.joint.tails import degrees_at
from ffbm.kernels.workspace import ENTROPY
from ffbm.theta.columns import group_columns
from ffbm.theta.design import make_design
from ffbm.theta.target import energy
from ffbm.types import Graph

X = np.array([[1, 0.5], [1, -1], [0, 2], [0, 0], [1, 1.5]])
GRAPH = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 2, 4, 0], 5)
T = np.array([0.2, 0.7, 1.0])


@pytest.fixture
def ladder():
    """Three blocks, a flag, a number that is held still, and an intercept."""
    moving = np.array([True, False, False])
    setup = make_path(BlockTarget(GRAPH), make_design(X, True), 3, np.array([1.5, 0.5, 1.28]), moving, None, T, burn=4)
    rng = np.random.default_rng(3)
    return setup, start(setup, rng.integers(0, 3, (3, 5)), rng)


@pytest.fixture
def branched(request):
    """Two hot chains at the second t, under the prior of the request."""
    moving, design = np.array([True, False, False]), make_design(X, True)
    groups = group_columns(design) if request.param == "learned" else None
    scale, hot = np.array([1.5, 0.5, 1.28]), np.array([0.8, 0.5])
    setup = make_path(BlockTarget(GRAPH), design, 3, scale, moving, groups, T, hot, (1,), burn=4)
    rng = np.random.default_rng(3)
    return setup, start(setup, rng.integers(0, 3, (5, 5)), rng)


@pytest.fixture
def learned():
    """The same under the learned prior, both columns inside, away from where they start."""
    moving, design = np.array([True, False, False]), make_design(X, True)
    scale = np.array([1.0, 1.0, 1.28])
    setup = make_path(BlockTarget(GRAPH), design, 3, scale, moving, group_columns(design), T, burn=4)
    rng = np.random.default_rng(3)
    return setup, start(setup, rng.integers(0, 3, (3, 5)), rng)


def log_likelihood(setup, chain, t, sign=1.0):
    """ln L as it is written, from the readable energy without its prior."""
    active = setup.chains[0].model.training.rows.active
    w = np.zeros((3, 3))
    w[:, active] = (chain.columns.weights if hasattr(chain, "columns") else chain.weights).T
    w[:, 0] *= sign * t
    x = np.column_stack((X, np.ones(5)))
    return -energy(w, x, np.eye(3)[chain.ledger.b], sigma=np.inf)


def test_what_is_looked_at_is_the_likelihood_and_its_derivative(ladder):
    setup, state = ladder
    tiny = 1e-5
    for k, chain in enumerate(state.chains):
        slope, down, up = measure(setup, k, chain)
        here, turned = (log_likelihood(setup, chain, T[k], sign) for sign in (1, -1))
        before, after = (T[k - 1] if k else 0.0), T[min(k + 1, 2)]
        assert down == pytest.approx(log_likelihood(setup, chain, before) - here)
        assert up == pytest.approx(log_likelihood(setup, chain, after) - here)
        slopes = [
            (log_likelihood(setup, chain, T[k] + tiny, s) - log_likelihood(setup, chain, T[k] - tiny, s)) / (2 * tiny)
            for s in (1, -1)
        ]
        share = np.exp(here) / (np.exp(here) + np.exp(turned))
        assert slope == pytest.approx(share * slopes[0] + (1 - share) * slopes[1], abs=1e-6)


def log_prior(setup, chain, t):
    """The log density of the moving column's contrasts, if it is inside: a Student t on the plane of sum 0."""
    if not chain.columns.inside[0]:
        return 0.0
    active = setup.chains[0].model.training.rows.active
    v = chain.columns.weights[active == 0][0]
    plane = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    return multivariate_t(shape=np.eye(2), df=degrees_at(t)).logpdf(plane @ v)


def test_under_the_learned_prior_its_tails_are_looked_at_too(learned):
    setup, state = learned
    assert [chain.columns.inside[0] for chain in state.chains].count(True) in (1, 2)
    tiny = 1e-5
    for k, chain in enumerate(state.chains):
        slope, down, up = measure(setup, k, chain)

        def log_p(t, sign=1.0, chain=chain):
            return log_likelihood(setup, chain, t, sign) + log_prior(setup, chain, t)

        before, after = (T[k - 1] if k else 0.0), T[min(k + 1, 2)]
        assert down == pytest.approx(log_p(before) - log_p(T[k]))
        assert up == pytest.approx(log_p(after) - log_p(T[k]))
        slopes = [(log_p(T[k] + tiny, s) - log_p(T[k] - tiny, s)) / (2 * tiny) for s in (1, -1)]
        share = 1 / (1 + np.exp(log_p(T[k], -1) - log_p(T[k])))
        assert slope == pytest.approx(share * slopes[0] + (1 - share) * slopes[1], abs=1e-5)


def test_degrees_of_freedom_fall_to_those_of_the_prior_where_columns_move(learned):
    setup, _ = learned
    degrees = np.array([chain.columns.columns.degrees for chain in setup.chains])
    np.testing.assert_allclose(degrees[:, 0], [degrees_at(t) for t in T])
    np.testing.assert_array_equal(degrees[:, 1], 3.0)
    np.testing.assert_array_equal([chain.columns.target.slab.degrees for chain in setup.chains], degrees)


def test_columns_go_along_in_an_exchange(learned):
    _, state = learned
    before = [(chain.columns.weights.copy(), chain.columns.inside.copy()) for chain in state.chains]
    adapt = [chain.columns.adapt for chain in state.chains]
    exchange(state, 0, np.array([0.0, 50.0, 0.0]), np.zeros(3))
    for now, then in ((0, 1), (1, 0), (2, 2)):
        np.testing.assert_array_equal(state.chains[now].columns.weights, before[then][0])
        np.testing.assert_array_equal(state.chains[now].columns.inside, before[then][1])
        assert state.chains[now].columns.adapt is adapt[now]


def test_a_large_table_of_features_is_sparse(ladder, monkeypatch):
    setup, state = ladder
    monkeypatch.setattr(path, "_DENSE", -1)
    moving = np.array([True, False, False])
    other = make_path(BlockTarget(GRAPH), make_design(X, True), 3, np.array([1.5, 0.5, 1.28]), moving, None, T)
    assert sp.issparse(other.moving)
    for k, chain in enumerate(state.chains):
        assert measure(other, k, chain) == pytest.approx(measure(setup, k, chain))


def test_only_moving_features_are_multiplied_by_t(ladder):
    setup, _ = ladder
    for t, chain in zip(T, setup.chains, strict=True):
        training = chain.model.training
        x = training.expanded.toarray()[:, np.argsort(training.rows.active)]
        np.testing.assert_allclose(x, np.column_stack((t * X[:, 0], X[:, 1], np.ones(5))))


@pytest.mark.parametrize("prior", ["ladder", "learned"])
def test_advancing_in_parts_is_advancing_at_once(prior, request):
    setup, state = request.getfixturevalue(prior)
    copy = states.from_bytes(PathState, states.to_bytes(state))
    once, draws = advance(setup, state, 9)
    copy, first = advance(setup, copy, 3)
    copy, second = advance(setup, copy, 6)
    assert states.to_bytes(once) == states.to_bytes(copy)
    for whole, one, other in zip(draws, first, second, strict=True):
        np.testing.assert_array_equal(whole, np.concatenate((one, other)))
        assert whole.shape == (5, 3)


@pytest.mark.parametrize("branched", ["fixed", "learned"], indirect=True)
def test_a_path_with_hot_chains_advances_in_parts_too(branched):
    setup, state = branched
    copy = states.from_bytes(PathState, states.to_bytes(state))
    once, draws = advance(setup, state, 9)
    copy, _ = advance(setup, copy, 3)
    copy, _ = advance(setup, copy, 6)
    assert states.to_bytes(once) == states.to_bytes(copy)
    assert draws.slope.shape == (5, 3)  # of hot chains none
    assert state.branches[0].exchange.swaps[:, 0].sum() == 5  # one pair at a time, since the burn-in


@pytest.mark.parametrize("branched", ["fixed"], indirect=True)
def test_hot_chains_have_the_target_of_their_t_but_for_the_temperature(branched):
    setup, _ = branched
    assert [target.settings.beta for target in setup.targets] == [1.0, 1.0, 1.0, 0.8, 0.5]
    assert all(hot.model is setup.chains[1].model for hot in setup.branches[0].chains)
    np.testing.assert_array_equal(setup.branches[0].betas, [1.0, 0.8, 0.5])


@pytest.mark.parametrize("branched", ["fixed"], indirect=True)
def test_exchanges_with_hot_chains_go_by_s(branched):
    """A hot chain of much lower S comes to the path, one of much higher S does not; features do not count."""
    setup, state = branched
    hot, chain = state.branches[0], state.chains[1]
    labels, other = chain.ledger.b.copy(), hot.chains[0].ledger.b.copy()
    chain.totals[ENTROPY], hot.chains[0].totals[ENTROPY] = 0.0, 1e6
    chain = exchange_with(setup.branches[0], hot, chain, 0, state.rng)
    np.testing.assert_array_equal(chain.ledger.b, labels)
    chain.totals[ENTROPY] = 2e6
    chain = exchange_with(setup.branches[0], hot, chain, 0, state.rng)
    np.testing.assert_array_equal(chain.ledger.b, other)
    np.testing.assert_array_equal(hot.chains[0].ledger.b, labels)
    assert hot.exchange.swaps.tolist() == [[2, 1], [0, 0]]


def test_an_exchange_moves_labels_and_weights_and_nothing_else(ladder):
    _, state = ladder
    before = [(chain.ledger.b.copy(), chain.weights.copy(), chain.metric, chain.adapt) for chain in state.chains]
    exchange(state, 0, np.array([0.0, 50.0, 0.0]), np.zeros(3))
    for now, then in ((0, 1), (1, 0), (2, 2)):
        np.testing.assert_array_equal(state.chains[now].ledger.b, before[then][0])
        np.testing.assert_array_equal(state.chains[now].weights, before[then][1])
        assert state.chains[now].metric is before[now][2]
        assert state.chains[now].adapt is before[now][3]
    assert state.exchange.replica.tolist() == [1, 0, 2]
    assert state.exchange.swaps.tolist() == [[1, 1], [0, 0]]
    exchange(state, 1, np.array([0.0, 0.0, -1e9]), np.zeros(3))
    assert state.exchange.replica.tolist() == [1, 0, 2]
    assert state.exchange.swaps.tolist() == [[1, 1], [1, 0]]


def test_round_trips_are_counted(ladder):
    _, state = ladder
    sure = np.full(3, 1e9)
    for first in (0, 1, 0, 1, 0, 1, 0):
        exchange(state, first, sure, sure)
    assert state.exchange.trips.sum() == 1


@pytest.mark.parametrize("n", [8, 16, 32])
@pytest.mark.parametrize("power", [1, 2])
def test_rules_integrate_smooth_functions(n, power):
    t, tolerance = (np.arange(1, n + 1) / n) ** power, {8: 1e-2, 16: 2e-3, 32: 2e-4}[n]
    for f, integral in (
        (lambda x: x / (0.1 + x), lambda x: x - 0.1 * np.log1p(x / 0.1)),
        (np.sin, lambda x: 1 - np.cos(x)),
    ):
        np.testing.assert_allclose(rule_weights(t) @ f(t), integral(t), atol=tolerance)
    np.testing.assert_allclose(coarse_weights(t)[1::2], rule_weights(t[1::2])[-1])
    assert not coarse_weights(t)[::2].any()


def test_values_of_t_have_equal_barriers_between_them():
    """ln L(t) = s(t) y with y ~ N(0, 1) has the barrier |s(t) - s(t')| / sqrt(pi): here s is steep where t is small."""
    rng, t = np.random.default_rng(1), first_points(8)
    s = 20 * np.sqrt(np.append(0.0, t))
    y = rng.standard_normal((20_000, len(t)))
    down, up = (s[:-1] - s[1:]) * y, np.append(np.diff(s)[1:], 0.0) * y
    barrier = barriers(down, up)
    np.testing.assert_allclose(barrier, np.diff(s) / np.sqrt(np.pi), rtol=0.03)
    n = values_needed(barrier)
    assert 0.4 < barrier.sum() / n <= 0.45
    points = spread(t, barrier, n)
    assert (len(points), points[-1]) == (n, 1.0)
    there = np.interp(points, np.append(0.0, t), np.append(0.0, np.cumsum(barrier)))
    np.testing.assert_allclose(np.diff(there), barrier.sum() / n, rtol=1e-6)


def test_stepping_stones_find_ratios_of_normals():
    """L(t) = exp(t y) under y ~ N(0, 1) has p(t) = exp(t^2 / 2), and y ~ N(t, 1) at t."""
    t, rng = np.array([0.3, 0.8, 1.5]), np.random.default_rng(1)
    y = t + rng.standard_normal((20_000, 3))
    down, up = (np.array([0.0, 0.3, 0.8]) - t) * y, (np.array([0.8, 1.5, 1.5]) - t) * y
    np.testing.assert_allclose(stepping_stones(down, up), t**2 / 2, atol=0.03)
