"""Numbers of several origins side by side, with how much they vary."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from ffbm.errors import DataError
from ffbm.plots.palette import INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, name_ticks, new_figure, quiet_axes

_LOOKS = (("s", "white", "#777777"), ("D", "#777777", "#777777"), ("o", "#00695c", "#00695c"), ("^", INK, INK))
_APART = 0.2
_HEIGHT = 1.7  # inches


class Series(NamedTuple):
    """Numbers of one origin, and their standard deviations; None where there is no number."""

    values: Sequence[float | None]
    sds: Sequence[float | None]


def plot_comparison(
    panels: Mapping[str, Mapping[str, Series]],
    labels: Mapping[str, Sequence[str]],
    *,
    ylabel: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw numbers of several origins beside each other, with bars of one standard deviation each way.

    Parameters
    ----------
    panels : mapping from titles to mappings from origins to Series
        One panel a title, at most four origins.
    labels : mapping from titles to names
        Of the numbers of each panel.
    ylabel : str
    width : float
        Inches.

    Examples
    --------
    >>> one, two = Series([0.5, 0.6], [0.1, 0.1]), Series([0.4, None], [0.1, None])
    >>> figure = plot_comparison({"polbooks": {"published": one, "exact": two}}, {"polbooks": ["L0", "L1"]})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['published', 'exact']
    """
    if not panels or any(len(series) > len(_LOOKS) for series in panels.values()):
        raise DataError(f"plot_comparison takes at least one panel, and up to {len(_LOOKS)} origins in each")
    figure = new_figure(width, _HEIGHT)
    ratios = [len(labels[title]) + 0.5 for title in panels]
    handles = {}
    for axes, (title, series) in zip(
        figure.subplots(1, len(panels), squeeze=False, width_ratios=ratios)[0], panels.items(), strict=True
    ):
        for row, (origin, numbers) in enumerate(series.items()):
            marker, face, edge = _LOOKS[row]
            rows = [
                (x + _APART * (row - (len(series) - 1) / 2), value, sd or 0.0)
                for x, (value, sd) in enumerate(zip(numbers.values, numbers.sds, strict=True))
                if value is not None
            ]
            x, values, sds = zip(*rows, strict=True) if rows else ((), (), ())
            handles[origin] = axes.errorbar(
                x, values, yerr=sds, fmt=marker, markersize=3.2, color=edge, markerfacecolor=face, elinewidth=0.8,
                markeredgewidth=0.8, label=origin,
            )  # fmt: skip
        quiet_axes(axes, grid="y")
        axes.set_title(title, fontsize=SMALL, pad=3, color=INK, parse_math=False)
        axes.set_xlim(-0.6, len(labels[title]) - 0.4)
        name_ticks(axes.xaxis, range(len(labels[title])), labels[title])
    figure.axes[0].set_ylabel(ylabel, fontsize=TEXT, color=INK, labelpad=2)
    figure.legend(
        handles=list(handles.values()), loc="outside lower center", ncols=len(handles), fontsize=SMALL, frameon=False,
        handletextpad=0.2, columnspacing=1.2, borderpad=0,
    )  # fmt: skip
    return figure
