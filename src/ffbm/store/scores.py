"""Scores from the plain values that ``Scores.to_dict`` gives."""

from dataclasses import fields
from math import nan
from typing import Any

import numpy as np

from ffbm.types import Note
from ffbm.types.scores import Scores


def scores_from_dict(record: dict[str, Any]) -> Scores:
    """Return the scores of a record, NaN where JSON has null."""
    values = {field.name: _value(field.name, record[field.name]) for field in fields(Scores) if field.name != "notes"}
    return Scores(**values, notes=tuple(Note(**note) for note in record["notes"]))


def _value(name: str, value: Any) -> Any:
    if name.startswith("n_by_block"):
        return np.array(value, dtype=np.int64)
    if isinstance(value, list):
        return np.array([nan if x is None else x for x in value], dtype=np.float64)
    if value is None and not name.startswith("description_length"):
        return nan
    return value
