"""Replica exchange of joint chains: the law of the cold one, pieces, bytes, and what is counted."""

import numpy as np
import pytest

from ffbm import states
from ffbm.joint.chain import JointSettings, JointSetup
from ffbm.joint.chain import advance as plain_advance
from ffbm.joint.chain import start as plain_start
from ffbm.joint.ladder import JointLadderSetup, JointLadderState, advance, start
from ffbm.joint.prepare import joint_model
from ffbm.joint.selection import column_setup
from ffbm.kernels.workspace import ENTROPY
from ffbm.types import Graph
from ffbm.verification import joint_laws, joint_selection
from ffbm.verification.findings import Effort
from tests.mutants import planted_alone

X = np.array([[1, 0.5], [1, -1], [0, 2], [0, 0], [1, 1.5]])
GRAPH = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 2, 4, 0], 5)
BETAS = np.array([1.0, 0.6, 0.2])
SETTINGS = JointSettings(burn=20, thin=3, n_warmup=20, jumps=1.0, shifts=1.0)


def setup_of(prior, settings=SETTINGS):
    if prior == "fixed":
        return JointLadderSetup(JointSetup(joint_model(GRAPH, X, 3, None, 1.0), settings), settings)
    return JointLadderSetup(column_setup(GRAPH, X, 3, settings)._replace(gap=3), settings)


def begun(setup, seed=3):
    rng = np.random.default_rng(seed)
    return start(setup, rng.integers(0, 3, (3, 5)), BETAS, rng)


@pytest.mark.parametrize("prior", ["fixed", "learned"])
def test_pieces_change_no_bit_and_neither_do_bytes(prior):
    setup = setup_of(prior)
    whole, draws = advance(setup, begun(setup), 50)
    state, kept = begun(setup), []
    for n in (7, 13, 1, 29):
        state, some = advance(setup, state, n)
        kept.append(some)
        state = states.from_bytes(JointLadderState, states.to_bytes(state))
    for name, field in draws._asdict().items():
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in kept]), field)
    assert states.to_bytes(whole) == states.to_bytes(state)
    assert len(draws.labels) == 10


def test_at_one_temperature_it_is_the_plain_chain():
    setup = setup_of("fixed")
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 5)
    _, draws = advance(setup, start(setup, labels[None], np.ones(1), np.random.default_rng(4)), 50)
    own = np.random.default_rng(4).spawn(1)[0]
    _, plain = plain_advance(setup.chain, plain_start(setup.chain, labels, own), 50)
    np.testing.assert_array_equal(draws.labels, plain.labels)
    np.testing.assert_array_equal(draws.weights, plain.weights)


def test_what_is_counted():
    state, _ = advance(setup_of("fixed"), begun(setup_of("fixed")), 520)
    assert state.exchange.swaps[:, 0].tolist() == [50, 50]  # of 100 rounds since the burn-in
    assert (state.exchange.swap_rates > 0).all()
    assert state.exchange.round_trips > 0
    assert sorted(state.exchange.replica.tolist()) == [0, 1, 2]
    assert state.lowest == pytest.approx(min(chain.lowest for chain in state.chains))
    assert all(chain.lowest <= chain.totals[ENTROPY] + 1e-9 for chain in state.chains)


def by_ladders(monkeypatch, module, where, *fault):
    """Let the chains of a check be ladders of three replicas, all from the same labels."""
    made = planted_alone("ffbm.joint.ladder", fault if where == "joint.ladder" else ("_LEAST_GAP = 5",) * 2)
    if where == "blocks.exchange":
        made.exchange_tempered = planted_alone("ffbm.blocks.exchange", fault).exchange_tempered
    made._LEAST_GAP = 1  # sweeps have little time to make good what exchanges do

    def begin(setup, labels, rng, **full):
        given = made.JointLadderSetup(setup, setup.settings)
        return made.start(given, np.tile(labels, (3, 1)), np.array([1.0, 0.5, 0.1]), rng, **full)

    monkeypatch.setattr(module, "start", begin)
    monkeypatch.setattr(
        module, "advance", lambda setup, state, n: made.advance(made.JointLadderSetup(setup, setup.settings), state, n)
    )


FAULTS = {
    "": ("joint.ladder", "_LEAST_GAP = 5", "_LEAST_GAP = 5"),
    "energies ignored": ("blocks.exchange", "-step * energy[1:]", "-step * energy[:-1]"),
    "temperatures forgotten in moves": ("joint.ladder", "_replace(beta=beta, thin=thin)", "_replace(thin=thin)"),
    "a ladder upside down": ("blocks.exchange", "-np.diff(betas)", "np.diff(betas)"),
}


TRIANGLES = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)) * 3 + ((2, 3),)  # single vertices hardly leave them
X_SIX = ((1,), (1,), (0,), (1,), (0,), (0,))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_the_exact_law_of_labels_and_weights(name, monkeypatch):
    by_ladders(monkeypatch, joint_laws, *FAULTS[name])
    case = joint_laws.Case(TRIANGLES, X_SIX, sigma=2.0)
    settings = JointSettings(200, 1, n_warmup=100, jumps=0.0, shifts=0.0)
    found = joint_laws.sampled_moments(case, settings, 1500, seed=1)
    together, squares, empty = joint_laws.distances(joint_laws.exact_moments(case), found)
    assert (together < 0.02 and squares < 0.06 and empty < 0.01) == (name == "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "energies ignored", "a ladder upside down"])
def test_the_exact_law_of_labels_and_columns(name, monkeypatch):
    by_ladders(monkeypatch, joint_selection, *FAULTS[name])
    case, effort = joint_selection.Case(TRIANGLES, X_SIX, (0,)), Effort(False, 1, lambda f, items: [*map(f, items)])
    found = joint_selection.sampled_moments(case, JointSettings(60, 1, jumps=0.0, shifts=0.0), 1500, effort)
    parts = zip(joint_selection.exact_moments(case), found, strict=True)
    together, inclusion, size, empty = (float(np.abs(np.subtract(*part)).max()) for part in parts)
    assert (together < 0.04 and inclusion < 0.02 and size < 0.06 and empty < 0.04) == (name == "")
