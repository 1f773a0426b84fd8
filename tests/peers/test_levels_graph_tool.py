"""Description lengths of hierarchies against graph-tool's, live, on random multigraphs with weights or without."""

from itertools import product

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.logq import log_partitions
from ffbm.types import EdgeWeights, Graph

from .graph_tool import run_graph_tool
from .test_entropy_graph_tool import log_q_of_graph_tool, recursion_of_graph_tool

pytestmark = pytest.mark.peer

SCRIPT = """
import json, sys
import numpy as np
import graph_tool.all as gt
out = []
for case in json.load(sys.stdin):
    g = gt.Graph(directed=case["directed"])
    g.add_vertex(case["n_nodes"])
    g.add_edge_list(case["edges"])
    levels = [np.array(labels) for labels in case["levels"]]
    options = dict(deg_corr=case["degree_corrected"])
    if case["law"]:
        options.update(recs=[g.new_ep("double", vals=case["weights"])], rec_types=[case["law"]])
    state = gt.NestedBlockState(g, bs=levels, state_args=options)
    once = dict(recs_dl=False) if case["law"] else {}  # else the prior of the lowest sums is counted twice
    out.append(state.entropy(multigraph=True, exact=True, dl=True, degree_dl_kind="distributed", **once))
json.dump(out, sys.stdout)
"""


LAWS = {
    None: None, "discrete-geometric": "geometric", "discrete-poisson": "poisson", "real-exponential": "exponential",
}  # fmt: skip


def cases(rng):
    for _ in range(25):
        n_nodes = int(rng.integers(4, 40))
        edges = rng.integers(0, n_nodes, size=(int(rng.integers(4, 120)), 2))
        levels, n_members = [], n_nodes
        while n_members > 1:
            n_groups = 1 if len(levels) == 3 else int(rng.integers(1, n_members))
            labels = np.concatenate((np.arange(n_groups), rng.integers(0, n_groups, n_members - n_groups)))
            levels.append(rng.permutation(labels).tolist())
            n_members = n_groups
        counts = rng.poisson(3, len(edges)) + 1
        for corrected, directed, law in product((True, False), (True, False), LAWS):
            yield {
                "n_nodes": n_nodes, "edges": edges.tolist(), "levels": levels, "degree_corrected": corrected,
                "directed": directed, "law": law, "weights": counts.tolist(),
            }  # fmt: skip


def test_hierarchies_agree_once_q_is_graph_tool_s():
    given = list(cases(np.random.default_rng(9)))
    assert {len(case["levels"]) for case in given} >= {2, 3, 4}
    for case, theirs in zip(given, run_graph_tool(SCRIPT, given), strict=True):
        edges, labels = np.array(case["edges"]), np.array(case["levels"][0])
        weights = EdgeWeights(np.array(case["weights"], dtype=float), LAWS[case["law"]]) if case["law"] else None
        graph = Graph.from_edges(edges[:, 0], edges[:, 1], case["n_nodes"], case["directed"], weights)
        ours = description_length(graph, case["levels"], degree_corrected=case["degree_corrected"]).total
        if case["degree_corrected"]:
            sizes = np.bincount(labels)
            for degrees in (graph.out_degrees, graph.in_degrees) if graph.is_directed else (graph.degrees,):
                ends = np.bincount(labels, weights=degrees).astype(int)
                table = recursion_of_graph_tool(int(ends.max()), int(sizes.max()))
                ours += sum(
                    log_q_of_graph_tool(table, m, n) - float(log_partitions(m, n))
                    for m, n in zip(ends, sizes, strict=True)
                )
        assert ours == pytest.approx(theirs, abs=1e-6)
