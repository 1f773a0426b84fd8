"""The block chain against the exact law on all partitions of tiny networks, and with faults planted."""

import pytest

from ..mutants import planted
from .enumeration import Case, compare

TRIANGLES = ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5))
MESS = ((0, 1), (0, 1), (0, 1), (1, 1), (2, 3), (3, 4), (2, 4), (4, 4), (0, 2))  # loops, parallels, isolate 5
STAR = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 0))
SEVEN = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (5, 6), (5, 6))

CASES = {
    "triangles B=2": Case(TRIANGLES, 6, 2, False, False, 400_000),
    "triangles B=3": Case(TRIANGLES, 6, 3, False, False, 900_000),
    "mess B=3": Case(MESS, 6, 3, False, False, 900_000),
    "mess B=2 field": Case(MESS, 6, 2, True, False, 900_000),
    "mess B=3 empty": Case(MESS, 6, 3, False, True, 900_000),
    "star B=2 empty": Case(STAR, 6, 2, False, True, 400_000),
    "star B=3 field empty": Case(STAR, 5, 3, True, True, 4_000_000),
    "triangles B=3 field": Case(TRIANGLES, 6, 3, True, False, 5_000_000),
    "seven B=2": Case(SEVEN, 7, 2, False, False, 900_000),
    "seven B=3 empty": Case(SEVEN, 7, 3, False, True, 2_500_000),
}


@pytest.mark.parametrize("name", CASES)
def test_visits_follow_the_law(name):
    found = compare(CASES[name])
    assert found.floor <= 0.002
    assert found.distance <= 0.005


def test_tempered_law():
    found = compare(CASES["mess B=3"], epsilon=2.0, beta=0.4)
    assert found.floor <= 0.002
    assert found.distance <= 0.005


FAULTS = {
    "Hastings ratio dropped": ("ffbm.kernels.single", "np.log(back / there)", "0.0", "triangles B=3"),
    "sign of the change turned": (
        "ffbm.kernels.single",
        "(lift - change)",
        "(lift + change)",
        "triangles B=2",
    ),
    "field left out": ("ffbm.kernels.single", "(lift - change)", "(-change)", "mess B=2 field"),
    "P(e|b) held constant": (
        "ffbm.kernels.partition",
        "return m.edge_cost[after] - m.edge_cost[c.used[0]]",
        "return 0.0 * after",
        "mess B=3 empty",
    ),
    "loop half-edges forgotten": (
        "ffbm.kernels.partition",
        "out, into = to_r + loops, to_s + loops",
        "out, into = to_r, to_s",
        "mess B=3",
    ),
    "way back ignores the loop": (
        "ffbm.kernels.single",
        "2 * (to_r + loops) + epsilon",
        "2 * to_r + epsilon",
        "mess B=3",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_caught(fault):
    module, right, wrong, case = FAULTS[fault]
    kernels = planted(module, right, wrong)["ffbm.kernels.single"]
    assert compare(CASES[case], kernels).distance > 0.005
