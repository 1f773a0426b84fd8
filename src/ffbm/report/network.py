"""The network as a figure to touch; a graph of its blocks where it is too large for that."""

from base64 import b64encode
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.plain import visible
from ffbm.plots.blockgraph import joining_lines, ring
from ffbm.plots.edges import picture_edges
from ffbm.plots.heatmap import count_edges
from ffbm.plots.layout import lay_out
from ffbm.plots.palette import block_colour
from ffbm.report.figurestyle import OUTLINE, colours, hollow, new_chart, shape, tell
from ffbm.report.scene import Scene
from ffbm.types import Array

MOST_NODES, MOST_EDGES = 2_000, 50_000  # beyond, the graph of blocks
_LINES = 1_500  # edges up to which each is a line of its own; beyond, they are one picture: quick everywhere
SURE = 0.9  # a vertex in its block less often is drawn hollow
HIGHLIGHTED = 500  # features that can be highlighted
_LISTED = 12  # features listed for a vertex
_COUNTED = 8  # blocks up to which there is room for edge counts at all lines
_COUNTS = 12  # counts written where there are more
_HEIGHT = 560


def is_large(scene: Scene) -> bool:
    """Return whether the network would be a hairball."""
    net = scene.network
    return net.n_nodes > MOST_NODES or net.n_edges > MOST_EDGES


def draw_network(scene: Scene) -> Any:
    """Draw vertices in the colours of their blocks over their edges; hollow ones are uncertain."""
    from bokeh.models import ColumnDataSource, PanTool, TapTool, WheelZoomTool

    net, members = scene.network, scene.members
    positions = lay_out(net.graph, members.labels).round(4)
    texts = vertex_texts(scene)
    tips = [
        ("vertex", "@id"),
        ("block", "@called, @sure of draws"),
        ("memberships", "@members"),
        ("features", "@features"),
    ]
    chart = new_chart(_HEIGHT, tips=tips, match_aspect=True)
    _bare(chart)
    _draw_edges(chart, scene, positions)
    selected = ColumnDataSource({"x0": [], "y0": [], "x1": [], "y1": []}, name="own-edges")
    chart.segment("x0", "y0", "x1", "y1", source=selected, line_color="#e0007a", line_width=1.2, line_alpha=0.8)
    sure = members.probs.max(axis=1)
    is_sure, looks, called = sure >= SURE, scene.looks[members.labels], [visible(str(name)) for name in scene.called]
    source = ColumnDataSource(
        {
            "x": positions[:, 0].tolist(), "y": positions[:, 1].tolist(), **texts,
            "block": members.labels.tolist(), "sure": [f"{p:.0%}" for p in sure], "colour": colours(looks),
            "called": [called[r] for r in members.labels],
            "shape": [shape(r) for r in looks], "full": np.where(is_sure, 0.95, 0.1).tolist(),
            "shown": np.ones(net.n_nodes).tolist(),
            "edge": [OUTLINE if good else hollow(r) for good, r in zip(is_sure, looks, strict=True)],
            "thick": np.where(is_sure, 0.7, 2.0).tolist(),
        },
        name="vertices",
    )  # fmt: skip
    size = float(np.clip(260 / np.sqrt(max(net.n_nodes, 1)), 7, 15))
    dots = chart.scatter(
        "x", "y", source=source, marker="shape", size=size, fill_color="colour", fill_alpha="full", line_color="edge",
        line_alpha="shown", line_width="thick", name="dots",
    )  # fmt: skip
    _number_blocks(chart, scene, positions)
    dots.selection_glyph = dots.nonselection_glyph = None
    tell(chart, dots)
    zoom, pan = WheelZoomTool(modifiers="ctrl"), PanTool()  # the wheel alone moves the page
    chart.add_tools(zoom, pan, TapTool(renderers=[dots]))
    chart.toolbar.active_drag, chart.toolbar.active_scroll = pan, zoom
    return chart


def draw_block_graph(scene: Scene) -> Any:
    """Draw each block as a disc by its size, joined by lines by their edge counts; the largest counts are written."""
    from bokeh.models import ColumnDataSource

    counts, _ = edge_counts(scene)
    is_directed = scene.network.graph.is_directed
    tips = [
        ("block", "@called"),
        ("vertices", "@vertices"),
        ("edges inside", "@inside"),
        ("edges to others", "@outside"),
        *([("edges from others", "@back")] if is_directed else []),
    ]
    chart = new_chart(_HEIGHT, tips=tips, match_aspect=True, x_range=(-2.1, 2.1), y_range=(-1.4, 1.4))
    _bare(chart)
    x, y = ring(len(counts))
    lines = joining_lines(counts, is_directed)
    r, s = lines.first, lines.second
    chart.segment(x[r], y[r], x[s], y[s], line_width=0.5 + 9 * lines.width, line_color="#888888", line_alpha=0.5)
    sizes = scene.members.sizes
    source = ColumnDataSource(
        {
            "x": x, "y": y, "called": [visible(str(name)) for name in scene.called],
            "vertices": [f"{n:,}" for n in sizes], "inside": [f"{n:,}" for n in np.diag(counts)],
            "colour": colours(scene.looks),
            "outside": [f"{n:,}" for n in counts.sum(axis=1) - np.diag(counts)],
            "back": [f"{n:,}" for n in counts.sum(axis=0) - np.diag(counts)],
            "size": 22 + 58 * np.sqrt(sizes / max(sizes.max(initial=1), 1)),
            "text": [f"{n:,} vertices" if n != 1 else "1 vertex" for n in sizes],
        }
    )  # fmt: skip
    tell(
        chart,
        chart.scatter("x", "y", source=source, size="size", fill_color="colour", line_color="#ffffff", name="discs"),
    )
    if not scene.has_names:
        chart.scatter("x", "y", source=source, size=20, fill_color="#ffffff", line_color=None)
    chart.text(
        "x", "y", "called", source=source, text_align="center", text_baseline="middle", text_font_size="13px",
        text_color="#222222", name="fixed",
        **({"background_fill_color": "#ffffff", "padding": 3, "border_radius": 4} if scene.has_names else {}),
    )  # fmt: skip
    few = len(counts) <= _COUNTED
    if few:  # there is room for the sizes of blocks, outside of their ring
        chart.text(
            1.28 * x, 1.24 * y, source.data["text"], text_align="center", text_baseline="middle", text_font_size="12px",
            name="sizes",
        )  # fmt: skip
    shown = slice(None) if few else slice(0, _COUNTS)
    r, s = r[shown], s[shown]
    chart.text(  # off the middle, where lines cross
        0.62 * x[r] + 0.38 * x[s], 0.62 * y[r] + 0.38 * y[s], [f"{k:,}" for k in lines.edges[shown]],
        text_align="center", text_baseline="middle", text_font_size="12px", background_fill_color="#ffffffcc",
        text_color="#222222", padding=2, name="fixed",
    )  # fmt: skip
    return chart


def edge_counts(scene: Scene) -> tuple[Array, Array]:
    """Return edges between blocks, and edges for each pair of their vertices: see ``count_edges``."""
    return count_edges(scene.network.graph, scene.members)


def vertex_texts(scene: Scene) -> dict[str, list[str]]:
    """Return for each vertex its id, its memberships and its first features by rank, as text."""
    net, probs, called = scene.network, scene.members.probs, scene.called
    members = []
    for row in probs:
        main = [r for r in np.argsort(-row, kind="stable")[:4] if row[r] >= 0.005]
        members.append(visible(", ".join(f"block {called[r]}: {row[r]:.0%}" for r in main)))
    return {"id": [visible(str(i)) for i in net.node_ids], "members": members, "features": _features(scene)}


def _features(scene: Scene) -> list[str]:
    features = scene.network.features
    rank = np.argsort(scene.order)
    x = sp.csr_array(features.values)
    texts = []
    for i in range(x.shape[0]):
        part = slice(x.indptr[i], x.indptr[i + 1])
        held = sorted(zip(x.indices[part], x.data[part], strict=True), key=lambda pair: rank[pair[0]])
        held = [(j, value) for j, value in held if value != 0]
        lines = [
            features.names[j] if not features.is_number[j]
            else f"{features.names[j]} = {value * features.sd[j] + features.mean[j]:.4g}"
            for j, value in held[:_LISTED]
        ]  # fmt: skip
        more = f" and {len(held) - _LISTED} more" if len(held) > _LISTED else ""
        texts.append(visible(", ".join(lines) + more) or "none")
    return texts


def network_data(scene: Scene) -> dict[str, Any]:
    """Return what the page's script needs to highlight: the ends of edges, and the vertices of each feature."""
    net = scene.network
    x = sp.csc_array(net.features.values)
    features = {}
    for j in scene.order[:HIGHLIGHTED]:
        part = slice(x.indptr[j], x.indptr[j + 1])
        vertices = x.indices[part][x.data[part] > 0]
        features[visible(net.features.names[j])] = sorted(vertices.tolist())
    return {
        "edges": net.graph.edges.ravel().tolist(),
        "features": features,
        "sizes": scene.members.sizes.tolist(),
        "names": [visible(str(name)) for name in scene.called],
    }


def _number_blocks(chart: Any, scene: Scene, positions: Array) -> None:
    """Write the number of each block, or its name, at its vertex nearest to the middle of them."""
    labels = scene.members.labels
    numbers, at = np.unique(labels), []
    for block in numbers:
        members = positions[labels == block]
        at.append(members[np.argmin(((members - np.median(members, axis=0)) ** 2).sum(axis=1))])
    x, y = np.array(at).reshape(-1, 2).T
    ring, boxed = colours(scene.looks[numbers]), {}
    if scene.has_names:
        boxed = {"background_fill_color": "#ffffffdd", "padding": 3, "border_line_color": ring, "border_radius": 4}
    else:
        chart.scatter(x, y, size=19, fill_color="#ffffff", line_color=ring, line_width=2, fill_alpha=0.9)
    chart.text(
        x, y, [visible(str(scene.called[block])) for block in numbers], text_align="center", text_baseline="middle",
        text_font_size="12px", text_color="#222222", name="fixed", **boxed,
    )  # fmt: skip


def _bare(chart: Any) -> None:
    chart.axis.visible = False
    chart.grid.visible = False


def _draw_edges(chart: Any, scene: Scene, positions: Array) -> None:
    graph, labels = scene.network.graph, scene.members.labels
    looks = scene.looks[labels]
    low, high = positions.min(axis=0), positions.max(axis=0)
    pad = 0.03 * max(float((high - low).max()), 1e-6)
    (left, bottom), (right, top) = low - pad, high + pad
    if graph.n_edges > _LINES:
        png = b64encode(picture_edges(graph, positions, labels, (left, right, bottom, top))).decode()
        chart.image_url(
            url=[f"data:image/png;base64,{png}"], x=[left], y=[bottom], w=[right - left], h=[top - bottom],
            anchor="bottom_left",
        )  # fmt: skip
        return
    ends = graph.edges
    inside = labels[ends[:, 0]] == labels[ends[:, 1]]
    ink = [block_colour(int(r)) if same else "#888888" for r, same in zip(looks[ends[:, 0]], inside, strict=True)]
    x, y = positions.T
    chart.segment(x[ends[:, 0]], y[ends[:, 0]], x[ends[:, 1]], y[ends[:, 1]], line_alpha=0.35, line_color=ink)
    if has_arrows(scene):
        way, at = positions[ends[:, 1]] - positions[ends[:, 0]], positions[ends].mean(axis=1)
        chart.scatter(
            at[:, 0], at[:, 1], marker="triangle", size=6, angle=np.arctan2(way[:, 1], way[:, 0]) - np.pi / 2,
            fill_color=ink, fill_alpha=0.6, line_color=None, name="arrows",
        )  # fmt: skip


def has_arrows(scene: Scene) -> bool:
    """Return whether edges have a direction and each is a line of its own, with room to show it."""
    graph = scene.network.graph
    return graph.is_directed and graph.n_edges <= _LINES and not is_large(scene)
