"""Scale: every stage of a fit on planted networks from 10^4 to 3 x 10^7 edges, in time and memory, with exponents.

Edges and vertices are read from CSV: a tenth as many vertices as edges, five columns with 20 values each of which two
tell something of the blocks. Weights have 100 draws after as many of warm-up. Every size has a process of its own, on
all cores; the record is written after each, and sizes that are not run again keep their rows. ``--sizes 30000000`` asks
for others. A large size can be run in two pieces, each a process of its own: ``--blocks-only`` stops after the
memberships, and ``--after-blocks`` goes on from there; both need the same ``--folder``. graph-tool stands beside it,
one search at the same number of blocks, for at most five minutes a size.

Time is that of the processor, and so is the clock that ends a fit: a second of it is one processor second of every
core. Memory is the growth of the process from before the files are read, all kernels compiled, to the highest point of
each stage, less the size of the two files, the input.
"""

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit
from record import RESULTS, count_processor_seconds, say, write

import ffbm
from blocks import HERE, PYTHON, planted

SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 30_000_000)  # edges
N_BLOCKS, N_SWEEPS, N_CHAINS, N_VALUES, N_COLUMNS = 50, 50, 2, 20, 5
STAGES = ("read", "start", "sweep", "membership", "weight", "column", "report")
MOST_SECONDS = 300  # of graph-tool
N_WALKED = 1_000_000  # visits of vertices that read labels alone, at least
SETTINGS = {"n_blocks": N_BLOCKS, "n_sweeps": N_SWEEPS, "n_chains": N_CHAINS, "cores": os.cpu_count()}


def plant(n_edges, folder):
    """Write edges.csv, people.csv and what was planted."""
    graph, truth = planted(n_edges // 10, n_edges, N_BLOCKS)
    write_files(graph, truth, N_BLOCKS, folder)


def write_files(graph, truth, n_blocks, folder):
    """Write edges.csv, people.csv with columns of which two tell something of the blocks, and what was planted."""
    rng = np.random.default_rng(1)
    table = {"id": np.arange(graph.n_nodes)}
    for column in range(N_COLUMNS):
        own, chance = rng.integers(0, N_VALUES, n_blocks)[truth], rng.integers(0, N_VALUES, graph.n_nodes)
        telling = rng.random(graph.n_nodes) < (0.3 if column < 2 else 0.0)
        table[f"column{column}"] = np.char.add("v", np.where(telling, own, chance).astype(str))
    pd.DataFrame(graph.edges, columns=["source", "target"]).to_csv(folder / "edges.csv", index=False)
    pd.DataFrame(table).to_csv(folder / "people.csv", index=False)
    np.savez(folder / "graph.npz", edges=graph.edges, truth=truth, n_nodes=graph.n_nodes)


def find_blocks(folder, n_blocks, listen=False):
    """Yield the name of each stage when it is over, and what it made."""
    net = ffbm.read_network(folder / "edges.csv", nodes=folder / "people.csv")
    yield "read", net
    blocks = ffbm.sample_blocks(net, n_sweeps=N_SWEEPS, n_chains=N_CHAINS, seed=0, progress=listen, n_blocks=n_blocks)
    yield "sweep", blocks
    yield "membership", ffbm.align_blocks(blocks).labels


def explain(net, blocks, folder):
    """Yield the name of each of the other stages when it is over, and what it made."""
    fit = ffbm.fit(net, blocks=blocks, n_chains=N_CHAINS, n_warmup=100, n_draws=100, seed=0, progress=False)
    yield "weight", fit
    yield "column", fit.column_table
    fit.report(folder / "report.html")
    yield "report", folder / "report.html"


def compile_all(folder):
    """Go through all stages once, on a small network."""
    plant(2000, folder)
    made = dict(find_blocks(folder, 4))
    for _ in explain(made["read"], made["sweep"], folder):
        pass


def measure(n_edges, folder, blocks_only, after_blocks):
    """Print one row after every stage: seconds, memory and what came of it."""
    count_processor_seconds()
    with tempfile.TemporaryDirectory() as small:
        compile_all(Path(small))
    row, made, first = {"n_edges": n_edges}, {}, now_bytes("VmRSS")
    on_disk = sum((folder / name).stat().st_size for name in ("edges.csv", "people.csv"))
    marks = [(time.perf_counter(), time.process_time())]
    forget_peak()

    def end(stage):
        marks.append((time.perf_counter(), time.process_time()))
        for name, now, before in zip(("seconds", "processor"), *marks[:-3:-1], strict=True):
            row[f"{stage}_{name}"] = row.get(f"{stage}_{name}", 0.0) + now - before  # starts are told of twice
        beyond = (now_bytes("VmHWM") - first - on_disk) / n_edges
        row[f"{stage}_bytes_per_edge"] = max(beyond, row.get(f"{stage}_bytes_per_edge", beyond))
        row["peak_gb"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30
        row["date"], row["load"] = datetime.now(UTC).isoformat(timespec="seconds"), os.getloadavg()[0]
        print(json.dumps(row), flush=True)
        forget_peak()

    def listen(event):
        if event.stage == "starts" and event.done == event.total:
            end("start")

    if after_blocks:
        made = pickle.loads((folder / "blocks.pickle").read_bytes())
        marks[0] = (time.perf_counter(), time.process_time())
    else:
        for stage, thing in find_blocks(folder, N_BLOCKS, listen):
            made[stage] = thing
            if stage == "read":
                row |= {"n_nodes": thing.n_nodes, "file_bytes_per_edge": on_disk / n_edges}
            if stage == "membership":
                row["found"] = agreement(
                    np.load(folder / "graph.npz")["truth"][made["read"].node_ids.astype(np.int64)], thing
                )
            end(stage)
        del made["membership"]
    if blocks_only:
        (folder / "blocks.pickle").write_bytes(pickle.dumps(made))
        return
    for stage, thing in explain(made.pop("read"), made.pop("sweep"), folder):
        if stage == "column":
            row["telling"] = sorted(thing.loc[thing["decision"] == "matters", "column"])
        if stage == "report":
            row["report_mb"] = thing.stat().st_size / 2**20
        end(stage)


def agreement(truth, labels):
    """Return the share of vertices in the block that was planted for them, each block taken for the likeliest."""
    joint = np.zeros((N_BLOCKS, N_BLOCKS), dtype=np.int64)
    np.add.at(joint, (truth, labels), 1)
    return float(joint.max(axis=0).sum() / len(labels))


def now_bytes(what):
    """Return the memory of this process: VmRSS now, VmHWM at its highest since ``forget_peak``."""
    return 1024 * int(Path("/proc/self/status").read_text().split(f"{what}:")[1].split()[0])


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


@njit
def walk(order, indptr, indices, labels, counts):
    """Count the labels of the neighbours of each vertex: what a sweep reads, and nothing of what it computes."""
    for i in order:
        for k in range(indptr[i], indptr[i + 1]):
            counts[labels[indices[k]]] += 1


def time_walks():
    """Return the nanoseconds of such a visit, by the number of vertices: what memory and caches make of the size."""
    rng, rows = np.random.default_rng(0), []
    for n_edges in (1_000, *SIZES):  # the first is compiled
        n_nodes = n_edges // 10
        indptr = np.arange(0, 20 * n_nodes + 1, 20)
        indices = rng.integers(0, n_nodes, 20 * n_nodes, dtype=np.int32)
        labels = rng.integers(0, N_BLOCKS, n_nodes, dtype=np.int32)
        order = np.tile(rng.permutation(n_nodes), max(N_WALKED // n_nodes, 1))
        started = time.process_time()
        walk(order, indptr, indices, labels, np.zeros(N_BLOCKS, dtype=np.int64))
        rows.append({"n_edges": n_edges, "n_nodes": n_nodes, "ns": 1e9 * (time.process_time() - started) / len(order)})
    for row in rows[1:]:
        say(f"{row['n_nodes']:12,} vertices: {row['ns']:.1f} ns to read the labels of 20 neighbours")
    return rows[1:]


def beside_sweeps(walks, rows):
    """Return the same with the nanoseconds of a visit in the sweeps that were measured."""
    return [
        walk | {"sweep_ns": 1e9 * rows[size]["sweep_processor"] / (N_CHAINS * N_SWEEPS * walk["n_nodes"])}
        for walk in walks
        if "sweep_processor" in rows.get(size := walk["n_edges"], {})
    ]


def peer_seconds(folder):
    """Return the processor seconds of one search by graph-tool; None if it takes longer than five minutes."""
    command = [PYTHON, str(HERE / "search_graph_tool.py"), str(folder / "graph.npz"), "flat", str(N_BLOCKS), "0", "1"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return None if text.returncode else json.loads(text.stdout)[0]["seconds"]


def exponents(rows):
    """Return by how much each stage grows with the edges: the slope of the last two sizes in logarithms."""
    results = {}
    for stage in STAGES:
        times = [(row["n_edges"], row[f"{stage}_processor"]) for row in rows if f"{stage}_processor" in row]
        if len(times) > 1:
            (few, short), (many, long) = times[-2:]
            results[stage] = float(np.log(long / short) / np.log(many / few))
    return results


def main(sizes, peer, piece, folder):
    path = RESULTS / "scale.json"
    known = json.loads(path.read_text()) if path.exists() else {"rows": []}
    rows, walks = {row["n_edges"]: row for row in known["rows"]}, time_walks()
    say(f"{N_BLOCKS} blocks, {N_CHAINS} chains, {N_SWEEPS} sweeps, {os.cpu_count()} cores; processor seconds")
    say(f"{'edges':>12} " + " ".join(f"{head:>10}" for head in (*STAGES, "bytes/edge", "found")))

    def show(row):
        shown = " ".join(f"{row.get(f'{stage}_processor', np.nan):10.2f}" for stage in STAGES)
        say(f"{row['n_edges']:12,} {shown} {row['bytes_per_edge']:10.0f} {row.get('found', np.nan):10.1%}")

    for size in sorted(rows.keys() - set(sizes)):
        show(rows[size])
    for n_edges in sizes:
        with tempfile.TemporaryDirectory() if folder is None else nullcontext(folder / str(n_edges)) as place:
            row = measured_row(n_edges, Path(place), piece)
            if piece == "--after-blocks":
                before = rows.get(n_edges, {})
                row = before | row | {"peak_gb": max(row["peak_gb"], before.get("peak_gb", 0.0))}
            else:
                row["graph_tool_seconds"] = peer_seconds(Path(place)) if peer else None
        of_stages = [row[f"{stage}_bytes_per_edge"] for stage in STAGES if f"{stage}_seconds" in row]
        rows[n_edges] = row | {"bytes_per_edge": max(of_stages)}
        show(rows[n_edges])
        ordered = [rows[size] for size in sorted(rows)]
        results = {"rows": ordered, "exponents": exponents(ordered), "walks": beside_sweeps(walks, rows)}
        write("scale", ("ffbm", "numba", "numpy", "scipy"), SETTINGS | results)


def measured_row(n_edges, folder, piece):
    """Return the row of one size, measured in a process of its own; as far as that came, if it failed."""
    text = ""
    for word in ("--plant", "--measure"):
        if word == "--plant" and (folder / "graph.npz").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, word, str(n_edges), "--folder", str(folder)]
        done = subprocess.run(command + [piece] * bool(piece), stdout=subprocess.PIPE, text=True)
        text = done.stdout
        if done.returncode and not text:
            raise SystemExit(f"{n_edges} edges: see above")
    return json.loads(text.splitlines()[-1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of edges")
    parser.add_argument("--no-peer", action="store_true", help="leave graph-tool out")
    pieces = parser.add_mutually_exclusive_group()
    pieces.add_argument("--blocks-only", action="store_true", help="leave weights, columns and the report out")
    pieces.add_argument("--after-blocks", action="store_true", help="weights, columns and the report alone")
    parser.add_argument("--plant", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="where the files of each size are kept, or are already")
    chosen = parser.parse_args()
    if chosen.folder is None and (chosen.blocks_only or chosen.after_blocks):
        parser.error("a piece needs --folder, where its files and blocks are kept")
    if chosen.plant is not None:
        plant(chosen.plant, chosen.folder)
    elif chosen.measure is not None:
        measure(chosen.measure, chosen.folder, chosen.blocks_only, chosen.after_blocks)
    else:
        piece = "--blocks-only" * chosen.blocks_only or "--after-blocks" * chosen.after_blocks
        main(chosen.sizes, not chosen.no_peer, piece, chosen.folder)
