"""The values of a column, back from its features."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.data.encode import encode_features
from ffbm.data.values import MOST_VALUES, column_values


def values_of(cells, **options):
    features, _ = encode_features(pd.DataFrame({"c": cells, "other": [*"xy"] * (len(cells) // 2)}), **options)
    return column_values(features, "c")


def as_partition(cells):
    """Which cells are equal: the first place at which each stands, -1 for None."""
    return [-1 if cell is None else cells.index(cell) for cell in cells]


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize(
    ("cells", "options", "read_as"),
    [
        (["b", "a", "c", "b", "a", "a"], {}, "values"),
        (["b", None, "c", "b", None, "a"], {}, "values"),
        ([True, False, True, True, False, False], {}, "flag"),
        ([1, 0, None, 1, 0, 0], {}, "flag"),
        ([3.0, 1.0, 2.0, 3.0, None, 1.0], {}, "numbers"),
        ([3, 1, 2, 3, 1, 1], {"categorical": "c"}, "values"),
    ],
    ids=["values", "missing values", "flag", "missing flag", "numbers", "codes"],
)
def test_values_are_the_cells(cells, options, read_as, sparse):
    features, _ = encode_features(pd.DataFrame({"c": pd.Series(cells, dtype=object), "d": [*"xyxyxy"]}), **options)
    plain = features.values.toarray() if sp.issparse(features.values) else features.values
    features = dataclasses.replace(features, values=sp.csr_array(plain) if sparse else plain)
    found = column_values(features, "c")
    assert as_partition([None if code < 0 else int(code) for code in found.codes]) == as_partition(cells)
    assert (found.n_values, found.read_as) == (len(set(cells) - {None}), read_as)
    assert set(found.codes) - {-1} == set(range(found.n_values))


@pytest.mark.parametrize(
    "cells",
    [["a", None, "b", "a", None, "b"], [True, None, False, True, None, False], [1.5, None, 2.5, 1.5, None, 2.5]],
    ids=["values", "flag", "numbers"],
)
def test_missing_is_a_value_where_it_has_a_flag(cells):
    found = values_of(pd.Series(cells, dtype=object), missing="flag")
    assert as_partition(found.codes.tolist()) == [0, 1, 2, 0, 1, 2]
    assert found.n_values == 3


def test_values_without_a_flag_are_no_value():
    cells = ["a", "b", "a", "b", "rare", "Unknown"]
    assert values_of(cells, min_support=2, drop={"c": "Unknown"}).codes.tolist() == [0, 1, 0, 1, -1, -1]


def test_one_flag_alone_is_there_or_not():
    assert values_of(["a", "b", "a", "a"], min_support=2).codes.tolist() == [0, 1, 0, 0]
    assert values_of(["a", "b", "a", "b"], drop={"c": "b"}).codes.tolist() == [0, -1, 0, -1]


def test_many_numbers_are_cut_at_quartiles():
    rng = np.random.default_rng(0)
    cells = rng.permutation(np.arange(40.0) ** 2)
    found = values_of(cells)
    assert found.read_as == "quartiles: 81, 361, 841"
    np.testing.assert_array_equal(found.codes, np.searchsorted([81, 361, 841], cells))
    assert np.bincount(found.codes).tolist() == [10, 10, 10, 10]
    few = values_of(np.arange(40) % MOST_VALUES)
    assert (few.n_values, few.read_as) == (MOST_VALUES, "numbers")


def test_quartiles_that_fall_together_are_one_cut():
    cells = [0.5] * 30 + [float(i) for i in range(1, 13)]
    found = values_of(cells)
    assert found.read_as == "quartiles: 0.5, 2"
    assert np.bincount(found.codes).tolist() == [30, 2, 10]


def test_several_flags_of_one_column_are_one_value():
    flags = np.array([[1, 0], [1, 1], [0, 1], [1, 1], [0, 0]], dtype=float)
    features, _ = encode_features(pd.DataFrame(flags, columns=["f1", "f2"]))
    features = dataclasses.replace(features, columns=("f", "f"))
    assert as_partition(column_values(features, "f").codes.tolist())[:4] == [0, 1, 2, 1]
    assert column_values(features, "f").codes[4] == -1
