"""The page of reliability: made from its record, and nothing on it was lost."""

import json

from .loading import DOCS, load

rendering = load(DOCS / "render.py")
SOURCE = DOCS / "reliability.md.in"


def test_the_page_is_made_from_the_record():
    page = (DOCS / "reliability.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(SOURCE), "run python docs/render.py"
    assert "{{" not in page


def test_nothing_was_lost():
    told = json.loads((rendering.BENCHMARKS / "reliability.json").read_text(encoding="utf-8"))
    assert all(row["kills"] >= 20 * row["runs"] and row["equal"] == row["runs"] for row in told["kills"])
    assert told["workers"]["equal"]
    assert told["inputs"]["failed"] == 0
