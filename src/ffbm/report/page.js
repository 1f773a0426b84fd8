"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const items = JSON.parse(document.getElementById("figures").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawn = {};

  // Figures take the colours of the page: text, lines of axes, and blocks whose colour is too dark to see on it.
  const lifted = { "#0072b2": "#3d9fdb", "#7f3b08": "#c8834b", "#002d9c": "#7391ff", "#aa4466": "#d3718f", "#1b3a4b": "#7fb2cc", "#00695c": "#3fb8a5", "#7a7a7a": "#a8a8a8" };
  const lowered = Object.fromEntries(Object.entries(lifted).map(([a, b]) => [b, a]));
  function lift(source, isDark) {
    const to = isDark ? lifted : lowered, change = {};
    for (const name of source.columns()) {
      const column = source.get(name);
      if (Array.isArray(column) && column.some((value) => Object.hasOwn(to, value))) change[name] = column.map((value) => to[value] ?? value);
    }
    if (Object.keys(change).length) source.data = { ...Object.fromEntries(source.columns().map((c) => [c, source.get(c)])), ...change };
  }
  function paint(root, isDark) {
    const ink = isDark ? "#d5d9de" : "#4d4d4d", line = isDark ? "#6d747d" : "#8a8a8a";
    for (const model of root.references()) {
      if (/Axis$/.test(model.type)) {
        model.setv({ axis_label_text_color: ink, major_label_text_color: ink, axis_line_color: line, major_tick_line_color: line });
      }
      if (model.type === "ColumnDataSource") lift(model, isDark);
      if (model.type === "Line") {
        const to = (isDark ? lifted : lowered)[model.line_color.value];
        if (to) model.setv({ line_color: { value: to } });
      }
      if (model.type === "Legend") model.setv({ label_text_color: ink });
      if (model.type === "ColorBar") model.setv({ title_text_color: ink, major_label_text_color: ink });
      if (/ColorMapper$/.test(model.type) && model.tags.length) model.setv({ palette: model.tags[Number(isDark)] });
      if (model.type === "GlyphRenderer" && model.glyph.type === "Text" && model.name !== "fixed") {
        model.glyph.setv({ text_color: model.name === "cells" ? { field: isDark ? "night" : "ink" } : ink });
      }
    }
  }

  document.querySelector('a[href="#words"]').addEventListener("click", () => { document.getElementById("words").open = true; });

  // The tab key does not stop inside a figure, where bokeh names nothing.
  function passOver(node) {
    if (node.tabIndex >= 0) node.tabIndex = -1;
    if (node.shadowRoot) [...node.shadowRoot.children].forEach(passOver);
    [...node.children].forEach(passOver);
  }

  // On a phone there is room for few numbers below a figure.
  function thinOut(axis) {
    if (!/Axis$/.test(axis.type)) return;
    const { ticks, desired_num_ticks: wanted } = axis.ticker, step = ticks ? Math.ceil(ticks.length / 10) : 1;
    if (step > 1) axis.ticker.setv({ ticks: Array.from(ticks).filter((_, i) => i % step === 0) });
    else if (wanted) axis.ticker.setv({ desired_num_ticks: 3 });
  }

  // Nor for a sign on cells that are narrower than it.
  function dropSigns(chart) {
    for (const one of chart.renderers) if (one.name === "cells" && chart.x_range.end - chart.x_range.start > 16) one.setv({ visible: false });
  }

  // Vertices and blocks are smaller there, so that they hide nothing; how large blocks are stands in the table.
  function shrink(chart) {
    chart.setv({ height: 420 });
    for (const one of chart.renderers) {
      if (one.name === "dots") one.glyph.setv({ size: { value: Math.max(4, 0.6 * one.glyph.size.value) } });
      if (one.name === "sizes") one.setv({ visible: false });
      if (one.name === "discs") {
        const source = one.data_source, sizes = Array.from(source.get("size"), (size) => 20 + 0.3 * size);
        source.data = { ...Object.fromEntries(source.columns().map((c) => [c, source.get(c)])), size: sizes };
      }
    }
  }

  async function drawAll() {
    document.fonts && await document.fonts.ready;
    Bokeh.set_log_level && Bokeh.set_log_level("error");
    for (const [name, item] of Object.entries(items)) {
      const place = document.getElementById(`fig-${name}`);
      if (!place) continue;
      await Bokeh.embed.embed_item(item, place.id);
      const document_ = Bokeh.documents[Bokeh.documents.length - 1];
      drawn[name] = document_;
      [...place.children].forEach(passOver);
      paint(document_.roots()[0], dark.matches);
      if (innerWidth < 600) {
        document_.roots()[0].below.forEach(thinOut);
        dropSigns(document_.roots()[0]);
      }
      if ((name === "network" || name === "block_graph") && innerWidth < 600) shrink(document_.roots()[0]);
      if (name === "network" && data.edges) startNetwork(document_);
      await new Promise((done) => setTimeout(done, 0));  // the page stays awake between figures
    }
    performance.mark("ready");
    document.documentElement.dataset.ready = "yes";
  }
  const repaint = (isDark) => Object.values(drawn).forEach((d) => paint(d.roots()[0], isDark));
  dark.addEventListener("change", () => repaint(dark.matches));
  addEventListener("beforeprint", () => repaint(false));
  addEventListener("afterprint", () => repaint(dark.matches));

  function startNetwork(document_) {
    const source = document_.get_model_by_name("vertices"), own = document_.get_model_by_name("own-edges");
    const chart = document_.roots()[0];
    const said = document.getElementById("said"), first = said.textContent;
    const findVertex = document.getElementById("find-vertex"), findFeature = document.getElementById("find-feature");
    const buttons = [...document.querySelectorAll(".block")];
    const ids = Array.from(source.get("id")), blocks = Array.from(source.get("block"));
    const full = Array.from(source.get("full")), x = Array.from(source.get("x")), y = Array.from(source.get("y"));
    const place = new Map(ids.map((id, i) => [id, i]));
    let shown = null;

    const count = (n, one, more) => `${n} ${n === 1 ? one : more}`, vertices = (n) => count(n, "vertex", "vertices");
    function show(isOn, edges, text, block) {
      const change = { full: full.map((a, i) => (isOn(i) ? a : a * 0.06)), shown: full.map((_, i) => (isOn(i) ? 1 : 0.12)) };
      source.data = { ...Object.fromEntries(source.columns().map((c) => [c, source.get(c)])), ...change };
      const lines = { x0: [], y0: [], x1: [], y1: [] };
      for (const [i, j] of edges) { lines.x0.push(x[i]); lines.y0.push(y[i]); lines.x1.push(x[j]); lines.y1.push(y[j]); }
      own.data = lines;
      said.textContent = text;
      for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.block) === block));
      document.documentElement.dataset.lit = String(full.filter((_, i) => isOn(i)).length);
    }
    function clear() {
      shown = null;
      show(() => true, [], first, null);
    }
    function showVertex(i) {
      const near = new Set([i]), edges = [];
      for (let e = 0; e < data.edges.length; e += 2) {
        const a = data.edges[e], b = data.edges[e + 1];
        if (a === i || b === i) { near.add(a); near.add(b); edges.push([a, b]); }
      }
      shown = `v${i}`;
      show((k) => near.has(k), edges, `Vertex ${ids[i]}: ${source.get("members")[i]}; ${count(edges.length, "edge", "edges")}; features: ${source.get("features")[i]}.`, null);
    }
    function showBlock(r) {
      if (shown === `b${r}`) return clear();
      shown = `b${r}`;
      show((i) => blocks[i] === r, [], `Block ${data.names[r]}: ${vertices(data.sizes[r])}.`, r);
    }
    function showFeature(name) {
      const which = new Set(data.features[name]);
      shown = `f${name}`;
      const counts = data.sizes.map((n, r) => [[...which].filter((i) => blocks[i] === r).length, n, r]).filter((c) => c[0]);
      const parts = counts.map(([k, n, r]) => `${k} of ${n} in block ${data.names[r]}`).join(", ");
      show((i) => which.has(i), [], `${name}: ${vertices(which.size)} with it (of a number: more than the mean); ${parts || "none"}.`, null);
    }

    function showGroup(bar) {
      if (shown === `t${bar.dataset.blocks}`) return clear();
      const which = new Set(bar.dataset.blocks.split(" ").map(Number));
      shown = `t${bar.dataset.blocks}`;
      show((i) => which.has(blocks[i]), [], `${bar.title}.`, which.size === 1 ? [...which][0] : null);
      document.getElementById("fig-network").scrollIntoView({ block: "nearest" });
    }

    document.querySelectorAll(".bar[data-blocks]").forEach((bar) => {
      bar.classList.add("lights");
      bar.addEventListener("click", () => showGroup(bar));
    });
    buttons.forEach((button) => button.addEventListener("click", () => showBlock(Number(button.dataset.block))));
    findVertex.addEventListener("input", () => {
      const wanted = findVertex.value;
      if (!wanted) return clear();
      if (place.has(wanted)) return showVertex(place.get(wanted));
      const like = ids.filter((id) => id.toLowerCase().includes(wanted.toLowerCase()));
      if (like.length === 1) showVertex(place.get(like[0]));
      else said.textContent = like.length ? `${like.length} vertices have "${wanted}" in their id: go on typing.` : `No vertex has "${wanted}" in its id.`;
    });
    findFeature.addEventListener("input", () => {
      if (!findFeature.value) clear();
      else if (Object.hasOwn(data.features, findFeature.value)) showFeature(findFeature.value);
    });
    // A feature in the ranking is a button that shows its vertices; from the keyboard the field does the same.
    for (const cell of document.querySelectorAll("[id^=ranking] tbody td")) {
      const name = cell.textContent;
      if (!Object.hasOwn(data.features, name) || cell.cellIndex !== 1) continue;
      const button = document.createElement("button");
      button.className = "feature";
      button.tabIndex = -1;
      button.textContent = name;
      button.title = "show its vertices in the network";
      button.addEventListener("click", () => {
        findFeature.value = name;
        showFeature(name);
        document.getElementById("fig-network").scrollIntoView({ block: "nearest" });
      });
      cell.replaceChildren(button);
    }
    source.selected.change.connect(() => {
      const [i] = source.selected.indices;
      if (i === undefined) { if (shown && shown[0] === "v") clear(); } else showVertex(i);
    });

    const ranges = [chart.x_range, chart.y_range];
    let whole = null;
    function zoom(by) {
      whole ??= ranges.map((r) => [r.start, r.end]);
      ranges.forEach((r) => {
        const middle = (r.start + r.end) / 2, half = (r.end - r.start) / 2 * by;
        r.setv({ start: middle - half, end: middle + half });
      });
    }
    function move(right, up) {
      whole ??= ranges.map((r) => [r.start, r.end]);
      ranges.forEach((r, k) => {
        const by = [right, up][k] * (r.end - r.start) / 8;
        r.setv({ start: r.start + by, end: r.end + by });
      });
    }
    const keys = {
      ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, 1), ArrowDown: () => move(0, -1),
      "+": () => zoom(0.7), "-": () => zoom(1 / 0.7),
    };
    document.getElementById("fig-network").addEventListener("keydown", (event) => {
      if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    document.getElementById("zoom-in").addEventListener("click", () => zoom(0.7));
    document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.7));
    document.getElementById("zoom-all").addEventListener("click", () => {
      if (whole) ranges.forEach((r, k) => r.setv({ start: whole[k][0], end: whole[k][1] }));
      findVertex.value = findFeature.value = "";
      source.selected.indices = [];
      clear();
    });
  }

  // The sentence for a results section: to the clipboard, or selected where a page may not write to it.
  const copy = document.getElementById("copy");
  copy && copy.addEventListener("click", async () => {
    const sentence = document.getElementById("sentence"), copied = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(sentence.textContent.replaceAll("\u00a0", " "));
      copied.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(sentence);
      copied.textContent = "Selected: copy it with Ctrl+C.";
    }
  });

  // Tables: a click on a head sorts, text in the field above filters.
  function sortBy(table, column, head) {
    const down = head.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => {
      const cell = row.cells[column];
      return [row, cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)];
    });
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
      : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b, undefined, { numeric: true }));
    keyed.sort(([, a], [, b]) => {
      const missing = (a === "–") - (b === "–");  // last either way
      return missing || (down ? -compare(a, b) : compare(a, b));
    });
    body.append(...keyed.map(([row]) => row));
  }
  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("th").forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => sortBy(table, column, head));
    });
  });
  document.querySelectorAll("input.filter").forEach((field) => {
    const rows = [...field.closest(".scroll").querySelectorAll("tbody tr")];
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
    });
  });

  drawAll().catch((error) => {
    console.error(error);
    document.querySelectorAll("details.plain").forEach((d) => { d.open = true; });  // the tables say the same
  });
})();
