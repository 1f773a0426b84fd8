"""Runs on disk: what is in them, that they come back equal, and hints for what is no run."""

import csv
import json
import tomllib

import networkx as nx
import numpy as np
import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.results import fit, load_fit, run_writer
from ffbm.results.run_writer import save_fit

from ..store.test_tree import assert_same

FILES = [
    "blocks.csv",
    "columns.csv",
    "config.toml",
    "network.graphml",
    "nodes.csv",
    "provenance.json",
    "ranking.csv",
    "report.html",
    "summary.json",
    "summary.txt",
    "traces.nc",
]


@pytest.fixture(scope="module")
def run(good, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "good"
    good.save(folder)
    return folder


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def strictly(path):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(path.read_text(), parse_constant=refuse)


def test_a_run_holds_these_files_and_no_others(run):
    assert sorted(path.name for path in run.iterdir()) == FILES


def test_a_fit_comes_back_equal(good, run):
    again = load_fit(run)
    assert_same(good, again)
    assert again.summary() == good.summary()
    assert str(again.converged) == str(good.converged)


def test_a_run_can_be_saved_again(good, run, tmp_path):
    load_fit(run).save(tmp_path / "copy")
    for name in FILES:
        if name != "traces.nc":
            assert (tmp_path / "copy" / name).read_bytes() == (run / name).read_bytes()


def test_settings_and_provenance(good, run):
    assert tomllib.loads((run / "config.toml").read_text())["n_kept"] == 2
    told = strictly(run / "provenance.json")
    assert told["seed"] == 1
    assert told["network"]["fingerprint"] == good.network.fingerprint
    assert told["ffbm"] == ffbm.__version__
    assert {"schema", "command", "date", "python", "packages"} <= told.keys()


def test_the_settings_of_a_run_make_it_again(good, run):
    options = tomllib.loads((run / "config.toml").read_text())
    again = fit(good.network, **options, progress=False)
    np.testing.assert_array_equal(again.weights.weights, good.weights.weights)


def test_tables(good, run):
    nodes = rows_of(run / "nodes.csv")
    assert [row["id"] for row in nodes] == good.network.node_ids.tolist()
    assert [int(row["block"]) for row in nodes] == good.memberships.labels.tolist()
    shares = [[float(row["membership_0"]), float(row["membership_1"])] for row in nodes]
    np.testing.assert_array_equal(shares, good.memberships.probs)
    assert [i for i, row in enumerate(nodes) if row["training"] == "True"] == good.train.tolist()
    assert [int(row["degree"]) for row in nodes] == good.network.graph.degrees.tolist()
    assert [int(row["vertices"]) for row in rows_of(run / "blocks.csv")] == good.memberships.sizes.tolist()
    ranking = rows_of(run / "ranking.csv")
    assert [row["feature"] for row in ranking] == [good.ranking.names[j] for j in good.ranking.order]


def test_nodes_are_written_some_at_a_time(good, run, tmp_path, monkeypatch):
    assert (run / "nodes.csv").read_text() == run_writer.to_csv(run_writer.table_of_nodes(good))
    monkeypatch.setattr(run_writer, "_ROWS", 7)
    run_writer.write_nodes(good, tmp_path / "nodes.csv")
    assert (tmp_path / "nodes.csv").read_bytes() == (run / "nodes.csv").read_bytes()


def test_a_very_large_network_is_not_written_for_programs_that_draw(good, monkeypatch, caplog):
    monkeypatch.setattr(run_writer, "_MOST_EDGES", good.network.n_edges - 1)
    with caplog.at_level("INFO", "ffbm"):
        assert run_writer.graphml_of(good.network, good.memberships) == {}
    assert "network.graphml is left out" in caplog.text
    monkeypatch.setattr(run_writer, "_MOST_EDGES", good.network.n_edges)
    assert list(run_writer.graphml_of(good.network, good.memberships)) == ["network.graphml"]


def test_the_summary_as_text_and_as_json(good, run):
    assert (run / "summary.txt").read_text(encoding="utf-8") == good.summary(verbose=True) + "\n"
    told = strictly(run / "summary.json")
    assert told["converged"] is True
    assert told["convergence"] == {"grade": "converged", "reason": told["reason"], "command": ""}
    assert told["scores"]["loss_test"] == good.scores.loss_test
    assert told["reduced"]["scores"]["loss_test"] == good.reduced.scores.loss_test
    assert told["ranking"][0]["feature"] == good.ranking.kept[0]


def test_graphml_has_the_blocks(good, run):
    graph = nx.read_graphml(run / "network.graphml")
    assert graph.number_of_edges() == good.network.n_edges
    for name, block in zip(good.network.node_ids, good.memberships.labels, strict=True):
        assert graph.nodes[name]["block"] == block


def test_graphml_has_the_attributes_and_is_read_again(good, run):
    blocks = ["block", "membership", "membership_0", "membership_1"]
    again = ffbm.read_network(run / "network.graphml", exclude=blocks)
    assert again.fingerprint == good.network.fingerprint
    text = (run / "network.graphml").read_text()
    assert text.count("<default>false</default>") == 2  # of two flags, so that only those set are written


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_odd_names_are_saved(tmp_path):
    ids = ["a\x01b", "\x1b[31m", "é,\"'\n", "<&>", "007", "NA"]
    net = ffbm.as_network([(i, (i + 1) % 6) for i in range(6)], [[1.0], [0.0]] * 3, node_ids=ids, name="odd \x02")
    made = fit(net, blocks=[0, 1] * 3, n_warmup=20, n_draws=20, n_chains=2, seed=1, out=tmp_path / "run")
    assert_same(made, load_fit(tmp_path / "run"))
    assert [row["id"] for row in rows_of(tmp_path / "run" / "nodes.csv")] == net.node_ids.tolist()
    assert "a\\x01b" in nx.read_graphml(tmp_path / "run" / "network.graphml")


def test_out_is_checked_before_the_work(net, tmp_path):
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(OptionError, match="out must be a new or an empty folder"):
        fit(net, n_blocks=2, n_sweeps=10**9, out=tmp_path, progress=False)


def test_a_fit_that_fails_leaves_no_folder(net, tmp_path):
    with pytest.raises(OptionError, match="no draw is kept"):
        fit(net, n_sweeps=2, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(OptionError, match="no draw is kept"):
        fit(net, n_sweeps=2, out=tmp_path / "empty", progress=False)
    assert (tmp_path / "empty").is_dir()


def test_hints(run, tmp_path):
    with pytest.raises(DataError, match=r"use load_dataset\('polbooks'\)"):
        load_fit("polbooks")
    with pytest.raises(DataError, match="is a saved run: use load_fit"):
        ffbm.load_dataset(str(run))
    with pytest.raises(DataError, match="there is no"):
        load_fit(tmp_path / "nowhere")


def test_damage_is_told(good, tmp_path):
    good.save(tmp_path / "run")
    (tmp_path / "run" / "traces.nc").write_bytes((tmp_path / "run" / "traces.nc").read_bytes()[:1000])
    with pytest.raises(DataError, match=r"it is damaged: copy it again, or make the run again$"):
        load_fit(tmp_path / "run")
    with (tmp_path / "run" / "config.toml").open("a") as file:
        file.write('[reading]\nsource = "edges.csv"\n')
    with pytest.raises(
        DataError, match=r"or make the run again with ffbm fit --config .*run/config.toml --out .*run-again$"
    ):
        load_fit(tmp_path / "run")


def test_a_newer_run_is_refused(good, tmp_path):
    good.save(tmp_path / "run")
    path = tmp_path / "run" / "provenance.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": 99}))
    with pytest.raises(DataError, match="in schema 99, and this ffbm reads up to schema 1: update ffbm"):
        load_fit(tmp_path / "run")


def test_saving_tells_how_far_it_is(good, tmp_path):
    heard = []
    save_fit(good, tmp_path / "told", heard.append)
    files = [event for event in heard if event.stage == "report and files"]
    assert [event.done for event in files] == list(range(files[0].total + 1))
    assert {"summary.json", "report.html", "writing"} <= {event.note for event in files}
    assert [event.done for event in heard if event.stage == "replicates"] == list(range(1, 201))
    for stage in ("comparison of chains", "pairs of columns"):  # one long step each
        assert [event.done for event in heard if event.stage == stage] == [0, 1]
