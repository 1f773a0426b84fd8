"""The recipes of docs/contributing.md name things that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
FOLDERS = (ROOT, ROOT / "src" / "ffbm")


def path_of(name):
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|md|toml))`", TEXT))))
def test_files_exist(name):
    if "xyz" not in name:  # stands for a name of the reader's own
        assert path_of(name) is not None, f"docs/contributing.md names {name}, which does not exist"


NAMED = re.findall(r"((?:`[A-Za-z_]+`(?:, | and )?)+) (?:of|in) `([a-z_]+/[a-z_/]+\.py)`", TEXT)


@pytest.mark.parametrize(("names", "file"), NAMED)
def test_names_stand_in_their_files(names, file):
    source = path_of(file).read_text(encoding="utf-8")
    for name in re.findall("`([A-Za-z_]+)`", names):
        assert re.search(rf"\b{name}\b", source), f"docs/contributing.md names {name} in {file}, where it is not"


def test_some_names_are_looked_for():
    assert len(NAMED) >= 8
