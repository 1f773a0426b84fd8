"""The tree of blocks as boxes in boxes: each as wide as it has vertices, its children below it."""

from typing import NamedTuple

from ffbm.plain import visible
from ffbm.plots.palette import block_colour, ink_on
from ffbm.types.tree import Tree

ROW = 2.3  # rem


class Box(NamedTuple):
    """A node of the tree on the page."""

    n_vertices: int
    height: float  # rem
    text: str
    tip: str
    colours: str  # of a block and of its number, as style
    is_uncertain: bool
    blocks: tuple[int, ...]
    children: tuple["Box", ...]


def icicle(tree: Tree, number: int = 0) -> Box:
    """Return the box of a node with those below it.

    >>> import numpy as np
    >>> from ffbm.types.tree import TreeNode
    >>> nodes = (TreeNode(0, 1, None, (1, 2), bits=0.5), TreeNode(1, 0, 0, block=0), TreeNode(2, 0, 0, block=1))
    >>> root = icicle(Tree(nodes, np.array([0, 0, 0, 1, 1]), 12.5))
    >>> root.text, [(box.n_vertices, box.text, box.height) for box in root.children]
    ('[0] 0.50 bits', [(3, '0', 2.3), (2, '1', 2.3)])
    """
    node, n_vertices = tree.nodes[number], tree.size(number)
    bottom = node.level if node.is_split else 0
    top = tree.n_levels if node.parent is None else tree.nodes[node.parent].level
    if node.block is None:
        by = ", ".join(visible(name) for name, _ in node.columns)
        bits = f"{node.bits:.2f} bits" if node.is_explained else f"{n_vertices:,} vertices"
        text, colours = f"[{number}] {bits}{' by ' if by else ''}{by}", ""
    else:
        colour = block_colour(node.block)
        text, colours = str(node.block), f"; background: {colour}; color: {ink_on(colour)}"
    return Box(
        n_vertices, round(ROW * (top - bottom), 2), text, visible(tree.line(number)), colours, node.is_uncertain,
        tree.blocks(number), tuple(icicle(tree, child) for child in node.children),
    )  # fmt: skip
