"""Systems without POSIX: what is asked of the system there has a fallback. Versions of what kernels are made with."""

import contextlib
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


@pytest.fixture
def open_files_stay(monkeypatch):
    """Refuse to remove or replace a file that is open or mapped into memory, as Windows does."""
    if not Path("/proc/self/maps").exists():
        pytest.skip("needs /proc to know which files are open")

    def held(path):
        with Path("/proc/self/maps").open() as maps:
            names = {line.split(maxsplit=5)[-1].rstrip("\n") for line in maps}
        for link in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                names.add(str(link.readlink()))
        return os.path.realpath(path) in names

    def guarded(name):
        real = getattr(os, name)

        def call(*paths, **options):
            if "dir_fd" not in options and any(map(held, paths)):
                raise PermissionError(13, "The process cannot access the file: it is in use", str(paths[-1]))
            return real(*paths, **options)

        return call

    for name in ("replace", "rename", "remove", "unlink"):
        monkeypatch.setattr(os, name, guarded(name))


@pytest.mark.usefixtures("open_files_stay")
def test_the_guard_refuses_what_windows_refuses(tmp_path):
    (tmp_path / "new").write_text("new")
    with (tmp_path / "old").open("w"), pytest.raises(PermissionError):
        (tmp_path / "new").replace(tmp_path / "old")
    (tmp_path / "new").replace(tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"


@pytest.mark.usefixtures("no_posix")
def test_memory_that_is_not_known_is_no_limit():
    assert _free_memory() == _free_of_group() == float("inf")


@pytest.mark.usefixtures("no_posix", "open_files_stay")
@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_run_is_made_lengthened_and_loaded(tmp_path):
    net, _ = planted_network(1, lambda labels, rng: telling_flag(labels, rng)[:, np.newaxis])
    ffbm.fit(net, **SHORT, out=tmp_path / "run")
    longer = ffbm.fit(net, **SHORT | {"n_draws": 60}, out=tmp_path / "run", resume=True)
    again = ffbm.load_fit(tmp_path / "run")
    np.testing.assert_array_equal(again.weights.weights, longer.weights.weights)
    assert again.weights.n_draws == 60
    again.report(tmp_path / "run" / "report.html")
    again.save(tmp_path / "copy")
    assert ffbm.load_fit(tmp_path / "copy").memberships.agreement == longer.memberships.agreement


def test_numba_is_bounded_by_the_version_that_was_tried():
    """Kernels use parts of numba that may change with any version: a newer one is let in after a run with it."""
    dependencies = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["dependencies"]
    (bounds,) = (wanted for wanted in dependencies if wanted.startswith("numba"))
    major, minor = map(int, numba.__version__.split(".")[:2])
    assert bounds.endswith(f",<{major}.{minor + 1}"), f"{bounds}, but these tests ran with numba {numba.__version__}"
