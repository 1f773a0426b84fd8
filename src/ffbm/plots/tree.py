"""The tree of blocks as an icicle: a bar for each group, as wide as it has vertices, its children below it."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ffbm.plots.palette import block_colour, ink_on
from ffbm.plots.paper import COLUMN, SMALL, new_axes
from ffbm.types.tree import Tree, TreeNode

_ROW = 0.42  # inches
_PER_INCH = 14.0  # letters of small text
_GREY = "#e8e8e8"


def plot_tree(tree: Tree, *, title: str = "", width: float = 2 * COLUMN) -> Figure:
    """Draw a tree of blocks: the root on top, blocks in their colours, and in each split its columns and bits.

    Parameters
    ----------
    tree : Tree
        ``fit.tree``.
    title : str
    width : float
        Inches.

    Examples
    --------
    >>> import numpy as np
    >>> nodes = (TreeNode(0, 1, None, (1, 2), bits=0.5), TreeNode(1, 0, 0, block=0), TreeNode(2, 0, 0, block=1))
    >>> figure = plot_tree(Tree(nodes, np.array([0, 0, 0, 1, 1]), 12.5))
    >>> [round(bar.get_width(), 2) for bar in figure.axes[0].patches]
    [1.0, 0.6, 0.4]
    """
    figure, axes = new_axes(width, _ROW * tree.n_levels + 0.1 + 0.2 * bool(title), title)
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(0, tree.n_levels))
    left = {0: 0.0}
    n_nodes = max(len(tree.labels), 1)
    for node in tree.nodes:  # children after parents
        share = tree.size(node.number) / n_nodes
        bottom = 0 if node.block is not None else node.level
        top = tree.n_levels if node.parent is None else tree.nodes[node.parent].level
        colour = _GREY if node.block is None else block_colour(node.block)
        bar = Rectangle((left[node.number], bottom), share, top - bottom, facecolor=colour, edgecolor="white", lw=0.8)
        axes.add_patch(bar)
        n_letters = share * width * _PER_INCH
        text = next((text for text in _texts(tree, node) if len(text) <= n_letters), "")
        at = left[node.number] + share / 2, max(top - 0.5, bottom + 0.5)
        style = "italic" if node.is_uncertain else "normal"
        axes.text(
            *at, text, ha="center", va="center", fontsize=SMALL, color=ink_on(colour), style=style, parse_math=False
        )
        begin = left[node.number]
        for child in node.children:
            left[child] = begin
            begin += tree.size(child) / n_nodes
    return figure


def _texts(tree: Tree, node: TreeNode) -> list[str]:
    """Return what can be written in a bar, the longest first."""
    if node.block is not None:
        return [f"block {node.block}", str(node.block)]
    by = ", ".join(name for name, _ in node.columns)
    uncertain = " (uncertain)" if node.is_uncertain else ""
    bits = "" if node.bits != node.bits else f"{node.bits:.2f} bits"
    lines = [part for part in (f"{bits} by {by}" if by else bits, by, bits) if part]
    return [f"{tree.size(node.number):,} vertices{uncertain}: {lines[0]}" if lines else "", *lines]
