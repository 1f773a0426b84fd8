"""A table of a page: what a figure shows, to be read, sorted and searched."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf, isnan
from typing import Any, NamedTuple

import numpy as np

from ffbm.plain import visible

_LOOKED_AT = 50  # rows that tell what a column holds


class Cell(NamedTuple):
    """A cell as it is shown, and the number that it is sorted by; None for text."""

    text: str
    value: float | None


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of values under names of columns.

    >>> table = Table("Scores", ("feature", "score"), [("a", 0.126), ("b", float("nan"))])
    >>> [[cell.text for cell in row] for row in table.cells]
    [['a', '0.13'], ['b', '–']]
    """

    caption: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    digits: int = 2
    is_long: bool = False  # it can be sorted and searched
    left_out: str = ""  # what is not in it, and where that is

    @cached_property
    def cells(self) -> list[list[Cell]]:
        """The rows as text, numbers with the same digits."""
        return [[write_cell(value, self.digits) for value in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [any(row[at].value is not None for row in self.cells[:_LOOKED_AT]) for at in range(len(self.head))]


def write_cell(value: Any, digits: int) -> Cell:
    """Write a value: numbers with thousands or digits, truth as yes and no, what is missing as a dash.

    >>> write_cell(1234, 2).text, write_cell(True, 2).text, write_cell(None, 2).text, write_cell(-0.001, 2).text
    ('1,234', 'yes', '–', '0.00')
    """
    if value is None or str(value) == "<NA>":  # pandas' missing integer
        return Cell("–", None)
    if isinstance(value, (bool, np.bool_)):
        return Cell("yes" if value else "no", float(value))
    if isinstance(value, (int, np.integer)):
        return Cell(f"{value:,}", float(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if isnan(number):
            return Cell("–", None)
        return Cell("∞" if isinf(number) else f"{round(number, digits) + 0.0:,.{digits}f}", number)
    return Cell(visible(str(value)), None)
