"""Exchanges of a ladder of temperatures: how often neighbours traded places."""

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plots.palette import INK
from ffbm.plots.paper import COLUMN, TEXT, new_axes, quiet_axes
from ffbm.plots.traces import SHADES


def plot_ladder(betas: npt.ArrayLike, swap_rates: npt.ArrayLike, *, title: str = "", width: float = COLUMN) -> Figure:
    """Draw how often replicas at neighbouring temperatures exchanged their states.

    Rates of about the same height mean a ladder that is well spaced; a rate near 0 is a gap that nothing crosses.

    Parameters
    ----------
    betas : (R,) numbers
        Inverse temperatures, from 1 down: ``blocks.settings["tempering"]``.
    swap_rates : (R-1,) numbers
        The share of exchanges made, by pair of neighbours: ``blocks.settings["swap_rates"]``.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> figure = plot_ladder([1, 0.9, 0.8], [0.6, 0.5])
    >>> figure.axes[0].get_ylabel()
    'exchanges made'
    """
    betas, rates = np.asarray(betas, dtype=np.float64), np.asarray(swap_rates, dtype=np.float64)
    if betas.ndim != 1 or rates.shape != (len(betas) - 1,) or len(betas) < 2:
        raise DataError(
            "plot_ladder takes at least two inverse temperatures and a swap rate for each pair of neighbours;"
            f" got shapes {betas.shape} and {rates.shape}"
        )
    figure, axes = new_axes(width, 0.4 * width + 0.2 * bool(title))
    axes.hlines(rates, betas[1:], betas[:-1], color=SHADES[0], linewidth=2.2)
    axes.vlines(betas, 0, 1, color="#dddddd", linewidth=0.6, zorder=0)
    quiet_axes(axes, grid="y")
    axes.set_ylim(0, 1)
    axes.invert_xaxis()
    axes.set_xlabel("inverse temperature of the replicas", fontsize=TEXT, color=INK, labelpad=1)
    axes.set_ylabel("exchanges made", fontsize=TEXT, color=INK, labelpad=2)
    if title:
        axes.set_title(title, fontsize=TEXT, color=INK, parse_math=False)
    return figure
