"""The paper that figures are drawn on: width of a column, sizes of text, quiet axes, files."""

import io
import os
from collections.abc import Sequence
from math import floor, log10
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ffbm.check import check_real
from ffbm.plain import count_of
from ffbm.plots.palette import FAINT, INK

COLUMN = 3.4  # inches: one column of a two-column page
TEXT, SMALL = 7.5, 6.5  # points
_LINE = 0.6
_LEAST = 2.0  # inches: below, text and panels do not fit
_DPI, _SCREEN = 300, 200  # of files, and in notebooks
_HEAD = 6  # letters of a name that are never cut


class ShownFigure(Figure):
    """A figure that a notebook shows by itself, without pyplot."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_SCREEN)
        return file.getvalue()


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Return an empty figure whose parts make room for each other, with a title above all of them."""
    width = check_real("width", width, low=_LEAST)
    figure = ShownFigure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.03)  # type: ignore[union-attr,call-arg]
    if title:
        figure.suptitle(title, fontsize=TEXT, color=INK, parse_math=False)
    return figure


def new_axes(width: float, height: float, title: str = "") -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes."""
    figure = new_figure(width, height, title)
    return figure, figure.subplots()


def quiet_axes(axes: Axes, *, grid: str | None = None) -> None:
    """Take away the frame above and to the right, thin out the rest, and set the size of the text."""
    axes.spines[["top", "right"]].set_visible(False)
    for spine in axes.spines.values():
        spine.set_linewidth(_LINE)
        spine.set_color(FAINT)
    axes.tick_params(labelsize=SMALL, width=_LINE, length=2, pad=2, color=FAINT, labelcolor=INK)
    if grid is not None:
        axes.grid(axis=grid, linewidth=0.3, color="#dddddd")  # type: ignore[arg-type]
        axes.set_axisbelow(True)


def name_ticks(axis: Any, positions: Sequence[float], names: Sequence[str]) -> None:
    """Put names at places of an axis; a dollar sign in a name is a dollar sign."""
    axis.set_ticks(positions)
    axis.set_ticklabels(names, parse_math=False)


def block_ticks(n_blocks: int) -> list[int]:
    """Return which blocks have their number at an axis: about twenty, so that numbers never run into each other.

    >>> block_ticks(3), block_ticks(64)[:3], len(block_ticks(400))
    ([0, 1, 2], [0, 5, 10], 20)
    """
    step = next(step * ten for ten in (1, 10, 100, 1000) for step in (1, 2, 5) if step * ten * 20 >= n_blocks)
    return list(range(0, n_blocks, step))


def first_of(shown: int, number: int, noun: str) -> str:
    r"""Say in a line of its own that a figure shows the first of more; nothing if it shows all.

    >>> first_of(30, 1160, "feature"), first_of(2, 2, "feature")
    ('\nfirst 30 of 1,160 features', '')
    """
    return f"\nfirst {shown} of {count_of(number, noun)}" if shown < number else ""


def round_below(value: float) -> float:
    """Return the largest of ..., 1, 2, 5, 10, 20, ... that is not above a positive number.

    >>> round_below(232.0), round_below(0.7), round_below(5.0)
    (200.0, 0.5, 5.0)
    """
    ten = 10.0 ** floor(log10(value))
    return max(step * ten for step in (1, 2, 5) if step * ten <= value)


def short_names(names: Sequence[str], width: int = 24) -> list[str]:
    """Shorten names that are longer than ``width``, so that they stay different.

    What all names share in the middle goes first, then the middle of what is still too long.

    >>> short_names(["education;school;id;anonymized feature 5", "birthday;anonymized feature 7"])
    ['education;school;id…5', 'birthday…7']
    >>> short_names(["a", "b"])
    ['a', 'b']
    """
    if all(len(name) <= width for name in names):
        return list(names)
    shared = _shared_middle(names)
    lean = [name[:_HEAD] + name[_HEAD:].replace(shared, "…", 1) for name in names] if shared else list(names)
    tail = (width - 1) // 2
    cut = [name if len(name) <= width else f"{name[: width - 1 - tail]}…{name[-tail:]}" for name in lean]
    return cut if len(set(cut)) == len(set(names)) else [f"{name[: width - 4]}…{i}" for i, name in enumerate(lean)]


def _shared_middle(names: Sequence[str]) -> str:
    """Return the longest piece of at least 5 letters that all names have behind their heads; "" if there is none."""
    rests = [name[_HEAD:] for name in names]
    first = min(rests, key=len)
    longest = ""
    if len(set(names)) > 1:
        for i in range(len(first)):
            for j in range(i + max(len(longest) + 1, 5), len(first) + 1):
                if not all(first[i:j] in rest for rest in rests):
                    break
                longest = first[i:j]
    return longest


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a figure as PNG or PDF, by the ending of the path; the same figure gives the same bytes.

    Text in a PDF stays text, and no date is written.
    """
    date: dict[str, Any] = {"CreationDate": None} if Path(path).suffix == ".pdf" else {}
    with mpl.rc_context({"pdf.fonttype": 42}):
        figure.savefig(path, dpi=_DPI, metadata=date or None)
