"""The joint sampler against exact laws, with each set of its moves; calibration and Geweke's test."""

import pytest

from ffbm.joint.chain import JointSettings
from ffbm.verification.findings import Effort
from ffbm.verification.joint import BOUNDS, CHECKS
from ffbm.verification.joint_laws import CASES, distances, exact_moments, sampled_moments
from ffbm.workers import open_workers

MOVES = {
    "single": {"jumps": 0.0, "shifts": 0.0},
    "many": {"jumps": 2.0, "shifts": 0.0},
    "carried": {"jumps": 0.0, "shifts": 2.0},
    "mala": {"jumps": 0.5, "shifts": 0.5, "sampler": "mala", "n_moves": 2},
}


def worst(case, moves, n_sweeps):
    settings = JointSettings(300, 1, **{"n_moves": 1, "n_warmup": 100, **MOVES[moves]})
    with open_workers(None, 16) as each:
        found = sampled_moments(CASES[case], settings, n_sweeps, 5, each)
    parts = distances(exact_moments(CASES[case]), found)
    return max(part / bound for part, bound in zip(parts, BOUNDS, strict=True))


@pytest.mark.parametrize("moves", ["single", "carried"])
def test_the_exact_law(moves):
    assert worst("isolate", moves, 12_000) < 1


@pytest.mark.slow
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("case", CASES)
def test_the_exact_law_of_every_network(case, moves):
    assert worst(case, moves, 40_000) < 0.75


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_check_in_full(check):
    with open_workers(None, 16) as each:
        assert check.run(Effort(True, 0, each)).passed
