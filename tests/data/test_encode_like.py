import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.data.encode import encode_features
from ffbm.data.encode_like import encode_like
from ffbm.errors import DataError


def dense(features):
    return features.values.toarray() if sp.issparse(features.values) else features.values


TABLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 30, None, 61],
        "member": ["yes", "no", "", "yes", "no", "yes"],
        "party": ["b", "a", "b", "", "c", "a"],
        "ward": [1, 2, 2, 1, 3, 3],
        "same=": ["x=1", "y", "y", "x=1", "y", "y"],
    }
)


@pytest.mark.parametrize("missing", ["none", "flag"])
def test_the_same_table_gives_the_same_features(missing):
    features, _ = encode_features(TABLE, missing=missing, categorical="ward")
    again, _ = encode_like(features, TABLE)
    np.testing.assert_allclose(dense(again), dense(features), rtol=1e-12, atol=1e-15)
    assert again.names == features.names
    assert again.columns == features.columns
    assert sp.issparse(again.values) == sp.issparse(features.values)


def test_each_row_alone_is_encoded_as_in_the_whole():
    features, _ = encode_features(TABLE, missing="flag", categorical="ward")
    for i in range(len(TABLE)):
        one, _ = encode_like(features, TABLE.iloc[[i]].astype(object))
        np.testing.assert_allclose(dense(one)[0], dense(features)[i], rtol=1e-12, atol=1e-15)


def test_columns_are_found_by_name_and_others_left():
    features, _ = encode_features(TABLE, categorical="ward")
    moved = TABLE[TABLE.columns[::-1]].rename(columns={"age": " age "})
    moved["new"] = 1
    again, notes = encode_like(features, moved)
    np.testing.assert_allclose(dense(again), dense(features), rtol=1e-12, atol=1e-15)
    assert [(note.count, note.message) for note in notes if note.code == "unused-columns"] == [
        (1, "1 column not looked at, no feature comes from it: 'new'")
    ]


def test_unknown_values_get_no_flag_and_a_note():
    features, _ = encode_features(TABLE, categorical="ward")
    new = pd.DataFrame({"age": [30], "member": ["no"], "party": ["z"], "ward": [9], "same=": ["y"]})
    later, notes = encode_like(features, new)
    named = dict(zip(later.names, dense(later)[0], strict=True))
    assert [name for name, value in named.items() if value == 1] == ["same==y"]
    assert [(note.code, note.message) for note in notes] == [
        ("unknown-value", "column 'party' has 1 cell with an unknown value ('z'): no flag"),
        ("unknown-value", "column 'ward' has 1 cell with an unknown value ('9'): no flag"),
    ]


def test_numbers_take_the_earlier_mean_and_deviation():
    features, _ = encode_features(pd.DataFrame({"age": [10.0, 30.0]}))
    later, notes = encode_like(features, pd.DataFrame({"age": ["50", "NA", "1"]}))
    np.testing.assert_allclose(dense(later)[:, 0], [3, 0, -1.9])
    assert [(note.code, note.count) for note in notes] == [("missing", 1)]
    zero_one, _ = encode_like(features, pd.DataFrame({"age": [0, 1]}))  # would be flags in a table of their own
    np.testing.assert_allclose(dense(zero_one)[:, 0], [-2, -1.9])


@pytest.mark.parametrize("cell", [2, 2.0, "2", "2.0"])
def test_codes_are_found_however_they_are_written(cell):
    features, _ = encode_features(pd.DataFrame({"ward": [1, 2, 1, 2]}), categorical="ward")
    later, notes = encode_like(features, pd.DataFrame({"ward": [cell]}))
    assert dense(later).tolist() == [[0.0, 1.0]]
    assert notes == []


def test_words_such_as_na_are_values_if_they_were():
    features, _ = encode_features(pd.DataFrame({"land": ["NA", "FR", "NA", "FR"]}))
    later, _ = encode_like(features, pd.DataFrame({"land": ["NA", "none"]}))
    assert dense(later).tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_renamed_features_are_found_in_their_own_column():
    table = pd.DataFrame({"a": ["b=c", "d", "b=c", "d"], "a=b": ["c", "e", "e", "c"]})
    features, _ = encode_features(table)
    assert "a=b=c (2)" in features.names
    again, notes = encode_like(features, table)
    np.testing.assert_array_equal(dense(again), dense(features))
    assert notes == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"age": ["old"]}, "column 'age' must hold numbers, as it did before; got 'old'"),
        ({"age": ["30,5"]}, "column 'age' must hold numbers, as it did before; got '30,5': write them with a point"),
        (
            {"age": ["30", "old", "?"], "member": ["no"] * 3},
            "column 'age' must hold numbers, as it did before; got 'old': repair",
        ),
        (
            {"age": [1, 2, 3], "member": ["no", "2", "perhaps"]},
            "column 'member' must hold 0 or 1, as it did before; got '2', 'perhaps': repair",
        ),
        ({"member": [3]}, "column 'member' must hold 0 or 1, as it did before; got other numbers"),
        ({"member": ["perhaps"]}, "column 'member' must hold 0 or 1, as it did before; got 'perhaps'"),
    ],
)
def test_cells_of_another_kind_are_refused(changes, message):
    features, _ = encode_features(TABLE[["age", "member"]])
    with pytest.raises(DataError, match=message):
        encode_like(features, pd.DataFrame({"age": [1], "member": ["no"]} | changes))


def test_a_table_without_the_columns_is_refused():
    features, _ = encode_features(TABLE[["age", "member"]])
    with pytest.raises(
        DataError, match=r"must have the 2 columns that .* come from; 'member' is missing: add it, blank"
    ):
        encode_like(features, pd.DataFrame({"age": [1]}))
    with pytest.raises(DataError, match="come from; 'age', 'member' are missing: add them, blank"):
        encode_like(features, pd.DataFrame({"sex": [1]}))
    one, _ = encode_features(TABLE[["age"]])
    with pytest.raises(DataError, match="must have the column that the features come from; 'age' is missing: add it"):
        encode_like(one, pd.DataFrame({"sex": [1]}))


def test_many_columns_share_one_note():
    names = [f"c{i}" for i in range(30)]
    features, _ = encode_features(pd.DataFrame({name: ["a", "b", "a", "b"] for name in names}))
    _, notes = encode_like(features, pd.DataFrame({name: ["z"] for name in names}))
    assert [(note.code, note.count) for note in notes] == [("unknown-value", 30)]


def test_dropped_and_merged_values_are_read_alike_later():
    table = pd.DataFrame({"age": [20, 30, 999, 40], "field": ["Biology", "Biolgy", "unknown", "Law"]})
    options = {"drop": {"age": 999, "field": ["unknown", "gone"]}, "merge": {"field": {"Biolgy": "Biology"}}}
    table.loc[3, "field"] = "gone"
    features, _ = encode_features(table, include="field", **options)
    again, notes = encode_like(features, table)
    np.testing.assert_allclose(dense(again), dense(features), rtol=1e-12, atol=1e-15)
    assert again.missing.toarray().tolist() == [[False, False], [False, False], [True, True], [False, True]]
    assert {note.code for note in notes} == {"missing"}
    later, _ = encode_like(
        features.take(np.arange(features.n_features)), pd.DataFrame({"age": ["999.0"], "field": [" Biolgy "]})
    )
    assert later.missing.toarray().tolist() == [[True, False]]
    assert dense(later)[0].tolist() == [0, 1]


def test_a_merged_value_that_is_dropped_is_missing():
    table = pd.DataFrame({"field": ["Law", "Biology", "?", "??"]})
    features, _ = encode_features(table, drop={"field": "?"}, merge={"field": {"??": "?"}})
    later, _ = encode_like(features, pd.DataFrame({"field": ["??", "?", "Law"]}))
    assert later.missing.toarray()[:, 0].tolist() == [True, True, False]
