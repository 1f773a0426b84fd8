"""What a reader hands on: numbered edges, the ids as written, and the vertices' table; nothing judged yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ffbm.data.remarks import option, shorten
from ffbm.errors import DataError, keyword
from ffbm.plain import count_of
from ffbm.types import Note

Array = npt.NDArray[Any]

_LOOKED_AT = 1000  # cells that tell what a column holds


@dataclass(slots=True)
class RawNodes:
    """Vertices in their order with a table of attributes.

    Parameters
    ----------
    where : text
        What messages call it: a file's name or the kind of object.
    ids : (N,) object array of text
        As written.
    table : DataFrame with N rows
    lines : N line numbers, if they come from a file
    display : the column that holds names for people to look at, if the format has one
    guessed : the name of the first column, if it was taken for the ids since none is called so
    is_table : whether columns are attributes by name, and not features already
    """

    where: str
    ids: Array
    table: pd.DataFrame
    lines: Sequence[int] | None = None
    display: str | None = None
    guessed: str | None = None
    notes: list[Note] = field(default_factory=list)
    is_table: bool = True

    def take(self, rows: Array) -> "RawNodes":
        """Return some of the vertices, marked by (N,) bool."""
        lines = None if self.lines is None else [line for line, stays in zip(self.lines, rows, strict=True) if stays]
        return replace(self, ids=self.ids[rows], table=self.table[rows].reset_index(drop=True), lines=lines)


@dataclass(slots=True)
class RawGraph:
    """Edges between numbered vertices.

    Parameters
    ----------
    ids : (M,) object array of different texts
        The name of each number; those of ``vertices`` come first.
    source, target : (E,) int32 or int64
        Places in ``ids``.
    counts : (E,) int64, optional
        How many edges each stands for.
    vertices : RawNodes, optional
        The vertices that the graph itself declares; None for a list of edges.
    is_directed : bool
        The graph says that edges have a direction, from source to target.
    both_ways : (E,) bool, optional
        Which edges of a graph that may be directed lead both ways, and so are two.
    is_ordered : bool
        Source and target stand as they were written; False for objects without direction.
    is_numbered : bool
        The ids are whole numbers in their plain spelling, so nothing about them needs a look.
    sides : (M,) texts, optional
        Of a two-mode list of edges: the name of the column that each id stands in.
    is_doubtful : bool
        The first edge may be a row of names: its two ids are text and never come again.
    is_unnamed : bool
        Vertices have no names but their places, 0 to M - 1.
    weights : RawWeights, optional
        A weight for each edge.
    """

    where: str
    ids: Array
    source: Array
    target: Array
    counts: Array | None = None
    vertices: RawNodes | None = None
    is_directed: bool = False
    both_ways: Array | None = None
    is_ordered: bool = True
    is_numbered: bool = False
    is_doubtful: bool = False
    is_unnamed: bool = False
    sides: Array | None = None
    notes: list[Note] = field(default_factory=list)
    weights: Any = None


def no_attributes(n_nodes: int) -> pd.DataFrame:
    """Return a table of N rows without columns."""
    return pd.DataFrame(index=pd.RangeIndex(n_nodes))


def find_repeated_rows(nodes: RawNodes) -> Array:
    """Return (N,) bool: which rows of a file say of the same id what a row before them says, cell for cell.

    >>> table = pd.DataFrame({"team": ["red", "blue", "red"]})
    >>> nodes = RawNodes("people.csv", np.array(["ann", "bob", "ann"], dtype=object), table, range(2, 5))
    >>> find_repeated_rows(nodes).tolist()
    [False, False, True]
    """
    if nodes.lines is None or pd.Index(nodes.ids).is_unique:
        return np.zeros(len(nodes.ids), dtype=bool)
    rows = pd.Series(list(map(tuple, np.column_stack((nodes.ids, nodes.table.to_numpy(dtype=object))))))
    return rows.duplicated().to_numpy()


def check_one_graph(n_graphs: int, where: str) -> None:
    """Refuse a file that holds no graph, or several."""
    if n_graphs == 0:
        raise DataError(f"{where} must hold a graph; it holds no graph: check that the right file was written")
    if n_graphs > 1:
        raise DataError(f"{where} must hold one graph; it holds {n_graphs}: keep one in a file")


def pick_column(names: Sequence[str], wanted: str, option: str, where: str) -> int:
    """Return the place of the column that an option names.

    >>> pick_column(["id", "age"], "sex", "id", "nodes.csv")
    Traceback (most recent call last):
        ...
    ffbm.errors.DataError: nodes.csv must have the column 'sex' that id= names; its columns are 'id', 'age'
    """
    wanted = str(wanted)
    count = names.count(wanted)
    if count == 0:
        has = f"its columns are {shorten(names, 10)}" if names else "it has no columns"
        raise DataError(f"{where} must have the column {wanted!r} that {keyword(option, '')} names; {has}")
    if count > 1:
        raise DataError(
            f"{where}: {keyword(option, '')} names {wanted!r}, which {count} columns are called; rename them"
        )
    return names.index(wanted)


def note_left_out(where: str, names: Sequence[str], *, are_lists: bool = False) -> list[Note]:
    """Say which attributes of the vertices are left out, since a cell is no single value."""
    if not names:
        return []
    reason = "not one value for each vertex"
    if are_lists:
        reason = "it holds lists" if len(names) == 1 else "they hold lists"
    message = f"{where}: {count_of(len(names), 'attribute')} left out, {reason}: {shorten(names, 5)}"
    return [Note("nested", message, len(names))]


def note_unused(
    where: str, names: Sequence[str], *, numeric: Sequence[str] | None = None, can_count: bool = True
) -> list[Note]:
    """Say which columns of the edges are not used; ``numeric`` are those that hold numbers, where that is known."""
    if not names:
        return []
    hold = "one that holds numbers"
    if numeric:
        hold = f"{shorten(numeric, 5)} {'holds' if len(numeric) == 1 else 'hold'} numbers, which"
    remedy = f"; {hold} may be their number, {option('multiplicity')}, or their weight, {option('edge_weight')}"
    if not can_count or numeric == []:
        remedy = ""
    which = f"{'column' if len(names) == 1 else 'columns'} {shorten(names, 5)}"
    return [Note("edge-columns", f"{where}: {which} of the edges not used{remedy}", len(names))]


def hold_numbers(cells: Any) -> bool:
    """Tell whether all that is written in the first cells of a column are numbers, and anything is.

    >>> hold_numbers(["1", "", "2.5"]), hold_numbers(["mail", "1"]), hold_numbers(["", ""])
    (True, False, False)
    """
    first = pd.Series(list(cells[:_LOOKED_AT]), dtype=object)
    written = first[first.notna() & (first.astype(str).str.strip() != "")]
    return bool(len(written)) and not np.isnan(numbers_in(written.to_numpy())).any()


def numbers_in(cells: Array) -> Array:
    """Return cells as numbers, NaN where a cell is none; truth values are none.

    >>> numbers_in(np.array(["2", "x", True], dtype=object)).tolist()
    [2.0, nan, nan]
    """
    numbers = pd.to_numeric(pd.Series(cells), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    if cells.dtype.kind in "Ob":
        numbers[[isinstance(cell, bool | np.bool_) for cell in cells]] = np.nan
    return numbers


def whole_counts(values: Any, option: str, where: str, locate: Any) -> Array:
    """Return multiplicities as int64 (E,), or name the first that is no positive whole number.

    ``locate(k)`` says where number k stands, for the message.
    """
    cells = np.asarray(values)
    numbers = numbers_in(cells)
    with np.errstate(invalid="ignore"):
        bad = ~((numbers >= 1) & (numbers <= 2**53) & (numbers == np.floor(numbers)))
    if bad.any():
        first = int(np.argmax(bad))
        came = cells[first].item() if isinstance(cells[first], np.generic) else cells[first]
        raise DataError(
            f"{where}: {keyword('multiplicity', repr(option))} must name positive whole numbers; "
            f"{locate(first)} has {came!r}: repair it, or leave {keyword('multiplicity', '')} away"
        )
    return numbers.astype(np.int64)
