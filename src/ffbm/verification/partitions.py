"""Checks of the block chain: visits of all partitions of tiny networks against the exact law, by kind of move."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.likelihoods import UNCORRECTED
from ffbm.blocks.priors import UNLABELLED
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT
from ffbm.types import EdgeWeights
from ffbm.verification.enumeration import RELOCATE, SINGLE, Case, Distance, compare
from ffbm.verification.findings import Check, Effort, Finding

TRIANGLES = ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5))
MESS = ((0, 1), (0, 1), (0, 1), (1, 1), (2, 3), (3, 4), (2, 4), (4, 4), (0, 2))  # loops, parallels, isolate 5
STAR = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 0))
SEVEN = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (5, 6), (5, 6))
FIVE = ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3))
FOUR = ((0, 1), (0, 1), (1, 2), (2, 2), (2, 3))
ARCS = ((0, 1), (1, 0), (0, 1), (1, 1), (2, 0), (3, 2), (2, 4), (4, 4))  # both ways, loops, parallels; 5 alone
RING = ((0, 1), (0, 1), (1, 2), (2, 2), (3, 2))
VISITS, WHO = ((0, 3), (0, 4), (1, 3), (1, 3), (2, 4), (0, 1)), (0, 0, 0, 1, 1)  # vertices of two types
COUNTS = EdgeWeights(np.array([0.0, 7, 1, 3, 0, 2]), "geometric")
TRIPS = EdgeWeights(np.array([4.0, 0, 1, 2, 1]), "poisson")
TIMES = EdgeWeights(np.array([0.3, 2.9, 0.1, 1.4, 0.2]), "exponential")
REALS = EdgeWeights(np.array([-1.2, 0.4, 3.1, 2.7, -0.3]), "normal")
LOGS = EdgeWeights(np.array([0.2, 0.3, 4.1, 9.7, 1.3]), "log-normal", {"m0": 0.0, "k0": 1.0, "v0": 0.5, "nu0": 3.0})
ALL = (SINGLE, RESPLIT, MERGE_SPLIT, OPEN_CLOSE)

# The total variation allowed, and what chance makes of it on average. Once in a thousand times chance makes twice
# its mean (2.5 times in the slowest chains); it only adds to what a fault makes.
QUICK, FULL = (0.010, 0.005), (0.005, 0.002)


class Trial(NamedTuple):
    """One kind of move on one network, and how many steps each of the 16 runs takes."""

    case: Case
    moves: tuple[int, ...]
    n_quick: int  # 0: in full runs only
    n_full: int


TRIALS = {
    "single moves, B=2": Trial(Case(TRIANGLES, 6, 2), (SINGLE,), 0, 300_000),
    "single moves, B=3": Trial(Case(FIVE, 5, 3), (SINGLE,), 24_000, 300_000),
    "single moves, loops and parallels": Trial(Case(MESS, 6, 3), (SINGLE,), 0, 600_000),
    "single moves, field": Trial(Case(MESS, 6, 2, field=True), (SINGLE,), 26_000, 600_000),
    "single moves, empty blocks": Trial(Case(MESS, 6, 3, allow_empty=True), (SINGLE,), 60_000, 600_000),
    "single moves, field and empty blocks": Trial(
        Case(STAR, 5, 3, field=True, allow_empty=True), (SINGLE,), 0, 2_000_000
    ),
    "single moves, seven vertices": Trial(Case(SEVEN, 7, 2), (SINGLE,), 0, 600_000),
    "re-split, B=2": Trial(Case(FOUR, 4, 2), (RESPLIT,), 22_000, 120_000),
    "re-split, B=3": Trial(Case(FIVE, 5, 3), (RESPLIT,), 0, 400_000),
    "re-split, field": Trial(Case(FOUR, 4, 2, field=True), (RESPLIT,), 38_000, 300_000),
    "merge-split, B=3": Trial(Case(FOUR, 4, 3), (MERGE_SPLIT,), 45_000, 250_000),
    "merge-split, field": Trial(Case(FOUR, 4, 3, field=True), (MERGE_SPLIT, SINGLE, SINGLE, SINGLE), 65_000, 600_000),
    "open-close, empty blocks": Trial(Case(FOUR, 4, 4, allow_empty=True), (OPEN_CLOSE,), 90_000, 600_000),
    "open-close, field": Trial(Case(FOUR, 4, 2, field=True, allow_empty=True), (OPEN_CLOSE, SINGLE), 22_000, 150_000),
    "relocation, B=3": Trial(Case(FIVE, 5, 3), (RELOCATE,), 40_000, 250_000),
    "relocation, field": Trial(Case(FOUR, 4, 3, field=True), (RELOCATE, SINGLE), 30_000, 250_000),
    "relocation, loops and parallels": Trial(Case(MESS, 6, 3), (RELOCATE,), 0, 600_000),
    "relocation, empty blocks": Trial(Case(FOUR, 4, 4, allow_empty=True), (RELOCATE, OPEN_CLOSE), 0, 150_000),
    "relocation, free B": Trial(Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED), (RELOCATE, *ALL), 0, 60_000),
    "relocation, no degree correction": Trial(Case(FIVE, 5, 3, likelihood=UNCORRECTED), (RELOCATE,), 0, 200_000),
    "relocation, directed": Trial(Case(RING, 4, 3, directed=True), (RELOCATE,), 0, 80_000),
    "relocation, types": Trial(
        Case(VISITS, 5, 4, field=True, types=WHO, block_types=(0, 0, 1, 1)), (RELOCATE, SINGLE), 0, 150_000
    ),
    "relocation, weighted": Trial(Case(FIVE, 5, 3, weights=COUNTS), (RELOCATE,), 0, 250_000),
    "all moves, B=3": Trial(Case(FIVE, 5, 3), ALL[:3], 0, 100_000),
    "all moves, empty blocks": Trial(Case(FOUR, 4, 3, allow_empty=True), ALL, 12_000, 80_000),
    "free B, single moves": Trial(Case(FIVE, 5, 5, allow_empty=True, prior=UNLABELLED), (SINGLE,), 0, 250_000),
    "free B, all moves": Trial(Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED), ALL, 13_000, 120_000),
    "no degree correction, single moves": Trial(
        Case(MESS, 6, 3, field=True, likelihood=UNCORRECTED), (SINGLE,), 0, 900_000
    ),
    "no degree correction, all moves": Trial(
        Case(FOUR, 4, 3, allow_empty=True, likelihood=UNCORRECTED), ALL, 12_000, 80_000
    ),
    "no degree correction, free B": Trial(
        Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED, likelihood=UNCORRECTED), ALL, 0, 120_000
    ),
    "directed, single moves": Trial(Case(ARCS, 6, 3, field=True, directed=True), (SINGLE,), 0, 900_000),
    "directed, all moves": Trial(Case(RING, 4, 3, allow_empty=True, directed=True), ALL, 12_000, 80_000),
    "directed, free B": Trial(Case(RING, 4, 4, allow_empty=True, prior=UNLABELLED, directed=True), ALL, 0, 120_000),
    "directed, no degree correction": Trial(
        Case(RING, 4, 3, field=True, likelihood=UNCORRECTED, directed=True), ALL[:3], 0, 400_000
    ),
    "directed, compact tables": Trial(Case(RING, 4, 3, allow_empty=True, directed=True, dense=False), ALL, 0, 100_000),
    "types, single moves": Trial(Case(VISITS, 5, 4, types=WHO, block_types=(0, 0, 1, 1)), (SINGLE,), 0, 200_000),
    "types, field": Trial(
        Case(VISITS, 5, 4, field=True, allow_empty=True, types=WHO, block_types=(0, 0, 1, 1)), ALL, 0, 400_000
    ),
    "types, merge-split": Trial(
        Case(VISITS, 5, 3, types=WHO, block_types=(0, 0, 1)), (MERGE_SPLIT, SINGLE), 0, 200_000
    ),
    "types, empty blocks": Trial(
        Case(VISITS, 5, 5, allow_empty=True, types=WHO, block_types=(0, 0, 0, 1, 1)), ALL, 0, 100_000
    ),
    "types, free B": Trial(
        Case(VISITS, 5, 5, allow_empty=True, prior=UNLABELLED, types=WHO, block_types=(0, 0, 0, 1, 1)), ALL, 0, 100_000
    ),
    "types, directed": Trial(
        Case(VISITS, 5, 5, allow_empty=True, directed=True, prior=UNLABELLED, types=WHO, block_types=(0, 0, 0, 1, 1)),
        ALL,
        0,
        100_000,
    ),
    "weighted, single moves": Trial(Case(FIVE, 5, 3, weights=COUNTS), (SINGLE,), 0, 300_000),
    "weighted, all moves": Trial(Case(FOUR, 4, 3, allow_empty=True, weights=REALS), ALL, 0, 80_000),
    "weighted, free B": Trial(Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED, weights=LOGS), ALL, 0, 120_000),
    "weighted, directed, single moves": Trial(Case(RING, 4, 3, directed=True, weights=LOGS), (SINGLE,), 0, 300_000),
    "weighted, directed, all moves": Trial(
        Case(RING, 4, 3, allow_empty=True, directed=True, weights=REALS), ALL, 0, 80_000
    ),
    "compact tables, single moves": Trial(Case(MESS, 6, 3, dense=False), (SINGLE,), 0, 300_000),
    "compact tables, all moves": Trial(Case(FOUR, 4, 3, allow_empty=True, dense=False), ALL, 0, 100_000),
}


def follow_the_law(name: str, effort: Effort) -> Finding:
    """Run one trial and return its total variation from the exact law."""
    trial = TRIALS[name]
    n_steps = trial.n_full if effort.full else trial.n_quick
    return judge(compare(trial.case, n_steps, trial.moves, seed=effort.seed, each=effort.each), n_steps, effort)


def judge(comparison: Distance, n_steps: int, effort: Effort, **details: Any) -> Finding:
    """Hold a total variation to what is allowed; it proves nothing where chance alone makes too much of it."""
    (distance, chance), (bound, most) = comparison, FULL if effort.full else QUICK
    doubt = "" if chance <= most else f"chance alone makes {chance:.4f} of it, more than {most}"
    return Finding(distance, bound, doubt=doubt, details={"chance": chance, "n_steps": n_steps, **details})


_CATCHES = {
    "single moves": "a dropped Hastings ratio, loops miscounted, the field left out, P(e|b) held constant",
    "re-split": "a launch that starts from the present split, a probability of the way back left out",
    "merge-split": "the field left out of merge-split, launches that are not drawn from the merged state",
    "open-close": "free labels forgotten, P(e|b) held constant while blocks open and close",
    "relocation": "a step of the path left out of the weight, ways up and down that differ, sizes of blocks forgotten",
    "free B": "Peixoto's prior wrong by block size or number, labelled partitions weighed as set partitions",
    "no degree correction": "a term of the likelihood without degree correction that is wrong or left out",
    "directed": "arcs counted from the wrong end, one side of the degrees left out, P(e|b) of unordered pairs",
    "types": "a move across types, Peixoto's prior of all vertices as if of one type",
    "weighted": "sums of weights left wrong by a move, pairs of blocks that empty, the law of the sums left out",
    "compact tables": "cells lost or met twice, members of a block out of date",
    "all moves": "moves that disturb the counts another kind relies on, chances of kinds that depend on the state",
}

CHECKS = tuple(
    Check(
        f"p(b|A): {name}",
        "total variation between visits and the exact law on all partitions",
        _CATCHES[name.partition(",")[0]],
        partial(follow_the_law, name),
        full_only=not trial.n_quick,
    )
    for name, trial in TRIALS.items()
)
