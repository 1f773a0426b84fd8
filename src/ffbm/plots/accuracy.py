"""Block accuracy on training and test vertices."""

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ffbm.plots.palette import FAINT, INK, block_colour, block_marker
from ffbm.plots.paper import COLUMN, SMALL, TEXT, block_ticks, new_axes, quiet_axes
from ffbm.types.scores import Scores

_APART = 0.17  # how far training and test stand left and right of their block
_SIZE = 4.2
_COUNTED = 12  # blocks up to which there is room for the numbers of vertices


def plot_accuracy(scores: Scores, *, title: str = "", width: float = COLUMN) -> Figure:
    """Draw for each block the share of its vertices and draws whose likeliest block it is, training and test.

    Full markers are training vertices, hollow ones test vertices; a block without vertices on a side has no marker
    there. The numbers above, for up to 12 blocks, are those of the test vertices.

    Parameters
    ----------
    scores : Scores
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import numpy as np
    >>> from ffbm.pipeline.weights import sample_weights
    >>> from ffbm.scoring import score_weights
    >>> x, labels = np.tile(np.eye(2), (20, 1)), np.tile([0, 1], 20)
    >>> trace = sample_weights(x, labels, rows=range(30), n_draws=100, seed=1, weight_prior="fixed")
    >>> figure = plot_accuracy(score_weights(trace, x, labels))
    >>> figure.axes[0].get_ylabel()
    'block accuracy'
    """
    figure, axes = new_axes(width, 0.5 * width + 0.2 * bool(title))
    is_counted = scores.n_blocks <= _COUNTED
    for block in range(scores.n_blocks):
        colour = block_colour(block)
        train, test = float(scores.accuracy_train[block]), float(scores.accuracy_test[block])
        axes.plot([block - _APART, block + _APART], [train, test], color=colour, linewidth=0.8)
        for x, value, filled in ((block - _APART, train, True), (block + _APART, test, False)):
            axes.plot(
                x, value, marker=block_marker(block), markersize=_SIZE, color=colour,
                markerfacecolor=colour if filled else "white", clip_on=False, zorder=3,
            )  # fmt: skip
        if is_counted:
            axes.annotate(
                f"{scores.n_by_block_test[block]}", (block, 1.0), xytext=(0, 6), textcoords="offset points",
                ha="center", fontsize=SMALL - 0.5, color=FAINT,
            )  # fmt: skip
    quiet_axes(axes, grid="y")
    axes.set_ylim(0, 1.0)
    axes.set_xlim(-0.6, scores.n_blocks - 0.4)
    axes.set_xticks(block_ticks(scores.n_blocks))
    axes.set_xlabel("block", fontsize=TEXT, color=INK, labelpad=1)
    axes.set_ylabel("block accuracy", fontsize=TEXT, color=INK, labelpad=2)
    markers = [
        Line2D([], [], linestyle="", marker="o", markersize=_SIZE, color=FAINT, markerfacecolor=face, label=label)
        for face, label in ((FAINT, "training"), ("white", "held out" + " (number above: vertices)" * is_counted))
    ]
    figure.legend(
        handles=markers, loc="outside upper center", ncols=2, fontsize=SMALL, frameon=False, handletextpad=0.2,
        columnspacing=1.2, borderpad=0, title=title or None, title_fontsize=TEXT,
    )  # fmt: skip
    return figure
