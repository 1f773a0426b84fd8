"""What a netCDF file cannot hold as it is: text with odd characters, and metadata, which goes as JSON text."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from ffbm.errors import DataError
from ffbm.types import Array, Note


def to_texts(values: Iterable[Any], owner: str) -> Array:
    """Return texts as an array of objects, which netCDF stores as strings of any length.

    >>> to_texts(["a", "bc"], "ids").tolist()
    ['a', 'bc']
    """
    texts = np.array([str(value) for value in values], dtype=object)
    for text in texts:
        if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
            raise DataError(f"{owner} must be text that a file can hold to be saved; got {text!r}: rename it")
    return texts


def from_texts(values: Any) -> tuple[str, ...]:
    """Return the texts of a stored variable."""
    return tuple(map(str, np.asarray(values).tolist()))


def to_json(value: Any) -> str:
    """Write plain values, numpy's among them, as strict JSON text."""
    return json.dumps(value, default=_plain, allow_nan=False)


def from_json(text: str) -> Any:
    """Read what ``to_json`` wrote."""
    return json.loads(text)


def notes_to_json(notes: tuple[Note, ...]) -> str:
    """Write notes as JSON text."""
    return to_json([[note.code, note.message, note.count] for note in notes])


def notes_from_json(text: str) -> tuple[Note, ...]:
    """Read what ``notes_to_json`` wrote."""
    return tuple(Note(code, message, count) for code, message, count in from_json(text))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in a run's metadata")
