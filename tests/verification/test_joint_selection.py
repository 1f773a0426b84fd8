"""The joint chain under the learned prior against exact laws, and faults planted in it."""

import numpy as np
import pytest

from ffbm.joint import selection
from ffbm.joint.chain import JointSettings
from ffbm.verification import joint_selection
from ffbm.verification.findings import Effort
from ffbm.verification.joint_selection import (
    CASES,
    CHECKS,
    QUANTITIES,
    SIZES,
    exact_moments,
    follow_the_law,
    rank_of_truth,
)
from ffbm.verification.selection import calibrate_columns

from ..mutants import put_in_place

NAME = "two columns, held out"
QUICK = Effort(False, 3, lambda work, items: [work(item) for item in items])
USUAL = JointSettings(60, 1, jumps=0.5, shifts=1.5)
OFTEN = JointSettings(60, 1, jumps=0.0, shifts=8.0)  # labels and weights together, so often that their faults tell


def test_every_check_has_a_name_of_its_own():
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_points_are_enough():
    for one, other in zip(exact_moments(CASES[NAME], 9), exact_moments(CASES[NAME], 11), strict=True):
        np.testing.assert_allclose(one, other, atol=0.01)


def test_the_law_is_followed():
    found = follow_the_law(NAME, QUICK)
    assert found.passed, found.details


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_laws_are_followed_by_moves_of_labels_and_weights_together(name):
    found = follow_the_law(name, QUICK, OFTEN)
    assert found.passed, found.details


FAULTS = {  # what is changed in the chain, and the moves by which it is seen
    "columns that do not see the labels": (
        ".sums_of_labels(state.ledger.b)", ".sums_of_labels(0 * state.ledger.b)", USUAL,
    ),
    "labels that do not see the intercept": (
        "np.append(inside, True)[self.column_of]", "np.append(inside, False)[self.column_of]", USUAL,
    ),
    "the intercept with the scale of a column": (
        "np.append(scale, self.selection.target.intercept_sd)[self.of_feature]", "9.0 * scale[self.of_feature]", OFTEN,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "fault", [name if at == 0 else pytest.param(name, marks=pytest.mark.slow) for at, name in enumerate(FAULTS)]
)
def test_faults_are_caught(fault, monkeypatch):
    right, wrong, settings = FAULTS[fault]
    put_in_place(monkeypatch, selection, right, wrong, joint_selection, ("start", "advance", "column_setup"))
    monkeypatch.setattr(joint_selection, "RUNS", 4)
    assert not follow_the_law(NAME, QUICK, settings).passed


@pytest.mark.slow
def test_the_truth_is_one_more_draw():
    found = calibrate_columns(rank_of_truth, QUANTITIES, SIZES[:1], QUICK, 60)
    assert found.passed, found.details
