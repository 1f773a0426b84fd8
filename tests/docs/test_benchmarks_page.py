"""The page of benchmarks: made from the committed records, whichever there are."""

import copy
import json

import pytest

from .loading import DOCS, load

rendering = load(DOCS / "render.py")
SOURCE = DOCS / "benchmarks.md.in"


@pytest.fixture(scope="module")
def told():
    return rendering.read_record(SOURCE)


def test_the_page_is_made_from_the_records(told):
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(SOURCE), "run python docs/render.py"
    assert "{{" not in page
    assert set(told) == {path.stem for path in rendering.BENCHMARKS.glob("*.json")}


def test_a_number_that_changes_changes_the_page(told):
    other = copy.deepcopy(told)
    other["blocks"]["visits"][0]["ratio"] = 123.4
    template = SOURCE.read_text(encoding="utf-8")
    assert "| 123.4 |" in rendering.render(template, other)
    assert "| 123.4 |" not in rendering.render(template, told)


@pytest.mark.parametrize("name", ["blocks", "search", "scale", "weights", "joint", "diagnostics", "reading"])
def test_a_record_that_is_not_there_yet_is_said(told, name):
    without = {other: held for other, held in told.items() if other != name}
    page = rendering.render(SOURCE.read_text(encoding="utf-8"), without)
    assert f"*Not measured yet: `python benchmarks/{name}.py` makes the record.*" in page


RECORD = {
    "a": {
        "rows": [{"n": 1234, "who": "x|y", "peer": None, "many": [3, 2]}, {"n": 5, "who": "z", "many": []}],
        "by": {"one_a": {"p": {"v": 0.5}}, "two": {"p": {}}},
    }
}


def test_rows():
    asked = "{{ rows: a.rows; vertices = n | ,; name = who; theirs = peer | .1f; all = many; least = many.min }}"
    assert rendering.render(asked, RECORD).splitlines() == [
        "| vertices | name | theirs | all | least |",
        "| ---: | --- | --- | ---: | ---: |",
        "| 1,234 | x\\|y | – | 3, 2 | 2 |",
        "| 5 | z | – |  | – |",
    ]
    asked = "{{ rows: a.by.*.p; of = @0; value = v | .2f }}"
    assert rendering.render(asked, RECORD).splitlines()[2:] == ["| one a | 0.50 |", "| two | – |"]


def test_a_path_that_no_entry_has_is_an_error():
    with pytest.raises(KeyError, match="typo is in no entry"):
        rendering.render("{{ rows: a.rows; x = typo }}", RECORD)
    with pytest.raises(KeyError):
        rendering.render("{{ value: a.typo }}", RECORD)


def test_records_of_search_and_scale_would_be_shown(told):
    """As benchmarks/search.py and scale.py write them."""
    search = {
        "starts": [{"graph": "g", "n_blocks": 3, "ffbm_entropy": 2.25, "ffbm_seconds": 0.1,
                    "graph_tool_entropy": None, "graph_tool_seconds": None}],
        "before": {"version": "0.1.0", "commit": "abc", "networks": {}},
        "rows": [{"graph": "g", "n_nodes": 1000, "n_edges": 2000, "run_seconds": 0.5, "seconds": 2.0,
                  "entropy": 1300.5, "search_in_runs": 4.0,
                  "budgets": {n: {"ffbm": 1300.5, "graph_tool": 1301.5} for n in ("1", "3", "10")},
                  "before": {"entropy": 1300.5, "seconds": 5.0, "n_runs": 3, "reached": 1.0, "share": 0.2,
                             "n_reached": 5}},
                 {"graph": "h", "n_nodes": 20_000, "n_edges": 150_000, "run_seconds": 200.0, "seconds": 9.0,
                  "entropy": 7.0, "search_in_runs": 0.1, "budgets": {"1": {"ffbm": None, "graph_tool": 8.0}}}],
    }  # fmt: skip
    rows = [{"n_edges": 100_000, "n_nodes": 10_000, "start_processor": 1.0, "sweep_processor": 2.0, "found": 0.987,
             "membership_processor": 0.5, "peak_gb": 0.25}]  # fmt: skip
    scale = {"n_blocks": 50, "n_chains": 2, "n_sweeps": 50, "cores": 2, "rows": rows}
    head = {"date": "2030-01-02T03:04:05+00:00", "python": "3.11.7", "versions": {"ffbm": "9.9"}}
    made = json.loads(json.dumps({**told, "search": head | search, "scale": head | scale}))
    page = rendering.render(SOURCE.read_text(encoding="utf-8"), made)
    assert "| g | 3 | 2.2500 | 0.10 | – | – |" in page
    assert f"| g | 1,000 | 2,000 | 0.50 |{' 1,300.5 | 1,301.5 |' * 3} 2.00 | 4.0 |" in page
    assert f"| h | 20,000 | 150,000 | 200.00 | – | 8.0 |{' – |' * 4} 9.00 | 0.1 |" in page
    assert "| g | 1,300.5 | 5.00 | 3 | 1.00 | 0.20 | 5 | 1,300.5 | 2.00 |" in page
    assert "| 100,000 | 10,000 | 1.0 | 2.0 | 0.5 | 0.25 | 98.7% |" in page
    assert "*Measured on 2030-01-02 with Python 3.11.7, ffbm 9.9.*" in page


def test_a_record_of_an_earlier_version_says_so(monkeypatch):
    monkeypatch.setattr(rendering, "__version__", "1.10.0")
    for version, said in (("1.9.2", "; not measured again in version 1.10.0"), ("1.10.0.dev3", ""), ("1.10.0", "")):
        record = {"a": {"date": "2030-01-02T03", "python": "3.11.7", "versions": {"ffbm": version}}}
        shown = f"*Measured on 2030-01-02 with Python 3.11.7, ffbm {version}{said}.*"
        assert rendering.render("{{ measured: a }}", record) == shown
