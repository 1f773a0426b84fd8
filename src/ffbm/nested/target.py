"""The target of chains of hierarchies, p(b^0, b^1, ... | A), and its layout for kernels.

A hierarchy is a list of labels: of the vertices, of their groups, and so on. Its readable truth is
``ffbm.blocks.levels``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.blocktypes import n_types_of, types_of_blocks
from ffbm.blocks.edge_weights import is_summed, weight_parts
from ffbm.blocks.edges import factorial_table, first_factorials
from ffbm.blocks.levels import coarsened, edge_matrix, level_lengths, typed_nats
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.priors import FULL
from ffbm.blocks.search import most_blocks
from ffbm.blocks.target import BlockTarget, block_ledger, block_model, with_edge_costs
from ffbm.blocks.weighted import weight_law
from ffbm.kernels.arcs import Arcs
from ffbm.kernels.halfedges import Adjacency
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.levelsums import LevelSums, NoSums, count_tower
from ffbm.kernels.multigraph import DirectedMultigraph, Multigraph
from ffbm.kernels.nestedchain import NestedWorkspace
from ffbm.kernels.target import Model
from ffbm.kernels.tower import Tower
from ffbm.kernels.workspace import make_workspace
from ffbm.types import Array, Graph

_MOST_ABOVE = 512  # groups of a level above the blocks
_LEAST_BLOCKS = 16
_PAIRS = 1 << 20  # ln x! is tabulated up to E plus so many pairs of groups
N_ROWS = 7  # levels above the blocks, the top included

Hierarchy = list[Array]


class NestedTarget(NamedTuple):
    """What hierarchies are scored by."""

    graph: Graph
    likelihood: Likelihood = DEGREE_CORRECTED
    types: Array | None = None  # (N,) from 0: groups have vertices of one type, up to one group for each type

    def entropy(self, levels: Sequence[Array]) -> float:
        """Return S, all partitions included; with types the last level has one group for each of them."""
        lengths = level_lengths(self.graph, levels, self.types)
        above = sum(one.edge_counts + one.partition + one.weights for one in lengths)
        return float(sum(self.likelihood.parts(self.graph, levels[0])) + above)

    def partitions(self, levels: Sequence[Array]) -> float:
        """Return the part of S that the partitions of all levels have."""
        nats, types = 0.0, self.types
        for labels in levels:
            nats += typed_nats(labels, types)
            types = None if types is None else types_of_blocks(types, labels)
        return nats


class Layout(NamedTuple):
    """The sizes of a chain's arrays: groups of level 0, groups of each level above, and levels above."""

    n_blocks: int
    n_above: int
    n_rows: int


def layout_for(graph: Graph) -> Layout:
    """Return sizes for more blocks and groups than any hierarchy of the graph will need."""
    n_blocks = (most_blocks(graph) + 1) // 2
    width = min(graph.n_nodes, max(_LEAST_BLOCKS, 2 * n_blocks))
    return Layout(width, min(width, max(_MOST_ABOVE, n_blocks // 2)), N_ROWS)


def nested_model(target: NestedTarget, layout: Layout) -> Model:
    """Tabulate the target for the vertices; what the levels above cost is not in it."""
    model = block_model(BlockTarget(target.graph, target.likelihood, FULL), layout.n_blocks)
    likelihood = with_edge_costs(model.likelihood, np.zeros(layout.n_blocks + 1))
    if levels_explain_weights(target.graph):
        likelihood = likelihood._replace(law=likelihood.law._replace(is_flat=False))
    model = model._replace(likelihood=likelihood)
    if target.types is None:
        return model
    top = float(target.likelihood.edge_cost(target.graph, n_types_of(target.types)))  # the edges between types
    if levels_explain_weights(target.graph):
        top += weight_parts(target.graph, target.types)[1]
    return model._replace(constant=model.constant + top)


def levels_explain_weights(graph: Graph) -> bool:
    """Return whether edges have weights whose sums the levels above the blocks explain."""
    return graph.weights is not None and is_summed(graph.weights)


def level_sums(graph: Graph, layout: Layout) -> LevelSums | NoSums:
    """Return the law of the sums of weights, and the buffers in which levels count them."""
    if graph.weights is None or not levels_explain_weights(graph):
        return NoSums(graph.is_directed)
    (width, n_above, _), law = layout, weight_law(graph.weights)
    sums, changes, mark = (
        np.zeros(shape, dtype=np.int64) for shape in ((width, width), (5, 4 * width + 4), (n_above, n_above))
    )
    return LevelSums(graph.is_directed, law, sums, changes, mark)


def nested_workspace(graph: Graph, layout: Layout) -> NestedWorkspace:
    """Return the arrays that levels work in."""
    width, n_above, n_rows = layout
    pairs = min(width * (width + 1) // 2, _PAIRS)
    lf = first_factorials(graph.n_edges + pairs + width + 2)
    size_cost = -factorial_table(width + 1)
    tables = DirectedMultigraph if graph.is_directed else Multigraph
    return NestedWorkspace(
        groups=_group_buffers(graph, width),
        tables=tables(np.zeros(n_above + 1), lf),
        sums=level_sums(graph, layout),
        size_cost=size_cost,
        size_step=np.diff(size_cost),
        used_cost=np.zeros(n_above + 1),
        eta=np.zeros((_n_sides(graph) * n_above, 1), dtype=np.int32),
        term=np.zeros(_n_sides(graph) * n_above),
        none=np.zeros((0, 0), dtype=np.int32),
        no_field=np.zeros((0, 0)),
        work=np.zeros((n_rows, 3, n_above + 1), dtype=np.int64),
        moves=make_workspace(max(graph.n_nodes, width), max(width, n_above)),
    )


def _group_buffers(graph: Graph, width: int) -> Adjacency | Arcs:
    """Return arrays for a multigraph of so many groups with the graph's edges."""
    indptr = np.zeros(width + 1, dtype=graph.indptr.dtype)
    indices = np.zeros(2 * graph.n_edges, dtype=graph.indices.dtype)
    if not graph.is_directed:
        return Adjacency(indptr, indices, np.zeros((width, 3), dtype=np.int32))
    return Arcs(indptr, indices, np.zeros(width, dtype=indptr.dtype), np.zeros((width, 5), dtype=np.int32))


def _n_sides(graph: Graph) -> int:
    return 2 if graph.is_directed else 1


def lay_out(
    model: Model, target: NestedTarget, levels: Sequence[Array], layout: Layout
) -> tuple[Ledger | WeightedLedger, Tower]:
    """Return the counts of a hierarchy; levels of one group, or one of each type, are added up to the layout's rows."""
    (width, n_above, n_rows), graph = layout, target.graph
    weight_shape = (n_rows, n_above, n_above) if levels_explain_weights(graph) else (0, 0, 0)
    tower = Tower(
        b=np.zeros((n_rows, width), dtype=np.int32),
        n=np.zeros((n_rows, n_above), dtype=np.int64),
        e=np.zeros((n_rows, _n_sides(graph) * n_above), dtype=np.int64),
        ers=np.zeros((n_rows, n_above, n_above), dtype=np.int32),
        used=np.zeros((n_rows, 1), dtype=np.int64),
        pairs=np.zeros(weight_shape, dtype=np.int64),
        sums=np.zeros(weight_shape, dtype=np.int64),
    )
    counts, block_types = edge_matrix(graph, levels[0]), types_of_blocks(target.types, np.asarray(levels[0]))
    for row in range(n_rows):
        members = block_types
        if row + 1 < min(len(levels), n_rows):
            members = np.asarray(levels[row + 1])
        block_types = types_of_blocks(block_types, members)
        tower.b[row, : len(members)] = members
        counts = coarsened(counts, members)
        n_groups = len(counts)
        tower.n[row, :n_groups] = np.bincount(members)
        ends = np.stack([counts.sum(axis=axis) for axis in range(1, 1 - _n_sides(graph), -1)], axis=1)
        tower.e[row, : ends.size] = ends.ravel()
        tower.ers[row, :n_groups, :n_groups] = counts
        tower.used[row, 0] = n_groups
    ledger = block_ledger(model, np.asarray(levels[0]), width)
    count_tower(ledger, tower, level_sums(graph, layout))
    return ledger, tower


def read_hierarchy(labels: Array, above: Any, types: Array | None = None) -> Hierarchy:
    """Return a hierarchy from the labels of vertices and rows of labels of groups, up to its first level of one group.

    With types (N,) of vertices it is the first level of one group for each type.

    >>> read_hierarchy(np.array([0, 2, 1]), np.array([[0, 0, 1], [0, 0, 0]]))
    [array([0, 2, 1]), array([0, 0, 1]), array([0, 0])]
    """
    levels, fewest = [np.asarray(labels, dtype=np.int64)], n_types_of(types)
    for row in above:
        n_members = int(levels[-1].max(initial=0)) + 1
        if n_members == fewest:
            break
        levels.append(np.asarray(row[:n_members], dtype=np.int64))
    if int(levels[-1].max(initial=0)) + 1 > fewest:
        levels.append(types_of_blocks(types, vertex_labels(levels)[-1]))
    return levels


def vertex_labels(levels: Sequence[Array]) -> list[Array]:
    """Return the group of each vertex on every level of a hierarchy.

    >>> [labels.tolist() for labels in vertex_labels([np.array([0, 1, 2]), np.array([0, 0, 1])])]
    [[0, 1, 2], [0, 0, 1]]
    """
    by_level = [np.asarray(levels[0])]
    for labels in levels[1:]:
        by_level.append(np.asarray(labels)[by_level[-1]])
    return by_level
