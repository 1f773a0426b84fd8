"""Fits with types of vertices as runs, reports, tables and figures; and with weights of edges."""

import csv
import json
import tomllib

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.permutation import Among, quick_p_values
from ffbm.results.typed import TypedFit
from ffbm.results.types_plots import OF_TYPE

from ..report.test_page import outline
from ..store.test_tree import assert_same
from .test_run_writer import FILES, strictly

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
SHORT = {"n_sweeps": 100, "n_chains": 2, "n_draws": 40, "n_warmup": 40, "folds": 2, "progress": False, "seed": 3}
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def net():
    """People and events in two groups each; teams tell those of people, nothing those of events; one type is alone."""
    pairs = [(f"p{i}", f"e{j}") for i in range(24) for j in range(16) if (i < 12) == (j < 8) and (i + j) % 4]
    pairs += [(f"p{i}", "dog") for i in range(24)]
    people = pd.DataFrame(
        {"kind": EVIL, "team": ["red"] * 11 + ["blue"] * 13, "age": np.arange(24.0)}, index=[f"p{i}" for i in range(24)]
    )
    events = pd.DataFrame({"kind": "event", "hall": [*"xyxyyxyx"] * 2}, index=[f"e{j}" for j in range(16)])
    return ffbm.as_network(pairs, pd.concat([people, events, pd.DataFrame({"kind": "pet"}, index=["dog"])]))


@pytest.fixture(scope="module")
def fit(net, tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed") / "run"
    blocks = {EVIL: 2, "event": 2, "pet": 1}
    return ffbm.fit_types(net, "kind", blocks, weight_prior="learned", out=folder, **SHORT), folder


def test_a_run_holds_the_files_of_any_run(fit):
    assert sorted(path.name for path in fit[1].iterdir()) == FILES
    told = strictly(fit[1] / "summary.json")
    assert told["types"][EVIL]["block_names"] == [f"{EVIL} 0", f"{EVIL} 1"]
    columns = {row["column"]: row for row in told["types"][EVIL]["columns"]}
    assert columns["team"]["bits_alone"] > 0.3 > columns["team"]["p_value"]


def test_it_comes_back_equal(fit, tmp_path):
    made, folder = fit
    again = ffbm.load_fit(folder)
    assert isinstance(again, TypedFit)
    assert_same(made.memberships, again.memberships)
    assert_same(made.blocks, again.blocks)
    assert_same(list(made.explanations.values()), list(again.explanations.values()))
    assert (again.types.values, again.types.column) == (made.types.values, made.types.column)
    assert again.config == made.config
    again.save(tmp_path / "copy")
    for name in set(FILES) - {"traces.nc"}:
        assert (tmp_path / "copy" / name).read_bytes() == (folder / name).read_bytes(), name


def test_tables(fit):
    made, folder = fit
    table = made.column_table
    assert set(zip(table["type"], table["column"], strict=True)) == {(EVIL, "team"), (EVIL, "age"), ("event", "hall")}
    assert np.isfinite(table["bits_alone"]).all()
    blocks = made.block_table
    assert blocks["vertices"].sum() == 41
    assert blocks.loc[blocks["type"] == "pet", "block"].tolist() == ["pet 0"]
    with (folder / "nodes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    own = {row["id"]: row for row in rows}
    assert own["dog"]["block"] == "pet 0"
    assert own["p0"]["type"] == EVIL
    assert float(own["p0"]["membership"]) == float(own["p0"][f"membership_{own['p0']['block']}"])
    assert made.to_frame().loc[0, "team"] == "red"
    graph = nx.read_graphml(folder / "network.graphml")
    assert graph.nodes["dog"]["block"] == "pet 0"
    assert graph.nodes["p0"]["team"] == "red"


def test_the_report_has_a_section_for_each_type(fit):
    found = outline((fit[1] / "report.html").read_text(encoding="utf-8"))
    own = ["blocks", "columns", "weights", "ranking", "effects", "scores", "contrary"]
    first, second = ([f"{name}-{t}" for name in own] for t in (0, 1))
    types = ["type-0", *first, "type-1", *second]  # the third has one block: what there is to say is in the answer
    assert found.sections == ["answer", *types, "network", "matrix", "chains", "origin"]
    text = " ".join(found.text)
    assert EVIL in text
    assert "Nothing to explain: there is one block; the permutation test" in text
    assert found.asked == []


@pytest.mark.slow
def test_the_report_can_be_written_again(fit, tmp_path, capsys):
    assert run(["report", str(fit[1]), "--out", str(tmp_path / "a.html"), "--figures", str(tmp_path / "figures")]) == 0
    assert (tmp_path / "a.html").read_bytes() == (fit[1] / "report.html").read_bytes()
    names = {path.name for path in (tmp_path / "figures").glob("*.png")}
    assert {"network.png", "block_graph.png", "block_matrix.png", "0-_script_alert_1_script_-columns.png"} <= names
    assert len(names) == 4 + 2 * len(OF_TYPE)
    for command in ("check", "links"):
        assert run([command, str(fit[1])]) == 2
        assert f"ffbm {command} is for runs without types of vertices" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(OptionError, match="got 'pet': there are"):
        fit[0].plot["pet"]
    with pytest.raises(OptionError, match=r"ends in \.html"):
        fit[0].report(tmp_path / "a.txt")


def test_the_settings_file_makes_the_run_again(net, fit):
    told = tomllib.loads((fit[1] / "config.toml").read_text())
    assert (told["node_type"], told["n_blocks"]) == ("kind", {EVIL: 2, "event": 2, "pet": 1})
    again = ffbm.fit(net, **{name: value for name, value in told.items() if name in SHORT or name in (
        "node_type", "n_blocks", "weight_prior")}, progress=False)  # fmt: skip
    assert np.array_equal(again[EVIL].weights.weights, fit[0][EVIL].weights.weights)


def test_the_command_saves_and_repeats(tmp_path, capsys):
    (tmp_path / "visits.csv").write_text("".join(
        ["person,event\n", *(f"{i},{j}\n" for i in range(12) for j in range(8) if (i < 6) == (j < 4))]))  # fmt: skip
    rows = [f"person:{i},{'red' if i < 6 else 'blue'}\n" for i in range(12)] + [f"event:{j},\n" for j in range(8)]
    (tmp_path / "nodes.csv").write_text("".join(["id,team\n", *rows]))
    source = [str(tmp_path / "visits.csv"), "--nodes", str(tmp_path / "nodes.csv"), "--bipartite"]
    short = ["--sweeps", "100", "--chains", "2", "--draws", "40", "--warmup", "40", "--folds", "1", "--quiet"]
    first = ["fit", *source, "--blocks", "person=2,event=2", *short, "--seed", "3", "--out", str(tmp_path / "run")]
    assert run(first) == 0
    assert "open " in capsys.readouterr().out
    again = ["fit", "--config", str(tmp_path / "run" / "config.toml"), "--quiet", "--json"]
    assert run(again) == 0
    told = json.loads(capsys.readouterr().out)
    kept = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert told["types"] == kept["types"]
    assert run([*first, "--resume"]) == 2
    assert "--resume is not for fits with types" in capsys.readouterr().err
    assert run(first) == 2  # the folder is full
    capsys.readouterr()


def test_p_values_permute_among_the_vertices_of_a_type():
    """Teams follow who visits what, seats are dealt by chance; that people and events differ is not what is tested."""
    pairs = [(f"p{i}", f"e{j}") for i in range(20) for j in range(20) if (i % 2 == j % 2) and (i + j) % 3]
    rng, people = np.random.default_rng(1), [f"p{i}" for i in range(20)]
    events = {f"e{j}": "none" for j in range(20)}
    teams = {name: "ab"[k % 2] for k, name in enumerate(people)} | events
    seats = dict(zip(people, rng.permutation([*"ab"] * 10), strict=True)) | events
    net = ffbm.as_network(pairs, pd.DataFrame({"team": teams, "seat": seats}))
    own = np.array([name in people for name in net.node_ids])
    groups = np.array([int(name[1:]) % 2 for name in net.node_ids])
    quiet, columns = RunContext(1), [["team"], ["seat"]]
    whole, _ = quick_p_values(net, columns, 1, quiet)
    assert (whole[:, 0] < 0.01).all()  # people and events have different values
    inside, _ = quick_p_values(net, columns, 1, quiet, Among(np.flatnonzero(own), groups))
    assert inside[0, 0] < 0.01
    assert inside[1, 0] > 0.05
    lumped, _ = quick_p_values(net, columns, 1, quiet, Among(np.flatnonzero(own), np.zeros(40, dtype=int)))
    assert lumped[0, 0] == 1.0  # with all events in one group there is no telling who goes where


@pytest.mark.slow
def test_types_and_weights_of_edges_together():
    """Weights tell two groups that edges do not; S of each draw is that of the description length with both."""
    rng = np.random.default_rng(1)
    pairs = pd.DataFrame([(f"p{i}", f"e{j}") for i in range(10) for j in range(8)], columns=["source", "target"])
    same = [(int(a[1:]) < 5) == (int(b[1:]) < 4) for a, b in zip(pairs["source"], pairs["target"], strict=True)]
    pairs["hours"] = rng.poisson(np.where(same, 20, 2))
    kinds = {f"p{i}": "person" for i in range(10)} | {f"e{j}": "event" for j in range(8)}
    teams = {f"p{i}": "red" if i < 5 else "blue" for i in range(10)}
    net = ffbm.as_network(pairs, pd.DataFrame({"kind": kinds, "team": teams}), edge_weight="hours")
    made = ffbm.fit_types(net, "kind", {"person": 2, "event": 2}, **SHORT)
    labels = made.memberships.labels
    team = np.array([teams.get(name, "") for name in net.node_ids])
    assert len(set(labels[team == "red"])) == len(set(labels[team == "blue"])) == 1
    for c, t in ((0, 0), (1, -1)):
        wanted = ffbm.description_length(net, made.blocks.labels[c, t], node_type="kind")
        assert made.blocks.entropy[c, t] == pytest.approx(wanted.without_partition, rel=1e-9)
    assert "edges weighted by" in made.summary()
    plain = ffbm.fit_types(net, "kind", {"person": 2, "event": 2}, edge_weight=False, **SHORT)
    assert plain.network.graph.weights is None


def test_errors(net, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("")
    with pytest.raises(OptionError, match="new or an empty folder"):
        ffbm.fit_types(net, "kind", out=tmp_path / "full")
    with pytest.raises(OptionError, match="n_blocks of 'event' must be a whole number"):
        ffbm.fit_types(net, "kind", {EVIL: 2, "event": 0, "pet": 1})
    with pytest.raises(DataError, match="no whole run"):
        ffbm.load_fit(tmp_path / "full")
