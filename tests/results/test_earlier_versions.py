"""Runs of ffbm 0.1.0: those that ended load; the chains of the others cannot go on, and a line says what to do."""

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.cli import run as run_command
from ffbm.errors import ConvergenceWarning, DataError, OptionError
from ffbm.run_options import split_options

OLD = Path(__file__).parents[1] / "store" / "run-0.1.0"
SETTINGS = {"n_blocks": 3, "n_sweeps": 100, "n_draws": 40, "n_chains": 2, "n_kept": 2, "seed": 1}
TYPED = ["fit", "polbooks", "--blocks", "3", "--sweeps", "100", "--draws", "40", "--chains", "2", "--keep", "2"]
TYPED += ["--seed", "1"]
AGAIN = shlex.join(["ffbm", *TYPED, "--out", "run-again", "--quiet"])
CANNOT = "was begun by ffbm 0.1.0, whose chains this version cannot go on with"


@pytest.fixture
def ended(tmp_path, monkeypatch):
    """A run of 0.1.0 that ended, where it was begun."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(OLD, "run")
    return Path("run")


@pytest.fixture
def unfinished(ended):
    """The same run before its files were written."""
    for name in ("provenance.json", "traces.nc", "config.toml", "summary.json"):
        (ended / name).unlink()
    return ended


def rewrite(run: Path, **values) -> None:
    path = run / "chains" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def files_of(run: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}


def test_a_run_that_ended_loads():
    fit = ffbm.load_fit(OLD)
    held = json.loads((OLD / "summary.json").read_text())
    assert fit.provenance["ffbm"] == "0.1.0"
    settings, _ = split_options(held["config"])
    assert fit.config.to_dict() | settings == fit.config.to_dict() | {"folds": None}
    assert fit.config.folds == 1  # the one split
    assert fit.blocks.labels.shape == (2, 16, 105)
    assert fit.weights.weights.shape == (2, 40, 3, 3)
    assert fit.blocks.best_entropy == pytest.approx(
        ffbm.description_length(fit.network, fit.blocks.best_labels).without_partition, abs=1e-9
    )
    np.testing.assert_allclose(fit.memberships.probs.sum(axis=1), 1, atol=1e-12)
    assert fit.scores.loss_test == held["scores"]["loss_test"]
    assert fit.reduced.scores.loss_test == held["reduced"]["scores"]["loss_test"]
    assert list(fit.ranking.kept) == [row["feature"] for row in held["ranking"] if row["kept"]]
    assert "polbooks: 105 vertices, 441 edges, 3 features" in fit.summary()
    assert fit.column_table["verdict"].tolist() == ["explains much that no other column does"]  # measured now
    assert fit.explanation.columns.n_vertices == 105 - len(fit.train)


def test_what_an_old_run_lacks_is_none():
    diagnostics = ffbm.load_fit(OLD).diagnostics
    assert (diagnostics.variance, diagnostics.joint) == (None, None)


@pytest.mark.parametrize("change", [{}, {"n_sweeps": 200}, {"n_draws": 80}])
def test_a_run_that_ended_is_not_lengthened_and_is_left_alone(ended, change):
    before = files_of(ended)
    with pytest.raises(DataError) as refusal:
        ffbm.fit(ffbm.load_dataset("polbooks"), **SETTINGS | change, out=ended, resume=True, progress=False)
    line = f"run {CANNOT}; it can be loaded, but not lengthened: start it again with {AGAIN}"
    assert str(refusal.value) == line
    assert files_of(ended) == before
    ffbm.load_fit(ended)


def test_an_unfinished_run_is_refused_with_the_command_that_starts_it_again(unfinished):
    before = files_of(unfinished)
    with pytest.raises(DataError) as refusal:
        ffbm.fit(ffbm.load_dataset("polbooks"), **SETTINGS, out=unfinished, resume=True, progress=False)
    assert str(refusal.value) == f"run {CANNOT}: start it again with {AGAIN}"
    assert files_of(unfinished) == before
    with pytest.raises(DataError, match=f"{CANNOT}: start it again with {AGAIN}"):
        ffbm.load_fit(unfinished)
    with pytest.raises(OptionError, match=f"{CANNOT}: start it again with {AGAIN}, or choose another"):
        ffbm.fit(ffbm.load_dataset("polbooks"), **SETTINGS, out=unfinished, progress=False)


@pytest.mark.parametrize("more", [[], ["--draws", "80"], ["--sweeps", "200"]])
@pytest.mark.parametrize("which", ["ended", "unfinished"])
def test_the_command_refuses_in_one_line(request, which, more, capsys):
    run = request.getfixturevalue(which)
    assert run_command([*TYPED, *more, "--out", str(run), "--resume"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert CANNOT in err
    assert err.endswith(f": start it again with {AGAIN}\n")


def test_the_command_that_is_named_works(unfinished, capsys):
    assert run_command(shlex.split(AGAIN)[1:]) == 0, capsys.readouterr().err
    assert ffbm.load_fit("run-again").config == replace(ffbm.load_fit(OLD).config, folds="auto")


@pytest.mark.parametrize(
    ("values", "way"),
    [
        ({"command": ""}, "fit(..., out='run-again')"),
        ({"command": "ffbm fit a.csv --out 'my run/' --resume"}, "ffbm fit a.csv --out 'my run-again'"),
        ({"command": "ffbm fit a.csv --config c.toml"}, "ffbm fit a.csv --config c.toml --out run-again"),
        ({"command": "ffbm fit a.csv --out run", "where": "/x y"}, "cd '/x y' && ffbm fit a.csv --out run-again"),
    ],
    ids=["from Python", "resumed", "a folder in the settings", "elsewhere"],
)  # fmt: skip
def test_how_to_start_again(unfinished, values, way):
    rewrite(unfinished, **values)
    with pytest.raises(DataError) as refusal:
        ffbm.fit(ffbm.load_dataset("polbooks"), **SETTINGS, out=unfinished, resume=True, progress=False)
    assert str(refusal.value) == f"run {CANNOT}: start it again with {way}"


def test_the_command_line_names_a_command_for_a_run_from_python(unfinished, capsys):
    rewrite(unfinished, command="")
    assert run_command([*TYPED, "--out", "run", "--resume"]) == 2
    assert capsys.readouterr().err.endswith("start it again with ffbm fit SOURCE --out run-again\n")


def test_both_targets_are_refused_as_well(unfinished, capsys):
    Path("pair").mkdir()
    unfinished.rename("pair/cut")
    rewrite(Path("pair/cut"), command="ffbm fit polbooks --target both --out pair")
    assert run_command(["fit", "polbooks", "--target", "both", "--out", "pair", "--resume"]) == 2
    assert capsys.readouterr().err.endswith("start it again with ffbm fit polbooks --target both --out pair-again\n")


def test_a_run_of_this_version_has_the_new_schema(net, tmp_path):
    with pytest.warns(ConvergenceWarning):
        ffbm.fit(net, n_blocks=2, n_sweeps=20, n_draws=20, n_warmup=20, out=tmp_path / "run", progress=False)
    assert json.loads((tmp_path / "run" / "chains" / "run.json").read_text())["schema"] == 2
