"""Figures of features, blocks and chains."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.plain import EACH_WAY, visible, with_interval
from ffbm.plots.columns import ALONE, BEYOND
from ffbm.plots.columns import SHOWN as SHOWN_COLUMNS
from ffbm.plots.effects import largest_effects
from ffbm.plots.palette import block_colour
from ffbm.plots.paper import block_ticks
from ffbm.plots.traces import SHADES
from ffbm.report.figurestyle import (
    FONT,
    OUTLINE,
    TEXT,
    colours,
    from_zero,
    hollow,
    name_axis,
    new_chart,
    shape,
    tell,
)
from ffbm.report.subject import Subject
from ffbm.types import Array

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 30  # features of a figure
ROW = 24  # pixels for a feature
_COLUMN = 34  # pixels for a column
_CLEAR = "#ffffff00"
_POINTS = 300  # of a trace
_FAR = 12.0  # where statistics further away are drawn
MISSED = "#c94741"


def intervals(subject: Subject, features: Array) -> Array:
    """Return the 95 % interval of centred weights (2, B, len(places))."""
    ranking = subject.parts.ranking
    if ranking.centred_low is not None and ranking.centred_high is not None:
        return np.stack((ranking.centred_low[:, features], ranking.centred_high[:, features]))
    return np.stack([subject.parts.weights.centred_interval(j) for j in features], axis=-1)


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
    for name, series, colour, marker, side in (
        ("alone", "alone", ALONE, "circle", -0.17), ("unique", "beyond the others", BEYOND, "diamond", 0.17),
    ):  # fmt: skip
        there = np.flatnonzero(np.isfinite(table[f"bits_{name}"]))
        if not len(there) and name == "unique":  # there was no time for any
            continue
        bits, error = (table[f"bits_{name}{end}"].to_numpy()[there] for end in ("", "_se"))
        source = ColumnDataSource(
            {
                "row": there + side, "bits": bits, "low": bits - EACH_WAY * error, "high": bits + EACH_WAY * error,
                "what": [series] * len(there), "name": [visible(table["column"][g]) for g in there],
                "said": [with_interval(b, e) for b, e in zip(bits, error, strict=True)],
                "verdict": [visible(table["verdict"][g]) for g in there], "colour": [colour] * len(there),
            }
        )  # fmt: skip
        chart.segment("low", "row", "high", "row", source=source, line_color="colour", line_width=2)
        dots = chart.scatter(
            "bits", "row", source=source, size=10 if marker == "circle" else 13, marker=marker, fill_color="colour",
            line_color=OUTLINE, legend_label=series,
        )  # fmt: skip
        tell(chart, dots)
    name_axis(chart.yaxis, list(table["column"]))
    legend = chart.legend[0]
    chart.add_layout(legend, "above")
    legend.orientation, legend.background_fill_color, legend.border_line_color = "horizontal", None, None
    legend.label_text_font, legend.label_text_font_size, legend.label_text_color = FONT, "13px", TEXT
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
        80 + ROW * len(table), xlabel="score", tips=tips, y_range=(len(table) - 0.4, -0.9), x_range=(least, most)
    )
    chart.ygrid.visible = False
    chart.segment(0, "row", "score", "row", source=source, line_color=OUTLINE, line_width=1)
    dots = chart.scatter(
        "score", "row", source=source, size=10, marker="shape", fill_color="fill", line_color="edge",
        line_width="thick",
    )  # fmt: skip
    tell(chart, dots)
    _number_points(chart, source, "score", x_offset=9, text_align="left", text_baseline="middle")
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
        80 + ROW * len(best), xlabel="change in probability", tips=tips, y_range=(len(best) - 0.4, -0.9),
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
    _number_points(chart, source, "effect", y_offset=-5, text_align="center", text_baseline="bottom")
    return chart


def _number_points(chart: Any, source: Any, at: str, **where: Any) -> None:
    """Write the number of its block beside or above each point: colours alone say nothing to some."""
    chart.text(at, "row", "block", source=source, text_font_size="11px", text_color=TEXT, **where)


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
        90 + ROW * len(table), xlabel="distance from the mean of replicates", tips=tips,
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


def drawn_points(values: Array, most: int) -> Array:
    """Return which of the draws (C, T) are shown: all, or so many at equal distances."""
    n_draws = values.shape[1]
    return np.unique(np.linspace(0, n_draws - 1, min(n_draws, most)).astype(np.int64))


def draw_trace(values: Array, label: str) -> Any:
    """Draw what a number did from draw to draw, a line for each chain."""
    kept = drawn_points(values, _POINTS)
    chart = new_chart(220, xlabel="kept draw", ylabel=label)
    chart.yaxis.formatter.use_scientific = False
    chart.xaxis.ticker.min_interval = 1  # there is no half a draw
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
