"""Directed networks: vertex visits per second against graph-tool, one thread each, taking turns.

Reads NAME/edges.csv of networks in FFBM_SHARED/networks; prints a table and writes results/directed.json.
"""

import os
from pathlib import Path

from record import say, write

import ffbm
from blocks import against_graph_tool

NETWORKS = ("polblogs_directed", "celegans_chemical")


def main():
    folder = Path(os.environ["FFBM_SHARED"]) / "networks"
    say(f"{'visits':24} {'vertices':>10} {'edges':>11} {'blocks':>6} {'ffbm ns':>10} {'graph-tool':>10} {'ratio':>8}")
    rows, peer = [], None
    for name in NETWORKS:
        graph = ffbm.read_network(folder / name / "edges.csv", directed=True).graph
        trace = ffbm.sample_blocks(graph, "auto", n_sweeps=50, n_chains=1, progress=False)
        row, peer = against_graph_tool(name, graph, trace.best_labels, trace.n_blocks, repeats=15)
        rows.append(row)
    write("directed", ("ffbm", "numba", "numpy", "scipy"), {"threads": 1, "graph_tool": peer, "visits": rows})


if __name__ == "__main__":
    main()
