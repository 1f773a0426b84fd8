"""Where tests find the paper's data and reference values, and what they share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference values and publishers' files."""
    folder = os.environ.get("FFBM_SHARED", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the reference values: set FFBM_SHARED to their folder")
    return Path(folder)


@pytest.fixture(scope="session")
def paper_data() -> Path:
    """The folder of the paper's data sets."""
    folder = os.environ.get("FFBM_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the school and facebook data: set FFBM_DATA to their folder")
    return Path(folder)
