"""Calibration: how often vertices are in a block, against the probability that their features gave it."""

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plain import EACH_WAY, count_of
from ffbm.plots.palette import FAINT, INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_axes, quiet_axes
from ffbm.scoring.calibration import calibration_bins

_NOTE = 5  # points, for what explains the numbers
_POINT = "#00695c"


def plot_calibration(
    predicted: npt.ArrayLike, observed: npt.ArrayLike, *, title: str = "", width: float = COLUMN
) -> Figure:
    """Draw observed membership against predicted probability, over all pairs of a vertex and a block.

    Pairs are put in ten bins by their predicted probability. A point is the mean of both in a bin, its bar the 95 %
    interval, two standard errors over vertices each way within [0, 1]; the number is how many pairs are there. Points
    lie on the diagonal if a block that features give 30 % is the vertex's in 30 of 100 cases.

    Parameters
    ----------
    predicted, observed : (n, B)
        Of vertices that were held out: ``predict`` and the memberships y-hat.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> p = np.random.default_rng(1).dirichlet([1, 1], 400)
    >>> figure = plot_calibration(p, np.eye(2)[(np.random.default_rng(2).random(400) > p[:, 0]).astype(int)])
    >>> figure.axes[0].get_xlabel()
    'predicted by features'
    """
    p, y = np.asarray(predicted, dtype=np.float64), np.asarray(observed, dtype=np.float64)
    if p.ndim != 2 or p.shape != y.shape:
        raise DataError(f"predicted and observed must both have shape (vertices, blocks); got {p.shape} and {y.shape}")
    if not len(p):
        raise DataError("calibration needs vertices that were held out; there are none: use a train_fraction below 1")
    figure, axes = new_axes(width, 0.85 * width + 0.18 * bool(title))
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=0.6)
    bins = calibration_bins(p, y)
    for x, mean, error, n in bins[["predicted", "observed", "error", "n"]].to_numpy().tolist():
        reach = EACH_WAY * error
        bar = [[min(reach, mean)], [min(reach, 1 - mean)]]  # a share lies in [0, 1]
        axes.errorbar(x, mean, yerr=np.maximum(bar, 0), fmt="o", markersize=3, elinewidth=0.9, color=_POINT)
        axes.annotate(f"{int(n):,}", (x, mean), xytext=(4, -6), textcoords="offset points", fontsize=_NOTE, color=INK)
    quiet_axes(axes, grid="both")
    axes.set_xlim(-0.03, 1.08)
    axes.set_ylim(-0.08, 1.05)
    axes.set_xlabel("predicted by features", fontsize=TEXT, color=INK, labelpad=1)
    axes.set_ylabel("observed membership", fontsize=TEXT, color=INK, labelpad=2)
    vertices = count_of(len(p), "held-out vertex", "held-out vertices")
    figure.supxlabel(f"{vertices}; bars: 95 % intervals; numbers: pairs of vertex and block", fontsize=_NOTE, color=INK)
    axes.set_title(title, fontsize=SMALL, color=INK, pad=3, parse_math=False)
    return figure
