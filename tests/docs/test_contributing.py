"""docs/design.md and the recipes of docs/contributing.md name things that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("contributing.md", "design.md")}
FOLDERS = (ROOT, ROOT / "src" / "ffbm")


def path_of(name):
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


FILES = [
    (page, name) for page, text in PAGES.items() for name in re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|md|toml))`", text)
]


@pytest.mark.parametrize(("page", "name"), sorted(set(FILES)))
def test_files_exist(page, name):
    if "xyz" not in name:  # stands for a name of the reader's own
        assert path_of(name) is not None, f"docs/{page} names {name}, which does not exist"


IN_FILE = r"((?:`[A-Za-z_]+`(?:, | and )?)+)\s(?:of|in)\s`([a-z_]+/[a-z_/]+\.py)`"
NAMED = [(page, *found) for page, text in PAGES.items() for found in re.findall(IN_FILE, text)]


@pytest.mark.parametrize(("page", "names", "file"), NAMED)
def test_names_stand_in_their_files(page, names, file):
    source = path_of(file).read_text(encoding="utf-8")
    for name in re.findall("`([A-Za-z_]+)`", names):
        assert re.search(rf"\b{name}\b", source), f"docs/{page} names {name} in {file}, where it is not"


def test_some_names_are_looked_for():
    assert len(NAMED) >= 16


def bare(source):
    """Return the code of every statement by its first line, without comments, docstrings and decorators."""
    statements = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
            if ast.get_docstring(node):
                del node.body[0]
        text = ast.unparse(node)
        statements[text.partition("\n")[0]] = text
    return statements


def test_the_kernel_that_is_shown_is_the_kernel_that_runs():
    [shown] = re.findall(r"```python\n(class Uncorrected.*?)```", PAGES["contributing.md"], re.DOTALL)
    code = bare((ROOT / "src" / "ffbm" / "kernels" / "uncorrected.py").read_text(encoding="utf-8"))
    assert len(bare(shown)) == 6
    for head, text in bare(shown).items():
        assert text == code.get(head), f"docs/contributing.md shows another {head}"
