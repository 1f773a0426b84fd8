import json
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.weights import sample_weights
from ffbm.scoring import predict, prediction
from ffbm.scoring.losses import base_rate, monte_carlo_error, score_weights
from ffbm.types import Features

from .traces import case, trace_of


def slow_scores(x, y, rows, trace):
    """Every score by loops, as its equation says."""
    n, n_blocks = y.shape
    draws = trace.weights.reshape(-1, *trace.weights.shape[2:])
    q = y[rows].mean(axis=0)
    label = [max(range(n_blocks), key=lambda j, i=i: y[i, j]) for i in range(n)]
    told = {"uniform_loss": log(n_blocks)}
    for name, side in (("train", [i for i in range(n) if i in rows]), ("test", [i for i in range(n) if i not in rows])):
        loss = predictive = base = 0.0
        bits, hits = dict.fromkeys(side, 0.0), {j: [] for j in range(n_blocks)}
        for i in side:
            p = np.mean([softmax(w @ x[i]) for w in draws], axis=0)
            for j in range(n_blocks):
                loss -= y[i, j] * np.mean([log_softmax(w @ x[i])[j] for w in draws]) / len(side)
                predictive -= y[i, j] * log(p[j]) / len(side)
                base -= y[i, j] * log(q[j]) / len(side)
                bits[i] += y[i, j] * (log(p[j]) - log(q[j])) / log(2)
            hits[label[i]] += [np.argmax(w @ x[i]) == label[i] for w in draws]
        told |= {f"loss_{name}": loss, f"predictive_loss_{name}": predictive, f"base_rate_loss_{name}": base}
        told[f"bits_{name}"] = (base - predictive) / log(2)
        told[f"bits_se_{name}"] = np.std(list(bits.values()), ddof=1) / sqrt(len(side))
        groups = [[bits[i] for i in side if label[i] == j] for j in range(n_blocks)]
        told[f"bits_by_block_{name}"] = [np.mean(g) for g in groups]
        told[f"bits_se_by_block_{name}"] = [np.std(g, ddof=1) / sqrt(len(g)) for g in groups]
        told[f"n_by_block_{name}"] = [len(g) for g in groups]
        told[f"accuracy_{name}"] = [np.mean(hits[j]) for j in range(n_blocks)]
    return told


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_scores_are_their_equations(numbers, workers):
    x, y, rows, trace = case(n=47, numbers=numbers)
    scores = score_weights(trace, x, y, workers=workers)
    for name, value in slow_scores(x, y, rows, trace).items():
        np.testing.assert_allclose(getattr(scores, name), value, rtol=1e-12, err_msg=name)
    assert scores.notes == ()
    assert scores.n_train == len(rows)
    assert scores.n_test == len(x) - len(rows)


def test_by_hand():
    x, labels = np.array([[1.0], [1.0], [0.0], [1.0]]), [0, 0, 1, 1]
    trace = trace_of(
        [[[[log(3)], [0.0]], [[0.0], [0.0]]]], rows=[0, 2]
    )  # 3/4 and 1/2 for block 0 where the flag is set
    scores = score_weights(trace, x, labels)
    assert scores.loss_train == pytest.approx(((log(4 / 3) + log(2)) / 2 + log(2)) / 2)
    assert scores.loss_test == pytest.approx(((log(4 / 3) + log(2)) / 2 + (log(4) + log(2)) / 2) / 2)
    assert scores.predictive_loss_test == pytest.approx((log(8 / 5) + log(8 / 3)) / 2)
    assert scores.base_rate_loss_test == pytest.approx(log(2))
    assert scores.bits_test == pytest.approx((np.log2(5 / 4) + np.log2(3 / 4)) / 2)
    assert scores.bits_by_block_test == pytest.approx([np.log2(5 / 4), np.log2(3 / 4)])
    assert scores.accuracy_test.tolist() == [1.0, 0.0]  # a tie goes to the first block
    assert scores.accuracy_train.tolist() == [1.0, 0.0]


def test_pieces_of_draws_change_nothing(monkeypatch):
    x, y, _, trace = case()
    whole = score_weights(trace, x, y)
    monkeypatch.setattr("ffbm.scoring.prediction._PIECE", 1)
    pieces = score_weights(trace, x, y)
    assert whole.to_dict() == pieces.to_dict()


@pytest.mark.parametrize("numbers", [False, True])
def test_pieces_of_rows_change_no_more_than_the_order_of_sums(monkeypatch, numbers):
    x, y, _, trace = case(n=70, numbers=numbers)
    whole, predicted = score_weights(trace, x, y).to_dict(), predict(trace, x)
    monkeypatch.setattr("ffbm.scoring.prediction._CELLS", 12)
    pieces = score_weights(trace, x, y).to_dict()
    assert np.array_equal(predict(trace, x), predicted)
    assert whole.keys() == pieces.keys()
    for name, value in whole.items():
        if name != "notes" and value is not None:
            np.testing.assert_allclose(pieces[name], value, rtol=1e-12)


def test_renumbered_blocks_give_renumbered_scores():
    x, y, rows, trace = case()
    order = [2, 0, 1]
    turned = trace_of(trace.weights[:, :, order], rows=rows)
    scores, again = score_weights(trace, x, y), score_weights(turned, x, y[:, order])
    for name in ("loss_test", "predictive_loss_test", "base_rate_loss_test", "bits_test", "bits_se_test"):
        assert getattr(again, name) == pytest.approx(getattr(scores, name), rel=1e-12)
    for name in ("accuracy_test", "bits_by_block_test", "n_by_block_train"):
        np.testing.assert_allclose(getattr(again, name), getattr(scores, name)[order], rtol=1e-12)


def test_reordered_vertices_and_features_give_the_same_scores():
    x, y, rows, trace = case()
    order = np.random.default_rng(0).permutation(len(x))
    again = score_weights(trace, x[order], y[order], np.isin(order, rows))
    assert again.bits_test == pytest.approx(score_weights(trace, x, y).bits_test, rel=1e-12)
    names = tuple("edcba")
    features = Features(x[:, ::-1], names, names, np.zeros(5), np.ones(5))
    named = trace_of(trace.weights, names="abcde", rows=rows)
    assert score_weights(named, features, y).to_dict() == score_weights(trace, x, y).to_dict()


def test_without_test_vertices_the_test_scores_are_nan_and_it_is_said():
    x, y, _, trace = case()
    scores = score_weights(trace, x, y, range(len(x)))
    assert np.isfinite(scores.loss_train)
    for name in ("loss", "predictive_loss", "base_rate_loss", "bits", "bits_se", "loss_mcse"):
        assert np.isnan(getattr(scores, f"{name}_test"))
    assert np.isnan(scores.accuracy_test).all()
    assert [note.code for note in scores.notes] == ["no_test_vertices"]
    assert "none held out" in repr(scores)
    json.dumps(scores.to_dict(), allow_nan=False)


def test_a_block_without_vertices_has_no_accuracy_and_a_finite_base_rate():
    x, labels = np.eye(4), np.array([0, 0, 1, 2])
    trace = trace_of(np.zeros((1, 3, 3, 4)), rows=[0, 1, 2])
    scores = score_weights(trace, x, labels)
    np.testing.assert_array_equal(scores.accuracy_train, [1, 0, np.nan])
    np.testing.assert_array_equal(scores.accuracy_test, [np.nan, np.nan, 0])
    assert scores.base_rate_loss_test == pytest.approx(-log((1 / 3) / (3 + 1 / 3)))
    assert [(note.code, note.count) for note in scores.notes] == [
        ("no_train_vertex_in_block", 1),
        ("no_test_vertex_in_block", 2),
        ("base_rate_lifted", 1),
    ]


def test_the_base_rate_is_the_plain_mean_where_every_block_is_there():
    y = np.array([[0.9, 0.1], [0.4, 0.6]])
    np.testing.assert_allclose(base_rate(y)[0], [0.65, 0.35])
    assert base_rate(y)[1] == 0
    np.testing.assert_allclose(base_rate(np.zeros((0, 4)))[0], 0.25)


def test_one_block_and_no_features():
    one = score_weights(trace_of(np.ones((1, 2, 1, 3)), rows=[0]), np.ones((2, 3)), [0, 0])
    assert (one.loss_test, one.bits_test, one.uniform_loss, one.accuracy_test.tolist()) == (0, 0, 0, [1])
    none = score_weights(trace_of(np.ones((1, 2, 2, 0)), rows=[0, 1]), np.ones((3, 0)), [0, 1, 1])
    assert none.loss_test == none.predictive_loss_test == pytest.approx(log(2))
    weights = np.tile([[log(3)], [0.0]], (1, 2, 1, 1))
    only = score_weights(trace_of(weights, names=["(intercept)"], rows=[0, 1]), np.ones((3, 0)), [0, 1, 1])
    assert only.loss_test == pytest.approx(log(4))


def test_far_off_weights_give_large_losses_not_infinite_ones():
    trace = trace_of(np.array([[[[1e4], [0.0]]]]), rows=[0])
    scores = score_weights(trace, np.ones((2, 1)), [0, 1])
    assert scores.loss_test == pytest.approx(1e4)
    assert 700 < scores.predictive_loss_test < np.inf


def test_the_monte_carlo_error_sees_that_draws_hang_together():
    rng = np.random.default_rng(5)
    free = rng.standard_normal((4, 900))
    assert monte_carlo_error(free) == pytest.approx(1 / 60, rel=0.2)
    assert monte_carlo_error(np.repeat(free[:, :90], 10, axis=1)) == pytest.approx(1 / sqrt(360), rel=0.25)
    assert np.isnan(monte_carlo_error(np.ones((1, 1))))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"features": np.ones((23, 4))}, DataError, "must have 5 columns"),
        ({"members": np.full((23, 2), 0.5)}, DataError, "must be of the 3 blocks"),
        ({"members": np.full((22, 3), 1 / 3)}, DataError, "members must be memberships"),
        ({"rows": [0, 0]}, OptionError, "rows must be different"),
    ],
)
def test_what_does_not_fit_is_refused(changes, error, message):
    x, y, rows, trace = case()
    with pytest.raises(error, match=message):
        score_weights(**({"trace": trace, "features": x, "members": y, "rows": rows} | changes))


@pytest.mark.parametrize("name", ["polbooks", "school", pytest.param("facebook", marks=pytest.mark.slow)])
def test_the_reference_losses(name, shared, paper_data):
    held = np.load(shared / "reference" / f"theta_{name}.npz")
    told = json.loads((shared / "reference" / "theta_reference.json").read_text())[name]
    features = ffbm.load_dataset(name).features
    trace = sample_weights(features, held["memberships"], held["train"], progress=False)
    scores = score_weights(trace, features, held["memberships"])
    error = 5 * np.hypot(1, 0.5)  # standard errors; the reference is from four times as many draws
    assert scores.loss_train == pytest.approx(told["L0"], abs=error * scores.loss_mcse_train)
    assert scores.loss_test == pytest.approx(told["L1"], abs=error * scores.loss_mcse_test)
    assert scores.predictive_loss_test == pytest.approx(told["predictive_L1"], abs=error * scores.loss_mcse_test)
    assert scores.loss_mcse_test < 0.005


@pytest.mark.parametrize("form", ["shares", "single", "labels"])
def test_scores_of_many_vertices_are_taken_piece_by_piece(monkeypatch, form):
    x, y, rows, trace = case(numbers=True)
    members = {"shares": y, "single": y.astype(np.float32), "labels": y.argmax(axis=1)}[form]
    whole = score_weights(trace, x, members, rows)
    monkeypatch.setattr(prediction, "_CELLS", 7)
    pieces = score_weights(trace, x, members, rows)
    for name, value in whole.to_dict().items():
        if name != "notes":
            pair = (np.array(scores[name], dtype=float) for scores in (pieces.to_dict(), whole.to_dict()))
            np.testing.assert_allclose(*pair, rtol=1e-12, err_msg=f"{name} {value}")


def test_a_piece_of_memberships_that_are_none_is_refused(monkeypatch):
    x, y, rows, trace = case()
    monkeypatch.setattr(prediction, "_CELLS", 7)
    y[17] *= 2
    with pytest.raises(DataError, match="sum to 1"):
        score_weights(trace, x, y, rows)
