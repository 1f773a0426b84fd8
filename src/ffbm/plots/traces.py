"""Traces of chains: what a number did from draw to draw, chain over chain."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plots.palette import INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_figure, quiet_axes

_PANEL = 0.95  # inches
SHADES = ("#1b3a4b", "#5b8e7d", "#b5793a", "#8a5a83", "#7a7a7a", "#a3a948")  # of chains; no block has these
_BINS = 40
_STILL = 1e-9


def plot_traces(traces: Mapping[str, npt.ArrayLike], *, width: float = COLUMN) -> Figure:
    """Draw traces, one panel each: a line for every chain, and beside it how often each value was taken.

    Chains that sample one law lie on top of each other, and so do their histograms.

    Parameters
    ----------
    traces : mapping from titles to (C, T) numbers
        Such as ``{"energy U": weights.energy, "description length S": blocks.entropy}``.
    width : float
        Inches.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal(size=(4, 200))
    >>> figure = plot_traces({"energy": draws})
    >>> len(figure.axes), len(figure.axes[0].lines)
    (2, 4)
    """
    series = {title: np.atleast_2d(np.asarray(values, dtype=np.float64)) for title, values in traces.items()}
    for title, values in series.items():
        if values.ndim != 2 or not np.isfinite(values).any():
            raise DataError(f"a trace must be numbers of shape (chains, draws); {title!r} has shape {values.shape}")
    if not series:
        raise DataError("plot_traces needs a trace to draw; got none")
    figure = new_figure(width, 0.15 + _PANEL * len(series))
    panels = figure.subplots(len(series), 2, squeeze=False, sharey="row", width_ratios=(5, 1))
    for (line, side), (title, values) in zip(panels, series.items(), strict=True):
        good = values[np.isfinite(values)]
        low, high = float(good.min()), float(good.max())
        if high - low < _STILL * max(1, abs(high)):  # a chain that stands still is a line in the middle
            low, high = low - 0.5, high + 0.5
        line.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
        bins = np.linspace(low, high, _BINS)
        for chain, draws in enumerate(values):
            shade = SHADES[chain % len(SHADES)]
            line.plot(draws, color=shade, linewidth=0.35, rasterized=len(draws) > 5000)
            counts, edges = np.histogram(draws[np.isfinite(draws)], bins)
            side.stairs(counts, edges, orientation="horizontal", color=shade, linewidth=0.7)
        quiet_axes(line)
        quiet_axes(side)
        line.ticklabel_format(axis="y", useOffset=False, style="plain")
        line.set_title(title, fontsize=SMALL, pad=2, loc="left", color=INK, parse_math=False)
        line.margins(x=0.01)
        line.locator_params(axis="y", nbins=4)
        line.locator_params(axis="x", nbins=5)
        side.set_xticks([])
        side.spines["bottom"].set_visible(False)
        side.tick_params(axis="y", length=0, labelleft=False)
    panels[-1, 0].set_xlabel("kept draw", fontsize=TEXT, color=INK, labelpad=1)
    return figure
