"""The record of a reproduction: figures over runs, bounds, reasons, tables."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

from ffbm.ranking import rank_features
from ffbm.reproduction.bounds import check_bounds
from ffbm.reproduction.paper import EXACT, PAPER, PROGRAM, PUBLISHED
from ffbm.reproduction.reasons import find_reasons
from ffbm.reproduction.record import leading_features
from ffbm.reproduction.table import markdown, markdown_table, number_table, text_table

PAPER_TABLE = r"""
Polbooks & 3 & 3 & -- & $2.250 \pm 0.000$ & $0.563 \pm 0.042$ & $0.595 \pm 0.089$ & -- & -- & -- \\
School & 10 & 13 & 10 & $1.894 \pm 0.004$ & $0.787 \pm 0.127$ & $0.885 \pm 0.129$ & $1.198 \pm 0.249$ & $0.793 \pm 0.132$ & $0.853 \pm 0.132$ \\
FB egonet & 10  & 480 & 10 & $1.626 \pm 0.003$ & $1.326 \pm 0.043$ & $1.538 \pm 0.069$ & $0.94 \pm 0.019$ & $1.580 \pm 0.150$ & $1.605 \pm 0.106$
"""  # noqa: E501


def test_the_published_figures_are_the_paper_s():
    names = ["description_length_without_partition", "loss_train", "loss_test"]
    names += ["cutoff", "reduced_loss_train", "reduced_loss_test"]
    for line, paper in zip(PAPER_TABLE.strip().splitlines(), PAPER.values(), strict=True):
        cells = [cell.strip(" $\\") for cell in line.split("&")]
        assert paper.n_blocks == int(cells[1])
        assert paper.n_kept == (None if cells[3] == "--" else int(cells[3]))
        told = {name: cell.split(r" \pm ") for name, cell in zip(names, cells[4:], strict=True) if cell != "--"}
        assert paper.published == {name: (float(mean), float(sd)) for name, (mean, sd) in told.items()}


def test_figures_are_means_and_deviations_over_runs(found):
    told = found.record["datasets"]["polbooks"]["columns"][EXACT]["loss_test"]
    values = [run.numbers["loss_test"] for run in found.datasets["polbooks"].exact]
    assert told["runs"] == values
    assert told["mean"] == pytest.approx(np.mean(values))
    assert told["sd"] == pytest.approx(np.std(values, ddof=1))
    assert (told["min"], told["max"]) == (min(values), max(values))


def test_the_record_is_strict_json(found):
    text = json.dumps(found.record, allow_nan=False)
    assert json.loads(text) == found.record


def test_tables_say_the_same(found):
    text, numbers = text_table(found.record), number_table(found.record)
    row = numbers.set_index("symbol").loc["L1"]
    assert text.loc[("polbooks", "L1"), "exact posterior"] == f"{row[EXACT]:.3f} ± {row[f'{EXACT}_sd']:.3f}"
    assert text.loc[("polbooks", "L1"), "published"] == "0.595 ± 0.089"
    assert text.loc[("polbooks", "ESS"), "published"] == "–"
    assert ("polbooks", "c*") not in text.index
    assert len(markdown_table(found.record).splitlines()) == 2 + len(text)
    assert markdown_table(found.record, ("loss_train",)).count("\n") == 2
    assert isinstance(found.table, pd.DataFrame)
    assert all(reason["text"] in markdown(found.record) for reason in found.differences)


def columns(**means):
    """Columns of a table in which the program has these means, and all is well elsewhere."""
    paper = PAPER["school"]
    published = {name: figure._asdict() for name, figure in paper.published.items()}
    program = {name: {"mean": means.get(name, figure.mean)} for name, figure in paper.published.items()}
    return {PUBLISHED: published, PROGRAM: program, EXACT: {"min_ess": {"min": means.get("min_ess", 400.0)}}}


@pytest.mark.parametrize(
    ("name", "value", "met"),
    [
        ("loss_train", 0.787 + 2 * 0.127 + 0.049, True),
        ("loss_train", 0.787 + 2 * 0.127 + 0.051, False),
        ("loss_train", 0.787 - 2 * 0.127 - 0.051, False),
        ("description_length_without_partition", 1.8, True),
        ("description_length_without_partition", 1.8989, True),
        ("description_length_without_partition", 1.8991, False),
        ("min_ess", 399.0, False),
        ("cutoff", float("nan"), False),
    ],
)
def test_bounds(name, value, met):
    told = {bound["figure"]: bound["met"] for bound in check_bounds("school", columns(**{name: value}))}
    assert told.pop(name) is met
    assert all(told.values())


def test_reasons_are_held_against_the_figures(found):
    datasets = copy.deepcopy(found.record["datasets"])
    reasons = {reason["reason"]: reason for reason in find_reasons(datasets)}
    for name in ("few_draws", "narrow", "partition", "per_draw"):
        assert reasons[name]["confirmed"], name
    assert "cutoff" not in reasons
    told = datasets["polbooks"]["columns"]
    assert f"{told[EXACT]['predictive_loss_test']['mean']:.3f}" in reasons["per_draw"]["text"]
    told[PROGRAM]["min_ess"]["mean"] = 600.0
    told[PROGRAM]["median_sd"]["mean"] = 2 * told[EXACT]["median_sd"]["mean"]
    told[EXACT]["predictive_loss_test"]["mean"] = 9.0
    told[PUBLISHED]["description_length_without_partition"]["mean"] = 2.46
    told[PROGRAM]["loss_train"]["mean"] = 5.0
    for reason in find_reasons(datasets):
        if reason["reason"] in ("few_draws", "narrow", "partition", "per_draw", "same_program"):
            assert not reason["confirmed"], reason
            assert reason["text"].endswith("In this run the figures do not show it.")


def test_leading_features():
    draws = np.array([[[2.0, -1.0], [0.5, 3.0], [-1.0, -2.0]]])
    assert leading_features(rank_features(draws, n_kept=1, names=["a", "b"])) == ["a", "b", None]
