"""Reports in a real browser: they load alone, run nothing of the data, and do what they say."""

import base64
import time
from dataclasses import replace

import numpy as np
import pytest

import ffbm
from ffbm.report.heatmaps import AT_NIGHT
from ffbm.types.tree import Tree, TreeNode

from .conftest import EVIL, open_page, short_fit

DEEP = """
const found = [];
const walk = (node) => {
  if (node.shadowRoot) walk(node.shadowRoot);
  if (node.classList && node.classList.contains("bk-tooltip-content")) found.push(node.textContent);
  for (const child of node.children || []) walk(child);
};
walk(document.body);
return found.join("|");
"""

PLACE = """
const chart = Bokeh.documents[arguments[1]].roots()[0];
document.getElementById(arguments[2]).scrollIntoView({ block: "center", behavior: "instant" });
const view = [...Bokeh.index.roots].find((one) => one.model === chart);
const corner = view.canvas_view.el.getBoundingClientRect();
const [x, y] = arguments[0];
return [view.frame.x_scale.compute(x) + corner.left, view.frame.y_scale.compute(y) + corner.top].map(Math.round);
"""

VERTEX = """
const source = Bokeh.documents[1].get_model_by_name("vertices");
const i = Array.from(source.get("id")).indexOf(arguments[0]);
return [source.get("x")[i], source.get("y")[i]];
"""


ZOOM = """
const done = arguments[0], times = [], ranges = [Bokeh.documents[1].roots()[0]].flatMap((c) => [c.x_range, c.y_range]);
const whole = ranges.map((r) => [r.start, r.end]);
document.getElementById("fig-network").scrollIntoView({ block: "center", behavior: "instant" });
const step = (now) => {
  times.push(now);
  if (times.length > 60) return done(times.slice(1).map((t, k) => t - times[k]));
  const half = (1 - 0.8 * Math.sin(Math.PI * times.length / 60)) / 2;
  ranges.forEach((r, k) => {
    const [a, b] = whole[k], middle = (a + b) / 2;
    r.setv({ start: middle - half * (b - a), end: middle + half * (b - a) });
  });
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""


def until(ask, wanted=bool):
    deadline = time.monotonic() + 10
    while not wanted(found := ask()):
        assert time.monotonic() < deadline, found
        time.sleep(0.03)
    return found


def point(browser, place, figure, number, click=False):
    """Put the pointer at a place of a figure, in its own coordinates."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    x, y = browser.execute_script(PLACE, place, number, f"fig-{figure}")
    for near in (3, 0):  # a move, not a jump
        action = ActionBuilder(browser, duration=10)
        action.pointer_action.move_to_location(x + near, y)
        if click and not near:
            action.pointer_action.click()
        action.perform()


def said(browser):
    return browser.find_element("id", "said").text


def lit(browser):
    return int(browser.execute_script("return document.documentElement.dataset.lit"))


def type_in(browser, name, text):
    """Put text in a field as typing does, also text that a driver cannot type."""
    browser.execute_script(
        "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('input', { bubbles: true }));",
        name,
        text,
    )


@pytest.fixture
def opened(browser, page):
    """The hostile report in the browser, just loaded."""
    requests, errors = open_page(browser, page)
    assert requests == {page.as_uri()}
    assert errors == []
    return browser


def test_hostile_names_are_text_and_run_nothing(opened, evil):
    assert opened.find_element("tag name", "h1").text == EVIL[0]
    cells = opened.execute_script(
        "return [...document.querySelectorAll('#network td:first-child')].map((cell) => cell.textContent)"
    )
    assert cells == [*EVIL[:8], "a\\u2028b\\u202ec", EVIL[9], *map(str, evil.network.node_ids[len(EVIL) :])]
    place = opened.execute_script(VERTEX, EVIL[1])
    point(opened, place, "network", 1)
    tip = until(lambda: opened.execute_script(DEEP))
    assert EVIL[1] in tip
    type_in(opened, "find-vertex", EVIL[0])
    assert said(opened).startswith(f"Vertex {EVIL[0]}: ")
    assert opened.execute_script("return window.harmed") is None
    assert opened.execute_script("return document.querySelectorAll('main script, main img').length") == 0


def test_pointing_at_a_vertex_tells_of_it(opened, evil):
    i = 20
    point(opened, opened.execute_script(VERTEX, "v20"), "network", 1)
    tip = until(lambda: opened.execute_script(DEEP))
    assert "vertex: v20" in tip
    assert f"block: {evil.memberships.labels[i]}" in tip
    assert "features: " in tip


def test_a_click_on_a_vertex_lights_its_neighbours(opened, evil):
    graph = evil.network.graph
    i = list(evil.network.node_ids).index("v20")
    near = np.unique(graph.indices[graph.indptr[i] : graph.indptr[i + 1]])
    point(opened, opened.execute_script(VERTEX, "v20"), "network", 1, click=True)
    until(lambda: said(opened), lambda text: text.startswith("Vertex v20: "))
    assert lit(opened) == 1 + len(near)
    assert f"; {graph.degrees[i]} edges; " in said(opened)
    opened.find_element("id", "zoom-all").click()
    assert lit(opened) == evil.network.n_nodes


def test_a_block_is_lit_by_its_button_from_the_keyboard_too(opened, evil):
    from selenium.webdriver.common.keys import Keys

    button = opened.find_elements("css selector", ".block")[1]
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert lit(opened) == evil.memberships.sizes[1]
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "false"
    assert lit(opened) == evil.network.n_nodes


def test_search_of_vertices_and_features(opened, evil):
    type_in(opened, "find-vertex", "v3")
    assert "10 vertices have" in said(opened)
    type_in(opened, "find-vertex", "no such")
    assert said(opened) == 'No vertex has "no such" in its id.'
    name = evil.ranking.kept[0]
    type_in(opened, "find-feature", name)
    x = evil.network.features.values[:, evil.network.features.names.index(name)]
    assert lit(opened) == int((np.asarray(x.todense() if hasattr(x, "todense") else x) > 0).sum())
    assert said(opened).startswith(f"{name}: ")


def test_a_click_on_a_feature_of_the_ranking_shows_its_vertices(opened, evil):
    name = evil.ranking.kept[1]
    buttons = opened.find_elements("css selector", "#ranking button.feature")
    [wanted] = [button for button in buttons if button.get_attribute("textContent") == name]
    opened.execute_script("arguments[0].click()", wanted)
    assert said(opened).startswith(f"{name}: ")
    x = evil.network.features.values[:, evil.network.features.names.index(name)]
    assert lit(opened) == int((np.asarray(x.todense() if hasattr(x, "todense") else x) > 0).sum())
    assert opened.find_element("id", "find-feature").get_attribute("value") == name


def test_zoom_changes_what_is_seen(opened):
    ask = "const range = Bokeh.documents[1].roots()[0].x_range; return range.end - range.start"
    before = opened.execute_script(ask)
    opened.find_element("id", "zoom-in").click()
    assert opened.execute_script(ask) == pytest.approx(0.7 * before)
    opened.find_element("id", "zoom-all").click()
    assert opened.execute_script(ask) == pytest.approx(before)


def test_weights_tell_their_interval(opened, evil):
    point(opened, [1, 0], "heatmap", 2)
    tip = until(lambda: opened.execute_script(DEEP))
    first = evil.ranking.order[0]
    assert f"weight: {evil.ranking.centred_mean[1, first]:+.2f}" in tip
    assert "95 % interval: " in tip


def test_the_ranking_sorts_and_filters(opened, evil):
    column = "return [...document.querySelectorAll('#ranking tbody tr')].filter((r) => !r.hidden)"
    numbers = f"{column}.map((r) => Number(r.cells[2].dataset.v))"
    head = opened.find_elements("css selector", "#ranking th")[2]
    button = head.find_element("tag name", "button")
    button.click()
    scores = np.sort(evil.ranking.scores)
    np.testing.assert_allclose(opened.execute_script(numbers), scores)
    assert head.get_attribute("aria-sort") == "ascending"
    button.click()
    np.testing.assert_allclose(opened.execute_script(numbers), scores[::-1])
    field = opened.find_element("css selector", "#network .filter")
    opened.execute_script("document.querySelector('#network details').open = true")
    field.send_keys("duck")
    rows = opened.execute_script(
        "const rows = [...document.querySelectorAll('#network tbody tr')].filter((r) => !r.hidden);"
        "return rows.map((r) => r.cells[0].textContent)"
    )
    assert rows == ["🦆 duck"]


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_width_and_theme(browser, page, width, theme, tmp_path):
    requests, errors = open_page(browser, page, width, theme)
    assert (requests, errors) == ({page.as_uri()}, [])
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    back = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert back == ("rgb(255, 255, 255)" if theme == "light" else "rgb(21, 23, 26)")
    ink = browser.execute_script("return Bokeh.documents[3].roots()[0].left[0].major_label_text_color")
    assert ink == ("#4d4d4d" if theme == "light" else "#d5d9de")
    assert browser.execute_script("return [...document.querySelectorAll('.figure')].every((f) => f.offsetHeight > 100)")


def test_it_prints(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    shown = opened.execute_script(
        """const seen = (one) => one.offsetParent !== null;
           return [[...document.querySelectorAll("button.block, input, summary, #said")].filter(seen).length,
                   [...document.querySelectorAll(".figure")].filter(seen).length]"""
    )
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert shown == [0, len(opened.find_elements("css selector", ".figure"))]
    pdf = base64.b64decode(opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF")


def test_everything_has_a_name_and_a_table(opened):
    unnamed = opened.execute_script(
        """return [...document.querySelectorAll("button, input, [role=img], [role=region]")].filter((one) =>
             !(one.getAttribute("aria-label") || one.textContent.trim() || one.closest("label"))).length"""
    )
    assert unnamed == 0
    bare = opened.execute_script(
        """return [...document.querySelectorAll("figure")].filter((one) => !one.querySelector("details.plain table"))
             .map((one) => one.querySelector(".figure").id)"""
    )
    assert bare == ["fig-ranking"]  # whose table stands open right below it
    assert opened.execute_script("return document.querySelector('#ranking figure + .scroll table') !== null")


def test_every_stop_of_the_tab_key_has_a_name(opened):
    from selenium.webdriver.common.keys import Keys

    ask = """const one = document.activeElement;
             const label = one.labels && one.labels.length ? one.labels[0] : one;
             return [one.id, (one.getAttribute("aria-label") || label.textContent).trim(), one.tagName]"""
    stops = []
    while not stops or stops[-1][2] != "BODY":
        opened.switch_to.active_element.send_keys(Keys.TAB)
        stops.append(opened.execute_script(ask))
        assert len(stops) < 200
    assert [stop for stop in stops if not stop[1]] == []
    ids = [name for name, _, _ in stops]
    assert {"find-vertex", "find-feature", "zoom-in", "zoom-out", "zoom-all", "fig-network"} <= set(ids)
    assert sum(tag == "SUMMARY" for _, _, tag in stops) == len(opened.find_elements("tag name", "summary"))


def test_the_network_moves_and_zooms_from_the_keyboard(opened):
    ask = "const c = Bokeh.documents[1].roots()[0]; return [c.x_range, c.y_range].map((r) => [r.start, r.end])"
    figure = opened.find_element("id", "fig-network")
    opened.execute_script("arguments[0].focus()", figure)
    (left, right), (low, high) = opened.execute_script(ask)
    for key, x, y in (("\ue014", 1 / 8, 0), ("\ue012", 0, 0), ("\ue013", 0, 1 / 8), ("\ue015", 0, 0)):  # arrows
        figure.send_keys(key)
        found = opened.execute_script(ask)
        np.testing.assert_allclose(found[0], np.array([left, right]) + x * (right - left))
        np.testing.assert_allclose(found[1], np.array([low, high]) + y * (high - low))
    figure.send_keys("+")
    (near, far), _ = opened.execute_script(ask)
    assert far - near == pytest.approx(0.7 * (right - left))


@pytest.mark.parametrize(("with_ctrl", "zooms"), [(True, True), (False, False)])
def test_the_wheel_zooms_with_ctrl_and_else_moves_the_page(opened, with_ctrl, zooms):
    ask = "const range = Bokeh.documents[1].roots()[0].x_range; return range.end - range.start"
    x, y = opened.execute_script(PLACE, opened.execute_script(VERTEX, "v20"), 1, "fig-network")
    before, top = opened.execute_script(ask), opened.execute_script("return scrollY")
    turn = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -120, "modifiers": 2 * with_ctrl}
    opened.execute_cdp_cmd("Input.dispatchMouseEvent", turn)
    if zooms:
        until(lambda: opened.execute_script(ask), lambda width: width < before)
        assert opened.execute_script("return scrollY") == top
    else:
        until(lambda: opened.execute_script("return scrollY"), lambda now: now < top)
        assert opened.execute_script(ask) == before


def test_what_colours_say_is_written_too(opened, evil):
    texts = """const chart = Bokeh.documents[arguments[0]].roots()[0];
               const one = chart.renderers.find((r) => r.glyph.type === "Text");
               const field = one.glyph.text.field;
               return Array.from(one.data_source.get(field)).map(String)"""
    ranking = evil.ranking
    assert opened.execute_script(texts, 3) == [str(b) for b in ranking.table["block"]]
    signs = opened.execute_script(texts, 2)
    assert set(signs) <= {"+", "−"}
    assert signs.count("+") == signs.count("−") > 0  # two blocks: what is more in one is less in the other


def test_a_large_network_is_a_graph_of_blocks(browser, tmp_path, monkeypatch, evil):
    from ffbm.report import network

    monkeypatch.setattr(network, "MOST_NODES", 20)
    path = tmp_path / "large.html"
    evil.report(path)
    requests, errors = open_page(browser, path)
    assert (requests, errors) == ({path.as_uri()}, [])
    assert browser.find_elements("id", "find-vertex") == []
    chart = browser.execute_script(
        "const r = Bokeh.documents[1].roots()[0].renderers.find((one) => one.glyph.type === 'Scatter');"
        "return [r.data_source.get('x')[1], r.data_source.get('y')[1]]"
    )
    point(browser, chart, "block_graph", 1)
    tip = until(lambda: browser.execute_script(DEEP))
    assert f"vertices: {evil.memberships.sizes[1]}" in tip


@pytest.mark.slow
def test_a_network_of_facebooks_size_is_small_and_quick(browser, tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 10, 747)
    i, j = np.triu_indices(747, 1)
    chance = np.where(labels[i] == labels[j], 8.0, 1.0)
    some = rng.choice(len(i), 30_025, replace=False, p=chance / chance.sum())
    flags = (rng.random((747, 480)) < 0.05).astype(float)
    net = ffbm.as_network(np.column_stack((i[some], j[some])), flags)
    found = short_fit(net, n_blocks="auto", blocks=labels, n_kept=10, n_draws=20)
    path = tmp_path / "size.html"
    found.report(path)
    assert path.stat().st_size < 8e6
    requests, errors = open_page(browser, path)
    assert (requests, errors) == ({path.as_uri()}, [])
    assert browser.execute_script("return performance.getEntriesByName('ready')[0].startTime") < 3000
    frames = browser.execute_async_script(ZOOM)
    assert np.median(frames) < 60  # milliseconds, over a zoom in and out of 60 steps


BROKEN = """
const broken = [];
for (const one of document.querySelectorAll("h1, h2, h3, p, li, th, td, dt, .block, .mark span")) {
  for (const node of one.childNodes) {
    if (node.nodeType !== 3 || !one.offsetParent) continue;
    for (const text of node.data.matchAll(/\\S+/g)) {
      if (text[0].length > 20) continue;  // there may be no room for it
      for (const word of text[0].matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange(), at = text.index + word.index;
        range.setStart(node, at);
        range.setEnd(node, at + word[0].length);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
        if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
      }
    }
  }
}
return broken;
"""


def test_no_word_is_broken_on_a_phone(browser, page):
    open_page(browser, page, 390)
    browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.execute_script(BROKEN) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_tree_and_links_fit_any_screen(browser, page):
    open_page(browser, page, 390, "dark")
    width, link, text = browser.execute_script(
        """const tree = document.createElement("ul"), split = document.createElement("li");
           tree.className = "tree";
           split.style.marginLeft = "2.8rem";
           split.textContent = "[0] 115 vertices into " + "block 0 (15), ".repeat(30) + "x".repeat(100);
           tree.append(split);
           document.querySelector("#answer").append(tree);
           const colour = (one) => getComputedStyle(one).color;
           return [document.documentElement.scrollWidth, colour(document.querySelector("#answer a")),
                   colour(document.querySelector("summary"))]"""
    )
    assert width <= 390
    assert link == text  # not the browser's own dark blue


def test_a_group_of_the_tree_is_lit_by_a_click(browser, evil, tmp_path):
    told = {"support": 1.0, "nats": 9.0, "bits": 0.5, "bits_se": 0.1, "columns": ((EVIL[0], 1.0),)}
    nodes = (TreeNode(0, 1, None, (1, 2), **told), TreeNode(1, 0, 0, block=0), TreeNode(2, 0, 0, block=1))
    replace(evil, hierarchy=Tree(nodes, evil.memberships.labels, 1.0)).report(tmp_path / "tree.html")
    open_page(browser, tmp_path / "tree.html", 390)
    bars = browser.find_elements("css selector", ".bar")
    assert EVIL[0] in bars[0].text
    widths = [bar.size["width"] for bar in bars]
    assert widths[1] / widths[0] == pytest.approx(evil.memberships.sizes[0] / evil.network.n_nodes, abs=0.02)
    bars[1].click()
    assert lit(browser) == evil.memberships.sizes[0]
    assert "block 0 (" in browser.find_element("id", "said").text
    bars[1].click()
    assert lit(browser) == evil.network.n_nodes
    assert browser.execute_script("return window.harmed") is None
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


CELLS = """
return [...Bokeh.documents].flatMap((one) => [...one.roots()].flatMap((root) => [...root.references()])).filter(
  (model) => /ColorMapper$/.test(model.type) || (model.type === "GlyphRenderer" && model.name === "cells")
).map((model) => model.palette ? [...model.palette].map(String) : model.glyph.text_color.field);
"""


FIGURES = """
const deep = (node, name) => [...(node.shadowRoot ? deep(node.shadowRoot, name) : []), ...[...node.children].flatMap(
  (child) => [...(child.classList.contains(name) ? [child] : []), ...deep(child, name)])];
const box = (one) => { const r = one.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom]; };
const place = document.getElementById("fig-columns");
const models = [...Bokeh.documents].flatMap((one) => [...one.roots()].flatMap((root) => [...root.references()]));
return {
  legend: deep(place, "bk-Legend").map(box), figure: box(place),
  signs: models.filter((one) => one.type === "GlyphRenderer" && one.name === "cells").map((one) => one.visible),
  dots: models.filter((one) => one.name === "dots").map((one) => one.glyph.size.value),
  bars: models.filter((one) => one.type === "ColorBar").length,
  ticks: models.filter((one) => one.type === "ColorBar").map(
    (one) => Object.fromEntries([...one.major_label_overrides])),
};
"""


def test_legend_signs_and_vertices_on_a_phone(browser, page):
    open_page(browser, page)
    wide = browser.execute_script(FIGURES)
    open_page(browser, page, 390)
    narrow = browser.execute_script(FIGURES)
    for found in (wide, narrow):
        left, right, top, bottom = found["figure"]
        assert [left <= a < b <= right and top <= c < d <= bottom for a, b, c, d in found["legend"]] == [True]
        assert found["signs"] == [True] * 2  # of two blocks there is room for all that is written on cells
        assert found["bars"] == 2  # the scales of weights and of edges
        edges = next(ticks for ticks in found["ticks"] if ticks)
        assert all(text == f"{float(tick):g}" for tick, text in edges.items())  # 0.01, not 1.000e-2
    assert narrow["dots"][0] < wide["dots"][0]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_cells_take_the_colours_of_the_page(browser, page, theme):
    open_page(browser, page, 800, theme)
    found = browser.execute_script(CELLS)
    palettes = [one for one in found if isinstance(one, list)]
    inks = {one for one in found if isinstance(one, str)}
    wanted = {("light", palette) for palette in AT_NIGHT} | {("dark", night) for night in AT_NIGHT.values()}
    assert len(palettes) >= 2
    assert {(theme, tuple(palette)) for palette in palettes} <= wanted
    assert inks == {"ink" if theme == "light" else "night"}
