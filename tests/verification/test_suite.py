"""How checks are run, judged, shown and written."""

import importlib.util
import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.cli import run
from ffbm.errors import OptionError
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT
from ffbm.verification import battery, suite
from ffbm.verification.calibration import SIZES, Size, calibrate_sampler
from ffbm.verification.enumeration import RELOCATE, SINGLE, Case, compare
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.goodness import fit_of_law
from ffbm.verification.lengths import exact_values
from ffbm.verification.outcome import Ranks
from ffbm.verification.partitions import FIVE, TRIALS, follow_the_law
from ffbm.workers import open_workers

from .whole_numbers import bundle

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("finding", "passed"),
    [
        (Finding(1.0, 2.0), True),
        (Finding(2.0, 2.0), True),
        (Finding(2.1, 2.0), False),
        (Finding(math.nan, 2.0), False),
        (Finding(0.5, 0.1, at_least=True), True),
        (Finding(0.05, 0.1, at_least=True), False),
        (Finding(math.nan, 0.1, at_least=True), False),
        (Finding(1.0, 2.0, doubt="too few draws"), False),
    ],
)
def test_verdicts(finding, passed):
    assert finding.passed is passed


MANY = (RESPLIT, MERGE_SPLIT, OPEN_CLOSE, RELOCATE)


def test_the_battery_has_a_check_of_every_kind():
    names = [check.name for check in battery.CHECKS]
    assert len(set(names)) == len(names)
    for quick in (True, False):
        chosen = [trial for trial in TRIALS.values() if trial.n_quick or not quick]
        assert {kind for trial in chosen for kind in trial.moves} == {SINGLE, *MANY}
        for kind in MANY:
            with_field = [trial for trial in chosen if trial.case.field and kind in trial.moves]
            assert with_field, "no field under this kind of move"
        assert any(len(trial.moves) == 4 for trial in chosen)
    assert all(check.measures and check.catches for check in battery.CHECKS)


def test_too_few_steps_are_a_doubt(monkeypatch):
    name = "single moves, B=3"
    monkeypatch.setitem(TRIALS, name, TRIALS[name]._replace(n_quick=50))
    with open_workers(1, 1) as each:
        found = follow_the_law(name, Effort(False, 0, each))
    assert not found.passed
    assert "chance alone" in found.doubt


def test_figures_do_not_depend_on_the_number_of_workers():
    found = []
    for workers in (1, 2):
        with open_workers(workers, 16) as each:
            effort = Effort(False, 3, each)
            found.append((calibrate_sampler("hmc", (SIZES[0],), effort, 8), compare(Case(FIVE, 5, 2), 500, each=each)))
    assert found[0] == found[1]


def test_calibration_ranks_are_counted(monkeypatch):
    with open_workers(1, 1) as each:
        found = calibrate_sampler("mala", (Size(8, 4, 10), Size(12, 2, 20)), Effort(False, 0, each), 20)
    ranks = found.details["ranks"]
    assert len(ranks) == 12
    assert all(sum(entry["counts"]) == 20 and len(entry["counts"]) == 20 for entry in ranks)
    assert found.figure == min(entry["p"] for entry in ranks)
    assert found.bound == pytest.approx(0.001 / 12)


def test_bundled_values_come_from_whole_numbers():
    assert json.loads(json.dumps(bundle())) == exact_values()


@pytest.mark.parametrize(
    ("draws", "law", "fits"),
    [
        ("ab" * 500, {"a": 0.5, "b": 0.5}, True),
        ("ab" * 500, {"a": 0.6, "b": 0.4}, False),
        ("abc", {"a": 0.5, "b": 0.5}, False),
        ("aaaa", {"a": 1.0}, True),
        ("a" * 1000, {"a": 0.999, "b": 0.001}, True),
    ],
)
def test_fit_of_law(draws, law, fits):
    assert (fit_of_law(draws, law) > 1e-3) == fits


def test_bars():
    assert Ranks("", "", "", 1.0, [5] * 20).bars() == "▅" * 20
    assert Ranks("", "", "", 0.0, [100] + [0] * 19).bars() == "█" + "▁" * 19


@pytest.fixture
def battery_of(monkeypatch):
    """Put findings in the place of the real checks."""

    def put(**findings):
        checks = [
            Check(name, "what is measured", "what it shows", lambda _effort, found=found: found)
            for name, found in findings.items()
        ]
        checks.append(Check("long", "", "", lambda effort: Finding(float(effort.full), 1.0), full_only=True))
        monkeypatch.setattr(suite, "CHECKS", tuple(checks))

    return put


RANKS = {
    "n_networks": 40,
    "ranks": [{"quantity": "W[0,0]", "size": "N=8 B=4", "p": 0.4, "counts": [9, 11, 10, 10]}],
}
GOOD, BAD = Finding(0.5, 1.0), Finding(3.0, 1.0)


def test_verify_gathers_verdicts(battery_of):
    battery_of(first=GOOD, second=BAD)
    seen = []
    found = ffbm.verify(progress=seen.append)
    assert (found.passed, found.failed, found.full) == (False, ("second",), False)
    assert [(row.check, row.verdict) for row in found.table.itertuples()] == [("first", "pass"), ("second", "FAIL")]
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, 2, 2)
    assert "1 of 2 failed: second" in repr(found)
    battery_of(first=GOOD)
    found = ffbm.verify(full=True, progress=False)
    assert (found.passed, len(found.checks)) == (True, 2)


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": None}, {"workers": 0}])
def test_verify_refuses(battery_of, options):
    battery_of(first=GOOD)
    with pytest.raises(OptionError):
        ffbm.verify(**options, progress=False)


def test_a_check_that_breaks_stops_the_others(monkeypatch):
    begun = threading.Event()
    made = []

    def breaks(_):
        begun.wait(10)
        raise ZeroDivisionError

    def goes_on(effort):
        def piece(number):
            begun.set()
            made.append(number)
            time.sleep(0.01)

        effort.each(piece, range(1000))
        return GOOD

    monkeypatch.setattr(suite, "CHECKS", (Check("long", "", "", goes_on), Check("broken", "", "", breaks)))
    with pytest.raises(ZeroDivisionError):
        ffbm.verify(workers=2, progress=False)
    assert 0 < len(made) < 1000


def test_checks_side_by_side_find_what_they_find_alone(monkeypatch):
    chosen = [check for check in battery.CHECKS if check.name in ("p(b|A): free B, all moves", "calibration: hmc")]
    assert len(chosen) == 2
    monkeypatch.setattr(suite, "CHECKS", tuple(chosen))
    alone, beside = (ffbm.verify(workers=workers, progress=False) for workers in (1, 2))
    assert [outcome.finding for outcome in alone.checks] == [outcome.finding for outcome in beside.checks]


def test_command_line(battery_of, capsys):
    battery_of(first=GOOD, second=Finding(0.2, 0.1, at_least=True))
    assert run(["verify", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "figure", "bound", "verdict"]
    assert lines[1].split() == ["first", "0.5", "<=", "1", "pass"]
    assert lines[2].split() == ["second", "0.2", ">=", "0.1", "pass"]
    assert lines[-1].startswith("all 2 checks passed in ")


def test_command_line_when_a_check_fails(battery_of, capsys):
    battery_of(first=GOOD, second=BAD, third=Finding(0.0, 1.0, doubt="chance alone makes 3 of it"))
    assert run(["verify", "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "FAIL" in said
    assert "third: chance alone makes 3 of it" in said
    assert "2 of 3 checks FAILED" in said
    assert run(["verify", "--quiet", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [check["passed"] for check in told["checks"]] == [True, False, False]
    assert told["passed"] is False


def test_command_line_shows_and_writes_ranks(battery_of, capsys, tmp_path):
    battery_of(calibration=Finding(0.4, 0.001, at_least=True, details=RANKS))
    assert run(["verify", "--full", "--quiet", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "calibration: W[0,0]" in said
    assert "▄" in said or "▅" in said
    told = json.loads((tmp_path / "out/results.json").read_text())
    assert told["checks"][0]["details"]["ranks"][0]["counts"] == [9, 11, 10, 10]
    assert set(told["versions"]) == {"ffbm", "numba", "numpy", "scipy"}
    assert (tmp_path / "out/ranks.png").read_bytes()[:4] == b"\x89PNG"
    assert run(["verify", "--quiet", "--out", str(tmp_path / "out")]) == 2
    assert "new or an empty folder" in capsys.readouterr().err


def test_rank_histograms_show_what_they_are_given():
    from ffbm.errors import DataError
    from ffbm.plots import plot_ranks

    figure = plot_ranks({"a": [3, 5, 4], "b": [4, 4, 4]}, columns=1)
    assert [bar.get_height() for bar in figure.axes[0].containers[0]] == [3, 5, 4]
    assert figure.axes[1].get_title(loc="left") == "b"
    with pytest.raises(DataError, match="got none"):
        plot_ranks({})


def test_long_titles_of_ranks_stay_in_their_column():
    from ffbm.plots import plot_ranks

    title = "sum of weights inside blocks, N=30 E=60 (weighted edges, log-normal, directed, free B)"
    figure = plot_ranks({title: [3, 5, 4], f"{title}!": [4, 4, 4]}, width=5.0)
    figure.draw_without_rendering()
    left, right = (panel._left_title.get_window_extent() for panel in figure.axes)
    assert left.x1 < right.x0


@pytest.fixture(scope="module")
def held():
    return json.loads((DOCS / "figures/verification/results.json").read_text())


def test_the_page_is_made_from_the_record():
    spec = importlib.util.spec_from_file_location("render", DOCS / "render.py")
    rendering = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rendering)
    page = (DOCS / "verification.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(DOCS / "verification.md.in"), "run python docs/render.py"
    assert all(word in page for word in ("p(b\\|A): merge-split, field", "calibration: mala"))


def test_the_record_is_a_full_run_of_these_checks_and_all_passed(held):
    """A check that the record does not have yet is named on the page."""
    assert held["full"]
    assert held["passed"]
    told = [(check["name"], check["measures"], check["catches"]) for check in held["checks"]]
    now = [(check.name, check.measures, check.catches) for check in battery.CHECKS]
    newer = [check[0] for check in now if check not in told]
    assert told == [check for check in now if check in told], "run ffbm verify --full --out, and docs/render.py"
    page = (DOCS / "verification.md").read_text(encoding="utf-8")
    assert all(name.replace("|", "\\|") in page.partition("newer than this record")[2] for name in newer)
    ranks = [entry for check in held["checks"] for entry in check["details"].get("ranks", ())]
    assert {np.sum(entry["counts"]) for entry in ranks} == {300, 500}
