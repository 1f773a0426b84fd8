"""Runs of the command line that are killed, interrupted, or run out of disk: nothing sampled is lost."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.store.folder import CHAINS

from .mortal import OFTEN, SAVING, STAGES, Nursery, Run, kill_often, nursery, standing, steps_done
from .results.test_continuation import assert_same

FIXED = ["--weight-prior", "fixed"]  # other processes have the users' defaults
SETTINGS = {"n_kept": 2, "n_chains": 2, "seed": 5}
FIT = ["fit", "polbooks", "--keep", "2", "--chains", "2", "--seed", "5", *FIXED]
LENGTHS = {"n_sweeps": 300, "n_draws": 200, "n_warmup": 100}
SAVED_OFTEN = {"_SEGMENT_SECONDS": 0.01, "_SAVE_SECONDS": 0.0}
SHORT = ["--sweeps", "300", "--draws", "200", "--warmup", "100"]
pytestmark = [  # processes that are killed; stops inside a process are in tests/results/test_continuation.py
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning"),
]


@pytest.fixture(scope="module")
def nest():
    with nursery() as opened:
        yield opened


@pytest.fixture(scope="module")
def whole():
    """The run of three blocks that nothing happened to."""
    return ffbm.fit(ffbm.load_dataset("polbooks"), 3, **LENGTHS, **SETTINGS, progress=False)


def resume(nest: Nursery, arguments: list[str], run: Path) -> ffbm.Fit:
    going = nest.begin([*arguments, "--out", str(run), "--resume"], SAVED_OFTEN)
    assert going.wait() == 0, going.err
    return ffbm.load_fit(run)


def drafts(run: Path) -> list[Path]:
    return list(run.rglob(".*"))


def refused(going: Run) -> str:
    """Return the one line that a run ended with."""
    assert going.wait() == 2, going.err
    assert going.out == ""
    lines = going.err.strip().splitlines()
    assert len(lines) == 1, going.err
    return lines[0]


@pytest.mark.parametrize("target", ["cut", "joint"])
def test_a_run_killed_in_every_stage_ends_with_the_same_bits(nest, tmp_path, monkeypatch, target):
    monkeypatch.setattr("ffbm.pipeline.numbers._MOST_EDGES", 0)  # as in the runs that are killed
    arguments, run = [*FIT, *SHORT, "--quiet", "--target", target], tmp_path / "run"
    killed = kill_often(nest, arguments, run, target, 24)
    assert killed.total() >= 20
    assert set(killed) == {*STAGES[target], SAVING}
    whole = ffbm.fit(ffbm.load_dataset("polbooks"), target=target, **LENGTHS, **SETTINGS, progress=False)
    assert_same(resume(nest, arguments, run), whole)
    assert not drafts(run)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cut", "joint"])
def test_a_run_on_facebook_killed_a_hundred_times_ends_with_the_same_bits(nest, tmp_path, paper_data, target):
    lengths = {"n_sweeps": 150, "n_draws": 150, "n_warmup": 50, "n_blocks": "auto"}
    words = ["--sweeps", "150", "--draws", "150", "--warmup", "50", "--quiet", "--target", target]
    arguments, run = ["fit", "facebook", *FIT[2:], *words], tmp_path / "run"
    killed = kill_often(nest, arguments, run, target, 102)
    assert killed.total() >= 100
    assert set(killed) == {*STAGES[target], SAVING}
    whole = ffbm.fit(ffbm.load_dataset("facebook"), target=target, **lengths, **SETTINGS, progress=False)
    assert_same(resume(nest, arguments, run), whole)


def test_ctrl_c_saves_and_says_how_to_go_on(nest, whole, tmp_path):
    arguments, run = [*FIT, *SHORT, "--blocks", "3"], tmp_path / "a run"
    going = nest.begin([*arguments, "--out", str(run)])
    assert going.wait_until(lambda: steps_done(run, "blocks") > 3)
    going.send(signal.SIGINT)
    assert going.wait() == 130
    assert going.out == ""
    assert "Traceback" not in going.err
    last = going.err.strip().splitlines()[-1]
    way = rf"ffbm fit polbooks .*--blocks 3 --out '{re.escape(str(run))}' --resume"
    assert re.fullmatch(rf"ffbm: interrupted; .* holds a run that has not ended: go on with {way}", last), last
    assert 0 < steps_done(run, "blocks") < 300
    assert not drafts(run)
    with pytest.raises(DataError, match=f"go on with cd .* && {way}"):
        ffbm.load_fit(run)
    assert_same(resume(nest, arguments, run), whole)


@pytest.mark.parametrize(
    "name",
    [pytest.param("run/", marks=pytest.mark.slow), "läufe/第一/a b", pytest.param("link", marks=pytest.mark.slow)],
)
def test_a_run_goes_on_whatever_its_folder_is_called(nest, whole, tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    run, arguments = tmp_path / name, [*FIT, *SHORT, "--blocks", "3", "--quiet", "--out", name]
    going = nest.begin(arguments, cwd=tmp_path)
    assert going.wait_until(lambda: steps_done(run, "weights") > 3), going.err
    going.send(signal.SIGKILL)
    going.wait()
    with pytest.raises(DataError, match=rf"go on with cd {re.escape(str(tmp_path))} && ffbm fit .* --resume$"):
        ffbm.load_fit(run)
    going = nest.begin([*arguments, "--resume"], SAVED_OFTEN, cwd=tmp_path)
    assert going.wait() == 0, going.err
    assert_same(ffbm.load_fit(run), whole)


def test_a_second_process_is_refused_and_does_no_harm(nest, whole, tmp_path):
    arguments, run = [*FIT, *SHORT, "--blocks", "3", "--quiet"], tmp_path / "run"
    going = nest.begin([*arguments, "--out", str(run)])
    assert going.wait_until(lambda: steps_done(run, "blocks") >= 0)  # it holds the lock by now
    refusals = 0
    while not going.is_over():
        with contextlib.suppress(OptionError):
            ffbm.fit(whole.network, 3, **LENGTHS, **SETTINGS, out=run, resume=True, progress=False)
            continue  # the other was over
        refusals += 1
    assert going.code == 0, going.err
    assert refusals > 3
    assert_same(ffbm.load_fit(run), whole)


def test_ctrl_c_twice_ends_at_once_and_loses_nothing_saved(nest, tmp_path):
    run = tmp_path / "run"
    going = nest.begin([*FIT, "--blocks", "3", "--sweeps", "100000", "--out", str(run)])
    assert going.wait_until(lambda: steps_done(run, "blocks") > 3)
    going.send(signal.SIGINT)
    going.send(signal.SIGINT)
    assert going.wait() == 130
    assert steps_done(run, "blocks") > 3
    assert "has not ended: go on with" in going.err


def test_the_command_itself_can_be_interrupted(tmp_path):
    run = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "ffbm", *FIT, "--blocks", "3", "--sweeps", "1000000", "--out", str(run)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as from a terminal
    )  # fmt: skip
    Run.wait_until(_Child(process), lambda: steps_done(run, "blocks") >= 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert out == ""
    assert err.strip().endswith("--resume")


class _Child:
    """A process of one's own, to be waited for as for a run."""

    def __init__(self, process: subprocess.Popen) -> None:
        self._process, self.err = process, ""

    def is_over(self) -> bool:
        return self._process.poll() is not None

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)


@pytest.fixture
def small_disk(tmp_path):
    """A disk that is full soon."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root to mount a small disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True).returncode:
        pytest.skip("needs a system that lets root mount a disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def remount(place: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(place)], check=True)


@pytest.mark.parametrize(
    ("size", "loop", "where", "files"),
    [
        ("300k", OFTEN, "blocks", []),  # many small pieces
        ("100k", {}, "weights", []),
        ("230k", {}, SAVING, []),  # in the middle of HDF5
        ("800k", {}, SAVING, ["traces.nc"]),  # in the middle of the report
    ],
    ids=["blocks", "weights", "traces", "report"],
)
def test_a_full_disk_is_told_in_one_line_and_the_run_goes_on(nest, whole, small_disk, size, loop, where, files):
    remount(small_disk, f"size={size}")
    arguments, run = [*FIT, *SHORT, "--blocks", "3", "--quiet"], small_disk / "run"
    line = refused(nest.begin([*arguments, "--out", str(run)], loop))
    assert re.search(r"the disk is full: free some space; .*go on with ffbm fit polbooks .*--resume$", line), line
    assert standing(run, "cut", n_blocks=3) == where
    assert [path.name for path in run.glob("*.nc")] == files
    assert not drafts(run)
    remount(small_disk, "size=60m")
    assert_same(resume(nest, arguments, run), whole)


def test_a_disk_that_is_too_small_is_told_before_the_work(nest, small_disk):
    arguments = [*FIT, "--blocks", "3", "--draws", "100000", "--quiet"]
    line = refused(nest.begin([*arguments, "--out", str(small_disk / "run")]))
    assert re.search(r"this run takes about .* on disk and .* are free at .*: choose another --out", line), line
    assert not (small_disk / "run").exists()


def test_a_disk_that_cannot_be_written_is_told_before_the_work(nest, small_disk):
    remount(small_disk, "ro")
    line = refused(nest.begin([*FIT, "--blocks", "3", "--quiet", "--out", str(small_disk / "run")]))
    assert re.search(r"out must be a folder that can be written; .*Read-only file system", line), line


def test_a_run_on_a_disk_that_turned_read_only_is_told_and_goes_on_later(nest, whole, small_disk):
    remount(small_disk, "size=60m")
    arguments, run = [*FIT, *SHORT, "--blocks", "3", "--quiet"], small_disk / "run"
    going = nest.begin([*arguments, "--out", str(run)])
    assert going.wait_until(lambda: steps_done(run, "blocks") > 3)
    going.send(signal.SIGKILL)
    going.wait()
    remount(small_disk, "ro")
    assert "Read-only file system" in refused(nest.begin([*arguments, "--out", str(run), "--resume"]))
    remount(small_disk, "rw")
    assert_same(resume(nest, arguments, run), whole)


def test_a_disk_that_goes_away_loses_nothing(nest, whole, small_disk, tmp_path):
    remount(small_disk, "size=60m")
    place = tmp_path / "plugged"
    place.mkdir()
    subprocess.run(["mount", "--bind", str(small_disk), str(place)], check=True)
    arguments, run = [*FIT, *SHORT, "--blocks", "3", "--quiet"], place / "run"
    going = nest.begin([*arguments, "--out", str(run)])
    assert going.wait_until(lambda: steps_done(run, "weights") > 3)
    subprocess.run(["umount", "-l", str(place)], check=True)
    assert "No such file or directory" in refused(going)
    subprocess.run(["mount", "--bind", str(small_disk), str(place)], check=True)
    try:
        assert steps_done(run, "weights") > 3
        assert_same(resume(nest, arguments, run), whole)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory) -> dict[str, list[str]]:
    """Networks whose draws take much memory and little time: few vertices and many features, and the reverse."""
    folder = tmp_path_factory.mktemp("shapes")
    sizes = {"wide": (60, 4, 400, 150), "tall": (3000, 4, 15_000, 3)}
    for name, given in sizes.items():
        ffbm.simulate(*given, seed=1).save(folder / name)
    return {name: [str(folder / name / "edges.csv"), "--nodes", str(folder / name / "nodes.csv")] for name in sizes}


SAVED_SOON = {"_SAVE_BYTES": 1 << 20, "_SEGMENT_SECONDS": 0.05}
MEMORY = {
    "cut": ("wide", 500, ["--sweeps", "300"], "--draws"),
    "drawn": ("wide", 500, ["--sweeps", "1000", "--memberships", "drawn"], "--draws"),
    "joint": ("wide", 400, ["--target", "joint", "--draws", "300"], "--sweeps"),
    "blocks": ("tall", 500, ["--draws", "50"], "--sweeps"),
}


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("blocks", marks=pytest.mark.slow),
        pytest.param("cut", marks=pytest.mark.slow),
        pytest.param("joint", marks=pytest.mark.slow),
        pytest.param("drawn", marks=pytest.mark.slow),
    ],
)
def test_memory_does_not_grow_with_the_number_of_draws(nest, shapes, tmp_path, what):
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc to watch memory")
    shape, shortest, others, length = MEMORY[what]
    (tmp_path / "settings.toml").write_text("thin = 1\n")
    arguments = [
        "fit",
        *shapes[shape],
        "--blocks",
        "4",
        "--chains",
        "2",
        "--seed",
        "1",
        "--keep",
        "100",
        "--warmup",
        "50",
    ]
    arguments += ["--config", str(tmp_path / "settings.toml"), "--json", "--quiet", *FIXED, *others]
    peaks, sizes = [], []
    for n in (shortest, 10 * shortest):
        out = tmp_path / str(n)
        going = nest.begin([*arguments, length, str(n), "--out", str(out)], SAVED_SOON)
        peaks.append(going.peak())
        assert going.code == 0, going.err
        assert json.loads(going.out)["config"]["n_blocks"] == 4
        sizes.append(sum(path.stat().st_size for path in (out / CHAINS).rglob("*.npy")))
    # one array of draws that is held is more than a third of what grows
    assert peaks[1] - peaks[0] < 0.25 * (sizes[1] - sizes[0]), (peaks, sizes)
