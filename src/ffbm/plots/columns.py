"""What each column explains: bits alone and beyond the others, dots with intervals."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from ffbm.check import check_int
from ffbm.errors import DataError
from ffbm.plain import EACH_WAY
from ffbm.plots.palette import FAINT, INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, first_of, name_ticks, new_axes, quiet_axes, short_names

if TYPE_CHECKING:
    import pandas as pd

ALONE, BEYOND = "#7a7a7a", "#00695c"
SHOWN = 25
_ROW = 0.2  # inches for a column
_APART = 0.17  # rows between the two dots of a column
_DOTS = (("alone", ALONE, "o", -1), ("unique", BEYOND, "D", 1))


def plot_columns(
    table: "pd.DataFrame", *, n_columns: int | None = None, title: str = "", width: float = COLUMN
) -> Figure:
    """Draw the held-out bits of each column, alone and beyond the others, with 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        ``fit.column_table``.
    n_columns : int, optional
        How many; 25 or all if left out.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"column": ["dorm", "year"], "bits_alone": [1.2, 0.8], "bits_alone_se": [0.1, 0.1],
    ...                       "bits_unique": [0.9, float("nan")], "bits_unique_se": [0.1, float("nan")]})
    >>> figure = plot_columns(table)
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['dorm', 'year']
    """
    if not len(table) or not np.isfinite(table["bits_alone"]).any():
        raise DataError(
            "bits of columns need two blocks and vertices that were held out; there are none: use folds, or a"
            " train_fraction below 1"
        )
    n = min(SHOWN, len(table)) if n_columns is None else check_int("n_columns", n_columns, 1, len(table))
    rest = first_of(n, len(table), "column")
    table = table.head(n)
    figure, axes = new_axes(width, _ROW * n + 0.62 + 0.18 * bool(title))
    axes.axvline(0, color=FAINT, linewidth=0.6)
    for name, colour, marker, side in _DOTS:
        axes.errorbar(
            table[f"bits_{name}"], np.arange(n) + side * _APART, xerr=EACH_WAY * table[f"bits_{name}_se"], fmt=marker,
            markersize=3.2 if marker == "o" else 2.8, elinewidth=1.0, color=colour,
            label="alone" if name == "alone" else "beyond the others",
        )  # fmt: skip
    quiet_axes(axes, grid="x")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(n - 0.4, -0.6)
    name_ticks(axes.yaxis, range(n), short_names(list(table["column"])))
    axes.set_xlabel(f"held-out bits per vertex, 95 % intervals{rest}", fontsize=SMALL, color=INK, labelpad=2)
    figure.legend(loc="outside upper right", ncols=2, fontsize=SMALL, frameon=False, handletextpad=0.3, labelcolor=INK)
    if title:  # below the legend, which a title of the figure would overlap
        axes.set_title(title, fontsize=TEXT, color=INK, parse_math=False)
    return figure
