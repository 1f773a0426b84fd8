"""Runs of the command line that are killed, interrupted, or run out of disk: nothing sampled is lost."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.store.folder import CHAINS

from .results.test_resuming import assert_same

# A run that saves all the time, so that a kill finds it in the middle of something.
PROGRAM = """
import sys
from ffbm.pipeline import run
run._SEGMENT_SECONDS, run._SAVE_SECONDS = 0.02, 0.05
from ffbm.cli import main
main(sys.argv[1:])
"""
FIT = ["fit", "polbooks", "--seed", "5", "--keep", "2", "--chains", "2", "--quiet"]
LENGTHS = {"cut": ["--sweeps", "20000", "--draws", "20000"], "joint": ["--sweeps", "6000"]}
STAGES = {
    "cut": ["number-of-blocks.bin", "blocks", "weights", "weights-kept-features"],
    "joint": ["number-of-blocks.bin", "joint", "joint-kept-features"],
}
pytestmark = pytest.mark.filterwarnings("ignore:do not rely on this fit")


def begin(arguments: list[str], **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def steps_done(folder: Path) -> int:
    return max((int(path.stem.partition("-")[2]) for path in folder.glob("state-*.npz")), default=-1)


def wait_for(process: subprocess.Popen, reached) -> bool:
    """Wait until something is true; False if the process ended before it was."""
    while not reached():
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return True


@pytest.mark.parametrize("target", ["cut", "joint"])
def test_a_run_killed_twenty_times_ends_with_the_same_bits(tmp_path, target):
    arguments = [*FIT, "--target", target, *LENGTHS[target]]
    whole, run = tmp_path / "whole", tmp_path / "run"
    subprocess.run([sys.executable, "-c", PROGRAM, *arguments, "--out", str(whole)], check=True, capture_output=True)
    dice, kills, seen = random.Random(1), 0, set()
    while kills < 20:
        before = {stage: steps_done(run / CHAINS / stage) for stage in STAGES[target]}
        process = begin([*arguments, "--out", str(run), "--resume"])

        def has_moved(before=before) -> bool:
            return any(steps_done(run / CHAINS / stage) > before[stage] for stage in before)

        alive = wait_for(process, has_moved) if kills % 4 else not time.sleep(dice.uniform(0.3, 1.5))
        time.sleep(dice.uniform(0, 0.06))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += 1
        seen |= {stage for stage in STAGES[target] if (run / CHAINS / stage).exists()}
        if not alive or process.returncode == 0:
            break
    assert kills >= 20, "the run ended too early to be killed twenty times"
    process = begin([*arguments, "--out", str(run), "--resume"])
    assert process.wait() == 0, process.communicate()[1]
    assert seen >= set(STAGES[target][:2])
    assert_same(ffbm.load_fit(run), ffbm.load_fit(whole))


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    run = tmp_path / "run"
    arguments = [*FIT[:-1], "--blocks", "3", "--sweeps", "200000", "--out", str(run)]
    process = begin(arguments)
    assert wait_for(process, lambda: steps_done(run / CHAINS / "blocks") > 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert re.search(r"ffbm: interrupted; .*has not ended: go on with ffbm fit polbooks .*--resume$", err.strip())
    saved = steps_done(run / CHAINS / "blocks")
    assert 0 < saved < 200_000
    assert not list(run.rglob(".*"))  # no drafts
    with pytest.raises(ffbm.errors.DataError, match=r"go on with ffbm fit polbooks .*--resume"):
        ffbm.load_fit(run)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 3 MB."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root to mount a small disk")
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True).returncode:
        pytest.skip("needs a system that lets root mount a disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def refused(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == 1, err
    return lines[0]


def test_a_full_disk_is_told_in_one_line_and_the_run_goes_on_with_more_room(small_disk, tmp_path):
    arguments = [*FIT, "--blocks", "3", "--sweeps", "4000", "--draws", "8000"]
    run = small_disk / "run"
    line = refused(begin([*arguments, "--out", str(run)]))
    assert re.search(r"the disk is full: free some space; .*go on with ffbm fit polbooks .*--resume", line), line
    assert steps_done(run / CHAINS / "blocks") > 0
    assert not list(run.rglob(".*"))
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    process = begin([*arguments, "--out", str(run), "--resume"])
    assert process.wait(120) == 0, process.communicate()[1]
    whole = ffbm.fit(ffbm.load_dataset("polbooks"), 3, n_sweeps=4000, n_draws=8000, n_kept=2, n_chains=2, seed=5)
    assert_same(ffbm.load_fit(run), whole)


def test_a_disk_that_cannot_be_written_is_told_before_the_work(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    line = refused(begin([*FIT, "--blocks", "3", "--out", str(small_disk / "run")]))
    assert re.search(r"out must be a folder that can be written; .*Read-only file system", line), line


def test_a_disk_that_turns_read_only_loses_nothing(small_disk):
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    run = small_disk / "run"
    arguments = [*FIT, "--blocks", "3", "--sweeps", "40000", "--out", str(run)]
    process = begin(arguments)
    assert wait_for(process, lambda: steps_done(run / CHAINS / "blocks") > 0)
    process.send_signal(signal.SIGSTOP)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=False)
    process.send_signal(signal.SIGCONT)
    if "ro," not in next(line for line in Path("/proc/mounts").read_text().splitlines() if str(small_disk) in line):
        process.kill()
        pytest.skip("the disk could not be made read-only while it was written")
    assert "Read-only file system" in refused(process)
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert begin([*arguments, "--resume"]).wait(120) == 0


def test_memory_does_not_grow_with_the_number_of_draws(tmp_path):
    peaks = []
    for number, draws in enumerate((3_000, 30_000)):
        arguments = [*FIT, "--blocks", "3", "--intercept", "--draws", str(draws), "--sweeps", str(draws), "--json"]
        found = measure_peak([*arguments, "--out", str(tmp_path / str(number))])
        peaks.append(found)
    drawn = 8 * 2 * 27_000 * (4 * 3 + 3) + 105 * 2 * 27_000 * 4 // 25
    assert peaks[1] - peaks[0] < drawn, peaks


def measure_peak(arguments: list[str]) -> int:
    """Return the most memory of its own, not of files that the system may drop, that a run had at any time."""
    process, peak = begin(arguments), 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status")
        if not status.exists():
            pytest.skip("needs /proc to watch memory")
        found = re.search(r"RssAnon:\s+(\d+) kB", status.read_text())
        peak = max(peak, int(found[1]) * 1024 if found else 0)
        time.sleep(0.01)
        if process.stdout is not None and process.poll() is not None:
            break
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert np.isfinite(json.loads(out)["best_entropy"])
    return peak
