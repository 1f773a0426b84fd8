"""The ranking: scores of features from the highest down, and the cutoff."""

from math import isfinite

from matplotlib.figure import Figure

from ffbm.check import check_int
from ffbm.plots.palette import FAINT, INK, block_colour, block_marker
from ffbm.plots.paper import COLUMN, SMALL, first_of, name_ticks, new_axes, quiet_axes, short_names
from ffbm.types.ranking import Ranking

_ROW = 0.135  # inches for a feature
_SHOWN = 30


def plot_ranking(ranking: Ranking, *, n_features: int | None = None, title: str = "", width: float = COLUMN) -> Figure:
    """Draw the scores of the first features, each with the colour, marker and number of its block.

    Full markers are kept, hollow ones left out; the dotted line is the cutoff c* where there is one.

    Parameters
    ----------
    ranking : Ranking
    n_features : int, optional
        How many; 30 or all if left out.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import numpy as np
    >>> from ffbm.ranking import rank_features
    >>> draws = np.random.default_rng(1).normal([[2, 0, 1], [-2, 0, 0]], 0.3, (100, 2, 3))
    >>> figure = plot_ranking(rank_features(draws, n_kept=2, names=["a", "b", "c"]))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['a', 'c', 'b']
    """
    d = ranking.n_features
    n = min(_SHOWN, d) if n_features is None else check_int("n_features", n_features, 1, d)
    table = ranking.table.head(n)
    figure, axes = new_axes(width, _ROW * n + 0.4 + 0.18 * bool(title), title)
    axes.axvline(0, color=FAINT, linewidth=0.6)
    reach = max(float(table["score"].abs().max()), 1e-9)
    for row, (score, block, is_kept) in enumerate(zip(table["score"], table["block"], table["kept"], strict=True)):
        colour = block_colour(block)
        axes.plot([0, score], [row, row], color=colour, linewidth=0.7, alpha=0.6)
        axes.plot(
            score, row, marker=block_marker(block), markersize=3.2, color=colour, markeredgewidth=0.8,
            markerfacecolor=colour if is_kept else "white",
        )  # fmt: skip
        axes.text(max(score, 0) + 0.03 * reach, row, f"{block}", fontsize=5, color=INK, va="center_baseline")
    cutoff = ranking.cutoff if ranking.n_kept < d else float("nan")
    if isfinite(cutoff):
        axes.axvline(cutoff, color=INK, linewidth=0.7, linestyle=(0, (1, 1.5)))
    quiet_axes(axes)
    axes.margins(x=0.08)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(n - 0.4, -0.6)
    name_ticks(axes.yaxis, range(n), short_names(list(table["feature"])))
    score = f"score: largest |mean| − {ranking.k:g} sd" if ranking.rule == "paper" else "inclusion of the column"
    message = f"{score}; number: block" + (f"; c* = {cutoff:.2f}" if isfinite(cutoff) else "")
    message += first_of(n, d, "feature")
    figure.supxlabel(message, fontsize=SMALL, color=INK)
    return figure
