import pytest

from ffbm.data.graphfiles import read_graph_file

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
