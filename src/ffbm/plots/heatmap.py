"""Tables of numbers as colours: weights of features by block, edges between blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from ffbm.check import check_int
from ffbm.plots.palette import FAINT, INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, block_ticks, first_of, name_ticks, new_axes, short_names
from ffbm.types import Array, Graph, Memberships
from ffbm.types.ranking import Ranking

_ROW = 0.14  # inches for a feature
_SHOWN = 20
NUMBERED = 12  # blocks up to which there is room for numbers in cells


def plot_heatmap(
    ranking: Ranking,
    *,
    n_features: int | None = None,
    marks: Array | None = None,
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw the centred weights of the first features in each block as colours, with a dot where they are clear of 0.

    Red is more often in the block, blue less often. A dot stands where the feature sets the block apart, as a fit
    decides it, or, if ``marks`` are left out, where the 95 % interval leaves out 0.

    Parameters
    ----------
    ranking : Ranking
    n_features : int, optional
        How many; 20 or all if left out.
    marks : (B, D) bool, optional
        Where dots stand.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> from ffbm.ranking import rank_features
    >>> draws = np.random.default_rng(1).normal([[2, 0], [-2, 0]], 0.3, (100, 2, 2))
    >>> figure = plot_heatmap(rank_features(draws, n_kept=1, names=["a", "b"]))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['a', 'b']
    """
    d = ranking.n_features
    n = min(_SHOWN, d) if n_features is None else check_int("n_features", n_features, 1, d)
    features = ranking.order[:n]
    mean = ranking.centred_mean[:, features].T
    figure, axes = new_axes(width, _ROW * n + 0.55 + 0.18 * bool(title))
    reach = max(float(np.abs(mean).max()), 1e-9)
    image = axes.imshow(mean, cmap="RdBu_r", norm=TwoSlopeNorm(0, -reach, reach), aspect="auto")
    row, block = np.nonzero((ranking.is_clear if marks is None else marks)[:, features].T)
    axes.plot(
        block, row, linestyle="", marker="o", markersize=2, color="white", markeredgecolor=INK, markeredgewidth=0.4
    )
    name_ticks(axes.yaxis, range(n), short_names([ranking.names[j] for j in features]))
    axes.xaxis.set_ticks(block_ticks(ranking.n_blocks))
    meaning = "95 % leave out 0" if marks is None else "sets the block apart"
    _finish(figure, axes, image, f"centred weight; dot: {meaning}{first_of(n, d, 'feature')}", title)
    return figure


def plot_block_matrix(
    graph: Graph,
    members: Memberships,
    *,
    names: Sequence[Any] | None = None,
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw edges per pair of vertices between blocks as colours, on a logarithmic scale; numbers are edges.

    Directed edges lead from the block of the row to that of the column.

    Parameters
    ----------
    graph : Graph
    members : Memberships
        Vertices count in the block in which they were most often.
    names : texts, optional
        What blocks are called; their numbers if left out.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.as_network([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> members = Memberships(np.eye(2)[labels], labels, 1.0, np.array([[[0, 1]]]))
    >>> [text.get_text() for text in plot_block_matrix(net.graph, members).axes[0].texts]
    ['3', '1', '1', '1']
    """
    counts, density = count_edges(graph, members)
    n_blocks = len(counts)
    with np.errstate(divide="ignore"):
        depth = np.log10(density)
    figure, axes = new_axes(width, 0.85 * width + 0.18 * bool(title))
    image = axes.imshow(np.where(np.isfinite(depth), depth, np.nan), cmap="Greens")
    axes.set_facecolor("#f2f2f2")
    low, high = image.get_clim()
    middle = 0.4 * (low or 0.0) + 0.6 * (high or 0.0)
    if n_blocks <= NUMBERED:
        for r, s in np.ndindex(counts.shape):
            dark = depth[r, s] > middle  # never for minus infinity and NaN
            axes.text(
                s,
                r,
                short_count(int(counts[r, s])),
                ha="center",
                va="center",
                fontsize=5,
                color="white" if dark else INK,
            )
    for axis in (axes.xaxis, axes.yaxis):
        if names is None:
            axis.set_ticks(block_ticks(n_blocks))
        else:
            name_ticks(axis, range(n_blocks), short_names([str(name) for name in names]))
    if names is not None:
        axes.tick_params(axis="x", labelrotation=90)
    axes.set_ylabel("from block" if graph.is_directed else "block", fontsize=TEXT, color=INK, labelpad=1)
    across = "to block" if graph.is_directed else "block"
    _finish(figure, axes, image, "log10 of edges per pair of vertices", title, across)
    return figure


def count_edges(graph: Graph, members: Memberships) -> tuple[Array, Array]:
    """Return edges between blocks r and s, and edges for each pair of their vertices, both (B, B) and symmetric.

    An edge inside a block counts once; the density is NaN where there is no pair. Of a directed graph they are those
    from r to s, for each ordered pair of vertices.
    """
    n_blocks, n = members.n_blocks, members.sizes.astype(np.float64)
    ends = members.labels[graph.edges]
    if not graph.is_directed:
        ends = np.sort(ends, axis=1)
    counts = np.bincount(ends[:, 0] * n_blocks + ends[:, 1], minlength=n_blocks**2).reshape(n_blocks, n_blocks)
    pairs = np.outer(n, n)
    if graph.is_directed:
        np.fill_diagonal(pairs, n * (n - 1))
    else:
        counts = counts + np.triu(counts, 1).T
        np.fill_diagonal(pairs, n * (n - 1) / 2)
    return counts, np.where(pairs > 0, counts / np.maximum(pairs, 1), np.nan)


def short_count(number: int) -> str:
    """Write a number in at most five letters, for a small cell.

    >>> [short_count(n) for n in (9_999, 15_216, 2_345_678, 1_200_000_000)]
    ['9,999', '15k', '2.3M', '1200M']
    """
    if number < 10_000:
        return f"{number:,}"
    if number < 999_500:
        return f"{number / 1e3:.0f}k"
    return f"{number / 1e6:.{0 if number >= 1e7 else 1}f}M"


def _finish(figure: Figure, axes: Axes, image: AxesImage, label: str, title: str, across: str = "block") -> None:
    axes.tick_params(labelsize=SMALL, length=0, pad=2, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(across, fontsize=TEXT, color=INK, labelpad=1)
    bar = figure.colorbar(image, ax=axes, location="bottom", aspect=40, pad=0.02)
    bar.ax.tick_params(labelsize=SMALL, length=2, color=FAINT, labelcolor=INK)
    bar.outline.set_visible(False)
    bar.set_label(label, fontsize=SMALL, color=INK)
    if title:
        axes.set_title(title, fontsize=TEXT, color=INK, pad=3, parse_math=False)
