"""The peer's side of blocks.py: graph-tool's own loop, timed under the system's Python.

Reads an .npz of edges and labels and the number of sweeps; prints nanoseconds per vertex visit as JSON.
"""

import json
import sys
import time

import graph_tool.all as gt
import numpy as np

gt.openmp_set_num_threads(1)
gt.seed_rng(1)
given = np.load(sys.argv[1])
n_sweeps, repeats = int(sys.argv[2]), int(sys.argv[3])
graph = gt.Graph(directed=bool(given["directed"]))
graph.add_vertex(int(given["n_nodes"]))
graph.add_edge_list(given["edges"])
labels = graph.new_vp("int", vals=given["labels"])
state = gt.BlockState(graph, b=labels, deg_corr=True)
# the same target and proposal: uniform prior, blocks never opened or emptied, epsilon = 0.5
options = {"c": 0.5, "d": 0, "allow_vacate": False, "niter": n_sweeps, "entropy_args": {"partition_dl": False}}
state.mcmc_sweep(**{**options, "niter": int(given["warm"])})
seconds = []
for _ in range(repeats):
    begun = time.process_time()
    state.mcmc_sweep(**options)
    seconds.append(time.process_time() - begun)
visits = n_sweeps * int(given["n_nodes"])
print(json.dumps({"version": gt.__version__, "ns": [1e9 * s / visits for s in seconds]}))
