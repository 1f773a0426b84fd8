"""The block chain against the exact law on all partitions of tiny networks, and with faults planted."""

import pytest

from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT

from ..mutants import planted
from .enumeration import SINGLE, Case, compare

TRIANGLES = ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5))
MESS = ((0, 1), (0, 1), (0, 1), (1, 1), (2, 3), (3, 4), (2, 4), (4, 4), (0, 2))  # loops, parallels, isolate 5
STAR = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 0))
SEVEN = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (5, 6), (5, 6))
FIVE = ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3))
ALL = (SINGLE, RESPLIT, MERGE_SPLIT, OPEN_CLOSE)

CASES = {
    "triangles B=2": Case(TRIANGLES, 6, 2, False, False),
    "triangles B=3": Case(TRIANGLES, 6, 3, False, False),
    "triangles B=3 field": Case(TRIANGLES, 6, 3, True, False),
    "mess B=3": Case(MESS, 6, 3, False, False),
    "mess B=2 field": Case(MESS, 6, 2, True, False),
    "mess B=3 empty": Case(MESS, 6, 3, False, True),
    "star B=2 empty": Case(STAR, 6, 2, False, True),
    "star B=3 field empty": Case(STAR, 5, 3, True, True),
    "seven B=2": Case(SEVEN, 7, 2, False, False),
    "seven B=3 empty": Case(SEVEN, 7, 3, False, True),
    "five B=3": Case(FIVE, 5, 3, False, False),
    "five B=2 field": Case(FIVE, 5, 2, True, False),
    "five B=3 field": Case(FIVE, 5, 3, True, False),
    "five B=3 empty": Case(FIVE, 5, 3, False, True),
    "five B=2 field empty": Case(FIVE, 5, 2, True, True),
}

RUNS = [
    ("triangles B=2", (SINGLE,), 300_000),
    ("triangles B=3", (SINGLE,), 600_000),
    ("mess B=3", (SINGLE,), 600_000),
    ("mess B=2 field", (SINGLE,), 600_000),
    ("mess B=3 empty", (SINGLE,), 600_000),
    ("star B=2 empty", (SINGLE,), 300_000),
    ("star B=3 field empty", (SINGLE,), 2_000_000),
    ("triangles B=3 field", (SINGLE,), 2_500_000),
    ("seven B=2", (SINGLE,), 600_000),
    ("seven B=3 empty", (SINGLE,), 1_500_000),
    ("five B=3", (RESPLIT,), 500_000),
    ("five B=2 field", (RESPLIT,), 400_000),
    ("five B=3", (MERGE_SPLIT,), 900_000),
    ("five B=3 field", (MERGE_SPLIT, SINGLE), 600_000),
    ("five B=3 empty", (OPEN_CLOSE, SINGLE), 250_000),
    ("five B=2 field empty", (OPEN_CLOSE, SINGLE), 250_000),
    ("mess B=3", ALL[:3], 300_000),
    ("mess B=3 empty", ALL, 300_000),
]


@pytest.mark.parametrize(("name", "kinds", "n_steps"), RUNS)
def test_visits_follow_the_law(name, kinds, n_steps):
    found = compare(CASES[name], n_steps, kinds)
    assert found.floor <= 0.002
    assert found.distance <= 0.005


def test_tempered_law():
    found = compare(CASES["mess B=3"], 600_000, epsilon=2.0, beta=0.4)
    assert found.floor <= 0.002
    assert found.distance <= 0.005


DECISION = "if accepts(rng.random(), beta * (lift - change) + ratio):"
OPENING = "scan(rng, m, c, beta, group, size, r, s, labels, False, path, scratch)"
FAULTS = {
    "Hastings ratio dropped": ("single", "np.log(back / there)", "0.0", "triangles B=3", SINGLE),
    "sign of the change turned": (
        "single",
        DECISION,
        DECISION.replace("lift - change", "lift + change"),
        "triangles B=2",
        SINGLE,
    ),
    "field left out": ("single", DECISION, DECISION.replace("lift - change", "-change"), "mess B=2 field", SINGLE),
    "P(e|b) held constant": (
        "partition",
        "return m.edge_cost[after] - m.edge_cost[c.used[0]]",
        "return 0.0 * after",
        "mess B=3 empty",
        SINGLE,
    ),
    "loop half-edges forgotten": (
        "partition",
        "out, into = to_r + loops, to_s + loops",
        "out, into = to_r, to_s",
        "mess B=3",
        SINGLE,
    ),
    "way back ignores the loop": (
        "single",
        "2 * (to_r + loops) + epsilon",
        "2 * to_r + epsilon",
        "mess B=3",
        SINGLE,
    ),
    "launch from the present split": (
        "mergesplit",
        "r if rng.random() < 0.5 else s",
        "np.int64(c.b[group[a]])",
        "five B=3",
        RESPLIT,
    ),
    "re-split's probability dropped": (
        "mergesplit",
        "beta * (lift - change) + back - there",
        "beta * (lift - change)",
        "five B=3",
        RESPLIT,
    ),
    "merge-split's probability dropped": (
        "mergesplit",
        "beta * (path[1] - path[0]) + back - there",
        "beta * (path[1] - path[0])",
        "five B=3",
        MERGE_SPLIT,
    ),
    "field left out of a re-split": (
        "mergesplit",
        "beta * (lift - change) + back - there",
        "beta * (-change) + back - there",
        "five B=2 field",
        RESPLIT,
    ),
    "free labels forgotten": ("mergesplit", f"{OPENING} - np.log(free)", OPENING, "five B=3 empty", OPEN_CLOSE),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_caught(fault):
    module, right, wrong, case, kind = FAULTS[fault]
    kernels = planted(f"ffbm.kernels.{module}", right, wrong)
    assert compare(CASES[case], 60_000, (kind,), kernels).distance > 0.01
