"""The search for a partition of low description length under Peixoto's prior, with any number of blocks.

Descents from many blocks down to one give a partition for every B; the lowest of each is annealed with B free. Two
partitions are crossed by a descent from their meet: what both agree on stays together, and the rest is decided again.
At the end the neighbours of the best B are made from it and annealed, so that the numbers can be compared.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ffbm.blocks.annealing import Candidate, anneal
from ffbm.blocks.blocktypes import keep_apart, n_types_of, one_after_another, types_of_blocks, with_empty
from ffbm.blocks.descent import budget_for, descend, needs_structure, structured_labels
from ffbm.blocks.meet import meet
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.target import BlockTarget, block_ledger, block_model, resized
from ffbm.kernels.improve import merge_cheapest, split_best
from ffbm.kernels.target import Model
from ffbm.kernels.workspace import make_workspace
from ffbm.types import Array, Graph

_SPREAD = 2.0  # descents begin with this times sqrt(2E) blocks: a flat model does not tell more apart
_LEAST_TOP, _MOST_TOP = 16, 2048
_FEW = 256  # the neighbours of B are tried up to this many blocks: all pairs are priced
_FEWER = 2 / 3  # a cross descends to this many times the blocks of its parents

Candidates = dict[int, Candidate]  # the best partition known, by its number of blocks


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

    >>> from_table(as_table({2: Candidate(1.5, np.array([0, 1, 1]))}))
    {2: Candidate(entropy=1.5, labels=array([0, 1, 1]))}
    """
    rows = zip(table.numbers.tolist(), table.entropies.tolist(), table.labels, strict=True)
    return {number: Candidate(entropy, labels.astype(np.int64)) for number, entropy, labels in rows}


def most_blocks(graph: Graph) -> int:
    """Return how many blocks are more than enough."""
    return min(graph.n_nodes, max(_LEAST_TOP, min(_MOST_TOP, int(_SPREAD * np.sqrt(2 * graph.n_edges)))))


def free_block_types(target: BlockTarget, least: int = 1) -> Array:
    """Return the types (B,) of blocks that are more than enough, ``least`` or more of each type, type by type."""
    graph, types = target.graph, target.types
    most = max(most_blocks(graph), least)
    return one_after_another([most] if types is None else np.minimum(np.bincount(types), most).tolist())


def descend_to_one(target: BlockTarget, rng: np.random.Generator, communities: bool) -> Candidates:
    """Return what one descent to a single block found for each number of blocks that it came by, the best annealed.

    It begins along communities or at random; large networks always begin along their structure.
    """
    graph, top = target.graph, most_blocks(target.graph)
    is_structured = communities or needs_structure(graph)
    labels = structured_labels(graph, top, rng) if is_structured else random_labels(graph.n_nodes, top, rng)
    return _descend(target, keep_apart(target.types, labels), 1, rng)


def cross(target: BlockTarget, first: Candidate, second: Candidate, rng: np.random.Generator) -> Candidates:
    """Return what a descent from the meet of two partitions found, the best annealed."""
    labels = meet(first.labels, second.labels)
    fewest = max(1, int(_FEWER * min(first.n_blocks, second.n_blocks)))
    return _descend(target, labels, fewest, rng)


def _descend(target: BlockTarget, labels: Array, n_blocks: int, rng: np.random.Generator) -> Candidates:
    budget, least = budget_for(target.graph), np.ones(n_types_of(target.types), dtype=np.int64)
    model = block_model(target, types_of_blocks(target.types, labels))
    levels = descend(target, model, labels, max(n_blocks, len(least)), budget, rng, least)
    by_number = {len(ledger.n): Candidate(entropy, ledger.b.astype(np.int64)) for entropy, ledger in levels}
    _keep(by_number, anneal(target, model, by_number[best_of(by_number)].labels, budget, rng, free=True))
    return by_number


def pool(parts: Iterable[Candidates]) -> Candidates:
    """Return the best partition for each number of blocks over several searches."""
    lowest: Candidates = {}
    for part in parts:
        for new in part.values():
            _keep(lowest, new)
    return lowest


def try_neighbours(target: BlockTarget, candidates: Candidates, rng: np.random.Generator) -> Candidates:
    """Return the candidates with the neighbours of the best B made from it, until it stays the best."""
    improved, budget, tried = dict(candidates), budget_for(target.graph), set()
    if best_of(improved) > _FEW:
        return improved
    model = block_model(target, 1)
    while (best := best_of(improved)) not in tried:
        tried.add(best)
        for side in (-1, 1):
            for n in (best + side, best + 2 * side):
                if n_types_of(target.types) <= n <= target.graph.n_nodes and n - side in improved:
                    labels = _one_more(target, model, improved[n - side].labels, side, rng)
                    _keep(improved, anneal(target, model, labels, budget, rng))
    return improved


def best_of(candidates: Candidates) -> int:
    """Return the number of blocks with the lowest S; of equals, the smallest."""
    return min(candidates, key=lambda n: (candidates[n].entropy, n))


def _keep(candidates: Candidates, new: Candidate) -> None:
    n_blocks = new.n_blocks
    if n_blocks not in candidates or new.entropy < candidates[n_blocks].entropy:
        candidates[n_blocks] = new


def _one_more(target: BlockTarget, model: Model, labels: Array, side: int, rng: np.random.Generator) -> Array:
    """Return a partition with one block more (side = 1), by the best split, or fewer (-1), by the cheapest merge."""
    block_types = types_of_blocks(target.types, labels) if side < 0 else with_empty(target.types, labels, _one_each)
    model, n_blocks = resized(target, model, block_types), len(block_types)
    ledger = block_ledger(model, labels, n_blocks)
    _, work, scratch = make_workspace(len(labels), n_blocks)
    if side < 0:
        merge_cheapest(model, ledger, -np.inf, work)
    else:
        split_best(rng, model, ledger, 2, work, scratch)
    return np.asarray(np.unique(ledger.b, return_inverse=True)[1])


def _one_each(n_blocks: int, n_nodes: int) -> int:
    return min(n_blocks + 1, n_nodes)
