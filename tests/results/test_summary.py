"""The text of the answer: what it says, in which order, in how much room."""

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.diagnostics import Verdict
from ffbm.report.tables import ranking_table
from ffbm.results import Fit, fit, sentences
from ffbm.results.answer import answer_paragraphs, warning_paragraphs
from ffbm.results.block_features import set_apart
from ffbm.results.report import subject_of
from ffbm.results.sentences import tell_direction, tell_no_answers, tell_readings, tell_time
from ffbm.scoring import PredictedBlocks
from ffbm.types import Note
from ffbm.typeset import cut, tabulate

from ..planted import planted_edges

QUICK = {"n_sweeps": 40, "n_warmup": 40, "n_draws": 40, "n_chains": 2, "progress": False}


def predicted_of(made):
    """Return predictions that are the memberships."""
    return PredictedBlocks.of(made.memberships.probs, made.memberships.labels)


def lines_of(made, verbose=True):
    lines = made.summary(verbose=verbose).splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def test_a_short_answer_fits_on_a_screen(good, bad):
    for made in (good, bad):
        short, long = lines_of(made, verbose=False), lines_of(made)
        assert len(short) <= 36  # "about 35 lines"; the fixed prior has a ranking too
        assert len(short) < len(long)
        assert not any("loss" in line or "nats per vertex" in line for line in short)
        assert any("bits per vertex" in line for line in short)


def test_a_good_fit(good):
    lines = lines_of(good)
    text = "\n".join(lines)
    assert len(lines) <= 72
    assert lines[0] == "The chains converged."
    order = [
        "What each column explains, by bits beyond the others",
        "planted: 80 vertices, ",
        "2 blocks, by size",
        "Ranking (all), from 56 training vertices",
        "Features explain ",
        "\nBlocks: ",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "NOT" not in text
    first = next(line for line in lines if line.lstrip().startswith("1  x1"))
    assert f"{good.ranking.scores[1]:.2f}" in first
    support = int(good.network.features.support[1])
    train = int((sp.csr_array(good.network.features.values)[good.train][:, [1]] != 0).sum())
    assert first.endswith(f"{support} ({train})")
    assert f"{good.scores.bits_test:.2f} +- {2 * good.scores.bits_se_test:.2f}" in text
    assert f"{good.reduced.scores.loss_test:.3f}" in text


def test_weights_of_blocks_are_the_centred_ones(good):
    row = next(line for line in lines_of(good) if line.split()[:3] == ["0", "40", "x1"])
    w = good.weights.centred[:, :, 0, 1]
    low, high = np.quantile(w, (0.025, 0.975))
    assert row.split()[3:] == [f"{w.mean():+.2f}", f"{low:+.2f}", "to", f"{high:+.2f}"]


def test_blocks_that_hold_nobody_are_counted_and_not_listed(good):
    """As where the number of blocks differs between draws."""
    labels = np.zeros_like(good.memberships.labels)
    members = dataclasses.replace(good.memberships, labels=labels)
    lines = lines_of(dataclasses.replace(good, memberships=members), verbose=False)
    title = next(i for i, line in enumerate(lines) if line.startswith("2 blocks, by size, 1 with no vertex; "))
    assert not any(line.split()[:2] == ["1", "0"] for line in lines[title:])


def test_a_bad_fit_says_so_first(bad):
    lines = lines_of(bad)
    assert lines[0].startswith("NOT CONVERGED: too short.")
    assert lines[lines.index("") - 1] == f"  {bad.converged.command}"
    head = " ".join(lines[: lines.index("")])
    assert "Do not rely on what follows" in head
    assert bad.diagnostics.weights.converged.reason[:40] in head
    assert "\n".join(lines).count("rely on") == 1
    assert "converged" not in lines[-1]
    brief = " ".join(bad.summary().split())
    assert brief.startswith("NOT CONVERGED: too short (weights). Do not rely on what follows")
    assert "R-hat" not in brief
    assert "With --verbose (verbose=True): a sentence to quote, why not converged" in brief


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_special_cases(net):
    one = fit(net, n_blocks=1, seed=1, **QUICK)
    assert "With one block there is nothing to explain." in " ".join(one.summary(verbose=True).split())
    found = (
        "With one block there is nothing for attributes to explain. The permutation test, which needs no blocks, finds"
    )
    assert re.match(
        re.escape(found) + r" x1 \(p = 0\.\d+\).* related to who is linked with whom\. \(Feature-First", one.sentence()
    )
    assert "; B = 1 block, N = 80" in one.sentence()
    assert "bits" not in one.sentence()
    assert "-0.000" not in one.summary(verbose=True)
    assert "Ranking" not in one.summary(verbose=True)
    table = [(1, 0.0), (2, 3.3)]
    weak = one.blocks.settings | {"candidates": table, "probabilities": [(1, 0.7), (2, 0.3)]}
    weak = Fit.of(one, blocks=dataclasses.replace(one.blocks, settings=weak))
    assert weak.sentence().startswith("One block describes the network in the fewest nats, though 2 blocks are not")
    assert "about as well as the best groups" in " ".join(weak.summary().split())
    clear = weak.blocks.settings | {"candidates": [(1, 0.0), (2, 33.0)], "probabilities": [(1, 0.99), (2, 0.01)]}
    clear = Fit.of(one, blocks=dataclasses.replace(one.blocks, settings=clear))
    assert clear.sentence().startswith("The network shows one block")
    empty = fit(ffbm.as_network(sp.csr_array((5, 5)), np.eye(5)[:, :2]), n_blocks=1, seed=1, **QUICK)
    assert empty.sentence().startswith("The network has no edges: blocks are found from edges")
    assert "n_blocks=2" not in empty.summary()
    whole = fit(net, n_blocks=2, seed=1, train_fraction=1.0, **QUICK)
    assert "No vertex was held out" in whole.summary()
    folds = fit(net, n_blocks=2, seed=1, folds=3, **QUICK)
    assert "3 folds" in folds.summary(verbose=True)
    given = fit(net, blocks=np.repeat(["left", "right"], (50, 30)), seed=1, **QUICK)
    assert "0 = left" in given.summary()
    assert "1 = right" in given.summary()
    drawn = fit(net, n_blocks=2, memberships="drawn", seed=1, **QUICK)
    assert "of the variance)" in " ".join(drawn.summary().split())
    for made in (one, whole, folds, given, drawn):
        lines_of(made)


def with_p_values(made, p_values):
    """Return a fit whose columns have these p values of the permutation test."""
    bits = made.explanation.columns
    p_values = np.array([*p_values, *[np.nan] * len(bits.names)][: len(bits.names)])
    changed = dataclasses.replace(bits, p_adjacency=p_values)
    return Fit.of(made, explanation=dataclasses.replace(made.explanation, measure=lambda: changed))


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_with_one_block_the_permutation_test_says_which_columns_are_related_to_the_edges():
    table = pd.DataFrame({name: np.random.default_rng(i).normal(size=80) for i, name in enumerate("abcdef")})
    edges, _ = planted_edges(np.random.default_rng(1), sizes=(50, 30))
    one = fit(ffbm.as_network(edges, table), n_blocks=1, seed=1, **QUICK)
    asks = "the permutation test (ffbm test) asks that without blocks"
    for p_values, expected in (
        ([0.001, 0.9, 0.8, 0.7, 0.6, 0.5], "finds a (p = 0.001) related to who is linked with whom."),
        ([0.004, 0.9, 0.001, 0.7, 0.6, 0.5], "finds c (p = 0.001) and a (p = 0.004) related to who is linked with"),
        ([0.04, 0.9, 0.8, 0.7, 0.6, 0.5], "finds none of 6 attributes related to who"),  # one of six, by chance
        ([0.001] * 6, "d (p = 0.001) and 2 more (columns.csv, or fit.column_table) related"),
        ([], None),
    ):
        made = with_p_values(one, p_values)
        for text in (" ".join(made.summary().split()), made.sentence()):
            assert expected is None or expected in text
            assert ("permutation test, which needs no blocks" in text) == (expected is not None)
        assert (asks in " ".join(made.summary().split())) == (expected is None)
        assert len(made.summary().splitlines()) <= 36


def with_bits(made, bits):
    scores = dataclasses.replace(made.scores, bits_test=bits, bits_se_test=0.1)
    explanation = dataclasses.replace(made.explanation, scores=scores)
    return dataclasses.replace(made, explanation=explanation).summary()


def test_what_features_explain_is_put_into_words(good):
    assert "Features explain 0.30 (95 % 0.10 to 0.50) bits per vertex" in with_bits(good, 0.3)
    doubt = "It is not sure that features tell the block of an unseen vertex: 0.10 (95 % -0.10 to 0.30)"
    assert doubt in " ".join(with_bits(good, 0.1).split())
    assert "Features mislead" in with_bits(good, -0.3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_many_blocks_and_features_fit_on_a_screen():
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(30), 6)
    edges = [(i, j) for i in range(180) for j in range(i) if labels[i] == labels[j]]
    names = [f"a very long name of a column that goes on and on, feature {j}" for j in range(40)]
    table = pd.DataFrame((rng.random((180, 40)) < 0.2).astype(int), columns=names)
    net = ffbm.as_network(np.array(edges), table)
    lines = lines_of(fit(net, blocks=labels, seed=1, **QUICK))
    assert len(lines) <= 104
    assert any("10 smaller blocks" in line for line in lines)
    assert not any("or --verbose" in line for line in lines)  # which it is


def test_a_tight_summary_counts_what_there_was_no_time_for(monkeypatch):
    monkeypatch.setattr(sentences, "out_of_time", lambda _: ["scores: one fold", "splits: none"])
    fit = SimpleNamespace(config=SimpleNamespace(max_minutes=1.0))
    assert tell_time(fit, brief=True) == "--max-minutes 1 was too short: 2 parts cut or left out (--verbose)."
    assert "Scores: one fold; splits: none." in tell_time(fit)


def test_control_characters_are_shown_by_their_codes():
    assert "\x1b" not in tabulate([["\x1b[31mred", "1"]], right=(1,), gives=0)


def test_long_names_keep_their_ends():
    assert cut("school;anonymized feature 834", 20) == "school;anonymi...834"
    assert cut("a" * 30, 20) == "aaaaaaaaa...aaaaaaaa"
    assert cut("short", 20) == "short"


def test_the_answer_names_only_features_that_stand_clear_of_zero(good):
    first = answer_paragraphs(good, predicted_of(good))[0]
    named = first.partition("matter most: ")[2].rstrip(".").split(", ")
    ranking = good.ranking
    assert named == [ranking.names[j] for j in ranking.order[:3] if ranking.scores[j] > 0]
    explanation = dataclasses.replace(good.explanation, ranking=dataclasses.replace(ranking, sd=ranking.sd + 9))
    none = dataclasses.replace(good, explanation=explanation)
    assert "matter most" not in answer_paragraphs(none, predicted_of(good))[0]


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_one_chain_is_told_to_bring_others(net):
    made = fit(net, n_blocks=2, **QUICK | {"n_chains": 1})
    assert "\n  ffbm.fit(..., n_chains=4)  # about " in made.summary()


def test_a_usable_fit_says_so_in_a_sentence_and_is_not_warned_of(good, monkeypatch):
    rough = Verdict("usable", "blocks: R-hat of S is 1.02", "ffbm.fit(..., n_sweeps=12000)")
    monkeypatch.setattr(Fit, "converged", rough)
    text = good.summary()
    assert text.startswith("The chains are usable, not converged.\n\n")
    assert text.endswith("\n\nBlocks: R-hat of S is 1.02. To go on:\n  ffbm.fit(..., n_sweeps=12000)")
    assert text.count("not converged.") == 1
    assert "rely" not in text.lower()
    assert warning_paragraphs(good) == ()
    assert "To go on: ffbm.fit(..., n_sweeps=12000)" in good._repr_html_()
    assert any("The chains are usable, not converged." in part for part in answer_paragraphs(good, predicted_of(good)))


@pytest.mark.parametrize(("grade", "means"), [("multimodal", "averaged over chains"), ("too short", "what follows")])
def test_what_a_bad_grade_means_stands_first(good, monkeypatch, grade, means):
    monkeypatch.setattr(Fit, "converged", Verdict(grade, "blocks: they differ", "run this"))
    first = " ".join(good.summary().split("\n\n")[0].split())
    assert first.startswith(f"NOT CONVERGED: {grade}. Blocks: they differ. Do not rely on what ")
    assert means in first
    assert first.endswith("To go on: run this")
    assert warning_paragraphs(good) == (first,)


def test_what_reading_changed_is_told():
    table = pd.DataFrame({"age": [20.0, 30, 50, 40, 31, 27], "same": ["x"] * 6}, index=list("abcdef"))
    net = ffbm.as_network([("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("e", "f"), ("f", "d")], table)
    made = ffbm.fit(net, blocks=[0, 0, 0, 1, 1, 1], n_draws=1000, seed=1, train_fraction=1.0, progress=False)
    text = made.summary(verbose=True)
    assert "\nreading\n  - pairs: edges link" in text
    assert "\n  - column 'same' left out" in text
    assert "2 notes on reading the data" in " ".join(made.summary().split())
    assert " number" in made.summary()
    rows = {row[1]: row for row in ranking_table(subject_of(made)).rows}
    assert rows["age"][6] is None


def test_numbers_are_higher_or_lower_and_flags_set_on_more_or_fewer():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], 200)
    team = np.where(labels ^ (rng.random(400) < 0.1), "red", "blue")
    table = pd.DataFrame({"age": 40 + 10 * labels + rng.normal(0, 8, 400), "team": team})
    net = ffbm.as_network(np.column_stack((np.arange(400), np.roll(np.arange(400), 1))), table)
    made = ffbm.fit(net, blocks=labels, n_draws=1000, seed=1, progress=False)
    said = {f"{one.way} {one.feature}" for found in set_apart(made) for one in found}
    assert {"higher age", "lower age", "more vertices with team=red"} <= said
    assert re.search(
        "The columns? that matters?: .*team",
        " ".join(answer_paragraphs(made, PredictedBlocks.of(np.eye(2)[labels], labels))),
    )


def test_numbers_that_may_mean_no_answer_are_told(good):
    column = next(name for name in good.network.features.names if name in good.network.features.columns)
    far = "has 3 cells 99, far from the others (1 to 5): kept as numbers; drop= if it means no answer"
    notes = tuple(Note("looks-missing", f"column {name!r} {far}", 3) for name in (column, "read as values"))
    told = tell_no_answers(Fit.of(good, network=dataclasses.replace(good.network, notes=notes)))
    assert told.startswith(f"Read as numbers, though they may mean no answer: {column!r} 99; drop=")
    assert not tell_no_answers(good)
    negative = f"column {column!r} has 3 cells -9, below 0 unlike the others (1 to 5)"
    for message, start in (
        (negative, f"Read as numbers, though they may mean no answer: {column!r} -9"),
        ("21 columns with values such as NA or 99 that may mean no answer", "21 columns hold values that may mean"),
    ):
        notes = (Note("looks-missing", message, 3),)
        told = tell_no_answers(Fit.of(good, network=dataclasses.replace(good.network, notes=notes)))
        assert " ".join(told.split()).startswith(start)


def test_readings_are_told_of_columns_that_are_still_there(good):
    texts = [f"column '{name}' read as 3 values: alone it explains 1.00 bits" for name in ("x1", "made one with x1")]
    notes = tuple(Note("read-as-values", text, 1) for text in texts)
    told = tell_readings(Fit.of(good, network=dataclasses.replace(good.network, notes=notes)))
    assert told.startswith("Numbers are read as values where these explain more: 'x1' as 3 values; numeric=")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("looks-directed", "if they have one (12 pairs stand both ways): directed=True (--directed)."),
        ("says-directed", "if they have one: directed=True (--directed)."),
        ("parallel", ""),
    ],
)
def test_edges_that_may_have_a_direction_are_named_on_the_screen(good, code, said):
    net = dataclasses.replace(good.network, notes=(Note(code, "x", 12),))
    made = dataclasses.replace(good, network=net)
    text = " ".join(tell_direction(made).split())
    assert text == (said and f"Edges are read without direction; {said}")
    page = answer_paragraphs(made, predicted_of(made))
    assert any(text in one for one in page if one.startswith("How it was read: ")) == bool(said)
