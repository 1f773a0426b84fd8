"""Parquet files: their columns as delimited text, which is then read like any other.

So a network from a Parquet file is the one that the same table gives as CSV.
"""

import csv
import io
import json
from typing import Any

from ffbm.data.delimited import Grid
from ffbm.data.raw import note_left_out
from ffbm.data.tables import ENDS
from ffbm.errors import DataError

_NEEDED = frozenset({"id", *(name for pair in ENDS for name in pair)})  # columns that are never left out
_MOST_CELLS = 1 << 32  # a few bytes may stand for as many


def open_parquet(data: bytes, where: str) -> Grid:
    """Return the table of a Parquet file as a grid whose first row are the names of its columns.

    A cell without a value is blank; what pandas kept as an index comes first. The package pyarrow is needed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        cure = "pip install 'ffbm[parquet]' reads it, or save it as CSV"
        raise DataError(f"{where} is a Parquet file, which needs the package pyarrow: {cure}") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        shape = file.metadata.num_rows, file.metadata.num_columns
        if shape[0] * shape[1] > _MOST_CELLS:
            raise DataError(f"{where} must hold at most {_MOST_CELLS:,} cells; it holds {shape[0] * shape[1]:,}")
        table = file.read()
        table = table.select(_index_first(table))
        nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
        for name in nested:
            if name.casefold() in _NEEDED:
                raise DataError(f"{where}: a cell must hold one value; the column {name!r} holds several: leave it out")
        table = table.select([name for name in table.column_names if name not in nested])
        text = _header(table.column_names) + _rows(table)
    except DataError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise DataError(f"{where} is a damaged Parquet file ({type(error).__name__}): write it again") from None
    if not table.num_columns:
        raise DataError(f"{where} must hold a table; it has no columns: check that the right file was written")
    notes = tuple(note_left_out(where, nested, are_lists=True))
    return Grid(where, text, ",", table.num_columns, 1, notes, 0, has_names=True)


def _index_first(table: Any) -> list[str]:
    """Return the names of the columns, those first that pandas wrote down as the index of its table."""
    names = list(table.column_names)
    metadata = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    index = [name for name in metadata.get("index_columns", []) if isinstance(name, str) and name in names]
    return index + [name for name in names if name not in index]


def _header(names: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(names)
    return text.getvalue().encode()


def _rows(table: Any) -> bytes:
    """Write the cells as CSV: without quotes where no text needs them, which is read much faster."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    plain = [
        pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
        if pa.types.is_dictionary(column.type)
        else column
        for column in table.columns
    ]
    table = pa.table(plain, names=[str(position) for position in range(len(plain))])
    for style in ("none", "needed"):
        written = io.BytesIO()
        options = arrow_csv.WriteOptions(include_header=False, quoting_style=style)
        try:
            arrow_csv.write_csv(table, written, options)
        except pa.ArrowInvalid:
            if style == "needed":
                raise
            continue
        text = written.getvalue()
        if style == "needed" or b"#" not in text:  # where a row begins with it, it would be a comment
            break
    return text
