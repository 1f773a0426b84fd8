"""Decisions on columns, from draws made by hand and from chains."""

from types import SimpleNamespace

import numpy as np
import pytest

from ffbm.errors import OptionError
from ffbm.pipeline.weights import sample_weights
from ffbm.relevance import centre_values, find_decided, find_sets, judge_columns, name_values
from ffbm.types.relevance import Relevance

SHORT = {"weight_prior": "learned", "n_draws": 300, "n_warmup": 100, "seed": 1, "progress": False}


@pytest.mark.parametrize(
    ("inclusion", "fdr", "decided"),
    [
        ([0.95, 0.2], 0.1, (0,)),
        ([0.95, 0.89], 0.1, (0, 1)),  # a mean of 0.08 is false
        ([0.99, 0.99, 0.99, 0.99, 0.6], 0.1, (0, 1, 2, 3, 4)),
        ([0.99] * 9 + [0.4], 0.1, tuple(range(9))),  # FDR alone would let it ride on the others
        ([0.5, 0.5], 0.5, ()),
        ([0.8], 0.1, ()),
        ([], 0.1, ()),
        ([0.7, 0.7], 0.31, (0, 1)),
    ],
)
def test_decided(inclusion, fdr, decided):
    assert find_decided(np.array(inclusion), fdr) == decided


def draws(*columns):
    return np.column_stack(columns)


def test_sets_need_their_columns_and_no_others():
    u = np.random.default_rng(1).random(4000)
    drawn = draws(u < 0.5, u >= 0.5, u < 0.15, u < 0.02)
    assert find_sets(drawn, drawn.mean(axis=0), ()) == ((0, 1),)
    assert find_sets(drawn, drawn.mean(axis=0), (0,)) == ()
    three = draws(u < 0.35, (u > 0.3) & (u < 0.7), u > 0.65)
    assert find_sets(three, three.mean(axis=0), ()) == ((0, 1, 2),)


def test_no_set_without_enough():
    u = np.random.default_rng(1).random(4000)
    drawn = draws(u < 0.4, (u > 0.4) & (u < 0.8))
    assert find_sets(drawn, drawn.mean(axis=0), ()) == ()


def made(names, inclusion, **parts):
    inclusion = np.array(inclusion)
    rest = {"decided": (), "sets": (), "none_included": 0.1, "values": (), "fdr": 0.1} | parts
    ones = np.ones(len(names))
    return Relevance(tuple(names), ones, inclusion, 0 * ones, ones, **rest)


@pytest.mark.parametrize(
    ("relevance", "sentence"),
    [
        (made("ab", [0.99, 0.1], decided=(0,)), "of 2 columns 1 matters: a"),
        (made("abc", [0.99, 0.1, 1], decided=(2, 0)), "of 3 columns 2 matter: c and a"),
        (made("ab", [0.5, 0.5], sets=((0, 1),)), "one of {a, b} matters; the data cannot say which"),
        (made("ab", [0.1, 0.1], none_included=0.8), "none of 2 columns matters: that has probability 0.80"),
        (
            made("ab", [0.6, 0.1], none_included=0.4),
            "undecided: no column stands out, and that none matters has probability 0.40",
        ),
    ],
)
def test_sentences(relevance, sentence):
    assert relevance.sentence == sentence
    assert sentence in repr(relevance)


def test_tables():
    relevance = made("abc", [0.1, 0.99, 0.5], decided=(1,), sets=((0, 2),))
    assert relevance.table["column"].tolist() == ["b", "c", "a"]
    assert relevance.table["decision"].tolist() == ["matters", "one of a set", "one of a set"]
    assert relevance.matters == ("b",)
    assert relevance.one_of == (("a", "c"),)
    assert len(relevance.value_table) == 0


def test_a_coin_and_unequal_blocks_are_no_finding():
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 3], [120, 110, 90, 80])
    coin = (rng.random(400) < 0.5).astype(float)
    trace = sample_weights(coin[:, np.newaxis], labels, **SHORT)
    relevance = judge_columns(trace)
    assert relevance.decided == relevance.values == ()


def test_a_column_of_sixty_noise_values_is_no_finding():
    rng = np.random.default_rng(4)
    x = np.eye(60)[rng.integers(0, 60, 300)]
    groups = {"noise": [str(j) for j in range(60)]}
    trace = sample_weights(x, rng.integers(0, 4, 300), column_groups=groups, **SHORT | {"n_draws": 60})
    assert judge_columns(trace).sentence.startswith("none of 1 column matters")


def test_two_hundred_noise_flags_are_no_finding():
    rng = np.random.default_rng(7)
    x = (rng.random((300, 200)) < rng.uniform(0.05, 0.5, 200)).astype(float)
    trace = sample_weights(
        x, np.repeat([0, 1, 2, 3], [120, 80, 60, 40]), **SHORT | {"n_draws": 30, "n_warmup": 30, "n_chains": 2}
    )
    relevance = judge_columns(trace)
    assert relevance.decided == relevance.values == relevance.sets == ()
    assert relevance.sentence.startswith("none of 200 columns matters")


def test_values_that_cover_all_vertices_are_compared_with_each_other():
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 200)
    first = np.where(rng.random(400) < 0.8, labels == 0, labels == 1)  # an odds ratio of 16
    x = np.column_stack((first, ~first)).astype(float)
    trace = sample_weights(x, labels, column_groups={"gender": ["0", "1"]}, **SHORT)
    relevance = judge_columns(trace)
    assert relevance.matters == ("gender",)
    named = {(value.feature, value.block): value.mean > 0 for value in relevance.values}
    assert named == {("0", 0): True, ("0", 1): False, ("1", 0): False, ("1", 1): True}


def test_a_weak_value_does_not_ride_on_sure_ones(monkeypatch):
    signs = np.ones((100, 2, 2))
    signs[:27, 1, 1] = -1  # its sign is right in 73 % of the draws; the mean over all four is within the rate
    monkeypatch.setattr("ffbm.relevance.included_weights", lambda *_: (np.arange(2), signs))
    weights = SimpleNamespace(selected=SimpleNamespace(column_names=("dorm",)), names=("dorm=a", "dorm=b"), n_blocks=2)
    named = name_values(weights, 0, 0.1)
    assert {(value.feature, value.block) for value in named} == {("dorm=a", 0), ("dorm=a", 1), ("dorm=b", 0)}
    assert len(name_values(weights, 0, 0.3)) == 4


def test_equal_columns_are_a_set():
    rng = np.random.default_rng(6)
    labels = np.repeat([0, 1], 100)
    flag = np.where(rng.random(200) < 0.85, labels, 1 - labels)
    noise = (rng.random((200, 9)) < 0.5).T
    trace = sample_weights(np.column_stack((flag, flag, *noise)).astype(float), labels, **SHORT)
    relevance = judge_columns(trace)
    assert relevance.one_of == (("0", "1"),)
    assert relevance.decided == ()


def test_centring_leaves_one_value_alone():
    w = np.ones((2, 2, 1))
    assert centre_values(w, np.array([40]), 40) is w


@pytest.mark.parametrize("fdr", [-0.1, 1.1, "low"])
def test_fdr_is_checked(fdr):
    with pytest.raises(OptionError, match="fdr must be a number"):
        judge_columns(None, fdr=fdr)


def test_weights_of_the_fixed_prior_are_refused():
    trace = sample_weights(np.eye(2), [0, 1], n_draws=2, n_warmup=2, progress=False)
    with pytest.raises(OptionError, match='weight_prior="learned"'):
        judge_columns(trace)
