"""One column of a table: what its cells say, and whether it holds flags, numbers or values.

Three rules come before all others. A blank cell is missing. A word such as ``NA`` is missing where
everything else in the column is a number, a date or a truth value, and one such as ``unknown`` where all else is a
number or a date; elsewhere they are values like any other. A dropped value is missing, and that before the kind is
decided.
"""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ffbm.data.dates import Dates, find_undated, read_dates
from ffbm.data.noanswer import remark_no_answer
from ffbm.data.remarks import Remark, option, shorten
from ffbm.data.units import numbers_of
from ffbm.errors import DataError, keyword
from ffbm.plain import count_of, visible

Array = npt.NDArray[Any]
Kind = Literal["flag", "number", "values", "empty"]

TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_SIGNS = frozenset({"-", "--", "–", "—", "?", ".", "..", "...", "…", "*"})
MISSING_WORDS = _SIGNS | {"na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "(null)", "none", "missing"}
MISSING_WORDS |= {"k.a.", "k. a.", "keine angabe", "\\n", "0000-00-00"}  # databases write \N and a day that is none
MISSING_WORDS |= {"#null!", "#div/0!", "#value!", "#ref!", "#name?", "#num!"}  # errors of spreadsheets
NO_ANSWERS = frozenset({  # missing among numbers and dates, where no value but numbers is of use
    "unknown", "unk", "not known", "unbekannt", "inconnu", "desconocido", "n.d.", "not available", "not applicable",
    "not stated", "not reported", "no answer", "no response", "no data", "refused", "don't know", "dont know", "dk",
})  # fmt: skip
_MINUS = "−"  # the sign of mathematics, which web pages have
_NUMBER = re.compile(rf"[+{_MINUS}-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*")  # how a whole number looks after a detour through floats
_FEW_LISTS = 6  # different texts from which on cells may be lists of values
_PADDED = re.compile(r"0[0-9]+")  # a code with leading zeros
_MAX_CODES = 60  # whole numbers with at most so many different values may be codes
_DAY = 86400.0  # seconds
_CELLS_PER_CODE = 5  # and at least so many cells for each, on average


class CellError(DataError):
    """A cell that cannot be read; ``row`` counts from 0."""

    def __init__(self, message: str, row: int, cure: str) -> None:
        super().__init__(f"{message} in row {row}; {cure}")
        self.what, self.row, self.cure = message, row, cure

    def at(self, where: str) -> str:
        """Return the message with where the cell stands, where a row says too little."""
        return f"{self.what} {where}; {self.cure}"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A parsed column.

    Parameters
    ----------
    kind : "flag", "number", "values" or "empty"
    numbers : (N,) float64
        Flags (0 or 1) and numbers; NaN where the cell is missing.
    values : tuple of text
        The values of a column of values, sorted.
    codes : (N,) int64
        The place of each cell in ``values``; -1 where the cell is missing.
    missing : (N,) bool
        Cells without an answer, dropped values among them.
    words : text
        How missing cells were written, where they were not blank.
    other : Column, optional
        A column of numbers that may be codes, or of dates, read as values.
    """

    name: str
    kind: Kind
    numbers: Array
    values: tuple[str, ...]
    codes: Array
    missing: Array
    words: str = ""
    other: "Column | None" = None


def parse_column(
    name: str, cells: pd.Series, *, categorical: bool = False, drop: Sequence[Any] = ()
) -> tuple[Column, list[Remark]]:
    """Read the cells of one column and decide its kind.

    >>> column, _ = parse_column("member", pd.Series(["yes", "No", "", "TRUE"]))
    >>> column.kind, column.numbers.tolist()
    ('flag', [1.0, 0.0, nan, 1.0])
    """
    if isinstance(cells.dtype, pd.SparseDtype):
        cells = cells.astype(cells.dtype.subtype)
    if pd.api.types.is_complex_dtype(cells.dtype):
        raise DataError(f"column {name!r} holds complex numbers; give their parts as columns of their own")
    if pd.api.types.is_timedelta64_dtype(cells.dtype):
        cells = cells.dt.total_seconds() / _DAY
    if pd.api.types.is_numeric_dtype(cells.dtype) and not categorical and not drop:
        numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return _of_numbers(name, numbers, np.isnan(numbers))
    if not categorical and not drop and _is_plain(cells):
        return _of_numbers(name, (cells.to_numpy(dtype=object) == "1").astype(np.float64), np.zeros(len(cells), bool))

    codes, texts, remarks = read_texts(name, cells)
    for index in _find_dropped(name, texts, drop):
        here = codes == index
        codes[here] = -1
        message = f"has {count_of(int(here.sum()), 'cell')} {texts[index]!r}: dropped, read as missing"
        remarks.append(Remark("dropped", name, message, int(here.sum())))
    missing = codes < 0
    codes, texts = _merge(codes, texts)
    categorical = categorical or isinstance(cells.dtype, pd.CategoricalDtype)
    column, more = _decide(name, codes, texts, missing, categorical)
    return column, remarks + more


def _decide(
    name: str, codes: Array, texts: list[str], missing: Array, categorical: bool
) -> tuple[Column, list[Remark]]:
    missing_words = _missing_words(texts, categorical=categorical)
    words = [text for text in texts if text.casefold() in missing_words]
    rest = [text for text in texts if text.casefold() not in missing_words]
    worded = np.isin(codes, [texts.index(word) for word in words])
    numbers = [number_of(text) for text in rest]
    truths = [truth_of(text) for text in rest]
    spelled = f"{int(worded.sum()):,} written {shorten(words, 3)}" if words else ""
    if None in truths and None in numbers:
        dates = None if categorical else read_dates(rest)
        if dates is not None:
            return _of_dates(name, np.where(worded, -1, codes), texts, missing | worded, dates, spelled)
        measures = None if categorical else numbers_of(rest)
        if measures is not None:
            return _of_measures(name, np.where(worded, -1, codes), texts, missing | worded, *measures, spelled)
        column, remarks = _of_values(name, codes, texts, missing), []
        mixture = [] if categorical else _remark_mixture(name, codes, texts, worded)
        remarks += _remark_several(name, rest)
        if words and not mixture:
            count = int(worded.sum())
            message = (
                f"has {count_of(count, 'cell')} {shorten(words, 3)}: kept as {'a value' if count == 1 else 'values'}"
            )
            message += f"; {option('drop')} reads {'it' if count == 1 else 'them'} as missing"
            remarks.append(Remark("looks-missing", name, message, count))
        return column, remarks + mixture

    missing = missing | worded
    codes, texts = _merge(np.where(worded, -1, codes), texts)  # texts are now those of rest, in order
    if not rest:
        return _of_numbers(name, np.full(len(codes), np.nan), missing, spelled)
    if categorical:
        return _of_values(name, codes, _plain_codes(texts), missing, spelled), []
    reading = numbers if None in truths else truths
    written = dict(zip(reading, texts, strict=True)) if any(map(_PADDED.fullmatch, texts)) else {}
    column, remarks = _of_numbers(name, np.array([*reading, np.nan], dtype=np.float64)[codes], missing, spelled)
    if column.other is not None and len(written) == len(texts):  # codes such as 007 keep their zeros
        values = [written[float(value)] for value in column.other.values]
        column = replace(column, other=_of_values(name, column.other.codes, values, missing, spelled))
    return column, remarks


def _missing_words(texts: list[str], *, categorical: bool) -> frozenset[str]:
    """Return the words that are missing cells in a column of these texts.

    >>> sorted(_missing_words(["31", "unknown", "45"], categorical=False) - MISSING_WORDS)[:3]
    ['desconocido', 'dk', "don't know"]
    >>> _missing_words(["red", "unknown"], categorical=False) == _missing_words(["1", "0", "dk"], categorical=False)
    True
    """
    rest = [text for text in texts if text.casefold() not in MISSING_WORDS]
    answers = [text for text in rest if text.casefold() not in NO_ANSWERS]
    if categorical or len(answers) == len(rest) or all(truth_of(text) is not None for text in answers):
        return MISSING_WORDS
    has_amounts = all(number_of(text) is not None for text in answers) or read_dates(answers) or numbers_of(answers)
    return MISSING_WORDS | NO_ANSWERS if has_amounts else MISSING_WORDS


def _remark_mixture(name: str, codes: Array, texts: list[str], worded: Array) -> list[Remark]:
    """Tell of a column of text that would be one of numbers or dates, but for some cells."""
    rest = [text for text in texts if text.casefold() not in MISSING_WORDS]
    kind, others = find_odd(rest)
    if kind == "numbers" and all(number_of(text.replace(",", ".", 1)) is not None for text in others):
        message = f"has numbers with a comma ({shorten(others, 3)}): read as text; write them with a point"
        return [Remark("comma", name, message, len(others))]
    if not kind:
        return []
    n_cells = int(((codes >= 0) & ~worded).sum())
    n_odd = int(np.isin(codes, [texts.index(text) for text in others]).sum())
    message = (
        f"has {kind} in {n_cells - n_odd:,} of {n_cells:,} cells, and {shorten(others, 3)}: read as text;"
        f" {option('drop')} the text to read {kind}" + visible(f", as in {name}={others[0]}")
    )
    return [Remark("mixed", name, message, len(others))]


def _remark_several(name: str, texts: list[str]) -> list[Remark]:
    """Tell of a column whose cells hold several values each, as a|b and b|c do."""
    for mark in "|;,":
        parts = [[part.strip() for part in text.split(mark)] for text in texts]
        several = [pair for pair in parts if len(pair) > 1 and all(pair)]
        distinct = {part for pair in parts for part in pair}
        if 4 * len(several) >= len(texts) >= _FEW_LISTS and 2 * len(distinct) <= len(texts):
            message = f"has several values in a cell, separated by {mark!r}, as {mark.join(several[0])!r}: each such"
            message += " cell is a value of its own; give every value a column of 0 and 1"
            return [Remark("several", name, message, len(several))]
    return []


def find_odd(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return what more than half of the texts write, "numbers", "dates" or "", and those that do not write it.

    >>> find_odd(["2006-08-01", "2007-01-31", "unknown"]), find_odd(["1", "2", "old"]), find_odd(["red", "1"])
    (('dates', ['unknown']), ('numbers', ['old']), ('', []))
    """
    words = [text for text in texts if number_of(text) is None]
    commas = [text for text in words if number_of(text.replace(",", ".", 1)) is not None]
    if 2 * len(words) < len(texts) or len(commas) == len(words):
        return "numbers", words
    undated = find_undated(texts)
    return ("dates", undated) if 2 * len(undated) < len(texts) else ("", [])


def _of_numbers(name: str, numbers: Array, missing: Array, words: str = "") -> tuple[Column, list[Remark]]:
    """Make a column of flags, if 0 and 1 are all there is, or of numbers."""
    known = numbers[~np.isnan(numbers)]
    if np.isinf(known).any():
        cure = f"repair the cell, blank it, or leave the column out with {option('exclude')}"
        raise CellError(f"column {name!r} holds an infinite number", int(np.argmax(np.isinf(numbers))), cure)
    is_flag = ((known == 0) | (known == 1)).all()
    kind: Kind = "empty" if not len(known) else "flag" if is_flag else "number"
    column = Column(name, kind, numbers, (), np.full(len(numbers), -1), missing, words)
    if kind != "number":
        return column, []
    distinct = np.unique(known)
    remarks = remark_no_answer(name, known)
    few = 3 <= len(distinct) <= _MAX_CODES and _CELLS_PER_CODE * len(distinct) <= len(known)
    if not few or (distinct != np.round(distinct)).any():
        return column, remarks
    codes = np.where(np.isnan(numbers), -1, np.searchsorted(distinct, numbers))
    other = _of_values(name, codes, [f"{value:.0f}" for value in distinct], missing, words)
    return replace(column, other=other), [*remarks, _remark_codes(name, len(distinct))]


def _of_dates(
    name: str, codes: Array, texts: list[str], missing: Array, dates: Dates, words: str
) -> tuple[Column, list[Remark]]:
    """Make a column of years with fractions; its other reading are days, months or years as values."""
    codes, texts = _merge(codes, texts)  # texts are now those that the dates were read from
    numbers = np.append(dates.years, np.nan)[codes]
    column = Column(name, "number", numbers, (), np.full(len(codes), -1), missing, words)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    values = dates.values(_MAX_CODES, _CELLS_PER_CODE, counts)
    message = f"holds dates ({dates.range}): read as a number, years with fractions"
    remarks = [Remark("dates", name, message, len(texts))]
    if values is not None:
        column = replace(column, other=_of_values(name, codes, values, missing, words))
        remarks.append(_remark_codes(name, len(set(values)), values[0]))
    return column, remarks


def _of_measures(
    name: str, codes: Array, texts: list[str], missing: Array, numbers: list[float], unit: str, words: str
) -> tuple[Column, list[Remark]]:
    """Make a column of numbers that were written with a unit."""
    codes, texts = _merge(codes, texts)  # texts are now those that the numbers were read from
    column, remarks = _of_numbers(name, np.append(numbers, np.nan)[codes], missing, words)
    commas = "commas" if any("," in text for text in texts) else "blanks or apostrophes"
    mark = f"{commas} between thousands" if unit == "," else f"the unit {unit!r}"
    message = f"has numbers with {mark} ({shorten(texts, 2)}): read as numbers; {option('categorical')} reads text"
    return column, [Remark("units", name, message, len(texts)), *remarks]


def _remark_codes(name: str, n_values: int, example: str = "") -> Remark:
    kind = f"values such as {example!r}" if example else "whole numbers"
    message = (
        f"has {n_values} different {kind}: a fit reads it as a number or as values, whichever explains more;"
        f" {option('categorical')} or {option('numeric')} settles it"
    )
    return Remark("looks-coded", name, message, n_values)


def _of_values(name: str, codes: Array, texts: list[str], missing: Array, words: str = "") -> Column:
    """Make a column of values, sorted as numbers if all of them are, else as text."""
    codes, texts = _merge(codes, texts)
    numbers = [number_of(text) for text in texts]
    by_number = None not in numbers
    order = sorted(range(len(texts)), key=lambda i: (numbers[i] if by_number else 0, texts[i]))
    rank = np.full(len(texts) + 1, -1)
    rank[order] = np.arange(len(order))
    values = tuple(texts[i] for i in order)
    return Column(name, "values", np.full(len(codes), np.nan), values, rank[codes], missing, words)


def read_texts(name: str, cells: pd.Series) -> tuple[Array, list[str], list[Remark]]:
    """Give every cell as a code into a list of distinct texts; blank and missing cells have code -1."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        codes, raw = cells.cat.codes.to_numpy(dtype=np.int64), [str(value) for value in cells.cat.categories]
    else:
        objects, absent = cells.to_numpy(dtype=object), cells.isna().to_numpy()
        if pd.api.types.infer_dtype(objects, skipna=True) not in ("string", "empty"):
            objects = np.array([_text(name, cell) for cell in np.where(absent, "", objects)], dtype=object)
        codes, uniques = pd.factorize(np.where(absent, "", objects))
        raw = list(uniques)
    texts = [text.strip() for text in raw]
    trimmed = np.array([0 < len(text) < len(long) for text, long in zip(texts, raw, strict=True)] + [False])
    count = int(trimmed[codes].sum())
    message = f"has spaces around {count_of(count, 'cell')}: taken off"
    remarks = [Remark("trimmed", name, message, count)] if count else []
    return *_merge(codes.astype(np.int64), texts), remarks


def _is_plain(cells: pd.Series) -> bool:
    """Say whether all cells are the texts 0 and 1: the quick way for tables of thousands of flags."""
    try:
        return set(cells.to_numpy(dtype=object)) <= {"0", "1"}
    except TypeError:  # a cell that cannot be hashed, such as a list
        return False


def _merge(codes: Array, texts: list[str]) -> tuple[Array, list[str]]:
    """Give equal texts one code, blank texts -1, and forget texts that no cell has."""
    used = np.bincount(codes + 1, minlength=len(texts) + 1)[1:] > 0
    index_of: dict[str, int] = {}
    move = np.full(len(texts) + 1, -1)
    for index, text in enumerate(texts):
        if text and used[index]:
            move[index] = index_of.setdefault(text, len(index_of))
    return move[codes], list(index_of)


def _text(name: str, cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, np.bool_, Real, np.number, Decimal, dt.date, dt.time, dt.timedelta)):
        return str(cell)
    raise DataError(
        f"column {name!r} holds a cell of type {type(cell).__name__}; "
        "cells must be text, numbers, truth values or dates: convert the column or exclude it"
    )


def _find_dropped(name: str, texts: list[str], drop: Sequence[Any]) -> list[int]:
    """Find the values to drop: as written, or else as numbers (999 finds 999.0)."""
    dropped = []
    for value in drop:
        wanted = str(value).strip()
        matches = [i for i, text in enumerate(texts) if text == wanted]
        if not matches and number_of(wanted) is not None:
            matches = [i for i, text in enumerate(texts) if number_of(text) == number_of(wanted)]
        if not matches:
            known = shorten(sorted(texts), 8)
            raise DataError(
                f"{keyword('drop', '')} names {wanted!r}, which column {name!r} does not have; it has {known}"
            )
        dropped.extend(matches)
    return list(dict.fromkeys(dropped))


def number_of(text: str) -> float | None:
    """Return the number that a text writes, None if it writes none."""
    return float(text.replace(_MINUS, "-")) if _NUMBER.fullmatch(text) or _INFINITY.fullmatch(text) else None


def truth_of(text: str) -> float | None:
    """Return 1 or 0 if a text says yes or no, None if it says something else."""
    if text.casefold() in TRUTHS:
        return TRUTHS[text.casefold()]
    number = number_of(text)
    return number if number in (0.0, 1.0) else None


def _plain_codes(texts: list[str]) -> list[str]:
    """Write whole numbers as whole numbers if all of them are, so that 3 and 3.0 are one code."""
    whole = [_WHOLE.fullmatch(text) for text in texts]
    if any("." in text and match is None for text, match in zip(texts, whole, strict=True)):
        return texts
    return [match[1] if match else text for text, match in zip(texts, whole, strict=True)]
