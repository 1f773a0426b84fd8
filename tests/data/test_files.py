import gzip

import pytest

from ffbm.data import read_network
from ffbm.data.files import check_text, read_bytes, shown
from ffbm.errors import DataError, OptionError


@pytest.mark.parametrize("name", ["edges.csv", "edges.csv.gz", "edges"])
def test_gzip_is_known_by_its_bytes_not_by_its_name(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"a,") + gzip.compress(b"b\n"))
    assert read_bytes(tmp_path / name) == b"a,b\n"


def test_plain_text_called_gz(tmp_path):
    (tmp_path / "edges.csv.gz").write_bytes(b"a,b\n")
    assert read_bytes(str(tmp_path / "edges.csv.gz")) == b"a,b\n"


def test_byte_order_mark_is_taken_off():
    assert check_text("\ufeffé".encode(), "x") == "é".encode()


@pytest.mark.parametrize("path", ["", "no\nsuch", "a\0b", "x" * 5000])
def test_odd_paths_are_refused_on_one_line(path):
    with pytest.raises(DataError) as caught:
        read_bytes(path)
    assert "\n" not in str(caught.value)


def test_paths_are_shown_as_written():
    assert shown("data/edges.csv") == "data/edges.csv"
    assert shown("a\nb") == "'a\\nb'"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_other_encodings_by_name(tmp_path, encoding):
    (tmp_path / "edges.csv").write_bytes("source,target\ncafé,b\n".encode(encoding))
    (tmp_path / "nodes.csv").write_bytes("id,drink\ncafé,thé\nb,x\n".encode(encoding))
    net = read_network(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", encoding=encoding, include="drink")
    assert net.node_ids.tolist() == ["café", "b"]
    assert "drink=thé" in net.features.names


def test_encodings_that_cannot_be(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes("a,é\n".encode("latin-1"))
    with pytest.raises(OptionError, match="encoding must be one that Python knows, such as latin-1; got 'latin-one'"):
        read_network(path, encoding="latin-one")
    with pytest.raises(DataError, match="is not text in the encoding 'ascii'"):
        read_network(path, encoding="ascii")


def test_xml_names_its_own_encoding(tmp_path):
    path = tmp_path / "g.graphml"
    path.write_bytes(
        '<?xml version="1.0" encoding="latin-1"?><graphml><graph edgedefault="undirected"><node id="é"/>'
        '<node id="b"/><edge source="é" target="b"/></graph></graphml>'.encode("latin-1")
    )
    assert read_network(path, encoding="latin-1").node_ids.tolist() == ["é", "b"]


def test_what_is_marked_as_utf8_is_read_so_whatever_encoding_its_neighbour_has(tmp_path):
    (tmp_path / "edges.csv").write_bytes("from,to,Häufigkeit\na,b,1\n".encode("utf-8-sig"))
    (tmp_path / "nodes.csv").write_bytes("id,Stadt\na,Köln\nb,Nürnberg\n".encode("cp1252"))
    net = read_network(tmp_path / "edges.csv", tmp_path / "nodes.csv", encoding="cp1252", edge_weight="Häufigkeit")
    assert net.features.names == ("Stadt=Köln", "Stadt=Nürnberg")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LEDA.GRAPH\nstring\nint\n-2\n", "LEDA.s format"),
        ("digraph G {\n a -> b\n}", "DOT"),
    ],
)
def test_other_formats_of_graphs_are_refused_by_name(tmp_path, text, kind):
    (tmp_path / "edges.txt").write_text(text)
    with pytest.raises(DataError, match=f"looks like .*{kind}: save it as CSV"):
        read_network(tmp_path / "edges.txt")
