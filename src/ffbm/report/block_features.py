"""What sets each block apart, as a table with small bars: blocks as rows, columns of the user's table as columns."""

from collections import defaultdict
from dataclasses import dataclass

from ffbm.plain import count_of, visible
from ffbm.report.subject import Subject
from ffbm.report.table import Table
from ffbm.types.relevance import SetApart

_COLUMNS = 6  # columns that get one of their own; with more, all stand in one
_IN_CELL = 3  # bars of a cell
_ROWS = 40  # blocks


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with a bar as long as its weight, in percent of the longest one."""

    value: str
    weight: str
    length: int
    is_more: bool


@dataclass(frozen=True, eq=False)
class Apart:
    """The table: names of columns, and for each block the bars of each; and what is not in it."""

    columns: tuple[str, ...]
    cells: list[list[list[Bar]]]
    left_out: str


def lay_out(subject: Subject) -> Apart:
    """Put what sets blocks apart into cells."""
    names = _columns(subject)
    one = len(names) > _COLUMNS
    longest = max((abs(feature.weight) for block in subject.apart for feature in block), default=1.0)
    cells, more = [], 0
    for block in subject.apart[:_ROWS]:
        by_column: dict[str, list[SetApart]] = defaultdict(list)
        for feature in block:
            by_column["" if one else feature.column].append(feature)
        rows = [by_column[name] for name in ([""] if one else names)]
        more += sum(max(0, len(row) - _IN_CELL) for row in rows)
        cells.append([[_bar(feature, longest, one) for feature in row[:_IN_CELL]] for row in rows])
    parts = [count_of(len(subject.apart) - _ROWS, "smaller block")] if len(subject.apart) > _ROWS else []
    if more:
        parts.append(count_of(more, "weaker value"))
    left = f"Not shown: {' and '.join(parts)}; all are in blocks.csv of the run." if parts else ""
    return Apart(("set apart by",) if one else tuple(visible(name) for name in names), cells, left)


def apart_table(subject: Subject) -> Table:
    """One row for each block and feature that sets it apart."""
    rows = [
        (block, feature.column, feature.feature, feature.weight, feature.sure)
        for block, features in enumerate(subject.apart)
        for feature in features
    ]
    head = ("block", "column", "feature", "centred weight", subject.name_of_sure)
    return Table("What sets each block apart", head, rows, is_long=True)


def _columns(subject: Subject) -> list[str]:
    """Name the columns that set a block apart, the one with the largest weights first."""
    sums: dict[str, float] = defaultdict(float)
    for block in subject.apart:
        for feature in block:
            sums[feature.column] += abs(feature.weight)
    return sorted(sums, key=lambda name: -sums[name])


def _bar(feature: SetApart, longest: float, is_whole: bool) -> Bar:
    value = (
        f"{feature.way} {feature.feature}"
        if is_whole and feature.is_number
        else feature.feature
        if is_whole
        else feature.value
    )
    length = max(2, round(100 * abs(feature.weight) / longest))
    return Bar(visible(value), f"{feature.weight:+.1f}".replace("-", "\u2212"), length, feature.weight > 0)
