"""Columns that say the same of every vertex are read as one."""

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.data.encode import encode_features
from ffbm.data.repeats import merge_repeats
from ffbm.errors import OptionError

DEPT = ["a", "b", "b", "c", "a", "c"]
EDGES = [("u", "v"), ("v", "w"), ("w", "x"), ("x", "y"), ("y", "z")]


def merged(**columns):
    features, notes = merge_repeats(encode_features(pd.DataFrame(columns))[0])
    return features.column_names, [note.message for note in notes]


@pytest.mark.parametrize(
    "other",
    [
        ["3rd", "1st", "1st", "2nd", "3rd", "2nd"],  # other words
        ["a", "b", "b", None, "a", None],  # what is missing is a group too
        pd.Categorical(["z", "y", "y", "x", "z", "x"]),
    ],
)
def test_the_same_groups_in_other_words(other):
    names, said = merged(dept=DEPT, age=[1, 2, 3, 4, 5, 7], unit=other)
    assert names == ("dept", "age")
    assert said == [
        "column 'unit' read as one with 'dept': both make the same groups of vertices; include= (--include) keeps both"
    ]


def test_a_flag_its_opposite_and_two_values_are_one():
    flag = [1, 0, 0, 1, 1, 0]
    names, said = merged(flag=flag, opposite=[1 - x for x in flag], gender=["f" if x else "m" for x in flag])
    assert names == ("flag",)
    assert len(said) == 2


def test_numbers_are_one_up_to_their_unit():
    cm = np.array([150.0, 162, 171, 180, 191, 167])
    names, said = merged(cm=cm, inch=cm / 2.54, lack=200 - cm, squared=cm**2)
    assert names == ("cm", "squared")
    assert said[0].startswith("column 'inch' read as one with 'cm': both are the same up to their unit;")


def test_different_groups_of_the_same_sizes_stay():
    assert merged(dept=DEPT, other=["a", "a", "b", "b", "c", "c"]) == (("dept", "other"), [])


def test_numbers_that_are_all_different_are_no_groups():
    assert merged(a=[1, 2, 3, 4, 5, 7], b=[1, 3, 2, 7, 5, 4]) == (("a", "b"), [])


def test_where_tables_are_read():
    table = pd.DataFrame({"dept": DEPT, "unit": [x.upper() * 2 for x in DEPT]}, index=list("uvwxyz"))
    net = ffbm.as_network(EDGES, table)
    assert net.features.column_names == ("dept",)
    assert [note.code for note in net.notes] == ["same"]
    assert ffbm.as_network(EDGES, table, include="unit").features.column_names == ("dept", "unit")


def test_an_array_holds_features_and_stays_as_it_is():
    net = ffbm.as_network([(0, 1), (2, 3)], np.eye(2)[[0, 0, 1, 1]])
    assert net.n_features == 2


def test_missing_cells_follow_the_columns_that_stay():
    table = pd.DataFrame({"dept": DEPT, "unit": DEPT, "age": [1.0, None, 3, 4, 5, 7]})
    features, _ = merge_repeats(encode_features(table)[0])
    assert features.missing.toarray().any(axis=0).tolist() == [False, True]


def test_equal_flags_of_different_groups_both_stay():
    flag, other = [1, 0, 0, 1, 1, 0], [0, 1, 0, 0, 1, 1]
    columns = {"work;1": flag, "work;2": flag, "school;1": flag, "school;2": other, "age": [1, 2, 3, 4, 5, 7]}
    features = encode_features(pd.DataFrame(columns))[0]
    assert merge_repeats(features)[0].column_names == ("work;1", "school;2", "age")
    kept, notes = merge_repeats(features, separator=";")
    assert kept.column_names == ("work;1", "school;1", "school;2", "age")
    assert [note.message.partition(":")[0] for note in notes] == ["column 'work;2' read as one with 'work;1'"]


def test_networks_are_read_with_groups(tmp_path):
    flag = [1, 0, 0, 1, 1, 0]
    table = pd.DataFrame({"id": list("uvwxyz"), "work;1": flag, "school;1": flag, "school;2": flag})
    net = ffbm.as_network(EDGES, table, group_by=";")
    assert net.features.column_names == ("work;1", "school;1")
    pd.DataFrame(EDGES, columns=["source", "target"]).to_csv(tmp_path / "edges.csv", index=False)
    table.to_csv(tmp_path / "nodes.csv", index=False)
    net = ffbm.read_network(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", group_by=";")
    assert net.features.column_names == ("work;1", "school;1")
    assert net.reading["group_by"] == ";"
    with pytest.raises(OptionError, match="group_by must be text that names of columns hold"):
        ffbm.as_network(EDGES, table, group_by="")
