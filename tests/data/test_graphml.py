import networkx as nx
import pytest

from ffbm.data import read_network
from ffbm.data.graphml import read_graphml

HEAD = '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
TEXT = f"""{HEAD}
<key id="d0" for="node" attr.name="member" attr.type="boolean"><default>true</default></key>
<key id="d1" for="node" attr.name="age" attr.type="int"/>
<key id="d2" for="edge" attr.name="n" attr.type="int"><default>1</default></key>
<key id="d3" for="node" yfiles.type="nodegraphics"/>
<key id="d4" for="all" attr.name="remark" attr.type="string"/>
<graph id="G" edgedefault="undirected"><data key="d4">of the graph</data>
  <node id="n0"><data key="d0">false</data><data key="d1">007</data><data key="d4">a&lt;b</data></node>
  <node id="n 1"><data key="d3">
    <y:Shape xmlns:y="http://www.yworks.com/xml/graphml"><node id="no"/>text</y:Shape></data></node>
  <node id="n2"><data key="d1"/></node>
  <edge source="n0" target="n 1"><data key="d2">4</data></edge>
  <edge source="n2" target="n0"/>
</graph></graphml>"""


def test_types_defaults_and_missing_values():
    raw = read_graphml(TEXT.encode(), "t")
    assert raw.ids.tolist() == ["n0", "n 1", "n2"]
    assert raw.vertices.table.to_dict("list") == {
        "member": ["false", "true", "true"],
        "age": ["007", None, ""],
        "remark": ["a<b", None, None],
    }
    assert not raw.is_directed
    assert [note.code for note in raw.notes] == ["nested", "edge-columns"]
    assert read_graphml(TEXT.encode(), "t", "n").counts.tolist() == [4, 1]


@pytest.mark.parametrize(
    ("default", "edge", "expected"),
    [
        ("undirected", "", False),
        ("directed", "", True),
        ("undirected", 'directed="true"', True),
        ("directed", 'directed="false"', False),
    ],
)
def test_direction(default, edge, expected):
    edges = f'<node id="a"/><edge source="a" target="a" {edge}/>'
    text = f'<graphml><graph edgedefault="{default}">{edges}</graph></graphml>'
    assert read_graphml(text.encode(), "t").is_directed == expected


def test_a_graph_inside_a_node_is_part_of_the_whole():
    text = """<graphml><key id="k" for="node" attr.name="x"/><graph edgedefault="undirected"><node id="a">
    <graph edgedefault="undirected"><node id="b"><data key="k">in</data></node><edge source="a" target="b"/></graph>
    <data key="k">out</data></node></graph></graphml>"""
    raw = read_graphml(text.encode(), "t")
    assert (raw.ids.tolist(), raw.vertices.table["x"].tolist()) == (["a", "b"], ["out", "in"])
    assert raw.notes[0].code == "nested-graphs"


def test_prefixes_and_other_encodings():
    graph = '<g:graphml xmlns:g="x"><g:graph><g:node id="é"/></g:graph></g:graphml>'
    text = f'<?xml version="1.0" encoding="ISO-8859-1"?>{graph}'
    assert read_graphml(text.encode("latin-1"), "t").ids.tolist() == ["é"]


def test_edges_of_both_kinds():
    text = """<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>
    <edge source="a" target="b"/><edge source="b" target="a" directed="false"/></graph></graphml>"""
    raw = read_graphml(text.encode(), "t")
    assert raw.is_directed
    assert raw.both_ways.tolist() == [False, True]
    assert read_graphml(text.replace(' directed="false"', "").encode(), "t").both_ways is None


def test_an_attribute_of_mixed_types_as_networkx_writes_it(tmp_path):
    graph = nx.Graph([("a", "b"), ("b", "c"), ("c", "d")])
    nx.set_node_attributes(graph, {"a": 1, "b": "one", "c": "one", "d": 2.5}, "kind")
    nx.write_graphml(graph, tmp_path / "mixed.graphml")
    net = read_network(tmp_path / "mixed.graphml")
    assert net.features.names == ("kind=1", "kind=2.5", "kind=one")
