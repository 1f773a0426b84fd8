"""Scale: start, 50 sweeps and memberships on planted networks from 10^5 to 10^7 edges, with time and peak memory.

Every size in a process of its own, on all cores. Prints a table and writes results/scale.json.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np
from record import say, write

import ffbm
from blocks import planted

SIZES = (100_000, 1_000_000, 10_000_000)  # edges; a tenth as many vertices
N_BLOCKS, N_SWEEPS, N_CHAINS = 50, 50, 2


def measure(n_edges):
    small, _ = planted(1000, 5000, 4)
    ffbm.align_blocks(ffbm.sample_blocks(small, 4, n_sweeps=10, thin=1, n_chains=1, progress=False))  # compiled
    graph, truth = planted(n_edges // 10, n_edges, N_BLOCKS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    marks = [time.perf_counter()]

    def listen(event):
        if event.stage == "starts" and event.done == event.total:
            marks.append(time.perf_counter())

    blocks = ffbm.sample_blocks(graph, N_BLOCKS, n_sweeps=N_SWEEPS, n_chains=N_CHAINS, seed=0, progress=listen)
    marks.append(time.perf_counter())
    members = ffbm.align_blocks(blocks)
    marks.append(time.perf_counter())
    start, sweeps, align = np.diff(marks)
    joint = np.zeros((N_BLOCKS, N_BLOCKS), dtype=np.int64)
    np.add.at(joint, (truth, members.labels), 1)
    print(
        json.dumps(
            {
                "n_nodes": graph.n_nodes,
                "n_edges": n_edges,
                "start_seconds": start,
                "sweep_seconds": sweeps,
                "membership_seconds": align,
                "total_seconds": marks[-1] - marks[0],
                "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
                "input_gb": before / 2**20,
                "found": float(joint.max(axis=0).sum() / graph.n_nodes),
                "planted_entropy": ffbm.description_length(graph, truth).without_partition,
                "best_entropy": blocks.best_entropy,
            }
        )
    )


def main():
    say(f"{N_BLOCKS} blocks, {N_CHAINS} chains, {N_SWEEPS} sweeps, {os.cpu_count()} cores")
    heads = ("vertices", "start s", "sweeps s", "align s", "total s", "peak GB", "found")
    say(f"{'edges':>12} " + " ".join(f"{head:>9}" for head in heads))
    rows = []
    for n_edges in SIZES:
        said = subprocess.run([sys.executable, __file__, "--measure", str(n_edges)], capture_output=True, text=True)
        if said.returncode:
            raise SystemExit(said.stderr)
        row = json.loads(said.stdout)
        rows.append(row)
        stages = " ".join(f"{row[f'{name}_seconds']:9.1f}" for name in ("start", "sweep", "membership", "total"))
        say(f"{n_edges:12,} {row['n_nodes']:9,} {stages} {row['peak_gb']:9.2f} {row['found']:9.1%}")
    settings = {"n_blocks": N_BLOCKS, "n_sweeps": N_SWEEPS, "n_chains": N_CHAINS, "cores": os.cpu_count()}
    write("scale", ("ffbm", "numba", "numpy", "scipy"), {**settings, "rows": rows})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    main() if chosen.measure is None else measure(chosen.measure)
