"""Delimited text to a grid of cells: which separator, where the lines end, which row breaks the grid.

A file without quotes and comments in which every line has the same number of separators is split at
one stroke; every other file goes row by row through the csv module. Both give the same cells.
"""

import csv
import io
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.data.files import check_text
from ffbm.data.preamble import are_names, is_number, read_preamble
from ffbm.data.remarks import shorten
from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Note

SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", " ": "white space"}
_BLANKS = re.compile(r"[ \t]+")
_QUOTED_WORD = re.compile(r'"((?:[^"]|"")*)"(?=[ \t]|$)|([^ \t]+)')
_SAMPLE = 1 << 12  # bytes, and at least so many lines, are read to find the separator
_SAMPLE_LINES = 20
_WINDOW = 1 << 18  # bytes checked at a time: a piece that stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of a delimited text, row after row.

    Parameters
    ----------
    data : bytes
        The text in UTF-8, from its first row on.
    separator : one of tab, comma, semicolon, blank (a run of white space)
    width : int
        Cells in a row.
    first_line : int
        The line of the file on which the first row begins.
    """

    where: str
    data: bytes
    separator: str
    width: int
    first_line: int
    remarks: tuple[Note, ...]
    n_leading_comments: int
    numbers: dict[tuple[int, ...], Any] = field(default_factory=dict)  # columns already read as numbers
    has_names: bool = False  # the first row is known to hold the names of the columns
    kind: str = ""  # what KONECT says of the graph: "sym", "asym" or "bip"
    says: str = ""  # what SNAP says of it: "directed" or "undirected"

    @cached_property
    def is_literal(self) -> bool:
        """No quotes, comments or runs of blanks: wherever a separator stands, it separates two cells."""
        return _is_literal(self.data, self.separator)

    @cached_property
    def is_plain(self) -> bool:
        """Literal, no blank lines, and ``width`` cells in every line."""
        return self.width > 1 and self.is_literal and _is_even(self.data, self.separator, self.width)

    @cached_property
    def _parsed(self) -> tuple[list[str], Sequence[int], int, int]:
        if self.is_plain:
            cells = _split_plain(self.data.removesuffix(b"\n"), self.separator)
            return cells, range(self.first_line, self.first_line + len(cells) // self.width), 0, 0
        return _parse_rows(self)

    @property
    def cells(self) -> list[str]:
        """Every cell, row after row."""
        return self._parsed[0]

    @property
    def n_rows(self) -> int:
        """Rows, a header included."""
        return len(self.cells) // self.width

    @property
    def notes(self) -> list[Note]:
        """What was guessed and skipped."""
        count = self.n_leading_comments + (self._parsed[2] if b"#" in self.data else 0)
        marks = "%" if self.kind else "#"
        notes = list(self.remarks)
        if count:
            message = f"{self.where}: {count_of(count, 'line')} beginning with {marks} skipped"
            notes.append(Note("comments", message, count))
        n_empty = self._parsed[3] if _may_have_empty_rows(self.data, self.separator) else 0
        if n_empty:
            message = f"{self.where}: {count_of(n_empty, 'row')} of empty cells skipped"
            notes.append(Note("empty-rows", message, n_empty))
        return notes

    @cached_property
    def first(self) -> list[str]:
        """The cells of the first row."""
        rows = _Rows(self.data[: _sample_end(self.data)].decode(), self.separator)
        try:
            row = next(iter(rows), None)
        except csv.Error:
            row = None
        first = self.cells[: self.width] if row is None else row[1]  # or raises the error with its line
        if not first:
            only = "only rows of empty cells"
            raise DataError(f"{self.where} must hold a table; it holds {only}: check that the right file was written")
        return first

    def column(self, position: int, skip: int) -> list[str]:
        """Return one column without its first ``skip`` cells."""
        return self.cells[position + skip * self.width :: self.width]

    def first_cells(self, position: int, skip: int) -> list[str]:
        """Return what one column begins with, without its first ``skip`` cells and without reading the other rows."""
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows.extend(row for _, row in _Rows(self.data[: _sample_end(self.data)].decode(), self.separator))
        return [row[position] for row in rows[skip:] if len(row) == self.width]

    @property
    def lines(self) -> Sequence[int]:
        """The line of the file on which each row begins."""
        return self._parsed[1]


def open_grid(data: bytes, where: str, suffix: str) -> Grid:
    r"""Find the separator and the width of a delimited text.

    >>> grid = open_grid(b"# two friends\na;b\nb;c\n", "friends.txt", ".txt")
    >>> grid.separator, grid.cells, grid.lines[1]
    (';', ['a', 'b', 'b', 'c'], 3)
    """
    data = check_text(data, where)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    above = read_preamble(data)
    if above.end == len(data):
        only = "only comment lines (#)" if above.n_comments else "nothing"
        raise DataError(f"{where} must hold a table; it holds {only}: check that the right file was written")
    data = data[above.end :]
    sample = data[: _sample_end(data)].decode()
    if above.separator:
        separator = above.separator
        width = _sample_widths(sample, separator)[0]
        message = f"{where}: a line 'sep={separator}' skipped, read as separated by {SEPARATORS[separator]}"
        notes = [Note("separator", message, 1)]
    else:
        separator, width, notes = _find_separator(sample, where, suffix)
    if _lacks_a_name(sample, separator):
        blank = '"" ' if separator == " " else separator
        data, width = blank.encode() + data, width + 1
        message = f"{where}: line {above.n_lines + 1} names all columns but the first, which holds names of rows"
        notes.append(Note("header", message, 1))
    spaced = f"{separator} "
    if separator in ",;" and b'"' not in data and sample.count(separator) == sample.count(spaced):
        data = data.replace(spaced.encode(), separator.encode())  # a blank after every separator belongs to it
    grid = Grid(where, data, separator, width, above.n_lines + 1, tuple(notes), above.n_comments, kind=above.kind)
    grid = replace(grid, says=above.says) if above.says else grid
    return _with_names(grid, above.last) if above.last else grid


def _with_names(grid: Grid, comment: str) -> Grid:
    """Take the comment above the first row for the names of the columns, if that is what it holds."""
    with suppress(csv.Error):
        names = [cell.strip() for _, row in _Rows(comment, grid.separator) for cell in row]
        if grid.width > 1 and are_names(names, grid.first):
            line = grid.first_line - 1
            message = f"{grid.where}: line {line}, a comment, read as names of columns: {shorten(names, 5)}"
            notes = (*grid.remarks, Note("header", message, 1))
            data = comment.encode() + b"\n" + grid.data
            left = grid.n_leading_comments - 1
            return Grid(
                grid.where, data, grid.separator, grid.width, line, notes, left, has_names=True, kind=grid.kind,
                says=grid.says,
            )  # fmt: skip
    return grid


def _lacks_a_name(sample: str, separator: str) -> bool:
    r"""Tell whether the first row names all columns but the first, as R's write.table does.

    >>> _lacks_a_name("team age\nann red 31\nbob red 40\n", " "), _lacks_a_name("team,age\nred,31,\n", ",")
    (True, False)
    """
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(row for _, row in _Rows(sample, separator))
    if len(rows) < 3 or {len(row) for row in rows[1:]} != {len(rows[0]) + 1}:
        return False
    is_named = all(name.strip() and not is_number(name) for name in rows[0])
    return is_named and any(row[-1].strip() for row in rows[1:])


def _sample_end(data: bytes) -> int:
    """Return where a line ends after enough lines and bytes to know the form of the rest."""
    end = 0
    for _ in range(_SAMPLE_LINES):
        end = data.find(b"\n", end) + 1 or len(data)
    return end if end >= _SAMPLE else data.find(b"\n", _SAMPLE) + 1 or len(data)


def _find_separator(sample: str, where: str, suffix: str) -> tuple[str, int, list[Note]]:
    """Choose the separator that stands in every line, equally often; tabs, semicolons, commas, blanks."""
    widths = {separator: _sample_widths(sample, separator) for separator in ("\t", ";", ",", " ")}
    inside = [s for s, seen in widths.items() if seen[0] > 1]
    everywhere = [s for s in inside if min(widths[s]) > 1]
    even = [s for s in everywhere if len(set(widths[s])) == 1 and s != " "]
    strong = [s for s in everywhere if s != " "]
    choice = next(iter(even or strong or everywhere or inside), ",")
    notes = []
    usual = {".csv": ",;", ".tsv": "\t"}.get(suffix, choice)
    if widths[choice][0] > 1 and (len(even) > 1 or choice not in usual):
        message = f"{where}: read as separated by {SEPARATORS[choice]}"
        notes.append(Note("separator", message, 1))
    return choice, widths[choice][0], notes


def _sample_widths(sample: str, separator: str) -> list[int]:
    widths: list[int] = []
    with suppress(csv.Error):  # an unclosed quote where the sample ends, or one that this separator breaks
        widths.extend(len(row) for _, row in _Rows(sample, separator))
    return widths or [1]


def _is_literal(data: bytes, separator: str) -> bool:
    if b'"' in data or b"#" in data:
        return False
    if separator == " ":
        return not (b"\t" in data or _has_odd_blanks(data))
    return not _may_have_empty_rows(data, separator)


def _may_have_empty_rows(data: bytes, separator: str) -> bool:
    """Tell whether a row begins with an empty cell: it may hold nothing else, as spreadsheets write below a table."""
    mark = separator.encode()
    first = data[: data.find(b"\n") + 1] if data.startswith(mark) else mark + b"."
    return separator != " " and (not first.strip(mark + b" \t\n") or b"\n" + mark in data)


def _is_even(data: bytes, separator: str, width: int) -> bool:
    """Return whether every line has exactly ``width`` cells."""
    mark, newline = ord(separator), ord("\n")
    codes = np.frombuffer(data.removesuffix(b"\n"), dtype=np.uint8)
    position = 0  # the cell of its line that the window begins with
    for begin in range(0, len(codes), _WINDOW):
        window = codes[begin : begin + _WINDOW]
        ends = window[(window == mark) | (window == newline)] == newline
        due = ends[width - 1 - position :: width]
        if not due.all() or np.count_nonzero(ends) != len(due):
            return False
        position = (position + len(ends)) % width
    return position == width - 1


def _split_plain(data: bytes, separator: str) -> list[str]:
    """Return the cells of lines without quotes and comments; cells that are equal are one text in memory."""
    cells: list[str] = []
    different: dict[str, str] = {}
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin + _WINDOW)
        end = len(data) if end < 0 else end
        piece = data[begin:end].decode().replace("\n", separator).split(separator)
        cells += map(different.setdefault, piece, piece)
        begin = end + 1
    return cells


def _has_odd_blanks(data: bytes) -> bool:
    return b"  " in data or b"\n " in data or b" \n" in data or data.startswith(b" ") or data.endswith(b" ")


def _parse_rows(grid: Grid) -> tuple[list[str], Sequence[int], int, int]:
    cells: list[str] = []
    lines = array("q")
    rows = _Rows(grid.data.decode(), grid.separator, grid.first_line)
    try:
        for line, row in rows:
            if len(row) != grid.width:
                message = f"every row must have {count_of(grid.width, 'cell')}, as the first has"
                cure = f"repair the row, or the separator (read as {SEPARATORS[grid.separator]})"
                if grid.separator == " ":
                    cure += "; rows of a vertex and its neighbours are read from a file called .adjlist"
                raise DataError(f"{grid.where}: {message}; line {line} has {len(row)}: {cure}")
            cells += row
            lines.append(line)
    except csv.Error as error:
        reason = f"{error}; repair the row"
        if "end of data" in reason:
            reason = "a quote is opened and never closed; repair the row"
        elif "expected after" in reason:
            reason = "text follows a closing quote; double the quotes inside the cell"
        raise DataError(f"{grid.where}: cannot split the row at line {rows.start}: {reason}") from None
    return cells, lines, rows.n_comments, rows.n_empty


class _Rows:
    """The rows of a delimited text with the line each begins on; empty rows, blank lines and comments left out.

    A ``#`` begins a comment where a row would begin, not inside a quoted cell that runs over lines:
    the first line that the csv module asks for after a row begins the next one.
    """

    def __init__(self, text: str, separator: str, first_line: int = 1) -> None:
        self.lines: Iterator[str] = io.StringIO(text)
        self.separator = separator
        self.has_late_quotes = f'{separator} "' in text  # cells are quoted behind a blank: 0, "a, b"
        self.number = first_line - 1
        self.start = first_line
        self.n_comments = self.n_empty = 0
        self._is_fresh = True

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        if self.separator == " ":
            for line in self._feed():
                self._is_fresh = True
                yield self.start, _split_words(line)
            return
        reader = csv.reader(self._feed(), delimiter=self.separator, strict=True, skipinitialspace=self.has_late_quotes)
        for row in reader:
            self._is_fresh = True
            if row[0].strip() or any(cell.strip() for cell in row):
                yield self.start, row
            else:
                self.n_empty += 1

    def _feed(self) -> Iterator[str]:
        for line in self.lines:
            self.number += 1
            if self._is_fresh:
                begin = line.lstrip() if line[0].isspace() or line[0] == "#" else line
                if not begin or begin[0] == "#":
                    self.n_comments += bool(begin)
                    continue
                self.start, self._is_fresh = self.number, False
            yield line


def _split_words(line: str) -> list[str]:
    line = line.strip(" \t\r\n")
    if '"' not in line:
        return _BLANKS.split(line)
    words = _QUOTED_WORD.findall(line)
    return [bare or quoted.replace('""', '"') for quoted, bare in words]
