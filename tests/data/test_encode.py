"""From a table to the feature matrix."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.data import as_network
from ffbm.data.encode import encode_features
from ffbm.data.remarks import why_no_features
from ffbm.errors import DataError, OptionError


def encode(table, **options):
    features, notes = encode_features(pd.DataFrame(table), **options)
    values = features.values.toarray() if sp.issparse(features.values) else features.values
    return features, values, {note.code: note for note in notes}


def test_order_and_names():
    features, values, notes = encode(
        {"party": ["b", "a", "b", "a"], "age": ["1", "2", "3", "4"], "member": ["yes", "no", "no", "no"]}
    )
    assert features.names == ("party=a", "party=b", "age", "member")
    assert features.columns == ("party", "party", "age", "member")
    np.testing.assert_array_equal(values[:, [0, 1, 3]], [[0, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert notes == {}


def test_numbers_are_standardised_and_the_mean_stands_in_for_missing_ones():
    cells = np.array([1.0, 2.0, 4.0, np.nan, 9.0])
    features, values, notes = encode({"age": cells})
    known = cells[~np.isnan(cells)]
    assert features.mean == pytest.approx([known.mean()])
    assert features.sd == pytest.approx([known.std()])
    expected = np.nan_to_num((cells - known.mean()) / known.std())
    np.testing.assert_allclose(values[:, 0], expected, atol=1e-14)
    assert values[3, 0] == 0
    assert notes["missing"].count == 1
    assert "mean" in notes["missing"].message


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e150, 1.7e308])
def test_extreme_numbers_stay_finite(scale):
    _, values, _ = encode({"x": np.array([-1.0, 0.5, 1.0]) * scale})
    assert np.isfinite(values).all()
    assert values.std() == pytest.approx(1)


def test_standardising_does_not_depend_on_the_order_of_the_vertices():
    cells = np.random.default_rng(0).normal(size=999) * 10.0 ** np.arange(-9, 9).repeat(56)[:999]
    order = np.random.default_rng(1).permutation(999)
    np.testing.assert_array_equal(encode({"x": cells})[1][order], encode({"x": cells[order]})[1])


def test_flags_have_mean_0_and_sd_1():
    features, _, _ = encode({"c": ["a", "b", "a"], "f": ["0", "1", "1"]})
    np.testing.assert_array_equal(features.mean, 0)
    np.testing.assert_array_equal(features.sd, 1)


def test_missing_cells_have_no_flag_and_are_counted():
    table = {"c": ["a", "", "b", None], "f": ["true", "false", "NA", "false"]}
    np.testing.assert_array_equal(encode(table)[1], [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    _, notes = encode_features(pd.DataFrame(table))
    assert [(note.code, note.count) for note in notes] == [("missing", 2), ("missing", 1)]
    assert notes[1].message == "column 'f' has 1 missing cell (1 written 'NA'): no flag"


def test_missing_cells_with_a_flag_of_their_own():
    table = {
        "c": ["a", "", "a", "b"],
        "n": ["1", "NA", "3", "5"],
        "f": ["0", "1", "", "1"],
        "full": ["x", "y", "x", "y"],
    }
    features, values, _ = encode(table, missing="flag")
    names = ("c=a", "c=b", "c=missing", "n", "n=missing", "f", "f=missing", "full=x", "full=y")
    assert features.names == names
    np.testing.assert_array_equal(values[:, 2], [0, 1, 0, 0])
    np.testing.assert_array_equal(values[:, 4], [0, 1, 0, 0])
    np.testing.assert_array_equal(values[:, 6], [0, 0, 1, 0])
    assert features.mean[3] == 3
    assert features.mean[4] == 0


def test_a_genuine_value_called_missing_keeps_its_name():
    features, values, _ = encode({"c": ["missing", "", "here", "here"]}, missing="flag")
    assert features.names == ("c=here", "c=missing", "c=(missing)")
    np.testing.assert_array_equal(values[:, 1:], [[1, 0], [0, 1], [0, 0], [0, 0]])


def test_a_constant_column_still_has_a_flag_for_its_missing_cells():
    features, values, notes = encode({"n": [5.0, np.nan, 5.0]}, missing="flag")
    assert features.names == ("n=missing",)
    np.testing.assert_array_equal(values[:, 0], [0, 1, 0])
    assert {"constant", "missing"} == set(notes)


def test_dropped_values_have_no_flag():
    features, values, notes = encode({"gender": ["M", "F", "Unknown", "M"]}, drop={"gender": ["Unknown"]})
    assert features.names == ("gender=F", "gender=M")
    np.testing.assert_array_equal(values, [[0, 1], [1, 0], [0, 0], [0, 1]])
    assert notes["dropped"].count == 1


@pytest.mark.parametrize("wanted", ["Unknown", ["Unknown"], ("Unknown",)])
def test_drop_takes_one_value_or_several(wanted):
    assert encode({"g": ["M", "F", "Unknown", "M"]}, drop={"g": wanted})[0].names == ("g=F", "g=M")


@pytest.mark.parametrize(("least", "kept"), [(1, 4), (2, 3), (3, 2), (4, 1)])
def test_rare_flags(least, kept):
    table = {"c": ["a", "b", "b", "c", "c", "c"], "n": [1.5, 2, 3, 4, 5, 6]}
    features, values, notes = encode(table, min_support=least)
    assert features.names == (*("c=a", "c=b", "c=c")[4 - kept :], "n")
    assert values.shape == (6, kept)
    assert (np.count_nonzero(values[:, :-1], axis=0) >= least).all()
    assert ("rare" in notes) == (kept < 4)
    assert kept == 4 or notes["rare"].count == 4 - kept


def test_a_number_is_never_rare():
    assert encode({"n": [3, 3, 3, 3, 3, 2, 4]}, min_support=3)[0].names == ("n",)


LEFT_OUT = {
    "names": (["ann", "bob", "cid", "dan"], "identifier"),
    "nearly all different": ([f"v{i}" for i in range(18)] + ["v0", "v1"], "identifier"),
    "different where known": (["ann", "bob", "cid", "", ""], "identifier"),
    "one value": (["x", "x", "x"], "constant"),
    "one number": ([4.5, 4.5, np.nan], "constant"),
    "all true": (["true", "True", "1"], "constant"),
    "false or missing": (["false", "", "false"], "constant"),
    "no cells": (["", None, ""], "empty"),
}
KEPT = {
    "two values": (["x", "y"], 2),
    "repeated values": ([f"v{i}" for i in range(17)] + ["v0", "v1", "v2"], 17),
    "true or missing": (["true", "", ""], 1),
    "one value or missing": (["x", "", "x"], 1),
    "different numbers": ([10, 20, 35, 40], 1),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_columns_left_out(case):
    cells, code = LEFT_OUT[case]
    features, _, notes = encode({"c": cells})
    assert features.n_features == 0
    assert notes[code].count == 1
    assert notes[code].message.startswith("column 'c' left out: ")


@pytest.mark.parametrize("case", KEPT)
def test_columns_kept(case):
    cells, width = KEPT[case]
    assert encode({"c": cells})[0].n_features == width


@pytest.mark.parametrize(("case", "width"), [("names", 4), ("one value", 1), ("one number", 1), ("all true", 1)])
def test_include_keeps_what_would_be_left_out(case, width):
    features, values, _ = encode({"c": LEFT_OUT[case][0], "d": [0, 1, 0, 1][: len(LEFT_OUT[case][0])]}, include="c")
    assert features.n_features == width + 1  # include= keeps a column; it takes no other out
    assert np.isfinite(values).all()
    assert (features.sd > 0).all()


def test_exclude():
    features, _, notes = encode({"a": [0, 1, 1], "b": [1, 0, 1]}, exclude=["a"])
    assert features.names == ("b",)
    assert notes["excluded"].message == "column 'a' left out by exclude="


def test_an_excluded_column_may_hold_anything():
    assert encode({"a": [[1], [2]], "b": [0, 1]}, exclude="a")[0].names == ("b",)


def test_columns_of_codes():
    features, _, _ = encode({"zone": [10, 2, 10, 2]}, categorical=["zone"])
    assert features.names == ("zone=2", "zone=10")


@pytest.mark.parametrize("option", ["include", "exclude", "categorical", "drop"])
def test_unknown_columns_are_refused(option):
    wanted = {"sex": ["x"]} if option == "drop" else ["sex"]
    with pytest.raises(DataError, match=rf"{option}= names 'sex', .* columns are 'age', 'gender'"):
        encode({"age": [1, 2], "gender": ["a", "b"]}, **{option: wanted})


@pytest.mark.parametrize(
    "options",
    [
        {"include": "a", "exclude": "a"},
        {"missing": "mean"},
        {"min_support": 0},
        {"min_support": 1.5},
        {"drop": ["a"]},
        {"include": 3},
    ],
)
def test_wrong_options(options):
    with pytest.raises(OptionError):
        encode({"a": [0, 1]}, **options)


def test_names_stay_unique():
    features, values, notes = encode({"a": ["b=c", "x", "x"], "a=b": ["c", "c", "y"], "a=x": [1, 0, 0]})
    assert features.names == ("a=b=c", "a=x", "a=b=c (2)", "a=b=y", "a=x (2)")
    np.testing.assert_array_equal(values[:, 0], [1, 0, 0])
    np.testing.assert_array_equal(values[:, 2], [1, 1, 0])
    assert "renamed to 'a=x (2)'" in notes["renamed"].message


def test_column_names_must_differ():
    table = pd.DataFrame([[0, 1], [1, 0]], columns=["a", " a"])
    with pytest.raises(DataError, match="'a'"):
        encode_features(table)


def test_columns_without_a_name_and_columns_numbered():
    features, _, notes = encode(pd.DataFrame([[0, 1], [1, 0]], columns=["", 7]))
    assert features.names == ("column 1", "7")
    assert notes["unnamed"].count == 1


def test_mostly_zero_is_stored_sparse():
    sparse, dense = (
        encode({"c": list("abca")})[0].values,
        encode({"c": list("aaba"), "f": [1, 1, 1, 0]})[0].values,
    )
    assert isinstance(sparse, sp.csr_array)
    assert sparse.has_sorted_indices
    assert isinstance(dense, np.ndarray)
    assert dense.flags.c_contiguous
    assert sparse.dtype == dense.dtype == np.float64


@pytest.mark.parametrize("table", [pd.DataFrame(index=range(3)), pd.DataFrame({"a": []}), pd.DataFrame()])
def test_nothing_to_encode(table):
    features, _ = encode_features(table)
    assert features.values.shape == (len(table), 0)


def test_many_notes_of_one_kind_become_one():
    features, _, notes = encode({f"c{j}": ["x", "x"] for j in range(30)})
    assert features.n_features == 0
    assert notes["constant"].count == 30
    assert notes["constant"].message.startswith("30 columns left out because they do not vary")
    assert notes["constant"].message.endswith("'c0', 'c1', 'c2', 'c3', 'c4' and 25 more")


@pytest.mark.parametrize("kind", ["text", "numbers", "bool"])
def test_ten_thousand_columns(kind):
    flags = np.random.default_rng(0).random((40, 10_000)) < 0.5
    flags[0], flags[1] = True, False
    cells = {"text": flags.astype(int).astype(str), "numbers": flags.astype(int), "bool": flags}[kind]
    features, values, _ = encode(pd.DataFrame(cells).rename(columns="c{}".format))
    assert features.names == tuple(f"c{j}" for j in range(10_000))
    np.testing.assert_array_equal(values, flags)


def test_a_table_read_as_text_or_as_objects_encodes_alike():
    table = pd.DataFrame({"n": [1.5, 2.5, np.nan], "f": [True, False, True], "c": ["x", None, "y"], "k": [1, 2, 4]})
    text = table.astype(object).where(table.notna(), "").astype(str)
    one, two = encode(table), encode(text)
    assert one[0].names == two[0].names
    np.testing.assert_array_equal(one[1], two[1])


CELLS = st.one_of(
    st.sampled_from(["", "NA", "nan", "true", "No", "0", "1", "1.0", "-2.5e3", "inf", "a", " a ", "=1", "a=b", "é"]),
    st.text(max_size=4),
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.dates(),
    st.just([1]),
)


@settings(max_examples=1000, deadline=None)
@given(data=st.data())
def test_any_table_gives_features_or_a_data_error(data):
    n_rows = data.draw(st.integers(0, 6))
    names = data.draw(st.lists(st.sampled_from(["a", "a=b", "b", "", "x y", "c", "=c"]), unique=True, max_size=4))
    pool = data.draw(st.lists(CELLS, min_size=1, max_size=5))
    column = st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)
    table = pd.DataFrame({name: pd.Series(data.draw(column), dtype=object) for name in names}, index=range(n_rows))
    options = {
        "missing": data.draw(st.sampled_from(["none", "flag"])),
        "min_support": data.draw(st.integers(1, 3)),
        "include": data.draw(st.sets(st.sampled_from(names))) if "" not in names and names else None,
        "categorical": data.draw(st.sets(st.sampled_from(names))) if "" not in names and names else None,
    }
    try:
        features, notes = encode_features(table, **options)
    except DataError:
        return
    values = features.values.toarray() if sp.issparse(features.values) else features.values
    assert values.shape == (n_rows, features.n_features)
    assert len(set(features.names)) == len(features.names) == len(features.columns)
    assert np.isfinite(values).all()
    assert np.isfinite(features.mean).all()
    assert (features.sd > 0).all()
    assert all(note.count > 0 and note.message.isprintable() for note in notes)
    flags = (features.mean == 0) & (features.sd == 1)
    assert all(column in [*names, "column 1", "column 2", "column 3", "column 4"] for column in features.columns)
    assert (features.support[flags] <= n_rows).all()


@pytest.mark.parametrize(
    ("cells", "options", "said"),
    [
        (
            ["x"] * 96 + [""] * 4,
            {},
            "'c=x' on 96 % of the vertices, much like an intercept; exclude= (--exclude) leaves it out",
        ),
        (
            ["yes"] * 199 + [""],
            {},
            "'c' on 99 % of the vertices, much like an intercept; exclude= (--exclude) leaves it out",
        ),
        (
            ["x"] * 96 + ["y"] * 4,
            {},
            "'c=x' on 96 % of the vertices, much like an intercept; drop= (--drop) leaves it out",
        ),
        (["x"] * 95 + [""] * 5, {}, None),
        (["x"] * 95 + ["y"] * 5, {}, None),
        (["x"] * 96 + [""] * 4, {"include": "c"}, None),
        (["x"] * 96 + ["y"] * 4, {"drop": {"c": "x"}}, None),
        ([*range(99), 0], {}, None),
        (["x"] * 100, {}, None),
    ],
)
def test_a_flag_on_nearly_all_vertices_is_told(cells, options, said):
    _, notes = encode_features(pd.DataFrame({"c": cells}), **options)
    found = [note.message for note in notes if note.code == "nearly-constant"]
    assert found == ([] if said is None else [f"column 'c' has the flag {said}"])


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["Sales", "SALES", "IT", "IT"], "('SALES' and 'Sales')"),
        (["New York", "New  York", "Rome", "Rome"], "('New  York' and 'New York')"),
        (list("aAbBcCdDdd"), "('A' and 'a', 'B' and 'b', 'C' and 'c' and 1 more)"),
        (["Sales", "Sale", "Sales"], None),
        (["Yes", "yes", "no"], None),  # a flag
        (["ann", "Ann", "bob", "cid"], None),  # left out
    ],
)
def test_values_that_differ_only_in_case_or_spaces_are_told(cells, said):
    _, notes = encode_features(pd.DataFrame({"c": [str(cell) for cell in cells]}))
    told = [note.message for note in notes if note.code == "alike"]
    expected = f"column 'c' has values that differ only in case or spaces {said}: different values"
    assert [text.split("; merge")[0] for text in told] == ([] if said is None else [expected])
    assert all(text.startswith(f"{expected}; merge= (--merge) makes one of them, as in c:") for text in told)


LONE = [f"text {i}" for i in range(30)]


@pytest.mark.parametrize(
    ("cells", "options", "count"),
    [
        ([*LONE, *["red", "blue"] * 10], {}, 30),
        ([*LONE[:11], *[f"v{i}" for i in range(9)] * 3], {}, 11),
        ([*LONE[:10], *[f"v{i}" for i in range(10)] * 3], {}, None),
        ([*LONE[:18], *["red"] * 20], {}, None),  # few values
        ([*LONE, "red", "red"], {}, None),  # left out, it identifies
        ([*LONE, *["red", "blue"] * 10], {"min_support": 2}, None),
        ([*LONE, *["red", "blue"] * 10], {"include": "c"}, None),
    ],
)
def test_values_on_one_vertex_each_are_told(cells, options, count):
    _, notes = encode_features(pd.DataFrame({"c": cells}), **options)
    told = [(note.count, note.message) for note in notes if note.code == "one-each"]
    assert [found for found, _ in told] == ([] if count is None else [count])
    remedy = "exclude= (--exclude) leaves the column out, min_support=2 (--min-support 2) these values"
    assert all(message.endswith(f"{count} of them on one vertex each; {remedy}") for _, message in told)


@pytest.mark.parametrize(
    ("cells", "code", "suggestion"),
    [(["1", "2", "1", "0", "\x1b"], "mixed", r"as in c=\x1b"), (["a\x1b", "A\x1b"], "alike", r"as in c:A\x1b=a\x1b")],
)
def test_a_suggested_option_never_steers_the_terminal(cells, code, suggestion):
    _, notes = encode_features(pd.DataFrame({"c": cells}))
    (message,) = (note.message for note in notes if note.code == code)
    assert message.isprintable()
    assert suggestion in message


@pytest.mark.parametrize("name", ["column 1", "Unnamed: 0", "user_id", "userId", "ID", "index", "label", "Name"])
def test_whole_numbers_by_the_name_of_ids_are_ids(name):
    numbers = pd.DataFrame({name: [31, 7, 12, 5, 90, 41], "team": ["a", "b"] * 3})
    features, notes = encode_features(numbers)
    assert features.names == ("team=a", "team=b")
    assert [note.code for note in notes] == ["identifier"]
    assert encode_features(numbers, include=name)[0].names == (name, "team=a", "team=b")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Madrid", [31, 7, 12, 5, 90, 41]),
        ("user_id", [1, 2, 3] * 2),
        ("user_id", [0.5, 1.5, 2.5, 3, 4, 5]),
        ("id", [0, 1] * 3),
    ],
)
def test_other_numbers_are_no_ids(name, cells):
    assert encode_features(pd.DataFrame({name: cells}))[0].names == (name,)


@pytest.mark.parametrize("word", ["k.A.", "keine Angabe", "n.a.", "Missing"])
def test_words_for_no_answer_among_numbers_are_missing(word):
    features, _ = encode_features(pd.DataFrame({"age": ["31", word, "40"], "town": ["Rome", word, "Rome"]}))
    assert set(features.names) == {"age", "town=Rome", f"town={word}"}
    assert features.missing.toarray()[:, 0].tolist() == [False, True, False]


def test_why_there_are_no_features():
    for cells, cure in (([None] * 3, ": give columns that have values"), (["a"] * 3, ": see include= (--include)")):
        net = as_network([(0, 1), (1, 2)], pd.DataFrame({"team": cells}))
        assert str(DataError(why_no_features(net))).endswith(cure)
