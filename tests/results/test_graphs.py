"""The fit as a networkx graph."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.blocks.align import align_blocks
from ffbm.pipeline.given_blocks import take_blocks
from ffbm.results.graphs import to_networkx


def aligned(net, labels):
    return align_blocks(take_blocks(net, labels, "auto"))


def test_vertices_carry_what_is_known_of_them(good):
    graph = good.to_networkx()
    assert isinstance(graph, nx.Graph)
    assert list(graph) == good.network.node_ids.tolist()
    assert graph.number_of_edges() == good.network.n_edges
    node = graph.nodes["5"]
    assert node["block"] == good.memberships.labels[5]
    assert node["membership_1"] == good.memberships.probs[5, 1]
    assert node["membership"] == good.memberships.probs[5].max()


def test_features_are_in_the_users_units():
    table = pd.DataFrame({"age": [20.0, 30.0, 50.0], "side": ["l", "r", "l"], "block": [1, 0, 0]}, index=list("abc"))
    net = ffbm.as_network([("a", "b"), ("b", "c")], table)
    graph = to_networkx(net, aligned(net, [0, 0, 1]))
    assert [graph.nodes[v]["age"] for v in "abc"] == pytest.approx([20, 30, 50])
    assert [graph.nodes[v].get("side=l", 0) for v in "abc"] == [1, 0, 1]
    assert [graph.nodes[v]["block"] for v in "abc"] == [0, 0, 1]
    assert graph.nodes["a"]["feature block"] == 1


def test_parallel_edges_and_loops_are_kept():
    net = ffbm.as_network(np.array([[0, 1], [0, 1], [1, 1], [1, 2]]), node_ids=list("abc"))
    graph = to_networkx(net, aligned(net, [0, 0, 1]))
    assert graph.number_of_edges() == 4
    assert graph.number_of_edges("a", "b") == 2
    ids = [edge.get("id") for edge in nx.readwrite.graphml.GraphMLWriter(graph).xml.iter("edge")]
    assert len(set(ids)) == 4  # Gephi keeps one edge of each id
    assert graph.degree("b") == 5
