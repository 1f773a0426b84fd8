"""What statistical tests share: the functions of the benchmarks that they repeat."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def study(request, monkeypatch):
    """The functions of the benchmark that has the name of the test file."""
    name = request.module.__name__.rpartition("test_")[2]
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module(name)
