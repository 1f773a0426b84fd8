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


@pytest.mark.slow
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
    ("path", "said"),
    [
        ("nowhere", "there is no 'nowhere'\n"),
        ("polbooks", "'polbooks' is a data set: first ffbm fit polbooks --out run\n"),
        ("edges.csv", "'edges.csv' is a file: if it holds a network, first ffbm fit edges.csv --out run\n"),
        ("empty", "'empty' holds no run\n"),
        ("begun", "has not ended: go on with ffbm fit polbooks --drop id=a --out begun --resume\n"),
        ("begun-in-python", "go on with ffbm fit SOURCE --out begun-in-python --resume\n"),
        ("both", "has not ended: go on with ffbm fit polbooks --target both --out both --resume\n"),
    ],
)
def test_what_is_no_run_is_told_in_a_line(path, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").touch()
    (tmp_path / "empty").mkdir()
    begun = {"begun": "--drop id=a --out begun", "begun-in-python": "", "both/joint": "--target both --out both"}
    for name, options in begun.items():
        (tmp_path / name / "chains").mkdir(parents=True)
        told = {"command": f"ffbm fit polbooks {options}" if options else "", "where": str(tmp_path)}
        (tmp_path / name / "chains" / "run.json").write_text(json.dumps(told))
    assert run(["report", path]) == 2
    told = capsys.readouterr().err
    assert told.startswith("ffbm: ffbm report takes the folder that ffbm fit --out wrote; ")
    assert told.endswith(said)
    assert told.count("\n") == 1


def test_what_is_near_a_run_is_told_with_the_run(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert run(["report", "one/report.html"]) == 2
    assert capsys.readouterr().err.endswith("'one/report.html' is a file of a run: give one\n")
    assert run(["report", "."]) == 2
    assert capsys.readouterr().err.endswith("'.' holds 1 run: give one, as one\n")


def test_figures_are_counted_once(folder, tmp_path, capsys):
    figures = tmp_path / "figures"
    assert run(["report", str(folder), "--figures", str(figures)]) == 0
    n_figures = len(list(figures.glob("*.pdf")))
    assert f"\nwrote {n_figures} figures, each as PDF and PNG, in {figures}\n" in capsys.readouterr().out
