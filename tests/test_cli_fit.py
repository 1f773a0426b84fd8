"""``ffbm fit``: the answer on standard output, the rest on standard error, and how it ends."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ffbm import kernels
from ffbm.cli import run
from ffbm.errors import OptionError
from ffbm.results import fit, load_fit

from .planted import planted_network, telling_flag

SHORT = ["--sweeps", "40", "--draws", "40", "--warmup", "40", "--chains", "2", "--seed", "1"]
LONG = ["--sweeps", "4000", "--draws", "1000", "--seed", "1"]


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def files(tmp_path):
    """A planted network as two files."""
    net, labels = planted_network(1, lambda labels, rng: telling_flag(labels, rng)[:, np.newaxis])
    edges = "".join(f"v{i},v{j}\n" for i, j in net.graph.edges)
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}")
    flags = np.asarray(
        net.features.values.toarray() if hasattr(net.features.values, "toarray") else net.features.values
    )
    rows = "".join(
        f"v{i},{int(flag)},{'ab'[label]}\n" for i, (flag, label) in enumerate(zip(flags[:, 0], labels, strict=True))
    )
    (tmp_path / "nodes.csv").write_text(f"id,flag,team\n{rows}")
    return ["edges.csv", "--nodes", "nodes.csv", "--blocks", "2"]


def strictly(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_answer_of_a_registered_set(capsys):
    assert run(["fit", "polbooks", "--blocks", "3", "--verbose", *LONG]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("The chains converged.\n\nWhat each column explains\n")
    assert "\npolbooks: 105 vertices, 441 edges, 3 features; seed " in shown.out
    assert "\nin a sentence\n  The attribute value explains 0." in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines())


def test_not_converged_comes_first_and_strict_fails(files, capsys):
    assert run(["fit", *files, *SHORT]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("NOT CONVERGED: too short (")
    assert "Warning" not in shown.err
    assert run(["fit", *files, *SHORT, "--strict"]) == 1
    assert capsys.readouterr().out == shown.out


def test_json_is_strict_and_alone(files, capsys):
    assert run(["fit", *files, *SHORT, "--json", "--train-fraction", "1"]) == 0
    told = strictly(capsys.readouterr().out)
    assert told["source"] == "edges.csv"
    assert told["converged"] is False
    assert sorted(told["convergence"]) == ["command", "grade", "reason"]
    assert told["convergence"]["grade"] == told["diagnostics"]["weights"]["grade"] == "too short"
    assert told["convergence"]["reason"] == told["reason"]
    assert told["scores"]["loss_test"] is None
    assert told["scores"]["loss_train"] > 0
    assert told["config"]["train_fraction"] == 1.0
    assert len(told["blocks"]) == 2


def test_a_run_is_saved_and_equals_pythons(files, capsys):
    assert run(["fit", *files, *SHORT, "--out", "runs/one", "--keep", "1"]) == 0
    assert capsys.readouterr().out.endswith("\nsaved in runs/one; open runs/one/report.html in a browser\n")
    saved = load_fit("runs/one")
    assert saved.config.n_kept == 1
    with pytest.warns(UserWarning, match="do not rely on this fit"):
        again = fit(saved.network, n_blocks=2, n_sweeps=40, n_draws=40, n_warmup=40, n_chains=2, seed=1, n_kept=1)
    np.testing.assert_array_equal(saved.weights.weights, again.weights.weights)
    assert run(["fit", *files, *SHORT, "--out", "runs/one"]) == 2
    assert "holds a run already" in capsys.readouterr().err


def test_a_run_is_repeated_from_its_settings_file(files, tmp_path, capsys, monkeypatch):
    reading = ["--exclude", "flag", "--drop", "team=b", "--unknown", "keep"]
    assert run(["fit", *files, *SHORT, *reading, "--out", "runs/one", "--json"]) == 0
    first = strictly(capsys.readouterr().out)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(["fit", "--config", "../runs/one/config.toml", "--json"]) == 0
    again = strictly(capsys.readouterr().out)
    for name in ("ranking", "scores", "blocks"):
        assert again[name] == first[name]
    assert again["network"]["fingerprint"] == first["network"]["fingerprint"]
    assert run(["fit", "--config", "../runs/one/config.toml", "--unknown", "error", "--keep", "1", "--json"]) == 0
    assert strictly(capsys.readouterr().out)["config"]["n_kept"] == 1
    assert run(["fit"]) == 2
    assert (
        "SOURCE must be a file or a registered data set, or --config the settings of a run" in capsys.readouterr().err
    )
    (tmp_path / "plain.toml").write_text("seed = 1")
    assert run(["fit", "--config", "../plain.toml"]) == 2
    assert "../plain.toml has no [reading] with a source" in capsys.readouterr().err
    (tmp_path / "odd.toml").write_text("reading = 3")
    assert run(["fit", "--config", "../odd.toml"]) == 2
    assert "[reading] must be a table" in capsys.readouterr().err


def test_command_line_over_file_over_defaults(files, tmp_path, capsys):
    (tmp_path / "fit.toml").write_text(
        "n_sweeps = 50\nn_draws = 60\nn_warmup = 40\nn_chains = 2\nsigma = 2.0\nseed = 9\n"
    )
    assert run(["fit", *files, "--config", "fit.toml", "--draws", "30", "--intercept", "--json"]) == 0
    config = strictly(capsys.readouterr().out)["config"]
    wanted = {"n_sweeps": 50, "n_draws": 30, "sigma": 2.0, "intercept": True, "k": 1.0, "n_blocks": 2, "seed": 9}
    assert {name: config[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("text", "sigma"),
    [
        ("sigma = {team = 2.0}", {"team": 2.0}),
        ("sigma = [1.0, 2.0, 0.5]", [1.0, 2.0, 0.5]),
        ("[sigma]\nteam = 3", {"team": 3.0}),
    ],
)
def test_scales_from_a_file(files, tmp_path, capsys, text, sigma):
    (tmp_path / "fit.toml").write_text(f"n_blocks = 2\n{text}\n")
    assert run(["fit", *files, *SHORT, "--config", "fit.toml", "--out", "runs/scaled", "--json"]) == 0
    assert strictly(capsys.readouterr().out)["config"]["sigma"] == sigma
    saved = load_fit("runs/scaled")
    assert saved.config.sigma == sigma
    by_column = [sigma["team"], sigma["team"], 1.0] if isinstance(sigma, dict) else sigma
    assert sorted(saved.weights.sigma) == sorted(by_column)
    assert run(["fit", *files, *SHORT, "--config", "fit.toml", "--sigma", "2", "--json"]) == 0
    assert strictly(capsys.readouterr().out)["config"]["sigma"] == 2.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "sigma = {tean = 2.0}",
            "ffbm: the columns that sigma names must be those of the features; got 'tean': did you mean 'team'?\n",
        ),
        ("sigma = [1.0]", "ffbm: sigma as a list must have one number for each of 3 features; got 1 number\n"),
        ("sigma = {team = 0}", "sigma['team'] must be a number, above 0; got 0\n"),
        ("sigma = [1.0, -2.0, 1.0]", "sigma[1] must be a number, above 0; got -2.0\n"),
        ("sigma = 'wide'", "sigma must be a number, above 0; got 'wide'\n"),
    ],
)
def test_wrong_scales_in_a_file_are_told_in_a_line(files, tmp_path, capsys, text, said):
    (tmp_path / "fit.toml").write_text(f"{text}\n")
    assert run(["fit", *files, *SHORT, "--config", "fit.toml"]) == 2
    error = capsys.readouterr().err
    assert error.endswith(said)
    assert error.count("\n") == 1


def test_every_option_reaches_the_fit(files, capsys):
    options = [
        "--memberships",
        "drawn",
        "--sigma",
        "0.5",
        "--folds",
        "2",
        "--columns",
        "1",
        "--keep",
        "all",
        "--workers",
        "1",
        "--no-intercept",
    ]
    assert run(["fit", *files, *SHORT, *options, "--exclude", "flag", "--json"]) == 0
    told = strictly(capsys.readouterr().out)
    wanted = {"memberships": "drawn", "sigma": 0.5, "folds": 2, "n_kept": "all", "intercept": False, "columns": 1}
    assert {name: told["config"][name] for name in wanted} == wanted
    assert sorted(row["feature"] for row in told["ranking"]) == ["team=a", "team=b"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "joint", "--memberships", "drawn"], "--memberships drawn is for --target cut"),
        (["--folds", "0"], "ffbm: --folds must be a whole number, at least 1, or auto; got 0\n"),
        (["--columns", "few"], "ffbm: --columns must be a whole number or all; got 'few'\n"),
        (["--target", "jont"], "--target must be one of cut, joint, both; got 'jont'\n"),
        (["--memberships", "mean"], "--memberships must be one of averaged, drawn; got 'mean'\n"),
        (["--resume"], "ffbm: --resume goes on with the run in a folder: say which with --out\n"),
        (["--blocks", "two"], "--blocks must be a whole number or auto; got 'two'"),
        (["--blocks", "0"], "ffbm: --blocks must be a whole number, at least 1, or auto; got 0\n"),
        (["--keep", "0"], "ffbm: --keep must be a whole number, at least 1, or all; got 0\n"),
        (["--train-fraction", "70"], "ffbm: --train-fraction must be a number, above 0, at most 1; got 70"),
        (["--train-fraction", "0.001"], "ffbm: --train-fraction 0.001 leaves none"),
        (["--seed", "-1"], "ffbm: --seed must be a whole number, 0 or more; got -1\n"),
        (["--sigma", "x"], "ffbm: --sigma must be a number; got 'x'\n"),
        (["--multiplicity", "count"], "--multiplicity"),
        (["--config", "zero.toml"], "zero.toml: n_chains must be a whole number, at least 1; got 0\n"),
        (["--config", "odd.toml"], "unknown setting 'shade'; there are n_blocks, target"),
        (["--config", "nowhere.toml"], "cannot read the settings in nowhere.toml"),
        (["--chains", "many"], "ffbm: --chains must be a whole number; got 'many'\n"),
        (["--min-support", "99"], "none of its columns became one (column "),
    ],
)
def test_what_cannot_be_done_ends_with_one_line(files, options, said, capsys, tmp_path):
    (tmp_path / "zero.toml").write_text("n_chains = 0\n")
    (tmp_path / "odd.toml").write_text("shade = 'red'\n")
    assert run(["fit", *files, *options]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ffbm: ")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_a_bug_is_told_apart(files, capsys, monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("ffbm.results.fit_run.run_fit", fails)
    assert run(["fit", *files]) == 70
    assert "this is a bug" in capsys.readouterr().err


def test_an_interrupt_ends_with_130_and_leaves_no_folder(files, tmp_path, capsys, monkeypatch):
    def stops(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("ffbm.results.fit_run.run_fit", stops)
    assert run(["fit", *files, "--out", "run"]) == 130
    assert not (tmp_path / "run").exists()


def test_the_first_compilation_is_announced_on_standard_error(files, capsys, monkeypatch):
    monkeypatch.setattr(kernels, "is_cold", lambda: True)
    assert run(["fit", *files, *SHORT, "--json"]) == 0
    shown = capsys.readouterr()
    strictly(shown.out)
    assert shown.err.count("compiling kernels: ") == 1
    assert run(["fit", *files, *SHORT, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert not logging.getLogger("ffbm").handlers


def test_help_is_light():
    heavy = {"numba", "numpy", "pandas", "xarray", "networkx"}
    code = f"import sys; from ffbm.cli import run; run(['fit', '--help']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "--blocks" in done.stdout


def test_errors_of_python_and_command_line_are_the_same_but_for_names(files, capsys):
    assert run(["fit", *files, "--sigma", "0"]) == 2
    told = capsys.readouterr().err
    with pytest.raises(OptionError) as error:
        fit(None, sigma=0.0)
    assert told == f"ffbm: --{error.value}\n"


def test_evidence_is_said_written_and_in_json(files, capsys, monkeypatch):
    from ffbm.pipeline.evidence import no_evidence

    asked = []

    def find(subject, *rest):
        asked.append(subject)
        return no_evidence("nobody looked"), 0

    monkeypatch.setattr("ffbm.results.bayes_factor.find_evidence", find)
    options = ["--evidence", "--sigma", "2", "--weight-prior", "fixed", "--out", "run"]
    assert run(["fit", *files, *SHORT, *options]) == 0
    assert "\nevidence\n  There is no evidence on the 2 attributes" in capsys.readouterr().out
    assert asked[0].n_blocks == 2
    assert asked[0].scale.tolist() == [2.0] * (len(asked[0].scale) - 1) + [1.28]
    assert asked[0].groups is None
    saved = strictly(Path("run", "evidence.json").read_text(encoding="utf-8"))
    assert run(["fit", *files, *SHORT, *options, "--resume", "--json"]) == 0
    assert strictly(capsys.readouterr().out)["evidence"] == saved
    assert run(["fit", *files, *SHORT, "--evidence", "--weight-prior", "learned"]) == 0
    assert asked[-1].groups.names == ("flag", "team")  # the prior of the fit


@pytest.mark.parametrize("option", [["--target", "both"], ["--hierarchy"], ["--node-type", "team"]])
def test_evidence_is_of_one_fit(files, capsys, option):
    assert run(["fit", *files[:3], *SHORT, "--evidence", *option]) == 2
    assert "--evidence is of one number of blocks" in capsys.readouterr().err
