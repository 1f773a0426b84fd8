"""Births and deaths of columns with unknown cells summed out: the law by enumeration, faults, and that they cross."""

import inspect

import numpy as np
import pandas as pd
import pytest

from ffbm.theta import collapsed
from ffbm.theta import selection as columns_chain
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.imputed import (
    ImputedSelection,
    ImputedSelectionState,
    advance_imputed_selection,
    start_imputed_selection,
)
from ffbm.theta.mixture import draw_mixture
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.theta.response import read_members
from ffbm.theta.selection import set_up_selection
from ffbm.theta.unknown import find_unknown

from .unknown_laws import LABELS, TABLE, Law, Visits, design_of

BOTH = {"both": ["party", "member"]}
N_SWEEPS = 1500


@pytest.fixture
def alone(monkeypatch):
    """Columns come and go by these moves alone."""
    monkeypatch.setattr(columns_chain, "visit_columns", lambda *_: None)
    monkeypatch.setattr(columns_chain.Bridge, "cross", lambda *_: (0, 0.0))


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


@pytest.mark.parametrize(("groups", "own"), [(None, ((0,), (1,))), (BOTH, ((0, 1),))], ids=["summed", "particles"])
def test_columns_and_cells_follow_the_law_by_enumeration(alone, groups, own):
    law = Law(2, labels=LABELS, groups=own)
    assert worst(law, *visited(*chain_of(2, groups), law, N_SWEEPS)) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "own"), [(None, ((0,), (1,))), (BOTH, ((0, 1),))], ids=["summed", "particles"])
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


def moved_from_the_law(groups, own, n, n_moves=8, module=collapsed):
    """Return inclusion and the shares of cells before and after moves that begin at draws from the law."""
    law, (model, state) = Law(1, labels=LABELS, groups=own, n_points=12, keeps=True), chain_of(1, groups)
    rng, cells = np.random.default_rng(3), model.unknown.cells
    setup = columns_chain.SelectionSetup(*model.setup)
    sweeper = columns_chain.Sweeper(setup)
    sampler = CellSampler(cells, model.unknown.y, state.cells, sweeper.target, model.unknown.base, [sweeper.columns.value])
    visits = [Visits(law, cells), Visits(law, cells)]
    active, chain = model.setup.target.training.rows.active, state.chain
    for inside, w, values in exact_draws(law, n, rng):
        chain.inside[:], chain.weights[:] = inside, w[active]
        state.cells.values[visits[0].order] = values
        complete = cells.complete(state.cells)
        drawn = draw_mixture(rng, cells.parts, 1, np.zeros(len(LABELS), int), *complete)
        for array, new in zip(state.cells.law, drawn, strict=True):
            array[:] = new
        sampler.tie()
        visits[0].count(state.cells.values, chain.inside)
        for _ in range(n_moves):
            sweeper._sum_cells_out(chain, sampler, np.ones(len(inside)), np.zeros(5, np.int32))
        visits[1].count(state.cells.values, chain.inside)
    return [(one.inside / n, one.cells / n) for one in visits]
