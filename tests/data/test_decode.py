"""Attributes, back from features."""

import numpy as np
import pandas as pd
import pytest

from ffbm.data.decode import decode_features
from ffbm.data.encode import encode_features


@pytest.mark.parametrize("missing", ["none", "flag"])
def test_what_was_read_comes_back(missing):
    table = pd.DataFrame(
        {
            "age": [20.5, 30, None, 41],
            "party": ["b", None, "a=b", "missing"],
            "member": ["yes", "no", "", "no"],
            "old": [True, False, True, False],
            "code": ["1", "2", "2", "1"],
        }
    )
    features, _ = encode_features(table, missing=missing, categorical="code", include="party")
    back = decode_features(features)
    assert list(back) == list(table)
    np.testing.assert_allclose(back["age"], table["age"])
    assert back["party"].tolist() == ["b", None, "a=b", "missing"]
    assert back["member"].tolist() == [True, False, pd.NA, False]
    assert back["old"].tolist() == [True, False, True, False]
    assert back["code"].tolist() == ["1", "2", "2", "1"]


def test_dropped_values_are_missing_and_names_that_stand_twice_are_known():
    table = pd.DataFrame({"a": ["b=c", "d", "x", "d"], "a=b": ["c", "e", "c", "e"]})
    features, _ = encode_features(table, drop={"a": "x"}, include=["a"])
    assert "a=b=c (2)" in features.names
    back = decode_features(features)
    assert back["a"].tolist() == ["b=c", "d", None, "d"]
    assert back["a=b"].tolist() == ["c", "e", "c", "e"]


def test_no_features():
    assert decode_features(encode_features(pd.DataFrame({"a": [1, 1]}))[0]).shape == (2, 0)
