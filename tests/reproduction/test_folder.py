"""The folder of a reproduction, the command line, and data that is not there."""

import json

import pandas as pd
import pytest

from ffbm.cli import run
from ffbm.errors import DataError
from ffbm.reproduction import runs

FIGURES = ["network", "traces"]
FIGURES += [
    f"{kind}_{column}" for kind in ("weights", "accuracy") for column in ("published_program", "exact_posterior")
]


def test_a_folder_holds_table_results_and_figures(found, tmp_path):
    found.save(tmp_path / "out")
    folder = tmp_path / "out"
    assert sorted(path.name for path in folder.iterdir()) == ["figures", "results.json", "table.csv", "table.md"]
    wanted = {
        f"{name}.{kind}" for name in ["losses", *(f"polbooks_{name}" for name in FIGURES)] for kind in ("png", "pdf")
    }
    assert {path.name for path in (folder / "figures").iterdir()} == wanted
    assert json.loads((folder / "results.json").read_text()) == found.record
    assert (folder / "table.md").read_text() == found.to_markdown()
    table = pd.read_csv(folder / "table.csv")
    assert table.loc[table["symbol"] == "L0", "published"].item() == 0.563


def test_figures_are_of_the_first_run(found):
    figures = found.figures()
    runs = found.datasets["polbooks"]
    traces = figures["polbooks_traces"].axes[::2]
    assert [len(axes.lines) for axes in traces] == [1, 1, 4]
    assert traces[1].lines[0].get_ydata().tolist() == runs.published[0].energy[0].tolist()
    shown = [text.get_text() for text in figures["polbooks_weights_exact_posterior"].axes[0].get_yticklabels()]
    assert shown == list(runs.exact[0].ranking.kept)


def without_data(name):
    if name == "polbooks":
        return load(name)
    raise DataError(f"cannot download {name}; set FFBM_DATA to a folder that holds {name}/edges.csv")


load = runs.load_dataset


def test_without_the_data_it_makes_polbooks_and_says_how_to_get_the_others(monkeypatch, capsys):
    monkeypatch.setattr(runs, "load_dataset", without_data)
    assert run(["reproduce", "--runs", "1", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "Political books" in shown
    assert "Primary school" not in shown
    for name in ("school", "facebook"):
        assert f"{name} is left out: cannot download {name}; set FFBM_DATA" in " ".join(shown.split())


def test_a_named_set_without_data_is_an_error_and_leaves_no_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(runs, "load_dataset", without_data)
    assert run(["reproduce", "school", "--runs", "1", "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    assert capsys.readouterr().err.startswith("ffbm: cannot download school; set FFBM_DATA")


def test_json_is_one_strict_object(capsys, tmp_path):
    out = str(tmp_path / "out")
    assert run(["reproduce", "polbooks", "--runs", "1", "--seed", "3", "--workers", "1", "--out", out, "--json"]) == 0
    shown = capsys.readouterr().out
    told = json.loads(shown, parse_constant=pytest.fail)
    assert (told["runs"], told["seed"], list(told["datasets"])) == (1, 3, ["polbooks"])
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == told


def test_the_table_on_a_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["reproduce", "polbooks", "--runs", "2", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "0.563 ± 0.042" in shown
    assert "of 4 bounds met" in shown
    assert "--out DIR writes the table" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["polblogs"], "the data set must be one of polbooks, school, facebook, all; got 'polblogs'"),
        (["polbooks", "--runs", "0"], "runs must be a whole number, at least 1; got 0"),
        (["polbooks", "--workers", "0"], "workers must be a whole number, at least 1; got 0"),
    ],
)
def test_what_cannot_be_done_ends_with_one_line(options, said, capsys):
    assert run(["reproduce", *options]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1
