"""One number for one thing, on the terminal, in the notebook, in figures, on the page, in files; intervals are 95 %."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from ffbm.plain import EACH_WAY, with_interval
from ffbm.report import tables
from ffbm.report.panels import explanation_panels
from ffbm.results.report import subject_of

BITS = ("bits_alone", "bits_unique")


@pytest.fixture(scope="module")
def folder(good, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    good.save(path)
    return path


@pytest.fixture(scope="module")
def subject(good):
    return subject_of(good)


def amounts(table):
    """What each column explains and how far its interval reaches, alone and beyond the others (G, 4)."""
    cells = table[[name for bits in BITS for name in (bits, f"{bits}_se")]].to_numpy(dtype=float)
    return cells * [1, EACH_WAY, 1, EACH_WAY]


def test_bits_of_columns(good, folder, subject):
    wanted = amounts(good.column_table)
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(amounts(pd.read_csv(folder / "columns.csv")), wanted)
    record = json.loads((folder / "summary.json").read_text())["columns"]
    np.testing.assert_allclose(amounts(pd.DataFrame(record)), wanted)
    for text in (good.summary(), (folder / "summary.txt").read_text()):
        for name, row in zip(good.column_table["column"], wanted, strict=True):
            line = next(line for line in text.splitlines() if line.split()[:1] == [name])
            told = [float(number) for number in re.findall(r"-?\d+\.\d\d(?!\d)", line)]
            np.testing.assert_allclose(told, row, atol=0.00501)
    page = tables.column_table(subject)
    places = [page.head.index("bits alone"), page.head.index("beyond the others")]
    told = [[row[at + step] for at in places for step in (0, 1)] for row in page.rows]
    np.testing.assert_allclose(told, wanted)
    assert [page.head[at + 1] for at in places] == ["± 95 %"] * 2
    notebook = good._repr_html_()
    for name in BITS:
        for bits, error in good.column_table[[name, f"{name}_se"]].to_numpy():
            assert with_interval(bits, error) in notebook


def test_bars_of_columns_and_blocks(good, subject):
    wanted = amounts(good.column_table)
    for at, bars in enumerate(bars_of(good.plot.columns(), axis=0)):
        np.testing.assert_allclose(bars, wanted[:, 2 * at + 1 : 2 * at + 2] * [-1, 1] + wanted[:, 2 * at, None])
    chart = explanation_panels(subject)["columns"].figure
    drawn = [part.data_source.data for part in chart.renderers if "low" in part.data_source.data][::2]
    for at, data in enumerate(drawn):
        ends = np.column_stack((data["low"], data["high"]))
        np.testing.assert_allclose(ends, wanted[:, 2 * at + 1 : 2 * at + 2] * [-1, 1] + wanted[:, 2 * at, None])
    s = good.scores
    reach = EACH_WAY * s.bits_se_by_block_test
    ends = np.column_stack((s.bits_by_block_test - reach, s.bits_by_block_test + reach))
    np.testing.assert_allclose(np.concatenate(bars_of(good.plot.bits(), axis=1)), ends)
    [data, *_] = [
        part.data_source.data
        for part in explanation_panels(subject)["bits"].figure.renderers
        if "low" in part.data_source.data
    ]
    np.testing.assert_allclose(np.column_stack((data["low"], data["high"])), ends)


def bars_of(figure, axis):
    """The ends of the error bars of a figure, one array for each series."""
    bars = [part for part in figure.axes[0].containers if part.has_xerr or part.has_yerr]
    return [np.array([line[:, axis] for line in part.lines[2][0].get_segments()]) for part in bars]


def test_scores(good, folder, subject):
    s = good.scores
    told = with_interval(s.bits_test, s.bits_se_test)
    assert f"Features explain {told} bits per vertex" in " ".join(good.summary().split())
    assert told in repr(s)
    assert told in s._repr_html_()
    assert any(told in text for text in subject.answer)
    assert json.loads((folder / "summary.json").read_text())["scores"]["bits_test"] == s.bits_test
    page = {row[0]: row[2] for row in tables.score_table(subject).rows}
    assert page["± 95 %"] == EACH_WAY * s.bits_se_test


def test_weights(good, folder, subject):
    table = tables.weight_table(subject)
    assert "95 %" in table.caption
    told = {(row[0], row[1]): row[2] for row in table.rows}
    ranked = pd.read_csv(folder / "ranking.csv")
    for row in ranked.itertuples():
        assert told[row.feature, row.block] == pytest.approx(row.centred_mean)
    shown = good.summary()
    for block, found in enumerate(subject.apart):
        for one in found[:1]:
            assert told[one.feature, block] == pytest.approx(one.weight)
            assert f"{one.weight:+.2f}" in shown


def test_every_interval_on_the_page_is_95_percent(good, tmp_path):
    good.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8").partition('<script type="application/json"')[0]
    assert "standard error</button>" not in page  # no column of them
    assert "standard error</th>" not in page
    assert "± 95 %" in page
    assert not re.search(r"\b(90|99|89|94|68) % interval", page)
