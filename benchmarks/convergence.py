"""Convergence: the grade that a default run of the block chains ends with, and how long that takes.

    python benchmarks/convergence.py [--minutes 10] [--seeds 3] [--again] [--wall] [NAME ...]

A name is that of one of the paper's networks or of a folder of FFBM_SHARED/networks; the number of blocks is found.
``NAME@B`` fixes it. Every run is written to results/convergence.json when it ends, and runs that stand there are not
repeated: the measurement can be made in pieces. Each has the day when it was made; ``--again`` repeats those of
earlier days.

The clock of a run is that of the processor: see ``record.count_processor_seconds``. ``--wall`` takes the clock on the
wall. Both times are recorded, and the processor seconds of each stage.
"""

import argparse
import json
import os
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import record

import ffbm

PAPER = ("polbooks", "school", "facebook")
PACKAGES = ("ffbm", "numpy", "scipy", "numba")
RESULTS = record.RESULTS / "convergence.json"


class Stages:
    """A listener that notes how many processor seconds each stage takes, and prints what is told of it."""

    def __init__(self):
        self.seconds, self.last, self.note = {}, time.process_time(), ""

    def __call__(self, progress):
        now = time.process_time()
        self.seconds[progress.stage] = self.seconds.get(progress.stage, 0.0) + now - self.last
        self.last = now
        if progress.note != self.note:
            self.note = progress.note
            print(
                f"    {sum(self.seconds.values()):7.1f} s {progress.stage}, {progress.done:,}: {self.note}", flush=True
            )


def today():
    return datetime.now(UTC).date().isoformat()


def network(name):
    if name in PAPER:
        return ffbm.load_dataset(name)
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")


def run(name, seed, minutes):
    source, _, wanted = name.partition("@")
    graph, stages = network(source).graph, Stages()
    started, used = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blocks = ffbm.sample_blocks(
            graph, int(wanted) if wanted else "auto", seed=seed, max_minutes=minutes, progress=stages
        )
    measured, trips = blocks.diagnostics, blocks.diagnostics.round_trips
    return {
        "network": name,
        "seed": seed,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "n_blocks": blocks.n_blocks,
        "grade": blocks.converged.grade,
        "reason": blocks.converged.reason,
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - used,
        "stages": {stage: round(spent, 2) for stage, spent in stages.seconds.items()},
        "n_sweeps": blocks.settings["n_sweeps"],
        "tempering": blocks.settings["tempering"],
        "n_replicas": len(blocks.settings["tempering"] or [1]),
        "round_trips": None if trips is None else trips.tolist(),
        "rhat_entropy": measured.rhat_entropy,
        "ess_entropy": measured.ess_entropy,
        "pairs_open": measured.n_open(),
        "lowest": blocks.best_entropy,
        "mean_entropy": float(blocks.entropy.mean()),
        "minutes": minutes,
        "measured": today(),
    }


def line(row):
    return (
        f"{row['network']:22} {row['seed']:2} B {row['n_blocks']:3} {row['grade']:11}"
        f" {row['processor_seconds']:7.1f} s of processor {row['n_sweeps']:9,} sweeps x {row['n_replicas']},"
        f" R-hat {row['rhat_entropy']:.3f}, ESS {row['ess_entropy']:,.0f}, {row['pairs_open']} pairs open"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--again", action="store_true", help="repeat runs of earlier days")
    parser.add_argument("--wall", action="store_true", help="minutes of the clock on the wall")
    chosen = parser.parse_args()
    if "FFBM_SHARED" not in os.environ:
        print("set FFBM_SHARED to the folder that holds networks/; nothing was measured")
        return
    if not chosen.wall:
        record.count_processor_seconds()
    folder = Path(os.environ["FFBM_SHARED"]) / "networks"
    names = chosen.names or [*PAPER, "facebook@10", *sorted(path.name for path in folder.glob("*") if path.is_dir())]
    rows = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else []
    known = {(row["network"], row["seed"]): row for row in rows}
    done = {key for key, row in known.items() if not chosen.again or row["measured"] == today()}
    for row in rows:
        record.say(line(row))
    for tempering in (False, True):  # compiled beforehand
        ffbm.sample_blocks(network("polbooks"), 3, n_sweeps=100, tempering=tempering, progress=False)
    for name in names:
        for seed in range(chosen.seeds):
            if (name, seed) not in done:
                known[name, seed] = run(name, seed, chosen.minutes)
                record.say(line(known[name, seed]))
                record.write("convergence", PACKAGES, {"cores": os.cpu_count(), "runs": list(known.values())})


if __name__ == "__main__":
    main()
