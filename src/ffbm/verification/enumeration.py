"""Exact laws on all partitions of a tiny network, and how often a chain visits each."""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.priors import UNIFORM, PartitionPrior
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.kernels.blockchain import Schedule
from ffbm.kernels.visits import count_visits
from ffbm.kernels.workspace import Counters, make_workspace
from ffbm.types import Array, EdgeWeights, Graph
from ffbm.workers import Run

RUNS = 16
SINGLE, RELOCATE = -1, -2  # beside the kinds of moves in ffbm.kernels.mergesplit


class Case(NamedTuple):
    """A tiny network and a target on its partitions."""

    edges: tuple[tuple[int, int], ...]
    n_nodes: int
    n_blocks: int
    field: bool = False
    allow_empty: bool = False
    prior: PartitionPrior = UNIFORM
    likelihood: Likelihood = DEGREE_CORRECTED
    dense: bool = True  # the tables of counts
    directed: bool = False
    types: tuple[int, ...] = ()  # of the vertices; none: all are alike
    block_types: tuple[int, ...] = ()
    weights: EdgeWeights | None = None  # of the edges, in their order

    @property
    def numbers(self) -> Any:
        """B, or that of each type."""
        return np.bincount(self.block_types).tolist() if self.block_types else self.n_blocks

    @property
    def layout(self) -> Any:
        """B, or the types of the blocks."""
        return np.array(self.block_types) if self.block_types else self.n_blocks


class Distance(NamedTuple):
    """How far the visits are from the law, and how far they would be by chance alone."""

    distance: float
    floor: float


def compare(
    case: Case,
    n_steps: int,
    moves: tuple[int, ...] = (SINGLE,),
    epsilon: float = 0.5,
    beta: float = 1.0,
    seed: int = 0,
    each: Run | None = None,
) -> Distance:
    """Return the total variation between visits and law, on set partitions unless there is a field.

    A step is one sweep or one move of each of these moves, in turn. The floor is the distance that the
    spread between independent runs makes by chance, whatever the autocorrelation:
    1/2 sum_s sqrt(2/pi) sd_s / sqrt(runs).
    """
    target, field = target_of(case), field_of(case)
    visit = partial(_visits, target, field, case, n_steps, np.array(moves), epsilon, beta, seed)
    visits = np.array(each(visit, range(RUNS)) if each else [visit(run) for run in range(RUNS)])
    return distance_of(case, beta * log_law(case), visits)


def distance_of(case: Case, log_weights: Array, visits: Array) -> Distance:
    """Return how far the visits (runs, states) are from the law with these weights (states,)."""
    law = np.exp(log_weights - log_weights.max())
    if not case.field:
        merge = _set_partitions(states_of(case))
        law = np.bincount(merge, weights=law)
        visits = np.array([np.bincount(merge, weights=v) for v in visits])
    return total_variation(law, visits)


def total_variation(law: Array, visits: Array) -> Distance:
    """Return how far the visits (runs, states) are from a law (states,), which need not sum to 1."""
    shares = visits / visits.sum(axis=1, keepdims=True)
    distance = 0.5 * np.abs(shares.mean(axis=0) - law / law.sum()).sum()
    floor = 0.5 * np.sqrt(2 / np.pi) * shares.std(axis=0, ddof=1).sum() / np.sqrt(len(visits))
    return Distance(float(distance), float(floor))


def states_of(case: Case) -> Array:
    """Return all labels (B^N, N), in the order of their numbers."""
    return np.array(list(product(range(case.n_blocks), repeat=case.n_nodes)))


def log_law(case: Case, tempered: float = 1.0) -> Array:
    """Return the log weight (B^N,) of each state, F(b) - P(b) - beta L(b): beta tempers L = -ln P(A|b) alone."""
    target, field, rows = target_of(case), field_of(case), np.arange(case.n_nodes)
    logs = np.full(case.n_blocks**case.n_nodes, -np.inf)
    for code, b in enumerate(states_of(case)):
        if (case.allow_empty or len(set(b)) == case.n_blocks) and _is_allowed(case, b):
            entropy, likelihood = (part.entropy(b, case.numbers) for part in (target, target._replace(prior=UNIFORM)))
            logs[code] = likelihood - entropy - tempered * likelihood
            logs[code] += 0.0 if field is None else field[rows, b].sum()
    return logs


def target_of(case: Case) -> BlockTarget:
    """Return the target of a case."""
    types = np.array(case.types) if case.types else None
    graph = graph_of(case.edges, case.n_nodes, case.directed, case.weights)
    return BlockTarget(graph, case.likelihood, case.prior, types)


def _is_allowed(case: Case, b: Array) -> bool:
    """Return whether every vertex is in a block of its type."""
    return not case.types or all(case.block_types[r] == t for r, t in zip(b.tolist(), case.types, strict=True))


def random_start(case: Case, rng: np.random.Generator) -> Array:
    """Return labels to begin with: every block in use, every vertex in a block of its type."""
    if not case.types:
        return rng.permutation(np.arange(case.n_nodes) % case.n_blocks)
    block_types, types, labels = (
        np.array(case.block_types),
        np.array(case.types),
        np.empty(case.n_nodes, dtype=np.int64),
    )
    for t in range(int(block_types.max()) + 1):
        members = rng.permutation(np.flatnonzero(types == t))
        labels[members] = np.resize(np.flatnonzero(block_types == t), len(members))
    return labels


def graph_of(
    edges: tuple[tuple[int, int], ...], n_nodes: int, directed: bool = False, weights: EdgeWeights | None = None
) -> Graph:
    """Return the multigraph with these edges."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes, directed, weights)


def field_of(case: Case) -> Array | None:
    """Return the field (N, B) of a case, if it has one."""
    if not case.field:
        return None
    return np.random.default_rng(17).normal(size=(case.n_nodes, case.n_blocks)) * 1.2


def _set_partitions(states: Array) -> Array:
    """Give each state a number that it shares with those of the same pattern of labels."""
    patterns = [tuple(list(dict.fromkeys(b)).index(r) for r in b) for b in states.tolist()]
    index = {pattern: n for n, pattern in enumerate(dict.fromkeys(patterns))}
    return np.array([index[pattern] for pattern in patterns])


def _visits(
    target: BlockTarget,
    field: Array | None,
    case: Case,
    n_steps: int,
    moves: Array,
    epsilon: float,
    beta: float,
    seed: int,
    run: int,
) -> Array:
    rng = np.random.default_rng([seed, run, case.n_nodes])
    model = block_model(target, case.layout, field)
    ledger = block_ledger(model, random_start(case, rng), case.n_blocks, case.dense)
    visits = np.zeros(case.n_blocks**case.n_nodes, dtype=np.int64)
    schedule = Schedule(
        n_steps // 100, 1, beta, epsilon, case.allow_empty, jumps=0.0, n_scans=1, relocations=0.0, n_steps=2
    )
    counters = Counters(np.zeros(3), np.zeros(5, dtype=np.int64), ledger.b.copy())
    workspace = make_workspace(case.n_nodes, case.n_blocks)
    count_visits(rng, model, ledger, moves, n_steps, schedule, counters, workspace, visits)
    return visits
