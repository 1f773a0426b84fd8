"""The peer's side of search.py: one minimize_blockmodel_dl under the system's Python, timed.

Reads an .npz of edges, the number of blocks (0: free) and a seed; prints labels and seconds as JSON.
"""

import json
import sys
import time

import graph_tool.all as gt
import numpy as np

gt.openmp_set_num_threads(1)
given, n_blocks, seed = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
gt.seed_rng(seed + 1)
np.random.seed(seed)  # noqa: NPY002 - the peer draws from it
graph = gt.Graph(directed=False)
graph.add_vertex(int(given["n_nodes"]))
graph.add_edge_list(given["edges"])
fixed = {"multilevel_mcmc_args": {"B_min": n_blocks, "B_max": n_blocks}} if n_blocks else {}
begun = time.process_time()
state = gt.minimize_blockmodel_dl(graph, state_args={"deg_corr": True}, **fixed)
print(json.dumps({"labels": state.get_blocks().a.tolist(), "seconds": time.process_time() - begun}))
