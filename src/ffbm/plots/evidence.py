"""The evidence along its path: nats against the share of the features' weights, or against sigma."""

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plain import EACH_WAY
from ffbm.plots.palette import FAINT, INK
from ffbm.plots.paper import COLUMN, TEXT, new_axes, quiet_axes

_LINE = "#00695c"


def plot_evidence(
    at: npt.ArrayLike,
    nats: npt.ArrayLike,
    error: npt.ArrayLike,
    *,
    label: str = "share t of the features' weights",
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw the evidence for the features when their weights have a share t of their size.

    A line above 0 says that the network is more likely with features of that strength than without, one that falls
    that weaker features would predict it better. The bars are 95 % intervals, two standard errors each way.

    Parameters
    ----------
    at, nats, error : (K,) numbers
        Values of t, or of sigma, from above 0; the evidence there, and its standard error.
    label : str
        What ``at`` is.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> figure = plot_evidence([0.2, 0.5, 1], [3, 9, 12], [0.1, 0.1, 0.2])
    >>> figure.axes[0].get_ylabel()
    'evidence, nats, 95 % intervals'
    """
    x, y, spread = (np.asarray(part, dtype=np.float64) for part in (at, nats, error))
    if x.ndim != 1 or not len(x) or x.shape != y.shape or x.shape != spread.shape:
        raise DataError(
            "plot_evidence takes three lists of one length, places, nats and errors;"
            f" got shapes {x.shape}, {y.shape} and {spread.shape}"
        )
    figure, axes = new_axes(width, 0.6 * width + 0.2 * bool(title))
    axes.axhline(0, color=FAINT, linewidth=0.6)
    axes.errorbar(
        np.append(0.0, x), np.append(0.0, y), yerr=EACH_WAY * np.append(0.0, spread), color=_LINE, linewidth=1.2,
        marker="o", markersize=2.5, elinewidth=0.9,
    )  # fmt: skip
    quiet_axes(axes, grid="y")
    axes.set_xlabel(label, fontsize=TEXT, color=INK, labelpad=1)
    axes.set_ylabel("evidence, nats, 95 % intervals", fontsize=TEXT, color=INK, labelpad=2)
    if title:
        axes.set_title(title, fontsize=TEXT, color=INK, parse_math=False)
    return figure
