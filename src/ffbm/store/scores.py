"""Scores from the plain values that ``Scores.to_dict`` gives."""

from dataclasses import fields
from math import nan
from typing import Any

import numpy as np

from ffbm.types import Note
from ffbm.types.scores import Scores


def scores_from_dict(told: dict[str, Any]) -> Scores:
    """Return the scores that were told, NaN where JSON has null."""
    values = {field.name: _value(field.name, told[field.name]) for field in fields(Scores) if field.name != "notes"}
    return Scores(**values, notes=tuple(Note(**note) for note in told["notes"]))


def _value(name: str, told: Any) -> Any:
    if name.startswith("n_by_block"):
        return np.array(told, dtype=np.int64)
    if isinstance(told, list):
        return np.array([nan if value is None else value for value in told], dtype=np.float64)
    if told is None and not name.startswith("description_length"):
        return nan
    return told
