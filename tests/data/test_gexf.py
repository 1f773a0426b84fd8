from ffbm.data.gexf import read_gexf

TEXT = """<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">
<graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="team" type="string"><default>none</default></attribute>
<attribute id="1" title="old" type="boolean"/></attributes>
<attributes class="edge"><attribute id="0" title="n" type="integer"/></attributes>
<nodes>
  <node id="7" label="Ann"><viz:color r="1" g="2" b="3"/><attvalues><attvalue for="1" value="false"/></attvalues></node>
  <node id="x"><attvalues><attvalue for="0" value="red"/></attvalues>
    <nodes><node id="y" label="Bob"/></nodes><attvalues><attvalue for="1" value="true"/></attvalues></node>
</nodes>
<edges><edge id="0" source="7" target="x" weight="2.0"><attvalues><attvalue for="0" value="3"/></attvalues></edge>
<edge id="1" source="y" target="y"/></edges></graph></gexf>"""


def test_titles_defaults_labels_and_missing_values():
    raw = read_gexf(TEXT.encode(), "t")
    assert raw.ids.tolist() == ["7", "x", "y"]
    assert raw.vertices.table.to_dict("list") == {
        "team": ["none", "red", "none"],
        "old": ["false", "true", None],
        "label": ["Ann", None, "Bob"],
    }
    assert raw.vertices.display == "label"
    assert not raw.is_directed
    assert {note.code: note.count for note in raw.notes} == {
        "drawing": 1,
        "nested-graphs": 1,
        "edge-columns": 2,
    }


def test_weight_is_one_where_it_is_not_written():
    assert read_gexf(TEXT.encode(), "t", "weight").counts.tolist() == [2, 1]


def test_direction():
    assert read_gexf(TEXT.replace("undirected", "directed").encode(), "t").is_directed
    assert read_gexf(TEXT.replace('id="1" source', 'type="directed" id="1" source').encode(), "t").is_directed
    mutual = TEXT.replace("undirected", "directed").replace('" source', '" type="undirected" source')
    assert not read_gexf(mutual.encode(), "t").is_directed


def test_values_that_change_with_time_are_left_out():
    twice = '<attvalue for="0" value="a" start="1"/><attvalue for="0" value="b" start="2"/>'
    raw = read_gexf(TEXT.replace('<attvalue for="0" value="red"/>', twice).encode(), "t")
    assert list(raw.vertices.table.columns) == ["old", "label"]


def test_the_first_version_writes_id_for_for():
    text = TEXT.replace('attvalue for="', 'attvalue id="')
    assert read_gexf(text.encode(), "t").vertices.table["team"].tolist() == ["none", "red", "none"]


def test_edges_of_both_kinds():
    text = TEXT.replace("undirected", "directed").replace('id="1" source', 'type="mutual" id="1" source')
    raw = read_gexf(text.encode(), "t")
    assert raw.is_directed
    assert raw.both_ways is not None
    assert raw.both_ways.sum() == 1
