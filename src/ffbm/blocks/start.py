"""Where a chain starts: an agglomerative descent, cheap, low, and different for each random stream.

From several times as many blocks as are wanted, along communities or at random, sweeps and merges of the
pairs that cost least take turns until the wanted number is left.
"""

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from ffbm.blocks.chain import block_counts, block_model, edge_costs
from ffbm.blocks.seeds import community_labels, random_labels
from ffbm.kernels.merge import price_merges
from ffbm.kernels.partition import Counts, Model, entropy_of
from ffbm.kernels.single import sweep
from ffbm.types import Array, Graph

_MORE = 4  # how many times as many blocks the descent begins with
_WARM, _GREEDY = 1.0, 1e8  # inverse temperatures: sweeps that explore, then sweeps that only descend
_GREEDY_SWEEPS, _LAST_SWEEPS = 3, 30  # at most, on each level and on the last
_ALL_PAIRS, _PARTNERS = 2016, 10  # merges priced: all up to 64 blocks, else this many for each block
_MOST = 4096  # blocks to begin with, unless more are wanted: pricing a merge takes time in their number


class Effort(NamedTuple):
    """How much work a start is worth."""

    tries: int  # descents, of which the best is taken
    shrink: float  # by how much each level has fewer blocks
    warm_sweeps: int  # on each level


_SMALL, _MIDDLE, _LARGE = Effort(12, 1.08, 5), Effort(2, 1.2, 5), Effort(1, 1.5, 3)


def effort_for(graph: Graph) -> Effort:
    """Return the effort that keeps a start to seconds up to a million edges."""
    if graph.n_edges <= 100_000:
        return _SMALL
    return _MIDDLE if graph.n_edges <= 1_000_000 else _LARGE


def greedy_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of a partition into ``n_blocks`` non-empty blocks with a low description length."""
    effort = effort_for(graph)
    top = min(graph.n_nodes, max(n_blocks, min(_MORE * n_blocks, _MOST)))
    model = block_model(graph, top)
    seeds = [community_labels(graph, top, rng)] + [
        random_labels(graph.n_nodes, top, rng) for _ in range(effort.tries - 1)
    ]
    return min((_descent(graph, model, n_blocks, labels, effort, rng) for labels in seeds), key=lambda it: it[0])[1]


def _descent(
    graph: Graph, model: Model, n_blocks: int, labels: Array, effort: Effort, rng: np.random.Generator
) -> tuple[float, Array]:
    """Return the description length reached, up to a constant, and its labels."""
    level = len(model.edge_cost) - 1
    while True:
        counts = block_counts(model, labels, level)
        _sweep_down(model, counts, effort, _GREEDY_SWEEPS if level > n_blocks else _LAST_SWEEPS, rng)
        if level == n_blocks:
            return entropy_of(model, counts), counts.b.astype(np.int64)
        fewer = max(n_blocks, min(level - 1, int(level / effort.shrink)))
        labels = _merge_cheapest(model, counts, level - fewer, rng)
        level = fewer
        model = model._replace(edge_cost=edge_costs(graph.n_edges, level))


def _sweep_down(model: Model, counts: Counts, effort: Effort, n_greedy: int, rng: np.random.Generator) -> None:
    """Run warm sweeps, then greedy ones until nothing moves."""
    totals, tally = np.zeros(3), np.zeros(5, dtype=np.int64)
    journal = np.empty((2, len(counts.b)), dtype=np.int64)
    scratch = np.zeros((3, len(counts.n) + 1), dtype=np.int64)
    for turn in range(effort.warm_sweeps + n_greedy):
        beta = _WARM if turn < effort.warm_sweeps else _GREEDY
        tally[1] = 0
        sweep(rng, model, counts, beta, 0.5, False, totals, tally, journal, scratch)
        if beta == _GREEDY and tally[1] == 0:
            break


def _merge_cheapest(model: Model, counts: Counts, n_merges: int, rng: np.random.Generator) -> Array:
    """Return the labels after the cheapest merges, as the costs stand before the first of them."""
    n_blocks = len(counts.n)
    room = max(_ALL_PAIRS, _PARTNERS * n_blocks)
    pairs, costs = np.empty((room, 2), dtype=np.int64), np.empty(room)
    priced = price_merges(rng, model, counts, pairs, costs)
    sets = DisjointSet(range(n_blocks))
    for pair in pairs[np.argsort(costs[:priced], kind="stable")]:
        if sets.n_subsets == n_blocks - n_merges:
            break
        sets.merge(int(pair[0]), int(pair[1]))
    while sets.n_subsets > n_blocks - n_merges:  # too few different pairs were priced
        sets.merge(*rng.integers(0, n_blocks, 2).tolist())
    renumbered = np.empty(n_blocks, dtype=np.int64)
    for new, old in enumerate(sets.subsets()):
        renumbered[list(old)] = new
    return np.asarray(renumbered[counts.b])
