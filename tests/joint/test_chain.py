"""The joint chain: a stepper whose state holds all that changes, right at every edge case."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax

from ffbm.blocks.entropy import description_length
from ffbm.joint import chain
from ffbm.joint.chain import JointSettings, JointSetup, advance, set_up, start
from ffbm.joint.prepare import joint_model
from ffbm.store.checkpoints import digest
from ffbm.theta.target import energy

from .networks import numbers, simulated

SETTINGS = JointSettings(burn=20, thin=3, n_moves=2, n_warmup=20, jumps=1.0, shifts=1.0)
N = 40


def features_of(kind):
    if kind == "numbers":
        return numbers(N, 3)
    flags = (np.random.default_rng(3).random((N, 90 if kind == "many" else 3)) < 0.2).astype(float)
    if kind == "nothing":
        flags[:] = 0
    return sp.csr_array(flags) if kind in ("sparse", "many") else flags


def begun(kind="flags", n_blocks=3, rows=None, settings=SETTINGS, **options):
    graph = simulated(N).graph
    model = joint_model(graph, features_of(kind), n_blocks, rows, **options)
    rng = np.random.default_rng(7)
    setup = JointSetup(model, settings)
    return setup, start(setup, rng.integers(0, n_blocks, N), rng)


CASES = {
    "flags": {},
    "sparse flags": {"kind": "sparse"},
    "numbers": {"kind": "numbers"},
    "many flags": {"kind": "many"},
    "held out": {"rows": np.arange(5, 35)},
    "one trained": {"rows": [4]},
    "intercept and sigma": {"intercept": True, "sigma": 3.0},
    "unequal scales": {"sigma": [0.2, 3.0, 1.0]},
    "unequal scales, intercept": {"kind": "numbers", "intercept": True, "sigma": {"1": 3.0, "(intercept)": 0.3}},
    "one block": {"n_blocks": 1},
    "more blocks than vertices": {"n_blocks": 50},
    "features that nobody has": {"kind": "nothing"},
    "mala": {"settings": SETTINGS._replace(sampler="mala")},
    "single moves": {"settings": SETTINGS._replace(jumps=0.0, shifts=0.0)},
}


@pytest.mark.parametrize("case", CASES)
def test_draws_are_what_they_say(case):
    given = CASES[case]
    setup, state = begun(**given)
    state, draws = advance(setup, state, 80)
    model, n_blocks = setup.model, setup.model.n_blocks
    assert draws.labels.shape == (20, N)
    assert draws.labels.max(initial=0) < n_blocks
    assert draws.weights.shape == (20, n_blocks, len(model.scale))
    x = features_of(given.get("kind", "flags"))
    x = x.toarray() if sp.issparse(x) else x
    if given.get("intercept"):
        x = np.column_stack((x, np.ones(N)))
    rows, sigma = model.training.vertices, given.get("sigma", 1.0)
    sigma = [1.0, 3.0, 1.0, 0.3] if isinstance(sigma, dict) else sigma
    # where no training vertex has a feature, U leaves out its constant, n ln B
    left_out = 0 if len(model.training.rows.active) else len(rows) * np.log(n_blocks)
    for b, s, w, u in zip(draws.labels, draws.entropy, draws.weights, draws.energy, strict=True):
        assert s == pytest.approx(description_length(model.graph, b).without_partition, abs=1e-7)
        assert u + left_out == pytest.approx(energy(w, x[rows], np.eye(n_blocks)[b[rows]], sigma), abs=1e-8)


@pytest.mark.parametrize("case", ["flags", "held out", "mala", "one block"])
def test_advancing_in_parts_is_the_same(case):
    setup, whole = begun(**CASES[case])
    whole, _ = advance(setup, whole, 0)
    parts = copy.deepcopy(whole)
    whole, at_once = advance(setup, whole, 60)
    pieces = []
    for n in (7, 3, 1, 29, 20):  # the geometry is found again after 10
        parts, piece = advance(setup, parts, n)
        pieces.append(piece)
    for name in at_once._fields:
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        np.testing.assert_array_equal(getattr(at_once, name), joined)
    np.testing.assert_array_equal(whole.ledger.b, parts.ledger.b)
    np.testing.assert_array_equal(whole.weights, parts.weights)
    assert whole.rng.bit_generator.state == parts.rng.bit_generator.state


def test_the_field_is_that_of_the_weights_and_0_where_held_out(monkeypatch):
    rows, kernel, fields = np.arange(0, 30), chain.run_joint, []
    setup, state = begun(rows=rows, settings=SETTINGS._replace(shifts=0.0, n_moves=1))
    state, _ = advance(setup, state, 30)
    before = state.weights.copy()
    monkeypatch.setattr(
        chain, "run_joint", lambda rng, blocks, *rest: fields.append(blocks.field) or kernel(rng, blocks, *rest)
    )
    advance(setup, state, 1)
    x = features_of("flags")[:, setup.model.training.rows.active]
    expected = log_softmax(x[rows] @ before, axis=1)
    np.testing.assert_allclose(fields[0][rows], expected, atol=1e-12)
    assert not fields[0][30:].any()


@pytest.mark.parametrize("case", ["flags", "numbers", "held out", "mala"])
def test_the_model_is_left_as_it_was(case):
    setup, state = begun(**CASES[case])
    before = digest(setup)
    advance(setup, state, 40)
    assert digest(setup) == before


def test_the_geometry_is_found_again_half_way_through_the_burn_in():
    setup, state = begun("many", sigma=3.0)
    first = state.times.copy()
    state, _ = advance(setup, state, 10)
    np.testing.assert_array_equal(state.times, first)
    given = set_up(setup, state.ledger.b.copy(), state.scale, state.values, copy.deepcopy(state.rng))
    state, _ = advance(setup, state, 1)
    assert state.times.tolist() == [given.plan.least_time, given.plan.most_time] != first.tolist()
    for one, other in zip(state.metric, given.metric, strict=True):
        np.testing.assert_array_equal(one, other)


def test_sums_of_labels():
    setup, _ = begun(rows=np.arange(3, 33))
    b = np.random.default_rng(0).integers(0, 3, N)
    x = features_of("flags")[3:33][:, setup.model.training.rows.active]
    np.testing.assert_array_equal(setup.model.training.sums_of_labels(b), x.T @ np.eye(3)[b[3:33]])


def test_all_kinds_of_moves_are_made():
    setup, state = begun(settings=SETTINGS._replace(burn=0))
    state, _ = advance(setup, state, 600)
    tried, made, carried, moved = state.tally[3:7]
    assert tried == carried == 600
    assert made > 0
    assert moved > 0
    assert state.totals[2] == pytest.approx(
        description_length(setup.model.graph, state.best).without_partition, abs=1e-7
    )


def energies(setup, draws, x, scale):
    """U of every draw, as it is written."""
    rows, n_blocks = setup.model.training.vertices, setup.model.n_blocks
    return [
        energy(w, x[rows], np.eye(n_blocks)[b[rows]], scale) for b, w in zip(draws.labels, draws.weights, strict=True)
    ]


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_the_prior_is_the_states(sampler):
    setup, state = begun(kind="numbers", settings=SETTINGS._replace(sampler=sampler), rows=np.arange(35))
    state, _ = advance(setup, state, 30)
    state.scale[:] = [0.05, 1.0, 4.0]  # as a sampler of scales would
    state, draws = advance(setup, state, 60)
    np.testing.assert_allclose(draws.energy, energies(setup, draws, features_of("numbers"), state.scale), atol=1e-8)
    assert setup.model.scale.tolist() == [1.0, 1.0, 1.0]


def test_values_of_rows_may_be_the_states():
    setup, state = begun(kind="numbers")
    x, training = features_of("numbers").copy(), setup.model.training
    row, d = training.rows.group[11], 2
    entry = training.rows.indptr[row] + np.flatnonzero(training.rows.active[training.matrix()[[row]].indices] == d)[0]
    values = training.rows.values.copy()
    values[entry] = x[11, d] = 7.5  # a cell that is sampled, in place of what the table has
    state = state._replace(values=values)
    state, draws = advance(setup, state, 60)  # the geometry is found again on the way
    np.testing.assert_allclose(draws.energy, energies(setup, draws, x, 1.0), atol=1e-8)
    assert np.abs(draws.energy - energies(setup, draws, features_of("numbers"), 1.0)).min() > 1e-3
