"""A network with its vertices coloured by block."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ffbm.errors import DataError
from ffbm.plots.layout import lay_out
from ffbm.plots.palette import INK, block_colour, block_marker
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_axes
from ffbm.types import Array, Graph, Memberships, Network

_MOST_EDGES = 60_000  # beyond, a random part is drawn: more ink shows less
_ARROWS = 1_500  # directed edges up to which each has an arrow head in its middle
_VECTOR_EDGES = 5_000  # beyond, edges are one picture in a PDF
_LEGEND_ROW = 5


def plot_network(
    net: Network,
    members: Memberships | Array,
    *,
    positions: Array | None = None,
    seed: int = 0,
    names: Sequence[Any] | None = None,
    styles: Array | None = None,
    title: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw a network with its vertices coloured by block, the blocks numbered, and a legend with their sizes.

    Parameters
    ----------
    net : Network
    members : Memberships or (N,) labels
        A vertex is drawn in the block in which it was most often, paler the less sure that is.
    positions : (N, 2) array, optional
        Where vertices stand; see ``lay_out`` for what is done if left out.
    seed : int
        Of the layout: the same seed gives the same picture.
    names : texts, optional
        What blocks are called; their numbers if left out.
    styles : (B,) int, optional
        The number whose colour and marker a block has; its own if left out.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.as_network([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    >>> figure = plot_network(net, np.array([0, 0, 0, 1, 1]))
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['0 (3)', '1 (2)']
    """
    labels, sure = _read(net, members)
    n_blocks = int(labels.max(initial=0)) + 1
    if isinstance(members, Memberships):
        n_blocks = members.n_blocks
    xy = lay_out(net.graph, labels, seed) if positions is None else np.asarray(positions, dtype=np.float64)
    if xy.shape != (net.n_nodes, 2):
        raise DataError(f"positions must have shape ({net.n_nodes}, 2); got {xy.shape}")
    looks = np.arange(n_blocks) if styles is None else np.asarray(styles)
    called = [str(name) for name in (range(n_blocks) if names is None else names)]
    span = np.ptp(xy, axis=0) if len(xy) else np.ones(2)
    tall = float(np.clip(span[1] / max(span[0], 1e-12), 0.45, 1.1))
    n_rows = -(-n_blocks // _LEGEND_ROW)
    figure, axes = new_axes(width, tall * width + 0.15 * (n_rows + 1) + 0.18 * bool(title))
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.margins(0.03)
    hidden = draw_edges(axes, net.graph, xy, looks[labels], seed)
    draw_vertices(axes, net, xy, labels, sure, n_blocks, styles=looks)
    _number_blocks(axes, xy, labels, called, looks)
    sizes = np.bincount(labels, minlength=n_blocks)
    parts = [title] if title else []
    if hidden:
        parts.append(f"{net.n_edges - hidden:,} of {net.n_edges:,} edges drawn")
    if parts:
        axes.set_title("; ".join(parts), fontsize=TEXT, color=INK, pad=2, parse_math=False)
    _draw_legend(figure, sizes, called, looks)
    return figure


def _read(net: Network, members: Memberships | Array) -> tuple[Array, Array]:
    """Return the block of each vertex and how sure it is."""
    if isinstance(members, Memberships):
        labels, sure = members.labels, members.probs.max(axis=1, initial=0)
    else:
        labels = np.asarray(members)
        sure = np.ones(len(labels))
    if labels.shape != (net.n_nodes,) or labels.dtype.kind not in "iu" or labels.min(initial=0) < 0:
        raise DataError(
            f"members must be Memberships or a block number for each of the {net.n_nodes:,} vertices;"
            f" got {labels.dtype} of shape {labels.shape}"
        )
    return labels, sure


def draw_edges(axes: Axes, graph: Graph, positions: Array, labels: Array, seed: int) -> int:
    """Draw edges, those inside a block in its colour; return how many are left out.

    Few directed edges have an arrow head in the middle.
    """
    edges = graph.edges
    if len(edges) > _MOST_EDGES:
        sample = np.random.default_rng(seed).choice(len(edges), _MOST_EDGES, replace=False)
        edges = edges[np.sort(sample)]
    strength = float(np.clip(30 / np.sqrt(max(len(edges), 1)), 0.06, 0.6))
    inside = labels[edges[:, 0]] == labels[edges[:, 1]]
    for chosen, colours, alpha in (
        (edges[~inside], "#777777", 0.7 * strength),
        (edges[inside], [block_colour(r) for r in labels[edges[inside, 0]]], strength),
    ):
        lines = LineCollection(
            positions[chosen],
            colors=colours,
            linewidths=0.35,
            alpha=alpha,
            rasterized=len(edges) > _VECTOR_EDGES,
        )
        axes.add_collection(lines)
        if graph.is_directed and len(edges) <= _ARROWS:
            _draw_arrows(axes, positions[chosen], colours, min(1.0, 2 * alpha))
    return len(graph.edges) - len(edges)


def _draw_arrows(axes: Axes, ends: Array, colours: str | list[str], alpha: float) -> None:
    """Draw an arrow head in the middle of each line, ends (E, 2, 2), all of one size."""
    direction = ends[:, 1] - ends[:, 0]
    direction = direction / np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    axes.quiver(
        *ends.mean(axis=1).T, *direction.T, color=colours, alpha=alpha, pivot="mid", units="inches",
        scale_units="inches", scale=1 / 0.045, width=0.009, headwidth=4, headlength=5, headaxislength=5, minlength=0,
        linewidths=0,
    )  # fmt: skip


def draw_vertices(
    axes: Axes,
    net: Network,
    positions: Array,
    labels: Array,
    sure: Array,
    n_blocks: int,
    scale: float = 1.0,
    styles: Array | None = None,
) -> None:
    """Draw vertices in the colours and markers of their blocks, paler the less sure."""
    size = scale * float(np.clip(3000 / max(net.n_nodes, 1), 2, 18))
    for block, style in enumerate(range(n_blocks) if styles is None else styles.tolist()):
        inside = labels == block
        axes.scatter(
            positions[inside, 0], positions[inside, 1], s=size, color=block_colour(style), marker=block_marker(style),
            alpha=np.clip(sure[inside], 0.25, 1), linewidths=0.25, edgecolors="white", zorder=2,
            rasterized=net.n_nodes > _VECTOR_EDGES,
        )  # fmt: skip


def _number_blocks(axes: Axes, positions: Array, labels: Array, called: list[str], looks: Array) -> None:
    """Write the number of each block, or its name, at its vertex nearest to the middle of them."""
    box = "circle,pad=0.22" if max(map(len, called)) < 3 else "round,pad=0.2"
    for block, name in enumerate(called):
        members = positions[labels == block]
        if len(members):
            middle = np.median(members, axis=0)
            at = members[np.argmin(((members - middle) ** 2).sum(axis=1))]
            axes.text(
                at[0], at[1], name, fontsize=SMALL, color=INK, ha="center", va="center", zorder=3, parse_math=False,
                bbox={"boxstyle": box, "facecolor": "white", "edgecolor": block_colour(int(looks[block])),
                      "linewidth": 0.9, "alpha": 0.9},
            )  # fmt: skip


def _draw_legend(figure: Figure, sizes: Array, called: list[str], looks: Array) -> None:
    handles = [
        Line2D([], [], linestyle="", marker=block_marker(look), color=block_colour(look), markersize=4,
               label=f"{name} ({size})")
        for name, size, look in zip(called, sizes, looks.tolist(), strict=True)
    ]  # fmt: skip
    columns = min(len(handles), _LEGEND_ROW)
    figure.legend(
        handles=handles, loc="outside lower center", ncols=columns, fontsize=SMALL, frameon=False, handletextpad=0.1,
        columnspacing=0.8, borderpad=0, labelspacing=0.25, title="block (vertices)", title_fontsize=SMALL,
    )  # fmt: skip
