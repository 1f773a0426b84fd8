"""Two-mode lists of edges: ids that stand in both columns, tables beside them, and what is told of it."""

import networkx as nx
import pandas as pd
import pytest

import ffbm
from ffbm.errors import DataError, OptionError


def notes_of(net):
    return {note.code: note.message for note in net.notes}


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("person,event\n1,1\n2,1\n2,2\n1,3\n")
    return path


def test_the_same_id_in_both_columns_is_two_vertices(visits):
    net = ffbm.read_network(visits, bipartite=True)
    assert net.node_ids.tolist() == ["person:1", "person:2", "event:1", "event:2", "event:3"]
    assert net.graph.edges.tolist() == [[0, 2], [0, 4], [1, 2], [1, 3]]
    assert net.features.names == ("node_type=event", "node_type=person")
    told = notes_of(net)
    assert "2 in 'person' and 3 in 'event'" in told["two-mode"]
    assert "2 ids stand in both columns, such as '1', '2'" in told["two-mode-ids"]
    types = ffbm.types.node_types(net, "node_type")
    assert [types.values[t] for t in types.of_vertex] == ["person"] * 2 + ["event"] * 3
    assert ffbm.read_network(visits).n_nodes == 3  # as ever without


def test_ids_that_differ_stay_as_they_are(tmp_path):
    path = tmp_path / "visits.tsv"
    path.write_text("source\ttarget\nann\tball\n bob\tball\nbob\tfair\n")
    net = ffbm.read_network(path, bipartite=True)
    assert net.node_ids.tolist() == ["ann", "bob", "ball", "fair"]
    assert "two-mode-ids" not in notes_of(net)
    assert net.features.names == ("node_type=source", "node_type=target")


def test_a_table_beside(visits):
    table = pd.DataFrame(
        {"age": [30, 40, None, None, None]}, index=[f"person:{i}" for i in (1, 2)] + [f"event:{i}" for i in (3, 2, 1)]
    )
    net = ffbm.read_network(visits, nodes=table, bipartite=True)
    assert net.node_ids.tolist() == table.index.tolist()
    types = ffbm.types.node_types(net, "node_type")
    assert [types.values[t] for t in types.of_vertex] == ["person"] * 2 + ["event"] * 3
    own = table.assign(node_type=[*"ppeee"])
    types = ffbm.types.node_types(ffbm.read_network(visits, nodes=own, bipartite=True), "node_type")
    assert types.values == ("e", "p")


@pytest.mark.parametrize("ids", [("1", "2", "3"), ("1", "person:2", "event:3")])
def test_a_table_with_ids_as_the_columns_have_them_is_refused(visits, ids):
    table = pd.DataFrame({"age": [30, 40, 50]}, index=ids)
    with pytest.raises(DataError) as caught:
        ffbm.read_network(visits, nodes=table, bipartite=True)
    assert "agree but for the name of the column of edges, as 'person:1' and '1': write ids alike" in str(caught.value)


def test_pairs_and_tables_of_edges():
    for graph in ([(1, 1), (2, 1)], pd.DataFrame({"source": [1, 2], "target": [1, 1]})):
        assert ffbm.as_network(graph, bipartite=True).node_ids.tolist() == ["source:1", "source:2", "target:1"]


def test_a_networkx_graph_that_is_bipartite_is_told():
    graph = nx.Graph([("a", 1), ("b", 1)])
    nx.set_node_attributes(graph, {"a": 0, "b": 0, 1: 1}, "bipartite")
    net = ffbm.as_network(graph)
    assert "node_type=bipartite" in notes_of(net)["bipartite"]
    assert ffbm.types.node_types(net, "bipartite").values == ("0", "1")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: ffbm.as_network(nx.path_graph(3), bipartite=True),
            "got a networkx graph: name a column in node_type=",
        ),
        (lambda: ffbm.as_network([(0, 1)], [[1], [2]], bipartite=True), "give features as a DataFrame by id"),
        (lambda: ffbm.as_network([(0, 1)], bipartite="yes"), "bipartite must be True or False"),
    ],
)
def test_errors(make, sentence):
    with pytest.raises(OptionError) as caught:
        make()
    assert sentence in str(caught.value)


def test_a_graph_file_is_refused(tmp_path):
    path = tmp_path / "net.gml"
    path.write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    with pytest.raises(OptionError, match="is a graph file: name its attribute in node_type="):
        ffbm.read_network(path, bipartite=True)
