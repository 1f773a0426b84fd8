"""The graph and the network: their arrays, and a fingerprint that ignores order."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.errors import DataError
from ffbm.types import Features, Graph, Network


def network(edges, ids, x, names):
    ends = np.array(edges).reshape(-1, 2)
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], len(ids))
    features = Features(x, tuple(names), tuple(names), np.zeros(len(names)), np.ones(len(names)))
    return Network(graph, features, np.array(ids, dtype=object))


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 4, 7, 8, 9, 64])
def test_rows_are_sorted_and_symmetric(n_nodes):
    rng = np.random.default_rng(n_nodes)
    ends = rng.integers(0, n_nodes, size=(50, 2))
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes)
    dense = np.zeros((n_nodes, n_nodes), dtype=int)
    for u, v in ends:
        dense[u, v] += 1
        dense[v, u] += 1
    assert graph.n_edges == 50
    assert np.array_equal(graph.degrees, dense.sum(axis=1))
    assert np.array_equal(2 * graph.loops, np.diag(dense))
    for i in range(n_nodes):
        row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        assert np.all(np.diff(row) >= 0)
        counted = np.bincount(row, minlength=n_nodes)
        assert np.array_equal(counted, np.where(np.arange(n_nodes) == i, 0, dense[i]))
    pairs = sorted(tuple(sorted(pair)) for pair in ends.tolist())
    assert sorted(map(tuple, graph.edges.tolist())) == pairs


def test_ends_of_any_integer_type_and_stride():
    flat = np.array([0, 1, 3, 3, 2, 0, 3, 3], dtype=np.int32)
    graph = Graph.from_edges(flat[::2], flat[1::2], 5)
    assert (graph.indptr.tolist(), graph.indices.tolist()) == ([0, 2, 3, 4, 4, 4], [1, 2, 0, 0])
    assert graph.loops.tolist() == [0, 0, 0, 2, 0]
    assert (graph.indptr.dtype, graph.indices.dtype, graph.loops.dtype) == (np.int64, np.int32, np.int32)
    assert flat.tolist() == [0, 1, 3, 3, 2, 0, 3, 3]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int8, list])
def test_ends_of_any_type_give_one_graph(kind, directed):
    ends = np.random.default_rng(0).integers(0, 100, size=(2, 400))
    given = ends.tolist() if kind is list else ends.astype(kind)
    one, other = (Graph.from_edges(*those, 100, directed) for those in (ends, given))
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.edges, other.edges)


@pytest.mark.parametrize("directed", [False, True])
def test_components_of_multigraphs(directed):
    rng = np.random.default_rng(1)
    ends = np.concatenate((rng.integers(0, 60, size=(80, 2)), rng.integers(60, 90, size=(60, 2)), [[91, 91], [92, 93]]))
    ends = np.concatenate((ends, ends[:30]))
    graph = Graph.from_edges(*ends.T, 95, directed)
    slow = nx.MultiGraph(ends.tolist())
    slow.add_nodes_from(range(95))
    assert graph.component_sizes.tolist() == sorted(map(len, nx.connected_components(slow)), reverse=True)


def test_empty_graphs():
    assert Graph.from_edges([], [], 0).n_edges == 0
    assert Graph.from_edges([], [], 3).degrees.tolist() == [0, 0, 0]


def test_too_large():
    with pytest.raises(DataError, match="larger than ffbm can index"):
        Graph.from_edges([], [], 2**31)


def test_fingerprint_ignores_order_and_storage():
    x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    first = network([(0, 1), (1, 2), (2, 2)], ["a", "b", "c"], x, ["p", "q"])
    second = network([(2, 1), (0, 0), (0, 1)], ["c", "b", "a"], sp.csr_array(x[::-1][:, ::-1]), ["q", "p"])
    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        ([(0, 1), (1, 2)], ["a", "b", "d"], [[1.0], [0.0], [0.0]], ["p"]),
        ([(0, 1), (0, 2)], ["a", "b", "c"], [[1.0], [0.0], [0.0]], ["p"]),
        ([(0, 1), (1, 2), (1, 2)], ["a", "b", "c"], [[1.0], [0.0], [0.0]], ["p"]),
        ([(0, 1), (1, 2)], ["a", "b", "c"], [[0.0], [1.0], [0.0]], ["p"]),
        ([(0, 1), (1, 2)], ["a", "b", "c"], [[1.0], [0.0], [0.0]], ["q"]),
    ],
)
def test_fingerprint_sees_every_difference(other):
    edges, ids, x, names = other
    same = network([(0, 1), (1, 2)], ["a", "b", "c"], np.array([[1.0], [0.0], [0.0]]), ["p"])
    assert same.fingerprint != network(edges, ids, np.array(x), names).fingerprint


def test_numbers_are_what_is_standardised_or_more_than_0_and_1():
    x = np.array([[1.0, 0.0, 2.5, 1.0], [0.0, 0.0, 0.0, 0.0]])
    for values in (x, sp.csr_array(x)):
        features = Features(values, tuple("abcd"), tuple("abcd"), np.array([0.0, 0, 0, 3]), np.array([1.0, 1, 1, 2]))
        assert features.is_number.tolist() == [False, False, True, True]
        assert features.names_of_numbers == {"c", "d"}


def test_support_counts_what_is_not_zero():
    x = np.array([[1.0, 0.0, -0.5], [1.0, 0.0, 0.0]])
    for values in (x, sp.csr_array(x)):
        features = Features(values, ("a", "b", "c"), ("a", "b", "c"), np.zeros(3), np.ones(3))
        assert features.support.tolist() == [2, 0, 1]
        assert "3" in repr(features)


@pytest.mark.parametrize(
    ("edges", "n_columns", "said"),
    [
        ([(0, 1)], 1, ["<Graph: 2 vertices, 1 edge>", "<Features: 1 from 1 column, 2 vertices, dense>",
                       "<Network 2 vertices, 1 edge, 1 feature>"]),
        ([(0, 0)], 0, ["<Graph: 1 vertex, 1 edge>", "<Features: 0 from 0 columns, 1 vertex, dense>",
                       "<Network 1 vertex, 1 edge, 0 features; 3 notes on reading>"]),
    ],
)  # fmt: skip
def test_texts_speak_of_one_and_of_many(edges, n_columns, said):
    n = 1 + max(map(max, edges))
    net = ffbm.as_network(edges, np.eye(n)[:, :n_columns])
    assert [repr(net.graph), repr(net.features), repr(net)] == said
