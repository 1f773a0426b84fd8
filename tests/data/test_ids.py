import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.data.delimited import open_grid
from ffbm.data.ids import id_text, number_numbers, number_values, number_words, whole_numbers
from ffbm.errors import DataError


@pytest.mark.parametrize(
    ("cell", "is_plain"),
    [
        ("7", True),
        ("0", True),
        ("-12", True),
        ("907", True),
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
            assert [list(map(str, pair)) for pair in zip(*found, strict=True)] == cells


def test_whole_numbers_refuse_ragged_rows():
    for text in ("1,2\n3\n", "1,2\n3,4,5\n", "1,2,9\n3,4\n", "1,2,9\n3,4\n5,6,7,8\n"):
        assert whole_numbers(open_grid(text.encode(), "t", ""), (0, 1), 0) is None


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=20)
    | st.lists(st.tuples(st.integers(-(10**17), 10**17), st.integers(0, 5)), max_size=20)
)
def test_numbers_are_counted_out_as_their_texts_are(pairs):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    source, target, ids = number_numbers(ends[:, 0], ends[:, 1])
    codes, words = number_words([str(end) for pair in pairs for end in pair])
    assert source.tolist() == codes[::2].tolist()
    assert target.tolist() == codes[1::2].tolist()
    assert ids.tolist() == words.tolist()


def test_values_are_numbered_by_their_text():
    source, target, ids, are_whole = number_values(np.array([1, "1", 2.0, "2"], dtype=object), "t")
    assert (source.tolist(), target.tolist(), ids.tolist(), are_whole) == ([0, 1], [0, 1], ["1", "2"], False)
    large = np.array([2**63, 1], dtype=np.uint64)
    assert number_values(large, "t")[2].tolist() == ["9223372036854775808", "1"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("NA", "NA"),
        (np.str_("a"), "a"),
        (b"a", "a"),
        (7, "7"),
        (np.int8(7), "7"),
        (7.0, "7"),
        (0.5, "0.5"),
        (True, "True"),
    ],
)
def test_id_text(value, text):
    assert id_text(value, "t") == text
    assert type(id_text(value, "t")) is str


@pytest.mark.parametrize("value", [None, np.nan, np.inf, pd.NA, pd.NaT])
def test_missing_ids_are_refused(value):
    with pytest.raises(DataError, match="ids must be"):
        id_text(value, "t")
