"""The edges of a network as a picture of their own, to lie under vertices that are drawn by others."""

from io import BytesIO

from matplotlib.figure import Figure

from ffbm.plots.network import draw_edges
from ffbm.types import Array, Graph

_WIDE = 1400  # pixels
_DPI = 200


def picture_edges(graph: Graph, positions: Array, labels: Array, reach: tuple[float, float, float, float]) -> bytes:
    r"""Return a transparent PNG of the edges, those inside a block in its colour.

    Parameters
    ----------
    graph : Graph
    positions : (N, 2)
        Where vertices stand.
    labels : (N,)
        The block of each.
    reach : left, right, low, high
        What the picture covers.

    Examples
    --------
    >>> import numpy as np
    >>> graph = Graph.from_edges([0, 1], [1, 2], 3)
    >>> picture_edges(graph, np.eye(3)[:, :2], np.array([0, 0, 1]), (0, 1, 0, 1))[:4]
    b'\x89PNG'
    """
    left, right, low, high = reach
    tall = (high - low) / (right - left)
    figure = Figure(figsize=(_WIDE / _DPI, tall * _WIDE / _DPI), dpi=_DPI)
    figure.patch.set_alpha(0)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    draw_edges(axes, graph, positions, labels, 0)
    out = BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, transparent=True)
    return out.getvalue()
