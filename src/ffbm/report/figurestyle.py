"""What all figures of a page share: plain text on axes, one look, tips that show data as text."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ffbm.plain import visible
from ffbm.plots.palette import block_colour, block_marker
from ffbm.plots.paper import short_names
from ffbm.types import Array

TEXT = "#4d4d4d"  # the page's script sets colours for light and dark; these are for print
OUTLINE = "#777777"  # of pale markers: seen on light and on dark
DEEPER = {"#e3c000": "#998200", "#33bbee": "#1590c4", "#bbbbbb": "#878787"}
FONT = "system-ui, sans-serif"
_MARKERS = {
    "o": "circle", "s": "square", "^": "triangle", "D": "diamond", "v": "inverted_triangle", "P": "plus", "X": "x",
    "*": "star",
}  # fmt: skip
NAME = 30  # letters of a name beside a figure


def new_chart(
    height: int, *, xlabel: str = "", ylabel: str = "", tips: Sequence[tuple[str, str]] | None = None, **options: Any
) -> Any:
    """Return an empty bokeh figure as wide as the page, without tools but tips."""
    from bokeh.models import HoverTool, PlainText
    from bokeh.plotting import figure

    new: Any = figure  # its keywords are typed by names that mypy does not follow in all versions
    chart = new(
        height=height, sizing_mode="stretch_width", toolbar_location=None, tools="", background_fill_color=None,
        border_fill_color=None, outline_line_color=None, min_border_right=24, **options,  # for half of the last number
    )  # fmt: skip
    for axis, label in ((chart.xaxis, xlabel), (chart.yaxis, ylabel)):
        axis.axis_label = PlainText(text=label) if label else None
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
        axis.axis_label_text_color = axis.major_label_text_color = TEXT
        axis.minor_tick_line_color = None
    chart.xaxis.ticker.desired_num_ticks = 5  # the page's script asks for fewer on a phone
    chart.grid.grid_line_color = "#88888844"
    if tips is not None:
        chart.add_tools(HoverTool(tooltips=_tip(tips), renderers=[], name="tips", limit=3))
    return chart


def _tip(rows: Sequence[tuple[str, str]]) -> str:
    """Return a tip as markup of our own, legible and not too wide; bokeh puts values into it as text."""
    lines = "".join(f'<div dir="auto"><b>{label}:</b> {value}</div>' for label, value in rows)
    return f'<div style="max-width:19rem;font-size:13px;overflow-wrap:anywhere;color:#18191d">{lines}</div>'


def tell(chart: Any, renderer: Any) -> None:
    """Let the chart's tips speak of this renderer."""
    tool = chart.select_one({"name": "tips"})
    tool.renderers = [*tool.renderers, renderer]


def name_axis(axis: Any, names: Sequence[str]) -> None:
    """Write names at 0, 1, 2, ...; nothing in a name is read as mathematics."""
    from bokeh.models import PlainText

    axis.ticker = list(range(len(names)))
    shown = short_names([visible(name) for name in names], NAME)
    axis.major_label_overrides = {position: PlainText(text=name) for position, name in enumerate(shown)}


def from_zero(low: Array, high: Array) -> tuple[float, float]:
    """Return the range of an axis that shows 0 and everything between low and high.

    >>> from_zero(np.array([0.5]), np.array([1.0, 2.0]))
    (0.0, 2.1)
    """
    least, most = min(0.0, float(np.nanmin(low, initial=0.0))), max(0.0, float(np.nanmax(high, initial=0.0)))
    margin = 0.05 * (most - least) or 0.05
    return least - margin * (least < 0), most + margin


def add_colour_scale(chart: Any, mapper: Any, title: str, ticks: Sequence[float] | None = None) -> None:
    """Show below a chart which colour stands for which number, at some ``ticks`` where they are given."""
    from bokeh.models import FixedTicker
    from bokeh.models.annotations import ColorBar

    bar = ColorBar(
        color_mapper=mapper, title=title, height=10, width="auto", margin=6, padding=0, background_fill_color=None,
        border_line_color=None, bar_line_color=None, major_label_text_font=FONT, title_text_font=FONT,
        title_text_font_style="normal", title_text_font_size="13px", major_label_text_font_size="12px",
        title_text_color=TEXT, major_label_text_color=TEXT, title_standoff=4,
    )  # fmt: skip
    if ticks is not None:
        bar.ticker, bar.major_label_overrides = FixedTicker(ticks=list(ticks)), {tick: f"{tick:g}" for tick in ticks}
    chart.add_layout(bar, "below")


def log_ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers between two, for an axis in logarithms.

    >>> log_ticks(0.004, 0.9), log_ticks(0.06, 0.9), log_ticks(0.12, 0.8)
    ([0.01, 0.1], [0.1, 0.3], [0.2, 0.5])
    """
    ticks: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5)):
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        ticks = [tick for power in powers for step in steps if low <= (tick := float(f"{step}e{power}")) <= high]
        if len(ticks) > 1:
            break
    return ticks[:: -(-len(ticks) // 4) or 1]


def shape(block: Any) -> str:
    """Return bokeh's name of the marker of a block."""
    return _MARKERS[block_marker(int(block))]


def hollow(block: Any) -> str:
    """Return the colour of a marker without filling: the block's, deeper where that is too pale on a white page."""
    colour = block_colour(int(block))
    return DEEPER.get(colour, colour)


def shades(values: Array, palette: Sequence[str], low: float, high: float) -> list[str]:
    """Return the colour that bokeh's linear map gives each value.

    >>> shades(np.array([-1, -0.1, 0.9, 1]), ("a", "b", "c", "d"), -1, 1)
    ['a', 'b', 'd', 'd']
    """
    position = (np.asarray(values) - low) / (high - low) * len(palette)
    return [palette[k] for k in np.clip(position.astype(np.int64), 0, len(palette) - 1)]


def colours(blocks: Iterable[Any]) -> list[str]:
    """Return the colour of each block."""
    return [block_colour(int(block)) for block in blocks]
