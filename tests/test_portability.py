"""Systems without POSIX: what is asked of the system there has a fallback."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.pipeline.room import _free_memory, _free_of_group

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
