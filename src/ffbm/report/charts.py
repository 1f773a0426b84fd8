"""Figures of features, blocks and chains."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.plain import EACH_WAY, visible, with_interval
from ffbm.plots.columns import ALONE, BEYOND
from ffbm.plots.columns import SHOWN as SHOWN_COLUMNS
from ffbm.plots.effects import largest_effects
from ffbm.plots.heatmap import NUMBERED, short_count
from ffbm.plots.palette import block_colour
from ffbm.plots.paper import block_ticks
from ffbm.plots.traces import SHADES
from ffbm.report.figurestyle import (
    NAME,
    OUTLINE,
    TEXT,
    add_colour_scale,
    colours,
    from_zero,
    hollow,
    ink_on,
    name_axis,
    new_chart,
    shades,
    shape,
    tell,
)
from ffbm.report.network import edge_counts
from ffbm.report.scene import Scene
from ffbm.report.subject import Subject
from ffbm.types import Array

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 30  # features of a figure
_ROW = 24  # pixels for a feature
_COLUMN = 34  # pixels for a column
_CLEAR = "#ffffff00"
_POINTS = 300  # of a trace
_FAR = 12.0  # where statistics further away are drawn
MISSED = "#c94741"
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


def intervals(subject: Subject, features: Array) -> Array:
    """Return the 95 % interval of centred weights (2, B, len(places))."""
    ranking = subject.parts.ranking
    if ranking.centred_low is not None and ranking.centred_high is not None:
        return np.stack((ranking.centred_low[:, features], ranking.centred_high[:, features]))
    return np.stack([subject.parts.weights.centred_interval(j) for j in features], axis=-1)


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
        130 + _ROW * n_shown, xlabel="block", tips=tips, x_range=(-0.5, n_blocks - 0.5), y_range=(n_shown - 0.5, -0.5)
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


def _shade(field: str, palette: tuple[str, ...], low: float, high: float) -> Any:
    """Return how cells are filled; the page's script finds the palettes of light and of dark pages in the tags."""
    from bokeh.transform import linear_cmap

    fill: Any = linear_cmap(field, palette, low, high)
    fill.transform.tags = [list(palette), list(AT_NIGHT[palette])]
    return fill


def _inks(values: Array, palette: tuple[str, ...], low: float, high: float) -> dict[str, list[str]]:
    """Return the colours of what is written on cells, on a light page and on a dark one."""
    pages = {"ink": palette, "night": AT_NIGHT[palette]}
    return {page: [ink_on(colour) for colour in shades(values, shown, low, high)] for page, shown in pages.items()}


def draw_columns(subject: Subject) -> Any:
    """Draw the held-out bits of each column, alone and beyond the others, with 95 % intervals."""
    from bokeh.models import ColumnDataSource
    from bokeh.models.annotations import Span

    table = subject.parts.column_table.head(SHOWN_COLUMNS)
    n = len(table)
    tips = [("column", "@name"), ("@what", "@said"), ("verdict", "@verdict")]
    middle = table[["bits_alone", "bits_unique"]].to_numpy()
    error = EACH_WAY * table[["bits_alone_se", "bits_unique_se"]].to_numpy()
    chart = new_chart(
        110 + _COLUMN * n, xlabel="held-out bits per vertex", tips=tips, y_range=(n - 0.4, -0.6),
        x_range=from_zero(middle - error, middle + error),
    )  # fmt: skip
    chart.ygrid.visible = False
    chart.add_layout(Span(location=0, dimension="height", line_color="#888888"))
    for name, what, colour, marker, side in (
        ("alone", "alone", ALONE, "circle", -0.17), ("unique", "beyond the others", BEYOND, "diamond", 0.17),
    ):  # fmt: skip
        there = np.flatnonzero(np.isfinite(table[f"bits_{name}"]))
        if not len(there) and name == "unique":  # there was no time for any
            continue
        bits, error = (table[f"bits_{name}{end}"].to_numpy()[there] for end in ("", "_se"))
        source = ColumnDataSource(
            {
                "row": there + side, "bits": bits, "low": bits - EACH_WAY * error, "high": bits + EACH_WAY * error,
                "what": [what] * len(there), "name": [visible(table["column"][g]) for g in there],
                "said": [with_interval(b, e) for b, e in zip(bits, error, strict=True)],
                "verdict": [visible(table["verdict"][g]) for g in there], "colour": [colour] * len(there),
            }
        )  # fmt: skip
        chart.segment("low", "row", "high", "row", source=source, line_color="colour", line_width=2)
        dots = chart.scatter(
            "bits", "row", source=source, size=10 if marker == "circle" else 13, marker=marker, fill_color="colour",
            line_color=OUTLINE, legend_label=what,
        )  # fmt: skip
        tell(chart, dots)
    name_axis(chart.yaxis, list(table["column"]))
    legend = chart.legend[0]
    chart.add_layout(legend, "above")
    legend.orientation, legend.background_fill_color, legend.border_line_color = "horizontal", None, None
    legend.label_text_font_size, legend.label_text_color = "13px", TEXT
    return chart


def draw_ranking(subject: Subject) -> Any:
    """Draw the scores of the first features with the number of their block, and the cutoff line."""
    from bokeh.models import ColumnDataSource
    from bokeh.models.annotations import Span

    ranking = subject.parts.ranking
    table = ranking.table.head(SHOWN)
    row = np.arange(len(table))
    ends = intervals(subject, ranking.order[:SHOWN])[:, table["block"].to_numpy(), row]
    source = ColumnDataSource(
        {
            "row": row, "score": table["score"].to_numpy(), "name": [visible(name) for name in table["feature"]],
            "block": table["block"].tolist(), "said": [f"{s:.2f}" for s in table["score"]],
            "weight": [f"{m:+.2f}, 95 % {a:+.2f} to {b:+.2f}"
                       for m, a, b in zip(table["centred_mean"], *ends, strict=True)],
            "shape": [shape(b) for b in table["block"]], "kept": ["kept" if k else "left out" for k in table["kept"]],
            "fill": [block_colour(b) if k else _CLEAR for b, k in zip(table["block"], table["kept"], strict=True)],
            "edge": [OUTLINE if k else hollow(b) for b, k in zip(table["block"], table["kept"], strict=True)],
            "thick": np.where(table["kept"], 1, 2),
        }
    )  # fmt: skip
    tips = [("feature", "@name"), ("score", "@said, @kept"), ("block", "@block"), ("centred weight", "@weight")]
    least = min(0.0, float(table["score"].min()) * 1.1)
    most = max(float(table["score"].max()) * 1.1, 0.1)
    chart = new_chart(
        80 + _ROW * len(table), xlabel="score", tips=tips, y_range=(len(table) - 0.4, -0.9), x_range=(least, most)
    )
    chart.ygrid.visible = False
    chart.segment(0, "row", "score", "row", source=source, line_color=OUTLINE, line_width=1)
    dots = chart.scatter(
        "score", "row", source=source, size=10, marker="shape", fill_color="fill", line_color="edge",
        line_width="thick",
    )  # fmt: skip
    tell(chart, dots)
    _number_points(chart, source, "score")
    if np.isfinite(ranking.cutoff) and ranking.n_kept < ranking.n_features:
        chart.add_layout(Span(location=ranking.cutoff, dimension="height", line_dash="dashed", line_color="#888888"))
    name_axis(chart.yaxis, list(table["feature"]))
    return chart


def draw_effects(subject: Subject) -> Any:
    """Draw for each feature the largest change in the probability of a block, with its 95 % interval."""
    from bokeh.models import ColumnDataSource
    from bokeh.models.annotations import Span

    table = subject.effects
    best = largest_effects(table)
    source = ColumnDataSource(
        {
            "row": np.arange(len(best)), "effect": best["effect"].to_numpy(), "low": best["low"].to_numpy(),
            "high": best["high"].to_numpy(), "block": best["block"].tolist(), "colour": colours(best["block"]),
            "shape": [shape(b) for b in best["block"]], "name": [visible(name) for name in best["feature"]],
            "said": [f"{e:+.2f}, 95 % {a:+.2f} to {b:+.2f}" for e, a, b in
                     zip(best["effect"], best["low"], best["high"], strict=True)],
        }
    )  # fmt: skip
    tips = [("feature", "@name"), ("block", "@block"), ("change of probability", "@said")]
    chart = new_chart(
        80 + _ROW * len(best), xlabel="change in probability", tips=tips, y_range=(len(best) - 0.4, -0.9),
        x_range=from_zero(best["low"].to_numpy(), best["high"].to_numpy()),
    )  # fmt: skip
    chart.ygrid.visible = False
    chart.add_layout(Span(location=0, dimension="height", line_color="#888888"))
    chart.segment("low", "row", "high", "row", source=source, line_color=OUTLINE, line_width=2)
    tell(
        chart,
        chart.scatter("effect", "row", source=source, size=10, marker="shape", fill_color="colour", line_color=OUTLINE),
    )
    name_axis(chart.yaxis, list(best["feature"]))
    _number_points(chart, source, "effect")
    return chart


def _number_points(chart: Any, source: Any, at: str) -> None:
    """Write the number of its block at each point: colours alone say nothing to some."""
    chart.text(
        at, "row", "block", source=source, y_offset=-7, text_font_size="11px", text_color=TEXT, text_align="center",
        text_baseline="bottom",
    )  # fmt: skip


def draw_bits(subject: Subject) -> Any:
    """Draw the bits explained in each block on held-out vertices (training ones if none is held out), and its error."""
    from bokeh.models import ColumnDataSource
    from bokeh.models.annotations import Span

    scores = subject.parts.scores
    side = "test" if scores.n_test else "train"
    bits, error = getattr(scores, f"bits_by_block_{side}"), getattr(scores, f"bits_se_by_block_{side}")
    accuracy, n = getattr(scores, f"accuracy_{side}"), getattr(scores, f"n_by_block_{side}")
    there = np.flatnonzero(np.isfinite(bits))
    spread = EACH_WAY * np.nan_to_num(error[there])
    source = ColumnDataSource(
        {
            "block": there, "bits": bits[there], "low": bits[there] - spread, "high": bits[there] + spread,
            "colour": colours(there), "shape": [shape(b) for b in there], "n": [f"{k:,}" for k in n[there]],
            "said": [with_interval(b, e) for b, e in zip(bits[there], error[there], strict=True)],
            "accuracy": [f"{a:.0%}" for a in accuracy[there]],
        }
    )  # fmt: skip
    tips = [("block", "@block, @n vertices"), ("bits per vertex", "@said"), ("accuracy", "@accuracy")]
    n_blocks = scores.n_blocks
    chart = new_chart(
        300, xlabel="block", ylabel="bits per vertex", tips=tips, x_range=(-0.6, n_blocks - 0.4),
        y_range=from_zero(bits[there] - spread, bits[there] + spread),
    )  # fmt: skip
    chart.xgrid.visible = False
    chart.add_layout(Span(location=0, dimension="width", line_color="#888888"))
    chart.segment("block", "low", "block", "high", source=source, line_color=OUTLINE, line_width=2)
    tell(
        chart,
        chart.scatter("block", "bits", source=source, size=13, marker="shape", fill_color="colour", line_color=OUTLINE),
    )
    chart.xaxis.ticker = block_ticks(n_blocks)
    return chart


def draw_checks(table: "pd.DataFrame") -> Any:
    """Draw how far statistics of the network lie from the mean of replicates, and where the middle 95 % of these lie.

    The unit is a quarter of that range, which the standard deviation of a normal law would nearly be.
    """
    from bokeh.models import ColumnDataSource

    unit = (table["high"] - table["low"]).to_numpy() / 4
    away = (table["observed"] - table["mean"]).to_numpy()
    distance = np.where(unit > 0, away / np.maximum(unit, 1e-300), np.where(table["fits"], 0.0, np.sign(away) * _FAR))
    ends = {
        name: (table[name] - table["mean"]).to_numpy() / np.where(unit > 0, unit, np.inf) for name in ("low", "high")
    }
    source = ColumnDataSource(
        {
            "row": np.arange(len(table)), "place": np.clip(distance, -_FAR, _FAR), "name": table["statistic"].tolist(),
            "low": ends["low"], "high": ends["high"],
            "fill": [OUTLINE if fits else MISSED for fits in table["fits"]],
            "shape": ["circle" if fits else "diamond" for fits in table["fits"]],
            "said": [f"{row.observed:.4g}, replicates {row.mean:.4g} ({row.low:.4g} to {row.high:.4g})"
                     for row in table.itertuples(index=False)],
        }
    )  # fmt: skip
    tips = [("statistic", "@name"), ("network", "@said")]
    chart = new_chart(
        90 + _ROW * len(table), xlabel="distance from the mean of replicates", tips=tips,
        y_range=(len(table) - 0.4, -0.6), x_range=(-_FAR - 0.5, _FAR + 0.5),
    )  # fmt: skip
    chart.ygrid.visible = False
    chart.segment("low", "row", "high", "row", source=source, line_color="#999999", line_width=8, line_alpha=0.5)
    tell(
        chart,
        chart.scatter("place", "row", source=source, size=11, marker="shape", fill_color="fill", line_color=OUTLINE),
    )
    name_axis(chart.yaxis, table["statistic"].tolist())
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
    depth = np.log(np.maximum(density, least)).ravel()
    source = ColumnDataSource(
        {
            "r": r, "s": s, "depth": depth, "edges": [f"{k:,}" for k in counts.ravel()],
            "density": [f"{d:.3g}" for d in density.ravel()],
            "across": [called[k] for k in r], "down": [called[k] for k in s],
        }
    )  # fmt: skip
    across, down, pair = "block", "block", [("blocks", "@down and @across")]
    if scene.network.graph.is_directed:
        across, down, pair = "to block", "from block", [("from block", "@down"), ("to block", "@across")]
    tips = [*pair, ("edges", "@edges"), ("edges per pair of vertices", "@density")]
    room = 6 * min(max(map(len, called)), NAME) if scene.has_names else 0  # for names that stand aslant
    chart = new_chart(
        int(np.clip(90 + 36 * n_blocks, 220, 520)) + room, xlabel=across, ylabel=down, tips=tips,
        x_range=(-0.5, n_blocks - 0.5), y_range=(n_blocks - 0.5, -0.5), max_width=720,
    )  # fmt: skip
    chart.grid.visible = False
    low, high = float(np.log(least)), float(depth.max(initial=0.0)) + 1e-9
    fill = _shade("depth", GREENS, low, high)
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


def drawn_points(values: Array, most: int) -> Array:
    """Return which of the draws (C, T) are shown: all, or so many at equal distances."""
    n_draws = values.shape[1]
    return np.unique(np.linspace(0, n_draws - 1, min(n_draws, most)).astype(np.int64))


def draw_trace(values: Array, label: str) -> Any:
    """Draw what a number did from draw to draw, a line for each chain."""
    kept = drawn_points(values, _POINTS)
    chart = new_chart(220, xlabel="kept draw", ylabel=label)
    chart.yaxis.formatter.use_scientific = False
    for chain, draws in enumerate(values):
        chart.line(kept, draws[kept], line_color=SHADES[chain % len(SHADES)], line_width=1)
    return chart


def draw_swap_rates(betas: list[float], rates: list[float]) -> Any:
    """Draw how often replicas at neighbouring temperatures exchanged."""
    chart = new_chart(220, xlabel="inverse temperature of the replicas", ylabel="exchanges made", y_range=(0, 1))
    chart.x_range.flipped = True
    chart.segment(betas[:-1], rates, betas[1:], rates, line_color=SHADES[0], line_width=4)
    return chart


def swatch(block: int) -> str:
    """Return the marker of a block as a small SVG."""
    paths = {
        "circle": '<circle cx="8" cy="8" r="6"/>', "square": '<rect x="2" y="2" width="12" height="12"/>',
        "triangle": '<path d="M8 1 15 14H1z"/>', "diamond": '<path d="M8 1 15 8 8 15 1 8z"/>',
        "inverted_triangle": '<path d="M8 15 15 2H1z"/>', "plus": '<path d="M6 1h4v5h5v4h-5v5H6v-5H1V6h5z"/>',
        "x": '<path d="M2 4 4 2l4 4 4-4 2 2-4 4 4 4-2 2-4-4-4 4-2-2 4-4z"/>',
        "star": '<path d="M8 1l2 5h5l-4 3 2 6-5-4-5 4 2-6-4-3h5z"/>',
    }  # fmt: skip
    mark = paths[shape(block)]
    return (
        f'<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="{block_colour(block)}">{mark}</svg>'
    )
