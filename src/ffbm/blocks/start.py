"""Where a chain starts: an agglomerative descent, cheap, low, and different for each random stream.

From several times as many blocks as are wanted, along communities or at random, sweeps and merges of the
pairs that cost least take turns until the wanted number is left. The best of a few such descents is improved
by splitting pairs of blocks anew and by trading a merge for a split, as long as that pays.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from ffbm.blocks.seeds import community_labels, random_labels, spectral_labels
from ffbm.blocks.target import BlockTarget, block_ledger, block_model, n_blocks_of, resized
from ffbm.kernels.improve import cheapest_merge, resplit_down, trade_down
from ffbm.kernels.ledger import Ledger
from ffbm.kernels.merge import price_merges
from ffbm.kernels.single import sweep
from ffbm.kernels.target import Model, entropy_of
from ffbm.types import Array, Graph

_MORE = 4  # how many times as many blocks the descent begins with
_WARM, _GREEDY = 1.0, 1e8  # inverse temperatures: sweeps that explore, then sweeps that only descend
_GREEDY_SWEEPS, LAST_SWEEPS = 3, 30  # at most, on each level and on the last
_ALL_PAIRS, _PARTNERS = 2016, 10  # merges priced: all up to 64 blocks, else this many for each block
_FEW, _PAIRS = 256, 10  # improved are partitions into few blocks; pairs split anew for each of them, in a round
SCANS, _VISITS_PER_TRY = 2, 12  # restricted scans before a split descends; visits that a try makes of each vertex
BARREN = 3  # rounds in a row that may fail
_ROUNDS, _PATIENCE = 30, 8  # at most, and how many may fail with many pairs of blocks: half miss a better split
_MOST = 4096  # blocks to begin with, unless more are wanted: pricing a merge takes time in their number


class Effort(NamedTuple):
    """How much work a start is worth."""

    tries: int  # descents, of which the best is taken
    shrink: float  # by how much each level has fewer blocks
    warm_sweeps: int  # on each level
    visits: float  # of vertices, at most, for the improvement of the best


_SMALL, _MIDDLE, _LARGE = Effort(6, 1.08, 5, 2e7), Effort(2, 1.2, 5, 0), Effort(1, 1.5, 3, 0)


def effort_for(graph: Graph) -> Effort:
    """Return the effort that keeps a start to seconds up to a million edges."""
    if graph.n_edges <= 50_000:
        return _SMALL
    return _MIDDLE if graph.n_edges <= 300_000 else _LARGE


def greedy_labels(target: BlockTarget, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of a partition into ``n_blocks`` non-empty blocks with a low description length."""
    graph = target.graph
    effort = effort_for(graph)
    top = min(graph.n_nodes, max(n_blocks, min(_MORE * n_blocks, _MOST)))
    model = block_model(target, top)
    seeds = [structured_labels(graph, top, rng)] + [
        random_labels(graph.n_nodes, top, rng) for _ in range(effort.tries - 1)
    ]
    ends = [list(descend(target, model, labels, n_blocks, effort, rng))[-1] for labels in seeds]
    _, ledger = min(ends, key=lambda it: round(it[0], 6))  # partitions that are equally good differ by rounding
    improve(resized(target, model, n_blocks), ledger, effort, rng)
    return ledger.b.astype(np.int64)


def structured_labels(graph: Graph, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) of ``n_blocks`` blocks along the structure of a network, by what its size allows."""
    return (community_labels if effort_for(graph) is _SMALL else spectral_labels)(graph, n_blocks, rng)


def descend(
    target: BlockTarget, model: Model, labels: Array, n_blocks: int, effort: Effort, rng: np.random.Generator
) -> Iterator[tuple[float, Ledger]]:
    """Yield, level by level down to ``n_blocks``, S and the counts of the partition reached."""
    level = n_blocks_of(model)
    while True:
        ledger = block_ledger(model, labels, level)
        sweep_down(model, ledger, effort.warm_sweeps, _GREEDY_SWEEPS if level > n_blocks else LAST_SWEEPS, rng)
        yield entropy_of(model, ledger), ledger
        if level == n_blocks:
            return
        fewer = max(n_blocks, min(level - 1, int(level / effort.shrink)))
        labels = _merge_level(model, ledger, level - fewer, rng)
        level = fewer
        model = resized(target, model, level)


def improve(model: Model, ledger: Ledger, effort: Effort, rng: np.random.Generator) -> None:
    """Lower S by steps of many vertices until they fail some rounds in a row."""
    n_nodes, n_blocks = len(ledger.b), len(ledger.n)
    if not 1 < n_blocks <= _FEW:
        return
    work = np.empty((4, n_nodes), dtype=np.int64)
    scratch = np.zeros((3, n_blocks + 1), dtype=np.int64)
    n_rounds = min(_ROUNDS, affordable_rounds(n_nodes, n_blocks, effort))
    patience = min(max(n_blocks, BARREN), _PATIENCE) if n_rounds else 1
    n_tries = resplits_of_a_round(n_blocks) if n_rounds else 0
    barren = 0
    for _ in range(max(n_rounds, BARREN)):
        fallen = resplit_down(rng, model, ledger, n_tries, SCANS, work, scratch)
        for _ in range(n_blocks):
            first, second = cheapest_merge(model, ledger)[:2]
            gain = trade_down(rng, model, ledger, first, second, SCANS, work, scratch)
            fallen += gain
            if gain == 0:
                break
        barren = 0 if fallen > 0 else barren + 1
        if barren == patience:
            return


def resplits_of_a_round(n_blocks: int) -> int:
    """Return how many pairs of blocks are split anew in a round: all of them twice, in the mean, if they are few."""
    return 2 * n_blocks * min(n_blocks, _PAIRS)


def affordable_rounds(n_nodes: int, n_blocks: int, effort: Effort) -> int:
    """Return how many rounds of resplits the effort allows."""
    return int(effort.visits / (_VISITS_PER_TRY * resplits_of_a_round(n_blocks) * n_nodes / n_blocks))


def sweep_down(
    model: Model, ledger: Ledger, n_warm: int, n_greedy: int, rng: np.random.Generator, allow_empty: bool = False
) -> float:
    """Run warm sweeps, then greedy ones until nothing moves; return by how much S fell."""
    totals, tally = np.zeros(3), np.zeros(5, dtype=np.int64)
    journal = np.empty((2, len(ledger.b)), dtype=np.int64)
    scratch = np.zeros((3, len(ledger.n) + 1), dtype=np.int64)
    for turn in range(n_warm + n_greedy):
        beta = _WARM if turn < n_warm else _GREEDY
        tally[1] = 0
        sweep(rng, model, ledger, beta, 0.5, allow_empty, totals, tally, journal, scratch)
        if beta == _GREEDY and tally[1] == 0:
            break
    return -float(totals[0])


def _merge_level(model: Model, ledger: Ledger, n_merges: int, rng: np.random.Generator) -> Array:
    """Return the labels after the cheapest merges, as the costs stand before the first of them."""
    n_blocks = len(ledger.n)
    room = max(_ALL_PAIRS, _PARTNERS * n_blocks)
    pairs, costs = np.empty((room, 2), dtype=np.int64), np.empty(room)
    priced = price_merges(rng, model, ledger, pairs, costs)
    cheapest = pairs[np.argsort(costs[:priced], kind="stable")].tolist()
    sets = DisjointSet(range(n_blocks))
    free = np.ones(n_blocks, dtype=bool)  # a block merges once on a level: costs are as before the first merge
    for only_free in (True, False):
        for r, s in cheapest:
            if sets.n_subsets > n_blocks - n_merges and (not only_free or (free[r] and free[s])):
                sets.merge(r, s)
                free[r] = free[s] = False
    while sets.n_subsets > n_blocks - n_merges:  # too few different pairs were priced
        sets.merge(*rng.integers(0, n_blocks, 2).tolist())
    renumbered = np.empty(n_blocks, dtype=np.int64)
    for new, old in enumerate(sets.subsets()):
        renumbered[list(old)] = new
    return np.asarray(renumbered[ledger.b])
