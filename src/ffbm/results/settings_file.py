"""How a network was read, in the settings file of its run: with it alone a run is made again from its files."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ffbm.config import READING, toml_of
from ffbm.data.registry import DATASETS
from ffbm.errors import OptionError

_PATHS = ("source", "nodes")


def reading_to_toml(reading: Mapping[str, Any], folder: str | os.PathLike[str]) -> str:
    """Return the table ``[reading]`` of a settings file in a folder, "" if the network did not come from files.

    Paths are relative to the folder, so that it can be moved together with the data.

    >>> print(reading_to_toml({"source": "/data/edges.csv", "exclude": ["name"]}, "/data/run"))
    <BLANKLINE>
    [reading]
    source = "../edges.csv"
    exclude = ["name"]
    <BLANKLINE>
    """
    if not reading:
        return ""
    record = dict(reading)
    for name in _PATHS:
        if name in record and record[name] not in DATASETS:
            record[name] = _relative(record[name], folder)
    lines = [f"{name} = {toml_of(value)}\n" for name, value in record.items()]
    return f"\n[{READING}]\n{''.join(lines)}"


def read_reading(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return how a settings file says that the network is read, nothing if it does not; paths are relative to it."""
    try:
        reading = tomllib.loads(Path(path).read_text(encoding="utf-8")).get(READING, {})
    except (OSError, ValueError):
        return {}  # reported where the settings are read
    if not isinstance(reading, dict) or not all(isinstance(reading.get(name, ""), str) for name in _PATHS):
        raise OptionError(f"{os.fspath(path)}: [{READING}] must be a table with source and options of reading")
    beside = Path(path).parent
    return {
        name: os.path.normpath(beside / value) if name in _PATHS and value not in DATASETS else value
        for name, value in reading.items()
    }


def _relative(path: str, folder: str | os.PathLike[str]) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path
