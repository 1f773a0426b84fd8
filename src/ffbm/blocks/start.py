"""Where a chain starts: an agglomerative descent, cheap, low, and different for each random stream.

From several times as many random blocks as are wanted, sweeps and merges of the pairs that cost least
take turns until the wanted number is left.
"""

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from ffbm.blocks.chain import block_counts, block_model, edge_costs
from ffbm.kernels.merge import merge_costs
from ffbm.kernels.partition import Counts, Model, entropy_of
from ffbm.kernels.single import sweep
from ffbm.types import Array, Graph

_MORE = 4  # how many times as many blocks the descent begins with
_WARM, _GREEDY = 1.0, 1e8  # inverse temperatures: sweeps that explore, then sweeps that only descend
_GREEDY_SWEEPS, _LAST_SWEEPS = 3, 30  # at most, on each level and on the last


class Effort(NamedTuple):
    """How much work a start is worth."""

    tries: int  # descents, of which the best is taken
    shrink: float  # by how much each level has fewer blocks
    warm_sweeps: int  # on each level


_SMALL, _MIDDLE, _LARGE = Effort(12, 1.08, 5), Effort(2, 1.2, 5), Effort(1, 1.5, 3)


def effort_for(graph: Graph) -> Effort:
    """Return the effort that keeps a start to about a second up to a million edges."""
    if graph.n_edges <= 100_000:
        return _SMALL
    return _MIDDLE if graph.n_edges <= 1_000_000 else _LARGE


def greedy_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of a partition into ``n_blocks`` non-empty blocks with a low description length."""
    effort = effort_for(graph)
    top = min(graph.n_nodes, _MORE * n_blocks)
    model = block_model(graph, top)
    found = [_descent(graph, model, n_blocks, effort, rng) for _ in range(effort.tries)]
    return min(found, key=lambda pair: pair[0])[1]


def _descent(
    graph: Graph, model: Model, n_blocks: int, effort: Effort, rng: np.random.Generator
) -> tuple[float, Array]:
    """Return the description length reached, up to a constant, and its labels."""
    level = len(model.edge_cost) - 1
    labels = rng.permutation(np.arange(graph.n_nodes) % level)
    while True:
        counts = block_counts(model, labels, level)
        _sweep_down(model, counts, effort, _GREEDY_SWEEPS if level > n_blocks else _LAST_SWEEPS, rng)
        if level == n_blocks:
            return entropy_of(model, counts), counts.b.astype(np.int64)
        fewer = max(n_blocks, min(level - 1, int(level / effort.shrink)))
        labels = _merge_cheapest(model, counts, level - fewer)
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


def _merge_cheapest(model: Model, counts: Counts, n_merges: int) -> Array:
    """Return the labels after the cheapest merges, as the costs stand before the first of them."""
    n_blocks = len(counts.n)
    costs = np.empty((n_blocks, n_blocks))
    merge_costs(model, counts, costs)
    sets = DisjointSet(range(n_blocks))
    for pair in np.argsort(costs, axis=None):
        if sets.n_subsets == n_blocks - n_merges:
            break
        sets.merge(*divmod(int(pair), n_blocks))
    renumbered = np.empty(n_blocks, dtype=np.int64)
    for new, old in enumerate(sets.subsets()):
        renumbered[list(old)] = new
    return np.asarray(renumbered[counts.b])
