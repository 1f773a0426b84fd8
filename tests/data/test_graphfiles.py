import pytest

from ffbm.data import read_network
from ffbm.data.graphfiles import read_graph_file
from ffbm.errors import DataError

GML = b"graph [ node [ id 5 ] ]"
GRAPHML = b'<graphml><graph><node id="5"/></graph></graphml>'
GEXF = b'<?xml version="1.0"?><gexf><graph><nodes><node id="5"/></nodes></graph></gexf>'


@pytest.mark.parametrize("data", [GML, GRAPHML, GEXF, b"\xef\xbb\xbf" + GRAPHML, b"\n" + GRAPHML])
@pytest.mark.parametrize("suffix", ["", ".txt", ".csv"])
def test_a_graph_file_is_known_by_what_it_holds(data, suffix):
    assert read_graph_file(data, "t", suffix).ids.tolist() == ["5"]


def test_gexf_called_graphml():
    assert read_graph_file(GEXF, "t", ".graphml").ids.tolist() == ["5"]


@pytest.mark.parametrize("data", [b"a,b\n", b"<a> <b>\n", b"graph,node\n", b""])
def test_tables_are_left_to_others(data):
    assert read_graph_file(data, "t", ".txt") is None


def test_matrix_market(tmp_path):
    head = "%%MatrixMarket matrix coordinate {} {}\n% made by hand\n"
    path = tmp_path / "a.mtx"
    path.write_text(head.format("pattern", "symmetric") + "3 3 2\n2 1\n3 1\n")
    net = read_network(path)
    assert (net.node_ids.tolist(), net.n_edges, net.graph.is_directed) == (["1", "2", "3"], 2, False)
    path.write_text(head.format("integer", "general") + "3 3 2\n1 2 4\n1 3 2\n")
    net = read_network(path, edge_weight="data", directed=True)
    assert net.graph.is_directed
    assert sorted(net.graph.weights.values) == [2, 4]
    path.write_text(head.format("pattern", "general") + "3 3 2\n1 2\n")
    with pytest.raises(DataError, match="damaged MatrixMarket"):
        read_network(path)
    path.write_text(head.format("pattern", "general") + "300000000 300000000 1\n1 2\n")
    with pytest.raises(DataError, match="fewer than 100 million vertices"):
        read_network(path)
    path.write_text(head.format("pattern", "general") + "3 4 1\n1 2\n")
    with pytest.raises(DataError, match="must be square"):
        read_network(path)


@pytest.mark.parametrize(
    ("first", "names", "is_offered"),
    [("n", ["Grévy's zebra", "lion", "serval"], True), ("", ["a", "b", "c"], True), ("v", ["a", "b", "c"], False),
     ("n", ["1.5, 2", "2, 3", "4, 4"], False), ("n", ["a", "b", None], False)],
)  # fmt: skip
def test_names_are_offered_where_ids_are_mere_numbers(tmp_path, first, names, is_offered):
    path = tmp_path / "g.graphml"
    cells = ["" if name is None else f'<data key="k">{name}</data>' for name in names]
    nodes = "".join(f'<node id="{first}{n}">{cell}</node>' for n, cell in enumerate(cells))
    key = '<key id="k" for="node" attr.name="species" attr.type="string"/>'
    edges = f'<edge source="{first}0" target="{first}1"/><edge source="{first}1" target="{first}2"/>'
    path.write_text(f'<graphml>{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>', "utf-8")
    text = " ".join(note.message for note in read_network(path).notes)
    assert ("--id species) calls vertices by it, in place of" in text) == is_offered
    if is_offered:
        assert read_network(path, id="species").node_ids.tolist() == names
