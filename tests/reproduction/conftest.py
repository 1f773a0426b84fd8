"""A short reproduction that several tests look at."""

import pytest

from ffbm.reproduction import reproduce


@pytest.fixture(scope="session")
def found():
    """Two runs on polbooks."""
    return reproduce("polbooks", runs=2, seed=7, workers=1, progress=False)
