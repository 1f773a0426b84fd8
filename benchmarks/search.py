"""Searches for partitions against graph-tool: one start at the paper's B, the default run, and the choice of B.

One thread each, in turns, processor time. Prints tables and writes results/search.json.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from record import say, write

import ffbm
from ffbm.blocks.start import greedy_labels
from ffbm.blocks.target import BlockTarget

PYTHON = "/usr/bin/python3"
PEER = Path(__file__).parent / "search_graph_tool.py"
PAPER = {"polbooks": 3, "school": 10, "facebook": 10}
GREEDY = {"polbooks": 2.2462, "school": 1.8890, "facebook": 1.6268}  # graph-tool's mean, S/(N+E)


def theirs(graph, n_blocks, seed):
    """Labels and seconds of one minimize_blockmodel_dl; None where graph-tool is missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, edges=graph.edges, n_nodes=graph.n_nodes)
        said = subprocess.run([PYTHON, str(PEER), str(path), str(n_blocks), str(seed)], capture_output=True, text=True)
    return json.loads(said.stdout) if said.returncode == 0 else None


def start_once(graph, n_blocks, seed):
    begun = time.process_time()
    labels = greedy_labels(BlockTarget(graph), n_blocks, np.random.default_rng(seed))
    return labels, time.process_time() - begun


def starts(name, graph, repeats):
    n_blocks, entities = PAPER[name], graph.n_nodes + graph.n_edges
    start_once(graph, n_blocks, 0)  # compiled beforehand
    found = {"ffbm": [], "graph-tool": []}
    for seed in range(repeats):
        labels, seconds = start_once(graph, n_blocks, seed)
        found["ffbm"].append((ffbm.description_length(graph, labels).without_partition, seconds))
        peer = theirs(graph, n_blocks, seed)
        if peer:
            labels = np.unique(peer["labels"], return_inverse=True)[1]
            found["graph-tool"].append((ffbm.description_length(graph, labels).without_partition, peer["seconds"]))
    row = {"graph": name, "n_blocks": n_blocks, "wanted": GREEDY[name]}
    for side, runs in found.items():
        key = side.replace("-", "_")
        row[f"{key}_entropy"] = statistics.mean(s for s, _ in runs) / entities if runs else None
        row[f"{key}_seconds"] = statistics.median(t for _, t in runs) if runs else None
    say(
        f"{name:10} {n_blocks:6} {row['ffbm_entropy']:10.4f} {row['ffbm_seconds']:8.3f}"
        + (
            f" {row['graph_tool_entropy']:10.4f} {row['graph_tool_seconds']:8.3f}"
            if found["graph-tool"]
            else "  missing"
        )
    )
    return row


def default_runs(name, net, n_seeds=5):
    runs = [ffbm.sample_blocks(net, PAPER[name], seed=seed, progress=False) for seed in range(n_seeds)]
    row = {
        "graph": name,
        "best_entropy_median": statistics.median(run.best_entropy for run in runs),
        "best_entropy_lowest": min(run.best_entropy for run in runs),
        "entropy_per_entity_mean": statistics.mean(run.entropy_per_entity for run in runs),
        "rhat_entropy": [run.diagnostics.rhat_entropy for run in runs],
    }
    rhats = " ".join(f"{rhat:.3f}" for rhat in row["rhat_entropy"])
    say(f"{name:10} {row['best_entropy_median']:14.2f} {row['best_entropy_lowest']:12.2f}"
        f" {row['entropy_per_entity_mean']:14.4f}   {rhats}")  # fmt: skip
    return row


def choices(name, net, n_peer=5):
    begun = time.process_time()
    found = ffbm.sample_blocks(net, "auto", n_sweeps=1, burn_in=0, thin=1, n_chains=1, workers=1, progress=False)
    seconds = time.process_time() - begun
    best, second = found.candidates.iloc[0], found.candidates.iloc[1]
    peers = [peer for seed in range(n_peer) if (peer := theirs(net.graph, 0, seed))]
    lengths = [
        ffbm.description_length(net, np.unique(peer["labels"], return_inverse=True)[1], prior="full").total
        for peer in peers
    ]
    row = {
        "graph": name,
        "n_blocks": int(best["n_blocks"]),
        "description_length": float(best["description_length"]),
        "next_n_blocks": int(second["n_blocks"]),
        "next_difference": float(second["difference"]),
        "seconds": seconds,
        "graph_tool_n_blocks": [len(set(peer["labels"])) for peer in peers],
        "graph_tool_description_length": lengths,
        "graph_tool_seconds": sum(peer["seconds"] for peer in peers),
    }
    say(f"{name:10} {row['n_blocks']:6} {row['description_length']:14.2f} {seconds:8.2f}"
        + (f" {min(lengths):14.2f} {row['graph_tool_seconds']:8.2f}   {row['graph_tool_n_blocks']}" if lengths
           else "  missing"))  # fmt: skip
    return row


def main(repeats):
    nets = {name: ffbm.load_dataset(name) for name in PAPER}
    say(f"{'start':10} {'blocks':>6} {'S/(N+E)':>10} {'seconds':>8} {'graph-tool':>10} {'seconds':>8}")
    results = {"threads": 1, "starts": [starts(name, net.graph, repeats) for name, net in nets.items()]}
    say(f"\n{'5 default':10} {'lowest, median':>14} {'lowest':>12} {'mean S/(N+E)':>14}   R-hat of S")
    results["default_runs"] = [default_runs(name, net) for name, net in nets.items()]
    say(f"\n{'auto':10} {'blocks':>6} {'S, full prior':>14} {'seconds':>8} {'best of 5':>14} {'seconds':>8}   blocks")
    results["choices"] = [choices(name, net) for name, net in nets.items()]
    write("search", ("ffbm", "numba", "numpy", "igraph"), results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    main(parser.parse_args().repeats)
