"""The joint chain under the learned prior: draws that are what they say, and a state that holds all that changes."""

import copy

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.joint.chain import JointSettings
from ffbm.joint.selection import ColumnMoves, advance, column_setup, start
from ffbm.store.checkpoints import digest
from ffbm.theta.target import selection_energy

from .networks import numbers, simulated

N = 40
SETTINGS = JointSettings(burn=20, thin=3, jumps=1.0, shifts=1.0)
GROUPS = {"pair": ["0", "1"]}
CASES = {
    "plain": {},
    "held out": {"rows": np.arange(5, 35)},
    "no intercept": {"intercept": False},
    "one block": {"n_blocks": 1},
    "a feature that nobody has": {"nobody": True},
}


def features(nobody=False):
    flags = np.random.default_rng(3).random((N, 3)) < 0.4
    x = np.column_stack((flags, numbers(N, 1))).astype(float)
    if nobody:
        x[:, 2] = 0
    return x


def begun(n_blocks=3, nobody=False, gap=1, full=True, **options):
    graph, rng = simulated(N).graph, np.random.default_rng(7)
    setup = column_setup(graph, features(nobody), n_blocks, SETTINGS, column_groups=GROUPS, n_warmup=8, **options)
    setup = setup._replace(gap=gap)
    return setup, start(setup, rng.integers(0, n_blocks, N), rng, full)


@pytest.mark.parametrize("case", CASES)
def test_draws_are_what_they_say(case):
    given = CASES[case]
    setup, state = begun(**given)
    state, draws = advance(setup, state, 65)
    n_blocks, rows = setup.model.n_blocks, setup.model.training.vertices
    x, column = features(given.get("nobody", False)), np.array([0, 0, 1, 2])
    if given.get("intercept", True):
        x, column = np.column_stack((x, np.ones(N))), np.append(column, -1)
    assert draws.labels.shape == (15, N)
    assert draws.inclusion.shape == draws.chance.shape == draws.scales.shape == (15, 3)
    assert ((draws.chance >= 0) & (draws.chance <= 1)).all()
    np.testing.assert_allclose(draws.weights.sum(axis=1), 0, atol=1e-9)
    left_out = 0 if n_blocks > 1 else draws.energy[0]  # with one block no feature is active, and V has no density
    for at, (b, w, inside) in enumerate(zip(draws.labels, draws.weights, draws.inclusion, strict=True)):
        assert draws.entropy[at] == pytest.approx(description_length(setup.model.graph, b).without_partition, abs=1e-7)
        out = ~np.append(inside, True)[column]
        assert not w[:, out].any()
        if not left_out:
            y = np.eye(n_blocks)[b[rows]]
            assert draws.energy[at] == pytest.approx(selection_energy(w, inside, x[rows], y, column), abs=1e-8)


@pytest.mark.parametrize("gap", [1, 2, 3])
def test_advancing_in_parts_is_the_same(gap):
    setup, whole = begun(gap=gap, full=False)
    setup = setup._replace(settings=SETTINGS._replace(thin=6))
    parts = copy.deepcopy(whole)
    whole, at_once = advance(setup, whole, 60)
    pieces = []
    for n in (7, 3, 1, 10, 29, 10):  # the geometry is found again after 10
        parts, piece = advance(setup, parts, n)
        pieces.append(piece)
    for name in at_once._fields:
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        np.testing.assert_array_equal(getattr(at_once, name), joined, err_msg=name)
    assert whole.columns.rng.bit_generator.state == parts.columns.rng.bit_generator.state


def test_the_setup_is_left_as_it_was():
    setup, state = begun(rows=np.arange(30))
    before = digest(setup)
    advance(setup, state, 40)
    assert digest(setup) == before


def test_nothing_adapts_once_draws_are_kept():
    setup, state = begun()
    state, _ = advance(setup, state, SETTINGS.burn)
    before = [state.columns.adapt.copy(), state.columns.openness.copy(), state.columns.ease.copy()]
    geometry = state.geometry.rest.copy()
    state, _ = advance(setup, state, 30)
    for one, other in zip(before, (state.columns.adapt, state.columns.openness, state.columns.ease), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(geometry, state.geometry.rest)


def test_all_kinds_of_moves_are_made():
    setup, state = begun()
    state, draws = advance(setup, state, 400)
    births, deaths, refreshed, _, bridged = draws.accepted.sum(axis=0)
    assert min(births, deaths, refreshed, bridged) > 0
    assert 0 < draws.moved.mean() < 1
    assert state.tally[6] > 0  # labels and weights together


def test_scales_have_their_law_given_the_weights():
    """1/s^2 ~ Gamma((3 + k)/2, (3 + |V|^2)/2): the mean is (3 + k)/(3 + |V|^2), and 1 where a column is out."""
    setup, state = begun()
    state.columns.inside[:] = [True, True, False]
    state.columns.weights[np.isin(setup.model.training.rows.active, [3])] = 0
    moves = ColumnMoves(setup, state)
    drawn = np.array([(moves.draw_scales(state), state.scale.copy())[1] for _ in range(4000)])
    own = np.array([0, 0, 1, 2])[setup.model.training.rows.active[setup.model.training.rows.active < 4]]
    w = state.columns.weights[setup.model.training.rows.active < 4]
    for g, (feature, k) in enumerate(((0, 4), (2, 2))):
        square = (w[own == g] ** 2).sum()
        assert (drawn[:, feature] ** -2).mean() == pytest.approx((3 + k) / (3 + square), rel=0.08)
    assert (drawn[:, 3] ** -2).mean() == pytest.approx(1.0, rel=0.08)
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])  # one column
    assert set(drawn[:, 4]) == {1.28}


def test_scales_are_drawn_before_labels_move():
    setup, state = begun(gap=5)
    scales = [state.scale.copy()]
    for _ in range(3):
        state, _ = advance(setup, state, 5)
        scales.append(state.scale.copy())
    differ = np.diff(scales, axis=0) != 0
    assert differ[:, :-1].all()
    assert not differ[:, -1].any()  # that of the intercept is given
