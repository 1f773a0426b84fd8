"""The kernels against the readable moves, and the stepper's promises."""

import copy

import numpy as np
import pytest

from ffbm.kernels.hmc import OUTER, trajectory
from ffbm.kernels.mala import langevin_log_ratio
from ffbm.kernels.metric import apply_inverse, draw_velocity
from ffbm.kernels.softmax import TILE
from ffbm.kernels.weightchain import AVERAGE, learn
from ffbm.rng import stream
from ffbm.theta import adapt, hmc, mala
from ffbm.theta.chain import MALA_STEPS, advance, set_up, start
from ffbm.theta.mode import Energy
from ffbm.theta.prepare import weight_target
from ffbm.theta.target import energy


def target_of(seed=5, n=60, n_features=4, n_blocks=3):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.5).astype(float)
    x[:, 2] = 0  # a feature that nobody has
    return weight_target(x, rng.dirichlet(np.full(n_blocks, 0.4), n), sigma=[1.3, 0.6, 2.0, 1.7])


def begin(sampler, n_warmup=40, **options):
    setup = set_up(target_of(), sampler, n_warmup, stream(0, "mode"), **options)
    return setup, start(setup, stream(0, "weights", 0))


def same(a, b):
    return all(np.array_equal(p, q) for p, q in zip(a, b, strict=True))


def test_a_hamiltonian_draw_is_the_readable_one():
    setup, state = begin("hmc", n_warmup=0)
    rng = copy.deepcopy(state.rng)
    surface, w = Energy(setup.target.kernel), state.weights.copy()
    h = np.exp(state.adapt[AVERAGE])
    n_steps = int(np.ceil(setup.plan.least_time / h))
    h = min(h, setup.plan.most_time / n_steps)
    state, record = advance(setup, state, 6)
    for t in range(6):
        w, acceptance = hmc.hmc_step(rng, w, h, n_steps, lambda v: surface(v)[0], lambda v: surface(v)[1], setup.metric)
        assert record.acceptance[t] == pytest.approx(acceptance, rel=1e-7)
        contrast = record.weights[t].T[setup.target.kernel.rows.active]
        np.testing.assert_allclose(contrast - contrast.mean(axis=1, keepdims=True), w, atol=1e-9)
        rng.standard_normal(w.shape[0] + 3)  # the means and the weights of the feature nobody has


def test_a_langevin_draw_is_the_readable_one():
    setup, state = begin("mala", n_warmup=0)
    rng, h = copy.deepcopy(state.rng), float(np.exp(state.adapt[AVERAGE]))
    surface, w = Energy(setup.target.kernel), state.weights.copy()
    state, record = advance(setup, state, 6)
    for t in range(6):
        rates = []
        for _ in range(MALA_STEPS):
            w, rate = mala.mala_step(rng, w, h, lambda v: surface(v)[0], lambda v: surface(v)[1])
            rates.append(rate)
        assert record.acceptance[t] == pytest.approx(np.mean(rates), rel=1e-7)
        contrast = record.weights[t].T[setup.target.kernel.rows.active]
        np.testing.assert_allclose(contrast - contrast.mean(axis=1, keepdims=True), w, atol=1e-9)
        rng.standard_normal(w.shape[0] + 3)


def test_dual_averaging_is_the_readable_one():
    fast, slow = adapt.first_adaptation(0.3), adapt.first_adaptation(0.3)
    for acceptance in np.random.default_rng(0).random(50):
        learn(fast, acceptance, 0.8)
        slow = adapt.learn(slow, acceptance, 0.8)
    np.testing.assert_allclose(fast, slow, rtol=1e-10)


def run_trajectory(setup, w, v, h, n_steps):
    w, v = w.copy(), v.copy()
    n_blocks = w.shape[1]
    u0, g = Energy(setup.target.kernel)(w)
    q, line = np.empty_like(w), np.empty((2, setup.metric.root.shape[1]))
    tile = np.empty((TILE, n_blocks))
    apply_inverse(setup.metric, g, q, line)
    u, kinetic = trajectory(setup.target.kernel, setup.metric, w, v, g, h, n_steps, q, (tile, line))
    return w, v, u - u0 + kinetic


def velocity(setup):
    v = np.empty_like(setup.mode)
    draw_velocity(np.random.default_rng(1), setup.metric, v, np.empty((2, v.shape[0])))
    return v


@pytest.mark.parametrize(("h", "n_steps"), [(0.4, 1), (0.9, 3), (1.7, 2)])
def test_a_trajectory_turned_round_returns_with_the_inverse_ratio(h, n_steps):
    setup, state = begin("hmc")
    w, v, error = run_trajectory(setup, state.weights, velocity(setup), h, n_steps)
    back_w, back_v, back = run_trajectory(setup, w, -v, h, n_steps)
    np.testing.assert_allclose(back_w, state.weights, atol=1e-12)
    np.testing.assert_allclose(-back_v, velocity(setup), atol=1e-12)
    assert abs(error) > 1e-4
    assert back == pytest.approx(-error, abs=1e-10)


def test_a_trajectory_keeps_volume_and_is_of_second_order():
    setup, state = begin("hmc")
    errors = [abs(run_trajectory(setup, state.weights, velocity(setup), 0.4 / n, n)[2]) for n in (1, 2, 4)]
    assert errors[1] < errors[0] / 3
    assert errors[2] < errors[1] / 3
    assert 0 < OUTER < 0.5
    # The Jacobian in the contrasts: directions of position and velocity that have no mean over blocks.
    basis = np.linalg.svd(np.ones((1, 3)))[2][1:].T
    n, tiny = state.weights.shape[0], 1e-5
    directions = np.einsum("ed,kc->edkc", np.eye(n), basis).transpose(0, 3, 1, 2).reshape(-1, n, 3)
    columns = []
    for which in (0, 1):
        for d in directions:
            ends = []
            for sign in (1, -1):
                shift = [np.zeros_like(d), np.zeros_like(d)]
                shift[which] = sign * tiny * d
                w, v, _ = run_trajectory(setup, state.weights + shift[0], velocity(setup) + shift[1], 1.2, 2)
                ends.append(np.concatenate([(directions * part).sum(axis=(1, 2)) for part in (w, v)]))
            columns.append((ends[0] - ends[1]) / (2 * tiny))
    assert np.linalg.det(np.array(columns)) == pytest.approx(1, abs=1e-6)


def test_the_langevin_ratio_is_antisymmetric_and_the_readable_one():
    setup, state = begin("mala")
    surface, w = Energy(setup.target.kernel), state.weights
    other = w + 0.1 * velocity(setup)
    g, g_other = surface(w)[1], surface(other)[1]
    forth = langevin_log_ratio(w, g, other, g_other, 0.05)
    assert forth == pytest.approx(-langevin_log_ratio(other, g_other, w, g, 0.05), rel=1e-12)
    densities = mala.proposal_log_density(w, other, g_other, 0.05) - mala.proposal_log_density(other, w, g, 0.05)
    assert forth == pytest.approx(densities, rel=1e-10)
    assert abs(forth) > 1e-3


@pytest.mark.parametrize(("sampler", "annealing"), [("hmc", None), ("mala", None), ("mala", 0.1)])
@pytest.mark.parametrize("cuts", [[100], [1, 99], [39, 1, 60], [40, 60], [41, 59], [10] * 10])
def test_advancing_in_pieces_changes_no_bit(sampler, annealing, cuts):
    whole, expected = advance(*begin(sampler, thin=3, annealing=annealing), 100)
    (setup, state), parts = begin(sampler, thin=3, annealing=annealing), []
    for n in cuts:
        state, part = advance(setup, state, n)
        parts.append(part)
    assert same(expected, map(np.concatenate, zip(*parts, strict=True)))
    assert same(whole[:-1], state[:-1])
    assert whole.rng.bit_generator.state == state.rng.bit_generator.state
    assert len(expected.energy) == 60
    assert len(expected.weights) == 20


@pytest.mark.parametrize(("sampler", "rate"), [("hmc", 0.8), ("mala", 0.574)])
def test_the_step_size_is_adapted_in_warm_up_and_frozen_after(sampler, rate):
    setup, state = begin(sampler, n_warmup=400)
    state, record = advance(setup, state, 1400)
    frozen = state.adapt.copy()
    assert len(np.unique(record.step_size)) == 1
    assert record.acceptance.mean() > rate - 0.06
    advance(setup, state, 10)
    np.testing.assert_array_equal(state.adapt, frozen)


def test_the_papers_step_sizes():
    _, record = advance(*begin("mala", n_warmup=5, annealing=0.2), 10)
    t = MALA_STEPS * np.arange(6, 11) - 1  # the last step of each kept draw
    np.testing.assert_allclose(record.step_size, 0.2 * 250 * (1000.0 + t) ** -0.8 / 60, rtol=1e-12)


def test_a_trajectory_that_runs_off_is_flagged_and_refused():
    setup, state = begin("hmc", n_warmup=0)
    setup = setup._replace(plan=setup.plan._replace(least_time=300.0, most_time=300.0))
    state.adapt[:2] = np.log(150.0)
    before = state.weights.copy()
    state, record = advance(setup, state, 5)
    assert record.diverging.all()
    assert (record.acceptance == 0).all()
    np.testing.assert_array_equal(state.weights, before)


def test_a_chain_is_thinned_as_it_was_begun():
    setup, state = begin("hmc", n_warmup=0, thin=3)
    state, first = advance(setup, state, 6)
    longer = setup._replace(plan=setup.plan._replace(thin=5))  # as a longer run would thin
    state, second = advance(longer, state, 6)
    assert (len(first.weights), len(second.weights)) == (2, 2)
    _, whole = advance(*begin("hmc", n_warmup=0, thin=3), 12)
    np.testing.assert_array_equal(whole.weights, np.concatenate((first.weights, second.weights)))


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_prior_and_rows_are_those_of_the_state(sampler):
    rng = np.random.default_rng(4)
    x, labels = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    setup = set_up(weight_target(x, labels), sampler, 10, stream(0, "mode"))
    state = start(setup, stream(0, "weights", 0))
    training = setup.target.training
    state.scale[:] = [0.3, 2.0, 5.0]  # as a sampler of scales would
    values = training.rows.values.copy()
    entry = training.rows.indptr[training.rows.group[8]] + list(training.rows.active).index(1)
    values[entry] = x[8, 1] = -4.0  # as a sampler of missing cells would
    state.sums[:] = training.sums_of_labels(labels, values)
    state, record = advance(setup, state._replace(values=values), 40)
    expected = [energy(w, x, np.eye(2)[labels], state.scale) for w in record.weights]
    np.testing.assert_allclose(record.energy, expected, rtol=1e-10)
    assert setup.target.scale.tolist() == [1.0, 1.0, 1.0]
    assert np.abs(training.rows.values).max() < 4
