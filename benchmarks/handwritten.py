"""Two pieces of code of our own against what libraries do in their place, at 10^7 edges: do they pay?

Reading ids that are whole numbers from their digits, against ``pandas.read_csv``, which does not tell 007 from 7, and
against reading them as text, like any other ids. Averaging over neighbours, of which a start does 15, against a product
with scipy's sparse matrix. Beside them, a whole network read from CSV and from Parquet. Processor seconds, and bytes an
edge at the highest point beyond what was there before. ``--folder`` takes the files of ``scale.py --folder``, and the
name of a part measures that part alone.
"""

import argparse
import io
import json
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from record import RESULTS, say, write
from scale import forget_peak, now_bytes, plant

import ffbm
from ffbm.data.delimited import open_grid
from ffbm.data.ids import number_numbers, number_words
from ffbm.data.integers import whole_numbers
from ffbm.kernels.smoothing import average_neighbours
from ffbm.types import Graph

N_EDGES, N_COLUMNS = 10_000_000, 16
PACKAGES = ("ffbm", "numba", "numpy", "pandas", "scipy")


def measured(name, go, n_edges):
    forget_peak()
    before, started = now_bytes("VmRSS"), time.process_time()
    made = go()
    row = {"way": name, "seconds": time.process_time() - started, "bytes": (now_bytes("VmHWM") - before) / n_edges}
    say(f"{name:28} {row['seconds']:8.2f} s {row['bytes']:8.1f} bytes an edge")
    return row, made


def reading(folder):
    data = (folder / "edges.csv").read_bytes()
    n_edges = data.count(b"\n") - 1

    def digits():
        return number_numbers(whole_numbers(open_grid(data, "edges.csv", ".csv"), (0, 1), 1).ravel())

    def library():
        return number_numbers(pd.read_csv(io.BytesIO(data), dtype=np.int64).to_numpy().ravel())

    def text():
        grid = open_grid(data, "edges.csv", ".csv")
        cells = [""] * (2 * (grid.n_rows - 1))
        for end in (0, 1):
            cells[end::2] = grid.column(end, 1)
        return number_words(cells)

    rows, first = [], None
    for name, go in (("from digits", digits), ("pandas.read_csv", library), ("as text", text)):
        row, (codes, ids) = measured(name, go, n_edges)
        rows.append(row)
        first = first or (codes, ids)
        assert np.array_equal(codes, first[0])
        assert np.array_equal(ids, first[1])
    return rows


def files(folder):
    """Read the network from CSV and from Parquet; the table of vertices is a CSV file in both cases."""
    edges = pd.read_csv(folder / "edges.csv")
    with tempfile.TemporaryDirectory() as place:
        parquet = Path(place) / "edges.parquet"
        edges.to_parquet(parquet, index=False)
        n_edges = len(edges)
        del edges
        rows, nets = [], []
        for path in (folder / "edges.csv", parquet):
            go = partial(ffbm.read_network, path, nodes=folder / "people.csv")
            row, net = measured(path.suffix, go, n_edges)
            rows.append(row | {"file_bytes": path.stat().st_size / n_edges})
            nets.append(net)
    assert np.array_equal(nets[0].node_ids, nets[1].node_ids)
    assert np.array_equal(nets[0].graph.indices, nets[1].graph.indices)
    return rows


def averaging(folder):
    given = np.load(folder / "graph.npz")
    edges = given["edges"]
    graph = Graph.from_edges(*edges.T, int(given["n_nodes"]))
    n_edges = len(edges)
    del edges
    x = np.random.default_rng(0).standard_normal((graph.n_nodes, N_COLUMNS), dtype=np.float32)
    y = np.empty_like(x)
    degrees = np.maximum(np.diff(graph.indptr), 1).astype(np.float32)[:, np.newaxis]
    average_neighbours(graph.indptr, graph.indices, x, y)  # compiled, and y in memory

    def kernel():
        average_neighbours(graph.indptr, graph.indices, x, y)
        return y

    def library():
        ones, shape = np.ones(len(graph.indices), dtype=np.float32), (graph.n_nodes, graph.n_nodes)
        matrix = sp.csr_array((ones, graph.indices, graph.indptr.astype(np.int32)), shape=shape)
        np.divide(matrix @ x, degrees, out=y)
        return y

    rows, first = [], None
    for name, go in (("kernel", kernel), ("scipy's matrix", library)):
        row, made = measured(name, go, n_edges)
        rows.append(row)
        first = made.copy() if first is None else first
        np.testing.assert_allclose(made, first, rtol=1e-5, atol=1e-6)
    return rows


PARTS = {"reading": reading, "averaging": averaging, "files": files}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--folder", type=Path, help="of the files that scale.py planted")
    chosen = parser.parse_args()
    path = RESULTS / "handwritten.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    with tempfile.TemporaryDirectory() as new:
        if chosen.folder is None:
            plant(N_EDGES, Path(new))
        folder = Path(new) if chosen.folder is None else chosen.folder / str(N_EDGES)
        found = {name: known[name] for name in PARTS if name in known}
        found |= {name: PARTS[name](folder) for name in chosen.parts}
        write("handwritten", PACKAGES, {"n_edges": N_EDGES} | found)
