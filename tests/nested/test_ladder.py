"""Replica exchange of hierarchies: the law of the cold replica, pieces, bytes, what is carried, and temperatures."""

import numpy as np
import pytest

import ffbm
from ffbm.nested import ladder
from ffbm.nested.chain import NestedSettings, NestedSetup, lowest_of, unpack
from ffbm.nested.ladder import NestedLadderState, advance, find_betas, start
from ffbm.nested.target import NestedTarget, layout_for, nested_model
from ffbm.rng import stream
from ffbm.states import from_bytes, to_bytes
from ffbm.verification import hierarchies

from ..mutants import planted_alone

BETAS = np.array([1.0, 0.92, 0.85])


@pytest.fixture(scope="module")
def setup():
    graph = ffbm.simulate(n_nodes=40, n_blocks=4, n_edges=160, seed=1).network.graph
    target, layout = NestedTarget(graph), layout_for(graph)
    return NestedSetup(target, nested_model(target, layout), layout, NestedSettings(burn=6, thin=2))


def begun(setup):
    labels = np.arange(40) % 4
    return start(setup, lambda rng, k: [rng.permutation(labels), np.zeros(4, dtype=np.int64)], BETAS, stream(1, "test"))


def assert_same(state, other):
    for one, its in zip(state.chains, other.chains, strict=True):
        assert np.array_equal(one.ledger.b, its.ledger.b)
        assert np.array_equal(one.tower.b, its.tower.b)
        assert np.array_equal(one.totals, its.totals)
    assert np.array_equal(state.exchange.replica, other.exchange.replica)
    assert np.array_equal(state.exchange.swaps, other.exchange.swaps)


@pytest.mark.parametrize("cuts", [[1] * 20, [6, 1, 13], [5, 15]])
def test_pieces_make_no_difference(setup, cuts):
    whole, drawn = advance(setup, begun(setup), 20)
    state, parts = begun(setup), []
    for cut in cuts:
        state, part = advance(setup, state, cut)
        parts.append(part)
    assert_same(state, whole)
    assert np.array_equal(np.concatenate([part.labels for part in parts]), drawn.labels)
    assert len(drawn.labels) == 7


def test_a_ladder_goes_on_from_its_bytes(setup):
    state, _ = advance(setup, begun(setup), 9)
    again = from_bytes(NestedLadderState, to_bytes(state))
    state, wanted = advance(setup, state, 11)
    again, drawn = advance(setup, again, 11)
    assert_same(again, state)
    assert np.array_equal(drawn.entropy, wanted.entropy)


def test_what_is_carried_and_counted(setup):
    state, draws = advance(setup, begun(setup), 206)
    assert state.exchange.swaps[:, 0].tolist() == [100, 100]  # since the burn-in
    assert (state.exchange.swap_rates > 0).all()
    assert sorted(state.exchange.replica.tolist()) == [0, 1, 2]
    assert state.lowest <= draws.entropy.min() + 1e-9
    for labels, entropy in zip(draws.labels[-20:], draws.entropy[-20:], strict=True):
        assert setup.target.entropy(unpack(setup, labels)) == pytest.approx(entropy, abs=1e-7)
    for chain in state.chains:
        levels = lowest_of(setup, chain)
        assert setup.target.entropy(levels) == pytest.approx(chain.lowest, abs=1e-7)


def test_the_temperatures(setup):
    levels = [np.arange(40) % 4, np.zeros(4, dtype=np.int64)]
    betas = find_betas(setup, levels, stream(1, "test"))
    assert np.array_equal(betas, find_betas(setup, levels, stream(1, "test")))
    assert betas[0] == 1.0
    assert (np.diff(betas) < 0).all()


FAULTS = {
    "": (),
    "energies ignored": ("blocks.exchange", "-step * energy[1:]", "-step * energy[:-1]"),
    "temperatures forgotten in moves": ("nested.ladder", "_replace(beta=beta, thin=", "_replace(thin="),
    "a ladder upside down": ("blocks.exchange", "-np.diff(betas)", "np.diff(betas)"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_exact_law_of_hierarchies(name, monkeypatch):
    """As ``ffbm verify`` looks at it, with fewer cycles."""
    if FAULTS[name]:
        where, *fault = FAULTS[name]
        if where == "nested.ladder":
            monkeypatch.setattr(hierarchies, "ladder", planted_alone("ffbm.nested.ladder", tuple(fault)))
        else:
            faulty = planted_alone("ffbm.blocks.exchange", tuple(fault))
            monkeypatch.setattr(ladder, "exchange_tempered", faulty.exchange_tempered)
    found = hierarchies.compare_hierarchies(hierarchies.TRIALS["tempered"], 1500, seed=1)
    assert (found.distance < 0.02) == (name == ""), found
