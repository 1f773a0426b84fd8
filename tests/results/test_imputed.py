"""Fits that sample missing cells: tables, predictions, notes, runs that are saved and go on, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.config import FitConfig
from ffbm.errors import DataError, OptionError
from ffbm.scoring import predict
from ffbm.scoring.rows import match_design

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
SHORT = {"n_draws": 60, "n_warmup": 30, "n_chains": 2, "seed": 3, "columns": 0, "folds": 1, "progress": False}
LABELS = np.repeat([0, 1], 20)


def network(share=0.25, seed=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "team": np.where((rng.random(40) < 0.85) == (LABELS == 0), "red", "blue"),
            "age": rng.normal(30 + 8 * LABELS, 4).round(1),
            "member": pd.array(rng.random(40) < 0.5, dtype="boolean"),
        },
        index=[f"v{i}" for i in range(40)],
    )
    gone = rng.random(table.shape) < share
    edges = [
        (f"v{i}", f"v{j}") for i in range(40) for j in range(i) if rng.random() < (0.5 if i // 20 == j // 20 else 0.05)
    ]
    return ffbm.as_network(edges, table.mask(gone), unknown="keep"), gone


@pytest.fixture(scope="module")
def net():
    return network()[0]


@pytest.fixture(scope="module")
def fit(net, tmp_path_factory):
    return ffbm.fit(net, blocks=LABELS, impute=True, out=tmp_path_factory.mktemp("runs") / "run", **SHORT)


def test_the_table_has_a_law_for_each_missing_cell(fit, net):
    table = fit.imputed
    assert table.columns.tolist() == ["vertex", "column", "value", "probability", "mean", "sd"]
    missing = {
        (str(net.node_ids[i]), net.features.column_names[g]) for i, g in np.argwhere(net.features.missing.toarray())
    }
    assert {(row.vertex, row.column) for row in table.itertuples()} == missing
    by_cell = table.dropna(subset="probability").groupby(["vertex", "column"])["probability"].sum()
    np.testing.assert_allclose(by_cell, 1)
    teams = table[table["column"] == "team"]
    assert set(teams["value"]) == {"red", "blue"}
    assert set(table[table["column"] == "member"]["value"]) == {True, False}
    ages = table[table["column"] == "age"]
    assert ages["mean"].between(15, 55).all()
    assert (ages["sd"] > 0).all()
    block = dict(zip(map(str, net.node_ids), LABELS, strict=True))
    red = teams[teams["value"] == "red"]
    by_block = [red[red["vertex"].map(block) == r]["probability"].mean() for r in (0, 1)]
    assert by_block[0] > 0.6 > 0.4 > by_block[1]  # what the block tells of the cell


def test_notes_and_summary(fit):
    codes = {note.code: note for note in fit.weights.notes}
    assert codes["imputed"].count == fit.network.features.missing.nnz
    assert "missing at random" in fit.summary(verbose=True)


def test_a_run_keeps_the_law(fit, tmp_path):
    fit.save(tmp_path / "again")
    again = ffbm.load_fit(tmp_path / "again")
    pd.testing.assert_frame_equal(again.imputed, fit.imputed)
    np.testing.assert_array_equal(
        predict(again.weights, again.network.features), predict(fit.weights, fit.network.features)
    )
    written = pd.read_csv(tmp_path / "again" / "imputed.csv")
    assert len(written) == len(fit.imputed)
    record = json.loads((tmp_path / "again" / "summary.json").read_text())
    assert len(record["imputed"]) == len(fit.imputed)
    assert "impute = true" in (tmp_path / "again" / "config.toml").read_text()


def test_predictions_integrate_over_missing_cells(fit):
    design = match_design(fit.weights, fit.network.features)
    np.testing.assert_allclose(design.shares.sum(axis=1), 1)
    assert design.counts.sum() == pytest.approx(40)
    probs = predict(fit.weights, fit.network.features)
    np.testing.assert_allclose(probs.sum(axis=1), 1)
    known = fit.predict([{"team": "red", "age": 30.0, "member": True}, {"team": "blue", "age": 30.0, "member": True}])
    [unknown] = fit.predict([{"team": None, "age": 30.0, "member": True}])
    assert min(known[:, 0]) < unknown[0] < max(known[:, 0])
    share = (unknown[0] - known[1, 0]) / (known[0, 0] - known[1, 0])
    assert 0.1 < share < 0.9  # between the two values, by how likely each is


def test_a_longer_run_is_the_one_that_was_long_from_the_start(net, tmp_path):
    options = SHORT | {"weight_prior": "fixed", "blocks": LABELS, "impute": True}
    ffbm.fit(net, out=tmp_path / "run", **options | {"n_draws": 30})
    longer = ffbm.fit(net, out=tmp_path / "run", resume=True, **options)
    whole = ffbm.fit(net, **options)
    np.testing.assert_array_equal(longer.weights.weights, whole.weights.weights)
    np.testing.assert_array_equal(longer.weights.imputed.law, whole.weights.imputed.law)
    pd.testing.assert_frame_equal(longer.imputed, whole.imputed)


@pytest.mark.parametrize("memberships", ["averaged", "drawn"])
def test_drawn_partitions_and_the_number_of_workers(net, memberships):
    options = SHORT | {"n_blocks": 2, "n_sweeps": 30, "thin": 4, "n_draws": 20, "memberships": memberships}
    one, two = (ffbm.fit(net, impute="independent", workers=workers, **options) for workers in (1, 2))
    np.testing.assert_array_equal(one.weights.weights, two.weights.weights)
    pd.testing.assert_frame_equal(one.imputed, two.imputed)
    np.testing.assert_array_equal(one.weights.inclusion, two.weights.inclusion)
    assert one.weights.imputed.law.shape[1] == 1  # columns independent a priori
    np.testing.assert_array_equal(one.scores.bits_test, two.scores.bits_test)


@pytest.mark.parametrize(("prior", "tempering"), [("fixed", False), ("fixed", [1.0, 0.8]), ("learned", False)])
def test_the_joint_target_samples_cells_too(net, prior, tempering, tmp_path):
    options = SHORT | {"n_blocks": 2, "n_sweeps": 120, "thin": 4, "n_draws": 20, "weight_prior": prior}
    options |= {"target": "joint", "impute": True, "tempering": tempering}
    one = ffbm.fit(net, workers=1, out=tmp_path / "run", **options)
    two = ffbm.fit(net, workers=2, **options)
    np.testing.assert_array_equal(one.blocks.labels, two.blocks.labels)
    pd.testing.assert_frame_equal(one.imputed, two.imputed)
    assert {note.code for note in one.weights.notes} >= {"imputed"}
    known = net.features.missing.nnz
    by_cell = one.imputed.groupby(["vertex", "column"]).size()
    assert len(by_cell) == known
    np.testing.assert_allclose(
        one.imputed.dropna(subset="probability").groupby(["vertex", "column"])["probability"].sum(), 1
    )
    pd.testing.assert_frame_equal(ffbm.load_fit(tmp_path / "run").imputed, one.imputed)
    red = one.imputed[(one.imputed["column"] == "team") & (one.imputed["value"] == "red")]
    together = dict(zip(map(str, net.node_ids), LABELS, strict=True))
    by_block = [red[red["vertex"].map(together) == r]["probability"].mean() for r in (0, 1)]
    assert by_block[0] > by_block[1]  # what the block tells of the cell


def test_a_joint_run_goes_on_with_its_cells(net, tmp_path):
    options = SHORT | {"n_blocks": 2, "thin": 4, "n_draws": 20, "weight_prior": "fixed", "target": "joint"}
    options |= {"impute": True, "tempering": False, "burn_in": 0.0}
    ffbm.fit(net, out=tmp_path / "run", n_sweeps=60, **options)
    longer = ffbm.fit(net, out=tmp_path / "run", resume=True, n_sweeps=120, **options)
    whole = ffbm.fit(net, n_sweeps=120, **options)
    np.testing.assert_array_equal(longer.weights.weights, whole.weights.weights)
    pd.testing.assert_frame_equal(longer.imputed, whole.imputed)


def test_with_nothing_missing_it_is_the_same_fit(net):
    whole = network(0)[0]
    one = ffbm.fit(whole, blocks=LABELS, impute=True, **SHORT)
    other = ffbm.fit(whole, blocks=LABELS, **SHORT)
    np.testing.assert_array_equal(one.weights.weights, other.weights.weights)
    np.testing.assert_array_equal(one.weights.inclusion, other.weights.inclusion)
    assert [note.code for note in one.weights.notes] == ["nothing-to-impute"]
    assert not len(one.imputed)
    with pytest.raises(OptionError, match="impute=True"):
        _ = other.imputed


def test_where_cells_are_missing_a_note_suggests_it(net):
    plain = ffbm.fit(net, blocks=LABELS, **SHORT)
    [note] = [note for note in plain.weights.notes if note.code == "missing-cells"]
    assert note.count == net.features.missing.nnz
    assert "--impute" in note.message


def test_a_column_missing_for_a_whole_block_is_told():
    net = network()[0]
    team = pd.Series(np.where(LABELS == 0, "red", None), dtype=object)
    team[:3] = "blue"
    table = pd.DataFrame({"team": team, "age": np.random.default_rng(2).normal(size=40)})
    net = ffbm.as_network([(int(i), int(j)) for i, j in net.graph.edges], table, node_ids=range(40))
    fit = ffbm.fit(net, blocks=LABELS, impute=True, **SHORT)
    [note] = [note for note in fit.weights.notes if note.code == "missing-in-block"]
    assert "'team' is missing on every vertex of block 1" in note.message
    assert note.count == 20


def test_a_column_without_any_answer_is_left_out():
    table = pd.DataFrame({"team": ["red", "blue", None, "red"] * 5, "empty": [None] * 20}, dtype=object)
    net = ffbm.as_network([(i, i + 1) for i in range(19)], table, node_ids=range(20))
    assert net.features.column_names == ("team",)
    fit = ffbm.fit(net, blocks=np.arange(20) % 2, impute=True, **SHORT)
    assert set(fit.imputed["column"]) == {"team"}


def test_a_table_without_any_answer_is_refused():
    table = pd.DataFrame({"team": [None] * 20, "age": [None] * 20}, dtype=object)
    net = ffbm.as_network([(i, i + 1) for i in range(19)], table, node_ids=range(20))
    with pytest.raises(DataError, match="column 'team' left out: it has no values"):
        ffbm.fit(net, blocks=np.arange(20) % 2, impute=True, **SHORT)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"impute": "maybe"}, "impute must be True, False or 'independent'; got 'maybe'"),
        ({"impute": True, "hierarchy": True}, "hierarchy=True does not sample missing cells"),
    ],
)
def test_refused(options, said):
    with pytest.raises(OptionError, match=said):
        FitConfig(**options)


def test_refused_with_flags_for_missing_cells_and_with_types(net):
    table = pd.DataFrame({"team": ["red", "blue", None, "red"] * 5, "kind": ["p", "e"] * 10})
    marked = ffbm.as_network([(i, i + 1) for i in range(19)], table, node_ids=range(20), missing="flag")
    with pytest.raises(OptionError, match="has flags where it is missing"):
        ffbm.fit(marked, n_blocks=2, impute=True, **SHORT)
    with pytest.raises(OptionError, match="fit_types has no option 'impute'"):
        ffbm.fit(marked, node_type="kind", impute=True)


def test_the_command_line(tmp_path, net, capsys):
    edges, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    ids = list(map(str, net.node_ids))
    pd.DataFrame([(ids[i], ids[j]) for i, j in net.graph.edges], columns=["a", "b"]).to_csv(edges, index=False)
    table = pd.DataFrame({"id": ids, "team": np.where(LABELS == 0, "red", "blue")})
    table.loc[::5, "team"] = None
    table.to_csv(nodes, index=False)
    command = f"fit {edges} --nodes {nodes} --id id --blocks 2 --sweeps 40 --draws 40 --warmup 20 --chains 2 --seed 1"
    more = ["--folds", "1", "--columns", "0", "--impute", "--json", "--quiet"]
    assert run([*command.split(), *more]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["config"]["impute"] is True
    assert {row["column"] for row in record["imputed"]} == {"team"}
    assert run([*command.split(), "--impute", "--evidence"]) == 2
    assert "--evidence takes features as they are read" in capsys.readouterr().err
