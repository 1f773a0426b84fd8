"""Bits explained in each block."""

import numpy as np
from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plain import EACH_WAY
from ffbm.plots.palette import FAINT, INK, block_colour, block_marker
from ffbm.plots.paper import COLUMN, SMALL, TEXT, block_ticks, new_axes, quiet_axes
from ffbm.types.scores import Scores


def plot_bits(scores: Scores, *, title: str = "", width: float = COLUMN) -> Figure:
    """Draw how many bits per vertex features explain in each block over the base rate, with 95 % intervals.

    They are of vertices that were held out, or of training vertices if none was.

    Parameters
    ----------
    scores : Scores
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> from ffbm.scoring import score_weights
    >>> x, labels = np.tile(np.eye(2), (20, 1)), np.tile([0, 1], 20)
    >>> trace = sample_weights(x, labels, rows=range(30), n_draws=100, seed=1, weight_prior="fixed")
    >>> plot_bits(score_weights(trace, x, labels)).axes[0].get_ylabel().splitlines()
    ['held-out bits per vertex', '95 % intervals']
    """
    side = "test" if scores.n_test else "train"
    bits, error = getattr(scores, f"bits_by_block_{side}"), getattr(scores, f"bits_se_by_block_{side}")
    scored = np.flatnonzero(np.isfinite(bits))
    if not len(scored):
        raise DataError("bits by block need a block with vertices that were scored; there is none")
    figure, axes = new_axes(width, 0.5 * width + 0.18 * bool(title), title)
    axes.axhline(0, color=FAINT, linewidth=0.6)
    for block in scored.tolist():
        axes.errorbar(
            block, bits[block], yerr=EACH_WAY * float(np.nan_to_num(error[block])), fmt=block_marker(block),
            markersize=4, elinewidth=1.0, color=block_colour(block),
        )  # fmt: skip
    quiet_axes(axes, grid="y")
    axes.set_xlim(-0.6, scores.n_blocks - 0.4)
    axes.set_xticks(block_ticks(scores.n_blocks))
    axes.set_xlabel("block", fontsize=TEXT, color=INK, labelpad=1)
    origin = "held-out" if scores.n_test else "training"
    axes.set_ylabel(f"{origin} bits per vertex\n95 % intervals", fontsize=SMALL, color=INK, labelpad=2)
    return figure
