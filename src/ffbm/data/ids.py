"""Ids: from cells and values to vertex numbers, keeping the text as written."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ffbm.errors import DataError

Array = npt.NDArray[Any]

_WINDOW = 1 << 15  # numbers looked up at a time: so few stay in the processor's cache


def number_numbers(ends: Array) -> tuple[Array, Array]:
    """Count out whole numbers in the order in which they first appear; return codes and the ids as text.

    >>> codes, ids = number_numbers(np.array([30, 7, 7, 12]))
    >>> codes.tolist(), ids.tolist()
    ([0, 1, 1, 2], ['30', '7', '12'])
    """
    if not len(ends):
        return ends, text_array((), 0)
    low, high = int(ends.min()), int(ends.max())
    most = 4 * len(ends) + 1000  # numbers in a table; beyond, hashing is faster
    if high - low > most or len(ends) >= 2**31:
        codes, different = _number_by_hashing(ends, low, high)
    else:
        codes, different = _number_by_table(ends, 0 if low >= 0 and high <= most else low, high)
    return codes, text_array(_write_out(different), len(different))


def _number_by_hashing(ends: Array, low: int, high: int) -> tuple[Array, Array]:
    if high - low < 2**31:  # half the memory for each: a third faster
        codes, different = pd.factorize((ends - low).astype(np.int32), size_hint=len(ends) // 8)
        return codes, different.astype(np.int64) + low
    return pd.factorize(ends, size_hint=len(ends) // 8)


def _number_by_table(ends: Array, low: int, high: int) -> tuple[Array, Array]:
    """Do the same for numbers of a narrow range: a table, far faster than hashing, holds the code of each."""
    if low:
        ends = ends - low
    code = np.full(high - low + 1, -1, dtype=np.int32)
    codes = np.empty(len(ends), dtype=np.int32)
    numbers: list[Array] = []
    count = 0
    for begin in range(0, len(ends), _WINDOW):
        window, here = ends[begin : begin + _WINDOW], codes[begin : begin + _WINDOW]
        np.take(code, window, out=here, mode="clip")
        unknown = np.flatnonzero(here < 0)
        if len(unknown):
            new, places = window[unknown], np.arange(len(unknown), dtype=np.int32)
            code[new[::-1]] = places[::-1]  # backwards, so that the first place of each number stays
            numbers.append(new[code[new] == places])
            code[numbers[-1]] = np.arange(count, count + len(numbers[-1]), dtype=np.int32)
            count += len(numbers[-1])
            here[unknown] = code[new]
    return codes, np.concatenate(numbers) + low


def _write_out(numbers: Array) -> list[str]:
    """Write numbers into a table of characters, place by place: twice as fast as one after the other."""
    if numbers.min() < 0:
        return list(map(str, numbers.tolist()))
    high = numbers.max()
    n_places = len(str(high))
    characters = np.full((len(numbers), n_places + 1), ord(" "), dtype=np.uint8)
    left = numbers.astype(np.uint32) if high < 2**32 else numbers
    for position in range(n_places, 0, -1):
        tenth = left // 10
        digits = left - 10 * tenth + ord("0")
        if position < n_places:
            digits[left == 0] = ord(" ")  # before the first digit
        characters[:, position] = digits
        left = tenth
    return characters.tobytes().decode().split()


def number_words(words: list[str]) -> tuple[Array, Array]:
    """Count out texts in the order in which they first appear; return codes and the different texts."""
    codes, different = pd.factorize(text_array(words, len(words)))
    return codes.astype(np.int64, copy=False), np.asarray(different, dtype=object)


def number_values(ends: Any, where: str) -> tuple[Array, Array, bool]:
    """Count out values by their text; also return whether all are integers.

    A whole float is written as the integer it is. Missing and infinite ids are refused.
    """
    if ends.dtype.kind == "i" or (ends.dtype.kind == "u" and not (ends >> np.uint64(63)).any()):
        return *number_numbers(ends.astype(np.int64)), True
    codes, different = pd.factorize(ends.astype(object), use_na_sentinel=False)
    again, ids = number_words([id_text(value, where) for value in different])
    return again[codes], ids, False


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
            raise DataError(f"{where}: ids must be text or whole numbers; one is {float(value)!r}: repair or drop it")
        return str(int(value) if value == math.floor(value) else float(value))
    elif value is None or value is pd.NA or value is pd.NaT:
        raise DataError(f"{where}: ids must be text or whole numbers; one is missing: repair or drop it")
    else:
        text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"{where}: ids must be Unicode text; {text!r} has half a character: repair it") from None
    return text


def text_array(words: Any, count: int) -> Array:
    """Return texts as an array of Python strings, the form of ``Network.node_ids``."""
    return np.fromiter(words, dtype=object, count=count)
