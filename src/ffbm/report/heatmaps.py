"""Figures of shaded cells: weights by block, and edges between blocks."""

from typing import Any

import numpy as np

from ffbm.plain import visible
from ffbm.plots.heatmap import NUMBERED, short_count
from ffbm.plots.palette import ink_on
from ffbm.plots.paper import block_ticks
from ffbm.report.charts import ROW, SHOWN, intervals
from ffbm.report.figurestyle import NAME, add_colour_scale, log_ticks, name_axis, new_chart, shades, tell
from ffbm.report.network import edge_counts
from ffbm.report.scene import Scene
from ffbm.report.subject import Subject
from ffbm.types import Array

BLUE_RED = (
    "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b",
    "#67001f",
)  # fmt: skip
GREENS = ("#f7fcf5", "#d5efcf", "#9ed898", "#54b567", "#1d8641", "#00441b")
AT_NIGHT = {  # on a dark page nothing is dark, and much is bright
    BLUE_RED: ("#c6dfff", "#92c2f5", "#5fa2e0", "#3a7fbe", "#2b5782", "#262a30", "#7a3a33", "#b0493f", "#d96a5c",
               "#f09a8d", "#fbcfc7"),
    GREENS: ("#1f2622", "#24452f", "#2c6a41", "#3b9457", "#63bd76", "#a9e3ae"),
}  # fmt: skip


def draw_heat_map(subject: Subject) -> Any:
    """Draw the centred weight of the first features in each block; its sign where the feature sets the block apart."""
    from bokeh.models import ColumnDataSource

    ranking = subject.parts.ranking
    shown = ranking.order[:SHOWN]
    mean = ranking.centred_mean[:, shown]
    low, high = intervals(subject, shown)
    n_blocks, n_shown = mean.shape
    reach = max(float(np.abs(mean).max(initial=0)), 1e-9)
    block, row = (part.ravel() for part in np.indices(mean.shape))
    names = [ranking.names[j] for j in shown]
    marks = ranking.is_clear if subject.marks is None else subject.marks
    clear = marks[:, shown].ravel()
    source = ColumnDataSource(
        {
            "block": block, "row": row, "mean": mean.ravel(), "name": [visible(names[j]) for j in row],
            "weight": [f"{m:+.2f}" for m in mean.ravel()],
            "interval": [f"{a:+.2f} to {b:+.2f}" for a, b in zip(low.ravel(), high.ravel(), strict=True)],
            "said": ["sets it apart" if c else "not clear" for c in clear],
        }
    )  # fmt: skip
    tips = [("feature", "@name"), ("block", "@block"), ("weight", "@weight"), ("95 % interval", "@interval, @said")]
    chart = new_chart(
        130 + ROW * n_shown, xlabel="block", tips=tips, x_range=(-0.5, n_blocks - 0.5), y_range=(n_shown - 0.5, -0.5)
    )
    chart.grid.visible = False
    fill = _shade("mean", BLUE_RED, -reach, reach)
    add_colour_scale(chart, fill.transform, "centred weight")
    tell(chart, chart.rect("block", "row", 0.96, 0.92, source=source, fill_color=fill, line_color=None))
    signs = np.where(mean > 0, "+", "−").ravel()
    ink = _inks(mean.ravel()[clear], BLUE_RED, -reach, reach)
    labels = ColumnDataSource({"x": block[clear], "y": row[clear], "text": signs[clear].tolist(), **ink})
    chart.text(
        "x", "y", "text", source=labels, text_align="center", text_baseline="middle", name="cells",
        text_font_size="15px", text_font_style="bold", text_color="ink",
    )  # fmt: skip
    name_axis(chart.yaxis, names)
    chart.xaxis.ticker = block_ticks(n_blocks)
    return chart


def draw_block_matrix(scene: Scene) -> Any:
    """Draw edges per pair of vertices between blocks, greener where there are more, on a logarithmic scale.

    Directed edges lead from the block of the row to that of the column.
    """
    from bokeh.models import ColumnDataSource

    counts, density = edge_counts(scene)
    density = np.nan_to_num(density)
    n_blocks, called = len(counts), [visible(str(name)) for name in scene.called]
    s, r = (part.ravel() for part in np.indices(counts.shape))  # up and down where from, across where to
    least = float(density[density > 0].min(initial=1)) / 3
    shown = np.maximum(density, least).ravel()
    depth = np.log(shown)
    source = ColumnDataSource(
        {
            "r": r, "s": s, "shown": shown, "edges": [f"{k:,}" for k in counts.ravel()],
            "density": [f"{d:.3g}" for d in density.ravel()],
            "across": [called[k] for k in r], "down": [called[k] for k in s],
        }
    )  # fmt: skip
    across, down, pair = "block", "block", [("blocks", "@down and @across")]
    if scene.network.graph.is_directed:
        across, down, pair = "to block", "from block", [("from block", "@down"), ("to block", "@across")]
    tips = [*pair, ("edges", "@edges"), ("edges per pair of vertices", "@density")]
    name_height = 6 * min(max(map(len, called)), NAME) if scene.has_names else 0  # for names that stand aslant
    chart = new_chart(
        int(np.clip(130 + 36 * n_blocks, 260, 560)) + name_height, xlabel=across, ylabel=down, tips=tips,
        x_range=(-0.5, n_blocks - 0.5), y_range=(n_blocks - 0.5, -0.5), max_width=720,
    )  # fmt: skip
    chart.grid.visible = False
    low, high = float(np.log(least)), float(depth.max(initial=0.0)) + 1e-9
    fill = _shade("shown", GREENS, least, float(np.exp(high)), is_log=True)
    ticks = log_ticks(least, float(np.exp(high)))
    add_colour_scale(chart, fill.transform, "edges per pair of vertices", ticks)
    tell(chart, chart.rect("r", "s", 0.96, 0.94, source=source, fill_color=fill, line_color=None))
    if n_blocks <= NUMBERED:
        written = [short_count(k) for k in counts.ravel()]
        labels = ColumnDataSource({"x": r, "y": s, "text": written, **_inks(depth, GREENS, low, high)})
        chart.text(
            "x", "y", "text", source=labels, text_align="center", text_baseline="middle", text_font_size="11px",
            text_color="ink", name="cells",
        )  # fmt: skip
    chart.xaxis.ticker = chart.yaxis.ticker = block_ticks(n_blocks)
    if scene.has_names:
        name_axis(chart.xaxis, called)
        name_axis(chart.yaxis, called)
        chart.xaxis.major_label_orientation = 0.8  # radians: long names side by side
    return chart


def _shade(field: str, palette: tuple[str, ...], low: float, high: float, is_log: bool = False) -> Any:
    """Return how cells are filled; the page's script finds the palettes of light and of dark pages in the tags."""
    from bokeh.transform import linear_cmap, log_cmap

    fill: Any = (log_cmap if is_log else linear_cmap)(field, palette, low, high)
    fill.transform.tags = [list(palette), list(AT_NIGHT[palette])]
    return fill


def _inks(values: Array, palette: tuple[str, ...], low: float, high: float) -> dict[str, list[str]]:
    """Return the colours of what is written on cells, on a light page and on a dark one."""
    pages = {"ink": palette, "night": AT_NIGHT[palette]}
    return {page: [ink_on(colour) for colour in shades(values, shown, low, high)] for page, shown in pages.items()}
