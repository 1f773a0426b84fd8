"""The description length against graph-tool's, live, on random multigraphs and partitions."""

from itertools import product

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.logq import log_partitions
from ffbm.types import Graph

from .graph_tool import run_graph_tool

pytestmark = pytest.mark.peer

SCRIPT = """
import json, sys
import graph_tool.all as gt
out = []
for case in json.load(sys.stdin):
    g = gt.Graph(directed=case["directed"])
    g.add_vertex(case["n_nodes"])
    g.add_edge_list(case["edges"])
    state = gt.BlockState(g, b=g.new_vp("int", vals=case["labels"]), deg_corr=case["degree_corrected"])
    parts = dict(adjacency=False, degree_dl=False, edges_dl=False, partition_dl=False)
    exact = dict(multigraph=True, exact=True, dl=True, degree_dl_kind="distributed", recs=False)
    def value(**on):
        return state.entropy(**{**parts, **exact, **on})
    out.append({
        "adjacency": value(adjacency=True),
        "degrees": value(degree_dl=True),
        "edge_counts": value(edges_dl=True),
        "partition": value(partition_dl=True),
    })
json.dump(out, sys.stdout)
"""


def recursion_of_graph_tool(m_max: int, n_max: int) -> np.ndarray:
    """ln q as graph-tool 2.45 caches it: without q(0, n) = 1 and without the cells n > m."""
    q = np.full((m_max + 1, n_max + 1), -np.inf)
    for m in range(1, m_max + 1):
        q[m, 1] = 0.0
        for n in range(2, min(m, n_max) + 1):
            q[m, n] = np.logaddexp(q[m, n - 1], q[m - n, n])
    return q


def log_q_of_graph_tool(table, m, n):
    return table[m, min(m, n)] if m > 0 and n > 0 else 0.0


def cases(rng):
    for _ in range(25):
        n_nodes = int(rng.integers(2, 40))
        edges = rng.integers(0, n_nodes, size=(int(rng.integers(1, 120)), 2))
        n_blocks = int(rng.integers(1, 6))
        labels = rng.integers(0, n_blocks, n_nodes).tolist()
        for corrected, directed in product((True, False), (False, True)):
            yield {
                "n_nodes": n_nodes, "edges": edges.tolist(), "labels": labels, "degree_corrected": corrected,
                "directed": directed,
            }  # fmt: skip


def test_every_part_agrees_once_q_is_graph_tool_s():
    given = list(cases(np.random.default_rng(8)))
    for case, theirs in zip(given, run_graph_tool(SCRIPT, given), strict=True):
        edges, labels = np.array(case["edges"]), np.array(case["labels"])
        graph = Graph.from_edges(edges[:, 0], edges[:, 1], case["n_nodes"], case["directed"])
        ours = description_length(graph, labels, prior="full", degree_corrected=case["degree_corrected"])
        sides = (graph.out_degrees, graph.in_degrees) if case["directed"] else (graph.degrees,)
        sizes = np.bincount(labels)
        table = recursion_of_graph_tool(2 * graph.n_edges, int(sizes.max()))
        swap = sum(
            log_q_of_graph_tool(table, m, n) - float(log_partitions(m, n))
            for degrees in sides
            for m, n in zip(np.bincount(labels, weights=degrees).astype(int), sizes, strict=True)
            if n > 0 and case["degree_corrected"]
        )
        assert ours.adjacency == pytest.approx(theirs["adjacency"], abs=1e-6)
        assert ours.degrees + swap == pytest.approx(theirs["degrees"], abs=1e-6)
        assert ours.edge_counts == pytest.approx(theirs["edge_counts"], abs=1e-6)
        assert ours.partition == pytest.approx(theirs["partition"], abs=1e-6)
