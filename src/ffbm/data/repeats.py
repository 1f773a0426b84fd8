"""Columns that say the same of every vertex: they are read as one."""

from collections.abc import Collection

import numpy as np

from ffbm.data.remarks import Remark, gather_notes, option
from ffbm.types import Array, Features, Note


def merge_repeats(
    features: Features, kept: Collection[str] = (), separator: str | None = None
) -> tuple[Features, list[Note]]:
    """Leave out columns that group the vertices as an earlier one does, and say so.

    No data can tell such columns apart: each would take half of what the two explain. Columns of flags and values are
    compared by the groups that they make, numbers by being equal up to a change of unit.

    Parameters
    ----------
    features : Features
    kept : column names
        Columns that stay all the same.
    separator : text, optional
        Columns whose names agree up to the last separator are included or left out together: such a group is what data
        can tell from another, so columns of two groups stay, and those of one are merged.

    Examples
    --------
    >>> import pandas as pd
    >>> from ffbm.data.encode import encode_features
    >>> table = pd.DataFrame({"dept": ["a", "b", "b", "c"], "floor": ["1st", "2nd", "2nd", "3rd"], "age": [1, 5, 2, 4]})
    >>> features, notes = merge_repeats(encode_features(table)[0])
    >>> features.column_names
    ('dept', 'age')
    >>> print(notes[0].message)
    column 'floor' read as one with 'dept': both make the same groups of vertices; include= (--include) keeps both
    """
    alike: dict[tuple[int, ...], list[str]] = {}
    features_of: dict[str, list[int]] = {}
    for d, name in enumerate(features.columns):
        features_of.setdefault(name, []).append(d)
    for name, inside in features_of.items():
        alike.setdefault(_sizes(features, inside), []).append(name)
    first: dict[tuple[str, bytes], str] = {}
    remarks = []
    for names in (names for names in alike.values() if len(names) > 1):
        for name in names:
            owner = name.rpartition(separator)[0] if separator else ""
            known = first.setdefault((owner, _groups(features, features_of[name]).tobytes()), name)
            if known != name and name not in kept:
                likeness = (
                    "are the same up to their unit"
                    if _is_number(features, features_of[name])
                    else ("make the same groups of vertices")
                )
                message = f"read as one with {known!r}: both {likeness}; {option('include')} keeps both"
                remarks.append(Remark("same", name, message, 1))
    if not remarks:
        return features, []
    gone = {remark.column for remark in remarks}
    return features.take(np.flatnonzero([name not in gone for name in features.columns])), gather_notes(remarks)


def _is_number(features: Features, inside: list[int]) -> bool:
    return bool(features.is_number[inside].any())


def _sizes(features: Features, inside: list[int]) -> tuple[int, ...]:
    """Return how large the groups of a column are, sorted: columns that differ in it need no further look."""
    if _is_number(features, inside):
        return (-1,)
    support = features.support[inside]
    return tuple(sorted(int(size) for size in (*support, features.values.shape[0] - support.sum()) if size))


def _groups(features: Features, inside: list[int]) -> Array:
    """Return the group of each vertex, numbered as they first appear; of a number, it in a unit and sign of its own."""
    values = features.values[:, inside]
    if _is_number(features, inside):
        x = np.asarray(values.todense() if hasattr(values, "todense") else values)
        signs = np.sign(x[np.argmax(x != 0, axis=0), np.arange(x.shape[1])])
        return np.round(x * signs, 9) + 0.0
    code = np.asarray(values @ np.arange(1.0, len(inside) + 1))
    _, start, group = np.unique(code, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(start))[group], dtype=np.int64)
