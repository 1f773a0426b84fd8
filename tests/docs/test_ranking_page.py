"""The page on ranking: made from the committed record."""

import json

import numpy as np
import pytest

from .loading import DOCS, ROOT, load

rendering = load(DOCS / "render.py")
SOURCE = DOCS / "ranking.md.in"


def test_the_page_is_made_from_the_record():
    page = (DOCS / "ranking.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(SOURCE), "run python docs/render.py"
    assert "{{" not in page
    assert "Not measured yet" not in page


def test_noise_is_named_by_the_paper_and_not_by_inclusion():
    noise = rendering.read_record(SOURCE)["sensitivity"]["noise"]
    assert all(one["named_by_inclusion"] == 0 for one in noise.values())
    assert noise["60 values"]["named_by_score"] > noise["60 values"]["data_sets"] / 2
    assert (DOCS / "figures" / "ranking" / "noise.png").is_file()


@pytest.mark.slow
def test_draws_are_weighted_for_another_prior(shared, monkeypatch):
    """Inclusion with omega ~ Beta(1, 1), by weighting draws of Beta(1, G), against exact values."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sensitivity = load(ROOT / "benchmarks" / "sensitivity.py")
    case = json.loads((shared / "reference" / "relevance.json").read_text())["cases"][0]
    x, y = (np.array(case[name], dtype=float) for name in ("X", "y"))
    trace = sensitivity.sample(x, y, n_draws=1500)
    usual = {"omega": (1, 3), "degrees": 3.0, "scale": 1.0}
    found = sensitivity.row("", trace, usual, omega=(1, 1))["inclusion"]
    assert list(found.values()) == pytest.approx(case["inclusion"], abs=0.04)
