"""How long reading takes: edge lists against pandas.read_csv of the same file, graph files in seconds.

Both sides of a ratio are timed in turn in one run, and medians are taken, so that a busy machine
troubles them alike. Prints a table and writes results/reading.json.
"""

import datetime as dt
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import igraph
import numpy as np
import pandas as pd

import ffbm

N_NODES, N_EDGES, N_GRAPH_EDGES, N_RUNS = 200_000, 1_000_000, 200_000, 9
OUT = Path(__file__).parent / "results" / "reading.json"


def write_tables(folder: Path) -> dict[str, tuple[Path, float]]:
    """Write the edge lists; return the path of each and the most that its ratio may be."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, N_NODES, (N_EDGES, 2))
    spread = np.sort(rng.choice(10**9, N_NODES, replace=False))
    words = np.array([f"user_{k:06x}" for k in range(N_NODES)], dtype=object)
    tables = {
        "CSV, integer ids": (ends, 3.0),
        "CSV, integer ids up to 10^9": (spread[ends], 3.0),
        "CSV, string ids": (words[ends], 5.0),
    }
    written = {}
    for number, (name, (pairs, most)) in enumerate(tables.items()):
        path = folder / f"edges{number}.csv"
        pd.DataFrame(pairs, columns=["source", "target"]).to_csv(path, index=False)
        written[name] = (path, most)
    return written


def write_graphs(folder: Path) -> dict[str, Path]:
    rng = np.random.default_rng(2)
    n_nodes = N_GRAPH_EDGES // 10
    graph = igraph.Graph(n=n_nodes, edges=rng.integers(0, n_nodes, (N_GRAPH_EDGES, 2)).tolist())
    graph.vs["team"] = rng.choice(["red", "green", "blue"], n_nodes).tolist()
    graph.vs["age"] = rng.integers(18, 90, n_nodes).tolist()
    graph.es["weight"] = rng.random(N_GRAPH_EDGES).tolist()
    graph.write_graphml(str(folder / "graph.graphml"))
    graph.write_gml(str(folder / "graph.gml"))
    return {"GraphML": folder / "graph.graphml", "GML": folder / "graph.gml"}


def time_once(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, (path, most) in write_tables(folder).items():
            ours, theirs = [], []
            for _ in range(N_RUNS):
                theirs.append(time_once(lambda path=path: pd.read_csv(path)))
                ours.append(time_once(lambda path=path: ffbm.read_network(path)))
            seconds, peer = statistics.median(ours), statistics.median(theirs)
            rows.append(
                {"case": case, "edges": N_EDGES, "seconds": seconds, "pandas_seconds": peer}
                | {"ratio": seconds / peer, "ratio_wanted": most}
            )
        for case, path in write_graphs(folder).items():
            seconds = statistics.median(time_once(lambda path=path: ffbm.read_network(path)) for _ in range(3))
            rows.append({"case": case, "edges": N_GRAPH_EDGES, "seconds": seconds})

    print(f"{'case':30}{'edges':>11}{'seconds':>10}{'pandas':>10}{'ratio':>8}{'wanted':>9}")
    for row in rows:
        line = f"{row['case']:30}{row['edges']:>11,}{row['seconds']:>10.3f}"
        if "ratio" in row:
            line += f"{row['pandas_seconds']:>10.3f}{row['ratio']:>8.2f}{'<= ' + format(row['ratio_wanted'], 'g'):>9}"
        print(line)
    versions = {name: version(name) for name in ("ffbm", "numpy", "pandas")} | {"python": platform.python_version()}
    OUT.parent.mkdir(exist_ok=True)
    result = {"date": dt.date.today().isoformat(), "versions": versions, "machine": platform.machine(), "rows": rows}
    OUT.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {OUT.relative_to(Path.cwd()) if OUT.is_relative_to(Path.cwd()) else OUT}")


if __name__ == "__main__":
    main()
