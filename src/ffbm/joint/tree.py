"""The joint posterior of a labelled tree of given shape: leaves of vertices, columns and weights of every node.

A vertex goes down from the root by a softmax at every node with two children or more, under the learned prior with one
omega for all columns of all nodes. Edges are dealt from the root down to occupied leaves: see docs/model.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from ffbm.blocks import chain as blocks
from ffbm.blocks.chain import NEVER, BlockSettings, BlockSetup, BlockState, n_kept
from ffbm.blocks.edges import first_factorials
from ffbm.blocks.levels import level_lengths
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.target import BlockTarget, block_ledger, block_model, with_edge_costs
from ffbm.kernels.leaves import Branches, Leaves
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.multigraph import DirectedMultigraph, Multigraph
from ffbm.kernels.target import Model, count, entropy_of
from ffbm.kernels.workspace import ENTROPY, LOWEST, MOVES, VISITS
from ffbm.nested.consensus import regrouped
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import Design, Training, make_design, train_on
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.prior import INTERCEPT_SD, learned_scales
from ffbm.theta.selection import SelectionSetup, SelectionState, Sweeper, set_up_selection, start_selection
from ffbm.theta.split_selection import draw_omega, log_odds
from ffbm.types import Array, Graph

_NONE = 1e-100  # in the place of 0 vertices of a row: kernels divide by it, and no sum is changed
_PAIRS = 1 << 20  # ln x! is tabulated up to E plus so many pairs of groups


class TreeTarget(NamedTuple):
    """A graph and the tree whose leaves its vertices are in.

    ``parents`` has the group of each leaf, of each of these, and so on; the last has one group.
    """

    graph: Graph
    parents: tuple[Array, ...]
    likelihood: Likelihood = DEGREE_CORRECTED

    @property
    def n_leaves(self) -> int:
        """B."""
        return len(self.parents[0])

    def entropy(self, labels: Array) -> float:
        """Return -ln P(A | b): leaves and groups without vertices are left out of the tree."""
        on_level = [np.asarray(labels)]
        for members in self.parents:
            on_level.append(members[on_level[-1]])
        lengths = level_lengths(self.graph, regrouped(on_level))
        return float(sum(self.likelihood.parts(self.graph, labels)) + sum(one.edge_counts for one in lengths))


class TreeSettings(NamedTuple):
    """What is chosen for a chain: after ``burn`` cycles every ``thin``-th is kept."""

    burn: int
    thin: int
    sweeps: int = 1  # over the labels in a cycle, which has one over the columns of every node
    jumps: float = 1.0  # moves of many vertices after each sweep, on average
    n_warmup: int = 30  # sweeps over the columns before the first cycle


class TreeSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    target: TreeTarget
    model: Model  # without a field; each chain has counts of groups of its own
    children: tuple[Array, ...]  # of each node: the child (B,) that a leaf is in or below, -1 for other leaves
    columns: tuple[SelectionSetup, ...]  # of each node; their geometry is that of some labels
    settings: TreeSettings


class TreeState(NamedTuple):
    """A chain at rest: all that steps change."""

    ledger: Ledger | WeightedLedger
    totals: Array  # see ``workspace.Counters``
    tally: Array
    best: Array  # (N,) the labels of the lowest -ln P(A | b)
    cycles: Array  # (1,) int64: how many were made
    omega: Array  # (1,)
    nodes: list[SelectionState]  # the columns and weights of each; the stream is that of the chain
    rng: np.random.Generator

    @property
    def lowest(self) -> float:
        """The lowest -ln P(A | b) visited."""
        return float(self.totals[LOWEST])


class TreeDraws(NamedTuple):
    """The draws kept on a stretch of the chain."""

    labels: Array  # (T, N)
    entropy: Array  # (T,) -ln P(A | b)
    moved: Array  # (T,) the share of visits that moved their vertex, since the draw before
    omega: Array  # (T,)
    inclusion: Array  # (T, C, G) bool
    chance: Array  # (T, C, G): the conditional inclusion probability at the last visit
    weights: Array  # (T, M): the contrasts (A, K) of every node, node after node


def tree_children(parents: Sequence[Array]) -> tuple[Array, ...]:
    """Return the nodes with two children or more, the root first: the child (B,) of each leaf, -1 where it has none.

    >>> [child.tolist() for child in tree_children([np.array([0, 0, 1]), np.array([0, 0])])]
    [[0, 0, 1], [0, 1, -1]]
    """
    below = [np.arange(len(parents[0]))]  # the member of each level that a leaf is in
    for members in parents[:-1]:
        below.append(members[below[-1]])
    nodes = []
    for members, own in zip(reversed(parents), reversed(below), strict=True):
        for group in range(int(members.max()) + 1):
            inside = np.flatnonzero(members == group)
            if len(inside) > 1:
                rank = np.full(len(members), -1)
                rank[inside] = np.arange(len(inside))
                nodes.append(rank[own])
    return tuple(nodes)


def tree_setup(
    target: TreeTarget,
    features: Any,
    labels: Array,
    settings: TreeSettings,
    rows: Any = None,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Any = None,
) -> TreeSetup:
    """Prepare the joint target of a tree; ``labels`` (N,) only fix the geometry in which weights move.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> target = TreeTarget(graph, (np.array([0, 0, 1]), np.array([0, 0])))
    >>> labels = np.array([0, 0, 1, 2])
    >>> setup = tree_setup(target, [[1, 0], [1, 0], [0, 1], [0, 1]], labels, TreeSettings(burn=10, thin=1))
    >>> state = start(setup, labels, np.random.default_rng(1))
    >>> advance(setup, state, 15)[1].inclusion.shape
    (5, 2, 2)
    """
    design = make_design(features, True)
    design.check_vertices(target.graph.n_nodes)
    groups, children = group_columns(design, column_groups), tree_children(target.parents)
    columns = tuple(_node_setup(design, rows, groups, intercept_sd, child, labels, settings) for child in children)
    return TreeSetup(target, tree_model(target), children, columns, settings)


def _node_setup(
    design: Design, rows: Any, groups: ColumnGroups, intercept_sd: float, child: Array, labels: Array, settings: Any
) -> SelectionSetup:
    """Prepare the regression of one node."""
    training = train_on(design, rows, int(child.max()) + 1)
    counts, sums = respond(training, child, labels)
    given = replace(training, rows=training.rows._replace(counts=counts))
    target = WeightTarget(given, sums, learned_scales(design, intercept_sd), groups=groups, intercept_sd=intercept_sd)
    setup = set_up_selection(target, settings.n_warmup, find_mode(target.gaussian))
    whole = set_up_selection(replace(target, training=training), settings.n_warmup, setup.full)
    return setup._replace(columns=whole.columns)  # how columns are proposed does not depend on labels


def respond(training: Training, child: Array, labels: Array) -> tuple[Array, Array]:
    """Return how many vertices of each row (R,) are below a node, and X'y (A, K) of the children they are in."""
    group, taken, n_rows = training.rows.group, child[labels], len(training.rows.counts)
    below = (taken >= 0) & (group >= 0)
    cell = group[below] * training.n_blocks + taken[below]
    y = np.bincount(cell, minlength=n_rows * training.n_blocks).reshape(n_rows, training.n_blocks).astype(float)
    return np.maximum(y.sum(axis=1), _NONE), np.ascontiguousarray(training.matrix().T @ y)


def tree_model(target: TreeTarget) -> Model:
    """Tabulate -ln P(A | b) for chains of labels."""
    graph, n_leaves = target.graph, target.n_leaves
    model = block_model(BlockTarget(graph, target.likelihood), n_leaves)
    own = with_edge_costs(model.likelihood, np.zeros(n_leaves + 1))
    n_rows, n_sides = len(target.parents), 2 if graph.is_directed else 1
    b = np.zeros((n_rows, n_leaves), dtype=np.int32)
    for row, members in zip(b, target.parents, strict=True):
        row[: len(members)] = members
    shape = (n_rows, n_leaves)
    branches = Branches(
        b,
        np.zeros(shape, dtype=np.int64),
        np.zeros((n_rows, n_sides * n_leaves), dtype=np.int64),
        np.zeros((*shape, n_leaves), dtype=np.int32),
    )
    tables = DirectedMultigraph if graph.is_directed else Multigraph
    lf = first_factorials(graph.n_edges + min(n_leaves * (n_leaves + 1) // 2, _PAIRS) + n_leaves + 2)
    work = np.zeros((n_rows, 3, n_leaves), dtype=np.int64)
    return model._replace(likelihood=Leaves(own, branches, tables(np.zeros(n_leaves + 1), lf), work))


def own_counts(model: Model, labels: Array) -> tuple[Model, Ledger | WeightedLedger]:
    """Return the model with new counts of groups, and the counts of leaves."""
    likelihood = model.likelihood
    counts = {name: getattr(likelihood.branches, name).copy() for name in ("n", "e", "ers")}
    own = likelihood._replace(branches=likelihood.branches._replace(**counts), work=likelihood.work.copy())
    model = model._replace(likelihood=own)
    return model, block_ledger(model, labels, likelihood.branches.b.shape[1], dense=True)


def start(setup: TreeSetup, labels: Array, rng: np.random.Generator, full: bool = False) -> TreeState:
    """Set up a chain at ``labels`` with no column inside, or with all, after a warm-up of the columns given these."""
    model, ledger = own_counts(setup.model, labels)
    entropy = entropy_of(model, ledger)
    n_columns = len(setup.columns[0].columns.start) - 1
    state = TreeState(
        ledger=ledger,
        totals=np.array([entropy, 0.0, entropy]),
        tally=np.zeros(5, dtype=np.int64),
        best=ledger.b.copy(),
        cycles=np.zeros(1, dtype=np.int64),
        omega=np.array([1 / (1 + n_columns)]),
        nodes=[start_selection(one, rng, full) for one in setup.columns],
        rng=rng,
    )
    moves = TreeMoves(setup, state)
    for _ in range(setup.settings.n_warmup):
        moves.sweep_columns(state, True)
    return state


def advance(setup: TreeSetup, state: TreeState, n_cycles: int) -> tuple[TreeState, TreeDraws]:
    """Run ``n_cycles`` cycles and return the state, changed in place, and the draws kept on the way.

    Cycles in the first half of the burn-in adapt. Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    burn, thin, kept = setup.settings.burn, setup.settings.thin, 0
    nodes = [node._replace(rng=state.rng) for node in state.nodes]  # one stream, though read back as one for each
    state = state._replace(nodes=nodes)
    moves = TreeMoves(setup, state)
    draws = _no_draws(setup, state, n_kept(burn, thin, int(state.cycles[0]), n_cycles))
    for _ in range(n_cycles):
        moves.move_labels(state)
        moves.sweep_columns(state, 2 * int(state.cycles[0]) < burn)
        state.cycles[0] += 1
        since = int(state.cycles[0]) - burn
        if since > 0 and since % thin == 0:
            draws.labels[kept], draws.entropy[kept] = state.ledger.b, state.totals[ENTROPY]
            draws.moved[kept] = state.tally[MOVES] / max(state.tally[VISITS], 1)
            draws.omega[kept] = state.omega[0]
            draws.inclusion[kept] = [node.inside for node in state.nodes]
            draws.chance[kept] = [node.chance for node in state.nodes]
            draws.weights[kept] = np.concatenate([node.weights.ravel() for node in state.nodes])
            kept += 1
        if since == 0 or (since > 0 and since % thin == 0):
            state.tally[[VISITS, MOVES]] = 0
    return state, draws


class TreeMoves:
    """The moves of a chain, with what they need: the counts of its groups and the response of every node."""

    def __init__(self, setup: TreeSetup, state: TreeState) -> None:
        self.setup = setup
        self.model, _ = own_counts(setup.model, state.ledger.b)
        count(self.model, state.ledger)
        self.chain = BlockSettings(0, NEVER, allow_empty=True, jumps=setup.settings.jumps)
        self.odds = np.zeros(1)
        self.sweepers = [self._sweeper(one) for one in setup.columns]
        self.respond(state)

    def _sweeper(self, columns: SelectionSetup) -> Sweeper:
        """Return the moves of one node, whose counts of rows and odds are its chain's own."""
        training = columns.target.training
        rows = training.rows._replace(counts=training.rows.counts.copy())
        target = replace(columns.target, training=replace(training, rows=rows), sums=columns.target.sums.copy())
        sweeper = Sweeper(columns._replace(target=target, columns=columns.columns._replace(odds=self.odds)))
        for g in range(len(columns.columns.start) - 1):
            sweeper.bridge._part(g)  # before the counts become those of the chain's labels
        return sweeper

    def field(self, state: TreeState) -> Array:
        """Return ln p(b_i = r | x_i, W) (N, B); 0 for vertices that are held out."""
        training = self.setup.columns[0].target.training
        by_row = np.zeros((len(training.rows.counts), self.setup.target.n_leaves))
        for child, columns, node in zip(self.setup.children, self.setup.columns, state.nodes, strict=True):
            log_p = log_softmax(columns.target.training.matrix() @ node.weights, axis=1)
            by_row[:, child >= 0] += log_p[:, child[child >= 0]]
        field, group = np.zeros((len(state.ledger.b), by_row.shape[1])), training.rows.group
        field[group >= 0] = by_row[group[group >= 0]]
        return field

    def move_labels(self, state: TreeState) -> None:
        """Move labels given the weights."""
        model = self.model._replace(field=self.field(state))
        target = BlockTarget(self.setup.target.graph, self.setup.target.likelihood)
        inner = BlockState(state.ledger, state.totals, state.tally, state.best, state.rng)
        blocks.advance(BlockSetup(target, model, self.chain), inner, self.setup.settings.sweeps)
        self.respond(state)

    def respond(self, state: TreeState) -> None:
        """Give every node the response of the labels."""
        for child, columns, sweeper in zip(self.setup.children, self.setup.columns, self.sweepers, strict=True):
            counts, sums = respond(columns.target.training, child, state.ledger.b)
            sweeper.target.rows.counts[:], sweeper.target.sums[:] = counts, sums

    def sweep_columns(self, state: TreeState, warm: bool) -> None:
        """Draw omega given the columns inside, then move the columns and weights of every node given the labels."""
        state.omega[0] = draw_omega(state.rng, [node.inside for node in state.nodes])
        self.odds[0] = log_odds(state.omega[0])
        for sweeper, node in zip(self.sweepers, state.nodes, strict=True):
            sweeper.sweep(node, warm)


def _no_draws(setup: TreeSetup, state: TreeState, n: int) -> TreeDraws:
    """Return empty arrays for so many draws."""
    trials = (n, len(state.nodes), len(state.nodes[0].inside))
    return TreeDraws(
        labels=np.empty((n, len(state.ledger.b)), dtype=np.min_scalar_type(setup.target.n_leaves - 1)),
        entropy=np.empty(n),
        moved=np.empty(n),
        omega=np.empty(n),
        inclusion=np.empty(trials, dtype=np.bool_),
        chance=np.empty(trials),
        weights=np.empty((n, sum(node.weights.size for node in state.nodes))),
    )
