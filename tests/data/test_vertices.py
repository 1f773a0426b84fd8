import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.data import as_network
from ffbm.data.vertices import array_table, frame_nodes
from ffbm.errors import DataError


def test_a_table_is_joined_by_id_not_by_place():
    table = pd.DataFrame({"x": [3.0, 1.0, 2.0]}, index=["c", "a", "b"])
    net = as_network([("a", "b"), ("b", "c")], table)
    assert net.node_ids.tolist() == ["c", "a", "b"]
    assert np.argsort(net.features.values[:, 0]).tolist() == [1, 2, 0]


def test_whole_numbers_join_however_they_are_stored():
    for index in ([0, 1], [0.0, 1.0], ["0", "1"], pd.CategoricalIndex(["0", "1"])):
        net = as_network(np.array([[0, 1]], dtype=np.int8), pd.DataFrame({"x": [True, False]}, index=index))
        assert net.features.values.sum() == 1


def test_ids_of_a_table_stand_in_its_index_or_the_named_column():
    table = pd.DataFrame({"id": ["a", "b"], "who": ["x", "y"], "n": [1, 2]})
    assert frame_nodes(table).ids.tolist() == ["a", "b"]
    assert [note.code for note in frame_nodes(table).notes] == ["id-column"]
    assert frame_nodes(table, "who").ids.tolist() == ["x", "y"]
    assert frame_nodes(table.set_index("who")).ids.tolist() == ["x", "y"]
    assert frame_nodes(table.drop(columns="id")).ids.tolist() == ["0", "1"]
    assert frame_nodes(table.rename(columns={"id": "ID "})).ids.tolist() == ["a", "b"]


@pytest.mark.parametrize("features", [np.eye(3), np.eye(3).tolist(), sp.csr_array(np.eye(3)), np.eye(3, dtype=bool)])
def test_arrays_of_features(features):
    net = as_network([(0, 1), (1, 2)], features)
    values = net.features.values
    assert net.features.names == ("x0", "x1", "x2")
    assert np.array_equal(values.toarray() if sp.issparse(values) else values, np.eye(3))


def test_one_feature():
    assert array_table([1, 0]).shape == (2, 1)
    assert as_network([("a", "b")], pd.Series([1, 0], index=["a", "b"], name="old")).features.names == ("old",)


def test_an_array_follows_the_order_of_the_graph():
    graph = networkx.Graph([("b", "a"), ("a", "c")])
    net = as_network(graph, np.array([["x"], ["y"], ["x"]]))
    assert net.node_ids.tolist() == ["b", "a", "c"]
    assert net.features.names == ("x0=x", "x0=y")


def test_given_features_take_the_place_of_attributes():
    graph = networkx.Graph([("a", "b")])
    networkx.set_node_attributes(graph, {"a": 1, "b": 0}, "inside")
    net = as_network(graph, pd.DataFrame({"given": [1, 0]}, index=["a", "b"]))
    assert net.features.names == ("given",)
    assert [note.count for note in net.notes if note.code == "attributes"] == [1]


def test_an_attribute_for_ids():
    graph = networkx.Graph([(0, 1)])
    networkx.set_node_attributes(graph, {0: "x", 1: "y"}, "who")
    assert as_network(graph, id="who").node_ids.tolist() == ["x", "y"]
    joined = as_network(graph, pd.DataFrame({"n": [1, 0]}, index=["y", "x"]), id="who")
    assert joined.node_ids.tolist() == ["y", "x"]
    networkx.set_node_attributes(graph, {0: "x", 1: "x"}, "who")
    with pytest.raises(DataError, match="'x' stands twice"):
        as_network(graph, id="who")
