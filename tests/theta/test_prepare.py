from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from ffbm.errors import DataError, OptionError
from ffbm.theta.prepare import weight_target
from ffbm.theta.rows import distinct_rows
from ffbm.types.network import Features

X = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
Y = np.array([[1, 0], [0.5, 0.5], [0, 1], [0.25, 0.75]])


def test_equal_rows_are_merged_and_memberships_summed():
    target = weight_target(X, Y)
    assert target.training.rows.counts.tolist() == [2, 1, 1]
    assert target.training.rows.active.tolist() == [0, 1]  # most frequent first
    assert target.training.rows.idle.tolist() == [2]
    np.testing.assert_array_equal(target.sums, (X.T @ Y)[:2])
    assert len(target.training.rows.values) == 0


def test_numbers_keep_their_values():
    assert weight_target(1.5 * X, Y).training.rows.values.tolist() == [1.5] * 4


@pytest.mark.parametrize("seed", range(5))
def test_distinct_rows_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-1, 2, (200, 4)).astype(float)
    x = sp.csr_array(dense)
    first, group, counts = distinct_rows(x)
    expected, times = np.unique(dense, axis=0, return_counts=True)
    order = np.lexsort(dense[first].T[::-1])
    np.testing.assert_array_equal(dense[first][order], expected)
    np.testing.assert_array_equal(counts[order], times)
    assert (np.diff(first) > 0).all()
    np.testing.assert_array_equal(dense[first][group], dense)


def test_rows_choose_the_training_vertices_by_number_or_truth():
    by_number = weight_target(X, Y, rows=[1, 3])
    by_truth = weight_target(X, Y, rows=np.array([False, True, False, True]))
    for a, b in zip(by_number.training.rows, by_truth.training.rows, strict=True):
        np.testing.assert_array_equal(a, b)
    assert by_number.training.vertices.tolist() == by_truth.training.vertices.tolist() == [1, 3]
    assert by_number.training.rows.counts.sum() == 2
    np.testing.assert_array_equal(by_number.training.design.support, [3, 2, 0])  # over all vertices


def test_labels_are_memberships_of_one():
    hard, soft = weight_target(X, [0, 1, 1, 0]), weight_target(X, np.eye(2)[[0, 1, 1, 0]])
    np.testing.assert_array_equal(hard.sums, soft.sums)
    held = weight_target(X, SimpleNamespace(probs=Y))
    np.testing.assert_array_equal(held.sums, weight_target(X, Y).sums)


def test_features_bring_their_names():
    features = Features(sp.csr_array(X * 1.0), ("c=a", "c=b", "d"), ("c", "c", "d"), np.zeros(3), np.ones(3))
    design = weight_target(features, Y, intercept=True).training.design
    assert design.names == ("c=a", "c=b", "d", "(intercept)")
    assert design.columns == ("c", "c", "d", "(intercept)")
    assert design.support.tolist() == [3, 2, 0, 4]


def test_what_is_given_is_left_as_it_was():
    x = sp.csr_array((np.ones(3), np.array([2, 0, 0]), np.array([0, 2, 3])), shape=(2, 3))
    before = x.indices.copy()
    weight_target(x, [0, 1])
    np.testing.assert_array_equal(x.indices, before)


def test_one_block_and_no_rows_leave_nothing_to_sample():
    assert len(weight_target(X, np.ones((4, 1))).training.rows.active) == 0
    assert len(weight_target(X, Y, rows=[]).training.rows.active) == 0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"members": Y * [[1], [1.1], [1], [1]]}, DataError, "row 1 has smallest value 0.55 and sum 1.1 "),
        ({"members": Y * [[1], [1], [np.nan], [1]]}, DataError, "row 2"),
        ({"members": [[2, -1], [1, 0], [1, 0], [1, 0]]}, DataError, "row 0 has smallest value -1 and sum 1 "),
        ({"members": Y[:3]}, DataError, r"shape \(4, B\) or 4 labels.* got shape \(3, 2\)"),
        ({"members": [0, 1, -1, 0]}, DataError, "from 0 on; got -1"),
        ({"members": [0.0, 1.0, 1.0, 0.0]}, DataError, "whole numbers from 0 on; got float64"),
        ({"members": np.full((4, 2), "a")}, DataError, "memberships must be numbers"),
        ({"features": X[0]}, DataError, r"got int64 of shape \(3,\)"),
        ({"features": np.where(X == 1, np.inf, 0)}, DataError, "'0' is not on 3 vertices"),
        ({"rows": [0, 0]}, OptionError, "different row numbers from 0 to 3"),
        ({"rows": [4]}, OptionError, "different row numbers"),
        ({"rows": [-1]}, OptionError, "different row numbers"),
        ({"rows": [True, False]}, OptionError, "different row numbers"),
        ({"sigma": 0}, OptionError, "sigma must be a number, above 0"),
        ({"sigma": np.nan}, OptionError, "sigma must be a number"),
    ],
)
def test_what_cannot_be_used_is_refused(changes, error, message):
    given = {"features": X, "members": Y} | changes
    with pytest.raises(error, match=message) as caught:
        weight_target(**given)
    assert "\n" not in str(caught.value)


def test_an_intercept_beside_a_feature_of_its_name_is_refused():
    features = Features(X * 1.0, ("a", "b", "(intercept)"), ("a", "b", "c"), np.zeros(3), np.ones(3))
    with pytest.raises(DataError, match="rename it"):
        weight_target(features, Y, intercept=True)
