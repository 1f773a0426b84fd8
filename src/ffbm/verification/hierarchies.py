"""Checks of the chain of hierarchies: its visits of all hierarchies of tiny networks against the exact law."""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.blocktypes import keep_apart, types_of_blocks
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED, Likelihood
from ffbm.nested import ladder
from ffbm.nested.chain import NestedSettings, NestedSetup, advance, start
from ffbm.nested.target import Hierarchy, Layout, NestedTarget, nested_model, vertex_labels
from ffbm.types import Array, EdgeWeights
from ffbm.verification.enumeration import RUNS, Distance, graph_of, total_variation
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.partitions import (
    ARCS,
    COUNTS,
    FIVE,
    FOUR,
    LOGS,
    MESS,
    REALS,
    RING,
    TIMES,
    TRIANGLES,
    TRIPS,
    VISITS,
    WHO,
    judge,
)
from ffbm.workers import Run

_PIECE = 100_000  # draws that are counted at a time


class Trial(NamedTuple):
    """A tiny network, how many levels above the blocks, the moves, and how many cycles each of the 16 runs makes."""

    edges: tuple[tuple[int, int], ...]
    n_nodes: int
    n_rows: int
    settings: NestedSettings
    n_quick: int
    n_full: int
    likelihood: Likelihood = DEGREE_CORRECTED
    directed: bool = False
    weights: EdgeWeights | None = None  # of the edges, in their order
    types: tuple[int, ...] = ()  # of the vertices; none: all are alike
    betas: tuple[float, ...] = ()  # inverse temperatures of a ladder, whose cold replica is looked at; none: one chain

    @property
    def target(self) -> NestedTarget:
        """What hierarchies are scored by."""
        graph = graph_of(self.edges, self.n_nodes, self.directed, self.weights)
        return NestedTarget(graph, self.likelihood, np.array(self.types) if self.types else None)


LOOP = ((0, 1), (0, 1), (0, 1), (1, 2), (2, 2), (2, 2))
_ALL = NestedSettings(0, 1, sweeps=1, jumps=2.0, shifts=1.0, n_scans=1)
TRIALS = {
    "two levels": Trial(FIVE, 5, 2, _ALL, 40_000, 300_000),
    "two levels, loops and parallels": Trial(MESS, 6, 2, _ALL, 0, 600_000),
    "three levels": Trial(FOUR, 4, 3, _ALL, 40_000, 300_000),
    "three levels, levels opened and closed": Trial(FIVE, 5, 3, _ALL._replace(shifts=3.0), 0, 600_000),
    "levels stay": Trial(FOUR, 4, 3, _ALL._replace(shifts=0.0), 0, 300_000),
    "four levels": Trial(FOUR, 4, 4, _ALL, 0, 300_000),
    "warmer": Trial(TRIANGLES, 6, 2, _ALL._replace(beta=0.6), 0, 2_400_000),
    "tempered": Trial(LOOP, 3, 2, _ALL, 0, 40_000, betas=(1.0, 0.6, 0.2)),
    "no degree correction": Trial(FIVE, 5, 2, _ALL, 0, 300_000, UNCORRECTED),
    "directed, three levels": Trial(RING, 4, 3, _ALL, 40_000, 300_000, directed=True),
    "directed, loops and parallels": Trial(ARCS, 6, 2, _ALL, 0, 600_000, directed=True),
    "directed, no degree correction": Trial(RING, 4, 3, _ALL, 0, 300_000, UNCORRECTED, directed=True),
    "weighted, two levels": Trial(FIVE, 5, 2, _ALL, 40_000, 300_000, weights=COUNTS),
    "weighted, three levels": Trial(FOUR, 4, 3, _ALL, 0, 300_000, weights=REALS),
    "weighted, directed": Trial(RING, 4, 3, _ALL, 0, 300_000, directed=True, weights=LOGS),
    "weighted, sums of three levels": Trial(FOUR, 4, 3, _ALL, 0, 300_000, weights=TIMES),
    "weighted, sums of arcs": Trial(RING, 4, 3, _ALL, 0, 300_000, directed=True, weights=TRIPS),
    "weighted, types": Trial(VISITS, 5, 3, _ALL, 0, 300_000, weights=COUNTS, types=WHO),
    "types, two levels": Trial(VISITS, 5, 2, _ALL, 40_000, 300_000, types=WHO),
    "types, levels opened and closed": Trial(VISITS, 5, 4, _ALL._replace(shifts=3.0), 0, 600_000, types=WHO),
    "types, directed": Trial(VISITS, 5, 3, _ALL, 0, 600_000, directed=True, types=WHO),
}


def all_hierarchies(n_nodes: int, n_rows: int, types: Array | None = None) -> list[Hierarchy]:
    """Return every hierarchy of sets of so many vertices: ``n_rows`` - 1 partitions above the blocks, then one group.

    With types no group has vertices of two, and one group for each is on top.

    >>> len(all_hierarchies(4, 2)), len(all_hierarchies(4, 3)), len(all_hierarchies(4, 2, np.array([0, 0, 0, 1])))
    (60, 154, 12)
    """
    hierarchies: list[Hierarchy] = [[]]
    for _ in range(n_rows):
        grown = []
        for levels in hierarchies:
            n_members = int(levels[-1].max()) + 1 if levels else n_nodes
            grown += [[*levels, np.array(labels)] for labels in set_partitions(n_members)]
        hierarchies = [levels for levels in grown if types is None or is_pure(vertex_labels(levels)[-1], types)]
    return [[*levels, types_of_blocks(types, vertex_labels(levels)[-1])] for levels in hierarchies]


def is_pure(labels: Array, types: Array) -> bool:
    """Return whether every group has vertices of one type."""
    return bool((types_of_blocks(types, labels)[labels] == types).all())


def set_partitions(n: int) -> list[tuple[int, ...]]:
    """Return the labels of every partition of n members into sets, numbered by first appearance."""
    every = product(*(range(i + 1) for i in range(n)))
    return [labels for labels in every if all(r <= max(labels[:i], default=-1) + 1 for i, r in enumerate(labels))]


def codes_of(levels: list[Array], n_nodes: int) -> Array:
    """Return a number for each of many hierarchies, given the group (T, N) of each vertex on every level.

    It does not depend on the names of groups: each vertex stands for the first one in its group.
    """
    codes = np.zeros(len(levels[0]), dtype=np.int64)
    for labels in levels:
        first = (labels[:, :, None] == labels[:, None, :]).argmax(axis=2)
        for i in range(n_nodes):
            codes = codes * n_nodes + first[:, i]
    return codes


def compare_hierarchies(trial: Trial, n_cycles: int, seed: int = 0, each: Run | None = None) -> Distance:
    """Return the total variation between visits and law, and what chance alone makes of it."""
    target = trial.target
    hierarchies = all_hierarchies(trial.n_nodes, trial.n_rows, target.types)
    spread = [vertex_labels(levels)[: trial.n_rows] for levels in hierarchies]
    codes = codes_of([np.array(level) for level in zip(*spread, strict=True)], trial.n_nodes)
    order = np.argsort(codes)
    log_law = -trial.settings.beta * np.array([target.entropy(hierarchies[a]) for a in order])
    visit = partial(_visits, target, trial, codes[order], n_cycles, seed)
    visits = np.array(each(visit, range(RUNS)) if each else [visit(run) for run in range(RUNS)])
    return total_variation(np.exp(log_law - log_law.max()), visits)


def _visits(target: NestedTarget, trial: Trial, codes: Array, n_cycles: int, seed: int, run: int) -> Array:
    """Return how often each hierarchy is visited."""
    n_nodes, n_rows = trial.n_nodes, trial.n_rows
    rng, layout = np.random.default_rng([seed, run, n_nodes]), Layout(n_nodes, n_nodes, n_rows)
    setup = NestedSetup(target, nested_model(target, layout), layout, trial.settings)
    labels = keep_apart(target.types, rng.permutation(np.arange(n_nodes) % 2))
    levels = [labels, types_of_blocks(target.types, labels)]
    state, go_on = _begin(setup, levels, trial.betas, rng)
    state, _ = go_on(setup, state, n_cycles // 100)
    visits = np.zeros(len(codes), dtype=np.int64)
    for first in range(0, n_cycles, _PIECE):
        state, draws = go_on(setup, state, min(_PIECE, n_cycles - first))
        rows = draws.labels.reshape(len(draws.labels), n_rows, n_nodes)  # all levels have the same room here
        levels = [rows[:, 0]]
        for row in range(1, n_rows):
            levels.append(np.take_along_axis(rows[:, row], levels[-1], axis=1))
        visits += np.bincount(np.searchsorted(codes, codes_of(levels, n_nodes)), minlength=len(codes))
    return visits


def _begin(setup: NestedSetup, levels: Hierarchy, betas: tuple[float, ...], rng: np.random.Generator) -> Any:
    """Return a chain or, if it has temperatures, a ladder, and what advances it."""
    if not betas:
        return start(setup, levels, rng), advance
    return ladder.start(setup, lambda *_: levels, np.array(betas), rng), ladder.advance


def follow_the_law(name: str, effort: Effort) -> Finding:
    """Run one trial and return its total variation from the exact law."""
    trial = TRIALS[name]
    n_cycles = trial.n_full if effort.full else trial.n_quick
    return judge(compare_hierarchies(trial, n_cycles, effort.seed, effort.each), n_cycles, effort)


CHECKS = tuple(
    Check(
        f"hierarchies: {name}",
        "total variation between visits and the exact law on all hierarchies",
        "a level's cost left out, edges or weights not carried up, splits and merges out of balance, levels free",
        partial(follow_the_law, name),
        full_only=True,
    )
    for name in TRIALS
)
