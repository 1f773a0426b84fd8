"""A fit: its attributes, verdict, predictions, effects and how it shows itself."""

import warnings
from xml.etree import ElementTree

import igraph
import networkx
import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.data import as_network
from ffbm.errors import ConvergenceWarning, DataError, OptionError
from ffbm.results import Fit, fit

QUICK = {"n_sweeps": 40, "n_warmup": 40, "n_draws": 40, "n_chains": 2, "progress": False}


def test_attributes(net, good):
    assert isinstance(good, Fit)
    assert good.network is net
    assert good.config.n_blocks == 2
    assert good.memberships.probs.shape == (80, 2)
    assert good.weights.weights.shape == (4, 1000, 2, 3)
    assert good.reduced.weights.weights.shape == (4, 1000, 2, 2)
    assert good.ranking.kept[0] == "x1"
    assert set(good.reduced.weights.names) == set(good.ranking.kept)
    assert good.scores.bits_test > 0.2


def test_the_parts_of_the_answer_are_those_of_one_explanation(good):
    assert good.explanation.features is good.network.features
    for name in ("weights", "ranking", "scores"):
        assert getattr(good, name) is getattr(good.explanation, name)
    pd.testing.assert_frame_equal(good.effects(["x1"]), good.explanation.effects(["x1"]))
    assert good.diagnostics.weights is good.explanation.diagnostics
    assert good.diagnostics.reduced is good.reduced.diagnostics
    assert bool(good.reduced.converged) is bool(good.reduced.weights.converged)


def test_the_refit_and_the_only_mode_are_explanations(good):
    assert good.reduced.features.names == good.reduced.weights.names == ("x1", "x2")
    assert good.reduced.ranking.names == good.reduced.weights.names
    assert set(good.reduced.effects()["feature"]) == {"x1", "x2"}
    assert good.explanation.mode is good.reduced.mode is None
    assert good.mode(0).mode is good.memberships.modes[0]
    assert repr(good.reduced).startswith("<Explanation by x1, x2: <Scores: features explain ")


def test_a_fit_of_parts_has_all_of_them_but_those_that_change(good):
    other = Fit.of(good, provenance={"by": "hand"})
    assert other.provenance == {"by": "hand"}
    assert all(getattr(other, name) is getattr(good, name) for name in ("network", "blocks", "reduced", "explanation"))


def test_the_verdict_covers_every_stage(good, bad):
    assert good.converged
    assert all(stage in good.converged.reason for stage in ("blocks: ", "weights: ", "weights of the kept features: "))
    assert not bad.converged
    assert not bad.diagnostics.weights.converged
    assert bad.diagnostics.weights.converged.reason in bad.converged.reason


def test_only_a_fit_that_did_not_converge_warns_and_once(net):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = fit(net, n_blocks=2, seed=1, **QUICK)
    assert [w.category for w in caught] == [ConvergenceWarning]
    message = str(caught[0].message)
    assert message.startswith(
        f"do not rely on this fit: {made.converged}; go on with ffbm.fit(..., n_sweeps=160, n_draws=160)  # about "
    )
    assert message.endswith(made.converged.command)
    assert caught[0].filename == __file__


def test_a_seed_is_drawn_and_recorded(net):
    with pytest.warns(ConvergenceWarning):
        one, two = (fit(net, n_blocks=2, **QUICK) for _ in range(2))
    assert one.config.seed != two.config.seed
    with pytest.warns(ConvergenceWarning):
        again = fit(net, n_blocks=2, seed=one.config.seed, **QUICK)
    np.testing.assert_array_equal(one.weights.weights, again.weights.weights)


def test_predictions_for_arrays_and_tables():
    table = pd.DataFrame({"side": ["l", "r"] * 20, "age": np.tile([20.0, 40.0, 60.0, 80.0], 10)})
    table.index = [f"v{i}" for i in range(40)]
    edges = [(f"v{i}", f"v{j}") for i in range(40) for j in range(i) if (i - j) % 2 == 0]
    net = ffbm.as_network(edges, table)
    with pytest.warns(ConvergenceWarning):
        made = fit(net, blocks=np.arange(40) % 2, seed=1, **QUICK)
    probs = made.predict(net.features)
    assert probs.shape == (40, 2)
    np.testing.assert_allclose(probs.sum(axis=1), 1)
    np.testing.assert_allclose(made.predict(table), probs)
    new = made.predict(pd.DataFrame({"age": [50.0], "side": ["l"]}))
    assert new[0, made.memberships.labels[0]] > 0.8


def test_what_a_prediction_leaves_out_is_logged(caplog):
    table = pd.DataFrame({"side": ["l", "r"] * 5}, index=[str(i) for i in range(10)])
    net = ffbm.as_network([(str(i), str((i + 2) % 10)) for i in range(10)], table)
    with pytest.warns(ConvergenceWarning):
        made = fit(net, blocks=np.arange(10) % 2, seed=1, **QUICK)
    made.predict(pd.DataFrame({"side": ["middle"]}))
    assert "unknown value ('middle')" in caplog.text


def test_effects_are_in_the_users_units(good):
    table = good.effects()
    assert list(table["feature"].unique()) == ["x0", "x1", "x2"]
    assert len(table) == 6
    row = table[(table["feature"] == "x1")].set_index("block")
    assert row["effect"].sum() == pytest.approx(0, abs=1e-9)
    strong = row["effect"].abs().max()
    assert 0.2 < strong < 1
    assert table[table["feature"] == "x0"]["effect"].abs().max() < strong / 2
    assert (table["low"] <= table["effect"]).all()
    assert (table["effect"] <= table["high"]).all()
    assert list(good.effects(["x1"])["feature"].unique()) == ["x1"]


def test_representations_are_short(good, bad):
    assert repr(good) == "<Fit of planted: blocks of 40, 40; first features x1, x2; converged>"
    assert "NOT converged: too short" in repr(bad)
    for noun in (good.blocks, good.memberships, good.weights, good.ranking, good.scores, good.reduced):
        assert len(repr(noun)) < 500
    assert len(repr(good.config)) < 700
    assert repr(good.diagnostics).startswith("<FitDiagnostics: converged: ")


def test_a_notebook_shows_a_figure_and_the_summary(net, good):
    page = ElementTree.fromstring(good._repr_html_())
    svg = page.find("{http://www.w3.org/2000/svg}svg")
    assert len(svg.findall("{http://www.w3.org/2000/svg}circle")) == net.n_features
    tables = {table.find("caption").text: table for table in page.findall("table")}
    assert [text.split(",")[0] for text in tables] == [
        "What each column explains of vertices held out",
        "2 blocks",
        "What features explain of the blocks",
    ]
    assert page.find("pre") is None
    columns = tables["What each column explains of vertices held out, in bits per vertex, by bits beyond"]
    assert [row.find("td").text for row in columns.findall("tbody/tr")] == good.column_table["column"].tolist()


def test_a_notebook_shows_first_what_not_to_rely_on(bad):
    page = ElementTree.fromstring(bad._repr_html_())
    assert page[0].find("strong").text.startswith("NOT CONVERGED: too short (weights). Do not rely on")


def test_other_objects_are_tables_in_a_notebook(net, good):
    for noun, cell in ((net, "x2"), (good.ranking, "x1"), (good.scores, "vertices")):
        page = ElementTree.fromstring(f"<div>{noun._repr_html_()}</div>")
        assert cell in [cell.text for cell in page.iter("td")]
    odd = as_network([("a", "b")], pd.DataFrame({"<b>&\n": ["<i>", "x"]}, index=["a", "b"]), name="<script>")
    assert "<script>" not in odd._repr_html_()
    assert "<i>" not in odd._repr_html_()


SMALL = {"n_warmup": 30, "n_draws": 30, "n_chains": 2, "folds": 1, "seed": 1, "progress": False}
EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("e", "f"), ("f", "g"), ("g", "e")]
PEOPLE = pd.DataFrame({"ID": list("abcdefg"), "team": list("xxxxyyy"), "age": [3.5, 2, None, 4, 5, 6, 7]})


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_anything_that_holds_a_network_is_fitted(tmp_path):
    graph = networkx.Graph(EDGES)
    networkx.set_node_attributes(graph, dict(zip("abcdefg", "xxxxyyy", strict=True)), "team")
    (tmp_path / "edges.csv").write_text("".join(f"{a},{b}\n" for a, b in EDGES))
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    matrix = networkx.to_scipy_sparse_array(graph)
    teams = PEOPLE.set_index("ID")[["team"]]
    labels = [0, 0, 0, 0, 1, 1, 1]
    sources = [
        (graph, {}),
        (igraph.Graph.from_networkx(graph, vertex_attr_hashable="name"), {}),
        (EDGES, {"nodes": teams}),
        (pd.DataFrame(EDGES), {"nodes": PEOPLE, "exclude": "age"}),
        (matrix, {"nodes": (PEOPLE[["team"]] == "y").to_numpy(), "node_ids": list("abcdefg")}),
        (tmp_path / "edges.csv", {"nodes": tmp_path / "people.csv", "exclude": ["age"]}),
        (str(tmp_path / "edges.csv"), {"nodes": PEOPLE, "include": ["age"]}),
    ]
    for source, options in sources:
        made = fit(source, blocks=labels, **options, **SMALL)
        assert made.network.node_ids.tolist() == list("abcdefg")
        assert made.network.n_edges == 8
        assert "team" in made.network.features.columns[0] or made.network.features.names == ("x0",)
    assert fit(graph.to_directed(), blocks=labels, directed=False, **SMALL).network.graph.is_directed is False


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_what_fit_reads_it_reads_with_weights():
    edges = pd.DataFrame(EDGES, columns=["source", "target"]).assign(hours=range(1, 9))
    graph = networkx.from_pandas_edgelist(edges, edge_attr="hours")
    labels = [0, 0, 0, 0, 1, 1, 1]
    for source in (edges, graph):
        made = fit(source, features=PEOPLE, edge_weight="hours", blocks=labels, **SMALL)
        assert made.network.graph.weights.column == "hours" == made.config.edge_weight
        assert made.network.features.columns[0] == "team"
    assert fit(graph, edge_weight=False, blocks=labels, nodes=PEOPLE, **SMALL).network.graph.weights is None


def test_what_cannot_be_fitted(net, tmp_path):
    with pytest.raises(OptionError, match="nodes= and features= both give the table"):
        fit(EDGES, nodes=PEOPLE, features=PEOPLE)
    for second in (PEOPLE, "people.csv"):
        with pytest.raises(OptionError, match=r"number of blocks; got .*: give .* by name, fit\(edges, nodes=table\)"):
            fit(EDGES, second, n_blocks=2)
    with pytest.raises(OptionError, match="are for weighted edges: name edge_weight= too"):
        fit(EDGES, edge_weight_model="poisson")
    with pytest.raises(OptionError, match="a Network is read already; leave out nodes=, exclude="):
        fit(net, nodes=PEOPLE, exclude="age")
    with pytest.raises(OptionError, match="polbooks is read as registered; leave out categorical="):
        fit("polbooks", categorical="value")
    with pytest.raises(OptionError, match="exlude= is no option of reading a graph: did you mean"):
        fit(EDGES, exlude="age")
    with pytest.raises(OptionError, match="node_ids= is no option of reading a file: "):
        fit(tmp_path / "edges.csv", node_ids=["a"])
    with pytest.raises(DataError, match="does not exist"):
        fit(tmp_path / "edges.csv")
    with pytest.raises(DataError, match="a graph must be pairs"):
        fit(3)


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_vertices_as_a_table():
    people = PEOPLE.set_index("ID").assign(block=[True, False, True, None, True, False, True])
    made = fit(EDGES, blocks=[0, 0, 0, 0, 1, 1, 1], nodes=people, **SMALL)
    table = made.to_frame()
    first = ["id", "block", "training", "degree", "membership_0", "membership_1"]
    assert list(table) == [*first, "team", "age", "block (attribute)"]
    assert table["team"].tolist() == list("xxxxyyy")
    np.testing.assert_array_equal(table["age"], PEOPLE["age"])
    assert table["block (attribute)"].isna().tolist() == [False] * 3 + [True] + [False] * 3
    assert table["block (attribute)"].dropna().astype(bool).tolist() == [True, False, True, True, False, True]
    np.testing.assert_array_equal(table[["membership_0", "membership_1"]], made.memberships.probs)
    assert made.block_table["vertices"].tolist() == [4, 3]
    assert made.block_table["edges_inside"].tolist() == [5, 3]
