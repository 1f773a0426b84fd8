"""The modes of the partitions: one small picture of the network for each."""

from matplotlib.figure import Figure

from ffbm.plots.layout import lay_out
from ffbm.plots.network import draw_edges, draw_vertices
from ffbm.plots.palette import INK
from ffbm.plots.paper import COLUMN, SMALL, TEXT, new_figure
from ffbm.types import Memberships, Network

_MOST = 8  # modes drawn


def plot_modes(net: Network, members: Memberships, *, seed: int = 0, title: str = "", width: float = COLUMN) -> Figure:
    """Draw the network once for each mode, vertices in the same places and in the colours of that mode's blocks.

    The title of a panel is the mode's share of the draws, where a chain went from one mode to another, and the share
    of the vertices that change block from mode 0.

    Parameters
    ----------
    net : Network
    members : Memberships
    seed : int
        Of the layout.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import ffbm, numpy as np
    >>> net = ffbm.as_network([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> members = Memberships(np.eye(2)[labels], labels, 1.0, np.array([[[0, 1]]]))
    >>> plot_modes(net, members).axes[0].get_title()
    'mode 0: 100% of draws'
    """
    positions = lay_out(net.graph, members.labels, seed)
    modes = members.modes[:_MOST]
    columns = min(len(modes), 2)
    rows = -(-len(modes) // columns)
    figure = new_figure(width, rows * (0.75 * width / columns + 0.2) + 0.18 * bool(title))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels:
        axes.set_axis_off()
        axes.set(xticks=[], yticks=[])
        axes.set_aspect("equal")
    for number, (axes, mode) in enumerate(zip(panels, modes, strict=False)):
        draw_edges(axes, net.graph, positions, mode.labels, seed)
        draw_vertices(
            axes, net, positions, mode.labels, mode.probs.max(axis=1, initial=0), members.n_blocks, 1 / columns
        )
        remarks = [f"{mode.weight:.0%} of draws"] if members.shares_are_known else []
        remarks += [f"{mode.changed(modes[0]):.0%} moved"] if number else []
        text = f"mode {number}" + (f": {', '.join(remarks)}" if remarks else "")
        axes.set_title(text, fontsize=SMALL, color=INK, pad=2)
    n_left = members.n_modes - len(modes)
    parts = [title] * bool(title) + [f"{n_left} more modes are not drawn"] * bool(n_left)
    if parts:
        figure.suptitle("; ".join(parts), fontsize=TEXT, color=INK, parse_math=False)
    return figure
