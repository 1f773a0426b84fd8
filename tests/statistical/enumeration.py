"""Exact laws on all partitions of a tiny network, and how often a chain visits each."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.blocks.chain import block_counts, block_model
from ffbm.blocks.entropy import description_length
from ffbm.kernels import mergesplit, single
from ffbm.types import Graph

RUNS = 16
SINGLE = -1  # beside the kinds of ffbm.kernels.mergesplit


class Case(NamedTuple):
    """A tiny network and a target on its partitions."""

    edges: tuple
    n_nodes: int
    n_blocks: int
    field: bool
    allow_empty: bool


class Outcome(NamedTuple):
    """How far the visits are from the law, and how far they would be by chance alone."""

    distance: float
    floor: float


def compare(case, n_steps, kinds=(SINGLE,), kernels=None, epsilon=0.5, beta=1.0):
    """Return the total variation between visits and law, on set partitions unless there is a field.

    A step is one sweep or one move of each of the kinds, in turn. The floor is the distance that the
    spread between independent runs makes by chance, whatever the autocorrelation:
    1/2 sum_s sqrt(2/pi) sd_s / sqrt(runs).
    """
    ends = np.array(case.edges).reshape(-1, 2)
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], case.n_nodes)
    field = None
    if case.field:
        field = np.random.default_rng(17).normal(size=(case.n_nodes, case.n_blocks)) * 1.2
    states = np.array(list(product(range(case.n_blocks), repeat=case.n_nodes)))
    law = np.array([_weight(graph, b, field, case, beta) for b in states])
    chosen = {"ffbm.kernels.single": single, "ffbm.kernels.mergesplit": mergesplit, **(kernels or {})}
    visits = np.array([_visits(graph, field, case, run, n_steps, kinds, chosen, epsilon, beta) for run in range(RUNS)])
    if not case.field:
        merge = _set_partitions(states)
        law = np.bincount(merge, weights=law)
        visits = np.array([np.bincount(merge, weights=v) for v in visits])
    law, shares = law / law.sum(), visits / visits.sum(axis=1, keepdims=True)
    distance = 0.5 * np.abs(shares.mean(axis=0) - law).sum()
    floor = 0.5 * np.sqrt(2 / np.pi) * shares.std(axis=0, ddof=1).sum() / np.sqrt(RUNS)
    return Outcome(float(distance), float(floor))


def _weight(graph, b, field, case, beta):
    if not case.allow_empty and len(set(b)) < case.n_blocks:
        return 0.0
    energy = description_length(graph, b).without_partition
    if field is not None:
        energy -= field[np.arange(case.n_nodes), b].sum()
    return np.exp(-beta * energy)


def _set_partitions(states):
    """Number the states so that those with the same pattern of labels share a number."""
    patterns = [tuple(list(dict.fromkeys(b)).index(r) for r in b) for b in states.tolist()]
    index = {pattern: n for n, pattern in enumerate(dict.fromkeys(patterns))}
    return np.array([index[pattern] for pattern in patterns])


def _visits(graph, field, case, run, n_steps, kinds, kernels, epsilon, beta):
    rng = np.random.default_rng([run, case.n_nodes])
    model = block_model(graph, case.n_blocks, field)
    labels = rng.permutation(np.arange(case.n_nodes) % case.n_blocks)
    counts = block_counts(model, labels, case.n_blocks)
    visits = np.zeros(case.n_blocks**case.n_nodes, dtype=np.int64)
    totals, tally = np.zeros(3), np.zeros(5, dtype=np.int64)
    work = np.zeros((4, case.n_nodes), dtype=np.int64)
    scratch = np.zeros((3, case.n_blocks + 1), dtype=np.int64)
    _count_visits(
        kernels["ffbm.kernels.single"].sweep, kernels["ffbm.kernels.mergesplit"].many_at_once, np.array(kinds),
        rng, model, counts, n_steps, beta, epsilon, case.allow_empty, totals, tally, work, scratch, visits,
    )  # fmt: skip
    return visits


@njit
def _count_visits(
    sweep, many_at_once, kinds, rng, model, counts, n_steps, beta, epsilon, allow_empty,
    totals, tally, work, scratch, visits,
):  # fmt: skip
    for turn in range(n_steps + n_steps // 100):
        for kind in kinds:
            if kind < 0:
                sweep(rng, model, counts, beta, epsilon, allow_empty, totals, tally, work[:2], scratch)
            else:
                many_at_once(rng, model, counts, kind, beta, 1, totals, work, scratch)
        if turn >= n_steps // 100:
            code = 0
            for i in range(counts.b.size):
                code = code * counts.n.size + counts.b[i]
            visits[code] += 1
