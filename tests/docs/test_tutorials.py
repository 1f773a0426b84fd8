"""The tutorials, the quickstart and the README: their code is run, and prints what they show."""

import pytest

from .loading import DOCS, ROOT, load

pytestmark = [pytest.mark.auto_length, pytest.mark.users_defaults]

running = load(DOCS / "run.py")


SLOW = {
    "docs/columns.md",
    "docs/evidence.md",
    "docs/regression.md",
    "docs/tutorial-airports.md",
    "docs/tutorial-honest.md",
    "docs/tutorial-scales.md",
}  # they fit networks of some size


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow if page in SLOW else ()) for page in running.PAGES]
)
def test_a_page_shows_what_its_code_prints(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    try:
        found = running.replay(text)
    except running.MissingDataError as reason:
        pytest.skip(str(reason))
    assert text == found, f"python docs/run.py --write {page}, and read it again"


@pytest.mark.parametrize(
    ("shown", "said", "alike"),
    [
        ("loss  0.575 in 32 of 105", "loss 0.581 in 32 of 105", True),
        ("loss 0.575 in 32 of 105", "loss 0.681 in 32 of 105", False),
        ("loss 0.575 in 32 of 105", "loss 0.575 in 33 of 105", False),
        ("loss 0.575", "gain 0.575", False),
        ("weight +1.49 (0.97 to 2.09)", "weight +1.48 (0.95 to 2.06)", True),
        ("weight +0.49", "weight -0.49", False),
        ("ESS at least 1,290 over 4 chains", "ESS at least 1,221 over 4 chains", True),
        ("ESS at least 1,290 over 4 chains", "ESS at least 621 over 4 chains", False),
        ("1,290 draws", "1,221 draws", False),
        ("0.5 and 0.6", "0.5", False),
        ("age 0.12\nfloor 0.11", "floor 0.12\nage 0.11", True),
        ("age 0.92\nfloor 0.11", "floor 0.92\nage 0.11", False),
    ],
)
def test_what_another_processor_may_print(shown, said, alike):
    assert running._are_alike(shown, said) is alike


def test_every_tutorial_is_run():
    assert {f"docs/{path.name}" for path in DOCS.glob("tutorial-*.md")} <= set(running.PAGES)


SCRIPT = "```python\nimport ffbm\nx = {}\nprint(ffbm.__name__, x)\n```\n\n```text\nffbm 2\n```\nEnd.\n"
FAILED = ">>> int('a')\nTraceback (most recent call last):\n    ...\nValueError: ...\n"
SESSION = "```python\n>>> y = 3\n>>> y + {}\n4\n" + FAILED + "```\n"
CONSOLE = (
    "```console\n$ ffbm datasets --json\n{}\n$ ffbm describe nowhere.csv\nffbm: nowhere.csv does not exist: ...\n```\n"
)


@pytest.mark.parametrize(
    ("page", "right", "wrong", "shown"),
    [(SCRIPT, "2", "5", "ffbm 5\n"), (SESSION, "1", "2", "\n5\n"), (CONSOLE, "{...}", "[...]", '"polbooks"')],
    ids=["script", "session", "console"],
)
def test_a_difference_shows(page, right, wrong, shown):
    same, other = page.replace("{}", right), page.replace("{}", wrong)
    assert running.replay(same) == same
    assert running.replay(other) != other
    assert shown in running.replay(other)


def test_output_that_a_page_leaves_out_is_put_in():
    assert running.replay("```python\nprint(1)\n```\n") == "```python\nprint(1)\n```\n\n```text\n1\n```\n"


def test_a_warning_of_convergence_is_shown_and_others_end_the_run():
    told = 'import warnings, ffbm\nwarnings.warn("too short", {}, stacklevel=2)\n'
    page = "```python\n" + told.format("ffbm.errors.ConvergenceWarning") + "```\n"
    assert "```text\nConvergenceWarning: too short\n```" in running.replay(page)
    with pytest.raises(DeprecationWarning):
        running.replay("```python\n" + told.format("DeprecationWarning") + "```\n")


def test_other_blocks_are_left_alone():
    page = "```sh\nmake demo\n```\n\n```text\nfree text\n```\n\n```toml\nn_blocks = 3\n```\n"
    assert running.replay(page) == page


def test_a_page_on_data_that_are_absent_is_left_out(tmp_path, monkeypatch, capsys):
    text = "<!-- data: networks/tiny -->\n\n```console\n$ cat tiny/a.csv\n1,2\n```\n"
    (tmp_path / "networks/tiny").mkdir(parents=True)
    (tmp_path / "networks/tiny/a.csv").write_text("1,2\n")
    monkeypatch.setenv("FFBM_SHARED", str(tmp_path))
    assert running.replay(text) == text
    for absent in (str(tmp_path / "networks"), ""):
        monkeypatch.setenv("FFBM_SHARED", absent)
        with pytest.raises(running.MissingDataError, match="needs tiny: set FFBM_SHARED"):
            running.replay(text)
    page = tmp_path / "page.md"
    page.write_text(text)
    monkeypatch.setattr("sys.argv", ["run.py", str(page)])
    assert running.main() == 0
    assert capsys.readouterr().out.startswith("page.md: left out, it needs tiny")
