"""Progress: who hears of it, and which functions begin it."""

import ast
import logging
import sys
from pathlib import Path

import pytest

import ffbm
from ffbm import progress
from ffbm.errors import OptionError
from ffbm.progress import Progress, listening

SOURCE = Path(ffbm.__file__).parent
# the public functions, and the methods of what they return, by where they are written
DOORS = {
    "pipeline/blocks.py": {"sample_blocks"},
    "pipeline/by_type.py": {"explain_types"},
    "pipeline/fit.py": {"run_fit"},
    "pipeline/modes.py": {"explain_mode"},
    "pipeline/permutation.py": {"permutation_test"},
    "pipeline/weights.py": {"sample_weights"},
    "reproduction/runs.py": {"reproduce"},
    "simulation/simulator.py": {"simulate"},
    "verification/suite.py": {"verify"},
}


def test_a_callable_hears_every_event():
    heard = []
    with listening(heard.append) as tell:
        tell(Progress("blocks", 1, 2))
        tell(Progress("blocks", 2, 2, "R-hat 1.01"))
    assert [str(event) for event in heard] == ["blocks: 1 of 2", "blocks: 2 of 2 (R-hat 1.01)"]


def test_listeners(capsys):
    event = Progress("blocks", 1, 2)
    for quiet in (None, False):
        with listening(quiet) as tell:
            tell(event)
    assert capsys.readouterr() == ("", "")
    with listening(True) as tell:
        tell(event)
        tell(Progress("blocks", 2, 2, "lowest S 12.50"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "blocks" in err
    assert "lowest S 12.50" in err
    with pytest.raises(OptionError, match="progress must be"), listening("yes"):
        pass


def test_a_notebook_without_widgets_is_told_in_lines(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr(progress, "find_spec", lambda _: None)
    with listening(None) as tell:
        logging.getLogger("ffbm").info("compiling")
        for done in (0, 1, 2):
            tell(Progress("blocks", done, 2))
        tell(Progress("weights", 0, 1500, "R-hat 1.02"))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "compiling\n\rblocks: 0 of 2\rblocks: 1 of 2\rblocks: 2 of 2\n\rweights: 0 of 1,500 (R-hat 1.02)\n"


def callers(path):
    """Return the functions of a file that draw seeds or open progress bars."""
    names = set()
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            calls = {call.func.id for call in ast.walk(function) if isinstance(call, ast.Call)
                     and isinstance(call.func, ast.Name)}  # fmt: skip
            names |= {function.name} if calls & {"listening", "resolve_seed"} else set()
    return names


def test_seeds_and_bars_begin_at_public_functions():
    """Stages below are handed a seed and a listener: see ``pipeline/context.py``."""
    parts = [path for path in SOURCE.iterdir() if path.is_dir() and path.name not in ("results", "cli")]
    found = {path.relative_to(SOURCE).as_posix(): callers(path) for part in parts for path in part.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == DOORS
