"""What was tried on long runs, how often, and what was lost: kills, worker losses, wrong inputs, memory, speed-up.

Kills and worker losses go through the machinery of the tests. Prints a table and writes results/reliability.json.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numba
import numpy as np
from record import RESULTS, say, write

import ffbm
from ffbm.data.registry import DATASETS
from ffbm.errors import ConvergenceWarning
from ffbm.workers import open_workers

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))
from tests.mortal import kill_often, nursery, worker_processes  # noqa: E402
from tests.results.test_resuming import assert_same  # noqa: E402

LENGTHS = {
    "n_sweeps": 300,
    "n_draws": 200,
    "n_warmup": 100,
    "n_kept": 2,
    "n_chains": 2,
    "seed": 5,
    "weight_prior": "fixed",
}
LONG = 4000, 1000  # sweeps and draws that are timed
COMMAND = ["fit", "polbooks", "--sweeps", "300", "--draws", "200", "--warmup", "100", "--keep", "2", "--chains", "2"]


def is_same(one, other):
    try:
        assert_same(one, other)
    except AssertionError:
        return False
    return True


def measure_kills(nest, folder, n_kills, n_runs):
    """Runs of both targets, each killed again and again; every array against a run that nothing happened to."""
    rows = []
    net = ffbm.load_dataset("polbooks")
    for target in ("cut", "joint"):
        whole = ffbm.fit(net, target=target, **LENGTHS, progress=False)
        tried, stages, equal = 0, {}, 0
        for number in range(n_runs):
            run = folder / f"{target}-{number}"
            arguments = [*COMMAND, "--seed", "5", "--target", target, "--quiet"]
            killed = kill_often(nest, arguments, run, target, n_kills, seed=number)
            going = nest.begin([*arguments, "--out", str(run), "--resume"], {})
            equal += going.wait() == 0 and is_same(ffbm.load_fit(run), whole)
            tried += killed.total()
            for stage, count in killed.items():
                name = stage.removesuffix(".npz").replace("-", "_")
                stages[name] = stages.get(name, 0) + count
        rows.append({"target": target, "runs": n_runs, "kills": tried, "equal": equal, "stages": stages})
        say(f"{target:>6}: {tried} kills in {n_runs} runs, {equal} equal in every array; {stages}")
    return rows


def measure_losses(n_losses):
    """A fit on two worker processes of dask, which are killed on the way."""
    from distributed import Client, LocalCluster

    net, killed = ffbm.load_dataset("polbooks"), []
    longer = LENGTHS | {"n_blocks": 3, "n_sweeps": 3000, "n_draws": 3000}
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster, set_as_default=False) as client:

        def listen(event):
            if 0 < event.done < event.total and len(killed) < n_losses:
                killed.append(worker_processes(client)[0])
                os.kill(killed[-1], signal.SIGKILL)

        results = ffbm.fit(net, **longer, workers=client, progress=listen)
    equal = is_same(results, ffbm.fit(net, **longer, workers=1, progress=False))
    say(f"workers: {len(killed)} of two killed in turn during one fit; equal in every array: {equal}")
    return {"killed": len(killed), "equal": bool(equal)}


def count_inputs():
    """How many wrong inputs the tests hold, and how many are made up by chance."""
    entries = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/data/test_bad_input.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    bad = len(re.findall(r"^tests.*::", entries, re.MULTILINE))
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/data/test_fuzz.py", "--hypothesis-show-statistics"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    phases = re.findall(r"(\d+) passing, (\d+) failing, and (\d+) invalid", shown.stdout)
    fuzzed, failed = sum(int(row[0]) for row in phases), sum(int(row[1]) for row in phases)
    say(f"inputs: {bad} wrong ones, each refused in a sentence; {fuzzed:,} made by chance, {failed} failed")
    return {"bad": bad, "fuzzed": fuzzed, "failed": failed}


@numba.njit(nogil=True)
def count(n):
    """Arithmetic that needs no memory: what a second thread can give at best."""
    total = 0.0
    for i in range(n):
        total += np.sin(i * 0.5)
    return total


def measure_speed(name, n_sweeps, n_draws, repeats):
    """Four chains on one thread and on two, in turns: medians, and the median of the ratios."""
    net = ffbm.load_dataset(name)
    members = ffbm.align_blocks(ffbm.sample_blocks(net, 10, n_sweeps=20, thin=1, seed=1, progress=False))

    def arithmetic(n):
        with open_workers(n, 4) as run:
            run(count, [30_000_000] * 4)

    work = {
        "blocks": lambda n: ffbm.sample_blocks(
            net, 10, n_sweeps=n_sweeps, n_chains=4, seed=1, workers=n, initial=members.labels, progress=False
        ),
        "weights": lambda n: ffbm.sample_weights(
            net.features,
            members,
            n_draws=n_draws,
            n_warmup=n_draws // 2,
            n_chains=4,
            seed=1,
            workers=n,
            progress=False,
            weight_prior="fixed",
        ),
        "arithmetic": arithmetic,
    }
    count(1)
    seconds = {stage: {1: [], 2: []} for stage in work}
    for _ in range(repeats):
        for stage, go in work.items():
            for n in (1, 2):
                started = time.perf_counter()
                go(n)
                seconds[stage][n].append(time.perf_counter() - started)
    both = {n: [a + b for a, b in zip(seconds["blocks"][n], seconds["weights"][n], strict=True)] for n in (1, 2)}
    rows = []
    for stage, taken in (seconds | {"both": both}).items():
        ratios = [one / two for one, two in zip(taken[1], taken[2], strict=True)]
        one, two, ratio = statistics.median(taken[1]), statistics.median(taken[2]), statistics.median(ratios)
        rows.append({"stage": stage, "one": one, "two": two, "ratio": ratio, "low": min(ratios), "high": max(ratios)})
        say(
            f"{stage:>10}: {one:.1f} s on one thread, {two:.1f} s on two,"
            f" {ratio:.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    return {"network": name, "chains": 4, "n_sweeps": n_sweeps, "n_draws": n_draws, "repeats": repeats, "rows": rows}


def measure_memory(nest, folder, n_draws):
    """The most memory of a run that keeps its draws on disk, at one and at ten times as many."""
    ffbm.simulate(60, 4, 400, 150, seed=1).save(folder / "wide")
    files = [str(folder / "wide" / "edges.csv"), "--nodes", str(folder / "wide" / "nodes.csv")]
    rows = []
    for times in (1, 10):
        out = folder / f"memory-{times}"
        given = ["--blocks", "4", "--chains", "2", "--seed", "1", "--sweeps", "300", "--keep", "all", "--quiet"]
        going = nest.begin(["fit", *files, *given, "--draws", str(times * n_draws), "--out", str(out)], {})
        peak = going.peak()
        if going.code:
            raise SystemExit(going.err)
        drawn = sum(path.stat().st_size for path in (out / "chains").rglob("*.npy"))
        rows.append({"times": times, "draws": times * n_draws, "drawn_mb": drawn / 1e6, "peak_mb": peak / 1e6})
        say(f"{times:>3} x {n_draws:,} draws: {drawn / 1e6:.0f} MB drawn, peak {peak / 1e6:.0f} MB")
    return rows


def largest():
    """The largest network of benchmarks/scale.py, if it has run."""
    path = RESULTS / "scale.json"
    if not path.is_file():
        return None
    rows = json.loads(path.read_text())["rows"]
    return max(rows, key=lambda row: row["n_edges"])


def main(chosen):
    if chosen.network not in DATASETS:
        raise SystemExit(f"{chosen.network} is no registered data set")
    warnings.simplefilter("ignore", ConvergenceWarning)
    with nursery() as nest, tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        results = {
            "kills": measure_kills(nest, folder, chosen.kills, chosen.runs),
            "workers": measure_losses(chosen.losses),
            "inputs": count_inputs(),
            "memory": measure_memory(nest, folder, chosen.draws),
        }
    results["speed"] = measure_speed(chosen.network, *LONG, chosen.repeats)
    results |= {"largest": largest()} if largest() else {}
    results["cores"] = os.cpu_count()
    write("reliability", ("ffbm", "numba", "numpy", "distributed"), results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of each run")
    parser.add_argument("--runs", type=int, default=4, help="of each target that are killed")
    parser.add_argument("--losses", type=int, default=10, help="workers killed")
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--network", default="facebook")
    main(parser.parse_args())
