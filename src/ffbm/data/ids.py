"""Ids: from cells and values to vertex numbers, keeping the text as written."""

import io
import math
import re
from collections.abc import Sequence
from csv import QUOTE_NONE
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ffbm.data.delimited import Grid
from ffbm.errors import DataError

Array = npt.NDArray[Any]

_PLAIN_NUMBER = re.compile(r"-?[1-9][0-9]{0,17}|0")
_WINDOW = 1 << 18  # bytes checked at a time: a piece that stays in the processor's cache


def whole_numbers(grid: Grid, places: Sequence[int], skip: int) -> tuple[Array, ...] | None:
    """Return columns as a tuple of int64 (rows,) if every cell is a whole number in its plain spelling.

    Plain means that the number written out again is the text that was read: ``7``, not ``007``,
    ``+7`` or `` 7``. Else None. This spares the text of a million ids.
    """
    key = (*places, skip)
    if key not in grid.numbers:
        grid.numbers[key] = _whole_numbers(grid, places, skip)
    numbers: tuple[Array, ...] | None = grid.numbers[key]
    return numbers


def _whole_numbers(grid: Grid, places: Sequence[int], skip: int) -> tuple[Array, ...] | None:
    data, start = grid.data, 0
    for _ in range(skip):
        start = data.find(b"\n", start) + 1 or len(data)
    end = data.find(b"\n", start)
    cells = data[start : len(data) if end < 0 else end].decode().split(grid.separator)
    if len(cells) != grid.width or not all(_PLAIN_NUMBER.fullmatch(cells[place]) for place in places):
        return None
    if b"+" in data or (b"-" in data and b"-0" in data) or (grid.separator != " " and b" " in data):
        return None
    if _has_leading_zeros(data, ord(grid.separator)):
        return None
    is_all = grid.width == len(set(places))
    if is_all and any(data.find(letter, start) >= 0 for letter in (b".", b"e", b"E", b"n", b"N")):
        return None  # 7.0, 7e0, inf, nan: asked for int64, pandas turns them into whole numbers
    if not is_all and not grid.is_plain:
        return None  # where all columns are read, a row too short or too long shows below
    how: dict[str, Any] = {"dtype": np.int64} if is_all else {"usecols": sorted(set(places)), "low_memory": False}
    body = io.BytesIO(data)
    body.seek(start)
    try:
        table: Any = pd.read_csv(body, sep=grid.separator, header=None, na_filter=False, quoting=QUOTE_NONE, **how)
    except (ValueError, OverflowError):
        return None
    if any(table[place].dtype != np.int64 for place in places):
        return None
    return tuple(table[place].to_numpy() for place in places)


def _has_leading_zeros(data: bytes, separator: int) -> bool:
    codes = np.frombuffer(data, dtype=np.uint8)
    for begin in range(0, len(codes) - 2, _WINDOW):
        before, here, after = (codes[begin + k : begin + k + _WINDOW] for k in range(3))
        n = len(after)
        suspect = (here[:n] == ord("0")) & (after >= ord("0")) & (after <= ord("9"))
        if suspect.any() and (suspect & ((before[:n] == separator) | (before[:n] == ord("\n")))).any():
            return True
    return False


def number_numbers(source: Array, target: Array) -> tuple[Array, Array, Array]:
    """Count out whole numbers (E,), (E,) as they first appear; return the codes of both, and ids as text.

    >>> codes = number_numbers(np.array([30, 7]), np.array([7, 12]))
    >>> [part.tolist() for part in codes]
    [[0, 1], [1, 2], ['30', '7', '12']]
    """
    n_edges = len(source)
    if not n_edges:
        return source.astype(np.int64), target.astype(np.int64), text_array((), 0)
    low, high = int(min(source.min(), target.min())), int(max(source.max(), target.max()))
    if high - low > 8 * n_edges + 1000 or n_edges >= 2**30:
        flat = np.column_stack((source, target)).ravel()
        codes, different = pd.factorize(flat, size_hint=n_edges // 2)
        u, v = np.ascontiguousarray(codes[::2]), np.ascontiguousarray(codes[1::2])
    else:
        u, v, different = _number_by_table(source, target, low, high)
    texts = ("%d\n" * len(different) % tuple(different.tolist())).split("\n")  # a third faster than str
    return u, v, text_array(texts, len(different))


def _number_by_table(source: Array, target: Array, low: int, high: int) -> tuple[Array, Array, Array]:
    """Do the same for numbers of a narrow range, over which a table is twice as fast as hashing."""
    n_edges = len(source)
    if low:
        source, target = source - low, target - low
    # The place 2k or 2k+1 at which each number first stands: written backwards, so the first one stays.
    first = np.full(high - low + 1, 2 * n_edges, dtype=np.int32)
    first[target[::-1]] = np.arange(2 * n_edges - 1, 0, -2, dtype=np.int32)
    first_source = np.full_like(first, 2 * n_edges)
    first_source[source[::-1]] = np.arange(2 * n_edges - 2, -1, -2, dtype=np.int32)
    np.minimum(first, first_source, out=first)
    is_new = np.zeros(2 * n_edges + 1, dtype=bool)
    is_new[first] = True
    places = np.flatnonzero(is_new[:-1])
    different = np.where(places % 2, target[places // 2], source[places // 2])
    code = np.zeros(high - low + 1, dtype=np.int64)
    code[different] = np.arange(len(different))
    return code[source], code[target], different + low


def number_words(words: list[str]) -> tuple[Array, Array]:
    """Count out texts in the order in which they first appear; return codes and the different texts."""
    codes, different = pd.factorize(text_array(words, len(words)))
    return codes.astype(np.int64, copy=False), np.asarray(different, dtype=object)


def number_values(ends: Any, where: str) -> tuple[Array, Array, Array, bool]:
    """Count out values (2E,), source and target in turn, by their text; also tell whether all are integers.

    A whole float is written as the integer it is. Missing and infinite ids are refused.
    """
    if ends.dtype.kind == "i" or (ends.dtype.kind == "u" and not (ends >> np.uint64(63)).any()):
        numbers = ends.astype(np.int64)
        return *number_numbers(numbers[::2], numbers[1::2]), True
    codes, different = pd.factorize(ends.astype(object), use_na_sentinel=False)
    again, ids = number_words([id_text(value, where) for value in different])
    codes = again[codes]
    return codes[::2], codes[1::2], ids, False


def id_text(value: Any, where: str) -> str:
    """Return an id as text: text as it is, whole numbers as digits, anything else as it prints.

    >>> id_text("007", "nodes"), id_text(7.0, "nodes"), id_text((1, 2), "nodes")
    ('007', '7', '(1, 2)')
    """
    if isinstance(value, str):
        text = str(value)
    elif isinstance(value, bytes):
        text = value.decode(errors="replace")
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    elif isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise DataError(f"{where}: ids must be text or whole numbers; one is {float(value)!r}: mend or drop it")
        return str(int(value) if value == math.floor(value) else float(value))
    elif value is None or value is pd.NA or value is pd.NaT:
        raise DataError(f"{where}: ids must be text or whole numbers; one is missing: mend or drop it")
    else:
        text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"{where}: ids must be Unicode text; {text!r} has half a character: mend it") from None
    return text


def text_array(words: Any, count: int) -> Array:
    """Return texts as an array of Python strings, the form of ``Network.node_ids``."""
    return np.fromiter(words, dtype=object, count=count)
