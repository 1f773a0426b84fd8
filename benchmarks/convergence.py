"""Convergence: the grade that a default run of the block chains ends with, and how long that takes.

    python benchmarks/convergence.py [--minutes 10] [--seeds 3] [NAME ...]

Networks are the paper's three and those of the folder FFBM_SHARED/networks, the number of blocks is found. Every run
is written to results/convergence.json when it ends; runs that stand there are not repeated, so the measurement can be
made in pieces. Prints one line a run. Time is that of the wall clock: all cores work.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import ffbm

RESULTS = Path(__file__).parent / "results" / "convergence.json"
PAPER = ("polbooks", "school", "facebook")


def network(name):
    if name in PAPER:
        return ffbm.load_dataset(name)
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")


def run(name, seed, minutes):
    graph = network(name).graph
    begun, used = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blocks = ffbm.sample_blocks(graph, "auto", seed=seed, max_minutes=minutes, progress=False)
    found, trips = blocks.diagnostics, blocks.diagnostics.round_trips
    return {
        "network": name,
        "seed": seed,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "n_blocks": blocks.n_blocks,
        "grade": blocks.converged.grade,
        "reason": blocks.converged.reason,
        "seconds": time.perf_counter() - begun,
        "processor_seconds": time.process_time() - used,
        "n_sweeps": blocks.settings["n_sweeps"],
        "tempering": blocks.settings["tempering"],
        "round_trips": None if trips is None else trips.tolist(),
        "rhat_entropy": found.rhat_entropy,
        "ess_entropy": found.ess_entropy,
        "pairs_open": found.n_open(),
        "lowest": blocks.best_entropy,
        "mean_entropy": float(blocks.entropy.mean()),
        "minutes": minutes,
    }


def show(row):
    tempered = f"{len(row['tempering'])} replicas" if row["tempering"] else "no tempering"
    print(
        f"{row['network']:22} {row['seed']:2} {row['n_blocks']:4} {row['grade']:11} {row['seconds']:7.1f} s"
        f" {row['n_sweeps']:9,} sweeps, {tempered}, R-hat {row['rhat_entropy']:.3f}, ESS {row['ess_entropy']:,.0f},"
        f" {row['pairs_open']} pairs open",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    folder = Path(os.environ.get("FFBM_SHARED", "")) / "networks"
    names = chosen.names or [*PAPER, *sorted(path.name for path in folder.glob("*") if path.is_dir())]
    rows = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else []
    known = {(row["network"], row["seed"]) for row in rows}
    ffbm.sample_blocks(network("polbooks"), 3, n_sweeps=100, progress=False)  # compiled beforehand
    ffbm.sample_blocks(network("polbooks"), 3, n_sweeps=100, tempering=True, progress=False)
    for name in names:
        for seed in range(chosen.seeds):
            if (name, seed) not in known:
                rows.append(run(name, seed, chosen.minutes))
                show(rows[-1])
                RESULTS.write_text(json.dumps({"cores": os.cpu_count(), "runs": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
