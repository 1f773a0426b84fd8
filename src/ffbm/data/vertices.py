"""Vertices that come as objects: a table by id, the rows of an array, an attribute that holds the ids."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ffbm.data.ids import id_text, text_array
from ffbm.data.raw import RawGraph, RawNodes, pick_column
from ffbm.errors import DataError, keyword
from ffbm.types import Note

_TABLE = "the table of features"
_ARRAY = "the array of features"


def frame_nodes(frame: pd.DataFrame, id: str | None = None) -> RawNodes:  # noqa: A002
    """Return a table by id: its index, or the column ``id`` if that is named or the index says nothing."""
    names = [str(name) for name in frame.columns]
    notes = []
    called = [name for name in names if name.strip().casefold() == "id"]
    if id is None and isinstance(frame.index, pd.RangeIndex) and frame.index.name is None and called:
        id = called[0]  # noqa: A001
        message = f"{_TABLE}: ids taken from its column {id!r}, since its index is only a count"
        notes.append(Note("id-column", message, 1))
    if id is None:
        values, table = frame.index.to_numpy(dtype=object), frame
    else:
        position = pick_column(names, id, "id", _TABLE)
        values = frame.iloc[:, position].to_numpy(dtype=object)
        table = frame.iloc[:, [column for column in range(len(names)) if column != position]]
    if not len(frame):
        raise DataError(f"{_TABLE} must hold a vertex or more; it holds no rows: add them")
    ids = text_array((id_text(value, _TABLE) for value in values), len(values))
    return RawNodes(_TABLE, ids, table, notes=notes)


def array_table(features: Any) -> pd.DataFrame:
    """Return an (N,D) array, dense or sparse, as a table with the columns x0, x1, ...

    >>> array_table([[1, 0], [0, 1]]).columns.tolist()
    ['x0', 'x1']
    """
    table: pd.DataFrame
    if sp.issparse(features):
        matrix: Any = features
        if matrix.ndim != 2:
            raise DataError(f"{_ARRAY} must have the shape (N,D); it has {matrix.shape}")
        entries = matrix.tocoo()
        _refuse_infinite(entries.data, entries.row)
        accessor: Any = pd.DataFrame.sparse
        table = accessor.from_spmatrix(sp.coo_matrix(matrix))
    else:
        try:
            array = np.asarray(features)
        except ValueError:
            raise DataError(f"{_ARRAY} must have the shape (N,D); its rows differ in length: fill them up") from None
        if array.ndim not in (1, 2) or np.ma.isMaskedArray(features) or array.dtype.names:
            came = f"got the shape {array.shape}" if array.ndim else f"got a {type(features).__name__}"
            if array.ndim in (1, 2):
                came = "it is structured" if array.dtype.names else "it is masked"
            raise DataError(f"{_ARRAY} must have the shape (N,D); {came}: give a DataFrame")
        _refuse_infinite(array, np.arange(len(array)))
        table = pd.DataFrame(array[:, np.newaxis] if array.ndim == 1 else array)
    table.columns = pd.Index([f"x{position}" for position in range(table.shape[1])])
    return table


def array_nodes(raw: RawGraph, table: pd.DataFrame) -> RawNodes:
    """Give the rows of an array to the graph's vertices, in their order."""
    if raw.vertices is None:
        raise DataError(f"{_ARRAY} has rows without ids: say which vertex each is with node_ids=, or give a DataFrame")
    n_nodes = len(raw.vertices.ids)
    if len(table) != n_nodes:
        raise DataError(
            f"{_ARRAY} must have a row for each of {n_nodes:,} vertices of {raw.where}; it has "
            f"{len(table):,}: give one for each, or a DataFrame by id"
        )
    return RawNodes(_ARRAY, raw.vertices.ids, table, is_table=False)


def number_from_one(raw: RawGraph, nodes: RawNodes) -> None:
    """Count the rows of a matrix without names from 1, if the ids of the node table do."""
    ids = [str(number) for number in range(1, len(raw.ids) + 1)]
    if raw.is_unnamed and len(nodes.ids) == len(ids) and {text.strip() for text in nodes.ids} == set(ids):
        raw.ids = text_array(ids, len(ids))
        message = f"{raw.where}: rows of the matrix counted from 1, as the ids of {nodes.where} are"
        raw.notes.append(Note("from-one", message, len(ids)))


def rename_vertices(raw: RawGraph, column: str) -> RawGraph:
    """Take an attribute of the vertices as their ids, in place of those that the graph has."""
    vertices = raw.vertices
    assert vertices is not None
    values = vertices.table.iloc[:, pick_column(list(vertices.table.columns), column, "id", raw.where)]
    missing = int(values.isna().sum())
    if missing:
        raise DataError(
            f"{raw.where}: {keyword('id', repr(column))} must name an attribute of every vertex; {missing:,} of "
            f"{len(values):,} lack it: add it, or name another"
        )
    if len(raw.ids) > len(vertices.ids):
        stranger = raw.ids[len(vertices.ids)]
        it = f"{raw.where}: {keyword('id', repr(column))}"
        raise DataError(f"{it} cannot name {stranger!r}, an end of an edge that is no node of it")
    ids = text_array((id_text(value, raw.where) for value in values), len(values))
    index = pd.Index(ids)
    if not index.is_unique:
        again = ids[index.duplicated()][0]
        twice = f"{again!r} stands twice as {column!r}"
        raise DataError(f"{raw.where}: ids must be different; {twice}: name another {keyword('id', '')}")
    table = vertices.table.drop(columns=[column])
    return dataclasses.replace(raw, ids=ids, vertices=dataclasses.replace(vertices, ids=ids, table=table))


def _refuse_infinite(array: Any, rows: Any) -> None:
    if array.dtype.kind in "fc":
        bad = ~np.isfinite(array)
        if bad.any():
            came = f"row {rows[np.argwhere(bad)[0][0]]} has {array[bad].ravel()[0]}"
            raise DataError(f"{_ARRAY} must hold finite numbers; {came}: repair it (a DataFrame may miss cells)")
