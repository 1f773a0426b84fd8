from dataclasses import replace

import numpy as np
import pytest

from ffbm.errors import OptionError
from ffbm.scoring import combine_folds, fold_rows, score_weights, split_rows

from .traces import case, trace_of


@pytest.mark.parametrize(("n", "fraction", "size"), [(105, 0.7, 73), (238, 0.7, 166), (100, 0.29, 29), (7, 1.0, 7)])
def test_the_training_vertices_are_the_floor_of_the_share(n, fraction, size):
    rows = split_rows(n, fraction, np.random.default_rng(1))
    assert len(rows) == size
    assert (np.diff(rows) > 0).all()
    assert 0 <= rows[0] <= rows[-1] < n
    if fraction < 1:
        assert not np.array_equal(rows, split_rows(n, fraction, np.random.default_rng(2)))


@pytest.mark.parametrize(("fraction", "message"), [(0, "above 0"), (1.5, "at most 1"), (0.01, "leaves none of 10")])
def test_a_share_that_cannot_be_is_refused(fraction, message):
    with pytest.raises(OptionError, match=message):
        split_rows(10, fraction, np.random.default_rng(1))


@pytest.mark.parametrize(("n", "folds"), [(23, 5), (4, 4), (5, 2)])
def test_each_vertex_is_left_out_once(n, folds):
    parts = fold_rows(n, folds, np.random.default_rng(0))
    left_out = [np.setdiff1d(np.arange(n), part) for part in parts]
    np.testing.assert_array_equal(np.sort(np.concatenate(left_out)), np.arange(n))
    sizes = [len(part) for part in left_out]
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == folds


@pytest.mark.parametrize("folds", [1, 6, 2.5])
def test_folds_that_cannot_be_are_refused(folds):
    with pytest.raises(OptionError, match="folds must be a whole number, at least 2, at most 5"):
        fold_rows(5, folds, np.random.default_rng(0))


def test_folds_with_one_trace_are_the_scores_of_all_vertices():
    x, y, _, trace = case(n=31)
    parts = fold_rows(len(x), 4, np.random.default_rng(1))
    together = combine_folds([score_weights(trace, x, y, rows) for rows in parts])
    whole = score_weights(trace, x, y, range(len(x)))
    assert together.n_test == together.n_train == 31
    for name in ("loss", "predictive_loss"):
        assert getattr(together, f"{name}_test") == pytest.approx(getattr(whole, f"{name}_train"), rel=1e-12)
        assert getattr(together, f"{name}_train") == pytest.approx(getattr(whole, f"{name}_train"), rel=1e-12)
    np.testing.assert_allclose(together.accuracy_test, whole.accuracy_train)
    np.testing.assert_array_equal(together.n_by_block_test, whole.n_by_block_train)


def test_the_pooled_standard_error_is_that_of_all_vertices():
    x, y, _, trace = case(n=31)
    x[:2], y[:2] = 0, [[1, 0, 0], [0, 1, 0]]
    parts = fold_rows(len(x), 7, np.random.default_rng(1))
    found = [score_weights(trace, x, y, rows) for rows in parts]
    together = combine_folds(found)
    bits, block = np.empty(31), y.argmax(axis=1)
    for rows in parts:
        for i in np.setdiff1d(np.arange(31), rows):
            one = score_weights(trace, x[[*rows, i]], y[[*rows, i]], range(len(rows)))
            bits[i] = one.bits_test
    assert together.bits_test == pytest.approx(bits.mean(), rel=1e-10)
    assert together.bits_se_test == pytest.approx(bits.std(ddof=1) / np.sqrt(31), rel=1e-10)
    for j in range(3):
        own = bits[block == j]
        assert together.bits_by_block_test[j] == pytest.approx(own.mean(), rel=1e-10)
        assert together.bits_se_by_block_test[j] == pytest.approx(own.std(ddof=1) / np.sqrt(len(own)), rel=1e-10)


def test_notes_are_those_of_the_whole():
    x, labels = np.eye(4), np.array([0, 0, 1, 3])  # nobody in block 2, one vertex in block 1: out of training once
    trace = trace_of(np.zeros((1, 3, 4, 4)))
    found = [score_weights(trace, x, labels, np.delete(np.arange(4), i)) for i in range(4)]
    found = [replace(part, description_length=2.5) for part in found]
    together = combine_folds(found)
    assert [(note.code, note.count) for note in together.notes] == [
        ("no_train_vertex_in_block", 1),
        ("no_test_vertex_in_block", 1),
        ("base_rate_lifted", 2),
    ]
    np.testing.assert_array_equal(np.isnan(together.accuracy_test), [False, False, True, False])
    assert together.description_length == 2.5


def test_what_are_no_folds_is_refused():
    x, y, rows, trace = case()
    once = score_weights(trace, x, y, rows)
    with pytest.raises(OptionError, match="at least 2 folds"):
        combine_folds([once])
    with pytest.raises(OptionError, match="each vertex must be tested once"):
        combine_folds([once, once])
