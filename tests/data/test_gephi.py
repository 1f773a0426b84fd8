"""Colours, positions and statistics that Gephi writes among the attributes."""

import networkx
import pandas as pd
import pytest

from ffbm.data import as_network, read_network

DRAWN = {"r": 10, "g": 20, "b": 30, "x": 1.5, "y": -2.5, "z": 0.0, "size": 4.0, "alpha": 1.0}


ORDERS = [(0, 1, 2, 3), (0, 2, 1, 3), (3, 1, 0, 2), (1, 3, 0, 2), (0, 3, 1, 2), (2, 3, 0, 1)]  # no two alike


def graph_with(names, **more) -> networkx.Graph:
    graph = networkx.path_graph(["a", "b", "c", "d"])
    for place, node in enumerate(graph):
        graph.nodes[node].update({name: DRAWN[name] + ORDERS[k % len(ORDERS)][place] for k, name in enumerate(names)})
        graph.nodes[node].update({name: values[place] for name, values in more.items()})
    return graph


def told(net) -> dict[str, tuple[int, str]]:
    return {note.code: (note.count, note.message) for note in net.notes}


@pytest.fixture
def both(tmp_path):
    """Return the network read from a GraphML file, after checking that the object gives the same."""

    def read(graph, **options):
        networkx.write_graphml(graph, tmp_path / "g.graphml")
        net = read_network(tmp_path / "g.graphml", **options)
        again = as_network(networkx.read_graphml(tmp_path / "g.graphml"), **options)
        assert again.fingerprint == net.fingerprint
        assert [note.code for note in again.notes] == [note.code for note in net.notes]
        return net

    return read


@pytest.mark.parametrize(
    ("names", "is_drawing"),
    [
        ("r g b", True),
        ("r g b x y size", True),
        ("r g b x y z size alpha", True),
        ("x y size", True),
        ("x y r", True),
        ("x", False),
        ("size", False),
        ("x size", False),
        ("x y", False),
        ("x y z", False),
        ("r g x size", False),
    ],
)
def test_drawing_stands_together(both, names, is_drawing):
    net = both(graph_with(names.split(), team=["red", "blue", "red", "blue"]))
    own = [] if is_drawing else names.split()
    assert sorted(net.features.names) == sorted([*own, "team=blue", "team=red"])
    assert ("drawing" in told(net)) == is_drawing
    if is_drawing:
        count, message = told(net)["drawing"]
        assert count == len(names.split())
        assert message.endswith("; include= (--include) would keep one")


def test_columns_that_options_name_are_there(both):
    graph = graph_with(["r", "g", "b", "size"])
    assert both(graph, include="size").features.names == ("size",)
    assert as_network(graph, include=iter(["size"])).features.names == ("size",)
    assert both(graph, exclude=["r", "g", "b"]).n_features == 0
    assert both(graph, include="size", categorical="size", drop={"size": "4.0"}).n_features == 3


def test_words_are_no_drawing(both):
    graph = graph_with(["g", "b"], r=["yes", "no", "yes", "no"])
    assert sorted(both(graph).features.names) == ["b", "g", "r"]


def test_a_table_of_ones_own_is_no_drawing():
    table = pd.DataFrame({"r": [1, 2, 4], "g": [3, 4, 4], "b": [5, 6, 7]}, index=["a", "b", "c"])
    assert as_network([("a", "b"), ("b", "c")], table).features.names == ("r", "g", "b")


@pytest.mark.parametrize(
    ("column", "cells", "options", "is_told"),
    [
        ("Modularity Class", [0, 1, 1, 0], {}, True),
        ("modularity_class", [0, 1, 2, 0], {"categorical": "modularity_class"}, True),
        ("In-Degree", [3, 1, 2, 4], {}, True),
        ("PageRank", [0.1, 0.2, 0.3, 0.4], {}, True),
        ("Strongly-Connected ID", [0, 1, 2, 0], {}, True),
        ("degree", ["MSc", "BSc", "MSc", "PhD"], {}, False),
        ("hub", ["yes", "no", "no", "yes"], {}, False),
        ("Degree", [3, 1, 2, 4], {"exclude": "Degree"}, False),
        ("Degree", [3, 1, 2, 4], {"include": "Degree"}, False),
        ("Degree", [2, 2, 2, 2], {}, False),  # left out
        ("Degrees", [3, 1, 2, 4], {}, False),
    ],
)
def test_statistics_are_told(both, column, cells, options, is_told):
    net = both(graph_with([], **{column: cells}), **options)
    assert ("computed" in told(net)) == is_told
    if is_told:
        assert column in net.features.columns
        message = told(net)["computed"][1]
        assert f"{column!r} is by its name computed from the edges" in message
        assert message.endswith("it would explain them in a circle; exclude= (--exclude) leaves it out")


def test_statistics_of_a_table_share_a_note(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "nodes.csv").write_text("Id,Degree,Eccentricity\na,1,\nb,2,1\nc,1,2\n")
    net = read_network(tmp_path / "edges.csv", tmp_path / "nodes.csv")
    count, message = told(net)["computed"]
    assert count == 2
    assert "'Degree', 'Eccentricity' are by their names" in message
    assert net.features.names == ("Degree", "Eccentricity")
