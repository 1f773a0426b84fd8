"""What the levels above the blocks cost in the nested model, written to be read; the kernels are held to it.

At level l >= 1 the groups of level l-1 are the vertices of a multigraph with edge counts e^{l-1}, and b^l puts them
into groups of their own. Given the edge counts of those, every way to deal edges to pairs of vertices is equally
probable. The cost of the weights of edges on each level is in ``edge_weights``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ffbm.blocks.blocktypes import n_types_of, types_of_blocks
from ffbm.blocks.edge_weights import level_parts
from ffbm.blocks.edges import log_binomial
from ffbm.blocks.priors import FULL
from ffbm.errors import DataError
from ffbm.types import Array, Graph, NodeTypes


@dataclass(frozen=True, slots=True)
class LevelLength:
    """What one level of a hierarchy costs, in nats."""

    n_groups: int
    edge_counts: float
    partition: float
    weights: float = 0.0  # of edges; above the blocks those of the sums of pairs of groups of the level below


def edge_matrix(graph: Graph, labels: Array) -> Array:
    """Return the half-edges (B, B) between groups of vertices, e_rr twice the edges inside r; or arcs from r to s.

    >>> edge_matrix(Graph.from_edges([0, 1, 2], [1, 2, 2], 3), np.array([0, 0, 1])).tolist()
    [[2, 1], [1, 2]]
    """
    n_groups = int(labels.max(initial=-1)) + 1
    counts = np.zeros((n_groups, n_groups), dtype=np.int64)
    ends = labels[graph.edges]
    np.add.at(counts, (ends[:, 0], ends[:, 1]), 1)
    if not graph.is_directed:
        np.add.at(counts, (ends[:, 1], ends[:, 0]), 1)
    return counts


def coarsened(counts: Array, labels: Array) -> Array:
    """Return the half-edges, or arcs, between groups of groups."""
    n_groups = int(labels.max(initial=-1)) + 1
    rows = np.zeros((n_groups, len(counts)), dtype=np.int64)
    np.add.at(rows, labels, counts)
    columns = np.zeros((n_groups, n_groups), dtype=np.int64)
    np.add.at(columns, labels, rows.T)
    return columns.T


def multigraph_nats(counts: Array, labels: Array, is_directed: bool = False) -> float:
    """Return -ln P(e^{l-1} | e^l, b^l): all ways to deal edges to pairs of members are equally probable.

    It is sum_{r<s} ln C(n_r n_s + e_rs - 1, e_rs) + sum_r ln C(n_r (n_r + 1)/2 + e_rr/2 - 1, e_rr/2); of arcs
    sum_rs ln C(n_r n_s + e_rs - 1, e_rs).
    """
    n, e = np.bincount(labels), coarsened(counts, labels)
    if is_directed:
        return float(log_binomial(np.outer(n, n) + e - 1.0, e).sum())
    r, s = np.triu_indices(len(n), 1)
    between = log_binomial(n[r] * n[s] + e[r, s] - 1.0, e[r, s])
    inside = log_binomial(n * (n + 1) / 2 + np.diag(e) / 2 - 1, np.diag(e) / 2)
    return float(between.sum() + inside.sum())


def level_lengths(graph: Graph, levels: Sequence[Array], types: Array | None = None) -> tuple[LevelLength, ...]:
    """Return what each level costs: labels of vertices, labels of their groups, and so on; the last may have several.

    With types (N,) of vertices no group has two of them, and the partition of every level is a sum over types.

    The edge counts of the lowest level are those that the next one explains, so entry 0 has none; with several groups
    left on top, all their edge counts are equally probable, ln C(B (B + 1)/2 + E - 1, E), of arcs ln C(B^2 + E - 1, E),
    as a part of the last level. Weights, where edges have some, are a part of every level.
    """
    counts, weights = edge_matrix(graph, levels[0]), level_parts(graph, levels)
    lengths = [LevelLength(len(counts), 0.0, typed_nats(levels[0], types), weights[0])]
    for below, labels, sums in zip(levels, levels[1:], weights[1:], strict=False):
        types = None if types is None else types_of_blocks(types, below)
        edges = multigraph_nats(counts, labels, graph.is_directed)
        counts = coarsened(counts, labels)
        lengths.append(LevelLength(len(counts), edges, typed_nats(labels, types), sums))
    if len(counts) > 1:
        one = np.zeros(len(counts), dtype=np.int64)
        top, last = multigraph_nats(counts, one, graph.is_directed), lengths[-1]
        lengths[-1] = replace(last, edge_counts=last.edge_counts + top)
    return tuple(lengths)


def typed_nats(labels: Array, types: Array | None) -> float:
    """Return Peixoto's prior of a partition of members, a sum over their types if they have some."""
    if types is None:
        return FULL.nats(np.bincount(labels), 0)
    return sum(FULL.nats(np.bincount(labels[types == t]), 0) for t in range(n_types_of(types)))


def check_level(labels: Array, level: int, n_members: int) -> Array:
    """Return the labels of one level if they are those of its members, with no group left empty."""
    b = np.asarray(labels)
    named = "vertices" if level == 0 else f"groups of level {level - 1}"
    if b.shape != (n_members,):
        raise DataError(f"level {level} must label the {n_members} {named}, shape ({n_members},); got shape {b.shape}")
    if b.size and (b.dtype.kind not in "iu" or set(np.unique(b).tolist()) != set(range(int(b.max()) + 1))):
        raise DataError(
            f"level {level} must use all of its labels, whole numbers from 0; got {np.unique(b).tolist()[:8]}"
        )
    return b.astype(np.int64)


def check_levels(levels: Sequence[Array], n_nodes: int) -> list[Array]:
    """Return a hierarchy as arrays: labels of vertices, labels of their groups, and so on."""
    checked: list[Array] = []
    for level, labels in enumerate(levels):
        n_members = n_nodes if level == 0 else int(checked[-1].max(initial=-1)) + 1
        checked.append(check_level(labels, level, n_members))
    return checked


def check_typed_levels(levels: Sequence[Array], types: NodeTypes) -> list[Array]:
    """Return a hierarchy whose groups have vertices of one type each, without a level that puts all types together."""
    kept = list(levels)
    while len(kept) > 1 and len(types.values) > 1 and int(kept[-1].max(initial=0)) == 0:
        kept.pop()
    labels = np.arange(len(types.of_vertex))
    for level in kept:
        labels = level[labels]
        types.check_blocks(labels)
    return kept
