"""Ranks of the truth in simulation-based calibration: histograms that are flat if the sampler is right."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import binom

from ffbm.errors import DataError
from ffbm.plots.palette import INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_figure, quiet_axes

_PANEL, _LINE = 0.8, 0.1  # inches: a panel with a title of one line, each further line
_LETTERS = 18  # of a title in an inch
_BAR, _BAND = "#5b8e7d", "#e8e4da"
_INSIDE = 0.99  # the share of bins in the band if ranks are uniform


def plot_ranks(ranks: Mapping[str, Sequence[int]], *, columns: int = 2, width: float = COLUMN) -> Figure:
    """Draw histograms of ranks, one panel each, over the band in which 99 of 100 bins of uniform ranks lie.

    Parameters
    ----------
    ranks : mapping from titles to counts
        How many networks had the rank of their truth in each bin.
    columns : int
        Panels side by side.
    width : float
        Inches.

    Examples
    --------
    >>> figure = plot_ranks({"W[0,0]": [25, 24, 27, 24], "energy": [20, 30, 25, 25], "S": [26, 24, 25, 25]})
    >>> len(figure.axes), len(figure.axes[0].containers[0])
    (3, 4)
    """
    if not ranks:
        raise DataError("plot_ranks needs a histogram to draw; got none")
    n_rows = -(-len(ranks) // columns)
    titles = [textwrap.fill(title, int(_LETTERS * width / columns)) for title in ranks]
    n_lines = max(title.count("\n") for title in titles) + 1
    figure = new_figure(width, 0.15 + (_PANEL + _LINE * (n_lines - 1)) * n_rows)
    panels = figure.subplots(n_rows, columns, squeeze=False, sharex=True).ravel()
    for panel in panels[len(ranks) :]:
        panel.remove()
    for panel, title, counts in zip(panels, titles, ranks.values(), strict=False):
        observed = np.asarray(counts)
        low, high = binom.interval(_INSIDE, int(observed.sum()), 1 / len(observed))
        panel.axhspan(low, high, color=_BAND, linewidth=0, zorder=0)
        panel.bar(np.arange(len(observed)), observed, width=0.9, color=_BAR)
        panel.set_ylim(0, 1.15 * max(float(high), float(observed.max())))
        panel.set_xticks([])
        quiet_axes(panel)
        panel.locator_params(axis="y", nbins=3)
        panel.set_title(title, fontsize=SMALL, pad=2, loc="left", color=INK, parse_math=False)
    figure.supxlabel("rank of the truth among the draws", fontsize=TEXT, color=INK)
    figure.supylabel("networks", fontsize=TEXT, color=INK)
    return figure
