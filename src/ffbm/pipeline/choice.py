"""The choice of the number of blocks: partitions are found by descents, crossed in rounds, and compared."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from ffbm.blocks.annealing import Candidate
from ffbm.blocks.descent import budget_for
from ffbm.blocks.priors import FULL
from ffbm.blocks.search import (
    Candidates,
    CandidateTable,
    as_table,
    best_of,
    cross,
    descend_to_one,
    from_table,
    pool,
    try_neighbours,
)
from ffbm.blocks.target import BlockTarget
from ffbm.pipeline.context import RunContext
from ffbm.progress import Progress
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.workers import Pool, open_workers

_STAGE = "number of blocks"
_MOST_BARREN = 3  # rounds in a row without a lower S after which the search ends
_SAME = 1e-6  # nats by which the S of one partition may seem to differ


class _Pair(NamedTuple):
    """Two partitions to be crossed, and the number of their slot."""

    slot: int
    first: Candidate
    second: Candidate


class _Round(NamedTuple):
    """What the pieces of work of a round found, in the order of the slots."""

    parts: list[CandidateTable]


class Search(NamedTuple):
    """The best partition found for each number of blocks, and the rounds that there was no time for."""

    candidates: Candidates
    n_left: int


def find_candidates(target: BlockTarget, seed: int, context: RunContext) -> Candidates:
    """Return the best partition found for each number of blocks that was tried, by S under Peixoto's prior."""
    return search_until(target, seed, context).candidates


def search_until(target: BlockTarget, seed: int, context: RunContext, end: float = inf) -> Search:
    """Search for the number of blocks, by S under Peixoto's prior; no round begins after ``end``, by the clock.

    A few slots each hold a partition, at first that of a descent. In every round each is crossed with another and
    replaced if that is lower. Rounds are written down where there are checkpoints: an interrupted search goes on after
    its last one, and so does one that had too little time.
    """
    target = target._replace(prior=FULL)
    budget = budget_for(target.graph)
    key = digest(target, seed) if context.checkpoints else ""
    with open_workers(context.workers, budget.n_slots) as run:
        work = _Rounds(run, target, context, key, total=budget.n_slots * (budget.n_rounds + 1) + 1)
        parts = work.round(0, partial(_descend, seed), range(budget.n_slots))
        slots, candidates, barren, n_left = [*map(_lowest, parts)], pool(parts), 0, 0
        for number in range(1, budget.n_rounds + 1):
            entropies = [slot.entropy for slot in slots]
            lowest = min(entropies)
            if barren == _MOST_BARREN or max(entropies) < lowest + _SAME:
                break
            if time.monotonic() >= end:
                n_left = budget.n_rounds + 1 - number
                work.key += f", {n_left} rounds left"  # the neighbours are those of a shorter search
                break
            parts = work.round(number, partial(_cross, seed, number), _pairs(slots, stream(seed, _STAGE, number)))
            pairs = zip(slots, map(_lowest, parts), strict=True)
            slots = [min(pair, key=lambda candidate: candidate.entropy) for pair in pairs]
            barren = 0 if min(slot.entropy for slot in slots) < lowest - _SAME else barren + 1
            candidates = pool([candidates, *parts])
        (last,) = work.round(-1, partial(_compare, seed), [as_table(candidates)])
    work.end()
    return Search(last, n_left)


class _Rounds:
    """Rounds of independent pieces of work, each remembered, with progress by piece and the lowest S so far."""

    def __init__(self, run: Pool, target: BlockTarget, context: RunContext, key: str, total: int) -> None:
        self.run, self.target, self.context, self.key, self.total = run, target, context, key, total
        self.done, self.lowest = 0, np.inf
        self.reported: Progress | None = None
        self._tell([])

    def round(self, number: int, function: Callable[..., CandidateTable], items: Sequence[Any]) -> list[Candidates]:
        """Return what the function finds for each item, unless it is known already."""
        name = f"{_STAGE}, {f'round {number}' if number >= 0 else 'neighbours'}"
        tables = self.context.remember(name, self.key, _Round, partial(self._find, function, items)).parts
        self._tell(tables)
        self.done += len(tables)
        return [from_table(table) for table in tables]

    def end(self) -> None:
        """Say that no round is left, however many there might have been."""
        self.done = self.total
        self._tell([])

    def _find(self, function: Callable[..., CandidateTable], items: Sequence[Any]) -> _Round:
        futures: list[Future[CandidateTable]] = []
        for item in items:
            futures.append(self.run.submit(function, item, self.target, kind=CandidateTable))
            self._tell([future.result() for future in futures if future.done()])  # a single worker has ended by now
        for _ in as_completed(futures):
            self._tell([future.result() for future in futures if future.done()])
        return _Round([future.result() for future in futures])

    def _tell(self, ended: Sequence[CandidateTable]) -> None:
        """Say how many pieces have ended, these of the present round among them."""
        self.lowest = min([self.lowest, *(float(table.entropies.min()) for table in ended)])
        note = f"lowest S {self.lowest:,.2f}" if self.lowest < np.inf else ""
        event = Progress(_STAGE, self.done + len(ended), self.total, note)
        if event != self.reported:
            self.reported = event
            self.context.tell(event)


def _pairs(slots: list[Candidate], rng: np.random.Generator) -> list[_Pair]:
    """Pair every slot with a random other one."""
    others = rng.integers(1, len(slots), len(slots)).tolist()
    return [
        _Pair(j, slot, slots[(j + other) % len(slots)])
        for j, (slot, other) in enumerate(zip(slots, others, strict=True))
    ]


def _lowest(part: Candidates) -> Candidate:
    return part[best_of(part)]


def _descend(seed: int, target: BlockTarget, slot: int) -> CandidateTable:
    return as_table(descend_to_one(target, stream(seed, _STAGE, 0, slot), communities=slot == 0))


def _cross(seed: int, number: int, target: BlockTarget, pair: _Pair) -> CandidateTable:
    """Cross a pair; equal partitions have nothing to exchange: a new descent takes their place."""
    rng = stream(seed, _STAGE, number, pair.slot)
    if abs(pair.first.entropy - pair.second.entropy) < _SAME:
        return as_table(descend_to_one(target, rng, communities=False))
    return as_table(cross(target, pair.first, pair.second, rng))


def _compare(seed: int, target: BlockTarget, table: CandidateTable) -> CandidateTable:
    return as_table(try_neighbours(target, from_table(table), stream(seed, _STAGE, "neighbours")))


def list_candidates(candidates: Candidates) -> list[tuple[int, float]]:
    """Return the numbers of blocks and their description lengths, as settings of a trace hold them."""
    return [(n, float(np.round(candidates[n].entropy, 6))) for n in sorted(candidates)]


def next_best(candidates: Candidates) -> tuple[int, float] | None:
    """Return the second best number of blocks and the share of the vertices that are in another block there.

    Blocks of the two best partitions are matched one to one, so that they share as many vertices as can be. None if
    there is one number only.

    >>> next_best({2: Candidate(1.0, np.array([0, 0, 1, 1])), 3: Candidate(2.5, np.array([2, 2, 0, 1]))})
    (3, 0.25)
    """
    order = sorted(candidates, key=lambda n: (round(candidates[n].entropy, 6), n))
    if len(order) == 1:
        return None
    best, other = (candidates[n] for n in order[:2])
    shared = np.zeros((best.n_blocks, other.n_blocks))
    np.add.at(shared, (best.labels, other.labels), 1)
    return order[1], float(1 - shared[linear_sum_assignment(shared, maximize=True)].sum() / len(best.labels))
