"""Adjacency matrices in tables: one row and one column for each vertex, with their names or without."""

import numpy as np
import scipy.sparse as sp

from ffbm.data.columns import MISSING_WORDS
from ffbm.data.delimited import Grid
from ffbm.data.objects import read_matrix
from ffbm.data.preamble import is_number
from ffbm.data.raw import RawGraph
from ffbm.data.tables import known_ends
from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Array, Note

_LEAST = 4  # columns: fewer are an edge list
_WIDE = 10  # columns from which on a square of numbers is no list of edges, which has not as many columns as rows


def read_adjacency(grid: Grid, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph | None:
    r"""Read a delimited text as an adjacency matrix; None if it is none.

    With names it has them in its first row and its first column, or in its first row alone. Without names, or with
    those of columns alone, all cells must be numbers, and the matrix symmetric, of 0 and 1, or of 10 rows or more.

    >>> from ffbm.data.delimited import open_grid
    >>> raw = read_adjacency(open_grid(b",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", "m.csv", ".csv"))
    >>> raw.ids.tolist(), raw.source.tolist(), raw.target.tolist(), raw.is_directed
    (['a', 'b', 'c'], [0, 1], [1, 2], False)
    """
    if grid.width < _LEAST or known_ends(grid.first) is not None:
        return None
    n_rows, width = grid.n_rows, grid.width
    if n_rows not in (width, width + 1):
        return None
    cells = np.array(grid.cells, dtype=object).reshape(n_rows, width)
    top = [text.strip() for text in cells[0]]
    side = [text.strip() for text in cells[:, 0]]
    names: list[str] | None = None
    is_named = n_rows == width and len(set(top[1:])) == width - 1 and set(top[1:]) == set(side[1:])
    if is_named and all(top[1:]):
        names, body = side[1:], cells[1:, 1:][:, [top.index(name, 1) - 1 for name in side[1:]]]
    elif n_rows == width + 1:
        if any(map(is_number, top)) or len(set(top)) < width or not all(top):
            return None
        names, body = top, cells[1:]
    else:
        body = cells
    values, n_absent = _numbers(body)
    if values is None:
        return None
    is_clear = is_named or len(values) >= _WIDE
    if not is_clear and not (np.array_equal(values, values.T) or np.isin(values, (0, 1)).all()):
        return None
    if not np.isfinite(values).all():
        raise DataError(f"{grid.where}: an adjacency matrix must hold finite numbers; it holds infinity: repair it")
    raw = read_matrix(sp.csr_array(values), names, multiplicity, grid.where, edge_weight)
    message = f"{grid.where}: read as an adjacency matrix of {count_of(len(values), 'vertex', 'vertices')}"
    raw.is_unnamed = names is None
    notes = [*grid.notes, Note("matrix", message, len(values))]
    if n_absent:
        absent = f"{grid.where}: {count_of(n_absent, 'cell')} such as 'NA' read as no edge"
        notes.append(Note("absent-cells", absent, n_absent))
    raw.notes[:0] = notes
    return raw


def _numbers(cells: Array) -> tuple[Array | None, int]:
    """Return cells as numbers, None if one is text, and how many are NA or the like; these and blank ones are 0."""
    texts = [text.strip() for text in cells.ravel()]
    absent = [text.casefold() in MISSING_WORDS for text in texts]
    if not all(is_number(text) or not text or is_absent for text, is_absent in zip(texts, absent, strict=True)):
        return None, 0
    numbers = [0.0 if is_absent else float(text or 0) for text, is_absent in zip(texts, absent, strict=True)]
    return np.array(numbers).reshape(cells.shape), sum(absent)
