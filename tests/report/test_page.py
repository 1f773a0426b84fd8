"""What a page says, and how its text is kept text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.plots.palette import ink_on
from ffbm.report.figurestyle import DEEPER, OUTLINE, hollow
from ffbm.report.heatmaps import AT_NIGHT, BLUE_RED, GREENS
from ffbm.report.markup import mark_up
from ffbm.report.page import ORDER, bokeh_script, render_page, script_json
from ffbm.report.panels import explanation_panels, network_panels
from ffbm.report.table import Table, write_cell
from ffbm.report.tables import trace_table
from ffbm.results.figures import Plots
from ffbm.results.report import report_text, subject_of

from .conftest import EVIL, short_fit


class Outline(HTMLParser):
    """The sections of a page, its text, and addresses that it asks for."""

    def __init__(self):
        super().__init__()
        self.sections, self.asked, self.text, self.inside = [], [], [], []

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if tag == "section":
            self.sections.append(told["id"])
        self.asked += [told[name] for name in ("src", "href") if told.get(name, "#")[0] not in "#d"]
        if tag in ("script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.text.append(data)


def outline(text):
    found = Outline()
    found.feed(text)
    assert found.inside == []  # no script was ended by its own text
    return found


@pytest.fixture(scope="module")
def told(page):
    return outline(page.read_text(encoding="utf-8"))


def test_sections_stand_in_order(told):
    wanted = [
        "answer",
        "blocks",
        "columns",
        "network",
        "weights",
        "ranking",
        "effects",
        "scores",
        "contrary",
        "matrix",
        "checks",
        "chains",
    ]
    assert told.sections == [*wanted, "origin"]
    assert told.asked == []


def test_the_page_says_first_that_chains_have_not_converged(told, evil):
    assert not evil.converged
    text = " ".join(told.text)
    assert text.index("NOT CONVERGED: too short") < text.index("The answer")


def test_the_same_fit_has_the_same_page(page, evil):
    assert report_text(evil) == page.read_text(encoding="utf-8")


def test_modes_are_told_first_too(evil):
    one = evil.memberships.modes[0]
    half = replace(one, weight=0.5, chains=np.array([1.0, 0.0]))
    other = replace(one, weight=0.5, chains=np.array([0.0, 1.0]), labels=1 - one.labels)
    members = replace(evil.memberships, modes=(half, other))
    text = " ".join(outline(report_text(replace(evil, memberships=members))).text)
    assert 0 < text.index("2 MODES") < text.index("The answer")
    assert "share of each chain" in text


def test_the_answer_names_features_and_what_is_left(told, evil):
    text = " ".join(told.text)
    assert "bits per vertex" in text
    assert "What is left:" in text
    assert "How sure:" in text
    assert evil.ranking.kept[0] in text


def test_one_block_has_nothing_to_explain(evil):
    found = outline(report_text(short_fit(evil.network, n_blocks=1)))
    assert found.sections == ["answer", "network", "matrix", "checks", "chains", "origin"]
    assert "nothing to explain" in " ".join(found.text)
    assert "There is one block, and every edge lies inside it" in " ".join(found.text)


def test_one_block_has_no_figure_that_compares_blocks(evil, monkeypatch):
    one = short_fit(evil.network, n_blocks=1)
    assert "block_matrix" not in report_text(one)
    assert set(Plots.NAMES) - one.plot.left_out() == {"network", "traces", "check"}
    with pytest.raises(DataError, match="one block, of which the figure 'block_matrix' has nothing to show"):
        one.plot.block_matrix()
    monkeypatch.setattr("ffbm.report.network.is_large", lambda scene: True)
    page = report_text(one)
    assert "too large to draw vertex by vertex, and it has one block" in page
    assert 'id="fig-block_graph"' not in page


def test_no_vertex_held_out(evil):
    found = outline(report_text(short_fit(evil.network, train_fraction=1.0)))
    assert "No vertex was held out" in " ".join(found.text)


def test_cut_against_joint(evil):
    joint = short_fit(evil.network, target="joint", n_kept="all")
    found = outline(report_text(evil, joint))
    assert found.sections[-3:] == ["contrast", "chains", "origin"]
    assert "With the features in it" in " ".join(found.text)
    alone = outline(report_text(joint))
    assert "Labels and weights together" in " ".join(alone.text)


@pytest.mark.parametrize("text", EVIL)
def test_json_in_a_script_cannot_end_it(text):
    said = script_json({text: [text, float("nan")]})
    assert json.loads(said) == {text: [text, None]}
    assert not set("<>&\u2028\u2029") & set(said)


def test_bokeh_does_not_end_its_script():
    assert "</script" not in bokeh_script()
    assert "<!--" not in bokeh_script()
    assert len(bokeh_script()) < 2e6


def test_cells():
    rows = [(1, 1234.5678, True, "x"), (np.int64(2), float("nan"), np.bool_(False), None)]
    cells = Table("A", tuple("abcd"), rows).cells
    assert [[cell.text for cell in row] for row in cells] == [["1", "1,234.57", "yes", "x"], ["2", "–", "no", "–"]]
    assert write_cell(float("inf"), 2).text == "∞"
    assert write_cell("a\0b", 2) == ("a\\x00b", None)


def luminance(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def test_contrast_is_at_least_aa():
    style = files("ffbm.report").joinpath("page.css").read_text(encoding="utf-8")
    themes = [dict(re.findall(r"--([\w-]+): (#\w{6})", root)) for root in re.findall(r":root \{([^}]+)\}", style)]
    assert len(themes) == 3  # light, dark, print
    for theme in themes:
        pairs = [(ink, back) for ink in ("ink", "soft", "accent") for back in ("back", "panel")]
        for ink, back in [*pairs, ("warn", "warn-back")]:
            high, low = sorted((luminance(theme[ink]), luminance(theme[back])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, back)


@pytest.mark.parametrize(
    ("name", "said"),
    [("report.txt", "ends in .html"), ("no/report.html", "must exist"), ("folder.html", "is a folder")],
)
def test_places_that_cannot_hold_a_report(evil, tmp_path, name, said):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(OptionError, match=said):
        evil.report(tmp_path / name)


def test_every_block_can_be_seen_on_a_dark_page():
    from ffbm.plots.palette import COLOURS

    script, style = (
        files("ffbm.report").joinpath(name).read_text(encoding="utf-8") for name in ("page.js", "page.css")
    )
    lifted = dict(re.findall(r'"(#\w{6})": "(#\w{6})"', script))
    in_style = dict(re.findall(r'svg\[fill="(#\w{6})"\] \{ fill: (#\w{6})', style))
    assert in_style == {colour: lifted[colour] for colour in COLOURS if colour in lifted}
    dark = luminance("#15171a")
    for colour in COLOURS:
        assert (luminance(lifted.get(colour, colour)) + 0.05) / (dark + 0.05) >= 3, colour


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", [*BLUE_RED, *GREENS, *AT_NIGHT[BLUE_RED], *AT_NIGHT[GREENS]])
def test_text_on_cells_can_be_read(colour):
    assert contrast(ink_on(colour), colour) >= 4.5


@pytest.mark.parametrize("page", ["#ffffff", "#15171a"])
def test_lines_can_be_seen_on_light_and_dark_pages(page):
    for colour in (OUTLINE, *DEEPER.values()):
        assert contrast(colour, page) >= 3, colour


def test_hollow_markers_can_be_seen_on_a_white_page():
    for block in range(10):
        assert contrast(hollow(block), "#ffffff") >= 3, block


def test_a_trace_is_told_in_full_or_at_equal_distances():
    values = np.arange(2000.0).reshape(2, 1000)
    table = trace_table(values, "S")
    assert table.head == ("kept draw", "chain 0", "chain 1")
    assert [tuple(row) for row in (table.rows[0], table.rows[-1])] == [(0, 0, 1000), (999, 999, 1999)]
    assert (len(table.rows), table.left_out) == (100, "100 of 1,000 draws; all are in traces.nc of the run.")
    assert trace_table(values[:, :7], "S").left_out == ""


def test_a_long_table_prints_its_first_rows(evil):
    rows = [(k,) for k in range(61)]
    contrast = SimpleNamespace(sentences=(), tables=(Table("Long", ("n",), rows, is_long=True),))
    subject = replace(subject_of(evil), contrast=contrast)
    assert "The first 60 rows of 61; the page on a screen has them all." in render_page(subject)


def test_every_figure_is_in_fit_plot_under_its_name(evil):
    subject = subject_of(evil)
    names = {*explanation_panels(subject), *network_panels(subject.scene, evil.blocks)}
    assert {name.partition("-")[0] for name in names} <= set(Plots.NAMES)
    assert names <= set(ORDER)


def test_options_and_commands_are_marked_and_nothing_else_is():
    assert str(mark_up("<b> 95 % a--b --x-y")) == "&lt;b&gt; 95\u00a0% a--b <code>--x-y</code>"
    marked = str(mark_up("It is short. To go on: ffbm fit '<i>' --out r  # about 3 seconds"))
    assert marked == (
        "It is short. To go on: "
        '<code class="command">ffbm fit &#39;&lt;i&gt;&#39; <span>--out</span> r  # about 3 seconds</code>'
    )


def test_many_blocks_are_numbered_so_that_numbers_do_not_touch(tmp_path):
    labels = np.arange(104) % 26
    pairs = [(i, j) for i in range(104) for j in range(i) if labels[i] == labels[j] or (i + j) % 23 == 0]
    net = ffbm.as_network(pairs, pd.DataFrame({"team": np.where(labels % 2, "red", "blue")}), node_ids=range(104))
    page = {}
    for name, blocks in (("many", labels), ("few", labels % 3)):
        short_fit(net, blocks=blocks, n_blocks="auto").report(tmp_path / f"{name}.html")
        page[name] = (tmp_path / f"{name}.html").read_text()
    assert "Numbers are edges" in page["few"]
    assert "Numbers are edges" not in page["many"]
    assert "Colours are edges per pair of vertices" in page["many"]
    assert '"ticks":[0,2,4,6,8,10,12,14,16,18,20,22,24]' in page["many"].replace(" ", "")


def test_nothing_is_dark_and_much_is_bright_on_a_dark_page():
    for palette, night in AT_NIGHT.items():
        assert len(palette) == len(night)
        middle = len(night) // 2 if palette is BLUE_RED else 0  # the cell that says nothing
        light = np.array([luminance(colour) for colour in night])
        assert light.argmin() == middle
        assert (luminance(night[middle]) + 0.05) / (luminance("#15171a") + 0.05) < 1.5
        assert (np.diff(light[middle:]) > 0).all()
        assert (np.diff(light[: middle + 1]) < 0).all()
