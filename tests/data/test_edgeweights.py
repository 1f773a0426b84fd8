"""Weights of edges as they are read: columns, what they are taken for, and what is refused."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.data.edgeweights import choose_law, real_weights, reweigh
from ffbm.errors import DataError, OptionError


def _edges(weights, **more):
    return pd.DataFrame({"from": ["a", "b", "c", "a"], "to": ["b", "c", "a", "a"], "w": weights, **more})


def _law(values, model="auto", prior="microcanonical"):
    return choose_law(real_weights(values, "w", "edges.csv", "row {}".format), model, prior, "edges.csv")


def _pairs(net):
    ids = net.node_ids[net.graph.edges]
    return sorted(zip(*ids.T, net.graph.weights.values, strict=True))


def test_weights_follow_their_edges():
    net = ffbm.as_network(_edges([3, 0, 7, 2]), edge_weight="w")
    assert _pairs(net) == [("a", "a", 2.0), ("a", "b", 3.0), ("a", "c", 7.0), ("b", "c", 0.0)]
    net = ffbm.as_network(_edges([3, 0, 7, 2]), edge_weight="w", directed=True)
    assert _pairs(net) == [("a", "a", 2.0), ("a", "b", 3.0), ("b", "c", 0.0), ("c", "a", 7.0)]
    assert _pairs(net.undirected()) == _pairs(ffbm.as_network(_edges([3, 0, 7, 2]), edge_weight="w"))


def test_files_and_objects_agree(tmp_path):
    frame = _edges([0.5, 1.5, 2.25, 4.0])
    net = ffbm.as_network(frame, edge_weight="w", directed=True)
    path = tmp_path / "edges.csv"
    frame.to_csv(path, index=False)
    made = nx.MultiDiGraph()
    for row in frame.itertuples(index=False):
        made.add_edge(row[0], row[1], w=row[2])
    found = [ffbm.read_network(path, edge_weight="w", directed=True), ffbm.as_network(made, edge_weight="w")]
    for suffix, write in (("gml", nx.write_gml), ("graphml", nx.write_graphml), ("gexf", nx.write_gexf)):
        write(made, tmp_path / f"net.{suffix}")
        names = {"id": "label"} if suffix == "gml" else {}  # where ids are numbers
        found.append(ffbm.read_network(tmp_path / f"net.{suffix}", edge_weight="w", **names))
    assert {other.fingerprint for other in found} == {net.fingerprint}


def test_fingerprint_sees_weights_and_their_law():
    prints = [
        ffbm.as_network(_edges(weights), edge_weight="w", edge_weight_model=model).fingerprint
        for weights, model in (([1, 2, 3, 4], "geometric"), ([1, 2, 4, 3], "geometric"), ([1, 2, 3, 4], "poisson"))
    ]
    plain = ffbm.as_network(_edges([1, 2, 3, 4]))
    assert len({*prints, plain.fingerprint}) == 4
    assert ffbm.as_network(_edges([1, 2, 3, 4]), edge_weight="w").without_weights().fingerprint == plain.fingerprint


def test_sparse_matrix():
    matrix = sp.csr_array(np.array([[0, 2.5, 0], [2.5, 0, 1.5], [0, 1.5, 0]]))
    net = ffbm.as_network(matrix, edge_weight="data")
    assert not net.graph.is_directed
    assert net.graph.weights.values.tolist() == [2.5, 1.5]
    matrix[0, 1] = 9.0
    assert ffbm.as_network(matrix, edge_weight="data").graph.is_directed


def test_pairs_both_ways():
    """A list with every pair each way is read once only if both have the same weight."""
    both = pd.DataFrame({"from": ["a", "b", "b", "c"], "to": ["b", "a", "c", "b"], "w": [2, 2, 5, 5]})
    assert ffbm.as_network(both, edge_weight="w").n_edges == 2
    both.loc[0, "w"] = 3
    assert ffbm.as_network(both, edge_weight="w").n_edges == 4


def test_multiplicity_beside_weights():
    net = ffbm.as_network(_edges([1.5, 2.5, 3.5, 4.5], n=[2, 1, 1, 1]), edge_weight="w", multiplicity="n")
    assert net.n_edges == 5
    assert sorted(net.graph.weights.values) == [1.5, 1.5, 2.5, 3.5, 4.5]


def test_choice():
    assert _law([0, 1, 5, 20]).model == "geometric"
    assert _law([5, 6, 4, 5, 5]).model == "poisson"
    rng = np.random.default_rng(0)
    assert _law(rng.exponential(2.0, 400)).model == "exponential"
    assert _law(rng.lognormal(2.0, 0.2, 400)).model == "log-normal"
    assert _law([0.5, -1.0, 2.0]).reason == "some are below 0"
    assert _law([0.5, 0.0, 2.0]).reason == "some are 0 and not all are whole"
    assert _law([1, 2, 3], "normal").reason == "as asked"
    idle = "; all are 2.5 and say nothing of blocks"
    assert _law([2.5, 2.5, 2.5]).reason == f"numbers above 0, all equal, which log-normal weights cannot be{idle}"
    assert _law([1, 1, 1]).reason.endswith(" nats over geometric; all are 1 and say nothing of blocks")
    note = next(n for n in ffbm.as_network(_edges([0, 1, 5, 20]), edge_weight="w").notes if n.code == "edge-weight")
    assert note.message.startswith(
        "the table of edges: edges weighted by 'w', geometric (whole numbers from 0, geometric"
    )


@pytest.mark.parametrize(
    ("weights", "model", "told"),
    [
        ([1, -2, 3, 4], "geometric", "row 1 has -2"),
        ([1, 2, 2.5, 4], "poisson", "row 2 has 2.5"),
        ([1.5, 2, 3, 0], "exponential", "row 3 has 0"),
        ([1.5, 0, 3, 0], "log-normal", r"row 1 has 0 in 'w' \(2 edges in all\)"),
        ([1.5, 1.5, 1.5, 1.5], "normal", "must differ"),
        ([1, 2, None, 4], "auto", "row 2 has nan"),
        ([1, 2, np.inf, 4], "auto", "row 2 has inf"),
        ([1, "many", 3, 4], "auto", "row 1 has 'many'"),
        ([1, True, 3, 4], "auto", "row 1 has True"),
    ],
)
def test_weights_without_a_place_are_refused_with_their_row(weights, model, told):
    with pytest.raises(DataError, match=told):
        ffbm.as_network(_edges(weights), edge_weight="w", edge_weight_model=model)


def test_line_of_a_file(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,w\na,b,1\n# a comment\nb,c,-1\n")
    with pytest.raises(DataError, match="line 4 has -1"):
        ffbm.read_network(path, edge_weight="w", edge_weight_model="geometric")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"edge_weight": "w", "multiplicity": "w"}, "'w' cannot be multiplicity= and edge_weight="),
        ({"edge_weight": "w", "parallel": "merge"}, "parallel=merge drops edges"),
        ({"edge_weight_model": "poisson"}, "name edge_weight= too"),
        ({"edge_weight": "w", "edge_weight_model": "gamma"}, "edge_weight_model must be"),
        (
            {"edge_weight": "w", "edge_weight_prior": {"a": 1}},
            "edge_weight_prior must be 'microcanonical' or the numbers a, b",
        ),
        ({"edge_weight": "w", "edge_weight_prior": {"a": 1, "b": -1}}, "b must be"),
    ],
)
def test_options_refused(options, told):
    with pytest.raises(OptionError, match=told):
        ffbm.as_network(_edges([1, 2, 3, 4]), **options)


def test_columns_refused():
    with pytest.raises(DataError, match="must have the column 'x' that edge_weight= names"):
        ffbm.as_network(_edges([1, 2, 3, 4]), edge_weight="x")
    with pytest.raises(OptionError, match="edge_weight= names a column of edges, and pairs have none"):
        ffbm.as_network([(0, 1)], edge_weight="x")
    with pytest.raises(OptionError, match="edge_weight must be 'data' or None"):
        ffbm.as_network(sp.eye_array(3).tocsr(), edge_weight="x")


def test_without_the_option_nothing_changes():
    net = ffbm.as_network(_edges([1, 2, 3, 4]))
    assert net.graph.weights is None
    assert (
        "their weight, edge_weight= (--edge-weight)" in next(n for n in net.notes if n.code == "edge-columns").message
    )


def test_settings_of_a_fit():
    net = ffbm.as_network(_edges([1, 2, 3, 4]), edge_weight="w")
    assert reweigh(net, None, None, None) is net
    assert reweigh(net, "w", "poisson", {"a": 1, "b": 2}).graph.weights.prior == {"a": 1.0, "b": 2.0}
    plain = reweigh(net, False, None, None)
    assert plain.graph.weights is None
    assert plain.notes[-1].message == "the weights of 4 edges ignored"
    with pytest.raises(OptionError, match="read with, 'w'; got 'v'"):
        reweigh(net, "v", None, None)
    with pytest.raises(OptionError, match="read with weights"):
        reweigh(plain, "w", None, None)
