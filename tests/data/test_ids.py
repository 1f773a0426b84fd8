import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.data import ids as ids_module
from ffbm.data.ids import id_text, number_numbers, number_values, number_words
from ffbm.errors import DataError


@pytest.mark.parametrize("window", [3, 1 << 15])
@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.lists(st.integers(-9, 9), max_size=40)  # a table that begins below 0
    | st.lists(st.integers(5, 900), max_size=40)  # at 0
    | st.lists(st.integers(10**12, 10**12 + 50), max_size=40)  # far above it
    | st.lists(st.sampled_from([0, 3, 10**9, 2**31 - 1, 2**31]), max_size=40)  # 32 bits hashed
    | st.lists(st.sampled_from([-(2**62), -(10**17), 0, 7, 2**31, 2**63 - 1]), max_size=40)  # 64 bits
)
def test_numbers_are_counted_out_as_their_texts_are(window, numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids_module, "_WINDOW", window)
        codes, ids = number_numbers(np.array(numbers, dtype=np.int64))
    expected, words = number_words(list(map(str, numbers)))
    assert codes.tolist() == expected.tolist()
    assert ids.tolist() == words.tolist()


@pytest.mark.parametrize("high", [0, 9, 10, 2**32 - 1, 2**32, 10**18, 2**63 - 1])
def test_numbers_are_written_out_in_their_plain_spelling(high):
    numbers = [high, *(high // 10**k for k in range(1, 20)), 0, 10, 1]
    assert number_numbers(np.array(numbers))[1].tolist() == list(map(str, dict.fromkeys(numbers)))


def test_values_are_numbered_by_their_text():
    codes, ids, are_whole = number_values(np.array([1, "1", 2.0, "2"], dtype=object), "t")
    assert (codes.tolist(), ids.tolist(), are_whole) == ([0, 0, 1, 1], ["1", "2"], False)
    codes, ids, are_whole = number_values(np.array([5, 3, 5], dtype=np.uint8), "t")
    assert (codes.tolist(), ids.tolist(), are_whole) == ([0, 1, 0], ["5", "3"], True)
    large = np.array([2**63, 1], dtype=np.uint64)
    assert number_values(large, "t")[1].tolist() == ["9223372036854775808", "1"]


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
