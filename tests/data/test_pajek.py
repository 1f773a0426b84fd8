from pathlib import Path

import igraph
import networkx as nx
import pytest

from ffbm.data.readers import read_network
from ffbm.errors import DataError

SMALL = '*Vertices 3\n1 "ann lee" 0.1 0.2 0.5 ellipse ic Red team "red"\n2 "bob" team blue\n'


def read(folder: Path, text: str, **options):
    (folder / "small.net").write_text(text)
    return read_network(folder / "small.net", **options)


def test_vertices_with_their_labels_and_attributes(tmp_path: Path):
    net = read(tmp_path, SMALL + "*Edges\n1 2 4\n2 3 1\n", edge_weight="weight")
    assert net.node_ids.tolist() == ["1", "2", "3"]
    assert net.features.names == ("team=blue", "team=red")
    assert sorted(net.graph.weights.values) == [1, 4]
    assert not net.graph.is_directed


@pytest.mark.parametrize(
    ("section", "directed"),
    [
        ("*Arcs\n1 2\n1 3\n", True),
        ("*arcslist\n1 2 3\n", True),
        ("*Edgeslist\n1 2 3\n", False),
        ("*Matrix\n0 1 1\n0 0 0\n0 0 0\n", True),
        ('*Arcs :1 "likes"\n1 2\n1 3\n', True),
    ],
)
def test_every_way_to_write_edges(tmp_path: Path, section, directed):
    net = read(tmp_path, "% made by hand\n" + SMALL + section)
    assert net.graph.is_directed == directed
    assert net.n_edges == 2
    assert net.n_nodes == 3


def test_what_networkx_and_igraph_write(tmp_path: Path):
    graph = nx.karate_club_graph()
    nx.write_pajek(graph, tmp_path / "karate.net")
    net = read_network(tmp_path / "karate.net")
    assert (net.n_nodes, net.n_edges) == (34, 78)
    assert net.features.names == ("club=Mr. Hi", "club=Officer")
    igraph.Graph.Erdos_Renyi(20, m=40, directed=True).write_pajek(str(tmp_path / "random.net"))
    net = read_network(tmp_path / "random.net")
    assert (net.n_nodes, net.n_edges, net.graph.is_directed) == (20, 40, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('*Vertices 2\n3 "c"\n*Edges\n1 2\n', "numbered 1 to 2; line 2 begins with '3'"),
        ("*Vertices 2\n\u00b2 a\n", "numbered 1 to 2"),
        ("*Vertices " + "9" * 5000 + "\n", "below 100 million"),
        ("*Vertices 2\n*Edges\n1\n", "two ends; line 3 has not"),
        ("*Vertices 2\n*Edges\n1 5\n", "'5'"),
        ("*Vertices 2\n*Permutation x\n1\n", "no part of a network"),
        ("*Vertices 2\n*Partition x\n1\n", "two ends; line 3 has not"),
        ("*Vertices 2\n*Edges\n1 2\n*Partition x\n*Vertices 3\n1\n1\n2\n", "numbered 1 to 2; line 8 begins with '3'"),
        ("*Vertices 2\n*Edges\n1 2\n*Network b\n*Vertices 2\n", "one network; line 4 begins another"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)
