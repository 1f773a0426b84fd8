"""Checks of the features of a fit: pairs of columns, calibration, and what the page says of missing cells."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.data.levels import column_levels
from ffbm.errors import OptionError
from ffbm.results.calibration import check_calibration
from ffbm.results.imputed import missing_by_column
from ffbm.results.pairs import check_pairs, choose_pairs, column_worth, cross, evidence
from ffbm.scoring.calibration import calibration_bins, calibration_error, chance_errors

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
QUICK = {"n_draws": 40, "n_warmup": 40, "n_chains": 1, "seed": 1, "progress": False, "n_kept": None, "folds": 1}
N = 120


@pytest.fixture(scope="module")
def network():
    """Year and dorm together say the block; age and club say nothing of it."""
    rng = np.random.default_rng(1)
    year, dorm, club = rng.integers(2, size=N), rng.integers(3, size=N), rng.integers(2, size=N)
    b = np.where(rng.random(N) < 0.9, year ^ (dorm == 2), 1 - (year ^ (dorm == 2)))
    i, j = np.triu_indices(N, 1)
    kept = rng.random(len(i)) < np.where(b[i] == b[j], 0.12, 0.03)
    frame = pd.DataFrame({
        "year": [f"y{v}" for v in year], "dorm": [("east", "west", "north")[v] for v in dorm], "club": club,
        "age": rng.normal(20, 3, size=N).round(2),
    })  # fmt: skip
    return ffbm.as_network(np.column_stack((i[kept], j[kept])), frame, node_ids=np.arange(N)), b, frame


@pytest.fixture(scope="module")
def fitted(network, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs") / "run"
    fit = ffbm.fit(network[0], blocks=network[1], **QUICK)
    fit.save(folder)
    return fit, folder


def test_columns_that_act_together_are_found(fitted):
    found = fitted[0].check(20)
    first = found.pairs.iloc[0]
    assert {first["column"], first["with_column"]} == {"year", "dorm"}
    assert found.pairs["together"].tolist() == [True, *[False] * 5]
    assert first["p"] == 0.001
    assert "north" in (first["value"], first["with_value"])
    assert abs(first["observed"] - first["expected"]) > 5
    assert any("act together: what one says of a vertex's block depends on the other" in s for s in found.sentences)
    assert found.sentences[-1] == "Pairs of columns: 1 of 6 tested act together."
    again = check_pairs(fitted[0], 10, 0)
    assert found.pairs.equals(again)


def test_pairs_that_are_asked_for(fitted):
    fit = fitted[0]
    table = check_pairs(fit, [("dorm", "age"), ("dorm", "year"), ("dorm", "age")], 0)
    assert sorted(table["with_column"]) == ["age", "year"]
    assert table.attrs["n_untested"] == 4
    assert check_pairs(fit, 0, 0) is None
    assert len(check_pairs(fit, 2, 0)) == 2
    assert fit.check(20, pairs=0).pairs is None


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("year", "dor")], "pairs= must name columns of the network; got 'dor': did you mean 'dorm'?"),
        ([("year", "year")], "pairs must name two different columns each time; got ('year', 'year')"),
        (["year"], "pairs must name two different columns each time; got 'year'"),
        ("year", "pairs must be a whole number or a list of pairs of column names; got 'year'"),
        ([], "pairs must be a whole number or a list of pairs of column names; got []"),
        (True, "pairs must be a whole number or a list of pairs of column names; got True"),
        (-1, "pairs must be a whole number, at least 0; got -1"),
    ],
)
def test_what_is_refused(fitted, pairs, said):
    with pytest.raises(OptionError) as caught:
        fitted[0].check(20, pairs=pairs)
    assert str(caught.value) == said


def test_the_command_and_the_report(fitted, capsys, tmp_path):
    fit, folder = fitted
    assert run(["check", str(folder), "--replicates", "20", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["pairs"]["rows"]) == 6
    assert told["pairs"]["n_untested"] == 0
    assert told["calibration"]["rows"][0]["n"] > 0
    assert told["calibration"]["fits"] in (True, False)
    assert run(["check", str(folder), "--replicates", "20", "--pair", "year", "dorm"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "year and dorm act together" in out or "dorm and year act together" in out
    assert "club" not in out
    assert run(["check", str(folder), "--replicates", "20", "--pair", "year", "dor"]) == 2
    assert "--pair must name columns of the network; got 'dor'" in capsys.readouterr().err
    fit.report(tmp_path / "report.html", check=fit.check(20))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for text in ("Pairs of columns: 1 of 6 tested act together.", "Predicted blocks", "clearest value"):
        assert text in page
    assert "Cells without an answer" not in page


def test_blocks_that_say_nothing_leave_nothing_to_test(fitted):
    fit = fitted[0]
    flat = np.full((N, 2), 0.5)
    unknown = replace(fit, memberships=replace(fit.memberships, probs=flat))
    table = check_pairs(unknown, 2, 0)
    assert table["p"].isna().all()
    assert "not tested" in table["sentence"][0]
    assert not table["together"].any()
    alone = replace(fit, memberships=replace(fit.memberships, probs=np.eye(2)[np.zeros(N, dtype=int)]))
    assert check_pairs(alone, 2, 0) is None


def test_joint_memberships_are_freed_of_what_features_said(fitted):
    fit = fitted[0]
    joint = replace(fit, config=replace(fit.config, target="joint"))
    predicted = ffbm.scoring.predict(fit.weights, fit.network.features)
    predicted[np.setdiff1d(np.arange(N), fit.train)] = 0.5
    repeated = replace(joint, memberships=replace(fit.memberships, probs=predicted))
    assert np.allclose(evidence(repeated), 1.0)


def test_pairs_of_the_columns_that_are_worth_most_come_first(fitted):
    assert set(column_worth(fitted[0])) == {"year", "dorm", "club", "age"}
    assert choose_pairs({"a": 1.0}, 5) == []
    assert choose_pairs({"a": 1.0, "b": 0.2}, [("b", "a"), ("a", "constant")]) == [("b", "a")]


def test_fewer_pairs_where_their_weights_are_many(fitted, monkeypatch):
    monkeypatch.setattr("ffbm.results.pairs._MOST_WEIGHTS", 1)
    assert len(check_pairs(fitted[0], 10, 0)) == 1
    assert len(check_pairs(fitted[0], [("dorm", "age"), ("dorm", "year")], 0)) == 2  # as asked for
    assert check_pairs(fitted[0], 10, 0).attrs["n_untested"] == 5


def test_cells_hold_vertices_with_both_values(network):
    features = network[0].features
    one, other = column_levels(features, "year"), column_levels(features, "age")
    flags, names = cross(one, other)
    assert flags.sum() == N
    assert len(names) == flags.shape[1] == 8
    rare = column_levels(features, "dorm", most=2)
    assert rare.names[-1] == "others"
    assert column_levels(features, "club").names == ("yes", "no")


def test_calibration_of_predictions(fitted):
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 400)
    right = np.eye(3)[(rng.random((400, 1)) > np.cumsum(p, axis=1)).sum(axis=1)]
    chance = chance_errors(p, 99, rng)
    assert calibration_error(p, right) <= np.quantile(chance, 0.99)
    sure = p**3 / (p**3).sum(axis=1, keepdims=True)
    assert calibration_error(sure, right) > chance_errors(sure, 99, rng).max()
    bins = calibration_bins(p, right)
    assert bins["n"].sum() == 1200
    assert np.isclose((bins["n"] * bins["observed"]).sum(), 400)
    fit = fitted[0]
    bold = np.where(ffbm.scoring.predict(fit.weights, fit.network.features) > 0.5, 0.99, 0.01)
    table = check_calibration(replace(fit, explanation=replace(fit.explanation, held_out=bold)), 0)
    assert not table.attrs["fits"]
    assert "features are too sure of blocks" in table.attrs["sentence"]


def test_the_report_tells_of_cells_without_an_answer(network, tmp_path):
    _, b, frame = network
    rng = np.random.default_rng(2)
    holes = frame.astype(object)
    for name in ("dorm", "age"):
        holes.loc[rng.random(N) < 0.2, name] = None
    net = ffbm.as_network(network[0].graph.edges, holes, node_ids=np.arange(N))
    fit = ffbm.fit(net, blocks=b, impute=True, **QUICK)
    table = missing_by_column(fit).set_index("column")
    assert table["missing"].to_dict() == {name: int(holes[name].isna().sum()) for name in ("dorm", "age")}
    assert 1 / 3 < table.loc["dorm", "sure"] <= 1
    assert table.loc["dorm", "frequent"] == pytest.approx(holes["dorm"].value_counts(normalize=True).max())
    assert table.loc["age", "sd_answers"] == pytest.approx(pd.to_numeric(holes["age"]).std(ddof=0), rel=1e-6)
    assert 1 < table.loc["age", "sd"] < 5
    fit.report(tmp_path / "report.html", check=fit.check(20, pairs=0))
    assert "imputed.csv" in (tmp_path / "report.html").read_text(encoding="utf-8")
