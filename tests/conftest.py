"""Where tests find the paper's data and reference values, and what they share."""

import os
from pathlib import Path
from unittest import mock

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


@pytest.fixture(autouse=True)
def fixed_length(request, monkeypatch):
    """Give chains a fixed length where a test asks for none: it then takes seconds, whatever the network."""
    if request.node.get_closest_marker("auto_length"):
        return
    from ffbm.pipeline import blocks, drawn, joint, weights

    check = blocks.check_length
    for module in (blocks, joint):
        monkeypatch.setattr(module, "check_length", lambda n, *rest: check(1000 if n == "auto" else n, *rest))
    draws = weights.check_draws
    for module in (weights, drawn):
        monkeypatch.setattr(module, "check_draws", lambda n, *rest: draws(1000 if n == "auto" else n, *rest))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Give fits, also those of fixtures, the fixed prior and a refit where a test does not say: they are quick."""
    if item.get_closest_marker("users_defaults") or isinstance(item, pytest.DoctestItem):
        return (yield)
    with mock.patch.dict("ffbm.config.MEANT_BY_NONE", weight_prior="fixed", n_kept=10):
        return (yield)
