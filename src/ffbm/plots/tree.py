"""The tree of blocks as an icicle: a bar for each group, as wide as it has vertices, its children below it."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ffbm.plots.palette import block_colour, ink_on
from ffbm.plots.paper import COLUMN, SMALL, new_axes
from ffbm.types.tree import Tree, TreeNode

_ROW = 0.42  # inches
_PER_INCH, _LINE = 14.0, 0.12  # letters of small text; the height of a line
_GREY = "#e8e8e8"


def plot_tree(tree: Tree, *, title: str = "", width: float = 2 * COLUMN) -> Figure:
    """Draw a tree of blocks: the root on top, blocks in their colours, and in each split its columns and bits.

    Numbers in brackets are those of ``print(fit.tree)``; where there is little room, less is written.

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
        text, angle = _fitting(_texts(tree, node), share * width)
        at = left[node.number] + share / 2, max(top - 0.5, bottom + 0.5)
        style = "italic" if node.is_uncertain else "normal"
        axes.text(
            *at, text, ha="center", va="center", fontsize=SMALL, color=ink_on(colour), style=style, rotation=angle,
            parse_math=False,
        )  # fmt: skip
        begin = left[node.number]
        for child in node.children:
            left[child] = begin
            begin += tree.size(child) / n_nodes
    return figure


def _texts(tree: Tree, node: TreeNode) -> list[str]:
    """Return what can be written in a bar, the most telling first: lines under each other."""
    if node.block is not None:
        return [f"block {node.block}", str(node.block)]
    name, names = f"[{node.number}]", [name for name, _ in node.columns]
    size = f"{name} {tree.size(node.number):,} vertices{' (uncertain)' if node.is_uncertain else ''}"
    bits = "" if node.bits != node.bits else f"{node.bits:.2f} bits"
    if not bits:
        return [size, name]
    if not names:
        return [f"{size}: {bits}", f"{size}\n{bits}", f"{name} {bits}", f"{name}\n{bits}", name]
    by = ", ".join(names)
    more = [f"{names[0]}, ..."] if len(names) > 1 else []
    return [
        f"{size}: {bits} by {by}",
        f"{size}\n{bits} by {by}",
        f"{name} {bits}\nby {by}",
        *(f"{name}\n{bits}\n{names_shown}" for names_shown in (by, *more)),
        *(f"{name}\n{names_shown}" for names_shown in (by, *more)),
        f"{name}\n{bits}",
        name,
    ]


def _fitting(texts: Sequence[str], width: float) -> tuple[str, int]:
    """Return the first text that fits a bar so many inches wide, and its angle: upright where none fits else.

    >>> _fitting(["block 7", "7"], 0.6), _fitting(["block 7", "7"], 0.3), _fitting(["block 17", "17"], 0.13)
    (('block 7', 0), ('7', 0), ('17', 90))
    """
    for angle, along, across in ((0, width, _ROW), (90, _ROW, width)):
        for text in texts:
            lines = text.split("\n")
            if max(map(len, lines)) <= along * _PER_INCH and len(lines) * _LINE <= across:
                return text, angle
    return "", 0
