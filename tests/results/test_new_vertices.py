"""New vertices with edges to known ones: the sum over all partitions, times what features say."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.errors import DataError, OptionError
from ffbm.results.new_vertices import aligned_labels
from ffbm.types import Graph

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
TINY = np.array([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 2), (4, 5)])
SIDE = np.eye(2)[[0, 0, 0, 1, 1, 1]]


@pytest.fixture(scope="module")
def tiny():
    net = ffbm.as_network(TINY, SIDE)
    return ffbm.fit(
        net, 2, n_sweeps=40_000, thin=50, n_draws=100, n_warmup=100, tempering=False, seed=1, progress=False
    )


def nats(graph, b):
    found = description_length(graph, b)
    return found.adjacency + found.degrees


def test_edges_count_as_the_sum_over_partitions_says(tiny, monkeypatch):
    """Blocks of every partition are numbered so that they overlap most with the memberships."""
    monkeypatch.setattr("ffbm.results.new_vertices._DRAWS", 2560)  # all of them: the 50 of a user are off by more
    place = {int(name): at for at, name in enumerate(tiny.network.node_ids)}
    graph = tiny.network.graph
    new = [(6, place[0]), (6, place[1]), (6, place[3])]
    larger = Graph.from_edges(*np.vstack((graph.edges, new)).T, 7)
    weight = np.zeros(2)
    for b in itertools.product(range(2), repeat=6):
        overlap = tiny.memberships.probs[np.arange(6), b].sum()
        if len(set(b)) == 2 and overlap > 3.0:  # of the two numberings of a partition, whose overlaps sum to 6
            weight += [np.exp(-nats(larger, (*b, r))) for r in range(2)]
    x = np.array([[0.0, 0.0]])
    by_features = tiny.predict(x)[0]
    exact = weight * by_features / (weight @ by_features)
    assert tiny.predict(x, edges=[[0, 1, 3]])[0] == pytest.approx(exact, abs=0.05)


def test_features_and_edges_both_count(tiny):
    own, other = tiny.memberships.labels[[0, 5]]
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    alone, with_edges = tiny.predict(x), tiny.predict(x, edges=[[0, 1, 2], [0, 1, 2]])
    assert (with_edges[:, own] > alone[:, own]).all()
    assert with_edges[0, own] > with_edges[1, own]
    assert with_edges.sum(axis=1) == pytest.approx(1)
    assert tiny.predict(x, edges=[[], []]).sum(axis=1) == pytest.approx(1)
    assert own != other


def test_tables_are_told_apart(tiny):
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    table = pd.DataFrame(x, columns=list(tiny.network.features.names))
    assert np.array_equal(tiny.predict(table, encoded=True), tiny.predict(x))
    rows = [dict(zip(tiny.network.features.names, map(int, row), strict=True)) for row in x]
    assert np.array_equal(tiny.predict(rows), tiny.predict(pd.DataFrame(rows)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"features": np.eye(2), "edges": [[0]]}, "one list for each of 2 vertices; got 1"),
        ({"features": np.eye(2), "edges": [[0], ["nobody"]]}, "vertex 1 has an edge to 'nobody'"),
        ({"features": pd.DataFrame({"a": [1]}), "encoded": True}, "is not there"),
    ],
)
def test_what_is_refused(tiny, given, said):
    with pytest.raises(DataError, match=said):
        tiny.predict(**given)


def test_expected_links_are_the_sum_over_blocks(tiny):
    """By the formula, pair after pair and partition after partition."""
    x, graph = np.array([[1.0, 0.0], [0.0, 1.0]]), tiny.network.graph
    p, wanted = tiny.predict(x), np.zeros((2, 6))
    labels = aligned_labels(tiny, 50)
    for b in labels:
        e = np.zeros((2, 2))
        for i, j in graph.edges:
            e[b[i], b[j]] += 1
            e[b[j], b[i]] += 1
        for v, j, r in itertools.product(range(2), range(6), range(2)):
            wanted[v, j] += p[v, r] * e[r, b[j]] * graph.degrees[j] / (e[r].sum() * e[b[j]].sum()) / len(labels)
    assert tiny.expected_links(x, 3.0) == pytest.approx(3 * wanted)
    assert tiny.expected_links(x, [2, 5]).sum(axis=1) == pytest.approx([2, 5])
    assert tiny.expected_links(x).sum(axis=1) == pytest.approx([3, 3])  # 18 half-edges on six vertices


def test_without_degree_correction_vertices_of_a_block_are_alike(tiny):
    settings = {**tiny.blocks.settings, "degree_corrected": False}
    plain = replace(tiny, blocks=replace(tiny.blocks, settings=settings, labels=tiny.blocks.labels[:1, :1]))
    plain = replace(plain, memberships=replace(tiny.memberships, order=tiny.memberships.order[:1, :1]))
    expected, b = plain.expected_links(np.eye(2), 4.0), aligned_labels(plain, 50)[0]
    assert expected.sum(axis=1) == pytest.approx([4, 4])
    for r in range(2):
        assert np.ptp(expected[:, b == r], axis=1) == pytest.approx([0, 0])


def test_expected_links_of_a_directed_network_lead_outward():
    rng = np.random.default_rng(2)
    i, j = np.nonzero(~np.eye(40, dtype=bool))
    there = rng.random(len(i)) < np.where((i < 20) & (j >= 20), 0.3, 0.02)  # from the first half to the second
    half = pd.DataFrame({"half": ["first"] * 20 + ["second"] * 20})
    net = ffbm.as_network(np.column_stack((i, j))[there], half, node_ids=range(40), directed=True)
    fit = ffbm.fit(net, 2, n_sweeps=300, n_draws=50, n_warmup=50, seed=1, tempering=False, progress=False)
    expected = fit.expected_links([{"half": "first"}, {"half": "second"}], 10)
    assert expected.sum(axis=1) == pytest.approx(10)
    assert expected[0, 20:].sum() > 8
    assert expected[0, 20:].sum() > expected[1, 20:].sum()


@pytest.mark.parametrize(
    ("degree", "error", "said"),
    [
        ([1, 2, 3], DataError, "one for each of 2 vertices; got 3"),
        (-1, OptionError, "degree must be a number, at least 0; got -1"),
        ([1, "many"], OptionError, "degree must be a number"),
    ],
)
def test_degrees_that_are_none(tiny, degree, error, said):
    with pytest.raises(error, match=said):
        tiny.expected_links(np.eye(2), degree)
