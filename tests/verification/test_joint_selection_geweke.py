"""Geweke's test of the joint chain under the learned prior, and faults planted in the chain that it has to see."""

import pytest

from ffbm.joint import selection
from ffbm.verification import joint_selection_geweke as geweke
from ffbm.verification.findings import Effort
from ffbm.verification.geweke import compare_means

from ..mutants import put_in_place

QUICK = Effort(False, 3, lambda work, items: [work(item) for item in items])


def test_the_law_is_kept():
    found = geweke.law_kept(QUICK)
    assert found.passed, found.details
    assert len(found.details["deviations"]) == len(geweke.FUNCTIONS)


def longer(n_steps):
    """Run the test in 40 runs of so many steps."""
    return compare_means(geweke.FUNCTIONS, geweke.chain_means, geweke.fresh_means, 40, n_steps, QUICK)


FAULTS = {  # what is changed in the chain, and the steps of a run in which it is seen
    "columns that do not see the labels": (
        ".sums_of_labels(state.ledger.b)", ".sums_of_labels(0 * state.ledger.b)", 12,
    ),
    "labels that do not see the intercept": (
        "np.append(inside, True)[self.column_of]", "np.append(inside, False)[self.column_of]", 12,
    ),
    "weights that are left behind": ("w[moving] = inner.weights", "w[moving] = 0.5 * inner.weights", 120),
}  # fmt: skip


@pytest.mark.parametrize(
    "fault", [name if at == 0 else pytest.param(name, marks=pytest.mark.slow) for at, name in enumerate(FAULTS)]
)
def test_faults_are_caught(fault, monkeypatch):
    right, wrong, n_steps = FAULTS[fault]
    put_in_place(monkeypatch, selection, right, wrong, geweke, ("start", "advance", "column_setup"))
    assert not longer(n_steps).passed
