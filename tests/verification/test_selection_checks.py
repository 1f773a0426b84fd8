"""The checks of chains that select columns: exact laws by quadrature, calibration, Geweke's test."""

import pytest

from ffbm.verification.findings import Effort
from ffbm.verification.selection import CHECKS


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.name)
def test_it_passes(check):
    finding = check.run(Effort(False, 0, lambda function, items: [function(item) for item in items]))
    assert finding.passed, finding
