"""The chain of hierarchies: S and counts as they are carried, pieces, and the exact law on tiny networks."""

from itertools import islice

import numpy as np
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import UNCORRECTED
from ffbm.nested.chain import NestedSettings, NestedSetup, advance, lowest_of, start, unpack
from ffbm.nested.search import search_hierarchies
from ffbm.nested.target import Layout, NestedTarget, lay_out, layout_for, nested_model, vertex_labels
from ffbm.types import EdgeWeights, Graph
from ffbm.verification.findings import Effort
from ffbm.verification.hierarchies import TRIALS, all_hierarchies, compare_hierarchies, follow_the_law


def set_up(graph, layout, **settings):
    target = NestedTarget(
        graph, settings.pop("likelihood", NestedTarget(graph).likelihood), settings.pop("types", None)
    )
    return NestedSetup(target, nested_model(target, layout), layout, NestedSettings(0, 1, **settings))


def best_hierarchy(target, n_turns, seed):
    layout = layout_for(target.graph)
    setup = NestedSetup(target, nested_model(target, layout), layout, NestedSettings(0, 1))
    *_, lowest = islice(search_hierarchies(setup, np.random.default_rng(seed)), n_turns)
    return lowest


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


@pytest.fixture(scope="module")
def weighted(graph):
    """Edges with counts on them, larger within the groups of level 1."""
    same = np.equal(*(graph.edges // 24).T)
    counts = np.random.default_rng(5).poisson(2 + 4 * same).astype(float)
    return Graph.from_edges(*graph.edges.T, 96, weights=EdgeWeights(counts, "poisson"))


@pytest.fixture(scope="module")
def weighted_arcs(arcs):
    """Arcs with numbers on them, whose squares are counted too."""
    sizes = np.random.default_rng(6).normal(size=arcs.n_edges).round(3)
    return Graph.from_edges(*arcs.edges.T, 96, True, EdgeWeights(sizes, "normal"))


@pytest.fixture(scope="module")
def timed_arcs(arcs):
    """Arcs with numbers above 0 on them, larger from the first half."""
    times = np.random.default_rng(7).exponential(1 + 3 * (arcs.edges[:, 0] < 48))
    return Graph.from_edges(*arcs.edges.T, 96, True, EdgeWeights(times, "exponential"))


HALVES = np.arange(96) // 48  # the two groups of level 2
CARRIED = (
    ("graph", 2, None), ("arcs", 4, None), ("arcs", 4, HALVES), ("weighted", 4, None), ("weighted_arcs", 4, None),
    ("weighted", 4, HALVES), ("timed_arcs", 4, None), ("timed_arcs", 4, HALVES),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "n_rows", "types"),
    [("graph", 4, None), ("graph", 4, HALVES), *(pytest.param(*other, marks=pytest.mark.slow) for other in CARRIED)],
)
def test_what_is_carried_is_what_is_counted(request, name, n_rows, types):
    graph, layout = request.getfixturevalue(name), Layout(30, 30, n_rows)
    setup = set_up(graph, layout, jumps=3.0, shifts=2.0, beta=0.2, types=types)
    levels = [np.arange(96) // 8, np.arange(12) // 3, np.arange(4) // 2, np.zeros(2, dtype=int)]
    levels = [*levels[: n_rows - 1], np.zeros(int(levels[n_rows - 2].max()) + 1, dtype=int)]
    levels = levels if types is None else levels[:-1]
    state, seen = start(setup, levels, np.random.default_rng(2)), set()
    for _ in range(60):
        state, draws = advance(setup, state, 3)
        found = unpack(setup, draws.labels[-1])
        assert draws.entropy[-1] == pytest.approx(description_length(graph, found, node_type=types).total, abs=1e-7)
        ledger, tower = lay_out(setup.model, setup.target, found, layout)
        for name in ("n", "e", "ers", "used"):
            assert np.array_equal(getattr(ledger, name), getattr(state.ledger, name)), name
            if types is None:  # those on top have no order
                assert np.array_equal(getattr(tower, name), getattr(state.tower, name)), name
        for name in ("sums", "squares", "whole") if graph.weights is not None else ():
            assert np.array_equal(getattr(ledger, name), getattr(state.ledger, name)), name
        for name in ("pairs", "sums") if types is None else ():
            assert np.array_equal(getattr(tower, name), getattr(state.tower, name)), name
        assert np.allclose(ledger.term, state.ledger.term)
        seen.add(tuple(int(labels.max()) + 1 for labels in found))
    assert len(seen) > 10
    lowest = description_length(graph, lowest_of(setup, state), node_type=types).total
    assert state.lowest == pytest.approx(lowest, abs=1e-7)


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
    assert len(all_hierarchies(5, 2, np.array([0, 0, 0, 1, 1]))) == 12 * 3  # those of each type, by themselves


@pytest.mark.parametrize("name", ["two levels", "three levels"])
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


@pytest.mark.slow  # flat searches with types and with weights are compiled apart
def test_a_planted_hierarchy_is_found_with_types_and_with_weights(graph, weighted):
    planted = [np.arange(96) // 8, np.arange(12) // 3, np.arange(4) // 2]
    found = best_hierarchy(NestedTarget(graph, types=HALVES), 2, seed=0)
    assert found.entropy <= description_length(graph, planted, node_type=HALVES).total + 1e-6
    assert found.entropy == pytest.approx(description_length(graph, found.levels, node_type=HALVES).total, abs=1e-7)
    found = best_hierarchy(NestedTarget(weighted), 2, seed=0)
    assert found.entropy <= description_length(weighted, [*planted, [0, 0]]).total + 1e-6
    assert found.entropy == pytest.approx(description_length(weighted, found.levels).total, abs=1e-7)
