"""Posterior predictive checks: each statistic of the network among those of its replicates."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plots.palette import FAINT, INK
from ffbm.plots.paper import COLUMN, SMALL, new_figure, quiet_axes
from ffbm.plots.traces import SHADES

_PANEL = 0.62  # inches
_BINS = 30


def plot_check(table: pd.DataFrame, replicates: npt.ArrayLike, *, title: str = "", width: float = COLUMN) -> Figure:
    """Draw how often replicates had each value of each statistic, and where the network lies.

    Parameters
    ----------
    table : DataFrame
        ``check.table`` of ``fit.check()``.
    replicates : (R, S) numbers
        ``check.replicates``.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> table = pd.DataFrame({"statistic": ["triangles"], "observed": [9.0], "fits": [False]})
    >>> figure = plot_check(table, np.random.default_rng(1).poisson(4.0, size=(50, 1)))
    >>> len(figure.axes)
    1
    """
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(table) or not len(values):
        raise DataError(f"replicates must have a column for each of {len(table)} statistics; got shape {values.shape}")
    figure = new_figure(width, 0.2 + _PANEL * len(table) + 0.2 * bool(title), title)
    panels = figure.subplots(len(table), 1, squeeze=False)[:, 0]
    for axes, row, refits in zip(panels, table.itertuples(), values.T, strict=True):
        low, high = min(refits.min(), row.observed), max(refits.max(), row.observed)
        margin = 0.04 * (high - low) or 0.5
        axes.hist(refits, bins=np.linspace(low - margin, high + margin, _BINS), color="#cccccc")
        axes.axvline(row.observed, color=SHADES[0] if row.fits else "#b2182b", linewidth=1.6)
        quiet_axes(axes)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=6)
        message = "" if row.fits else "  does not fit"
        axes.set_title(f"{row.statistic}{message}", fontsize=SMALL, pad=1, loc="left", color=INK, parse_math=False)
    panels[-1].set_xlabel("grey: replicates; line: the network", fontsize=SMALL, color=FAINT, labelpad=1)
    return figure
