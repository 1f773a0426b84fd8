import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax

from ffbm.errors import DataError
from ffbm.scoring import contradicting, predict, predict_blocks, prediction
from ffbm.types import Features

from .traces import case, trace_of


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_predictions_are_averaged_softmaxes(numbers, form):
    x, _, _, trace = case(n=70, numbers=numbers)
    expected = np.mean([softmax(x @ w.T, axis=1) for chain in trace.weights for w in chain], axis=0)
    found = predict(trace, form(x))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_predictions_of_many_rows_are_averaged_over_some_draws(monkeypatch):
    x, _, _, trace = case(n=70)
    monkeypatch.setattr(prediction, "_LEAST_DRAWS", 4)
    monkeypatch.setattr(prediction, "_MOST", 0)
    n_chains, n_draws = trace.weights.shape[:2]
    some = trace.weights[:, :: n_chains * n_draws // 4]
    assert 4 <= some.shape[0] * some.shape[1] < n_chains * n_draws
    expected = np.mean([softmax(x @ w.T, axis=1) for chain in some for w in chain], axis=0)
    np.testing.assert_allclose(predict(trace, x), expected, rtol=1e-12)


def test_an_intercept_is_added():
    x, _, _, trace = case()
    named = trace_of(trace.weights, names=["a", "b", "c", "d", "(intercept)"])
    with_one = np.column_stack((x[:, :4], np.ones(len(x))))
    np.testing.assert_allclose(predict(named, x[:, :4]), predict(trace, with_one), rtol=1e-12)
    with pytest.raises(DataError, match=r"must have 4 columns.*leave the intercept out"):
        predict(named, with_one)


def test_features_are_found_by_name():
    x, _, _, trace = case()
    named = trace_of(trace.weights, names="abcde")
    order = [3, 0, 4, 1, 2]
    names = tuple("abcde"[d] for d in order)
    shuffled = Features(x[:, order], names, names, np.zeros(5), np.ones(5))
    np.testing.assert_array_equal(predict(named, shuffled), predict(named, x))


@pytest.mark.parametrize(
    ("names", "message"),
    [("abcd", "'e' is missing:"), ("abcdef", "'f' is unknown"), ("abcdf", "'e' is missing and 'f' is unknown")],
)
def test_other_features_are_refused(names, message):
    _, _, _, trace = case()
    features = Features(
        np.zeros((2, len(names))), tuple(names), tuple(names), np.zeros(len(names)), np.ones(len(names))
    )
    with pytest.raises(DataError, match=message):
        predict(trace_of(trace.weights, names="abcde"), features)


def test_no_vertices_is_no_rows():
    _, _, _, trace = case()
    assert predict(trace, np.zeros((0, 5))).shape == (0, 3)


@pytest.mark.parametrize("cells", [7, 2**22])
def test_what_features_foretell_is_what_they_predict(monkeypatch, cells):
    x, y, _, trace = case(numbers=True)
    probs, labels = predict(trace, x), y.argmax(axis=1)
    monkeypatch.setattr(prediction, "_CELLS", cells)
    predicted = predict_blocks(trace, x, labels)
    np.testing.assert_array_equal(predicted.own, probs[np.arange(len(y)), labels])
    np.testing.assert_array_equal(predicted.block, probs.argmax(axis=1))
    np.testing.assert_array_equal(predicted.best, probs.max(axis=1))
    odd = (probs.argmax(axis=1) != labels) & (probs.max(axis=1) > 0.5)
    assert 0 < odd.sum() < len(y)
    np.testing.assert_array_equal(contradicting(predicted, labels, np.ones(len(y))), np.flatnonzero(odd))
