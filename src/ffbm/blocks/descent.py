"""Agglomerative descents: from many blocks to few, sweeps and the cheapest merges in turn."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from ffbm.blocks.blocktypes import types_of_blocks
from ffbm.blocks.seeds import community_labels, spectral_labels
from ffbm.blocks.target import BlockTarget, block_ledger, n_blocks_of, resized
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.merge import price_merges
from ffbm.kernels.single import sweep
from ffbm.kernels.target import Model, entropy_of
from ffbm.kernels.workspace import ENTROPY, MOVES, make_workspace
from ffbm.types import Array, Graph

_WARM, _GREEDY = 1.0, 1e8  # inverse temperatures: sweeps that explore, then sweeps that only descend
_GREEDY_SWEEPS, LAST_SWEEPS = 3, 30  # at most, on each level and on the last
_ALL_PAIRS, _PARTNERS = 2016, 10  # merges priced: all up to 64 blocks, else this many for each block


class SearchBudget(NamedTuple):
    """How much work a search or a start may do."""

    n_slots: int  # partitions that a search keeps and crosses
    n_rounds: int  # of crossing, at most
    shrink: float  # by how much each level of a descent has fewer blocks
    warm_sweeps: int  # on each level
    visits: float  # of vertices by an annealing, at most
    restless: float = 0.0  # the share of vertices that may still move when greedy sweeps end


_SMALL, _MIDDLE, _LARGE = (
    SearchBudget(4, 8, 1.12, 5, 5e5),
    SearchBudget(2, 2, 1.2, 5, 2e6),
    SearchBudget(1, 0, 1.5, 2, 0, 0.003),
)
_HALF_EDGES = 3e7  # read by an annealing of middle size, at most: a visit of a vertex costs its degree


def budget_for(graph: Graph) -> SearchBudget:
    """Return the budget that keeps a search to seconds up to a million edges."""
    if graph.n_edges <= 50_000:
        return _SMALL
    if graph.n_edges <= 300_000:
        return _MIDDLE._replace(visits=min(_MIDDLE.visits, _HALF_EDGES * graph.n_nodes / (2 * graph.n_edges)))
    return _LARGE


def structured_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of ``n_blocks`` blocks along the structure of a network, by what its size allows."""
    return (community_labels if budget_for(graph) is _SMALL else spectral_labels)(graph, n_blocks, rng)


def needs_structure(graph: Graph) -> bool:
    """Return whether a network is so large that descents from random labels find nothing."""
    return budget_for(graph) is not _SMALL


def descend(
    target: BlockTarget,
    model: Model,
    labels: Array,
    n_blocks: int,
    budget: SearchBudget,
    rng: np.random.Generator,
    least: Array,
) -> Iterator[tuple[float, Ledger | WeightedLedger]]:
    """Yield, level by level down to ``n_blocks``, S and the counts of the partition reached.

    No type is left with fewer blocks than ``least`` (types,) says.
    """
    level = n_blocks_of(model)
    while True:
        ledger = block_ledger(model, labels, level)
        n_greedy = _GREEDY_SWEEPS if level > n_blocks else LAST_SWEEPS
        sweep_down(model, ledger, budget.warm_sweeps, n_greedy, rng, restless=budget.restless)
        yield entropy_of(model, ledger), ledger
        if level == n_blocks:
            return
        fewer = max(n_blocks, min(level - 1, int(level / budget.shrink)))
        block_types = types_of_blocks(target.types, ledger.b)
        labels = _merge_level(model, ledger, level - fewer, rng, block_types, least)
        level = fewer
        model = resized(target, model, types_of_blocks(target.types, labels))


def sweep_down(
    model: Model,
    ledger: Ledger | WeightedLedger,
    n_warm: int,
    n_greedy: int,
    rng: np.random.Generator,
    allow_empty: bool = False,
    restless: float = 0.0,
) -> float:
    """Run warm sweeps, then greedy ones until no more than a share of the vertices move; return by how much S fell."""
    totals, tally = np.zeros(3), np.zeros(5, dtype=np.int64)
    undo_log, _, scratch = make_workspace(len(ledger.b), len(ledger.n))
    for turn in range(n_warm + n_greedy):
        beta = _WARM if turn < n_warm else _GREEDY
        tally[MOVES] = 0
        sweep(rng, model, ledger, beta, 0.5, allow_empty, totals, tally, undo_log, scratch)
        if beta == _GREEDY and tally[MOVES] <= restless * len(ledger.b):
            break
    return -float(totals[ENTROPY])


def _merge_level(
    model: Model,
    ledger: Ledger | WeightedLedger,
    n_merges: int,
    rng: np.random.Generator,
    block_types: Array,
    least: Array,
) -> Array:
    """Return the labels after the cheapest merges, as the costs stand before the first of them."""
    n_blocks = len(ledger.n)
    n_priced = max(_ALL_PAIRS, _PARTNERS * n_blocks)
    pairs, costs = np.empty((n_priced, 2), dtype=np.int64), np.empty(n_priced)
    priced = price_merges(rng, model, ledger, pairs, costs)
    order = np.argsort(costs[:priced], kind="stable")
    cheapest = pairs[order[np.isfinite(costs[order])]].tolist()  # blocks of different types have no price
    sets = DisjointSet(range(n_blocks))
    free = np.ones(n_blocks, dtype=bool)  # a block merges once on a level: costs are as before the first merge
    kind = block_types.tolist()
    left = (np.bincount(block_types, minlength=len(least)) - least).tolist()  # merges that a type still allows
    for only_free in (True, False):
        for r, s in cheapest:
            if sets.n_subsets > n_blocks - n_merges and (not only_free or (free[r] and free[s])) and left[kind[r]] > 0:
                left[kind[r]] -= sets.merge(r, s)
                free[r] = free[s] = False
    while sets.n_subsets > n_blocks - n_merges:  # too few different pairs were priced
        r, s = rng.integers(0, n_blocks, 2).tolist()
        if kind[r] == kind[s] and left[kind[r]] > 0:
            left[kind[r]] -= sets.merge(r, s)
    renumbered = np.empty(n_blocks, dtype=np.int64)
    for new, old in enumerate(sets.subsets()):
        renumbered[list(old)] = new
    return np.asarray(renumbered[ledger.b])
