import pytest

from ffbm.data.delimited import open_grid
from ffbm.data.tables import begins_with_names, known_ends, read_edges, read_nodes
from ffbm.errors import DataError


def edges_of(text: str, **options) -> list[tuple[str, str]]:
    raw = read_edges(open_grid(text.encode(), "t", ".csv"), **options)
    return [(raw.ids[u], raw.ids[v]) for u, v in zip(raw.source, raw.target, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source,target\n1,2\n", [("1", "2")]),
        ("Target,SOURCE\n1,2\n", [("2", "1")]),
        ("weight,from,to\n5,1,2\n", [("1", "2")]),
        (" source , target\na,b\n", [("a", "b")]),
        ("1,2\n3,4\n", [("1", "2"), ("3", "4")]),
        ("a,b\nb,c\n", [("a", "b"), ("b", "c")]),
        ("left,right\n1,2\n", [("1", "2")]),
        ("left,right,n\na,b,1\nb,c,2\n", [("a", "b"), ("b", "c")]),
        ("user,item\n1,x\n2,y\n", [("1", "x"), ("2", "y")]),
        ("a,b,NA\nb,c,2\n", [("a", "b"), ("b", "c")]),  # a missing weight is no name
        ("a,b,c\nb,d,2\n", [("a", "b"), ("b", "d")]),  # b comes back: a vertex
        ("a,1\nb,2\n", [("a", "1"), ("b", "2")]),  # a number is no name
        ("x,y\nz,w\n", [("x", "y"), ("z", "w")]),
        ("007,7\n", [("007", "7")]),
        ("source,target\nNA,null\nnan,\u00a0x\n", [("NA", "null"), ("nan", "\u00a0x")]),
    ],
)
def test_header_and_ends(text, expected):
    assert edges_of(text) == expected


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("a,b,c\n1,2,3\n", {"source_column": "b", "target_column": "c"}, [("2", "3")]),
        ("a,b,c\nx,y,z\n", {"source_column": "a"}, [("x", "y")]),
        ("source,target,b\n1,2,3\n", {"source_column": "b"}, [("3", "2")]),
        ("x,y,z\n", {"source_column": "3", "target_column": "1"}, [("z", "x")]),
        ("1,2,3\n4,5,6\n", {"source_column": "2", "target_column": "3"}, [("2", "3"), ("5", "6")]),
    ],
)
def test_named_ends(text, options, expected):
    assert edges_of(text, **options) == expected


@pytest.mark.parametrize("cells", [("2", "30"), ("2.0", " 30 ")])
def test_multiplicity(cells):
    text = "source,target,n\na,b,{}\nb,c,{}\n".format(*cells)
    raw = read_edges(open_grid(text.encode(), "t", ".csv"), multiplicity="n")
    assert raw.counts.tolist() == [2, 30]
    assert not [note for note in raw.notes if note.code == "edge-columns"]


def test_multiplicity_of_a_file_without_header():
    raw = read_edges(open_grid(b"1 2 5\n2 3 1\n", "t", ".txt"), multiplicity="3")
    assert raw.counts.tolist() == [5, 1]


def test_guesses_are_noted_and_certainties_are_not():
    for text, codes in (
        ("source,target\n1,2\n", []),
        ("1,2\n3,4\n", []),
        ("a,b\nb,c\n", []),
        ("left,right\n1,2\n", ["header"]),
        ("left,right\na,b\n", ["no-header"]),
    ):
        assert [note.code for note in read_edges(open_grid(text.encode(), "t", ".csv")).notes] == codes
    doubt = read_edges(open_grid(b"left,right\na,b\n", "t", ".csv"))
    assert doubt.is_doubtful
    assert doubt.notes[0].message.endswith("if a header, name it in source_column= (--source-column)")


STARS = "".join(f"hub {n % 2},{name}\n" for n, name in enumerate("abcdefghijkl"))


def test_a_first_row_that_alone_has_two_ends_of_its_own_is_one_of_names():
    raw = read_edges(open_grid(f"movie,actor\n{STARS}".encode(), "t", ".csv"))
    assert len(raw.source) == 12
    assert "movie" not in raw.ids
    assert [note.code for note in raw.notes] == ["header"]
    assert raw.notes[0].message.endswith("source_column=1 (--source-column 1) reads an edge")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"movie,actor\n{STARS}", {"source_column": "1"}),  # as the note says
        (f"movie,actor\n{STARS}", {"has_nodes": True}),  # the node table will tell
        (f"movie,actor\n{STARS}x,y\n", {}),  # another row has two ends of its own
        (f"movie,actor\n{STARS}".replace(",", "\t").replace("hub ", "hub").replace("\t", " "), {}),  # no separator
        ("movie,actor\na,b\nb,c\n", {}),  # too few rows to tell
    ],
)
def test_such_a_row_is_an_edge_where_the_others_do_not_tell(text, options):
    assert "movie" in read_edges(open_grid(text.encode(), "t", ".csv"), **options).ids


@pytest.mark.parametrize(
    ("header", "ends"),
    [
        (",name,from_bus,to_bus,length", (2, 3)),
        ("Airline,Source,SourceID,Destination,DestinationID", (2, 4)),
        ("carrier,origin,destination,from_date,to_date", (1, 2)),
        ("n,Sender Name,Recipient Name", (1, 2)),
        ("from_date,to_date,a,b", None),
        ("source,target,source_id,target_id", (0, 1)),
        ("from_bus,from_bus,to_bus", None),
    ],
)
def test_ends_are_known_by_the_words_in_their_names(header, ends):
    assert known_ends(header.split(",")) == ends


def test_a_blank_end_names_the_columns_that_were_taken_for_ends():
    with pytest.raises(DataError, match=r"do not stand in the first two columns, 'k' and 'x', name theirs in"):
        edges_of("k,x,a,n\nk0,,u,1\nk1,,v,2\n")


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_numbers_of_rows_before_the_ends_are_no_ends(first):
    raw = read_edges(open_grid(f"{first},movie,actor\n0,a,b\n1,b,c\n2,c,d\n".encode(), "t", ".csv"))
    assert raw.ids.tolist() == ["a", "b", "c", "d"]
    assert "ends" in [note.code for note in raw.notes]
    again = read_edges(open_grid(f"{first},movie,actor\n0,a,b\n0,b,c\n2,c,d\n".encode(), "t", ".csv"))
    assert again.ids[0] == "0"  # a vertex with two edges, not numbers of rows


def test_a_doubt_about_the_first_row_is_settled_by_the_vertices():
    grid = open_grid(b"left,right,n\na,b,x\n", "t", ".csv")
    raw = read_edges(grid)
    for ids, expected in ((b"a\nb", True), (b" a\nb ", True), (b"a\nright", False), (b"left\nright", False)):
        nodes = read_nodes(open_grid(b"id,x\n" + ids.replace(b"\n", b",1\n") + b",2\n", "t", ".csv"))
        assert begins_with_names(grid, raw, nodes, "keep") == begins_with_names(grid, raw, nodes, "error") == expected
    settled = read_edges(grid, is_header=True)
    assert settled.ids.tolist() == ["a", "b"]
    assert [note.code for note in settled.notes] == ["header", "edge-columns"]
    assert "'n'" in settled.notes[1].message


def test_columns_without_a_name_are_called_by_their_place():
    text = b"source,target,n,,\na,b,1,,x\nb,c,2,,y\n"
    edges = read_edges(open_grid(text, "t", ".csv"), multiplicity="n").notes
    nodes = read_nodes(open_grid(text, "t", ".csv"), id="source")
    assert edges[0].message == "t: columns 'column 4', 'column 5' of the edges not used"
    assert list(nodes.table.columns) == ["target", "n", "column 4", "column 5"]
    assert [(note.code, note.count) for note in nodes.notes] == [("unnamed", 2)]


def test_a_column_called_by_two_is_refused():
    with pytest.raises(DataError, match="2 columns"):
        edges_of("a,b,b\nx,y,z\n", source_column="b")


def test_node_table():
    nodes = read_nodes(open_grid(b'name;ID;age\n"B, b";007;\nC;7;3\n', "t", ".csv"))
    assert nodes.ids.tolist() == ["007", "7"]
    assert nodes.table.to_dict("list") == {"name": ["B, b", "C"], "age": ["", "3"]}
    assert list(nodes.lines) == [2, 3]


def test_node_table_ids_by_name_or_place():
    grid = open_grid(b",x\na,1\n", "t", ".csv")  # as pandas writes an index
    assert read_nodes(grid).ids.tolist() == ["a"]
    assert [note.code for note in read_nodes(grid).notes] == ["id-column"]
    named = read_nodes(open_grid(b"id,who\n1,a\n", "t", ".csv"), id="who")
    assert (named.ids.tolist(), list(named.table.columns)) == (["a"], ["id"])
