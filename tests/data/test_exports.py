"""Tables as programs export them: what is read right, and what every odd cell, row and id is said to be."""

import numpy as np
import pandas as pd
import pytest

from ffbm.data import as_network, read_network
from ffbm.data.encode_like import encode_like
from ffbm.errors import DataError

EDGES = "source,target\na,b\nb,c\nc,d\nd,e\n"


def read(tmp_path, edges=EDGES, nodes=None, **options):
    (tmp_path / "edges.csv").write_text(edges)
    if nodes is not None:
        (tmp_path / "nodes.csv").write_text(nodes)
    return read_network(tmp_path / "edges.csv", nodes=nodes and tmp_path / "nodes.csv", **options)


def note(net, code):
    return next(note for note in net.notes if note.code == code)


def column(name, *cells):
    return f"id,{name}\n" + "".join(f"{vertex},{cell}\n" for vertex, cell in zip("abcde", cells, strict=True))


@pytest.mark.parametrize("separator", [" ", ",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_tables_of_r_name_all_columns_but_that_of_row_names(tmp_path, separator, quote):
    def write(*cells):
        return separator.join(f"{quote}{cell}{quote}" for cell in cells) + "\n"

    ends = ["ab", "bc", "cd", "de"]
    edges = write("V1", "V2") + "".join(write(i, *pair) for i, pair in enumerate(ends, start=1))
    nodes = write("team", "age") + "".join(write(vertex, "red", 30 + i) for i, vertex in enumerate("abcde"))
    net = read(tmp_path, edges, nodes, include="team")
    assert net.node_ids.tolist() == list("abcde")
    assert net.graph.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert net.features.columns == ("team", "age")
    headers = [note.message for note in net.notes if note.code == "header"]
    assert sum("line 1 names all columns but the first, which holds names of rows" in text for text in headers) == 2


def test_rows_that_end_with_a_separator_are_not_those_of_r(tmp_path):
    with pytest.raises(DataError, match=r"every row must have 2 cells, as the first has; line 2 has 3"):
        read(tmp_path, nodes="id,age\na,1,\nb,2,\nc,3,\nd,4,\ne,5,\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_empty_rows_of_a_spreadsheet_are_skipped(tmp_path, separator):
    edges = EDGES.replace(",", separator) + f"{separator}\n {separator}\n"
    nodes = "id,age,team\n,,\na,1,x\n,,\nb,2,y\nc,3,x\nd,4,y\ne,5,x\n,,\n".replace(",", separator)
    net = read(tmp_path, edges, nodes)
    assert net.n_edges == 4
    assert net.n_nodes == 5
    if separator != "\t":  # a line of tabs is a blank line
        counts = [note.message.partition(": ")[2] for note in net.notes if note.code == "empty-rows"]
        assert counts == ["2 rows of empty cells skipped", "3 rows of empty cells skipped"]
    with pytest.raises(DataError, match="on line 8"):  # their lines still count
        read(tmp_path, edges, nodes.replace("5", "inf"))


def test_a_row_with_an_empty_first_cell_alone_is_not_empty(tmp_path):
    with pytest.raises(DataError, match="both ends of an edge must have an id; line 6 lacks one"):
        read(tmp_path, EDGES + ",a\n")


@pytest.mark.parametrize("word", ["\\N", "#NULL!", "#DIV/0!", "NaT", "*", "…", "(null)", "unknown", "Refused", "DK"])
@pytest.mark.parametrize("cells", [["1.5", "2.5", "40", "7"], ["2006-08-01", "2007-01-31", "2008-02-01", "2009-03-03"]])
def test_words_for_no_answer_are_missing_among_numbers_and_dates(tmp_path, word, cells):
    net = read(tmp_path, nodes=column("x", *cells, word))
    assert net.features.names == ("x",)
    assert net.features.is_number.all()
    assert net.features.missing.toarray().ravel().tolist() == [False] * 4 + [True]
    assert repr(word) in note(net, "missing").message


@pytest.mark.parametrize("cells", [["yes", "no", "yes", "no"], ["red", "blue", "red", "blue"], ["1", "0", "1", "0"]])
def test_words_for_no_answer_are_values_where_others_are(tmp_path, cells):
    assert "x=unknown" in read(tmp_path, nodes=column("x", *cells, "unknown")).features.names


def test_a_new_vertex_may_have_no_answer_where_others_had_none(tmp_path):
    net = read(tmp_path, nodes=column("x", "1.5", "2.5", "40", "7", "unknown"))
    later, notes = encode_like(net.features, pd.DataFrame({"x": ["unknown"]}))
    assert later.values.tolist() == [[0]]
    assert "1 missing cell" in notes[0].message


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["12 500", "980", "7 000", "1 250 000"], [12500, 980, 7000, 1250000]),
        (["1'200", "2'300", "980", "4’000"], [1200, 2300, 980, 4000]),
    ],
)
def test_thousands_may_be_set_apart_by_blanks_and_apostrophes(tmp_path, cells, numbers):
    net = read(tmp_path, nodes=column("pay", *cells, ""))
    assert np.isclose(net.features.mean[0], np.mean(numbers))
    assert "blanks or apostrophes between thousands" in note(net, "units").message


def test_the_minus_of_web_pages_is_a_minus(tmp_path):
    assert read(tmp_path, nodes=column("x", "\u22123", "4.5", "\u22121", "2", "9")).features.mean.tolist() == [2.3]


def test_a_number_that_is_the_same_where_it_is_known_is_said_to_be(tmp_path):
    net = read(tmp_path, nodes=column("option", "2", "", "2", "", "2"))
    text = note(net, "constant").message
    assert text.startswith("column 'option' left out: it is 2 on all 3 vertices where it is known; categorical=")
    flagged = read(tmp_path, nodes=column("option", "2", "", "2", "", "2"), categorical="option")
    assert flagged.features.names == ("option=2",)
    assert note(read(tmp_path, nodes=column("option", *"22222")), "constant").message.endswith("is 2 on every vertex")


def test_only_columns_of_edges_that_hold_numbers_are_offered_as_weights(tmp_path):
    rows = [f"{i},{i + 1},mail,{i % 3 or ''},2019-01-01,\n" for i in range(8)]
    message = note(read(tmp_path, "source,target,kind,minutes,when,\n" + "".join(rows)), "edge-columns").message
    assert "columns 'kind', 'minutes', 'when', 'column 6' of the edges not used; 'minutes' holds numbers" in message
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "kind": ["a", "b"]})
    assert note(as_network(frame), "edge-columns").message.endswith("column 'kind' of the edges not used")
    counted = note(as_network(frame.assign(n=[1, 2])), "edge-columns").message
    assert "'n' holds numbers" in counted


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("100000", "1e+05", "the way the number is written"),
        ("1,234", "1234", "the way the number is written"),
        ("Jose\u0301", "José", "the way accents are encoded"),
    ],
)
def test_ids_that_are_written_otherwise_are_named(tmp_path, one, other, difference):
    with pytest.raises(DataError, match=rf"1 agrees but for {difference}"):
        read(tmp_path, EDGES + f'"{one}",a\n', "id,x\n" + "".join(f"{v},1\n" for v in [*"abcde", other]))


def test_ids_of_one_column_alone_may_be_another_kind(tmp_path):
    edges = "person;event\n" + "".join(f"p{i};e{i % 2}\n" for i in range(12))
    people = "id;age\n" + "".join(f"p{i};{30 + i}\n" for i in range(12))
    with pytest.raises(DataError, match=r"two kinds, as people and events, add bipartite= \(--bipartite\)"):
        read(tmp_path, edges, people)
    net = read(tmp_path, edges, people, unknown="keep", bipartite=True)
    assert (net.n_nodes, net.n_edges) == (14, 12)
    with pytest.raises(DataError, match=r"keep it with unknown=keep \(--unknown keep\)$"):
        read(tmp_path, EDGES + "a,f\n", "id,x\n" + "".join(f"{v},1\n" for v in "abcde"))


@pytest.mark.parametrize("names", [True, False])
def test_a_matrix_may_lack_cells(tmp_path, names):
    cells = [["NA" if i == j else str(int(abs(i - j) in (1, 11))) for j in range(12)] for i in range(12)]
    cells[3][7] = "NA"
    rows = [[f"v{i}", *row] if names else row for i, row in enumerate(cells)]
    text = "".join(",".join(row) + "\n" for row in ([["", *(f"v{i}" for i in range(12))]] if names else []) + rows)
    net = read(tmp_path, text)
    assert (net.n_nodes, net.n_edges, net.graph.is_directed) == (12, 12, False)
    assert note(net, "absent-cells").message.endswith("13 cells such as 'NA' read as no edge")


def test_attributes_beside_a_matrix_need_ids(tmp_path):
    text = "".join(" ".join(str(int(abs(i - j) == 1)) for j in range(12)) + "\n" for i in range(12))
    with pytest.raises(DataError, match="it has as many rows as the matrix, 12, but no ids: add a column 'id' of 1, 2"):
        read(tmp_path, text, "".join(f"{i % 3} {20 + i}\n" for i in range(12)))


def test_codes_below_all_other_numbers_are_asked_about(tmp_path):
    cells = [str(cell) for cell in [*range(1, 12)] * 4]
    for code in ("-9", "-1"):
        rows = "".join(f"v{i},{cell}\n" for i, cell in enumerate([*cells, code, code, code]))
        net = read(tmp_path, "v0,v1\n", "id,income\n" + rows)
        assert f"has 3 cells {code}, below 0 unlike the others (1 to 11)" in note(net, "looks-missing").message
    rows = "".join(f"v{i},{i % 3 - 1}\n" for i in range(30))  # against, neutral, for
    assert "looks-missing" not in {note.code for note in read(tmp_path, "v0,v1\n", "id,vote\n" + rows).notes}
