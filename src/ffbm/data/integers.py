"""Columns of whole numbers, read from their digits without making text of a million ids.

The text is cut into cells a window of lines at a time. Eight digits that lie side by side in memory are
one number of 64 bits, which three multiplications turn into the number that they spell.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.data.delimited import Grid
from ffbm.workers import open_workers

Array = npt.NDArray[Any]

_PLAIN_NUMBER = re.compile(r"-?[1-9][0-9]{0,17}|0")
_MOST_DIGITS = 18  # any number of so many fits 64 bits
_WINDOW = 1 << 18  # bytes read at a time: a piece that stays in the processor's cache
_PADDING = bytes(_MOST_DIGITS)  # behind the last line, to be read and dropped
_ZEROS = 0x3030303030303030  # eight digits 0
_SIXES = 0x0606060606060606  # added to a byte above 9, they reach into its upper half
_UPPER = 0xF0F0F0F0F0F0F0F0


def whole_numbers(grid: Grid, positions: Sequence[int], skip: int) -> Array | None:
    r"""Return columns as int64 (rows, len(places)) if every cell is a whole number in its plain spelling.

    Plain means that the number written out again is the text that was read: ``7``, not ``007``,
    ``+7`` or `` 7``. Else None.

    >>> from ffbm.data.delimited import open_grid
    >>> whole_numbers(open_grid(b"1,2\n3,4\n", "edges.csv", ".csv"), (0, 1), 0)
    array([[1, 2],
           [3, 4]])
    >>> whole_numbers(open_grid(b"1,2\n3,004\n", "edges.csv", ".csv"), (0, 1), 0)
    """
    key = (*positions, skip)
    if key not in grid.numbers:
        grid.numbers[key] = _whole_numbers(grid, positions, skip)
    numbers: Array | None = grid.numbers[key]
    return numbers


def _whole_numbers(grid: Grid, positions: Sequence[int], skip: int) -> Array | None:
    data, start = grid.data, 0
    for _ in range(skip):
        start = data.find(b"\n", start) + 1 or len(data)
    end = data.find(b"\n", start)
    cells = data[start : len(data) if end < 0 else end].decode().split(grid.separator)
    if len(cells) != grid.width or not all(_PLAIN_NUMBER.fullmatch(cells[position]) for position in positions):
        return None
    if len(set(positions)) < grid.width and not grid.is_literal:
        return None  # if all columns are read, a quote, a comment or a blank shows as a cell that is no number
    windows = list(pairwise(_cut(data, start)))
    rows = np.cumsum([0] + [data.count(b"\n", *window) for window in windows])
    rows[-1] += not data.endswith(b"\n")
    numbers = np.empty((rows[-1], len(positions)), dtype=np.int64)

    def read(window: tuple[tuple[int, int], tuple[int, int]]) -> bool:
        text, (first, last) = window
        part = _read_lines(data[slice(*text)], grid, positions)
        if part is not None:
            numbers[first:last] = part
        return part is not None

    with open_workers(None, len(windows)) as run:
        return numbers if all(run(read, list(zip(windows, pairwise(rows), strict=True)))) else None


def _cut(data: bytes, start: int) -> list[int]:
    """Return where windows begin, each at the beginning of a line, and the end of the last."""
    cuts = [start]
    while cuts[-1] < len(data):
        begin = cuts[-1]
        cuts.append(data.rfind(b"\n", begin, begin + _WINDOW) + 1 or data.find(b"\n", begin) + 1 or len(data))
    return cuts


def _read_lines(text: bytes, grid: Grid, positions: Sequence[int]) -> Array | None:
    text += _PADDING if text.endswith(b"\n") else b"\n" + _PADDING
    codes, width = np.frombuffer(text, dtype=np.uint8), grid.width
    is_line_end = codes == ord("\n")
    ends = np.flatnonzero(is_line_end | (codes == ord(grid.separator)))
    if len(ends) != width * np.count_nonzero(is_line_end) or not is_line_end[ends[width - 1 :: width]].all():
        return None
    begins = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=begins[1:])
    if tuple(positions) != tuple(range(width)):
        begins, ends = (marks.reshape(-1, width)[:, positions].ravel() for marks in (begins, ends))
    numbers = _read_cells(text, codes, begins, ends)
    return None if numbers is None else numbers.reshape(-1, len(positions))


def _read_cells(text: bytes, codes: Array, begins: Array, ends: Array) -> Array | None:
    first = codes[begins]
    is_negative = first == ord("-")
    has_signs = bool(is_negative.any())
    if has_signs:
        begins = begins + is_negative
        first = codes[begins]
    lengths = ends - begins
    if lengths.min() < 1 or lengths.max() > _MOST_DIGITS:
        return None
    if np.any((first == ord("0")) & ((lengths > 1) | is_negative)):
        return None
    numbers = _read_digits(text, codes, begins, lengths)
    if numbers is not None and has_signs:
        np.negative(numbers, out=numbers, where=is_negative)
    return numbers


def _read_digits(text: bytes, codes: Array, begins: Array, lengths: Array) -> Array | None:
    """Return the numbers that begin at ``begins``, or None where a character is no digit."""
    longest = int(lengths.max())
    eights = np.ndarray(len(text) - 7, dtype="V8", buffer=text, strides=1)[begins].view("<u8")
    eights = eights.astype(np.uint64, copy=False)
    # The first digit lies lowest; what stands behind the last one is shifted out.
    shift = (64 - 8 * (lengths if longest <= 8 else np.minimum(lengths, 8))).astype(np.uint64)
    eights <<= shift
    eights ^= _ZEROS << shift
    if int(np.bitwise_or.reduce(eights + _SIXES | eights)) & _UPPER:
        return None
    for step, keep in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF)):
        eights *= (10 ** (step // 8) << step) + 1  # two neighbours become one: tens, hundreds, ten thousands
        eights >>= step
        eights &= keep
    numbers = eights.view(np.int64)
    for position in range(8, longest):
        is_there = lengths > position
        digits = (codes[begins + position] - ord("0")) * is_there
        if digits.max() > 9:
            return None
        numbers *= np.where(is_there, 10, 1)
        numbers += digits
    return numbers
