"""Births and deaths of columns with unknown cells summed out: the law by enumeration, faults, and that they cross."""

import inspect

import numpy as np
import pandas as pd
import pytest

from ffbm.theta import collapsed
from ffbm.theta import selection as columns_chain
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.collapsed import find_column_cells, move_column
from ffbm.theta.imputed import ImputedSelection, advance_imputed_selection, start_imputed_selection
from ffbm.theta.mixture import draw_mixture
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.theta.response import read_members
from ffbm.theta.selection import set_up_selection
from ffbm.theta.unknown import find_unknown

from .unknown_laws import LABELS, SPARSE, SPARSE_LABELS, TABLE, Law, Visits, design_of

BOTH = {"both": ["party", "member"]}
CASES = pytest.mark.parametrize(
    ("groups", "own"), [(None, ((0,), (1,))), (BOTH, ((0, 1),))], ids=["summed", "particles"]
)


def chain_of(n_classes, groups=None, table=TABLE, labels=LABELS, n_warmup=20, seed=1):
    design = design_of(n_classes, True, table)
    target = weight_target(design, labels, None, 1.0, True, "learned", INTERCEPT_SD, groups)
    unknown = find_unknown(target, read_members(labels, design.n_nodes))
    rng = np.random.default_rng(seed)
    full = unknown.complete(target, unknown.cells.begin(rng))
    model = ImputedSelection(set_up_selection(full, n_warmup, find_mode(full.gaussian)), unknown)
    return model, start_imputed_selection(model, rng, full=False)


def visited(model, state, law, n_sweeps):
    visits = Visits(law, model.unknown.cells)
    state, _ = advance_imputed_selection(model, state, model.setup.n_warmup)
    for _ in range(n_sweeps):
        state, record = advance_imputed_selection(model, state, 1)
        visits.count(state.cells.values, record.inclusion[0])
    return visits.inside / visits.n, visits.cells / visits.n


def worst(law, inside, cells):
    return max(np.abs(inside - law.inclusion).max(), 0.5 * np.abs(cells - law.of_cells).sum())


@pytest.mark.slow
@CASES
def test_columns_and_cells_follow_the_law_closely(groups, own):
    """With all other moves, too."""
    law = Law(2, labels=LABELS, groups=own, n_points=13)
    assert worst(law, *visited(*chain_of(2, groups), law, 12_000)) < 0.02


def exact_draws(law, n, rng):
    """Draw inclusion, contrasts (features, then the intercept; B) and cells from their law given the labels."""
    flat = law.p[:, 0]
    which = rng.choice(flat.size, n, p=flat.ravel() / flat.sum())
    for at, c in zip(*np.unravel_index(which, flat.shape), strict=True):
        w, fit = law.points[at], law.fits[at, c]
        chosen = rng.choice(len(w), p=np.exp(fit - fit.max()) / np.exp(fit - fit.max()).sum())
        yield law.sets[at].copy(), w[chosen].T, law.cells[c]


def moved_from_the_law(groups, own, n, n_moves=6):
    """Return how far inclusion and cells are from their law after moves that begin at draws from it, in errors."""
    law = Law(1, labels=SPARSE_LABELS, groups=own, keeps=True, table=SPARSE)
    model, state = chain_of(1, groups, SPARSE, SPARSE_LABELS)
    rng, cells, sweeper = np.random.default_rng(3), model.unknown.cells, columns_chain.Sweeper(model.setup)
    more = [sweeper.columns.value]
    sampler = CellSampler(cells, model.unknown.y, state.cells, sweeper.target, model.unknown.base, more)
    visits, chain = Visits(law, cells), state.chain
    for inside, w, values in exact_draws(law, n, rng):
        chain.inside[:], chain.weights[:] = inside, w[model.setup.target.training.rows.active]
        state.cells.values[visits.order] = values
        drawn = draw_mixture(rng, cells.parts, 1, np.zeros(len(SPARSE), int), *cells.complete(state.cells))
        for array, new in zip(state.cells.law, drawn, strict=True):
            array[:] = new
        sampler.tie()
        for _ in range(n_moves):
            sweeper._sum_cells_out(chain, sampler, np.ones(len(inside)), np.zeros(5, np.int32))
        visits.count(state.cells.values, chain.inside)
    expected = np.concatenate((law.inclusion, law.first_values(law.of_cells)))
    seen = np.concatenate((visits.inside, law.first_values(visits.cells))) / n
    return (seen - expected) / np.sqrt(expected * (1 - expected) / n)


@CASES
def test_draws_from_the_law_stay_draws_from_it(groups, own):
    assert np.abs(moved_from_the_law(groups, own, 300)).max() < 3.6


FAULTS = {
    "ratio ignored": (
        "if not np.log(rng.random()) < (log_sum_exp(weights) - log_sum_exp(old)).sum():",
        "if False:",
    ),
    "cells not empty while the column moves": ("sampler.tie((column.parts, column.numbers))", "sampler.tie()"),
    "cells without their block": (
        "fit = log_probability(by_option, y[:, np.newaxis]) - log_probability(empty, y)[:, np.newaxis]",
        "fit = np.zeros(by_option.shape[:2])",
    ),
    "cells chosen at random": (
        "chosen = draw_of(rng, np.exp(weights - weights.max(axis=1, keepdims=True)))",
        "chosen = draw_of(rng, np.ones_like(weights))",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(monkeypatch, fault):
    right, wrong = FAULTS[fault]
    source = inspect.getsource(collapsed)
    assert source.count(right) == 1
    space = {"__name__": collapsed.__name__}
    exec(compile(source.replace(right, wrong), collapsed.__file__, "exec"), space)
    monkeypatch.setattr(columns_chain, "move_column", space["move_column"])
    assert np.abs(moved_from_the_law(None, ((0,), (1,)), 300)).max() > 3.9


@pytest.mark.parametrize(("way", "moves"), [(1, True), (-1, False)])
def test_a_birth_is_decided_by_the_vertices_without_an_answer(way, moves):
    """Whatever the cell is, weights of 40 speak for the vertex's own block, or against it: e^40 times as likely."""
    table = pd.DataFrame({"party": ["a", None, "b", "a", "b", "c"], "home": ["x", "y", "x", "y", "x", "y"]})
    model, state = chain_of(2, None, table)
    sweeper, chain, cells = columns_chain.Sweeper(model.setup), state.chain, model.unknown.cells
    more = [sweeper.columns.value]
    sampler = CellSampler(cells, model.unknown.y, state.cells, sweeper.target, model.unknown.base, more)
    [own] = find_column_cells(cells, model.setup.target.groups)
    column = model.setup.target.groups.of_feature[model.setup.target.training.rows.active] == own.column
    chain.inside[own.column], chain.weights[column] = False, 0.0
    before = chain.weights.copy()
    sampler.tie()

    def be_born():
        chain.inside[own.column] = True
        chain.weights[column] = way * 40.0 * (2 * model.unknown.y[own.rows[0]] - 1)

    rng = np.random.default_rng(5)
    assert move_column(rng, sampler, own, chain.weights, chain.inside, be_born) is moves
    assert chain.inside[own.column] == moves
    assert np.array_equal(chain.weights, before) is not moves


def test_cells_by_column():
    table = pd.DataFrame(
        {
            "party": ["a", None, "b", "a", "b", "c"],
            "age": [1.0, 2.0, None, None, 5.0, 3.0],
            "home": ["x", "y", "x", "y", "x", "y"],
        }
    )
    model, state = chain_of(2, None, table)
    found = find_column_cells(model.unknown.cells, model.setup.target.groups)
    assert [(one.column, one.parts, one.numbers) for one in found] == [(0, [0], []), (1, [], [0])]
    assert [model.unknown.cells.vertices[one.rows].tolist() for one in found] == [[1], [2, 3]]
    sampler = CellSampler(
        model.unknown.cells, model.unknown.y, state.cells, model.setup.target.kernel, model.unknown.base
    )
    rng = np.random.default_rng(1)
    values, numbers = (collapsed.list_options(rng, sampler, one) for one in found)
    assert np.exp(values.log_prior).sum(axis=1) == pytest.approx(1)
    assert values.codes[0, :, 0].tolist() == [0, 1, 2]
    assert numbers.numbers[:, 0, 0].tolist() == state.cells.numbers.tolist()  # the present ones are among them
    assert numbers.numbers.shape == (2, collapsed.N_PARTICLES, 1)
