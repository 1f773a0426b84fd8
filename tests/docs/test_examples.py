"""The scripts in examples/: complete, and true to what they say of themselves."""

import pytest

from .loading import ROOT, load

pytestmark = [pytest.mark.auto_length, pytest.mark.users_defaults]

EXAMPLES = ROOT / "examples"


def test_political_books(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("FFBM_DATA", raising=False)
    load(EXAMPLES / "political_books.py").main(tmp_path / "run")
    said = capsys.readouterr().out
    assert "The chains converged." in said
    assert "block  conservative  liberal  neutral" in said
    assert "books are surely in a block that their leaning speaks against:" in said
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {
        "report.html",
        "ranking.csv",
        "figures",
        "traces.nc",
    }
    assert len(list((tmp_path / "run" / "figures").iterdir())) == 26


@pytest.mark.slow
def test_planted_network(capsys):
    table = load(EXAMPLES / "planted_network.py").main(edges=(225, 600))
    assert "in the planted block" in capsys.readouterr().out
    found = table.set_index(["edges", "target"])
    assert found.loc[(600, "cut"), "in the planted block"] > 0.95
    assert found.loc[600, ["right", "converged"]].all().all()
    assert found.loc[(225, "joint"), "in the planted block"] > found.loc[(225, "cut"), "in the planted block"]
