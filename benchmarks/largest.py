"""The largest networks: a default fit from the command line, and how far one chain of the blocks gets.

    python benchmarks/largest.py [--fit 30000000] [--blocks 100000000] [--folder FOLDER]

Networks are planted as in ``scale.py``. ``--fit`` runs ``ffbm fit edges.csv --nodes people.csv --blocks 50 --out ...``
as a user would, all else by default. ``--blocks`` reads the edges and makes one chain of ten sweeps, in a process of
its own; memory is what ``scale.py`` calls beyond the input. Both are written to results/largest.json when they end.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from record import RESULTS, say, write
from scale import N_BLOCKS, agreement, forget_peak, now_bytes

import ffbm

N_SWEEPS = 10
GIB = 2**30


def write_files(n_edges, folder):
    """Plant a network in a process of its own: what a process inherits counts as its highest memory, too."""
    script = Path(__file__).with_name("scale.py")
    subprocess.run([sys.executable, script, "--plant", str(n_edges), "--folder", folder], check=True)


def fit(n_edges, folder):
    """Run ``ffbm fit`` on planted files; return what it took and what it said."""
    write_files(n_edges, folder)
    command = ["fit", "edges.csv", "--nodes", "people.csv", "--blocks", N_BLOCKS, "--seed", 0, "--out", "run", "--json"]
    begun = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-m", "ffbm", *map(str, command)], cwd=folder, stdout=subprocess.PIPE, check=True
    )
    seconds, used = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(ended.stdout)
    return {
        "n_edges": n_edges,
        "n_nodes": n_edges // 10,
        "seconds": seconds,
        "processor_seconds": used.ru_utime + used.ru_stime,
        "peak_gb": 1024 * used.ru_maxrss / GIB,
        "report_mb": (folder / "run" / "report.html").stat().st_size / 2**20,
        "grade": answer["convergence"]["grade"],
        "agreement": answer["agreement"],
        "matter": ", ".join(row["column"] for row in answer["columns"] if row["decision"] == "matters"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def blocks(n_edges, folder):
    """Read planted edges and run one chain; print a row."""
    on_disk, first, row = (folder / "edges.csv").stat().st_size, now_bytes("VmRSS"), {"n_edges": n_edges}
    last = time.process_time()
    forget_peak()

    def end(stage):
        nonlocal last
        now, last = last, time.process_time()
        row[f"{stage}_processor"] = last - now
        row[f"{stage}_bytes_per_edge"] = (now_bytes("VmHWM") - first - on_disk) / n_edges
        forget_peak()

    def listen(event):
        if event.stage == "starts" and event.done == event.total:
            end("start")

    net = ffbm.read_network(folder / "edges.csv")
    end("read")
    trace = ffbm.sample_blocks(
        net, N_BLOCKS, n_sweeps=N_SWEEPS, burn_in=0.5, thin=5, n_chains=1, seed=0, progress=listen
    )
    end("sweep")
    truth = np.load(folder / "graph.npz")["truth"][net.node_ids.astype(np.int64)]
    row["found"] = agreement(truth, ffbm.align_blocks(trace).labels)
    row["date"] = datetime.now(UTC).isoformat(timespec="seconds")
    print(json.dumps(row | {"n_nodes": n_edges // 10}), flush=True)


def blocks_apart(n_edges, folder):
    """Run one chain in a process of its own, whose memory is that of reading and the chain alone."""
    write_files(n_edges, folder)
    command = [sys.executable, __file__, "--measure", str(n_edges), "--folder", str(folder)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(ended.stdout.splitlines()[-1])


def main(asked):
    path = RESULTS / "largest.json"
    known = json.loads(path.read_text()) if path.exists() else {"fits": [], "chains": []}
    results = {kind: {row["n_edges"]: row for row in known[kind]} for kind in ("fits", "chains")}
    for kind, size, measure in (("fits", asked.fit, fit), ("chains", asked.blocks, blocks_apart)):
        if size:
            with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
                results[kind][size] = measure(size, Path(folder))
            say(json.dumps(results[kind][size]))
            listed = {name: [rows[n] for n in sorted(rows)] for name, rows in results.items()}
            settings = {"n_blocks": N_BLOCKS, "n_sweeps": N_SWEEPS}
            write("largest", ("ffbm", "numba", "numpy", "scipy"), settings | listed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", type=int, help="edges of a network that is fitted")
    parser.add_argument("--blocks", type=int, help="edges of one whose blocks have one chain")
    parser.add_argument("--folder", type=Path, help="where files are written for a while")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        blocks(chosen.measure, chosen.folder)
    else:
        main(chosen)
