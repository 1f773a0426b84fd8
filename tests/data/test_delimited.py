import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.data.delimited import Grid, _parse_rows, open_grid
from ffbm.errors import DataError


def test_a_file_of_many_pieces_is_split_as_one(monkeypatch):
    text = "".join(f"a{row % 7},{'é' * (row % 3)},{row}\n" for row in range(200))
    wanted = [cell for line in text.split("\n")[:-1] for cell in line.split(",")]
    for window in (1, 2, 10, 1000, 10**6):
        monkeypatch.setattr("ffbm.data.delimited._WINDOW", window)
        for ending in (text, text[:-1]):
            grid = open_grid(ending.encode(), "t", ".csv")
            assert grid.is_plain
            assert grid.cells == wanted
            assert grid.cells[0] is grid.cells[21]  # equal cells are one text


def grid_of(text: str, suffix: str = ".txt") -> Grid:
    return open_grid(text.encode(), "t", suffix)


@pytest.mark.parametrize(
    ("text", "separator", "cells"),
    [
        ("a,b\nc,d\n", ",", "a b c d"),
        ("a;b\nc;d", ";", "a b c d"),
        ("a\tb\nc\td\n", "\t", "a b c d"),
        ("a b\nc d\n", " ", "a b c d"),
        ("a  b\n c\td \n", " ", "a b c d"),
        ("a,b\r\nc,d\r\n", ",", "a b c d"),
        ("a,b\rc,d\r", ",", "a b c d"),
        ("a,b\n\n   \nc,d\n\n", ",", "a b c d"),
        ("# c d e\na,b\n#x,y,z\n  # no\nc,d\n", ",", "a b c d"),
        ("a;1,5\nb;2,5\n", ";", "a 1,5 b 2,5"),
        ("a,x;y\nb,z\n", ",", "a x;y b z"),
        ("John Smith,b\nAnn Lee,c\n", ",", "John_Smith b Ann_Lee c"),
        ("a,b c\nd,e f,g\n", ",", None),
        ("sep=;\na;b,c\nd;e\n", ";", "a b,c d e"),
        ('\ufeff"SEP=,"\r\n# x\r\na;1,b\r\n', ",", "a;1 b"),
        ("sep=\t\na b\tc\n", "\t", "a_b c"),
        ("sep=|\na=b\n", ",", "sep=| a=b"),
        ("C#,b\nF#,d\n", ",", "C# b F# d"),
    ],
)
def test_separator_and_cells(text, separator, cells):
    grid = grid_of(text)
    assert grid.separator == separator
    if cells is None:
        with pytest.raises(DataError, match="line 2 has 3"):
            _ = grid.cells
    else:
        assert grid.cells == [cell.replace("_", " ") for cell in cells.split()]


def test_quotes():
    grid = grid_of('name,says\n"a,b","she said ""no"""\n"two\n# lines",x"y\n')
    assert grid.cells == ["name", "says", "a,b", 'she said "no"', "two\n# lines", 'x"y']
    assert list(grid.lines) == [1, 2, 3]
    assert grid_of('"a b" "c ""d"""\n').cells == ["a b", 'c "d"']


def test_lines_count_comments_blanks_and_quoted_line_ends():
    grid = grid_of('# one\n\na,b\n"x\ny",c\n# six\nd,e\n')
    assert list(grid.lines) == [3, 4, 7]
    assert [note.count for note in grid.notes if note.code == "comments"] == [2]


def test_lines_count_the_line_that_names_the_separator():
    grid = grid_of("# one\nsep=;\n\n# four\na;b\nc;d\n", ".csv")
    assert list(grid.lines) == [5, 6]
    assert {note.code: note.count for note in grid.notes} == {"separator": 1, "comments": 2}


def test_a_wide_header_is_seen_whole():
    names = [f"a long name of a column; number {k}" for k in range(5000)]
    grid = grid_of(",".join(["id", *names]) + "\n" + "\n".join("x" + ",0" * 5000 for _ in range(3)), ".csv")
    assert (grid.separator, grid.width, grid.n_rows) == (",", 5001, 4)


@pytest.mark.parametrize(
    ("text", "suffix", "is_noted"),
    [
        ("a,b\n", ".csv", False),
        ("a;b\n", ".csv", False),
        ("a\tb\n", ".tsv", False),
        ("a b\n", ".edges", False),
        ("a\tb\n", ".csv", True),
        ("a b\n", ".csv", True),
        ("a,b\n", ".tsv", True),
        ("a;b,c\n", ".txt", True),
    ],
)
def test_a_guessed_separator_is_noted(text, suffix, is_noted):
    assert ("separator" in [note.code for note in grid_of(text, suffix).notes]) == is_noted


plain_cell = st.text(st.sampled_from(string.ascii_letters + "0129.=é€"), min_size=1, max_size=4)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    rows=st.integers(2, 4).flatmap(
        lambda w: st.lists(st.lists(plain_cell, min_size=w, max_size=w), min_size=1, max_size=30)
    ),
    separator=st.sampled_from(",;\t "),
    last=st.sampled_from(["", "\n"]),
)
def test_splitting_at_one_stroke_gives_what_the_csv_module_gives(rows, separator, last):
    grid = grid_of("\n".join(separator.join(row) for row in rows) + last)
    assert grid.is_plain
    cells, lines, *_ = _parse_rows(grid)
    assert grid.cells == cells == [cell for row in rows for cell in row]
    assert list(grid.lines) == list(lines)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nc\n",
        "a,b\nc,d,e\n",
        "a,b,c\nd\ne\nf\n",
        "a,b,c\nd,e\nf,g,h,i\n",
        "a,b\n\nc,d\n",
        'a,b\n"c",d\n',
        "a,b\n#c,d\n",
        "a\tb\n\t\nc\td\n",  # tabs alone: a blank line
        "a b c\nd  e\n",
        "a b\nc d\n ",
    ],
)
def test_what_is_not_plain_is_seen(text):
    assert not grid_of(text).is_plain


def test_plain_over_many_windows():
    rows = "".join(f"{k},{k + 1},{k % 7}\n" for k in range(60_000))
    assert grid_of(rows).is_plain
    assert not grid_of(rows + "1,2\n").is_plain
    assert not grid_of(rows + "1,2\n1,2,3,4\n" + rows).is_plain


def test_rows_of_separators_alone_are_no_table():
    with pytest.raises(DataError, match="must hold a table; it holds only rows of empty cells: check that"):
        _ = open_grid(b",,\n,,\n", "edges.csv", ".csv").first
