"""The prior's scales: a number, a list, a mapping of columns, and every wrong one told in a line."""

import numpy as np
import pytest

from ffbm.errors import OptionError
from ffbm.theta.design import make_design
from ffbm.theta.prior import keep_scales, plain_sigma, prior_scales
from ffbm.types.network import Features

COLUMNS = ("age", "dept", "dept", "dept", "vip")
WITH = (*COLUMNS, "(intercept)")


@pytest.mark.parametrize(
    ("sigma", "columns", "scales"),
    [
        (2, COLUMNS, [2, 2, 2, 2, 2]),
        (0.5, WITH, [0.5] * 6),
        ([1, 2, 3, 4, 5], COLUMNS, [1, 2, 3, 4, 5]),
        (np.array([1, 2, 3, 4, 5.5], dtype=np.float32), COLUMNS, [1, 2, 3, 4, 5.5]),
        ((1, 2, 3, 4, 5), WITH, [1, 2, 3, 4, 5, 1]),
        ([1, 2, 3, 4, 5, 6], WITH, [1, 2, 3, 4, 5, 6]),
        ({"age": 0.5, "dept": 2.0}, COLUMNS, [0.5, 2, 2, 2, 1]),
        ({"(intercept)": 3, "vip": 4}, WITH, [1, 1, 1, 1, 4, 3]),
        ({}, COLUMNS, [1] * 5),
        ([], (), []),
    ],
)
def test_every_form_becomes_one_number_for_each_feature(sigma, columns, scales):
    made = prior_scales(sigma, columns)
    assert made.dtype == np.float64
    assert made.tolist() == scales


@pytest.mark.parametrize(
    ("sigma", "columns", "text"),
    [
        (0, COLUMNS, "sigma must be a number, above 0; got 0"),
        (-1.0, COLUMNS, "sigma must be a number, above 0; got -1.0"),
        (np.nan, COLUMNS, "sigma must be a number, above 0; got nan"),
        (np.inf, COLUMNS, "sigma must be a number, above 0; got inf"),
        (True, COLUMNS, "sigma must be a number, above 0; got True"),
        (None, COLUMNS, "sigma must be a number, above 0; got None"),
        ("wide", COLUMNS, "sigma must be a number, above 0; got 'wide'"),
        ([1, 2, 0, 4, 5], COLUMNS, "sigma[2] must be a number, above 0; got 0"),
        ([1, 2, -3, 4, 5], COLUMNS, "sigma[2] must be a number, above 0; got -3"),
        ([1, np.nan, 3, 4, 5], COLUMNS, "sigma[1] must be a number, above 0; got nan"),
        ([1, 2, 3, 4, "5"], COLUMNS, "sigma[4] must be a number, above 0; got '5'"),
        (
            np.ones((5, 2)),
            COLUMNS,
            "sigma must be a number, one for each feature, or a dict by column; got the shape (5, 2)",
        ),
        ([1, 2, 3], COLUMNS, "sigma as a list must have one number for each of 5 features; got 3 numbers"),
        ([1] * 6, COLUMNS, "sigma as a list must have one number for each of 5 features; got 6 numbers"),
        (
            [1] * 7,
            WITH,
            "sigma as a list must have one number for each of 5 features, and may have one more for the intercept;"
            " got 7 numbers",
        ),
        ({"age": 0}, COLUMNS, "sigma['age'] must be a number, above 0; got 0"),
        ({"age": "wide"}, COLUMNS, "sigma['age'] must be a number, above 0; got 'wide'"),
        ({"age": [1, 2]}, COLUMNS, "sigma['age'] must be a number, above 0; got [1, 2]"),
        ({3: 1.0}, COLUMNS, "sigma must have names of columns as keys; got 3"),
        (
            {"dpet": 1.0},
            COLUMNS,
            "the columns that sigma names must be those of the features; got 'dpet': did you mean 'dept'?",
        ),
        (
            {"height": 1.0},
            COLUMNS,
            "the columns that sigma names must be those of the features; got 'height': there are 'age', 'dept', 'vip'",
        ),
        (
            {"(intercept)": 1.0},
            ("age",),
            "the columns that sigma names must be those of the features; got '(intercept)': there are 'age'",
        ),
    ],
)
def test_every_wrong_one_is_told_in_a_line(sigma, columns, text):
    with pytest.raises(OptionError) as error:
        prior_scales(sigma, columns)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("sigma", "intercept", "kept"),
    [
        (2.0, False, 2.0),
        (2.0, True, 2.0),
        ([1, 2, 3, 4, 5], False, [1, 4]),
        ([1, 2, 3, 4, 5], True, [1, 4, 1]),
        ([1, 2, 3, 4, 5, 6], True, [1, 4, 6]),
        (np.arange(1.0, 6), False, [1, 4]),
        ({"dept": 3.0}, False, [1, 3]),
        ({"age": 0.5, "vip": 9, "(intercept)": 2.5}, True, [0.5, 1, 2.5]),
    ],
)
def test_kept_features_keep_their_scales(sigma, intercept, kept):
    x = np.eye(5)
    features = Features(x, tuple("abcde"), COLUMNS, np.zeros(5), np.ones(5))
    whole = make_design(features, intercept)
    assert keep_scales(sigma, whole, whole.take(np.array([0, 3]))) == kept


def test_what_a_trace_records():
    assert plain_sigma(2, np.full(3, 2.0)) == 2.0
    assert plain_sigma({"a": 2}, np.array([2.0, 1.0])) == [2.0, 1.0]
