"""``ffbm fit --target both``: two fits with one seed, and what the features changed, on one screen."""

import json

import numpy as np
import pytest

from ffbm.cli import run
from ffbm.results import compare, load_fit

SHORT = ["--sweeps", "60", "--draws", "60", "--warmup", "40", "--chains", "2", "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("both") / "run"
    assert run(["fit", "polbooks", "--blocks", "3", "--target", "both", *SHORT, "--out", str(path)]) == 0
    return path


def test_one_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["fit", "polbooks", "--blocks", "3", "--target", "both", *SHORT, "--seed", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    text = " ".join(" ".join(lines).split())
    for said in ("cut against joint", "adjusted mutual information", "pull", "probability that one is empty"):
        assert said in text


def test_two_runs_that_go_together(folder):
    cut, joint = (load_fit(folder / name) for name in ("cut", "joint"))
    assert (cut.config.target, joint.config.target) == ("cut", "joint")
    assert cut.config.seed == joint.config.seed
    np.testing.assert_array_equal(cut.train, joint.train)
    told = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    found = compare(cut, joint)
    assert told["adjusted_mutual_information"] == found.agreement
    assert (folder / "comparison.txt").read_text(encoding="utf-8") == found.summary() + "\n"


def test_json_holds_both_and_the_comparison(capsys):
    arguments = ["fit", "polbooks", "--blocks", "2", "--target", "both", *SHORT, "--memberships", "drawn", "--json"]
    assert run([*arguments, "--strict"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["cut"]["config"]["memberships"] == "drawn"
    assert told["joint"]["config"]["target"] == "joint"
    assert told["joint"]["diagnostics"]["joint"]["fewer_blocks"] == told["comparison"]["fewer_blocks"]["joint"]


def test_a_folder_that_is_not_empty_is_refused_before_the_work(folder, capsys):
    assert run(["fit", "polbooks", "--blocks", "3", "--target", "both", *SHORT, "--out", str(folder)]) == 2
    assert "must be a new or an empty folder" in capsys.readouterr().err
