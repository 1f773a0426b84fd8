"""The peer's side of search.py: runs of minimize_blockmodel_dl under the system's Python, each timed.

Reads an .npz of edges, the number of blocks (0: free), a seed and the number of runs; prints a list of labels and
seconds as JSON. What graph-tool tabulates once in a process is made before the first run.
"""

import json
import sys
import time

import graph_tool.all as gt
import numpy as np

gt.openmp_set_num_threads(1)
given, (n_blocks, seed, n_runs) = np.load(sys.argv[1]), map(int, sys.argv[2:])
graph = gt.Graph(directed=False)
graph.add_vertex(int(given["n_nodes"]))
graph.add_edge_list(given["edges"])
gt.BlockState(graph, B=min(2, graph.num_vertices()), deg_corr=True).entropy()
gt.seed_rng(seed + 1)
np.random.seed(seed)  # noqa: NPY002 - the peer draws from it
fixed = {"multilevel_mcmc_args": {"B_min": n_blocks, "B_max": n_blocks}} if n_blocks else {}
runs = []
for _ in range(n_runs):
    begun = time.process_time()
    state = gt.minimize_blockmodel_dl(graph, state_args={"deg_corr": True}, **fixed)
    runs.append({"seconds": time.process_time() - begun, "labels": state.get_blocks().a.tolist()})
print(json.dumps(runs))
