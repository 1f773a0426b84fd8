"""The peer's side of search.py and hierarchy.py: runs of graph-tool's searches under the system's Python, each timed.

Reads an .npz of edges, the model (flat or nested), the number of blocks (0: free), a seed and the number of runs;
prints a list of levels of labels and seconds as JSON. What graph-tool tabulates once in a process is made before the
first run.
"""

import json
import sys
import time

import graph_tool.all as gt
import numpy as np

gt.openmp_set_num_threads(1)
given, model, (n_blocks, seed, n_runs) = np.load(sys.argv[1]), sys.argv[2], map(int, sys.argv[3:])
graph = gt.Graph(directed=False)
graph.add_vertex(int(given["n_nodes"]))
graph.add_edge_list(given["edges"])
gt.BlockState(graph, B=min(2, graph.num_vertices()), deg_corr=True).entropy()
gt.seed_rng(seed + 1)
np.random.seed(seed)  # noqa: NPY002 - the peer draws from it
minimize = gt.minimize_nested_blockmodel_dl if model == "nested" else gt.minimize_blockmodel_dl
fixed = {"multilevel_mcmc_args": {"B_min": n_blocks, "B_max": n_blocks}} if n_blocks else {}
runs = []
for _ in range(n_runs):
    begun = time.process_time()
    state = minimize(graph, state_args={"deg_corr": True}, **fixed)
    seconds = time.process_time() - begun
    levels = state.get_bs() if model == "nested" else [state.get_blocks().a]
    runs.append({"seconds": seconds, "levels": [np.asarray(labels).tolist() for labels in levels]})
print(json.dumps(runs))
