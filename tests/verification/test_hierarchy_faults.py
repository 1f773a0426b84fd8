"""Faults planted in the chain of hierarchies: the check must catch each of them, at the size of a quick run."""

import pytest

from ffbm.kernels import likelihood
from ffbm.verification.finding import Effort
from ffbm.verification.hierarchies import follow_the_law

from ..mutants import planted

MOVES = [
    f"ffbm.kernels.{name}" for name in ("compiling", "nestedmoves", "nestedchain")
]  # what is below them is as it was
LEVELS = [f"ffbm.kernels.{name}" for name in ("compiling", "tower", "nested", "nestedmoves", "nestedchain")]
PARTITIONS = "    nats += partition_cost(lf, n_members + more, n_groups) - partition_cost(lf, n_members, n_groups)\n"
FAULTS = {
    "the chance of a split left out": ("nestedmoves", [("path[1], -there", "path[1], 0.0")], MOVES, "two levels"),
    "the chance of the way back left out": ("nestedmoves", [("path[1], back", "path[1], 0.0")], MOVES, "two levels"),
    "levels opened for nothing": (
        "nestedmoves",
        [("-beta * cost if opens else beta * cost", "0.0")],
        MOVES,
        "three levels",
    ),
    "the partition of the level above forgotten": ("tower", [(PARTITIONS, "")], LEVELS, "two levels"),
    "edges carried up one level only": (
        "tower",
        [("        r, s = np.int64(tower.b[u, r]), np.int64(tower.b[u, s])\n", "        r = s\n")],
        LEVELS,
        "three levels",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_caught(fault, monkeypatch):
    where, changes, order, check = FAULTS[fault]
    monkeypatch.setattr(likelihood, "_ANSWERS", dict(likelihood._ANSWERS))  # faulty likelihoods register too
    made = planted(f"ffbm.kernels.{where}", *changes, order=order)
    monkeypatch.setattr("ffbm.nested.chain.run_nested", made["ffbm.kernels.nestedchain"].run_nested)
    found = follow_the_law(check, Effort(False, 0, lambda function, items: [function(item) for item in items]))
    assert found.figure > 1.5 * found.bound
