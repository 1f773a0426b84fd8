"""Modes in a fit: said first, ranked for each, saved and read back."""

import dataclasses
import json

import numpy as np
import pytest

import ffbm
from ffbm.errors import OptionError
from ffbm.results import fit, load_fit
from ffbm.results.record import fit_record, strict_json
from ffbm.results.report import subject_of
from ffbm.results.sentences import tell_modes
from ffbm.rng import child_seed

from ..blocks.pictures import cliques_in_pairs
from ..store.test_tree import assert_same

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")

QUICK = {"n_warmup": 100, "n_draws": 100, "n_chains": 2, "seed": 3, "progress": False}


@pytest.fixture(scope="module")
def blocks():
    """A network with two pictures, a feature that tells each, and three chains, two of which stay in the first."""
    edges, pictures = cliques_in_pairs()
    net = ffbm.as_network(edges, pictures.T.astype(float), name="ring")
    starts = pictures[[0, 1, 0]]
    return net, ffbm.sample_blocks(
        net, n_blocks=2, n_chains=3, n_sweeps=100, seed=1, initial=starts, moves="single", progress=False
    )


@pytest.fixture(scope="module")
def two(blocks):
    net, trace = blocks
    return fit(net, blocks=trace, **QUICK)


def head_of(made, verbose=False):
    """The paragraphs of the summary, each on one line."""
    return [part.replace("\n", " ") for part in made.summary(verbose).split("\n\n")]


def test_the_summary_says_it_first(two):
    assert two.memberships.n_modes == 2
    first, second, third, fourth = head_of(two)[:4]
    assert first.startswith("NOT CONVERGED: ")
    assert "blocks: the 3 chains show different pictures: on " in two.summary(verbose=True).replace("\n", " ")
    assert second == (
        "2 MODES: the two put 50% of the vertices into different blocks; no chain left one for another. What follows is"
        " averaged over all modes; fit.mode(i) is not."
    )
    assert (
        "2 MODES: the draws fall into 2 groups that show different blocks; the two put 50% of the vertices into"
        " different blocks. What follows is averaged over all modes; in Python, fit.mode(i), i from 0 to 1, is the"
        " answer in one. No chain went from one mode to another, so it is not known how probable each is."
    ) in head_of(two, verbose=True)
    assert third.startswith("What each column explains")
    assert fourth.startswith("ring: 32 vertices")
    assert max(map(len, two.summary().splitlines())) <= 80


def test_the_verdict_on_columns_is_told_and_recorded(two):
    found = two.diagnostics.columns
    assert found is two.diagnostics.columns  # it takes seconds, once
    assert set(found.contested) == {"x0", "x1"}
    first = head_of(two)[0]
    assert "The chains differ on 50% of the vertices, and on whether x0 or x1 score above 0." in first
    assert any("on whether x0 or x1 score above 0" in text for text in subject_of(two).warnings)
    told = json.loads(strict_json(fit_record(two)))["diagnostics"]["columns"]
    assert (told["agree"], told["sentence"]) == (False, str(found))
    assert [row["column"] for row in told["columns"]] == ["x0", "x1"]
    assert len(told["bits"]) == 3


def test_it_is_not_computed_where_block_chains_have_converged(good, monkeypatch):
    def refuse(*_):
        raise AssertionError("not asked for")

    monkeypatch.setattr("ffbm.pipeline.columns.compare_chains", refuse)
    made = dataclasses.replace(good)
    assert made.summary() == good.summary()
    assert fit_record(made)["diagnostics"]["columns"] is None


def with_chains(made, *shares):
    """The same fit, as if these were the shares of each chain in each mode."""
    members = made.memberships
    modes = tuple(
        dataclasses.replace(mode, chains=np.array(chains)) for mode, chains in zip(members.modes, shares, strict=True)
    )
    return dataclasses.replace(made, memberships=dataclasses.replace(members, modes=modes))


def test_chains_that_go_to_and_fro_make_shares_mean_something(two):
    assert not two.memberships.has_crossings
    mixed = with_chains(two, [0.9, 0.0, 1.0], [0.1, 1.0, 0.0])
    assert head_of(mixed)[1].startswith(
        "2 MODES (67%, 33%): the two put 50% of the vertices into different blocks. What"
    )
    apart = with_chains(two, [1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    texts = [" ".join(tell_modes(one).split()) for one in (mixed, apart, with_chains(two, [0.7], [0.3]))]
    assert "2 groups (67%, 33% of the draws) that show" in texts[0]
    assert ["No chain went" in text for text in texts] == [False, True, False]


def test_one_mode_is_not_worth_a_word(good):
    assert good.memberships.n_modes == 1
    assert "MODES" not in good.summary()
    assert [(mode["weight"], mode["probability"]) for mode in fit_record(good)["modes"]] == [(1.0, 1.0)]


def test_each_mode_has_its_own_ranking(two):
    found = [two.mode(0), two.mode(1)]
    assert [one.ranking.kept[0] for one in found] == ["x0", "x1"]
    for number, one in enumerate(found):
        assert one.mode is two.memberships.modes[number]
        assert one.weights.weights.shape == two.weights.weights.shape
        np.testing.assert_array_equal(one.weights.rows, two.train)
        assert one.weights.seed == child_seed(two.config.seed, "mode", number)
        assert one.ranking.scores.max() > two.ranking.scores.max()  # the average blurs both
        assert one.scores.bits_test > two.scores.bits_test
        entropy = two.blocks.entropy[two.memberships.mode_of == number]
        assert one.scores.description_length_without_partition == pytest.approx(
            entropy.mean() / (two.network.n_nodes + two.network.n_edges), rel=0.01
        )
    again = two.mode(1).weights.weights
    np.testing.assert_array_equal(found[1].weights.weights, again)
    assert not np.array_equal(found[0].weights.weights, again)
    assert repr(found[0]).startswith("<Explanation of <Mode: 66.7% of the draws; 32 vertices in blocks of ")


@pytest.mark.parametrize("option", [{"memberships": "drawn"}, {"folds": 3}, {"intercept": True}])
def test_a_mode_is_fitted_with_the_settings_of_the_fit(blocks, option):
    net, trace = blocks
    made = fit(net, blocks=trace, **QUICK | option)
    one = made.mode(1)
    assert one.ranking.kept[0] == "x1"
    assert one.weights.settings.get("memberships") == option.get("memberships")
    assert one.weights.settings["intercept"] == option.get("intercept", False)
    assert one.scores.n_test == made.scores.n_test


def test_the_only_mode_is_the_fit_itself(good):
    found = good.mode(0)
    assert found.weights is good.weights
    assert found.ranking is good.ranking
    assert found.scores is good.scores


@pytest.mark.parametrize("number", [2, -1, 0.5])
def test_a_mode_that_is_not_there(two, number):
    with pytest.raises(OptionError, match="mode must be"):
        two.mode(number)


def test_the_record_lists_modes(two):
    told = json.loads(strict_json(fit_record(two)))["modes"]
    assert [mode["weight"] for mode in told] == pytest.approx([2 / 3, 1 / 3])
    assert [mode["probability"] for mode in told] == [None, None]  # no chain visited both
    assert [mode["chains"] for mode in told] == [[1, 0, 1], [0, 1, 0]]
    assert [mode["changed"] for mode in told] == [[0, 0.5], [0.5, 0]]
    assert [sum(mode["sizes"]) for mode in told] == [32, 32]


def test_modes_are_saved_and_read_back(two, tmp_path):
    two.save(tmp_path / "run")
    again = load_fit(tmp_path / "run")
    assert_same(two, again)
    assert again.summary() == two.summary()
    np.testing.assert_array_equal(again.mode(1).weights.weights, two.mode(1).weights.weights)
