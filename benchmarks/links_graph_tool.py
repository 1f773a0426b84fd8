"""The peer's side of links.py: what an edge between each pair does to S given partitions, under the system's Python.

Reads an .npz of edges, labels (T, N) and pairs (P, 2); prints the version and three scores (T, P) as JSON: those of
get_edges_prob, and S before less S after from a new state, whole and without the description length of the degrees.
"""

import json
import sys

import graph_tool.all as gt
import numpy as np

gt.openmp_set_num_threads(1)
given = np.load(sys.argv[1])


def state_of(edges, labels):
    graph = gt.Graph(directed=False)
    graph.add_vertex(int(given["n_nodes"]))
    graph.add_edge_list(edges)
    return gt.BlockState(graph, b=graph.new_vp("int", vals=labels), deg_corr=True)


def entropies(state):
    return [state.entropy(partition_dl=False), state.entropy(partition_dl=False, degree_dl=False)]


scores = {"get_edges_prob": [], "entropy": [], "adjacency": []}
for labels in given["labels"]:
    state = state_of(given["edges"], labels)
    before = entropies(state)
    rows = []
    for i, j in given["pairs"].tolist():
        after = entropies(state_of(np.vstack((given["edges"], [[i, j]])), labels))
        rows.append([state.get_edges_prob([(i, j)]), *(was - now for was, now in zip(before, after, strict=True))])
    for values, column in zip(scores.values(), zip(*rows, strict=True), strict=True):
        values.append(column)
print(json.dumps({"version": gt.__version__, **scores}))
