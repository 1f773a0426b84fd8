"""``ffbm report``: files that it writes, and what is no run."""

import json

import pytest

from ffbm.cli import run

FAST = ["--blocks", "2", "--sweeps", "40", "--draws", "40", "--warmup", "40", "--chains", "2", "--seed", "1", "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "one"
    assert run(["fit", "polbooks", *FAST, "--out", str(path)]) == 0
    return path


def test_a_report_is_in_the_run_and_can_be_made_again(folder, capsys):
    file = folder / "report.html"
    assert "NOT converged" in file.read_text(encoding="utf-8")
    file.unlink()
    assert run(["report", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {file} (")
    assert file.stat().st_size > 1e6


def test_another_file_and_figures(folder, tmp_path, capsys):
    file, figures = tmp_path / "a.html", tmp_path / "figures"
    assert run(["report", str(folder), "--out", str(file), "--figures", str(figures), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == str(file)
    assert told["bytes"] == file.stat().st_size
    assert sorted(told["figures"]) == sorted(str(path) for path in figures.iterdir())
    assert figures / "network.pdf" in figures.iterdir()


def test_both_targets_have_one_report(tmp_path):
    path = tmp_path / "both"
    assert run(["fit", "polbooks", *FAST, "--target", "both", "--out", str(path)]) == 0
    file = path / "report.html"
    assert "Cut against joint" in file.read_text(encoding="utf-8")
    file.unlink()
    assert run(["report", str(path)]) == 0
    assert "Cut against joint" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["report", "nowhere"], "there is no 'nowhere'"), (["report", "polbooks"], "'polbooks' is a data set")],
)
def test_what_is_no_run_is_told_in_a_line(arguments, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
