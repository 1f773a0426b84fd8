"""The graph of blocks: what is left of a network that is too large to draw vertex by vertex."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ffbm.plots.heatmap import count_edges, short_count
from ffbm.plots.palette import INK, block_colour
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_axes
from ffbm.types import Array, Graph, Memberships

_COUNTED = 8  # blocks up to which the edges of every line are written
_COUNTS = 12  # counts written where there are more


class Lines(NamedTuple):
    """Lines between pairs of blocks, the one with the most edges first."""

    first: Array
    second: Array
    edges: Array
    width: Array  # from 0 to 1, by the root of the edges


def plot_block_graph(
    graph: Graph,
    members: Memberships,
    *,
    names: Sequence[Any] | None = None,
    styles: Array | None = None,
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw each block as a disc by its number of vertices, joined by lines by their number of edges.

    Numbers at discs are vertices and, in brackets, edges inside; numbers at lines are edges between blocks, either way
    if they have a direction, of all lines up to 8 blocks and of the 12 widest with more.

    Parameters
    ----------
    graph : Graph
    members : Memberships
        Vertices count in the block in which they were most often.
    names : texts, optional
        What blocks are called; their numbers if left out.
    styles : (B,) int, optional
        The number whose colour a block has; its own if left out.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.as_network([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> members = Memberships(np.eye(2)[labels], labels, 1.0, np.array([[[0, 1]]]))
    >>> sorted(text.get_text() for text in plot_block_graph(net.graph, members).axes[0].texts)
    ['0', '1', '1', '2 (1)', '3 (3)']
    """
    counts, _ = count_edges(graph, members)
    n_blocks = len(counts)
    called = [str(name) for name in (range(n_blocks) if names is None else names)]
    looks = np.arange(n_blocks) if styles is None else styles
    x, y = ring(n_blocks)
    figure, axes = new_axes(width, 0.72 * width + 0.18 * bool(title))
    axes.set_axis_off()
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(-2.2, 2.2)
    axes.set_ylim(-1.5, 1.5)
    lines = joining_lines(counts, graph.is_directed)
    for number, (r, s, edges, wide) in enumerate(zip(*lines, strict=True)):
        axes.plot(x[[r, s]], y[[r, s]], color="#999999", linewidth=0.3 + 4 * wide, alpha=0.6, solid_capstyle="round")
        if n_blocks <= _COUNTED or number < _COUNTS:
            axes.text(
                0.62 * x[r] + 0.38 * x[s], 0.62 * y[r] + 0.38 * y[s], short_count(int(edges)), fontsize=5, color=INK,
                ha="center", va="center", zorder=3,
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
            )  # fmt: skip
    sizes = members.sizes
    area = 60 + 340 * sizes / max(int(sizes.max(initial=1)), 1)
    axes.scatter(x, y, s=area, color=[block_colour(int(look)) for look in looks], edgecolors="white", zorder=2)
    for r in range(n_blocks):
        axes.text(
            x[r], y[r], called[r], fontsize=SMALL, color=INK, ha="center", va="center", zorder=3, parse_math=False,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
        )  # fmt: skip
        if n_blocks <= _COUNTED:
            inside = f"{short_count(int(sizes[r]))} ({short_count(int(counts[r, r]))})"
            axes.text(1.32 * x[r], 1.32 * y[r], inside, fontsize=5, color=INK, ha="center", va="center")
    message = "discs: vertices (edges inside); lines: edges between blocks"
    if n_blocks > _COUNTED:
        few = f"; numbers: edges, of the {_COUNTS} widest" if len(lines.edges) > _COUNTS else "; numbers: edges"
        message = f"larger discs: more vertices; wider lines: more edges{few}"
    figure.supxlabel(message, fontsize=SMALL, color=INK)
    if title:
        axes.set_title(title, fontsize=TEXT, color=INK, pad=2, parse_math=False)
    return figure


def ring(n_blocks: int) -> tuple[Array, Array]:
    """Return where blocks stand, around an ellipse from the left end of its upper half on.

    >>> [abs(part).round(6).tolist() for part in ring(2)]
    [[0.0, 0.0], [1.0, 1.0]]
    """
    angle = 2 * np.pi * np.arange(n_blocks) / max(n_blocks, 1) - np.pi / 2
    return -np.cos(angle) * 1.5, -np.sin(angle)


def joining_lines(counts: Array, is_directed: bool) -> Lines:
    """Return the pairs of blocks with edges between them, either way if they have a direction.

    >>> joining_lines(np.array([[5, 2, 0], [2, 1, 3], [0, 3, 4]]), is_directed=False).edges.tolist()
    [3, 2]
    """
    r, s = np.triu_indices(len(counts), 1)
    edges = counts[r, s] + (counts[s, r] if is_directed else 0)
    first = np.argsort(-edges, kind="stable")[: np.count_nonzero(edges)]
    edges = edges[first]
    return Lines(r[first], s[first], edges, np.sqrt(edges / max(int(edges.max(initial=1)), 1)))
