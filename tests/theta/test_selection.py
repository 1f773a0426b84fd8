"""The selection of columns: its energy, its moves and its law."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f as f_law

from ffbm.diagnostics import ess_mean
from ffbm.kernels.selection import EXCHANGED, visit_columns
from ffbm.theta.columns import group_columns, lay_out
from ffbm.theta.design import make_design
from ffbm.theta.prepare import weight_target
from ffbm.theta.selection import Sweeper, advance_selection, column_workspace, set_up_selection, start_selection
from ffbm.theta.target import selection_energy
from ffbm.verification import selection_laws
from ffbm.verification.selection import COLUMN, GROUPS, draw_features, draw_memberships, draw_truth

from ..mutants import interpreted


def made(seed=3, n_nodes=30, n_blocks=3, groups=GROUPS):
    rng = np.random.default_rng(seed)
    x = draw_features(rng, n_nodes)
    y = draw_memberships(rng, x, draw_truth(rng, n_blocks).weights)
    return x, y, weight_target(x, y, intercept=True, weight_prior="learned", column_groups=groups)


def run(target, n_sweeps, full=False, seed=1, n_warmup=20, thin=1):
    setup = set_up_selection(target, n_warmup, np.zeros_like(target.sums))
    state = start_selection(setup, np.random.default_rng(seed), full, thin)
    return advance_selection(setup, state, n_warmup + n_sweeps)[1]


def test_energy_is_that_of_the_readable_target():
    x, y, target = made()
    drawn = run(target, 40)
    with_one = np.column_stack((x, np.ones(len(x))))
    for t in range(40):
        exact = selection_energy(drawn.weights[t], drawn.inclusion[t], with_one, y, COLUMN)
        assert drawn.energy[t] == pytest.approx(exact, abs=1e-9)


def says_nothing(degrees):
    """A column of three features that say next to nothing, with so many degrees of freedom, and another."""
    x = 1e-9 * np.random.default_rng(2).standard_normal((12, 4))
    target = weight_target(x, np.arange(12) % 3, weight_prior="learned", column_groups={"one": ["0", "1", "2"]})
    return replace(target, groups=replace(target.groups, degrees=np.array([degrees, 3.0])))


def errors_of_law(weights, degrees):
    """Return by how many standard errors |V|^2 / k of draws of the first column is off the law F(k, degrees)."""
    ratio, off = (weights**2).sum(axis=(1, 2)) / 6, []
    for part in (0.25, 0.5, 0.9):
        below = ratio <= f_law(6, degrees).ppf(part)
        off.append(abs(below.mean() - part) / np.sqrt(part * (1 - part) / ess_mean(below[np.newaxis])))
    return max(off)


@pytest.mark.parametrize("degrees", [3.0, 200.0])
def test_columns_that_say_nothing_have_the_prior_of_their_degrees_of_freedom(degrees):
    drawn = run(says_nothing(degrees), 3000)
    assert errors_of_law(drawn.weights[drawn.inclusion[:, 0]][:, :, :3], degrees) < 4


def born_on_a_bridge(degrees, step, n=600):
    """Return the weights with which the first column is born."""
    setup = set_up_selection(says_nothing(degrees), 0, np.zeros((4, 3)))
    sweeper, rng, born = Sweeper(setup), np.random.default_rng(1), []
    while len(born) < n:
        weights, inside = np.zeros((4, 3)), np.zeros(2, dtype=bool)
        if sweeper.bridge.cross(rng, 0, weights, inside, step, sweeper.metrics.of(np.array([True, False])))[0]:
            born.append(weights[setup.target.training.rows.active < 3])
    return np.array(born)


@pytest.mark.parametrize("step", [1e-6, 0.5, 1e3])
@pytest.mark.parametrize("degrees", [3.0, 200.0])
def test_a_column_is_born_on_a_bridge_with_the_prior_of_its_degrees_of_freedom(degrees, step):
    assert errors_of_law(born_on_a_bridge(degrees, step), degrees) < 4


def chances_on_a_bridge(step):
    """Return how probable ten births of a column are of which the data say nothing."""
    setup = set_up_selection(says_nothing(3.0), 0, np.zeros((4, 3)))
    sweeper, rng, along = Sweeper(setup), np.random.default_rng(1), np.array([True, False])
    tries = ((np.zeros((4, 3)), np.zeros(2, dtype=bool)) for _ in range(10))
    return [sweeper.bridge.cross(rng, 0, *none, step, sweeper.metrics.of(along))[1] for none in tries]


def test_a_column_that_says_nothing_is_born_on_a_bridge_with_the_prior_odds():
    assert np.allclose(chances_on_a_bridge(0.5), 1 / 3, atol=1e-6)


def test_weights_are_contrasts_and_zero_where_a_column_is_out():
    _, _, target = made()
    drawn = run(target, 60, full=True)
    assert np.abs(drawn.weights.sum(axis=1)).max() < 1e-10
    for g in range(len(GROUPS)):
        out = ~drawn.inclusion[:, g]
        assert not drawn.weights[out][:, :, g == COLUMN].any()
        assert drawn.weights[~out][:, :, g == COLUMN].any(axis=(1, 2)).all()


def test_advancing_in_pieces_changes_no_bit():
    _, _, target = made()
    setup = set_up_selection(target, 10, np.zeros_like(target.sums))
    whole = advance_selection(setup, start_selection(setup, np.random.default_rng(5), True, 3), 40)[1]
    state, parts = start_selection(setup, np.random.default_rng(5), True, 3), []
    for n in (4, 13, 1, 22):
        state, part = advance_selection(setup, state, n)
        parts.append(part)
    for name in whole._fields:
        together = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(getattr(whole, name), together), name


def test_without_training_vertices_the_prior_is_drawn_exactly():
    x = np.eye(4)
    target = weight_target(x, [0, 1, 0, 1], rows=[], intercept=True, weight_prior="learned")
    drawn = run(target, 6000)
    n_inside = np.bincount(drawn.inclusion.sum(axis=1), minlength=5) / 6000
    # a Beta-binomial law with omega ~ Beta(1, 4)
    exact = np.array([0.5, 2 / 7, 1 / 7, 2 / 35, 1 / 70])
    assert np.abs(n_inside - exact).max() < 0.035
    assert drawn.chance.mean() == pytest.approx(0.2, abs=0.02)
    # s^2 ~ InverseGamma(3/2, 3/2): P(s < 1) = P(chi^2_3 > 3)
    assert (drawn.scales < 1).mean() == pytest.approx(0.3916, abs=0.02)


@pytest.mark.parametrize("law", selection_laws.LAWS)
def test_inclusion_by_quadrature(law):
    off, means = selection_laws.compare(law, 1500, 3)
    assert off < 0.01
    assert means.max() < 4.5


def reference():
    path = Path(os.environ.get("FFBM_SHARED", "")) / "reference" / "relevance.json"
    if not path.exists():
        pytest.skip("relevance.json is found through FFBM_SHARED")
    return json.loads(path.read_text())["cases"]


@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 4))])
def test_inclusion_of_the_reference(number):
    case = reference()[number]
    groups = {f"column {g}": [str(j) for j in part] for g, part in enumerate(case["columns"])}
    x, y = np.array(case["X"], dtype=float), np.array(case["y"], dtype=float)
    target = weight_target(x, y, intercept=True, weight_prior="learned", column_groups=groups)
    drawn = [run(target, 5000, full, seed) for full, seed in ((False, 5), (True, 6))]
    chance = np.stack([one.chance for one in drawn])
    assert np.abs(chance.mean(axis=(0, 1)) - case["inclusion_beta_1_G"]).max() < 0.01
    w = np.stack([one.weights for one in drawn])[..., :-1]
    exact = np.array(case["mean_centred_weights_beta_1_G"]).T
    for b, d in np.ndindex(*exact.shape):
        draws = w[:, :, b, d]
        assert abs(draws.mean() - exact[b, d]) < 3 * draws.std() / np.sqrt(ess_mean(draws)) + 1e-6


MOVES = {
    "three values": (GROUPS, 3, 1),
    "a flag and its twin, overlapping": ({"both": ["0", "4", "6"]}, 3, 0),
    "a number": (GROUPS, 2, 3),
    "too rare for the intercept to move": (GROUPS, 3, 4),
    "so rare that a diagonal will do": (GROUPS, 17, 4),
}


@pytest.mark.parametrize("case", MOVES)
def test_the_way_back_is_priced_as_the_way_there(case):
    """With one particle a proposal retraced has the same worth, and the intercept returns to where it was."""
    assert way_back(interpreted(), *MOVES[case]) < 1e-6


def way_back(kernels, groups, n_blocks, g):
    """Return how far the worth of a proposal, and the intercept, are off when it is retraced."""
    _, _, target = made(n_blocks=n_blocks, groups=groups)
    columns = lay_out(target.groups, target.training, 1.28)
    columns = columns._replace(n_particles=np.ones_like(columns.n_particles))
    counts, sums = target.training.rows.counts, target.sums
    work = column_workspace(len(counts), n_blocks, 3, n_particles=1)
    arrow, weight = kernels["ffbm.kernels.arrow"], kernels["ffbm.kernels.columnweight"]
    rng = np.random.default_rng(2)
    a = rng.normal(size=n_blocks)
    work.base[:] = 0.3 * rng.normal(size=work.base.shape)
    along = columns.with_intercept[g]
    if along:
        arrow.centre_intercept(columns, counts, sums, work, 8)
    else:
        work.base[:] += a
    centre, spread = weight.locate_scale(rng, columns, counts, sums, g, work)
    off = 0.0
    for _ in range(3):
        before = a.copy()
        t = weight.propose_log_scale(rng, columns.degrees[g], centre, spread)
        there = weight.weigh(rng, columns, counts, sums, g, t, (centre, spread), a, False, work)
        assert np.array_equal(a, before) is not bool(along)
        back = weight.weigh(rng, columns, counts, sums, g, t, (centre, spread), a, True, work)
        off = max(off, abs(there - back), float(np.abs(a - before).max()))
        a[:] = before
    return off


def located(kernels, value):
    """Return centre and width of the scale's proposal for a column of three values, whose present weights these are."""
    _, _, target = made()
    columns, counts = lay_out(target.groups, target.training, 1.28), target.training.rows.counts
    work = column_workspace(len(counts), 3, 3, int(columns.n_particles.max()))
    kernels["ffbm.kernels.arrow"].centre_intercept(columns, counts, target.sums, work, 8)
    work.value[:] = value * np.array([2.0, -1.0, -1.0])
    locate_scale = kernels["ffbm.kernels.columnweight"].locate_scale
    return locate_scale(np.random.default_rng(4), columns, counts, target.sums, 1, work)


def retraced(kernels):
    """Return how far the weights that a visit retraces are from those that the column has."""
    _, _, target = made()
    setup = set_up_selection(target, 0, np.random.default_rng(6).normal(size=target.sums.shape))
    state, sweeper = start_selection(setup, np.random.default_rng(1), full=True), Sweeper(setup)
    visits, off = kernels["ffbm.kernels.selection"], []
    weigh, present = visits.weigh, state.weights.copy()

    def watch(*given):
        if given[-2]:  # the way back, of the one column that is visited
            begin, end = sweeper.columns.start[1:3]
            members = sweeper.columns.feature[begin:end]
            off.append(np.abs(given[-1].value[: end - begin] - present[members]).max())
        return weigh(*given)

    visits.weigh = watch
    only = setup.columns._replace(pair=setup.columns.pair[:0])
    visits.visit_columns(
        state.rng, only, *sweeper.arrays(state, np.zeros(5, np.int32)), sweeper.work,
        (np.arange(len(state.inside)) == 1) * 2.0, state.chance,
    )  # fmt: skip
    (found,) = off
    return found


def test_the_present_weights_are_retraced():
    assert retraced(interpreted()) == 0


def test_the_proposal_of_a_scale_does_not_look_at_the_present_weights():
    assert located(interpreted(), 0.0) == located(interpreted(), 3.0)


def test_the_proposal_of_a_scale_is_not_below_what_rare_features_are_worth():
    """Sixty features on one vertex each, ten blocks: the normal approximation puts ln s far too low."""
    labels = np.random.default_rng(1).integers(10, size=60)
    groups = {"rare": [str(j) for j in range(60)]}
    target = weight_target(np.eye(60), labels, intercept=True, weight_prior="learned", column_groups=groups)
    columns, counts = lay_out(target.groups, target.training, 1.28), target.training.rows.counts
    work = column_workspace(len(counts), 10, 60, int(columns.n_particles.max()))
    kernels, a = interpreted(), np.zeros(10)
    weight = kernels["ffbm.kernels.columnweight"]
    kernels["ffbm.kernels.arrow"].centre_intercept(columns, counts, target.sums, work, 8)
    rng = np.random.default_rng(2)
    centre, spread = weight.locate_scale(rng, columns, counts, target.sums, 0, work)
    worths = []
    for off in (-3.0, 0.0, 3.0):
        t, density = centre + off * spread, weight.log_scale_density(3.0, centre + off * spread, centre, spread)
        worths.append(
            density + weight.weigh(rng, columns, counts, target.sums, 0, t, (centre, spread), a * 1.0, False, work)
        )
    assert worths[1] > max(worths[0], worths[2])


def test_columns_and_groups():
    design = make_design(np.eye(4), intercept=True)
    assert group_columns(design).names == ("0", "1", "2", "3")
    groups = group_columns(design, {"odd": ["1", "3"]})
    assert groups.names == ("0", "odd", "2")
    assert groups.of_feature.tolist() == [0, 1, 2, 1, -1]


def test_columns_that_resemble_each_other_may_be_exchanged():
    rng = np.random.default_rng(1)
    flag = rng.random(200) < 0.4
    x = np.column_stack((flag, ~flag, rng.random(200) < 0.5, flag ^ (rng.random(200) < 0.02))).astype(float)
    target = weight_target(x, np.arange(200) % 2, intercept=True, weight_prior="learned")
    pairs = lay_out(target.groups, target.training, 1.28).pair
    assert sorted(map(tuple, pairs.tolist())) == [(0, 1), (0, 3), (1, 3)]


def test_equivalent_columns_share_their_inclusion():
    rng = np.random.default_rng(1)
    flag = rng.random(80) < 0.5
    labels = np.where(rng.random(80) < 0.9, flag, ~flag).astype(int)
    x = np.column_stack((flag, flag)).astype(float)
    target = weight_target(x, labels, intercept=True, weight_prior="learned")
    drawn = [run(target, 1500, full, seed) for full, seed in ((False, 1), (True, 2))]
    # alike in every chain: P(one alone) = 1/6 each beside P(both) = 1/6, with about equal evidence
    found = np.stack([one.chance.mean(axis=0) for one in drawn])
    assert np.ptp(found) < 0.06
    assert found.mean() == pytest.approx(0.75, abs=0.1)


def shares_of_sets(with_exchange, seed, n_sweeps=8000):
    """Return how often each set of two columns that resemble each other is inside, by visits to columns alone."""
    x = np.repeat([[1, 1], [0, 0], [1, 0], [0, 1]], [6, 6, 2, 2], axis=0).astype(float)
    labels = [0] * 5 + [1] * 6 + [0] + [0, 0, 1, 1]
    target = weight_target(x, labels, intercept=True, weight_prior="learned")
    setup = set_up_selection(target, 0, np.zeros_like(target.sums))
    assert setup.columns.pair.tolist() == [[0, 1]]
    if not with_exchange:
        setup = setup._replace(columns=setup.columns._replace(pair=setup.columns.pair[:0]))
    state, sweeper = start_selection(setup, np.random.default_rng(seed), full=True), Sweeper(setup)
    accepted, visits = np.zeros(5, np.int32), np.zeros(4)
    for _ in range(n_sweeps):
        arrays = sweeper.arrays(state, accepted)
        visit_columns(state.rng, sweeper.columns, *arrays, sweeper.work, np.ones(2), state.chance)
        visits[state.inside @ [1, 2]] += 1
    assert (accepted[EXCHANGED] > 0) == with_exchange
    return visits / n_sweeps


def test_exchanges_leave_the_law_as_it_is():
    np.testing.assert_allclose(shares_of_sets(True, 1), shares_of_sets(False, 2), atol=0.04)
