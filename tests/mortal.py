"""Runs of the command line that can be killed and watched, begun in no time.

A process that has everything loaded forks one for each run, so that twenty of them do not spend their time importing.
The benchmark of reliability uses this module too.
"""

import contextlib
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

OFTEN = {"_SEGMENT_SECONDS": 0.0, "_SAVE_SECONDS": 0.0}  # one step a segment, all of them saved
STAGES = {
    "cut": ("number-of-blocks-neighbours.npz", "blocks", "weights", "weights-kept-features"),
    "joint": ("number-of-blocks-neighbours.npz", "joint", "joint-kept-features"),
}
SAVING, ENDED = "saving", "ended"
LIMIT = 300.0  # seconds that a run may take


class Run:
    """A run under way, in a process of its own."""

    def __init__(self, nursery: "Nursery", pid: int, said: Path, told: Path) -> None:
        self._nursery, self._said, self._told = nursery, said, told
        self.pid, self.code = pid, None

    def send(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def is_over(self) -> bool:
        if self.code is None and self._nursery.has_word():
            self.code = int(self._nursery.word())
        return self.code is not None

    def wait(self) -> int:
        """Return the exit code; minus the number of the signal if one ended it."""
        self.wait_until(lambda: False)
        return self.code

    def wait_until(self, reached: Callable[[], bool], pause: float = 0.002) -> bool:
        """Wait until something is true; False if the run was over before it was."""
        end = time.monotonic() + LIMIT
        while not reached():
            if self.is_over():
                return False
            if time.monotonic() > end:
                self.send(signal.SIGKILL)
                raise TimeoutError(f"no end after {LIMIT:.0f} s: {self.err}")
            time.sleep(pause)
        return True

    def peak(self) -> int:
        """Watch a run to its end and return the most memory of its own, not of files, that it had at any time."""
        found = 0

        def look() -> bool:
            nonlocal found
            with contextlib.suppress(OSError):
                now = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text())
                found = max(found, int(now[1]) * 1024 if now else 0)
            return False

        self.wait_until(look)
        return found

    @property
    def out(self) -> str:
        return self._said.read_text()

    @property
    def err(self) -> str:
        return self._told.read_text()


class Nursery:
    """The process that the runs come from; one run at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0
        # two threads of BLAS would not come along into a fork
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment
        )
        assert self.word() == "ready"

    def begin(
        self,
        arguments: Sequence[str],
        loop: Mapping[str, float] = OFTEN,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Begin a run of ``ffbm ARGUMENTS``, with other figures in the loop over chains."""
        self._count += 1
        said, told = (self._folder / f"{self._count}.{name}" for name in ("out", "err"))
        asked = {"arguments": [*arguments], "loop": dict(loop), "cwd": os.fspath(cwd or self._folder)}
        asked |= {"out": str(said), "err": str(told), "environment": dict(environment or {})}
        self._process.stdin.write((json.dumps(asked) + "\n").encode())
        return Run(self, int(self.word()), said, told)

    def has_word(self) -> bool:
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def word(self) -> str:
        return self._process.stdout.readline().decode().strip()  # unbuffered, so that select sees what is left

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(LIMIT)
        self._process.stdout.close()


@contextlib.contextmanager
def nursery() -> Iterator[Nursery]:
    """Open a nursery for some runs."""
    with tempfile.TemporaryDirectory() as folder:
        opened = Nursery(Path(folder))
        try:
            yield opened
        finally:
            opened.close()


def steps_done(run: Path, stage: str) -> int:
    """Return how many steps of a stage are saved; -1 if it has not begun."""
    states = (run / "chains" / stage).glob("state-*.npz")
    return max((int(path.stem.partition("-")[2]) for path in states), default=-1)


def standing(run: Path, target: str, n_blocks: int | None = None) -> str:
    """Return the stage that a run is in."""
    for stage in STAGES[target][0 if n_blocks is None else 1 :]:
        path = run / "chains" / stage
        if not (path.is_file() or any(path.glob("joined-*"))):
            return stage
    return ENDED if (run / "provenance.json").is_file() else SAVING


def kill_often(
    nest: Nursery, arguments: Sequence[str], run: Path, target: str, n_kills: int, seed: int = 1
) -> Counter[str]:
    """Kill a run with SIGKILL, in stage after stage, resuming it each time; return how often in which stage.

    The first kills come before it can have written anything, the last while the files of the answer are written.
    """
    dice, killed = random.Random(seed), Counter()
    order = ["start", *STAGES[target], SAVING]
    for number in range(n_kills):
        wanted = order[number * len(order) // n_kills]
        before = steps_done(run, wanted)
        going = nest.begin([*arguments, "--out", str(run), "--resume"])

        def is_time(wanted: str = wanted, before: int = before) -> bool:
            if wanted == "start":
                return True
            now = standing(run, target)
            if now != wanted:
                return order.index(now) > order.index(wanted)
            return now in (STAGES[target][0], SAVING) or steps_done(run, wanted) > before

        if not going.wait_until(is_time):
            raise AssertionError(f"ended after {number} kills with {going.code}: {going.err}")
        time.sleep(dice.uniform(0, {"start": 0.2, SAVING: 0.5, STAGES[target][0]: 0.3}.get(wanted, 0.03)))
        stage = standing(run, target)
        going.send(signal.SIGKILL)
        if going.wait() == -signal.SIGKILL:
            killed[stage] += 1
    return killed


def worker_processes(client) -> list[int]:
    """The processes of the workers that answer; one that was killed may be on its way back."""
    end = time.monotonic() + 60
    while True:
        client.wait_for_workers(1, timeout=60)
        found = client.run(os.getpid, on_error="ignore")
        if found or time.monotonic() > end:
            return list(found.values())


def _serve() -> None:
    from ffbm.cli import run as run_command
    from ffbm.pipeline import numbers
    from ffbm.pipeline import run as loop

    with tempfile.TemporaryDirectory() as folder:  # whatever is loaded when it is first used
        short = ["--sweeps", "30", "--draws", "30", "--warmup", "30", "--chains", "2", "--keep", "2", "--workers", "1"]
        short += ["--weight-prior", "fixed"]
        for target in ("cut", "joint"):
            out = Path(folder) / target
            _run(run_command, ["fit", "polbooks", *short, "--target", target, "--out", str(out), "--quiet"], os.devnull)
    print("ready", flush=True)
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if not pid:
            for name, value in asked["loop"].items():
                setattr(loop, name, value)
            numbers._MOST_EDGES = 0  # no long chains with B free, of which every step would be saved
            os.environ.update(asked["environment"])
            os.chdir(asked["cwd"])
            os._exit(_run(run_command, asked["arguments"], asked["out"], asked["err"]))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _run(command: Callable[[list[str]], int], arguments: list[str], out: str, err: str = os.devnull) -> int:
    sys.argv = ["ffbm", *arguments]
    with open(out, "w") as sys.stdout, open(err, "w") as sys.stderr:  # noqa: PTH123
        try:
            return command(arguments)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


if __name__ == "__main__":
    _serve()
