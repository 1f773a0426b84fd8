import igraph
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.data import as_network
from ffbm.errors import OptionError


def edges_of(net) -> list[tuple[str, str]]:
    return sorted(tuple(sorted(net.node_ids[pair])) for pair in net.graph.edges)


def codes_of(net) -> dict[str, int]:
    return {note.code: note.count for note in net.notes}


MATRIX = np.array([[1, 2, 0], [2, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_array, sp.csc_matrix, sp.lil_array, sp.dok_array])
@pytest.mark.parametrize("dtype", [int, float, np.uint8])
def test_a_symmetric_matrix_is_one_edge_for_each_pair(kind, dtype):
    net = as_network(kind(MATRIX.astype(dtype)))
    assert edges_of(net) == [("0", "0"), ("0", "1")]
    assert codes_of(net) == {"edge-columns": 2, "diagonal": 1, "self-loops": 1, "isolates": 1, "no-features": 0}
    counted = as_network(kind(MATRIX.astype(dtype)), multiplicity="data")
    assert edges_of(counted) == [("0", "0"), ("0", "1"), ("0", "1")]


def test_a_truth_matrix():
    assert edges_of(as_network(sp.csr_array(MATRIX > 0))) == [("0", "0"), ("0", "1")]


def test_a_matrix_that_is_not_symmetric_is_directed():
    matrix = sp.csr_array([[0, 1, 1], [1, 0, 0], [0, 0, 0]])
    net = as_network(matrix)
    assert net.graph.is_directed
    assert net.graph.edges.tolist() == [[0, 1], [0, 2], [1, 0]]
    net = as_network(matrix, directed=False)
    assert edges_of(net) == [("0", "1"), ("0", "1"), ("0", "2")]
    assert codes_of(net)["directed"] == 3
    triangle = as_network(sp.triu(sp.csr_array(np.ones((3, 3)) - np.eye(3))), node_ids=["a", "b", "c"])
    assert edges_of(triangle) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert codes_of(triangle)["triangular"] == 3
    assert not triangle.graph.is_directed
    both = as_network(sp.csr_array([[0, 1], [1, 0]]), directed=True)
    assert both.graph.edges.tolist() == [[0, 1], [1, 0]]


def test_weights_that_differ_each_way_are_still_one_edge_unless_counted():
    matrix = sp.csr_array([[0, 2], [3, 0]])
    assert len(edges_of(as_network(matrix))) == 1
    assert len(edges_of(as_network(matrix, multiplicity="data"))) == 5


def test_stored_zeros_are_no_edges():
    assert as_network(sp.coo_array(([0, 1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))).n_edges == 1


def test_the_matrix_is_left_as_it_was():
    matrix = sp.csr_array(([1.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    as_network(matrix)
    assert matrix.nnz == 2


@pytest.mark.parametrize(
    ("pairs", "options", "ids", "edges"),
    [
        ([(5, 3), (3, 9)], {}, ["5", "3", "9"], [("3", "5"), ("3", "9")]),
        ([("b", "a")], {}, ["b", "a"], [("a", "b")]),
        (np.array([[1.0, 2.0]]), {}, ["1", "2"], [("1", "2")]),
        ([(0, 2)], {"features": np.eye(3)}, ["0", "1", "2"], [("0", "2")]),
        ([(0, 2)], {"node_ids": ["x", "y", "z"]}, ["x", "y", "z"], [("x", "z")]),
        ([(10, 30)], {"node_ids": [30, 20, 10]}, ["30", "20", "10"], [("10", "30")]),
        ([(1, 2)], {"node_ids": np.array([1, 2, 3])}, ["1", "2", "3"], [("1", "2")]),
        ([(1, 2)], {"node_ids": ["1", "2", "3"]}, ["1", "2", "3"], [("2", "3")]),
        ([("z", "x")], {"node_ids": ["x", "y", "z"]}, ["x", "y", "z"], [("x", "z")]),
        ([], {"node_ids": ["x", "y"]}, ["x", "y"], []),
        (np.empty((0, 2)), {"features": np.eye(2)}, ["0", "1"], []),
        (np.array([[2**63, 1]], dtype=np.uint64), {}, [str(2**63), "1"], [("1", str(2**63))]),
    ],
)
def test_pairs(pairs, options, ids, edges):
    net = as_network(pairs, **options)
    assert net.node_ids.tolist() == ids
    assert edges_of(net) == edges


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"w": [1, 2], "source": ["a", "b"], "target": ["b", "c"]}),
        pd.DataFrame({"u": ["a", "b"], "v": ["b", "c"], "w": [1, 2]}, index=[7, 7]),
        pd.DataFrame({"to": ["b", "c"], "from": ["a", "b"], "w": [1, 2]}).astype("category"),
        pd.DataFrame({0: ["a", "b"], 1: ["b", "c"], "w": [1.0, 2.0]}),
    ],
)
def test_frames(frame):
    net = as_network(frame)
    assert edges_of(net) == [("a", "b"), ("b", "c")]
    assert codes_of(net)["edge-columns"] == 1
    assert as_network(frame, multiplicity="w").n_edges == 3


def test_frame_columns_by_name():
    frame = pd.DataFrame({"source": [1, 2], "target": [3, 4], "third": [5, 6]})
    assert edges_of(as_network(frame, source_column="third")) == [("3", "5"), ("4", "6")]
    mixed = pd.DataFrame({"source": pd.array([1, 2], dtype="Int64"), "target": [7.0, 8.0]})
    assert edges_of(as_network(mixed)) == [("1", "7"), ("2", "8")]


def test_networkx():
    graph = networkx.MultiDiGraph()
    graph.add_node("alone", team="red", tags=["x"])
    graph.add_node((1, 2), team="blue", old=True)
    graph.add_edges_from([("alone", 7, {"n": 2}), ("alone", 7, {"n": 1}), (7, (1, 2), {"n": 1})])
    net = as_network(graph)
    assert net.node_ids.tolist() == ["alone", "(1, 2)", "7"]
    assert edges_of(net) == [("(1, 2)", "7"), ("7", "alone"), ("7", "alone")]
    assert codes_of(net).items() >= {"nested": 1, "edge-columns": 1, "parallel": 1}.items()
    assert net.graph.edges.tolist() == [[0, 2], [0, 2], [2, 1]]
    assert codes_of(as_network(graph, directed=False))["directed"] == 3
    with pytest.raises(OptionError, match="the networkx graph has none: leave it away, or give a directed graph"):
        as_network(graph.to_undirected(), directed=True)
    assert net.features.names == ("team=blue", "team=red", "old")
    assert as_network(graph, multiplicity="n").n_edges == 4


def test_networkx_names_that_agree_as_text_are_refused():
    graph = networkx.Graph([(1, "1")])
    with pytest.raises(ValueError, match="1 and '1' are alike as text: rename one"):
        as_network(graph, pd.DataFrame({"x": [1]}, index=["1"]))


def test_igraph():
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 1)])
    graph.vs["team"] = ["red", None, "blue"]
    assert as_network(graph).node_ids.tolist() == ["0", "1", "2"]
    graph.vs["name"] = ["a", "b", "c"]
    graph.vs["code"] = ["x", "y", "z"]
    graph.es["n"] = [3, 1]
    net = as_network(graph, multiplicity="n")
    assert edges_of(net) == [("a", "b"), ("a", "b"), ("a", "b"), ("b", "b")]
    assert net.features.names == ("team=blue", "team=red")
    assert edges_of(as_network(graph, id="code")) == [("x", "y"), ("y", "y")]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["tags"], "1 attribute left out, it holds lists: 'tags'"),
        (["a", "b"], "2 attributes left out, they hold lists"),
    ],
)
def test_lists_are_left_out_in_the_same_words(names, said):
    graph = networkx.Graph([(0, 1)])
    for name in names:
        graph.nodes[0][name] = ["x", "y"]
    for made in (graph, igraph.Graph.from_networkx(graph)):
        (note,) = [note for note in as_network(made).notes if note.code == "nested"]
        assert said in note.message
        assert note.count == len(names)


def test_igraph_names_that_are_not_different_are_no_ids():
    graph = igraph.Graph(n=2, edges=[(0, 1)], directed=True, vertex_attrs={"name": ["a", "a"]})
    net = as_network(graph)
    assert net.node_ids.tolist() == ["0", "1"]
    assert codes_of(net)["ids"] == 2
    assert net.graph.is_directed
