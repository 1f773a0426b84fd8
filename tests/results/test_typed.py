"""Fits of networks with types of vertices: the object, its text, the command, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.cli.by_type import split_blocks
from ffbm.errors import ConvergenceWarning, OptionError

SHORT = {"n_sweeps": 200, "n_chains": 2, "n_draws": 60, "n_warmup": 60, "folds": 1, "progress": False, "seed": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A two-mode list of edges whose columns count from 1 each, and a table of both."""
    place, rng = tmp_path_factory.mktemp("visits"), np.random.default_rng(1)
    went = np.argwhere(rng.random((14, 10)) < 0.08 + 0.84 * (np.arange(14)[:, None] % 2 == np.arange(10) % 2)) + 1
    pd.DataFrame(went, columns=["person", "event"]).to_csv(place / "visits.csv", index=False)
    people = {"id": [f"person:{i + 1}" for i in range(14)], "team": ["red", "blue"] * 7}
    events = {"id": [f"event:{i + 1}" for i in range(10)], "place": ["hall", "yard"] * 5}
    pd.concat([pd.DataFrame(people), pd.DataFrame(events)]).to_csv(place / "nodes.csv", index=False)
    return place


@pytest.fixture(scope="module")
def net(folder):
    return ffbm.read_network(folder / "visits.csv", nodes=folder / "nodes.csv", bipartite=True)


@pytest.fixture(scope="module")
def fit(net):
    with pytest.warns(ConvergenceWarning):
        return ffbm.fit_types(net, "node_type", {"person": 2, "event": 2}, weight_prior="learned", **SHORT)


def test_fit_takes_node_type(folder, fit):
    options = {"bipartite": True, "nodes": folder / "nodes.csv", "weight_prior": "learned", **SHORT}
    with pytest.warns(ConvergenceWarning):
        same = ffbm.fit(folder / "visits.csv", {"person": 2, "event": 2}, node_type="node_type", **options)
    assert np.array_equal(same.blocks.labels, fit.blocks.labels)
    with pytest.raises(OptionError, match="hierarchy=True finds the number of blocks"):
        ffbm.fit(folder / "visits.csv", {"person": 2, "event": 2}, node_type="node_type", hierarchy=True, **options)
    with pytest.raises(OptionError, match="the blocks of this fit are flat and have no tree"):
        fit.tree("person")


def test_the_parts(net, fit):
    assert list(fit.explanations) == ["event", "person"]
    assert fit["person"].weights.names == ("team=blue", "team=red", "(intercept)")
    blocks = [fit.numbers(value) for value in ("event", "person")]
    assert sorted(np.concatenate(blocks).tolist()) == [0, 1, 2, 3]
    people = fit.types.of_vertex == 1
    assert fit.memberships.probs[people][:, blocks[0]].sum() == 0
    again = ffbm.explain_types(net, fit.blocks, "node_type", weight_prior="learned", **{
        name: value for name, value in SHORT.items() if name != "n_sweeps"})  # fmt: skip
    assert np.array_equal(again["event"].weights.weights, fit["event"].weights.weights)
    assert "2 of event, 2 of person" in repr(fit)


def test_the_text(fit):
    text = fit.summary()
    for part in (
        "2 types",
        "person: 14 vertices in 2 blocks of ",
        "team",
        "event: 10 vertices",
        "place",
        "bits per vertex",
        "NOT CONVERGED: too short (blocks, weights of event and weights of person). Let",
        "With --verbose, or summary(verbose=True): what speaks against convergence",
    ):
        assert part in text
    assert "it run longer: --sweeps " in text
    assert len(text.splitlines()) <= 36  # "about 35 lines"
    assert text.startswith("NOT CONVERGED")
    assert "chains: " in fit.summary(verbose=True)
    assert max(map(len, text.splitlines())) <= 100
    told = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert told["types"]["person"]["n_nodes"] == 14
    assert told["types"]["event"]["columns"][0]["column"] == "place"
    assert told["convergence"]["grade"] == fit.converged.grade


def test_the_command(folder, capsys):
    source = [str(folder / "visits.csv"), "--nodes", str(folder / "nodes.csv"), "--bipartite"]
    short = ["--sweeps", "200", "--chains", "2", "--draws", "60", "--warmup", "60", "--folds", "1", "--seed", "3"]
    code = run(["fit", *source, "--blocks", "person=2,event=2", *short, "--weight-prior", "fixed", "--quiet"])
    assert code == 0
    text = capsys.readouterr().out
    assert "person: 14 vertices in 2 blocks of " in text
    assert "team=red" in text
    code = run(
        ["fit", *source, "--node-type", "node_type", "--blocks", "person=1,event=2", *short, "--json", "--quiet"]
    )
    assert code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["types"]["person"]["scores"] is None
    assert told["node_type"] == "node_type"
    assert run(["describe", *source]) == 0
    text = capsys.readouterr().out
    assert "read as two-mode, 14 in 'person' and 10 in 'event'" in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--blocks", "3"], "--blocks takes TYPE=N,TYPE=N or auto"),
        (["--target", "joint"], "--target is not for fits with types of vertices"),
        (["--hierarchy", "--blocks", "person=2,event=2"], "--hierarchy finds the number of blocks"),
        (["--node-type", "knid"], "must name a column that varies"),
    ],
)
def test_what_the_command_refuses(folder, words, sentence, capsys):
    assert run(["fit", str(folder / "visits.csv"), "--bipartite", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_blocks_of_types_as_text():
    assert split_blocks("a=b=2, c=1") == {"a=b": 2, "c": 1}
    assert split_blocks("auto") == "auto"


def test_errors(net, fit):
    with pytest.raises(OptionError, match="did you mean 'n_sweeps'"):
        ffbm.fit_types(net, "node_type", n_sweep=3)
    with pytest.raises(OptionError, match="fit_types needs node_type"):
        ffbm.fit_types(net, None)
    with pytest.raises(OptionError, match='got "free"'):
        ffbm.fit_types(net, "node_type", "free")
    with pytest.raises(OptionError, match="there are 'event', 'person'"):
        fit["dog"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_hierarchies_have_a_tree_for_each_type(tmp_path):
    """Four blocks of people in two halves, and four of events: teams say which block, halves which half."""
    rng, people, events = np.random.default_rng(1), np.arange(64) % 4, np.arange(48) % 4
    alike = np.where(people[:, None] == events, 0.8, np.where(people[:, None] // 2 == events // 2, 0.12, 0.01))
    went = np.argwhere(rng.random((64, 48)) < alike)
    who = pd.DataFrame({"kind": "person", "half": people // 2 == 0, "team": people.astype(str)}).astype(str)
    what = pd.DataFrame({"kind": "event", "place": events.astype(str)})
    who.index, what.index = [f"p{i}" for i in who.index], [f"e{i}" for i in what.index]
    net = ffbm.as_network([(f"p{i}", f"e{j}") for i, j in went], pd.concat([who, what]))
    options = {**SHORT, "n_draws": 200, "hierarchy": True, "weight_prior": "learned"}
    found = ffbm.fit(net, node_type="kind", out=tmp_path / "run", **options)
    for value, truth in (("person", people), ("event", events)):
        tree = found.tree(value)
        assert len(tree.labels) == len(truth)
        assert sorted(block for node in tree.leaves for block in (node.block,)) == [0, 1, 2, 3]
        same = tree.labels[:, None] == tree.labels
        assert (same == (truth[:, None] == truth)).mean() > 0.95
        assert tree.root.bits > 0
    person = found.tree("person")
    assert {name for node in person.splits for name, _ in node.columns} <= {"team", "half"}
    assert person.split(0).scores.bits_test == pytest.approx(person.root.bits)
    assert "blocks at " in found.summary()
    assert "bits per vertex of the type" in " ".join(found.summary(verbose=True).split())
    assert found.to_dict()["types"]["event"]["tree"]["nodes"][0]["n_vertices"] == 48
    again = ffbm.load_fit(tmp_path / "run")
    assert {value: str(tree) for value, tree in again.trees.items()} == {
        value: str(tree) for value, tree in found.trees.items()
    }
    assert again.tree("event").lines() == found.tree("event").lines()
    assert "The tree of blocks" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "tree" not in found.plot["person"].left_out()
