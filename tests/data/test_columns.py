"""What the cells of one column are taken for."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from ffbm.data.columns import parse_column
from ffbm.errors import DataError

NAN = float("nan")

FLAGS = {
    "graphml": (["true", "false", "true"], [1, 0, 1]),
    "python": (["True", "False", "True"], [1, 0, 1]),
    "upper": (["TRUE", "FALSE", "FALSE"], [1, 0, 0]),
    "digits": (["0", "1", "1"], [0, 1, 1]),
    "floats": (["0.0", "1.0", "0.0"], [0, 1, 0]),
    "yes": (["yes", "no", "no"], [1, 0, 0]),
    "Yes": (["Yes", "NO", "No"], [1, 0, 0]),
    "mixed": (["true", "0", "no", "1.0", "YES"], [1, 0, 0, 1, 1]),
    "other numbers": (["1e0", "+1", "-0", "00", "1."], [1, 1, 0, 0, 1]),
    "spaces": ([" true", "false "], [1, 0]),
    "blank": (["true", "", "false"], [1, NAN, 0]),
    "only spaces": (["true", "  ", "false"], [1, NAN, 0]),
    "word": (["yes", "NA", "no"], [1, NAN, 0]),
    "mark": (["yes", "-", "no"], [1, NAN, 0]),
    "only false": (["false", "", "false"], [0, NAN, 0]),
    "bool": ([True, False, True], [1, 0, 1]),
    "bool and None": ([True, None, False], [1, NAN, 0]),
    "bool and text": ([True, "false", np.bool_(True)], [1, 0, 1]),
    "ints": ([0, 1, 1], [0, 1, 1]),
    "floats and NaN": ([0.0, NAN, 1.0], [0, NAN, 1]),
    "numpy": (np.array([1, 0], dtype=np.uint8), [1, 0]),
    "nullable": (pd.array([True, None, False], dtype="boolean"), [1, NAN, 0]),
    "nullable ints": (pd.array([1, None, 0], dtype="Int64"), [1, NAN, 0]),
    "sparse": (pd.arrays.SparseArray([0, 0, 1]), [0, 0, 1]),
    "string": (pd.array(["yes", None, "no"], dtype="string"), [1, NAN, 0]),
}

NUMBERS = {
    "ints": (["1", "2", "30"], [1, 2, 30]),
    "floats": (["-1.5", ".5", "2.", "1e3", "+4E-1"], [-1.5, 0.5, 2, 1000, 0.4]),
    "blank": (["3", "", "5"], [3, NAN, 5]),
    "NA": (["3", "NA", "5"], [3, NAN, 5]),
    "NaN": (["3", "NaN", "nan"], [3, NAN, NAN]),
    "null": (["3", "null", "None", "N/A", "<NA>", "#N/A"], [3, NAN, NAN, NAN, NAN, NAN]),
    "marks": (["3", "-", "?", ".", "--", "-5"], [3, NAN, NAN, NAN, NAN, -5]),
    "zero, one, two": (["0", "1", "2"], [0, 1, 2]),
    "dtype": (np.array([1.5, NAN]), [1.5, NAN]),
    "float32": (np.array([1.5, 2.5], dtype=np.float32), [1.5, 2.5]),
    "nullable": (pd.array([5, None], dtype="Int64"), [5, NAN]),
    "objects": ([1, "2", 3.5, None, Decimal("4.5"), np.int64(7)], [1, 2, 3.5, NAN, 4.5, 7]),
}

VALUES = {
    "text": (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
    "trimmed": ([" b", "b", "a"], ("a", "b"), [1, 1, 0]),
    "case": (["A", "a"], ("A", "a"), [0, 1]),
    "blank": (["b", "", None, NAN], ("b",), [0, -1, -1, -1]),
    "marks are values": (["+", "-", "?"], ("+", "-", "?"), [0, 1, 2]),
    "NA is a country": (["NA", "DE", "NA"], ("DE", "NA"), [1, 0, 1]),
    "truth and text": (["true", "false", "maybe"], ("false", "maybe", "true"), [2, 0, 1]),
    "numbers and text": (["10", "9", "x"], ("10", "9", "x"), [0, 1, 2]),
    "not numbers": (["1_000", "0x10", "1,5", "inf"], ("0x10", "1,5", "1_000", "inf"), [2, 0, 1, 3]),
    "letters": (["T", "F"], ("F", "T"), [1, 0]),
    "times": ([dt.time(12, 30), dt.time(8, 0)], ("08:00:00", "12:30:00"), [1, 0]),
    "categorical": (
        pd.Categorical(["x", None, "w"], categories=["w", "x", "unused"]),
        ("w", "x"),
        [1, -1, 0],
    ),
    "categorical numbers": (pd.Categorical([10, 9, 10]), ("9", "10"), [1, 0, 1]),
    "categorical flags": (pd.Categorical([True, False]), ("False", "True"), [1, 0]),
    "string": (pd.array(["b", None], dtype="string"), ("b",), [0, -1]),
    "formula": (["=1+1", "@x"], ("=1+1", "@x"), [0, 1]),
}


def parse(cells, **options):
    return parse_column("c", pd.Series(cells), **options)


@pytest.mark.parametrize("case", FLAGS)
def test_flags(case):
    cells, expected = FLAGS[case]
    column, _ = parse(cells)
    assert column.kind == "flag"
    np.testing.assert_array_equal(column.numbers, expected)
    np.testing.assert_array_equal(column.missing, np.isnan(expected))


@pytest.mark.parametrize("case", FLAGS)
def test_flags_read_as_objects_and_text_agree(case):
    cells, expected = FLAGS[case]
    column, _ = parse(pd.Series(cells, dtype=object))
    np.testing.assert_array_equal(column.numbers, expected)


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers(case):
    cells, expected = NUMBERS[case]
    column, _ = parse(cells)
    assert column.kind == "number"
    np.testing.assert_array_equal(column.numbers, expected)
    np.testing.assert_array_equal(column.missing, np.isnan(expected))


@pytest.mark.parametrize("case", VALUES)
def test_values(case):
    cells, values, codes = VALUES[case]
    column, _ = parse(cells)
    assert (column.kind, column.values) == ("values", values)
    np.testing.assert_array_equal(column.codes, codes)


@pytest.mark.parametrize("cells", [["", ""], [None, NAN], ["NA", "nan"], [" ", "None"], []])
def test_nothing_but_missing_cells(cells):
    column, _ = parse(pd.Series(cells, dtype=object))
    assert column.kind == "empty"
    assert column.missing.all()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([3, 1, 20, 3], ("1", "3", "20")),
        ([3.0, 1.0, NAN], ("1", "3")),
        (["3", "1.0", "3.0", ""], ("1", "3")),
        (["3", "NA", "1"], ("1", "3")),
        (["007", "7"], ("007", "7")),
        ([1.5, 1.0], ("1.0", "1.5")),
        ([0, 1, 1], ("0", "1")),
        (["yes", "no"], ("no", "yes")),
        ([2**63 - 1, 2**63 - 2], (str(2**63 - 2), str(2**63 - 1))),
    ],
)
def test_codes_named_categorical(cells, values):
    column, _ = parse(cells, categorical=True)
    assert (column.kind, column.values) == ("values", values)


@pytest.mark.parametrize(
    ("cells", "drop", "kind", "n_known"),
    [
        (["M", "F", "Unknown", "Unknown"], ["Unknown"], "values", 2),
        (["12", "15", "unknown"], ["unknown"], "number", 2),
        (["12.0", "15", "999.0"], [999], "number", 2),
        ([12.0, 15.0, 999.0], [999], "number", 2),
        (["yes", "no", "maybe"], ["maybe"], "flag", 2),
        ([True, False, True], [True], "flag", 1),
        (["7", "007", "x"], ["7"], "values", 2),
        (["NA", "DE"], ["NA"], "values", 1),
        (["a", "b"], ["a", "b"], "empty", 0),
    ],
)
def test_dropped_values_are_out_before_the_kind_is_decided(cells, drop, kind, n_known):
    column, remarks = parse(cells, drop=drop)
    assert column.kind == kind
    assert (~np.isnan(column.numbers) | (column.codes >= 0)).sum() == n_known
    assert (~column.missing).sum() == n_known
    assert sum(remark.count for remark in remarks if remark.code == "dropped") == len(cells) - n_known


@pytest.mark.parametrize(
    ("cells", "code", "count"),
    [
        ([" a", "a", "b ", "c"], "trimmed", 2),
        (["NA", "DE", "none", "NA"], "looks-missing", 3),
        (["+", "-", "?", "-"], "looks-missing", 3),
        (["1", "2", "3", "old"], "mixed", 1),
        (["1,3", "2,5", "3", ""], "comma", 2),
        (["1", "2", "3", "1,5"], "comma", 1),
        ([1, 2, 3] * 5, "looks-coded", 3),
        (["1", "2", "3"] * 5, "looks-coded", 3),
    ],
)
def test_remarks(cells, code, count):
    _, remarks = parse(cells)
    assert [(remark.code, remark.count) for remark in remarks] == [(code, count)]


@pytest.mark.parametrize(
    "cells", [[1.5, 2.5, 3.5] * 5, list(range(30)), ["5A", "5B"], ["a", "1"], ["1,5", "x"], [1, 2] * 9]
)
def test_no_remarks(cells):
    assert parse(cells)[1] == []


@pytest.mark.parametrize(
    ("cells", "part"),
    [
        ([1.0, float("inf")], "infinite"),
        (["1", "-inf"], "infinite"),
        (["1", "Infinity"], "infinite"),
        (["1e999", "2"], "infinite"),
        ([1.0, 2.0 + 1j], "complex"),
        ([[1], [2]], "type list"),
        ([{"a": 1}, "b"], "type dict"),
        ([b"a", b"b"], "type bytes"),
    ],
)
def test_refused(cells, part):
    with pytest.raises(DataError, match=part) as caught:
        parse(cells)
    assert "'c'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_value_to_drop_must_be_there():
    with pytest.raises(DataError, match=r"drop= names 'unknown', which column 'c' .*'F', 'M', 'Unknown'"):
        parse(["M", "F", "Unknown"], drop=["unknown"])


@pytest.mark.parametrize(
    ("numbers", "suspects"),
    [
        ([0] * 18 + [1] * 3 + [9] * 4, [9]),
        ([1, 2, 3, 4, 5, 6] * 5 + [9] * 3, [9]),
        ([1, 2, 3] * 5 + [8] * 2 + [9] * 3, [8, 9]),
        ([0] * 60 + [1] * 30 + [2] * 9 + [9], []),  # a count with a long tail
        ([1, 2, 3, 5, 9] * 5, []),  # no scale
        ([1, 2, 3, 4, 5, 6, 7, 8, 9] * 5, []),
        ([0, 9] * 5, []),
        ([20, 30, 40, 999], [999]),
        ([*range(1, 19), 98, 98, 99], [98, 99]),
        ([-99, -98, 1, 2, 3], []),  # -98 is no code, and then -99 is near
        ([-99, -88, 1, 2, 3], [-88, -99]),
        ([10, 60, 77, 88, 99], []),  # ages
        ([*range(18, 81)] + [99] * 3, [99]),
        ([*range(18, 81)] + [99] * 2, []),  # of few cells
        ([*range(18, 91)] + [99] * 3, []),  # not far off
        ([*range(18, 81)] + [95] * 3, []),  # no code
    ],
)
def test_numbers_that_may_mean_no_answer_are_noted(numbers, suspects):
    _, remarks = parse(numbers)
    texts = [remark.text for remark in remarks if remark.code == "looks-missing"]
    assert [float(text.split(",")[0].split()[-1]) for text in texts] == suspects


def test_codes_keep_their_leading_zeros():
    cells = pd.Series(["001", "010", "100", ""] * 6)
    column, _ = parse_column("district", cells)
    assert column.other.values == ("001", "010", "100")
    assert column.other.codes.tolist()[:4] == [0, 1, 2, -1]
    assert parse_column("n", pd.Series(["1", "2", "3"] * 6))[0].other.values == ("1", "2", "3")
    assert parse_column("n", pd.Series(["1", "01", "2", "3"] * 6))[0].other.values == (
        "1",
        "2",
        "3",
    )  # one number twice
