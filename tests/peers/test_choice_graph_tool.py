"""The choice of the number of blocks against graph-tool's, live: S with Peixoto's prior no worse than its best of 5."""

import numpy as np
import pytest

import ffbm
from ffbm.types import Graph

from ..planted import planted_edges
from .graph_tool import run_graph_tool

pytestmark = pytest.mark.peer

SCRIPT = """
import json, sys
import numpy as np
import graph_tool.all as gt
out = []
for n_nodes, edges in json.load(sys.stdin):
    g = gt.Graph(directed=False)
    g.add_vertex(n_nodes)
    g.add_edge_list(edges)
    out.append([])
    for seed in range(5):
        gt.seed_rng(seed + 1)
        np.random.seed(seed)
        out[-1].append(gt.minimize_blockmodel_dl(g, state_args=dict(deg_corr=True)).get_blocks().a.tolist())
json.dump(out, sys.stdout)
"""


def football_like():
    """A dozen conferences of about ten teams that play each other, and some games between them."""
    edges, labels = planted_edges(np.random.default_rng(5), (12, 11, 10, 10, 9, 9, 9, 8, 8, 12, 10, 7), 0.8, 0.035)
    return Graph.from_edges(edges[:, 0], edges[:, 1], len(labels))


def ego_like():
    """Circles of very different size and density, as around one person."""
    rng = np.random.default_rng(7)
    sizes = (90, 60, 40, 30, 20, 15, 10, 8)
    edges, labels = planted_edges(rng, sizes, 0.35, 0.01)
    i, j = np.triu_indices(60, 1)
    more = rng.random(len(i)) < 0.3  # a dense core of people who know each other from two circles
    chosen = rng.choice(len(labels), 60, replace=False)
    ends = np.vstack((edges, np.column_stack((chosen[i[more]], chosen[j[more]]))))
    return Graph.from_edges(ends[:, 0], ends[:, 1], len(labels))


@pytest.mark.slow
def test_no_worse_than_the_best_of_five():
    graphs = [ffbm.load_dataset("polbooks").graph, football_like(), ego_like()]
    theirs = run_graph_tool(SCRIPT, [(graph.n_nodes, graph.edges.tolist()) for graph in graphs])
    for graph, partitions in zip(graphs, theirs, strict=True):
        lengths = [
            ffbm.description_length(graph, np.unique(b, return_inverse=True)[1], prior="full").total for b in partitions
        ]
        for seed in range(2):
            found = ffbm.sample_blocks(graph, "auto", n_sweeps=5, thin=1, n_chains=1, seed=seed, progress=False)
            assert found.candidates["description_length"][0] <= min(lengths) + 1e-6
