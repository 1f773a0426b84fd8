"""The block chain: vertex visits per second against graph-tool, growth with size, memory, and S reached.

One thread each, at equilibrium, the same target and proposal. Prints tables and writes results/blocks.json.
``--quick`` leaves the large graphs out.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import njit
from record import say, write

import ffbm
from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.types import Graph

PYTHON = "/usr/bin/python3"
HERE = Path(__file__).parent
PAPER = {"polbooks": 3, "school": 10, "facebook": 10}


def planted(n_nodes, n_edges, n_blocks, seed=0):
    """Blocks of equal size, half of the edges inside them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_nodes) * n_blocks // n_nodes
    source = rng.integers(0, n_nodes, n_edges)
    inside = rng.random(n_edges) < 0.5
    size = n_nodes // n_blocks
    target = np.where(inside, labels[source] * size + rng.integers(0, size, n_edges), rng.integers(0, n_nodes, n_edges))
    order = rng.permutation(n_nodes)
    return Graph.from_edges(order[source], order[target], n_nodes), labels[np.argsort(order)]


def chain_of(graph, labels, n_blocks, seed=1):
    target = BlockTarget(graph)
    setup = BlockSetup(target, block_model(target, n_blocks), BlockSettings(burn=2**60, thin=1))
    return setup, start(setup, labels, np.random.default_rng(seed))


def time_ours(setup, state, n_sweeps):
    started = time.process_time()  # of one thread: what else runs on the machine does not count
    advance(setup, state, n_sweeps)
    return 1e9 * (time.process_time() - started) / (n_sweeps * len(state.ledger.b))


def time_theirs(graph, labels, warm, n_sweeps, repeats):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, edges=graph.edges, labels=labels, n_nodes=graph.n_nodes, warm=warm, directed=graph.is_directed)
        command = [PYTHON, str(HERE / "blocks_graph_tool.py"), str(path), str(n_sweeps), str(repeats)]
        text = subprocess.run(command, capture_output=True, text=True)
    if text.returncode:
        return None
    return json.loads(text.stdout)


def against_graph_tool(name, graph, labels, n_blocks, repeats=5):
    """Ours, theirs, ours, theirs ...: medians over turns, so that a busy moment hits both."""
    n_nodes = graph.n_nodes
    ours, theirs, results = [], [], None
    setup, state = chain_of(graph, labels, n_blocks)
    warm = max(2, 200_000 // n_nodes)
    advance(setup, state, warm)
    for _ in range(repeats):
        results = time_theirs(graph, state.ledger.b, 1, max(1, 100_000 // n_nodes), 1)
        if results:
            theirs += results["ns"]
        ours.append(time_ours(setup, state, max(1, 1_000_000 // n_nodes)))
    row = {
        "graph": name,
        "n_nodes": n_nodes,
        "n_edges": graph.n_edges,
        "n_blocks": n_blocks,
        "ffbm_ns": statistics.median(ours),
        "graph_tool_ns": statistics.median(theirs) if theirs else None,
    }
    row["ratio"] = row["graph_tool_ns"] / row["ffbm_ns"] if theirs else None
    theirs_text = f"{row['graph_tool_ns']:10,.0f} {row['ratio']:8.1f}" if theirs else "   missing"
    say(f"{name:24} {n_nodes:10,} {graph.n_edges:11,} {n_blocks:6} {row['ffbm_ns']:10,.1f} {theirs_text}")
    return row, results and results["version"]


@njit(nogil=True)
def gather(indptr, indices, labels, picks):
    """A bare gather: for each vertex, the label of one random neighbour."""
    total = 0
    for i in range(labels.size):
        begin = indptr[i]
        k = indptr[i + 1] - begin
        if k > 0:
            total += labels[indices[begin + int(picks[i] * k)]]
    return total


def growth(n_nodes, n_blocks=20, mean_degree=20):
    graph, labels = planted(n_nodes, n_nodes * mean_degree // 2, n_blocks)
    setup, state = chain_of(graph, labels, n_blocks)
    advance(setup, state, 2)
    n_sweeps = max(1, 2_000_000 // n_nodes)
    ours = statistics.median(time_ours(setup, state, n_sweeps) for _ in range(5))
    picks, labels = np.random.default_rng(0).random(n_nodes), state.ledger.b
    gather(graph.indptr, graph.indices, labels, picks)
    bare = []
    for _ in range(9):
        started = time.perf_counter()
        for _ in range(n_sweeps):
            gather(graph.indptr, graph.indices, labels, picks)
        bare.append(1e9 * (time.perf_counter() - started) / (n_sweeps * n_nodes))
    return {"n_nodes": n_nodes, "ffbm_ns": ours, "gather_ns": statistics.median(bare)}


def memory(n_edges=10_000_000, n_blocks=50):
    """Peak memory beyond the input, in a process of its own."""
    text = subprocess.run(
        [sys.executable, __file__, "--memory", str(n_edges), str(n_blocks)], capture_output=True, text=True, check=True
    )
    return json.loads(text.stdout)


def measure_memory(n_edges, n_blocks):
    small, small_labels = planted(1000, 5000, 4)
    ffbm.sample_blocks(small, 4, n_sweeps=2, thin=1, n_chains=1, initial=small_labels)  # compiled beforehand
    graph, labels = planted(n_edges // 10, n_edges, n_blocks)
    assert graph.degrees.sum() == 2 * n_edges  # kept by the graph from here on
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    current = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    # building the input peaks above what it keeps: pad up to that peak, so that only growth beyond it is counted
    pad = np.ones(max(before - current, 0) * 1024, dtype=np.uint8)
    started = time.perf_counter()
    ffbm.sample_blocks(graph, n_blocks, n_sweeps=2, thin=1, n_chains=1, initial=labels)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    extra = (after - before) * 1024 / n_edges
    print(json.dumps({"n_edges": n_edges, "n_blocks": n_blocks, "bytes_per_edge": extra, "seconds": seconds}))
    return pad[:1]


def main(quick):
    nets = {}
    for name in PAPER:
        try:
            nets[name] = ffbm.load_dataset(name)
        except ffbm.errors.DataError as error:
            say(f"{name} left out: {error}")
    say(f"{'visits':24} {'vertices':>10} {'edges':>11} {'blocks':>6} {'ffbm ns':>10} {'graph-tool':>10} {'ratio':>8}")
    rows, peer = [], None
    for name, net in nets.items():
        labels = ffbm.sample_blocks(net, PAPER[name], n_sweeps=50, n_chains=1).best_labels
        row, peer = against_graph_tool(name, net.graph, labels, PAPER[name])
        rows.append(row)
    if not quick:
        for name, size in {"planted": (20_000, 200_000, 20), "planted, large": (100_000, 1_000_000, 100)}.items():
            graph, labels = planted(*size)
            rows.append(against_graph_tool(name, graph, labels, size[2], repeats=3)[0])
    results = {"threads": 1, "graph_tool": peer, "visits": rows}

    say(f"\n{'growth: vertices':24} {'ffbm ns':>10} {'gather ns':>10}")
    results["growth"] = [growth(n) for n in ((10_000, 100_000) if quick else (10_000, 100_000, 1_000_000))]
    for row in results["growth"]:
        say(f"{row['n_nodes']:24,} {row['ffbm_ns']:10.1f} {row['gather_ns']:10.2f}")
    first, last = results["growth"][0], results["growth"][-1]
    for side in ("ffbm", "gather"):
        results[f"{side}_growth"] = last[f"{side}_ns"] / first[f"{side}_ns"]
    say(f"{'times':>24} {results['ffbm_growth']:10.2f} {results['gather_growth']:10.2f}")

    results["memory"] = memory(1_000_000 if quick else 10_000_000)
    say(f"\nmemory beyond the input, {results['memory']['n_edges']:,} edges, {results['memory']['n_blocks']} blocks:"
          f" {results['memory']['bytes_per_edge']:.0f} bytes an edge")  # fmt: skip

    say(f"\n{'default chains':24} {'mean S/(N+E)':>12} {'lowest S':>12} {'R-hat of S':>12} {'seconds':>8}")
    results["sampled"] = []
    for name, net in nets.items():
        started = time.perf_counter()
        blocks = ffbm.sample_blocks(net, PAPER[name])
        row = {
            "graph": name,
            "entropy_per_entity": blocks.entropy_per_entity,
            "best_entropy": blocks.best_entropy,
            "rhat_entropy": blocks.diagnostics.rhat_entropy,
            "seconds": time.perf_counter() - started,
        }
        results["sampled"].append(row)
        say(f"{name:24} {row['entropy_per_entity']:12.4f} {row['best_entropy']:12.2f} {row['rhat_entropy']:12.3f}"
              f" {row['seconds']:8.2f}")  # fmt: skip
    if not quick:
        write("blocks", ("ffbm", "numba", "numpy", "scipy"), results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", nargs=2, type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.memory:
        measure_memory(*chosen.memory)
    else:
        main(chosen.quick)
