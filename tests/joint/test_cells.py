"""Unknown cells in the joint chain: labels, columns and cells follow their law; chains in pieces, and exchanged."""

import numpy as np
import pytest

from ffbm.joint import chain, ladder, selection
from ffbm.joint.chain import JointSettings, JointSetup, JointState
from ffbm.joint.exchange import take_over
from ffbm.joint.ladder import JointLadderSetup
from ffbm.joint.prepare import joint_model
from ffbm.joint.selection import ColumnState, column_setup
from ffbm.states import from_bytes, to_bytes
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.unknown import Unknown
from ffbm.types import Graph

from ..theta.unknown_laws import SIGMA, TABLE, Law, Visits, design_of

GRAPH = Graph.from_edges([0, 0, 1, 2, 4, 4, 3], [1, 2, 2, 3, 5, 5, 3], 6)
SETTINGS = JointSettings(burn=40, thin=1, n_warmup=30, jumps=0.5, shifts=0.5)


def begun(learned, n_classes=2, settings=SETTINGS, seed=1):
    """Return a set-up, a chain at random labels, and what advances it."""
    rng = np.random.default_rng(seed)
    design, labels = design_of(n_classes, learned), rng.integers(0, 2, len(TABLE))
    if learned:
        setup = column_setup(GRAPH, design, 2, settings, n_warmup=20)
        return setup, selection.start(setup, labels, rng, full=False), selection.advance
    setup = JointSetup(joint_model(GRAPH, design, 2, None, SIGMA), settings)
    return setup, chain.start(setup, labels, rng), chain.advance


def differences(learned, n_sweeps, n_points, n_chains=1, exchanged=False):
    """Return the largest difference of each kind between chains and the exact law: pairs, cells, columns."""
    law = Law(2, GRAPH, learned=learned, n_points=n_points)
    visits = None
    for seed in range(n_chains):
        setup, state, advance = begun(learned, seed=seed)
        visits = Visits(law, setup.model.unknown.cells) if visits is None else visits
        if exchanged:
            own = JointLadderSetup(setup, SETTINGS)
            labels = np.random.default_rng(seed).integers(0, 2, (2, len(TABLE)))
            state = ladder.start(own, labels, np.array([1.0, 0.5]), np.random.default_rng(seed))
            setup, advance = own, ladder.advance
        state, _ = advance(setup, state, SETTINGS.burn)
        for _ in range(n_sweeps):
            state, draws = advance(setup, state, 1)
            its = state.chains[0] if exchanged else state
            visits.count(its.cells.values, draws.inclusion[0] if learned else None, its.ledger.b.astype(int))
    pairs = np.abs(visits.together / visits.n - law.together).max()
    cells = 0.5 * np.abs(visits.cells / visits.n - law.of_cells).sum()
    return pairs, cells, np.abs(visits.inside / visits.n - law.inclusion).max() if learned else 0.0


def test_labels_and_cells_follow_the_law_by_enumeration():
    assert max(differences(False, 2500, 10)) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("learned", [False, True])
def test_labels_cells_and_columns_follow_the_law_closely(learned, exchanged):
    n_sweeps = 4000 if learned else 12_000
    assert max(differences(learned, n_sweeps, 13, n_chains=3, exchanged=exchanged)) < 0.03


def cells_without_labels(monkeypatch):
    right = Unknown.given
    monkeypatch.setattr(Unknown, "given", lambda *of: right(*of)._replace(y=0 * right(*of).y))


def labels_without_cells(monkeypatch):
    monkeypatch.setattr(CellSampler, "tie", lambda *_: None)


@pytest.mark.parametrize("fault", [cells_without_labels, pytest.param(labels_without_cells, marks=pytest.mark.slow)])
def test_faults_are_seen(monkeypatch, fault):
    fault(monkeypatch)
    assert max(differences(False, 2500, 10)) > 0.09


@pytest.mark.parametrize("learned", [False, True])
def test_a_chain_in_pieces_gives_the_same_bits(learned):
    settings = SETTINGS._replace(burn=10, thin=3)
    setup, state, advance = begun(learned, settings=settings)
    whole, drawn = advance(setup, state, 70)
    setup, state, advance = begun(learned, settings=settings)
    pieces = []
    for n in (3, 1, 0, 40, 26):
        state = from_bytes(ColumnState if learned else JointState, to_bytes(state))
        state, piece = advance(setup, state, n)
        pieces.append(piece)
    for one, parts in zip(drawn, zip(*pieces, strict=True), strict=True):
        np.testing.assert_array_equal(one, np.concatenate(parts))
    assert to_bytes(whole) == to_bytes(state)


def test_laws_are_a_sample_of_those_after_the_burn_in():
    setup, state, advance = begun(False)
    state, _ = advance(setup, state, SETTINGS.burn)
    assert len(state.laws) == 0
    assert state.cells.n_draws[0] == 0
    state, _ = advance(setup, state, 20)
    assert state.laws.shape == (4, *state.cells.law_table.shape)
    np.testing.assert_array_equal(state.laws[-1], state.cells.law_table)
    state, _ = advance(setup, state, 200)
    assert len(state.laws) == chain.MOST_LAWS
    assert state.cells.n_draws[0] == 220


@pytest.mark.parametrize("learned", [False, True])
def test_chains_exchange_cells_and_keep_what_they_saw(learned):
    (setup, one, advance), (_, other, _) = begun(learned, seed=1), begun(learned, seed=2)
    one, _ = advance(setup, one, SETTINGS.burn + 7)
    other, _ = advance(setup, other, SETTINGS.burn + 30)
    taken = take_over(one, other)
    np.testing.assert_array_equal(taken.cells.values, other.cells.values)
    np.testing.assert_array_equal(taken.cells.law_table, other.cells.law_table)
    np.testing.assert_array_equal(taken.cells.total, one.cells.total)
    if not learned:
        np.testing.assert_array_equal(taken.values, other.values)
        training, b = setup.model.training, taken.ledger.b
        given = setup.model.unknown.given(training, b[training.vertices])
        response = given.base + given.cells.response(taken.cells, given.y, len(given.base))
        np.testing.assert_allclose(training.sums_of_labels(b, taken.values), response)
