"""New vertices: a table encoded as the features of an earlier one were."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ffbm.data.columns import MISSING_WORDS, NO_ANSWERS, number_of, parse_column, read_texts, truth_of
from ffbm.data.dates import read_dates
from ffbm.data.matrix import missing_cells
from ffbm.data.remarks import shorten
from ffbm.data.units import numbers_of
from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Array, Features, Note

_NUMBERED = re.compile(r"(.*) \([0-9]+\)", re.DOTALL)  # how a feature of a name already taken was renamed
_NOTES = 20  # for each code; beyond, one note speaks for all columns


def encode_like(features: Features, table: pd.DataFrame, is_averaged: bool = False) -> tuple[Features, list[Note]]:
    """Encode a table of new vertices as an earlier table was: the same features, in the same order.

    A flag ``column=value`` is set where the column has that value, a number is standardised with the *earlier* mean
    and standard deviation, a missing cell gets no flag or the earlier mean. Values that ``merge=`` took for others or
    ``drop=`` for missing are read so again. A value that was not there earlier gets no flag, and a note says so.

    Parameters
    ----------
    features : Features
        Of the earlier table, as ``read_network``, ``as_network`` or ``encode_features`` made them.
    table : DataFrame
        One row for each new vertex, with at least the columns that the features come from; others are ignored.
    is_averaged : bool
        Missing cells will be averaged over, and notes say so.

    Returns
    -------
    Features
        The names, columns, mean and sd of ``features``, new values and their own missing cells.
    list of Note
        ``unknown-value`` and ``missing`` cells by column, and ``unused-columns``.

    Notes
    -----
    A flag ``column=missing`` that stands after the column's other features marks missing cells (``missing="flag"``).

    Examples
    --------
    >>> from ffbm.data.encode import encode_features
    >>> earlier, _ = encode_features(pd.DataFrame({"age": [20, 40, 20, 40], "party": ["b", "a", "b", "a"]}))
    >>> later, notes = encode_like(earlier, pd.DataFrame({"age": [50, None], "party": ["a", "c"]}))
    >>> later.names, later.values.tolist()
    (('age', 'party=a', 'party=b'), [[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    >>> for note in notes:
    ...     print(note.message)
    column 'age' has 1 missing cell: read as the earlier mean
    column 'party' has 1 cell with an unknown value ('c'): no flag
    """
    by_name = {str(label).strip(): position for position, label in enumerate(table.columns)}
    wanted: dict[str, list[int]] = {}
    for d, column in enumerate(features.columns):
        wanted.setdefault(column, []).append(d)
    lacking = [name for name in wanted if name not in by_name]
    if lacking:
        columns = "column" if len(wanted) == 1 else f"{len(wanted):,} columns"
        are, them = ("is", "it") if len(lacking) == 1 else ("are", "them")
        raise DataError(
            f"the table must have the {columns} that the features come from; {shorten(lacking, 5)} {are} missing:"
            f" add {them}, blank where unknown"
        )
    values = np.zeros((len(table), features.n_features))
    notes: list[Note] = []
    by_column: list[Array] = []
    for name, positions in wanted.items():
        cells = _replace(table.iloc[:, by_name[name]], features.replaced.get(name, {}))
        missing, more = _encode_column(features, name, positions, cells, values)
        if is_averaged:
            message = f"column {name!r} has {count_of(int(missing.sum()), 'missing cell')}: averaged over"
            more = [replace(note, message=message) if note.code == "missing" else note for note in more]
        notes += more
        by_column.append(np.flatnonzero(missing))
    unused = [name for name in by_name if name not in wanted]
    if unused:
        them = "it" if len(unused) == 1 else "them"
        message = f"{count_of(len(unused), 'column')} not looked at, no feature comes from {them}: {shorten(unused, 5)}"
        notes.append(Note("unused-columns", message, len(unused)))
    new: Any = sp.csr_array(values) if sp.issparse(features.values) else values
    mask = missing_cells(len(table), by_column)
    later = Features(
        new, features.names, features.columns, features.mean, features.sd, mask, replaced=features.replaced
    )
    return later, _few(notes)


def _replace(cells: pd.Series, pairs: Mapping[str, str]) -> pd.Series:
    """Return cells with values replaced by others: those written so, or else those of the same number.

    >>> _replace(pd.Series([20, 999.0, None]), {"999": ""}).tolist()
    [20.0, '', nan]
    """
    if not pairs:
        return cells
    numbers = {number: right for wrong, right in pairs.items() if (number := number_of(wrong)) is not None}

    def right_of(cell: Any) -> Any:
        text = str(cell).strip()
        number = number_of(text)
        return pairs.get(text, cell if number is None else numbers.get(number, cell))

    return cells.astype(object).map(right_of)


def _encode_column(
    features: Features, name: str, positions: list[int], cells: pd.Series, values: Array
) -> tuple[Array, list[Note]]:
    """Fill the features of one column; return where it is missing (N,), and what could not be read."""
    numeric = [d for d in positions if text_of(features, d) is None]
    flags = {d: text for d in positions if (text := text_of(features, d)) is not None}
    last = max(flags, default=-1)
    is_marker = last == positions[-1] and flags.get(last) in ("missing", "(missing)")
    fate = "no flag" if not numeric or not features.is_number[numeric[0]] else "read as the earlier mean"
    unknown: dict[str, int] = {}
    if numeric:
        missing = _encode_numbers(features, name, numeric[0], cells, values)
    else:
        known = {text: d for d, text in flags.items() if not (is_marker and d == last and text == "(missing)")}
        missing, unknown = _encode_values(name, known, cells, values)
    if is_marker:
        values[missing, last] = 1
        fate = f"marked by the flag {features.names[last]!r}"
    notes = []
    if missing.any():
        n = int(missing.sum())
        notes.append(Note("missing", f"column {name!r} has {count_of(n, 'missing cell')}: {fate}", n))
    if unknown:
        n, shown = sum(unknown.values()), shorten(unknown, 3)
        message = f"column {name!r} has {count_of(n, 'cell')} with an unknown value ({shown}): no flag"
        notes.append(Note("unknown-value", message, n))
    return missing, notes


def _encode_numbers(features: Features, name: str, d: int, cells: pd.Series, values: Array) -> Array:
    """Fill a column that was a flag or a number of its own name; return where it is missing (N,)."""
    wants_flag = not features.is_number[d]
    if not wants_flag and cells.dtype.kind == "O":  # missing also where no other cell shows that numbers are meant
        cells = cells.map(lambda cell: None if str(cell).strip().casefold() in NO_ANSWERS else cell)
    column, _ = parse_column(name, cells)
    if column.kind not in ("empty", "flag", *(() if wants_flag else ("number",))):
        wanted = "0 or 1" if wants_flag else "numbers"
        read = truth_of if wants_flag else number_of
        others = [text for text in column.values if read(text) is None and text.casefold() not in MISSING_WORDS]
        came = shorten(others or column.values, 3) if column.kind == "values" else "other numbers"
        cure = "repair the cells or blank them"
        if not wants_flag and others and all(number_of(text.replace(",", ".", 1)) is not None for text in others):
            cure = "write them with a point, as pandas.read_csv(..., decimal=',') reads them"
        raise DataError(f"column {name!r} must hold {wanted}, as it did before; got {came}: {cure}")
    scaled = column.numbers if wants_flag else (column.numbers - features.mean[d]) / features.sd[d]
    values[:, d] = np.nan_to_num(scaled)
    return np.isnan(column.numbers)


def _encode_values(name: str, known: dict[str, int], cells: pd.Series, values: Array) -> tuple[Array, dict[str, int]]:
    """Set the flags of a column of values; return where it is missing (N,) and the unknown values."""
    if isinstance(cells.dtype, pd.SparseDtype):
        cells = cells.astype(cells.dtype.subtype)
    codes, texts, _ = read_texts(name, cells)
    numbers = {number: d for text, d in known.items() if (number := number_of(text)) is not None}
    missing, unknown = codes < 0, dict[str, int]()
    for code, text in enumerate(texts):
        here = codes == code
        number = _number_in(text)
        d = known.get(text, None if number is None else numbers.get(number))  # 3, 3.0 and 3 % are one code
        if d is None and (dates := read_dates([text])) is not None:  # read by day, month or year
            d = next((known[value] for value in dates.grains(0) if value in known), None)
        if d is not None:
            values[here, d] = 1
        elif text.casefold() in MISSING_WORDS:
            missing |= here
        else:
            unknown[text] = int(here.sum())
    return missing, unknown


def _number_in(text: str) -> float | None:
    """Return the number that a text writes, with a unit or without."""
    number, measured = number_of(text), numbers_of([text])
    return number if measured is None else measured[0][0]


def text_of(features: Features, d: int) -> str | None:
    """Return the value that a flag stands for, None if the feature carries its column's own name."""
    name, column = features.names[d], features.columns[d]
    numbered = _NUMBERED.fullmatch(name)
    if numbered and numbered[1] in features.names:  # renamed, because another column's feature has the name
        other = features.columns[features.names.index(numbered[1])]
        name = numbered[1] if other != column else name
    return name[len(column) + 1 :] if name.startswith(f"{column}=") else None


def _few(notes: list[Note]) -> list[Note]:
    kept = []
    for code in dict.fromkeys(note.code for note in notes):
        group = [note for note in notes if note.code == code]
        if len(group) <= _NOTES:
            kept += group
        else:
            message = f"{len(group):,} columns have {'unknown values' if code == 'unknown-value' else 'missing cells'}"
            kept.append(Note(code, f"{message}; the first: {group[0].message}", sum(note.count for note in group)))
    return kept
