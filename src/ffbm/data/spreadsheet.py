"""Excel's .xlsx files: one sheet as delimited text, which is then read like any other."""

import csv
import datetime as dt
import io
import re
import zipfile
import zlib
from collections.abc import Collection
from typing import Any

from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Note

_MARK = b"xl/workbook.xml"  # the name of a member, which a zip archive does not pack
DAMAGED_ZIP = (  # what zipfile raises; the last two of a password, and of a compression that it does not know
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError,
)  # fmt: skip
_SHEET = re.compile(rb"<(?:\w+:)?sheet\b[^>]*\bname=\"([^\"]*)\"")
_MOST_BOOK = 1 << 20  # bytes of the list of sheets
_MOST_BYTES = 1 << 30  # unpacked


def is_spreadsheet(data: bytes) -> bool:
    """Return whether bytes are an .xlsx file, whatever its name."""
    return data.startswith(b"PK\x03\x04") and _MARK in data


def has_sheet(data: bytes, called: Collection[str]) -> bool:
    """Tell whether one sheet of several has one of these names, in any case; False where they cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(_MARK.decode()) as file:
            names = [name.decode().casefold() for name in _SHEET.findall(file.read(_MOST_BOOK))]
    except (*DAMAGED_ZIP, ValueError, KeyError):
        return False
    return len(names) > 1 and sum(name in called for name in names) == 1


def sheet_to_text(
    data: bytes, where: str, called: Collection[str] = (), known: Collection[str] = ()
) -> tuple[bytes, list[Note]]:
    """Return a sheet as CSV in UTF-8, the one that is called so, else the first that holds anything, with notes.

    Sheets with ``known`` names are read in their own turn, and not noted as left.

    Formulas are what they last came to, dates are written as 2006-08-01. The package openpyxl is needed.
    """
    try:
        import openpyxl
    except ImportError:
        cure = "pip install 'ffbm[excel]' reads it, or save it as CSV"
        raise DataError(f"{where} is a spreadsheet, which needs the package openpyxl: {cure}") from None
    _check_archive(data, where)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [(sheet.title, _rows(sheet)) for sheet in book.worksheets]
    except Exception as error:  # whatever a damaged archive leads to
        raise DataError(
            f"{where} is a damaged spreadsheet ({type(error).__name__}): save it again, or as CSV"
        ) from None
    filled = [(title, rows) for title, rows in sheets if rows]
    if not filled:
        raise DataError(f"{where} must hold a table; its sheets are empty: check that the right file was written")
    title, rows = next(((title, rows) for title, rows in filled if title.casefold() in called), filled[0])
    message = f"{where}: the sheet {title!r} read"
    left = [name for name, _ in filled if name != title and name.casefold() not in known]
    if left:
        cure = "save a sheet as CSV, or call it edges or nodes, to read it"
        message += f", {count_of(len(left), 'other')} not: {cure}"
    width = max(map(len, rows))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([*row, *[""] * (width - len(row))] if row else [])
    return text.getvalue().encode(), [Note("sheet", message, len(filled))]


def _rows(sheet: Any) -> list[list[str]]:
    """Return the cells of a sheet as text, without blank cells at the ends of rows and blank rows at the end."""
    rows = []
    for cells in sheet.iter_rows(values_only=True):
        row = [_text(cell) for cell in cells]
        while row and not row[-1].strip():
            row.pop()
        rows.append(row)
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return str(cell).replace("\0", "").encode(errors="replace").decode()


def _check_archive(data: bytes, where: str) -> None:
    """Refuse an archive that is damaged, unpacks to more than memory should hold, or whose XML declares entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > _MOST_BYTES:
                raise DataError(f"{where} unpacks to more than a gigabyte: save it as CSV")
            for member in members:
                if member.filename.endswith((".xml", ".rels")):
                    with archive.open(member) as file:
                        if b"<!DOCTYPE" in file.read(4096):
                            raise DataError(f"{where} has a DOCTYPE in {member.filename!r}: save it again from Excel")
    except (*DAMAGED_ZIP, ValueError) as error:
        raise DataError(f"{where} is a damaged spreadsheet ({error}): save it again, or as CSV") from None
