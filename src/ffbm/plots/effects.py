"""Effects: for each feature the largest change in the probability of a block, with its interval."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plots.palette import FAINT, INK, block_colour, block_marker
from ffbm.plots.paper import COLUMN, SMALL, name_ticks, new_axes, quiet_axes, short_names

if TYPE_CHECKING:
    import pandas as pd

_ROW = 0.135  # inches for a feature


def plot_effects(table: "pd.DataFrame", *, title: str = "", width: float = COLUMN) -> Figure:
    """Draw for each feature the block whose probability changes most with it, and the 95 % interval of that change.

    Parameters
    ----------
    table : DataFrame
        ``fit.effects(names)``; features are drawn in its order.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"feature": ["a", "a"], "block": [0, 1], "effect": [0.2, -0.3], "low": [0.1, -0.4],
    ...                       "high": [0.3, -0.2]})
    >>> figure = plot_effects(table)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1']
    """
    if not len(table):
        raise DataError("effects are drawn of features; the table has none")
    best = largest_effects(table)
    n = len(best)
    figure, axes = new_axes(width, _ROW * n + 0.45 + 0.18 * bool(title), title)
    axes.axvline(0, color=FAINT, linewidth=0.6)
    columns = (best[name].tolist() for name in ("block", "effect", "low", "high"))
    for row, (block, effect, low, high) in enumerate(zip(*columns, strict=True)):
        colour = block_colour(block)
        axes.plot([low, high], [row, row], color=colour, linewidth=1.0)
        axes.plot(effect, row, marker=block_marker(block), markersize=3.2, color=colour)
        axes.annotate(f"{block}", (effect, row), xytext=(2, 1.5), textcoords="offset points", fontsize=5, color=INK)
    quiet_axes(axes, grid="x")
    axes.margins(x=0.08)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(n - 0.4, -0.8)
    name_ticks(axes.yaxis, range(n), short_names(list(best["feature"])))
    figure.supxlabel("change in the probability of a block, 95 %; number: block", fontsize=SMALL, color=INK)
    return figure


def largest_effects(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return for each feature the row of the block whose probability changes most, in the order of the table."""
    most = table.groupby("feature", sort=False)["effect"].apply(lambda effect: effect.abs().idxmax())
    return table.loc[most].reset_index(drop=True)
