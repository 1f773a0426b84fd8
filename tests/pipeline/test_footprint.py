"""Whether a fit fits: estimates against what runs really take, and refusals that say what would help."""

import subprocess
import sys
from pathlib import Path

import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.pipeline import footprint
from ffbm.pipeline.footprint import check_footprint, estimate_footprint

NET = ffbm.load_dataset("polbooks")
MEASURE = """
import json, re, sys, warnings
warnings.simplefilter("ignore")
import ffbm
made = ffbm.simulate(20_000, 5, 100_000, 20, seed=1).network
ffbm.fit(made, 5, n_sweeps=20, n_warmup=10, n_draws=100, n_chains=2, n_kept=5, thin=1, progress=False, out=sys.argv[1],
         weight_prior="fixed")
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
def test_the_memory_of_a_fit_is_within_a_factor_of_three_of_the_estimate(tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc to watch memory")
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "run")]
    found = 1024 * int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    made = ffbm.simulate(20_000, 5, 100_000, 20, seed=1).network
    expected = estimate_footprint(made, FitConfig(n_blocks=5, n_sweeps=20, n_draws=100, n_chains=2, thin=1))
    assert expected.work / 3 < found < 3 * expected.work


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
@pytest.mark.parametrize("target", ["cut", "joint"])
def test_draws_take_the_disk_that_was_said(tmp_path, target):
    settings = {"n_blocks": 3, "target": target, "n_sweeps": 4000, "n_draws": 1000, "n_chains": 2, "n_kept": "all"}
    ffbm.fit(NET, **settings, seed=1, progress=False, out=tmp_path / "run")
    found = sum(path.stat().st_size for path in (tmp_path / "run").rglob("*.np[yz]"))
    expected = estimate_footprint(NET, FitConfig(**settings)).draws
    assert expected < found < 3 * expected


def test_a_number_of_blocks_that_is_not_known_yet_is_guessed():
    few, many = (estimate_footprint(NET, FitConfig(n_blocks=n)) for n in (3, "auto"))
    assert few.weights < many.weights
    assert few.work == many.work


@pytest.fixture
def left(monkeypatch):
    """Set what is free, in bytes."""

    def choose(memory: float, disk: float) -> None:
        monkeypatch.setattr(footprint, "memory_left", lambda: memory)
        monkeypatch.setattr(footprint, "disk_left", lambda path: disk)

    return choose


LARGE = FitConfig(weight_prior="fixed", n_blocks=50, n_draws=1_000_000)


@pytest.mark.parametrize(
    ("config", "out", "memory", "disk", "message"),
    [
        (
            FitConfig(),
            None,
            1e6,
            1e12,
            "takes about 0.4 GB of memory and 1.0 MB are free: take a machine with more, or a part",
        ),
        (
            LARGE,
            None,
            1e9,
            1e12,
            "takes about 1.5 GB of memory and 1.0 GB are free: keep draws on disk with --out, or fewer",
        ),
        (LARGE, "x", 1e9, 1e8, "takes about 2.1 GB on disk and 0.1 GB are free at x: choose"),
        (LARGE, "x", 1e8, 1e12, "takes about 0.4 GB of memory and 0.1 GB are free: take a"),
    ],
)
def test_what_cannot_fit_is_refused_with_a_remedy(left, config, out, memory, disk, message):
    left(memory, disk)
    with pytest.raises(OptionError) as caught:
        check_footprint(NET, config, out)
    assert message in str(caught.value)


def test_what_fits_is_not_refused(left):
    left(1e9, 1e10)
    check_footprint(NET, FitConfig())
    check_footprint(NET, LARGE, "x")  # its draws go to disk
    left(float("inf"), 1e10)
    check_footprint(NET, LARGE)


def test_a_refused_run_leaves_no_folder(left, tmp_path):
    left(1e6, 1e12)
    with pytest.raises(OptionError, match="of memory"):
        ffbm.fit(NET, 3, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_what_is_left_is_read_from_the_system(tmp_path):
    assert footprint.memory_left() > 1e6
    assert footprint.disk_left(str(tmp_path / "not" / "there" / "yet")) == footprint.disk_left(str(tmp_path))


def test_a_limit_of_the_group_counts(monkeypatch):
    monkeypatch.setattr(footprint, "_free_memory", lambda: 100.0)
    monkeypatch.setattr(footprint, "_free_of_group", lambda: 10.0)
    assert footprint.memory_left() == 10.0
