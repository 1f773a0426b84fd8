"""The block chain against the exact law on all partitions of tiny networks: long runs, by kind of move."""

import pytest

from ffbm.verification.enumeration import Case, compare
from ffbm.verification.findings import Effort
from ffbm.verification.partitions import MESS, TRIALS, follow_the_law
from ffbm.workers import open_workers

OFTEN = {  # the others are slow, and shorter in every ``ffbm verify``
    "all moves, empty blocks",
    "free B, all moves",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in TRIALS]
)
def test_visits_follow_the_law(name):
    with open_workers(1, 1) as each:
        found = follow_the_law(name, Effort(True, 0, each))
    assert found.passed, found


def test_tempered_law():
    found = compare(Case(MESS, 6, 3), 600_000, epsilon=2.0, beta=0.4)
    assert found.floor <= 0.002
    assert found.distance <= 0.005
