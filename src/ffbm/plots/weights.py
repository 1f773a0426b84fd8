"""Weights of features on blocks: one small panel a block, the features named once a row."""

from collections.abc import Sequence
from math import ceil, isfinite

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ffbm.check import check_int
from ffbm.errors import OptionError
from ffbm.plots.palette import FAINT, INK, block_colour
from ffbm.plots.paper import (
    COLUMN,
    SMALL,
    TEXT,
    first_of,
    name_ticks,
    new_figure,
    quiet_axes,
    round_below,
    short_names,
)
from ffbm.types import Array
from ffbm.types.ranking import Ranking

_SHOWN = 30
_ROW = 0.125  # inches for a feature
_PANEL = 0.4  # inches: no panel is narrower
_NAME = 0.052  # inches for a letter of a name


def plot_weights(
    ranking: Ranking,
    *,
    features: Sequence[str] | None = None,
    n_features: int | None = None,
    centred: bool | None = None,
    marks: Array | None = None,
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw the weights of the first features in each block: their mean, and a bar.

    By the paper's rule the bar is k standard deviations each way. Dotted lines stand at the cutoff -c* and c* where
    there is one and features are left out, a plain line at 0. What reaches over the cutoff (over 0, if there is none)
    with its whole bar is drawn full, the rest hollow.

    Under the rule "inclusion" weights are the centred ones that decisions are made of, and the bar is their 95 %
    interval. Full are those that set the block apart, as a fit decides it, or, if ``marks`` are left out, whose
    interval leaves out 0.

    Parameters
    ----------
    ranking : Ranking
    features : names, optional
        Which features, from top to bottom; the first ``n_features`` of the ranking if left out.
    n_features : int, optional
        The kept ones, 30 at the most, if left out.
    centred : bool, optional
        Weights less their mean over blocks; the cutoff belongs to the others and is not drawn. True under the rule
        "inclusion" and False under the paper's if left out.
    marks : (B, D) bool, optional
        Which centred weights are drawn full.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> from ffbm.ranking import rank_features
    >>> draws = np.random.default_rng(1).normal([[2, 0, 1], [-2, 0, 0]], 0.3, (100, 2, 3))
    >>> figure = plot_weights(rank_features(draws, n_kept=2, names=["a", "b", "c"]))
    >>> len(figure.axes), [text.get_text() for text in figure.axes[0].get_yticklabels()]
    (2, ['a', 'c'])
    """
    shown = _places(ranking, features, n_features)
    centred = ranking.rule == "inclusion" if centred is None else centred
    mean, low, high, meaning = _bars(ranking, shown, centred)
    names = short_names([ranking.names[j] for j in shown])
    cutoff = ranking.cutoff if ranking.n_kept < ranking.n_features and not centred else np.nan
    n_blocks = len(mean)
    n_columns = _columns(n_blocks, width - _NAME * max(map(len, names)) - 0.1)
    n_rows = ceil(n_blocks / n_columns)
    figure = new_figure(width, n_rows * (_ROW * len(shown) + 0.22) + 0.32 + 0.16 * bool(title), title)
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    clear = cutoff if isfinite(cutoff) else 0.0
    is_full = np.minimum(np.abs(low), np.abs(high)) * (np.sign(low) == np.sign(high)) >= max(clear, 1e-12)
    if centred and marks is not None:
        is_full, meaning = marks[:, shown], f"{meaning}; full: sets the block apart"
    for block, axes in enumerate(panels.flat):
        if block >= n_blocks:
            axes.set_visible(False)
            continue
        axes.axvline(0, color=FAINT, linewidth=0.6)
        if isfinite(cutoff):
            for x in (-cutoff, cutoff):
                axes.axvline(x, color=INK, linewidth=0.7, linestyle=(0, (1, 1.5)))
        _draw_bars(axes, mean[block], (low[block], high[block]), is_full[block], block_colour(block))
        axes.set_title(f"block {block}", fontsize=SMALL, pad=2, color=INK)
        quiet_axes(axes)
        axes.tick_params(axis="y", length=0)
        if block + n_columns >= n_blocks:  # the lowest of its column
            axes.tick_params(axis="x", labelbottom=True)
    first = panels[0, 0]
    name_ticks(first.yaxis, range(len(shown)), names)
    first.set_ylim(len(shown) - 0.4, -0.6)
    reach = 1.06 * max(float(np.abs(low).max()), float(np.abs(high).max()), clear, 0.5)
    first.set_xlim(-reach, reach)
    end = round_below(reach) if reach >= 10 else max(reach // 1, 1)
    room = end / reach * 0.65 * (width - _NAME * max(map(len, names)) - 0.1) / n_columns  # the rest lies between panels
    first.set_xticks([0, end] if 2 * _NAME * (len(f"{end:g}") + 1) > room else [-end, 0, end])
    message = f"{'centred weight' if centred else 'weight'}, {meaning}" + (
        f"; dotted: ± c* = {cutoff:.2f}" if isfinite(cutoff) else ""
    )
    if features is None and len(shown) < len(ranking.kept):
        message += first_of(len(shown), ranking.n_features, "feature")
    figure.supxlabel(message, fontsize=TEXT, color=INK)
    return figure


def _bars(ranking: Ranking, shown: Array, centred: bool) -> tuple[Array, Array, Array, str]:
    """Return means and the ends of their bars (B, n), and what the bars are."""
    if centred and ranking.centred_low is not None and ranking.centred_high is not None:
        parts = (ranking.centred_mean, ranking.centred_low, ranking.centred_high)
        mean, low, high = (part[:, shown] for part in parts)
        return mean, low, high, "95 % interval"
    mean, sd = (ranking.centred_mean, ranking.centred_sd) if centred else (ranking.mean, ranking.sd)
    mean, bar = mean[:, shown], ranking.k * sd[:, shown]
    return mean, mean - bar, mean + bar, f"± {ranking.k:g} sd"


def _draw_bars(axes: Axes, mean: Array, ends: tuple[Array, Array], is_full: Array, colour: str) -> None:
    rows = np.arange(len(mean))
    axes.hlines(rows, *ends, linewidth=1.0, color=colour)
    for which, face in ((is_full, colour), (~is_full, "white")):
        axes.plot(
            mean[which], rows[which], linestyle="", marker="o", markersize=2.6, color=colour,
            markerfacecolor=face, markeredgewidth=0.7,
        )  # fmt: skip


def _places(ranking: Ranking, features: Sequence[str] | None, n_features: int | None) -> Array:
    if features is None and n_features is None:
        return ranking.order[: min(_SHOWN, len(ranking.kept))]
    if features is None:
        return ranking.order[: check_int("n_features", n_features, 1, ranking.n_features)]
    index_of = {name: j for j, name in enumerate(ranking.names)}
    unknown = [name for name in features if name not in index_of]
    if unknown or not features:
        message = f"got {unknown[0]!r}" if unknown else "got none"
        raise OptionError(f"features must be names of the ranking, such as {ranking.names[0]!r}; {message}")
    return np.array([index_of[name] for name in features])


def _columns(n_blocks: int, width: float) -> int:
    """Return how many panels stand side by side: as many as fit, and rows as even as they can be."""
    most = max(1, min(int(width / _PANEL), n_blocks))
    return ceil(n_blocks / ceil(n_blocks / most))
