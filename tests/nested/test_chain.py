"""The chain of hierarchies: S and counts as they are carried, pieces, and the exact law on tiny networks."""

import numpy as np
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import UNCORRECTED
from ffbm.nested.chain import NestedSettings, NestedSetup, advance, lowest_of, start, unpack
from ffbm.nested.search import best_hierarchy
from ffbm.nested.target import Layout, NestedTarget, lay_out, nested_model, vertex_labels
from ffbm.types import Graph
from ffbm.verification.findings import Effort
from ffbm.verification.hierarchies import TRIALS, all_hierarchies, compare_hierarchies, follow_the_law


def set_up(graph, layout, **settings):
    target = NestedTarget(graph, settings.pop("likelihood", NestedTarget(graph).likelihood))
    return NestedSetup(target, nested_model(target, layout), layout, NestedSettings(0, 1, **settings))


@pytest.fixture(scope="module")
def graph():
    """Twelve blocks in four groups in two, with self-loops and parallel edges."""
    rng = np.random.default_rng(4)
    b = np.repeat(np.arange(12), 8)
    edges = []
    while len(edges) < 1500:
        i, j = rng.integers(0, 96, 2)
        chance = 1.0 if b[i] == b[j] else 0.15 if b[i] // 3 == b[j] // 3 else 0.03 if b[i] // 6 == b[j] // 6 else 0.005
        if rng.random() < chance:
            edges.append((i, j))
    return Graph.from_edges(*np.array(edges).T, 96)


@pytest.fixture(scope="module")
def arcs(graph):
    """The same as arcs, a third of them both ways."""
    source, target = graph.edges.T
    back = np.random.default_rng(9).random(len(source)) < 1 / 3
    return Graph.from_edges(np.append(source, target[back]), np.append(target, source[back]), 96, directed=True)


@pytest.mark.parametrize(
    ("name", "n_rows"),
    [("graph", 4), *(pytest.param(*other, marks=pytest.mark.slow) for other in (("graph", 2), ("arcs", 4)))],
)
def test_what_is_carried_is_what_is_counted(request, name, n_rows):
    graph, layout = request.getfixturevalue(name), Layout(30, 30, n_rows)
    setup = set_up(graph, layout, jumps=3.0, shifts=2.0, beta=0.2)
    levels = [np.arange(96) // 8, np.arange(12) // 3, np.arange(4) // 2, np.zeros(2, dtype=int)]
    levels = [*levels[: n_rows - 1], np.zeros(int(levels[n_rows - 2].max()) + 1, dtype=int)]
    state, seen = start(setup, levels, np.random.default_rng(2)), set()
    for _ in range(60):
        state, draws = advance(setup, state, 3)
        found = unpack(setup, draws.labels[-1])
        assert draws.entropy[-1] == pytest.approx(description_length(graph, found).total, abs=1e-7)
        ledger, tower = lay_out(setup.model, setup.target, found, layout)
        for name in ("n", "e", "ers", "used"):
            assert np.array_equal(getattr(tower, name), getattr(state.tower, name)), name
            assert np.array_equal(getattr(ledger, name), getattr(state.ledger, name)), name
        assert np.allclose(ledger.term, state.ledger.term)
        seen.add(tuple(int(labels.max()) + 1 for labels in found))
    assert len(seen) > 10
    assert state.lowest == pytest.approx(description_length(graph, lowest_of(setup, state)).total, abs=1e-7)


def test_advancing_in_pieces_changes_no_bit(graph):
    setup = set_up(graph, Layout(30, 30, 4))
    begin = [np.arange(96) // 8, np.zeros(12, dtype=int)]
    whole = advance(setup, start(setup, begin, np.random.default_rng(3)), 12)[1]
    state, parts = start(setup, begin, np.random.default_rng(3)), []
    for n in (5, 4, 3):
        state, draws = advance(setup, state, n)
        parts.append(draws)
    for field, pieces in zip(whole, zip(*parts, strict=True), strict=True):
        assert np.array_equal(field, np.concatenate(pieces))


def test_a_planted_hierarchy_is_found(graph):
    found = best_hierarchy(NestedTarget(graph), 2, seed=0)
    planted = [np.arange(96) // 8, np.arange(12) // 3, np.arange(4) // 2, np.zeros(2, dtype=int)]
    assert found.entropy <= description_length(graph, planted).total + 1e-6
    assert found.entropy == pytest.approx(description_length(graph, found.levels).total, abs=1e-7)
    for labels, wanted in zip(vertex_labels(found.levels), vertex_labels(planted), strict=True):
        assert np.array_equal(labels[:, None] == labels, wanted[:, None] == wanted)


def test_all_hierarchies_are_listed():
    assert [len(all_hierarchies(n, 2)) for n in (2, 3, 4, 5)] == [3, 12, 60, 358]
    assert len(all_hierarchies(4, 3)) == 154


@pytest.mark.parametrize("name", ["two levels", "three levels", "directed, three levels"])
def test_visits_follow_the_law(name):
    found = follow_the_law(name, Effort(False, 0, lambda function, items: [function(item) for item in items]))
    assert not found.doubt
    assert found.figure < found.bound


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIALS)
def test_visits_follow_the_law_closely(name):
    trial = TRIALS[name]
    found = compare_hierarchies(trial, trial.n_full, seed=1)
    assert found.floor < 0.002
    assert found.distance < 0.005


@pytest.mark.slow  # the start of directed searches is compiled apart
def test_a_planted_hierarchy_of_arcs_is_found(arcs):
    found = best_hierarchy(NestedTarget(arcs), 2, seed=0)
    planted = [np.arange(96) // 8, np.arange(12) // 3, np.arange(4) // 2, np.zeros(2, dtype=int)]
    assert found.entropy <= description_length(arcs, planted).total + 1e-6
    assert found.entropy == pytest.approx(description_length(arcs, found.levels).total, abs=1e-7)


@pytest.mark.slow  # its kernels are compiled apart
def test_without_degree_correction(graph):
    setup = set_up(graph, Layout(30, 30, 3), likelihood=UNCORRECTED)
    begin = [np.arange(96) // 8, np.zeros(12, dtype=int)]
    _, draws = advance(setup, start(setup, begin, np.random.default_rng(1)), 20)
    found = unpack(setup, draws.labels[-1])
    truth = ffbm.description_length(graph, found, degree_corrected=False).total
    assert draws.entropy[-1] == pytest.approx(truth, abs=1e-7)
