"""Tempering: independent values of S for a second of processor time, of default runs and of chains without ladders.

    python benchmarks/tempering.py [--minutes 2] [--seeds 3] [NAME@B ...]

A default run decides for itself whether it needs ladders, and ends when its chains are graded converged, or when the
clock of the processor (``record.count_processor_seconds``) has run for so many minutes of all cores. Chains that may
not temper then get as many processor seconds as that run took, all of it counted: starts, temperatures, and what is
left out as burn-in. Compared is the bulk ESS of S per processor second; chains that stay apart have one of about as
many draws as there are chains. Every pair of runs is written to results/tempering.json when it ends, and those that
stand there are not repeated: the measurement can be made in pieces.
"""

import argparse
import json
import os
import statistics
import time
import warnings

import record
from convergence import network

import ffbm

NETWORKS = (
    "sp_workplace_InVS15@10", "facebook_348@10", "facebook@10", "polbooks@3", "football@10", "school@18",
    "lazega_advice@5",
)  # fmt: skip
RESULTS = record.RESULTS / "tempering.json"
PACKAGES = ("ffbm", "numpy", "scipy", "numba")


def run(graph, n_blocks, seed, tempering, minutes):
    """Return what a run came to, with the ESS of S per processor second."""
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blocks = ffbm.sample_blocks(
            graph, n_blocks, seed=seed, tempering=tempering, max_minutes=minutes, progress=False
        )
    seconds = time.process_time() - started
    ess = blocks.diagnostics.ess_entropy
    return {
        "grade": blocks.converged.grade, "seconds": seconds, "ess": ess, "rhat": blocks.diagnostics.rhat_entropy,
        "rate": ess / seconds, "n_replicas": len(blocks.settings["tempering"] or [1]),
        "n_sweeps": blocks.settings["n_sweeps"],
    }  # fmt: skip


def compare(graph, name, seed, minutes):
    n_blocks = int(name.partition("@")[2])
    default = run(graph, n_blocks, seed, "auto", minutes)
    plain = run(graph, n_blocks, seed, False, default["seconds"] / 60 / (os.cpu_count() or 1))
    return {
        "network": name, "seed": seed, "minutes": minutes, "default": default, "plain": plain,
        "ratio": default["rate"] / plain["rate"],
    }  # fmt: skip


def line(row):
    default, plain = row["default"], row["plain"]
    return (
        f"{row['network']:24} {row['seed']} {default['grade']} with {default['n_replicas']} replicas, ESS"
        f" {default['ess']:,.0f} in {default['seconds']:.1f} s; without ladders {plain['grade']}, ESS"
        f" {plain['ess']:,.0f} in {plain['seconds']:.1f} s: {row['ratio']:.1f} times"
    )


def medians(rows):
    """Return one row for each network: medians over seeds."""
    names = dict.fromkeys(row["network"] for row in rows)
    table = []
    for name in names:
        those = [row for row in rows if row["network"] == name]
        table.append({
            "network": name, "n_seeds": len(those), "ratio": statistics.median(row["ratio"] for row in those),
            "n_replicas": max(row["default"]["n_replicas"] for row in those),
        } | {
            kind: {what: statistics.median(row[kind][what] for row in those) for what in ("seconds", "ess", "rate")}
            | {"n_converged": sum(row[kind]["grade"] == "converged" for row in those)}
            for kind in ("default", "plain")
        })  # fmt: skip
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    record.count_processor_seconds()
    rows = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else []
    known = {(row["network"], row["seed"]) for row in rows}
    for row in rows:
        record.say(line(row))
    for tempering in (False, True):  # compiled beforehand
        ffbm.sample_blocks(network("polbooks").graph, 3, n_sweeps=100, tempering=tempering, progress=False)
    for name in chosen.names or NETWORKS:
        graph = network(name.partition("@")[0]).graph
        for seed in range(chosen.seeds):
            if (name, seed) in known:
                continue
            row = compare(graph, name, seed, chosen.minutes)
            rows.append(row)
            record.say(line(row))
            table = {"cores": os.cpu_count(), "runs": rows, "networks": medians(rows)}
            record.write("tempering", PACKAGES, table)


if __name__ == "__main__":
    main()
