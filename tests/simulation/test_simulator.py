"""The public face: what is taken, drawn, refused and written."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.cli import run
from ffbm.errors import DataError, OptionError
from ffbm.simulation import simulate


def test_a_network_with_its_truth():
    made = simulate(n_nodes=300, n_blocks=4, n_edges=900, features=5, sigma=2.0, seed=1)
    assert (made.network.n_nodes, made.network.n_edges, made.network.n_features) == (300, 900, 5)
    assert made.labels.shape == (300,)
    assert made.weights.shape == (4, 5)
    assert made.sizes.tolist() == np.bincount(made.labels, minlength=4).tolist()
    assert made.edge_counts.sum() == 1800
    assert made.edge_counts.sum(axis=1).tolist() == [
        made.network.graph.degrees[made.labels == r].sum() for r in range(4)
    ]
    assert np.trace(made.edge_counts) > 0.5 * made.edge_counts.sum()  # denser inside
    assert "planted" in repr(made)


@pytest.mark.parametrize("exact", [False, True])
def test_the_seed_decides(exact):
    one, again, other = (simulate(n_nodes=40, exact=exact, seed=seed) for seed in (7, 7, 8))
    assert one.network.fingerprint == again.network.fingerprint != other.network.fingerprint
    assert np.array_equal(one.weights, again.weights)
    unseeded = simulate(n_nodes=40, exact=exact)
    assert simulate(n_nodes=40, exact=exact, seed=unseeded.settings["seed"]).network.fingerprint == (
        unseeded.network.fingerprint
    )


def test_defaults():
    made = simulate(seed=1)
    assert (made.network.n_nodes, made.n_blocks, made.network.n_edges, made.network.n_features) == (200, 3, 1000, 3)
    assert simulate(3, seed=1).network.n_edges == 3  # no more than a simple graph has room for


def test_sizes_follow_from_what_is_given():
    assert simulate(features=np.eye(12), seed=1).network.n_nodes == 12
    assert simulate(weights=np.zeros((5, 2)), seed=1).weights.shape == (5, 2)
    assert simulate(weights=np.zeros((5, 2)), seed=1).network.n_features == 2
    assert simulate(block_matrix=np.eye(4), seed=1).n_blocks == 4
    made = simulate(labels=[0, 1, 1, 3], seed=1)
    assert (made.n_blocks, made.network.n_nodes, made.weights) == (4, 4, None)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_features_are_taken_as_they_are(form):
    x = np.array([[0.0, 2.5], [1.0, -1.0], [0.0, 0.0]])
    values = simulate(features=form(x), n_edges=2, exact=True, seed=1).network.features.values
    assert np.array_equal(values.toarray() if sp.issparse(values) else values, x)
    given = ffbm.load_dataset("polbooks").features
    assert simulate(features=given, seed=1).network.features is given


def test_chosen_effects_decide_the_blocks():
    made = simulate(n_nodes=400, weights=[[20.0, 0], [-20.0, 0]], seed=2)
    x = made.network.features.values[:, 0]
    assert (made.labels[x == 1] == 0).all()
    assert 0.3 < made.labels[x == 0].mean() < 0.7


def test_no_features_and_no_edges():
    made = simulate(n_nodes=5, features=0, n_edges=0, exact=True, seed=1)
    assert (made.network.n_features, made.network.n_edges) == (0, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_nodes": 0}, "n_nodes must be a whole number, at least 1; got 0"),
        ({"n_blocks": 0}, "n_blocks must be"),
        ({"features": -1}, "features must be"),
        ({"n_edges": -1}, "n_edges must be"),
        ({"n_nodes": 5, "n_edges": 11}, "n_edges must be at most 10, .* got 11: ask for fewer, or exact=True"),
        ({"sigma": 0}, "sigma must be"),
        ({"exact": True, "contrast": 3}, "contrast= is for planted graphs"),
        ({"exact": True, "block_matrix": np.eye(3)}, "block_matrix= is for planted graphs"),
        ({"exact": True, "degree_exponent": 3}, "degree_exponent= is for planted graphs"),
        ({"contrast": 3, "block_matrix": np.eye(3)}, "give one of them"),
        ({"degree_exponent": 2}, "degree_exponent must be a number, above 2"),
        ({"contrast": -1}, "contrast must be"),
        ({"weights": np.zeros((2, 3)), "labels": [0, 1]}, "give one of them"),
        (
            {"weights": np.zeros((2, 3)), "n_blocks": 3},
            "n_blocks= and weights= must agree on the number of blocks; got 3",
        ),
        ({"weights": np.zeros((2, 3)), "features": 4}, r"weights must have the shape \(2, 4\)"),
        ({"block_matrix": [[1, 2], [3, 1]]}, "square and symmetric .* differs from its transpose"),
        ({"block_matrix": [[1, 2]]}, "square and symmetric .* 1 rows of 2"),
        ({"block_matrix": [[1, -2], [-2, 1]]}, "got 2 negative"),
        ({"block_matrix": np.zeros((2, 2))}, "no edge could be drawn"),
        ({"labels": [0, 1, 5], "n_blocks": 3}, "labels must lie in 0..n_blocks-1; got 5"),
        ({"features": np.eye(4), "n_nodes": 3}, "n_nodes= and features= must agree on the number of vertices"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_options_that_do_not_fit(options, words):
    with pytest.raises(OptionError, match=words):
        simulate(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": "x"}, "features must be"),
        ({"features": [[np.nan]]}, "finite"),
        ({"weights": [[1, 2], [3]]}, "weights must be a table of numbers"),
        ({"weights": [1, 2]}, "one row for each block"),
        ({"block_matrix": [[np.inf]]}, "finite numbers"),
        ({"labels": [0, -1]}, "whole numbers from 0"),
        ({"labels": [0.5, 1]}, "whole numbers from 0"),
        ({"labels": [0, 1], "features": np.eye(3)}, "one entry per vertex"),
    ],
)
def test_data_that_do_not_fit(options, words):
    with pytest.raises(DataError, match=words):
        simulate(**options)


NUMBERS = ffbm.as_network([(i, i + 1) for i in range(11)], np.arange(24.0).reshape(12, 2) ** 2).features


@pytest.mark.parametrize(
    "options",
    [
        {"n_nodes": 50, "features": 4},
        {"n_nodes": 8, "n_blocks": 4, "n_edges": 30, "exact": True},
        {"n_nodes": 30, "n_edges": 0},
        {"features": NUMBERS, "exact": True, "n_edges": 40},
        {"features": ffbm.load_dataset("polbooks").features, "n_edges": 441, "exact": True},
    ],
)
def test_files_read_back_as_the_network(options, tmp_path):
    made = simulate(**options, seed=3)
    made.save(tmp_path / "run")
    net = ffbm.read_network(tmp_path / "run/edges.csv", nodes=tmp_path / "run/nodes.csv")
    assert net.fingerprint == made.network.fingerprint
    assert np.array_equal(net.graph.indices, made.network.graph.indices)
    truth = json.loads((tmp_path / "run/truth.json").read_text())
    assert [truth["labels"][name] for name in net.node_ids] == made.labels.tolist()
    assert np.array_equal(truth["weights"], made.weights)
    assert truth["edge_counts"] == made.edge_counts.tolist()
    assert truth["features"] == list(net.features.names)


def test_a_folder_that_is_not_empty_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OptionError, match="new or an empty folder"):
        simulate(n_nodes=5, seed=1).save(tmp_path)


def test_command_line(tmp_path, capsys):
    folder = tmp_path / "made"
    assert run(["simulate", "--out", str(folder), "--vertices", "40", "--blocks", "2", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("40 vertices, 200 edges, 3 features\nblocks of ")
    assert "seed 3" in said
    assert {path.name for path in folder.iterdir()} == {"edges.csv", "nodes.csv", "truth.json"}
    twin = simulate(40, 2, seed=3)
    net = ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    assert net.fingerprint == twin.network.fingerprint


def test_command_line_with_files_and_a_network_to_take_after(tmp_path, capsys):
    (tmp_path / "w.csv").write_text("2,0,0\n-2,0,1\n")
    (tmp_path / "m.csv").write_text("5,1\n1,5\n")
    weights, matrix = (["--weights", str(tmp_path / "w.csv")], ["--block-matrix", str(tmp_path / "m.csv")])
    arguments = ["simulate", "--like", "polbooks", *weights, "--seed", "1", "--json"]
    assert run([*arguments, *matrix, "--out", str(tmp_path / "a")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["n_nodes"], told["n_edges"], told["n_blocks"]) == (105, 441, 2)
    assert told["weights"] == [[2, 0, 0], [-2, 0, 1]]
    assert told["block_matrix"] == [[5, 1], [1, 5]]
    assert run([*arguments, "--exact", "--out", str(tmp_path / "b")]) == 0
    assert json.loads(capsys.readouterr().out)["exact"] is True


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--like", "polbooks", "--vertices", "5"], "--like brings its own"),
        (["--nodes", "x.csv"], "give --like as well"),
        (["--weights", "bad.csv"], "--weights must be CSV of numbers"),
        (["--weights", "none.csv"], "--weights: none.csv does not exist: check the name and the folder"),
        (["--weights", "empty.csv"], "--weights must be CSV of numbers"),
        (["--like", "nowhere"], "--like must be a file or a registered data set"),
        (["--like", "polboks"], "did you mean 'polbooks'?"),
        (["--vertices", "0"], "ffbm: --vertices must be a whole number, at least 1; got 0\n"),
        (["--seed", "-1"], "ffbm: --seed must be a whole number, 0 or more; got -1\n"),
        (["--weights", "good.csv", "--blocks", "5"], "--blocks and --weights must agree on the number of blocks"),
        (["--block-matrix", "good.csv", "--contrast", "3"], "--contrast and --block-matrix both say how dense"),
        (["--edges", "99999999"], "ffbm: --edges must be at most 19,900"),
        (["--exact", "--contrast", "2"], "--contrast is for planted graphs; got it with --exact: leave one"),
    ],
)
def test_command_line_refuses(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("a,b\n1\n")
    (tmp_path / "good.csv").write_text("2,1\n1,2\n")
    (tmp_path / "empty.csv").touch()
    assert run(["simulate", "--out", "made", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_fit_finds_what_was_planted():
    made = simulate(160, n_edges=1500, weights=[[4.0, 0, 0], [-4.0, 0, 0]], contrast=12, seed=5)
    fit = ffbm.fit(made.network, n_blocks=2, n_sweeps=100, n_warmup=100, n_draws=200, seed=1, progress=False)
    share = (fit.memberships.labels == made.labels).mean()
    assert max(share, 1 - share) > 0.95
    assert fit.ranking.order[0] == 0
