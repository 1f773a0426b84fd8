import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.data import integers
from ffbm.data.delimited import open_grid
from ffbm.data.integers import whole_numbers


@pytest.mark.parametrize(
    ("cell", "is_plain"),
    [
        ("7", True),
        ("0", True),
        ("-12", True),
        ("907", True),
        ("3000000000", True),
        ("123456789012345678", True),
        ("007", False),
        ("00", False),
        ("-0", False),
        ("-07", False),
        ("+7", False),
        (" 7", False),
        ("7 ", False),
        ("7.0", False),
        ("1e3", False),
        ("", False),
        ("x", False),
        ("NA", False),
        ("True", False),
        ("inf", False),
        ("nan", False),
        ("Infinity", False),
        ("0x1", False),
        ("1_0", False),
        ("12345678901234567890", False),
    ],
)
@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("place", [0, 1])
def test_whole_numbers_are_taken_only_where_their_text_comes_back(cell, is_plain, row, place):
    cells = [["1", "2"], ["3", "4"], ["5", "6"]]
    cells[row][place] = cell
    for extra in ("", ",0.05"):
        text = "".join(f"{','.join(line)}{extra}\n" for line in cells)
        found = whole_numbers(open_grid(f"a,b{',w' * bool(extra)}\n{text}".encode(), "t", ""), (0, 1), 1)
        assert (found is not None) == is_plain
        if found is not None:
            assert [list(map(str, pair)) for pair in found.tolist()] == cells


def test_whole_numbers_refuse_ragged_rows():
    for text in ("1,2\n3\n", "1,2\n3,4,5\n", "1,2,9\n3,4\n", "1,2,9\n3,4\n5,6,7,8\n"):
        assert whole_numbers(open_grid(text.encode(), "t", ""), (0, 1), 0) is None


def read_in_windows(rows, monkeypatch, size=40, end="\n"):
    monkeypatch.setattr(integers, "_WINDOW", size)
    grid = open_grid(("a,b\n" + "\n".join(rows) + end).encode(), "t", "")
    assert len(integers._cut(grid.data, 4)) > 5
    return whole_numbers(grid, (0, 1), 1)


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_windows_are_joined_in_their_order(monkeypatch, size, end):
    rows = [f"{k * k},{-k}" for k in range(100)]
    found = read_in_windows(rows, monkeypatch, size, end)
    assert found.tolist() == [[k * k, -k] for k in range(100)]


@pytest.mark.parametrize(
    "odd",
    [
        ["07,1"],
        ["x,1"],
        ["1"],
        ["1,2,3"],
        ["1,2,3"] * 30,  # whole windows of another width
        ["1"] * 60,
        [""],
        ["# 1,2"],
        ['"1",2'],
        ["1,é"],
        ["1e3,7.0"],
        ["inf,1"],
        ["9999999999999999999.,1"],
        ["99999999999999999999,1"],
        ["-9223372036854775809,1"],
    ],
)
@pytest.mark.parametrize("row", [0, 1, 50, 99])
def test_one_odd_window_is_enough_to_go_by_the_text(monkeypatch, row, odd):
    rows = [f"{k},{k + 1}" for k in range(100)]
    assert read_in_windows(rows, monkeypatch) is not None
    assert read_in_windows(rows[:row] + odd + rows[row:], monkeypatch) is None


def test_a_line_longer_than_a_window(monkeypatch):
    wide = ["1", "2", "x" * 200]
    monkeypatch.setattr(integers, "_WINDOW", 16)
    grid = open_grid("".join(",".join(wide) + "\n" for _ in range(9)).encode(), "t", "")
    assert whole_numbers(grid, (1, 0), 0).tolist() == [[2, 1]] * 9


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('1,2,"x\n3,4,y"\n', (0, 1)),  # one row
        ("1,2,3\n#4,5,6\n", (1, 2)),  # a comment
        ("1 2 3\n4  5\n", (0, 2)),  # two cells, with more than a blank between them
    ],
)
def test_some_columns_are_read_only_where_every_separator_counts(text, places):
    assert whole_numbers(open_grid(text.encode(), "t", ""), places, 0) is None


@pytest.mark.parametrize("place", range(18))
def test_every_byte_that_is_no_digit_is_seen(place):
    for byte in range(256):
        text = b"1" * place + bytes([byte]) + b"1" * (17 - place) + bytes(18)
        codes = np.frombuffer(text, dtype=np.uint8)
        found = integers._read_digits(text, codes, np.array([0, 0]), np.array([18, place + 1]))
        if chr(byte) in "0123456789":
            assert found.tolist() == [int(text[:18]), int(text[: place + 1])]
        else:
            assert found is None


numbers = st.integers(-(10**18) + 1, 10**18 - 1) | st.integers(-20, 2000) | st.integers(0, 17).map(lambda k: 10**k)
odd_cells = st.text(st.sampled_from("0123456789-+./:?@p \xb0"), min_size=1, max_size=20)  # what stands around digits


@pytest.mark.parametrize("window", [16, 1 << 18])
@settings(max_examples=150, derandomize=True, deadline=None)
@given(rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=20), data=st.data())
def test_digits_give_what_int_gives_and_anything_else_is_seen(window, rows, data):
    cells = [list(map(str, row)) for row in rows]
    odd = data.draw(st.none() | odd_cells)
    if odd is not None:
        cells[data.draw(st.integers(0, len(rows) - 1))][data.draw(st.integers(0, 2))] = odd
    text = "a;b;c\n" + "".join(";".join(row) + "\n" for row in cells)
    for places in ((0, 1, 2), (2, 0)):
        chosen = [[row[place] for place in places] for row in cells]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(integers, "_WINDOW", window)
            found = whole_numbers(open_grid(text.encode(), "t", ".csv"), places, 1)
        if all(re.fullmatch("-?[1-9][0-9]{0,17}|0", cell) for row in chosen for cell in row):
            assert found.tolist() == [list(map(int, row)) for row in chosen]
        else:
            assert found is None
