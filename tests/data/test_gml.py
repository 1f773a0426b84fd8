import pytest

from ffbm.data.gml import is_gml, read_gml
from ffbm.errors import DataError

TEXT = """Creator "someone" # GML of the wild
Version 1
graph
[
  directed 1
  node [ id 0 label "A &amp; B &#233;" value "n" age 31 ]
  node [ id 10 label "[not] a # list" graphics [ x 1.0 w [ y 2 ] ] ]
  node [ id 2 value "l" ]
  edge [ source 10 target 0 value 3 label "x" ] edge [ source 2 target 2 value 1 ]
]
"""


def test_gml_as_it_is_found():
    raw = read_gml(TEXT.encode(), "t")
    assert raw.ids.tolist() == ["0", "10", "2"]
    assert list(zip(raw.source.tolist(), raw.target.tolist(), strict=True)) == [(1, 0), (2, 2)]
    assert raw.is_directed
    assert raw.vertices.table.to_dict("list") == {
        "label": ["A & B é", "[not] a # list", None],
        "value": ["n", None, "l"],
        "age": ["31", None, None],
    }
    assert [(note.code, note.count) for note in raw.notes] == [("nested", 1), ("edge-columns", 2)]
    assert read_gml(TEXT.encode(), "t", multiplicity="value").counts.tolist() == [3, 1]


def test_repeated_keys_are_left_out():
    raw = read_gml(b"graph [ node [ id 1 tag 1 tag 2 x 5 ] ]", "t")
    assert list(raw.vertices.table.columns) == ["x"]
    assert raw.notes[0].code == "nested"


def test_edges_may_stand_before_nodes():
    raw = read_gml(b"graph [ edge [ source 2 target 1 ] node [ id 1 ] node [ id 2 ] ]", "t")
    assert (raw.ids.tolist(), raw.source.tolist(), raw.target.tolist()) == (["1", "2"], [1], [0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, True),
        ("graph [", True),
        ("# x\n\ngraph\n[", True),
        ("graph,node\na,b", False),
        ("a b\nc d\n", False),
        ("", False),
    ],
)
def test_gml_is_known_by_its_beginning(text, expected):
    assert is_gml(text) == expected


@pytest.mark.parametrize(
    "text", [" " * 60_000 + "x", "a b\n" * 15_000, "a " + "b" * 60_000, 'a "' * 20_000, "graph " * 10_000]
)
def test_no_beginning_takes_long(text):
    assert not is_gml(text)  # a pattern that tries every split would not come back


def test_quotes_inside_a_text_as_graph_tool_writes_them():
    text = r"""graph [
   readme "Hugo's \"Les Miserables\", a [ among them
\"# no comment\"."
   node [ id 0 label "Jean \"24601\" Valjean" ] node [ id 1 label "Javert" ]
   edge [ source 0 target 1 ]
]"""
    raw = read_gml(text.encode(), "t")
    assert raw.vertices.table["label"].tolist() == ['Jean "24601" Valjean', "Javert"]
    assert len(raw.source) == 1
    with pytest.raises(DataError, match="line 5: a \\[ is never closed"):
        read_gml(text[:-1].encode(), "t")


def test_a_backslash_may_end_a_text():
    raw = read_gml(b'graph [ node [ id 1 path "C:\\" ] node [ id 2 path "D:\\"\n] ]', "t")
    assert raw.vertices.table["path"].tolist() == ["C:\\", "D:\\"]
