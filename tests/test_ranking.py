"""The paper's rule for keeping features, by hand, by brute force, and at its edges."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffbm.errors import DataError, OptionError
from ffbm.ranking import keep_features, rank_features
from ffbm.types import Features
from ffbm.types.weights import WeightTrace


def draws_with(mean, sd):
    """Two chains of two draws whose mean and standard deviation (ddof 0) are exactly these (B, D)."""
    mean, sd = np.asarray(mean, dtype=float), np.asarray(sd, dtype=float)
    return np.stack([np.stack([mean - sd, mean + sd])] * 2)


# two blocks, four features; with k = 2 the scores by block are 2, -2, -1.5, 0.5 and -3, 2.5, -1.75, 0.5
MEAN = [[4.0, 0.0, 0.5, 1.0], [1.0, -3.5, 0.25, -1.5]]
SD = [[1.0, 1.0, 1.0, 0.25], [2.0, 0.5, 1.0, 0.5]]
NAMES = ["a", "b", "c", "d"]


def test_a_case_by_hand():
    ranking = rank_features(draws_with(MEAN, SD), k=2, n_kept=2, names=NAMES)
    np.testing.assert_array_equal(ranking.mean, MEAN)
    np.testing.assert_array_equal(ranking.sd, SD)
    assert ranking.scores.tolist() == [2.0, 2.5, -1.5, 0.5]
    assert ranking.order.tolist() == [1, 0, 3, 2]
    assert ranking.kept == ("b", "a")
    assert ranking.cutoff == 2.0
    assert ranking.notes == ()
    table = ranking.table
    assert table["feature"].tolist() == ["b", "a", "d", "c"]
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["block"].tolist() == [1, 0, 0, 0]
    assert table["mean"].tolist() == [-3.5, 4.0, 1.0, 0.5]
    assert table["sd"].tolist() == [0.5, 1.0, 0.25, 1.0]
    assert table["centred_mean"].tolist() == [-1.75, 1.5, 1.25, 0.125]
    assert table["kept"].tolist() == [True, True, False, False]
    assert table["support"].isna().all()


def test_the_columns_of_the_tables_are_a_contract():
    ranking = rank_features(draws_with(MEAN, SD))
    of_all = "rank feature column score block mean sd centred_mean centred_sd support kept"
    of_columns = "rank column score feature block mean sd n_features n_kept"
    of_block = (
        "rank feature column score sign mean sd low high positive"
        " centred_mean centred_sd centred_low centred_high centred_positive"
    )
    assert " ".join(ranking.table) == of_all
    assert " ".join(ranking.by_column) == of_columns
    assert [" ".join(table) for table in ranking.by_block] == [of_block, of_block]


def test_the_order_without_the_deviations_is_that_of_the_means():
    ranking = rank_features(draws_with(MEAN, SD), k=0, n_kept=1, names=NAMES)
    assert ranking.scores.tolist() == [4.0, 3.5, 0.5, 1.5]


def paper_keeps(mean, sd, k, c):
    """The paper's set, read off its definition: some open interval does not meet the open (-c, c)."""
    keeps = []
    for j in range(mean.shape[1]):
        for i in range(len(mean)):
            low, high = max(mean[i, j] - k * sd[i, j], -c), min(mean[i, j] + k * sd[i, j], c)
            if low >= high:
                keeps.append(j)
                break
    return keeps


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 9), st.floats(0.1, 2))
def test_at_the_cutoff_the_papers_rule_keeps_the_same_features(seed, n_blocks, n_features, k):
    rng = np.random.default_rng(seed)
    draws = rng.normal(size=(2, 5, n_blocks, n_features)) + 3 * rng.normal(size=(n_blocks, n_features))
    n_kept = int(rng.integers(1, n_features + 1))
    ranking = rank_features(draws, k=k, n_kept=n_kept)
    mean, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    np.testing.assert_allclose(ranking.mean, mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ranking.sd, sd, rtol=1e-10)
    kept = sorted(ranking.order[:n_kept].tolist())
    if np.isnan(ranking.cutoff):
        assert len(paper_keeps(ranking.mean, ranking.sd, k, 1e-300)) < n_kept
        assert [note.code for note in ranking.notes if note.code == "few_positive"]
    else:
        assert paper_keeps(ranking.mean, ranking.sd, k, ranking.cutoff) == kept
        above = np.nextafter(ranking.cutoff, np.inf)
        assert len(paper_keeps(ranking.mean, ranking.sd, k, above)) < n_kept  # no larger cutoff keeps as many


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_chains_draws_blocks_and_features_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    draws = rng.normal(size=(2, 6, 3, 5))
    names = np.array(list("abcde"))
    features, blocks = rng.permutation(5), rng.permutation(3)
    moved = draws[::-1, rng.permutation(6)][:, :, blocks][:, :, :, features]
    one = rank_features(draws, n_kept=2, names=names.tolist())
    other = rank_features(moved, n_kept=2, names=names[features].tolist())
    assert one.kept == other.kept
    np.testing.assert_allclose(one.mean[blocks][:, features], other.mean, atol=1e-12)
    np.testing.assert_allclose(one.table["score"], other.table["score"], atol=1e-12)
    assert one.table["feature"].tolist() == other.table["feature"].tolist()
    assert one.table["block"].tolist() == blocks[other.table["block"]].tolist()


def test_centred_weights_are_less_their_mean_over_blocks():
    draws = np.random.default_rng(1).normal(size=(3, 40, 4, 6))
    centred = draws - draws.mean(axis=2, keepdims=True)
    ranking = rank_features(draws)
    np.testing.assert_allclose(ranking.centred_mean, centred.mean(axis=(0, 1)), atol=1e-14)
    np.testing.assert_allclose(ranking.centred_sd, centred.std(axis=(0, 1)), rtol=1e-12)
    np.testing.assert_allclose(ranking.positive, (draws > 0).mean(axis=(0, 1)))
    np.testing.assert_allclose(ranking.centred_positive, (centred > 0).mean(axis=(0, 1)), atol=1 / 120)


def test_the_size_of_the_pieces_does_not_matter(monkeypatch):
    draws = np.random.default_rng(2).normal(size=(3, 40, 4, 6))
    whole = rank_features(draws)
    monkeypatch.setattr("ffbm.ranking._CHUNK", 7 * 24)
    pieces = rank_features(draws)
    np.testing.assert_allclose(pieces.sd, whole.sd, rtol=1e-13)
    np.testing.assert_array_equal(pieces.positive, whole.positive)


def test_one_chain_may_come_without_its_axis():
    draws = np.random.default_rng(3).normal(size=(20, 2, 3))
    np.testing.assert_array_equal(rank_features(draws).scores, rank_features(draws[np.newaxis]).scores)


def test_a_tie_at_the_cutoff_is_said():
    ranking = rank_features(draws_with([[3.0, 2.0, 2.0, 2.0, 1.0]], np.full((1, 5), 0.5)), n_kept=2)
    assert ranking.kept == ("0", "1")
    assert ranking.cutoff == 1.5
    assert ranking.table["rank"].tolist() == [1, 2, 2, 2, 5]
    note = next(note for note in ranking.notes if note.code == "ties")
    assert note.message == "3 features share score number 2, 1.5: 2 are left out"
    assert note.count == 2


def test_a_tie_among_the_kept_needs_no_note():
    ranking = rank_features(draws_with([[2.0, 2.0, 1.0], [0.0, 0.0, 0.0]], np.full((2, 3), 0.5)), n_kept=2)
    assert ranking.notes == ()


def test_too_few_positive_scores_are_said_and_the_highest_kept_all_the_same():
    ranking = rank_features(draws_with(MEAN, SD), k=2, n_kept=3, names=NAMES)
    assert ranking.cutoff == 0.5
    fewer = rank_features(draws_with(MEAN, SD), k=2.5, n_kept=4, names=NAMES)
    assert np.isnan(fewer.cutoff)
    assert fewer.kept == ("b", "a", "d", "c")
    assert [note.code for note in fewer.notes] == ["few_positive"]
    assert fewer.notes[0].message == (
        "only 3 of 4 features score above 0; 4 were to be kept, and the other one is no finding"
    )


def test_a_score_of_zero_is_not_positive():
    ranking = rank_features(draws_with([[1.0, 3.0], [0.0, 0.0]], np.ones((2, 2))), n_kept=2)
    assert ranking.scores.tolist() == [0.0, 2.0]
    assert np.isnan(ranking.cutoff)
    assert ranking.notes[0].count == 1


def test_all_negative_scores_still_rank():
    ranking = rank_features(draws_with([[0.1, 0.3, 0.2], [0.0, 0.0, 0.0]], np.ones((2, 3))), n_kept=2)
    assert np.isnan(ranking.cutoff)
    assert ranking.kept == ("1", "2")
    assert ranking.notes[0].message.startswith(
        "only 0 of 3 features score above 0; 2 were to be kept, and the other 2 are no finding"
    )


@pytest.mark.parametrize(("n_kept", "cutoff", "code"), [(4, -1.5, "few_positive"), (5, None, "nothing_reduced")])
def test_keeping_as_many_as_there_are_or_more(n_kept, cutoff, code):
    ranking = rank_features(draws_with(MEAN, SD), k=2, n_kept=n_kept, names=NAMES)
    assert sorted(ranking.kept) == NAMES
    assert np.isnan(ranking.cutoff)
    assert [note.code for note in ranking.notes] == [code]
    positive = rank_features(draws_with(MEAN, SD), k=0, n_kept=n_kept, names=NAMES)
    assert positive.cutoff == 0.5 if n_kept == 4 else np.isnan(positive.cutoff)


def test_one_block_is_said():
    ranking = rank_features(draws_with([[3.0, 2.0, 1.0]], np.full((1, 3), 0.5)), n_kept=1)
    assert [note.code for note in ranking.notes] == ["one_block"]
    assert (ranking.centred_mean == 0).all()


def test_by_column_asks_the_same_of_the_original_columns():
    ranking = rank_features(draws_with(MEAN, SD), k=2, n_kept=2, names=NAMES, columns=["x", "y", "y", "x"])
    table = ranking.by_column
    assert table["column"].tolist() == ["y", "x"]
    assert table["rank"].tolist() == [1, 2]
    assert table["score"].tolist() == [2.5, 2.0]
    assert table["feature"].tolist() == ["b", "a"]
    assert table["block"].tolist() == [1, 0]
    assert table["n_features"].tolist() == [2, 2]
    assert table["n_kept"].tolist() == [1, 1]


def test_by_block_says_sign_and_how_sure():
    first, second = rank_features(draws_with(MEAN, SD), k=2, names=NAMES).by_block
    assert first["feature"].tolist() == ["a", "d", "c", "b"]
    assert first["score"].tolist() == [2.0, 0.5, -1.5, -2.0]
    assert first["sign"].tolist() == ["+", "+", "+", "0"]
    assert first["low"].tolist() == [2.0, 0.5, -1.5, -2.0]
    assert first["high"].tolist() == [6.0, 1.5, 2.5, 2.0]
    assert first["positive"].tolist() == [1.0, 1.0, 0.5, 0.5]
    assert second["feature"].tolist()[0] == "b"
    assert second["sign"].tolist()[0] == "-"
    assert second["positive"].tolist()[0] == 0.0


@pytest.mark.skipif("FFBM_SHARED" not in os.environ, reason="FFBM_SHARED does not name the reference values")
@pytest.mark.parametrize("dataset", ["polbooks", "school", "facebook"])
def test_reference_moments_give_the_reference_cutoff(dataset):
    folder = Path(os.environ["FFBM_SHARED"]) / "reference"
    expected = json.loads((folder / "theta_reference.json").read_text())[dataset]
    with np.load(folder / f"theta_{dataset}.npz") as found:
        draws = draws_with(found["weight_mean"], found["weight_sd"])
    names = expected["feature_order"] if isinstance(expected["feature_order"], list) else None
    ranking = rank_features(draws, n_kept=len(expected["kept"]), names=names)
    assert ranking.cutoff == pytest.approx(expected["cutoff"], abs=1e-9)
    assert names is None or set(ranking.kept) == set(expected["kept"])


def test_a_weight_trace_is_ranked():
    draws = draws_with(MEAN, SD)
    per_draw, per_chain = np.zeros((2, 2)), draws.mean(axis=1)
    trace = WeightTrace(
        weights=draws,
        energy=per_draw,
        acceptance_rate=per_draw,
        step_size=per_draw,
        n_steps=per_draw.astype(np.int32),
        diverging=per_draw > 0,
        chain_mean=per_chain,
        chain_sd=draws.std(axis=1),
        names=(*NAMES[:3], "(intercept)"),
        columns=("x", "x", "y", "(intercept)"),
        support=np.array([5, 6, 7, 8]),
        rows=np.arange(8),
        thin=1,
        settings={"sampler": "hmc", "sigma": 1.0, "seed": 0},
    )
    ranking = rank_features(trace, k=2, n_kept=2)
    assert ranking.kept == ("b", "a")
    assert ranking.by_column["column"].tolist() == ["x", "y"]
    assert ranking.table["support"].tolist() == [6, 5, 7]
    assert ranking.intercept_mean.tolist() == [1.0, -1.5]


@dataclass
class Trace:
    """What rank_features reads of a trace of weights."""

    weights: np.ndarray
    names: tuple
    columns: tuple
    support: np.ndarray | None = None
    mean: np.ndarray | None = None
    sd: np.ndarray | None = None


def test_a_trace_brings_names_columns_and_support():
    trace = Trace(draws_with(MEAN, SD), tuple(NAMES), ("x", "x", "y", "y"), np.array([9, 8, 7, 6]))
    ranking = rank_features(trace, k=2, n_kept=2)
    assert ranking.kept == ("b", "a")
    assert ranking.table["support"].tolist() == [8, 9, 6, 7]
    assert ranking.table["column"].tolist() == ["x", "x", "y", "y"]


def test_the_moments_a_trace_kept_of_all_its_draws_go_first():
    trace = Trace(draws_with(MEAN, SD)[:, :1], tuple(NAMES), tuple(NAMES), None, np.array(MEAN), np.array(SD))
    assert rank_features(trace, k=2).scores.tolist() == [2.0, 2.5, -1.5, 0.5]


def test_an_intercept_is_listed_apart_and_never_kept():
    mean, sd = (
        np.column_stack(([9.0, -9.0], *np.array(MEAN).T)),
        np.column_stack(([1.0, 1.0], *np.array(SD).T)),
    )
    ranking = rank_features(draws_with(mean, sd), k=2, n_kept=2, names=["(intercept)", *NAMES])
    assert ranking.n_features == 4
    assert ranking.kept == ("b", "a")
    assert ranking.cutoff == 2.0
    assert "(intercept)" not in set(ranking.table["feature"])
    assert ranking.intercept_mean.tolist() == [9.0, -9.0]
    assert ranking.intercept_sd.tolist() == [1.0, 1.0]
    assert rank_features(draws_with(MEAN, SD)).intercept_mean is None


def test_short_text_and_a_table_for_notebooks():
    ranking = rank_features(draws_with(MEAN, SD), k=2, n_kept=2, names=NAMES)
    assert repr(ranking) == "<Ranking: 2 of 4 features kept, cutoff 2.000, k = 2>"
    assert ">b</td>" in ranking._repr_html_()
    assert repr(rank_features(draws_with(MEAN, SD))) == ("<Ranking: 4 of 4 features kept, no cutoff, k = 1; 1 note>")


def test_names_are_written_safely_in_html():
    ranking = rank_features(draws_with(MEAN, SD), names=["<script>", "b", "c", "d"])
    assert "<script>" not in ranking._repr_html_()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros((3, 4)), "weights must be numbers of shape"),
        (np.zeros((1, 0, 2, 3)), "with at least one draw and block; got float64 of shape"),
        (np.zeros((1, 5, 0, 3)), "with at least one draw and block"),
        (np.zeros((1, 5, 2, 0)), "needs a feature to rank"),
        (np.full((1, 5, 2, 3), np.nan), "weights must be finite to be ranked; those of feature '0' are not"),
        (np.array([[[[1.0, np.inf]]]]), "weights must be finite to be ranked; those of feature '1' are not"),
        (np.full((5, 2, 3), "a"), "weights must be numbers of shape"),
    ],
)
def test_what_cannot_be_ranked_is_refused(weights, message):
    with pytest.raises(DataError, match=message):
        rank_features(weights)


def test_an_intercept_alone_cannot_be_ranked():
    with pytest.raises(DataError, match="needs a feature to rank"):
        rank_features(np.zeros((1, 5, 2, 1)), names=["(intercept)"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k must be a number, at least 0"),
        ({"k": float("nan")}, "k must be a number"),
        ({"n_kept": 0}, "n_kept must be a whole number, at least 1"),
        ({"n_kept": 2.5}, "n_kept must be a whole number"),
        ({"names": ["a"]}, "names and columns must be one for each of the 4 features"),
        ({"names": list("aabc")}, "names different; got 4 names"),
        ({"columns": ["a"]}, "and 1 columns"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        rank_features(draws_with(MEAN, SD), **options)


def test_a_trace_with_names_beside_it_is_refused():
    trace = Trace(draws_with(MEAN, SD), tuple(NAMES), tuple(NAMES))
    with pytest.raises(OptionError, match="a trace of weights has its own"):
        rank_features(trace, names=NAMES)


def test_kept_features_stay_in_the_order_of_the_table():
    numbers = np.arange(4.0)
    features = Features(np.arange(8.0).reshape(2, 4), tuple(NAMES), ("p", "q", "r", "s"), numbers, numbers + 1)
    kept = keep_features(features, rank_features(draws_with(MEAN, SD), k=2, n_kept=2, names=NAMES))  # b, then a
    assert (kept.names, kept.columns) == (("a", "b"), ("p", "q"))
    assert kept.values.tolist() == [[0, 1], [4, 5]]
    assert (kept.mean.tolist(), kept.sd.tolist()) == ([0, 1], [1, 2])
