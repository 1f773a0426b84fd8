"""Systems without POSIX: what is asked of the system there has a fallback. Versions of what kernels are made with."""

import os
import sys
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest

import ffbm
from ffbm.pipeline.footprint import _free_memory, _free_of_group

from .planted import planted_network, telling_flag

SHORT = {"n_blocks": 2, "n_sweeps": 40, "n_warmup": 30, "n_draws": 30, "n_chains": 2, "seed": 1, "progress": False}


@pytest.fixture
def no_posix(monkeypatch):
    """Take away file locks, /proc, /sys and sysconf."""
    for name in ("fcntl", "resource", "pwd", "grp", "termios"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    read = Path.read_text

    def read_text(path, *arguments, **options):
        if str(path).startswith(("/proc", "/sys")):
            raise FileNotFoundError(path)
        return read(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", read_text)


@pytest.mark.usefixtures("no_posix")
def test_memory_that_is_not_known_is_no_limit():
    assert _free_memory() == _free_of_group() == float("inf")


@pytest.mark.usefixtures("no_posix")
@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_run_is_made_lengthened_and_loaded(tmp_path):
    net, _ = planted_network(1, lambda labels, rng: telling_flag(labels, rng)[:, np.newaxis])
    ffbm.fit(net, **SHORT, out=tmp_path / "run")
    longer = ffbm.fit(net, **SHORT | {"n_draws": 60}, out=tmp_path / "run", resume=True)
    again = ffbm.load_fit(tmp_path / "run")
    np.testing.assert_array_equal(again.weights.weights, longer.weights.weights)
    assert again.weights.n_draws == 60


def test_numba_is_bounded_by_the_version_that_was_tried():
    """Kernels use parts of numba that may change with any version: a newer one is let in after a run with it."""
    dependencies = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["dependencies"]
    (bounds,) = (wanted for wanted in dependencies if wanted.startswith("numba"))
    major, minor = map(int, numba.__version__.split(".")[:2])
    assert bounds.endswith(f",<{major}.{minor + 1}"), f"{bounds}, but these tests ran with numba {numba.__version__}"
