"""Faults planted in the moves of columns, one at a time: each must be seen."""

import inspect
from importlib import import_module

import numpy as np
import pytest

from ffbm.diagnostics import ess_mean
from ffbm.theta.columns import lay_out
from ffbm.theta.prepare import weight_target
from ffbm.theta.selection import advance_selection, column_workspace, set_up_selection, start_selection
from ffbm.verification.selection_laws import LAWS, compare

from ..mutants import interpreted, planted, planted_alone
from ..theta.test_selection import (
    MOVES,
    born_on_a_bridge,
    chances_on_a_bridge,
    errors_of_law,
    located,
    retraced,
    way_back,
)

# of the worth of a column: E[worth] over proposals must be the evidence for it
WORTH = {
    "density of the scale left out": (" - log_scale_density(degrees, t, centre, spread)", ""),
    "prior of the scale left out": ("worth = log_scale_prior(degrees, t) - ", "worth = -"),
    "volume of the intercept's map left out": (
        "volumes += log(work.root[WITHOUT_COLUMN, k, k]) - log(work.root[WITH_COLUMN, k, k])",
        "volumes += 0.0",
    ),
    "prior of the intercept left out": ("volumes - 0.5 * columns.tightness *", "volumes - 0.0 *"),
    "density of the particles left out": ("fit + prior - log_sum(", "fit + prior - 0.0 * log_sum("),
    "determinant left out": ("normal = 0.5 * log_det", "normal = 0.0 * log_det"),
    "prior of the weights left out": ("fit + prior - log_sum(", "fit - log_sum("),
    "best particle for the mean": ("top + log(total / n_particles)", "top"),
}
# of the way back: a proposal that is retraced must have the same worth
BACK = {
    "intercept mapped in on the way out": (
        "(WITHOUT_COLUMN, WITH_COLUMN) if retrace else (WITH_COLUMN, WITHOUT_COLUMN)",
        "(WITH_COLUMN, WITHOUT_COLUMN)",
    ),
    "logits without the other intercept": ("(after, before) if retrace else (before, after)", "(before, after)"),
    "search from the last mode": (
        "_begin(columns, g, work, work.first, work.centre[WITH_COLUMN])\n    newton",
        "newton",
    ),
}
# of the decision: the chain's law must be that of the right one
DECISION = {
    "odds of another count": ("(1.0 + n_inside) / (2.0 * n_columns - n_inside - 1.0)", "(1.0 + n_inside) / n_columns"),
    "the column itself counted": ("int(inside[h] and h != g)", "int(inside[h])"),
    "death with the odds of birth": ("< -odds - current", "< odds - current"),
    "refreshed without the worth of the present": ("log(rng.random()) < fresh - worth", "log(rng.random()) < fresh"),
    "birth without odds": ("enters = log(rng.random()) < odds + fresh", "enters = log(rng.random()) < fresh"),
}


@pytest.fixture(scope="module")
def law():
    return LAWS["covering"]()


def mean_worth(kernels, law, n_draws, seed=1):
    """Return ln of the mean worth of a column over proposals, the intercept being drawn without it, and its error."""
    groups = {"column": [str(j) for j in range(law.x.shape[1])]}
    target = weight_target(law.x, law.y, intercept=True, weight_prior="learned", column_groups=groups)
    columns = lay_out(target.groups, target.training, 1.28)
    columns = columns._replace(n_particles=np.full_like(columns.n_particles, 2))
    counts, sums, rng = target.training.rows.counts, target.sums, np.random.default_rng(seed)
    work = column_workspace(len(counts), 2, law.x.shape[1], n_particles=2)
    kernels["ffbm.kernels.arrow"].centre_intercept(columns, counts, sums, work, 8)
    weight = kernels["ffbm.kernels.columnweight"]
    centre, spread = weight.locate_scale(rng, columns, counts, sums, 0, work)
    grid = np.linspace(-6, 6, 4001)
    n0, n1 = law.y.sum(axis=0)
    log_p = (
        -(grid**2) / (2 * 1.28**2) - n0 * np.logaddexp(0, -np.sqrt(2) * grid) - n1 * np.logaddexp(0, np.sqrt(2) * grid)
    )
    p = np.exp(log_p - log_p.max())
    found = []
    for _ in range(n_draws):
        a = rng.choice(grid, p=p / p.sum()) * np.array([1, -1]) / np.sqrt(2) + rng.normal() * 1.28 / np.sqrt(2)
        t = weight.propose_log_scale(rng, columns.degrees[0], centre, spread)
        found.append(weight.weigh(rng, columns, counts, sums, 0, t, (centre, spread), a, False, work))
    worth = np.exp(found)
    return np.log(worth.mean()), worth.std() / worth.mean() / np.sqrt(n_draws)


def evidence(law):
    return np.log(law.inclusion / (1 - law.inclusion))


def test_the_mean_worth_is_the_evidence(law):
    found, error = mean_worth(interpreted(), law, 600)
    assert error < 0.1
    assert abs(found - evidence(law)) < 4 * error


@pytest.mark.parametrize("fault", WORTH)
def test_a_wrong_worth_is_seen(fault, law):
    found, error = mean_worth(interpreted(WORTH[fault]), law, 600)
    assert not abs(found - evidence(law)) < 5 * error


@pytest.mark.parametrize("fault", BACK)
def test_a_wrong_way_back_is_seen(fault):
    assert not way_back(interpreted(BACK[fault]), *MOVES["three values"]) < 1e-3


def test_a_proposal_that_looks_at_the_present_weights_is_seen():
    kernels = interpreted(("lowest, retrace = top(at, height), False", "lowest, retrace = top(at, height), True"))
    assert located(kernels, 0.0) != located(kernels, 3.0)


def test_weights_of_a_pilot_in_place_of_the_present_ones_are_seen():
    assert retraced(interpreted(("_copy_weights(columns, g, w, work)\n", "pass\n"))) > 0.1


def few_vertices():
    """Return a target with a flag, its near twin and a flag of which the data say nothing."""
    x = np.repeat([[1, 1, 0], [0, 0, 0], [1, 0, 0]], [5, 5, 1], axis=0).astype(float)
    return weight_target(x, [0] * 4 + [1] * 5 + [0, 1], intercept=True, weight_prior="learned")


def inclusion(target, n_sweeps, seed, full=True):
    setup = set_up_selection(target, 5, np.zeros_like(target.sums))
    state = start_selection(setup, np.random.default_rng(seed), full)
    return advance_selection(setup, state, 5 + n_sweeps)[1].inclusion


STRETCH = {
    "volume left out": ("factor * fit + freedom * log_factor", "factor * fit"),
    "prior left out": ("result -= 0.5 * (degrees + freedom) *", "result -= 0.0 *"),
    "response left out": ("result = factor * fit +", "result ="),
}
BRIDGE = {
    "path from its end": ("multiply_column(target, column, path[0])", "multiply_column(target, column, 1.0)"),
    "likelihood of one end alone": ("gain += u\n", "gain += 0.0\n"),
    "odds left out": ("odds + gain if born else gain - odds", "gain"),
    "no response along the path": ("= factor * sums[j, k]", "= sums[j, k]"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", STRETCH)
def test_a_wrong_stretch_is_seen(fault, monkeypatch):
    order = ["ffbm.kernels.compilation", "ffbm.kernels.stretch", "ffbm.kernels.hmc"]
    often = ("MANY = 30.0", "MANY = 1.0")
    kernels = planted("ffbm.kernels.stretch", STRETCH[fault], often, order=order)
    monkeypatch.setattr("ffbm.theta.chain.run_hmc", kernels["ffbm.kernels.hmc"].run_hmc)
    _, means = compare("covering", 3000, 3)
    assert not means.max() < 6


def by_bridges(monkeypatch, *changes):
    """Return how far inclusion in a chain of bridges alone is from the exact one, and the standard error.

    The column has two flags, of which every vertex has one.
    """
    kernel = "ffbm.kernels.bridge"
    inner = [change for change in changes if change[0] in inspect.getsource(import_module(kernel))]
    bridge = planted_alone("ffbm.theta.bridge", *(change for change in changes if change not in inner))
    if inner:
        bridge.follow_path = planted(kernel, *inner, order=["ffbm.kernels.compilation", kernel])[kernel].follow_path
    monkeypatch.setattr("ffbm.theta.selection.Bridge", bridge.Bridge)
    monkeypatch.setattr("ffbm.theta.selection.visit_columns", lambda *_: None)
    law = LAWS["covering"]()
    groups = {"column": ["0", "1"], "nothing": ["2"]}
    x = np.column_stack((law.x, np.zeros(len(law.x))))
    target = weight_target(x, law.y, intercept=True, weight_prior="learned", column_groups=groups)
    found = inclusion(target, 60_000, 1, full=False)[:, 0]
    # the other column, which nobody has, has no bridge and stays out, so the prior odds are those of G = 2: 1 to 3
    exact = evidence(law) - np.log(3)
    return abs(found.mean() - 1 / (1 + np.exp(-exact))), found.std() / np.sqrt(ess_mean(found[np.newaxis]))


@pytest.mark.slow
def test_bridges_alone_have_the_exact_law(monkeypatch):
    off, error = by_bridges(monkeypatch)
    assert error < 0.012
    assert off < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("fault", BRIDGE)
def test_a_wrong_bridge_is_seen(fault, monkeypatch):
    off, error = by_bridges(monkeypatch, BRIDGE[fault])
    assert not off < 4 * error


def with_fault_on_the_path(monkeypatch, *fault):
    kernel = "ffbm.kernels.bridge"
    faulty = planted(kernel, fault, order=["ffbm.kernels.compilation", kernel])[kernel]
    monkeypatch.setattr("ffbm.theta.bridge.follow_path", faulty.follow_path)


@pytest.mark.slow
def test_a_bridge_without_the_prior_of_the_new_scales_is_seen(monkeypatch):
    """A column of which the data say nothing must be born with the prior odds."""
    with_fault_on_the_path(monkeypatch, "u += _add_prior(target, w, g, 1.0)", "u += 0.0")
    assert not np.allclose(chances_on_a_bridge(0.5), 1 / 3, atol=0.1)


@pytest.mark.slow
def test_a_bridge_that_keeps_the_prior_of_the_scales_before_is_seen(monkeypatch):
    """Moves then end where they should not: the column is not born with the prior's law. The odds hardly show it."""
    with_fault_on_the_path(monkeypatch, "u += _add_prior(target, w, g, -1.0)", "u += 0.0")
    assert not errors_of_law(born_on_a_bridge(3.0, 1.0), 3.0) < 8


@pytest.mark.slow
@pytest.mark.parametrize("fault", DECISION)
def test_a_wrong_decision_is_seen(fault, monkeypatch):
    target = few_vertices()
    right = inclusion(target, 20_000, 1)
    visit_columns = interpreted(DECISION[fault])["ffbm.kernels.selection"].visit_columns
    monkeypatch.setattr("ffbm.theta.selection.visit_columns", visit_columns)
    monkeypatch.setattr("ffbm.theta.selection.Bridge.cross", lambda *_: (False, 0.0))  # it would hide the fault
    wrong = inclusion(target, 1500, 2)
    off = [abs(right[:, g].mean() - wrong[:, g].mean()) for g in range(3)]
    off.append(abs(right.sum(axis=1).var() - wrong.sum(axis=1).var()))
    assert max(off) > 0.1


@pytest.mark.slow
def test_the_interpreted_chain_has_the_law_of_the_compiled_one(monkeypatch):
    target = few_vertices()
    right = inclusion(target, 20_000, 1)
    monkeypatch.setattr("ffbm.theta.selection.visit_columns", interpreted()["ffbm.kernels.selection"].visit_columns)
    monkeypatch.setattr("ffbm.theta.selection.Bridge.cross", lambda *_: (False, 0.0))
    same = inclusion(target, 1500, 2)
    assert np.abs(right.mean(axis=0) - same.mean(axis=0)).max() < 0.05
