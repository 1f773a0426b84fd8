"""The feature matrix X: each parsed column becomes a piece, the pieces are put side by side."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ffbm.data.columns import Column
from ffbm.data.remarks import Remark
from ffbm.types import Features

Array = npt.NDArray[Any]


class Piece(NamedTuple):
    """The features of one column: their names and the cells of X that are not zero.

    ``rows`` and ``places`` say where (vertex, feature of this piece), ``data`` what; ``mean`` and
    ``sd`` belong to the first feature, the only one that can be a number. ``missing`` are the vertices whose cell of
    the column is missing.
    """

    names: list[str]
    rows: Array
    places: Array
    data: Array
    mean: float = 0.0
    sd: float = 1.0
    missing: Array = np.empty(0, dtype=np.int64)


def no_features() -> Piece:
    """Return the piece of a column that is left out."""
    return Piece([], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))


def make_features(column: Column) -> Piece:
    """Turn a column into one standardised number, one flag, or one flag for each of its values."""
    if column.kind == "number":
        scaled, mean, sd = _standardise(column.numbers)
        rows = np.flatnonzero(scaled)
        return Piece([column.name], rows, np.zeros(len(rows), dtype=np.int64), scaled[rows], mean, sd)
    if column.kind == "flag":
        rows = np.flatnonzero(column.numbers == 1)
        return Piece([column.name], rows, np.zeros(len(rows), dtype=np.int64), np.ones(len(rows)))
    rows = np.flatnonzero(column.codes >= 0)
    names = [f"{column.name}={value}" for value in column.values]
    return Piece(names, rows, column.codes[rows], np.ones(len(rows)))


def append_flag(piece: Piece, name: str, is_set: Array) -> Piece:
    """Return the piece with one more flag, set where the (N,) array of truths is."""
    rows = np.flatnonzero(is_set)
    return piece._replace(
        names=[*piece.names, name],
        rows=np.concatenate((piece.rows, rows)),
        places=np.concatenate((piece.places, np.full(len(rows), len(piece.names)))),
        data=np.concatenate((piece.data, np.ones(len(rows)))),
    )


def leave_out_rare(piece: Piece, n_numbers: int, min_support: int) -> tuple[Piece, int]:
    """Take out the flags set on too few vertices, and count them; the first ``n_numbers`` are no flags."""
    if min_support == 1:  # every flag that is made is set somewhere
        return piece, 0
    keep = np.bincount(piece.places, minlength=len(piece.names)) >= min_support
    keep[:n_numbers] = True
    stays = keep[piece.places]
    names = [name for name, kept in zip(piece.names, keep, strict=True) if kept]
    places = (np.cumsum(keep) - 1)[piece.places[stays]]
    shorter = piece._replace(names=names, rows=piece.rows[stays], places=places, data=piece.data[stays])
    return shorter, int((~keep).sum())


def assemble(n_rows: int, columns: list[str], pieces: list[Piece]) -> tuple[Features, list[Remark]]:
    """Put the pieces of the columns side by side: CSR if mostly zero, else dense."""
    widths = [len(piece.names) for piece in pieces]
    starts = np.cumsum([0, *widths])[:-1]
    origin = [name for name, width in zip(columns, widths, strict=True) for _ in range(width)]
    names, remarks = _make_unique([name for piece in pieces for name in piece.names], origin)
    mean, sd = np.zeros(len(names)), np.ones(len(names))
    for start, width, piece in zip(starts, widths, pieces, strict=True):
        if width:
            mean[start], sd[start] = piece.mean, piece.sd
    every = [no_features(), *pieces]
    rows = np.concatenate([piece.rows for piece in every])
    places = np.concatenate([p.places + start for p, start in zip(every, [0, *starts], strict=True)])
    data = np.concatenate([piece.data for piece in every])
    shape = (n_rows, len(names))
    values: Any
    if 2 * len(data) < n_rows * len(names):
        values = sp.coo_array((data, (rows, places)), shape=shape).tocsr()
        values.sort_indices()
    else:
        values = np.zeros(shape)
        values[rows, places] = data
    missing = missing_cells(n_rows, [piece.missing for piece in pieces if piece.names])
    return Features(values, tuple(names), tuple(origin), mean, sd, missing), remarks


def missing_cells(n_rows: int, by_column: list[Array]) -> Any:
    """Return the mask of missing cells (N, G) as CSR, given the rows at which each column is missing; None if none are.

    >>> missing_cells(3, [np.array([], dtype=int), np.array([0, 2])]).toarray().astype(int).tolist()
    [[0, 1], [0, 0], [0, 1]]
    """
    counts = [len(rows) for rows in by_column]
    if not sum(counts):
        return None
    columns = np.repeat(np.arange(len(by_column)), counts)
    cells = np.ones(len(columns), dtype=bool), (np.concatenate(by_column), columns)
    mask = sp.coo_array(cells, shape=(n_rows, len(by_column))).tocsr()
    mask.sort_indices()
    return mask


def _standardise(numbers: Array) -> tuple[Array, float, float]:
    """Return (numbers - mean) / sd with 0 for NaN, the mean and the sd (ddof 0) of what is known."""
    known = np.sort(numbers[~np.isnan(numbers)])  # sorted: the same sums whatever the order of the vertices
    if known[0] == known[-1]:
        return np.zeros(len(numbers)), float(known[0]), 1.0
    scale = float(np.abs(known[[0, -1]]).max())  # sums of squares stay finite for any finite number
    unit = known / scale
    mean, sd = float(unit.mean()), float(unit.std())
    return np.nan_to_num((numbers / scale - mean) / sd), mean * scale, max(sd * scale, np.finfo(float).tiny)


def _make_unique(names: list[str], columns: list[str]) -> tuple[list[str], list[Remark]]:
    """Give a number to a name that stands twice: column a, value b=c against column a=b, value c."""
    taken = set(names)
    if len(taken) == len(names):
        return names, []
    seen: set[str] = set()
    remarks = []
    unique = []
    for name, column in zip(names, columns, strict=True):
        fresh, number = name, 2
        while fresh in seen or (fresh != name and fresh in taken):
            fresh, number = f"{name} ({number})", number + 1
        if fresh != name:
            message = f"has a feature {name!r} of the same name as another: renamed to {fresh!r}"
            remarks.append(Remark("renamed", column, message, 1))
        seen.add(fresh)
        unique.append(fresh)
    return unique, remarks
