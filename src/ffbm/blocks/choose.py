"""How many blocks: the B whose best partition has the lowest description length under Peixoto's prior.

Descents from many blocks down to one give a partition for every B. The lowest are improved with B free: blocks
are split, merged and split anew as long as S falls. Then the neighbours of the best B are tried in turn.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import (
    BlockSettings,
    BlockSetup,
    advance,
    block_counts,
    block_model,
    edge_costs,
    start,
    target_entropy,
)
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.start import (
    BARREN,
    LAST_SWEEPS,
    SCANS,
    Effort,
    affordable_rounds,
    descend,
    effort_for,
    improve,
    resplits_of_a_round,
    structured_labels,
    sweep_down,
)
from ffbm.kernels.improve import LEAST, merge_cheapest, resplit_down, split_best, split_down
from ffbm.kernels.partition import Model, entropy_of
from ffbm.types import Array, Graph

_SPREAD = 2.0  # descents begin with this times sqrt(2E) blocks: a flat model does not tell more apart
_LEAST_TOP, _MOST_TOP = 16, 2048
_IMPROVED = 3  # how many of the best B a descent improves with B free
_FEW = 256  # improved are partitions into this many blocks or fewer: all pairs are priced
_BETAS, _COOLING, _JUMPS = (1.0, 1.5, 2.0, 3.0), 200, 0.5  # inverse temperatures, sweeps at each, jumps in a sweep
_VISITS_PER_SWEEP = 10  # what a sweep with its jumps is worth, in visits of each vertex
_ROUNDS = 20  # at most
_SPARE = 8  # empty blocks that splits may open in one round, at least


class Found(NamedTuple):
    """The best partition known with some number of blocks."""

    entropy: float  # S under Peixoto's prior
    labels: Array


Candidates = dict[int, Found]  # by the number of blocks


class CandidateTable(NamedTuple):
    """Candidates as arrays, to be sent or written down."""

    numbers: Array  # (K,) of blocks
    entropies: Array  # (K,)
    labels: Array  # (K, N), in as few bytes as they need


def as_table(candidates: Candidates) -> CandidateTable:
    """Return candidates as arrays."""
    small = np.min_scalar_type(max(candidates))
    return CandidateTable(
        np.array(list(candidates)),
        np.array([it.entropy for it in candidates.values()]),
        np.array([it.labels.astype(small) for it in candidates.values()]),
    )


def from_table(table: CandidateTable) -> Candidates:
    """Return the candidates of a table.

    >>> from_table(as_table({2: Found(1.5, np.array([0, 1, 1]))}))
    {2: Found(entropy=1.5, labels=array([0, 1, 1]))}
    """
    rows = zip(table.numbers.tolist(), table.entropies.tolist(), table.labels, strict=True)
    return {number: Found(entropy, labels.astype(np.int64)) for number, entropy, labels in rows}


def most_blocks(graph: Graph) -> int:
    """Return how many blocks are more than enough."""
    return min(graph.n_nodes, max(_LEAST_TOP, min(_MOST_TOP, int(_SPREAD * np.sqrt(2 * graph.n_edges)))))


def descend_to_one(graph: Graph, rng: np.random.Generator, communities: bool) -> Candidates:
    """Return what one descent to a single block found for each number of blocks that it came by, the best improved."""
    effort = effort_for(graph)
    top = most_blocks(graph)
    model = block_model(graph, top, prior="full")
    seed = structured_labels(graph, top, rng) if communities else random_labels(graph.n_nodes, top, rng)
    levels = descend(graph, model, seed, 1, effort, rng, "full")
    found = {len(counts.n): Found(entropy, counts.b.astype(np.int64)) for entropy, counts in levels}
    lowest = sorted(found, key=lambda n: found[n].entropy)[:_IMPROVED]
    for n_blocks in (n for n in lowest if n <= _FEW):
        _keep(found, _improved_freely(graph, model, found[n_blocks].labels, effort, rng, resplits=False))
    constant = target_entropy(graph, found[1].labels, 1, "full") - found[1].entropy  # kernels leave it out
    return {n: Found(it.entropy + constant, it.labels) for n, it in found.items()}


def pool(parts: Iterable[Candidates]) -> Candidates:
    """Return the best partition for each number of blocks over several searches."""
    found: Candidates = {}
    for part in parts:
        for new in part.values():
            _keep(found, new)
    return found


def try_neighbours(graph: Graph, candidates: Candidates, rng: np.random.Generator) -> Candidates:
    """Return the candidates with the best improved and the neighbours of its B tried, until it stays the best."""
    found, effort, tried = dict(candidates), effort_for(graph), set()
    if best_of(found) > _FEW:
        return found
    better = _improved_freely(
        graph, block_model(graph, 1, prior="full"), found[best_of(found)].labels, effort, rng, resplits=True
    )
    n_blocks = int(better.labels.max(initial=0)) + 1
    _keep(found, Found(target_entropy(graph, better.labels, n_blocks, "full"), better.labels))
    while (best := best_of(found)) not in tried:
        tried.add(best)
        for side in (-1, 1):
            for n in (best + side, best + 2 * side):
                if 1 <= n <= graph.n_nodes and n - side in found:
                    _keep(found, _neighbour(graph, found[n - side].labels, side, effort, rng))
        for n in sorted({best - 1, best, best + 1} & found.keys()):
            _keep(found, _annealed(graph, found[n].labels, effort, rng))
    return found


def best_of(candidates: Candidates) -> int:
    """Return the number of blocks with the lowest S; of equals, the smallest."""
    return min(candidates, key=lambda n: (candidates[n].entropy, n))


def _keep(found: Candidates, new: Found) -> None:
    n_blocks = int(new.labels.max(initial=0)) + 1
    if n_blocks not in found or new.entropy < found[n_blocks].entropy:
        found[n_blocks] = new


def _improved_freely(
    graph: Graph, model: Model, labels: Array, effort: Effort, rng: np.random.Generator, resplits: bool
) -> Found:
    """Return a partition of lower S, reached by steps that may open and close blocks."""
    barren, best = 0, Found(np.inf, labels)
    for _ in range(_ROUNDS):
        n_used = int(best.labels.max(initial=0)) + 1
        room = min(n_used + max(_SPARE, n_used // 2), graph.n_nodes)
        model = model._replace(edge_cost=edge_costs(graph, room, "full"))
        counts = block_counts(model, best.labels, room)
        work, scratch = np.empty((4, graph.n_nodes), dtype=np.int64), np.zeros((3, room + 1), dtype=np.int64)
        split_down(rng, model, counts, SCANS, work, scratch)
        while merge_cheapest(model, counts, LEAST, work, scratch) >= LEAST:
            pass
        if resplits and affordable_rounds(graph.n_nodes, n_used, effort) > 0:
            resplit_down(rng, model, counts, resplits_of_a_round(n_used), SCANS, work, scratch)
        sweep_down(model, counts, 0, LAST_SWEEPS, rng, allow_empty=True)
        entropy = entropy_of(model, counts)
        barren = 0 if entropy < best.entropy - LEAST else barren + 1
        best = Found(entropy, np.unique(counts.b, return_inverse=True)[1])
        if barren == BARREN:
            break
    return best


def _annealed(graph: Graph, labels: Array, effort: Effort, rng: np.random.Generator) -> Found:
    """Return the best partition on the way of a chain that cools down from this one, itself included."""
    n_blocks = int(labels.max(initial=0)) + 1
    n_sweeps = min(_COOLING, int(effort.visits / (_VISITS_PER_SWEEP * len(_BETAS) * graph.n_nodes)))
    model = block_model(graph, n_blocks, prior="full")
    settings = BlockSettings(burn=2**60, thin=1, jumps=_JUMPS)
    state = start(BlockSetup(graph, model, settings), labels, rng, "full")
    for beta in _BETAS if n_blocks > 1 else ():
        advance(BlockSetup(graph, model, settings._replace(beta=beta)), state, n_sweeps)
    best = state.best.astype(np.int64)
    return Found(target_entropy(graph, best, n_blocks, "full"), best)


def _neighbour(graph: Graph, labels: Array, side: int, effort: Effort, rng: np.random.Generator) -> Found:
    """Return a partition with one block fewer (side = -1) or more (1), improved at that number."""
    n_blocks = int(labels.max(initial=0)) + 1
    room = max(n_blocks, n_blocks + side)
    model = block_model(graph, room, prior="full")
    counts = block_counts(model, labels, room)
    work, scratch = np.empty((4, graph.n_nodes), dtype=np.int64), np.zeros((3, room + 1), dtype=np.int64)
    if side < 0:
        merge_cheapest(model, counts, -np.inf, work, scratch)
    else:
        split_best(rng, model, counts, SCANS, work, scratch)
    model = model._replace(edge_cost=edge_costs(graph, n_blocks + side, "full"))
    counts = block_counts(model, np.unique(counts.b, return_inverse=True)[1], n_blocks + side)
    sweep_down(model, counts, 0, LAST_SWEEPS, rng)
    improve(model, counts, effort, rng)
    sweep_down(model, counts, 0, LAST_SWEEPS, rng)
    labels = counts.b.astype(np.int64)
    return Found(target_entropy(graph, labels, n_blocks + side, "full"), labels)
