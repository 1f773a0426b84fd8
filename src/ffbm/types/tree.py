"""The tree of blocks: what the draws of hierarchies agree on, how surely, and what explains each split."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from ffbm.plain import EACH_WAY, count_of, finite
from ffbm.types.graph import Array

CLEAR = 0.5  # a split that fewer draws support is called uncertain
_SIZES = 8  # of children, in a line
_COLUMNS = 3


@dataclass(frozen=True)
class TreeNode:
    """A node of the tree: all vertices, a group of blocks, or a block.

    Parameters
    ----------
    number : int
        0 is the root; children come after their parent.
    level : int
        0 for blocks; the level of the hierarchy that the group belongs to.
    parent : int or None
    children : tuple of int
        By decreasing size; none for a block.
    block : int or None
        The number of the block in ``fit.memberships``, if it is one.
    support : float
        Of a split: the share of draws in which a child is a group too (Jaccard index 0.8 or more), on average over
        children.
    nats : float
        By how much S is larger if the node is one block, without its split and those below.
    bits, bits_se : float
        How much features tell of the child that a vertex is in, per vertex of the node, on held-out vertices.
    columns : tuple of (name, inclusion)
        The columns that matter for the split.
    """

    number: int
    level: int
    parent: int | None
    children: tuple[int, ...] = ()
    block: int | None = None
    support: float = nan
    nats: float = nan
    bits: float = nan
    bits_se: float = nan
    columns: tuple[tuple[str, float], ...] = ()

    @property
    def is_split(self) -> bool:
        """Whether it has children."""
        return bool(self.children)

    @property
    def is_explained(self) -> bool:
        """Whether it is known what features tell of its split."""
        return not np.isnan(self.bits)

    @property
    def is_uncertain(self) -> bool:
        """Whether fewer than half of the draws support its split."""
        return self.is_split and self.support < CLEAR


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy of blocks as a tree of nodes; groups of one member are left out.

    Parameters
    ----------
    nodes : tuple of TreeNode
    labels : (N,) int64
        The block of each vertex: those of ``fit.memberships``.
    description_length : float
        The lowest S of a hierarchy that was visited, in nats.

    Examples
    --------
    >>> nodes = (TreeNode(0, 1, None, (1, 2), support=1.0), TreeNode(1, 0, 0, block=0), TreeNode(2, 0, 0, block=1))
    >>> tree = Tree(nodes, np.array([0, 0, 0, 1, 1]), 12.5)
    >>> tree.vertices(0).tolist(), [tree.size(child) for child in tree.root.children], tree.n_levels
    ([0, 1, 2, 3, 4], [3, 2], 2)
    """

    nodes: tuple[TreeNode, ...]
    labels: Array
    description_length: float

    @property
    def root(self) -> TreeNode:
        """The node of all vertices."""
        return self.nodes[0]

    @property
    def splits(self) -> tuple[TreeNode, ...]:
        """The nodes that have children, parents before children."""
        return tuple(node for node in self.nodes if node.is_split)

    @property
    def leaves(self) -> tuple[TreeNode, ...]:
        """The blocks."""
        return tuple(node for node in self.nodes if not node.is_split)

    @property
    def n_levels(self) -> int:
        """How many levels the hierarchy has, that of the root included."""
        return self.root.level + 1

    @cached_property
    def _blocks(self) -> dict[int, list[int]]:
        """The blocks below each node."""
        blocks: dict[int, list[int]] = {}
        for node in reversed(self.nodes):
            leaf = [] if node.block is None else [node.block]
            blocks[node.number] = sorted(leaf + [block for child in node.children for block in blocks[child]])
        return blocks

    def blocks(self, number: int) -> tuple[int, ...]:
        """Return the blocks below a node."""
        return tuple(self._blocks[number])

    def vertices(self, number: int) -> Array:
        """Return the vertices of a node."""
        return np.flatnonzero(np.isin(self.labels, self._blocks[number]))

    def size(self, number: int) -> int:
        """Return how many vertices a node has."""
        return len(self.vertices(number))

    def level(self, level: int) -> Array:
        """Return for each vertex the number of its node on a level, or of the highest below if it has none there."""
        labels = np.zeros(len(self.labels), dtype=np.int64)
        for node in self.nodes:  # children after parents
            if node.parent is None or self.nodes[node.parent].level > level:
                labels[self.vertices(node.number)] = node.number
        return labels

    @property
    def bits(self) -> float:
        """The bits of the blocks, per vertex: those of the splits, each weighted by its share of the vertices.

        Splits that were not explained are left out; NaN if none was.
        """
        n_nodes, explained = max(len(self.labels), 1), [node for node in self.splits if node.is_explained]
        if self.splits and not explained:
            return nan
        return float(sum(self.size(node.number) / n_nodes * node.bits for node in explained))

    def where(self, column: str) -> str:
        """Return in words where in the tree a column acts: at which splits it matters; nothing if at none.

        >>> nodes = (TreeNode(0, 1, None, (1, 2), columns=(("year", 1.0),)), TreeNode(1, 0, 0), TreeNode(2, 0, 0))
        >>> tree = Tree(nodes, np.array([0, 0, 0, 1, 1]), 12.5)
        >>> tree.where("year"), tree.where("dorm")
        ('splits the whole', '')
        """
        acting = [node.number for node in self.splits if column in dict(node.columns)]
        below = [number for number in acting if number != 0]
        words = ["the whole"] if 0 in acting else []
        if below:
            n_splits = len(self.splits) - 1
            amount = "each" if len(below) == n_splits > 1 else str(len(below))
            numbers = ", ".join(f"[{number}]" for number in below[:_SIZES]) + (", ..." if len(below) > _SIZES else "")
            words.append(f"inside {amount} of {count_of(n_splits, 'group')} ({numbers})")
        return f"splits {' and '.join(words)}" if words else ""

    @property
    def places(self) -> str:
        """The columns that matter at some split, those nearest to the root first, each with where it does, in words."""
        names = dict.fromkeys(name for node in self.splits for name, _ in node.columns)
        return "; ".join(f"{name} {self.where(name)}" for name in names)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values; the block of each vertex is not among them."""
        nodes = [asdict(node) | {"n_vertices": self.size(node.number)} for node in self.nodes]
        return dict(finite({"description_length": self.description_length, "bits": self.bits, "nodes": nodes}))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], labels: Array) -> "Tree":
        """Return the tree that ``to_dict`` was made of."""
        return cls(tuple(map(_node, values["nodes"])), labels, float(values["description_length"]))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, is_brief: bool = False) -> list[str]:
        """Return the tree as text, indented, a line for each split; brief ones count children and name none."""
        if not self.splits:
            return [f"one block of {count_of(len(self.labels), 'vertex', 'vertices')}: nothing is split"]
        depth: dict[int, int] = {}
        lines = []
        for number in self._in_depth():
            node = self.nodes[number]
            depth[number] = 0 if node.parent is None else depth[node.parent] + 1
            lines.append("  " * depth[number] + self.line(number, is_brief))
        return lines

    def _in_depth(self) -> Sequence[int]:
        """Return the splits, each followed by those below it."""
        order, stack = [], [0]
        while stack:
            number = stack.pop()
            order.append(number)
            stack += [child for child in reversed(self.nodes[number].children) if self.nodes[child].is_split]
        return order

    def line(self, number: int, is_brief: bool = False) -> str:
        """Return what is known of a split, or the number and size of a block.

        >>> Tree((TreeNode(0, 0, None, block=0),), np.array([0, 0, 0]), 12.5).line(0)
        'block 0 (3)'
        """
        node = self.nodes[number]
        if not node.is_split:
            return self._name(number)
        children = [self._name(child) for child in node.children]
        more = [f"{len(children) - _SIZES} more"] if len(children) > _SIZES else []
        text = f"[{node.number}] {self.size(node.number):,} vertices into {', '.join(children[:_SIZES] + more)}"
        draws = f"in {node.support:.0%} of draws"
        if is_brief:
            text, draws = f"[{node.number}] {self.size(node.number):,} into {len(children)}", draws.removeprefix("in ")
        columns = ", ".join(name for name, _ in node.columns[:_COLUMNS]) + (
            ", ..." if len(node.columns) > _COLUMNS else ""
        )
        message = ""
        if columns:
            message = f"; {node.bits:.2f} bits by {columns}"
        elif node.bits > EACH_WAY * node.bits_se:  # columns that stand for each other, say
            message = f"; {node.bits:.2f} bits, by which column is not decided"
        else:
            message = "; no column stands out" if node.is_explained else "; not explained"
        mark = ", UNCERTAIN" if node.is_uncertain else ""
        return f"{text}: {node.nats:,.0f} nats, {draws}{mark}{message}"

    def _name(self, number: int) -> str:
        node = self.nodes[number]
        name = f"[{number}]" if node.block is None else f"block {node.block}"
        return f"{name} ({self.size(number):,})"

    def __repr__(self) -> str:
        sizes = "-".join(str(len(set(self.level(level).tolist()))) for level in range(self.n_levels))
        return f"<Tree of {count_of(len(self.labels), 'vertex', 'vertices')}: groups {sizes}>"


def _node(values: Mapping[str, Any]) -> TreeNode:
    fields = {name: value for name, value in values.items() if name != "n_vertices"}
    for name in ("support", "nats", "bits", "bits_se"):
        fields[name] = nan if fields[name] is None else float(fields[name])
    columns = tuple((str(name), float(inclusion)) for name, inclusion in fields["columns"])
    return TreeNode(**fields | {"children": tuple(fields["children"]), "columns": columns})
