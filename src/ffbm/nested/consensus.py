"""One tree for many draws of hierarchies: the most central draw, with the share of draws that have its groups.

The distance of two draws is the variation of information of the vertices' groups, summed over levels.
"""

from collections.abc import Sequence

import numpy as np

from ffbm.blocks.blocktypes import n_types_of, types_of_blocks
from ffbm.nested.target import Hierarchy, NestedTarget, vertex_labels
from ffbm.types import Array
from ffbm.types.tree import Tree, TreeNode

_COMPARED = 50  # draws that are compared with each other
_ASKED = 200  # draws in which a group is looked for
ALIKE = 0.8  # Jaccard index from which on a group of a draw is the same


def evenly_spaced(n_draws: int, n_wanted: int) -> Array:
    """Return evenly spread numbers of draws.

    >>> evenly_spaced(10, 4).tolist(), evenly_spaced(2, 4).tolist()
    ([0, 3, 6, 9], [0, 1])
    """
    return np.unique(np.linspace(0, n_draws - 1, min(n_wanted, n_draws)).round().astype(np.int64))


def central_draw(draws: Sequence[Hierarchy]) -> int:
    """Return the number of the draw that is nearest to the others."""
    which = evenly_spaced(len(draws), _COMPARED)
    levels = [vertex_labels(draws[a]) for a in which]
    distance = np.zeros((len(which), len(which)))
    for a in range(len(which)):
        for b in range(a):
            depth = max(len(levels[a]), len(levels[b]))
            pairs = ((one[min(u, len(one) - 1)] for one in (levels[a], levels[b])) for u in range(depth))
            distance[a, b] = distance[b, a] = sum(variation(*pair) for pair in pairs)
    return int(which[distance.sum(axis=1).argmin()])


def variation(first: Array, second: Array) -> float:
    """Return the variation of information of two partitions, in nats.

    >>> round(variation(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])), 4)
    0.6931
    """
    joint = _entropy(first * (int(second.max(initial=0)) + 1) + second)
    return 2 * joint - _entropy(first) - _entropy(second)


def _entropy(labels: Array) -> float:
    share = np.bincount(labels) / max(len(labels), 1)
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def consensus_levels(labels: Array, central: Hierarchy, types: Array | None = None) -> Hierarchy:
    """Return a hierarchy whose blocks are ``labels`` (N,), each below the group where most of its vertices are.

    Blocks that no vertex is in are left out. With types (N,) of vertices one group for each is on top.
    """
    used, leaf = np.unique(labels, return_inverse=True)
    fewest = n_types_of(types)
    if len(central) == 1:
        return [leaf] if len(used) == fewest else [leaf, types_of_blocks(types, leaf)]
    above = vertex_labels(central)[1]
    parent = np.array([np.bincount(above[leaf == r]).argmax() for r in range(len(used))])
    levels = [leaf]
    for row in [*central[2:], None]:
        kept, members = np.unique(parent, return_inverse=True)
        levels.append(members)
        if row is None or len(kept) == fewest:
            break
        parent = row[kept]
    n_top = int(levels[-1].max(initial=0)) + 1
    return levels if n_top == fewest else [*levels, types_of_blocks(types, vertex_labels(levels)[-1])]


def grow_tree(
    target: NestedTarget, labels: Array, draws: Sequence[Hierarchy], central: Hierarchy, lowest: float, of: int = 0
) -> Tree:
    """Return the tree of blocks ``labels`` (N,) under the groups of a central draw, with the support of the draws.

    With types it is the tree of one type: of its vertices, in order, and of its blocks, numbered among themselves.
    """
    levels = consensus_levels(labels, central, target.types)
    on_level = vertex_labels(levels)
    used = np.unique(labels)
    number, of_type, top = used, np.ones(len(labels), dtype=bool), 0
    if target.types is not None:
        of_type = target.types == of
        top = int(on_level[-1][of_type][0])
        number = np.searchsorted(np.unique(labels[of_type]), used)
        labels = np.unique(labels[of_type], return_inverse=True)[1]
    asked = [vertex_labels(draws[a]) for a in evenly_spaced(len(draws), _ASKED)]
    whole = target.entropy(levels)
    nodes: list[TreeNode] = []
    waiting: list[tuple[int, int, int | None]] = [(len(levels) - 1, top, None)]  # level, group, parent
    position = 0
    children: dict[int, list[int]] = {}
    while position < len(waiting):
        level, group, parent = waiting[position]
        members = np.flatnonzero(levels[level] == group) if level > 0 else np.zeros(0, dtype=np.int64)
        while level > 1 and len(members) == 1:  # a group of one member is that member
            level, group = level - 1, int(members[0])
            members = np.flatnonzero(levels[level] == group)
        if level == 1 and len(members) == 1:
            level, group, members = 0, int(members[0]), members[:0]
        if parent is not None:
            children.setdefault(parent, []).append(position)
        if level == 0:
            nodes.append(TreeNode(position, 0, parent, block=int(number[group])))
        else:
            vertices = on_level[level] == group
            parts = [on_level[level - 1] == member for member in members]
            by_size = np.argsort([-part.sum() for part in parts], kind="stable")
            waiting += [(level - 1, int(members[a]), position) for a in by_size]
            support = float(np.mean([[has_group(part, one) for one in asked] for part in parts]))
            nats = target.entropy(merged(levels, vertices)) - whole
            nodes.append(TreeNode(position, level, parent, support=support, nats=float(nats)))
        position += 1
    linked = [_with_children(node, tuple(children.get(node.number, ()))) for node in nodes]
    return Tree(tuple(linked), np.asarray(labels, dtype=np.int64), lowest)


def _with_children(node: TreeNode, children: tuple[int, ...]) -> TreeNode:
    return TreeNode(node.number, node.level, node.parent, children, node.block, node.support, node.nats)


def has_group(vertices: Array, levels: Sequence[Array]) -> bool:
    """Return whether some level of a draw has a group that is nearly these vertices (N,) of truth values."""
    for labels in levels:
        shared = np.bincount(labels[vertices], minlength=int(labels.max(initial=0)) + 1)
        union = np.bincount(labels) + vertices.sum() - shared
        if (shared >= ALIKE * union).any():
            return True
    return False


def merged(levels: Hierarchy, vertices: Array) -> Hierarchy:
    """Return the hierarchy with these vertices, all those of some group, in one block.

    >>> levels = [np.array([0, 1, 2, 2]), np.array([0, 0, 1]), np.array([0, 0])]
    >>> [labels.tolist() for labels in merged(levels, np.array([True, True, False, False]))]
    [[0, 0, 1, 1], [0, 1], [0, 0]]
    """
    on_level = [labels.copy() for labels in vertex_labels(levels)]
    for labels in on_level:
        labels[vertices] = labels[np.argmax(vertices)]
    return regrouped(on_level)


def regrouped(on_level: Sequence[Array]) -> Hierarchy:
    """Return the hierarchy whose vertices have these groups (N,) on every level: the inverse of ``vertex_labels``.

    >>> [labels.tolist() for labels in regrouped([np.array([3, 3, 5, 7]), np.array([1, 1, 1, 4])])]
    [[0, 0, 1, 2], [0, 0, 1]]
    """
    hierarchy: Hierarchy = []
    below = np.arange(len(on_level[0]))
    for labels in on_level:
        first = np.unique(below, return_index=True)[1]  # a vertex of each group below
        named = np.unique(labels, return_inverse=True)[1]
        hierarchy.append(named[first])
        below = named
    return hierarchy
