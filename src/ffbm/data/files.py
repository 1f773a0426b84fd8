"""From a path to the bytes and the text that lie there: opened, unpacked, checked."""

import gzip
import os
import re
import zlib
from pathlib import Path

from ffbm.data.remarks import option
from ffbm.data.spreadsheet import is_spreadsheet
from ffbm.errors import DataError, OptionError, keyword

_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_FOREIGN = {  # what people hand over by mistake, by its first bytes
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
}
_OTHER_TEXT = {  # formats of graphs that are text and no table, by how they begin
    re.compile(rb"\s*LEDA\.GRAPH\b"): "LEDA's format",
    re.compile(rb"\s*(strict\s+)?(di)?graph\b[^\n\[]*\{", re.IGNORECASE): "Graphviz's DOT",
}
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype\s+html|<html)\b", re.IGNORECASE)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, unpacked if its first bytes are gzip's, whatever its name."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError(f"a path was required; got {type(path).__name__}: as_network() takes objects")
    where = shown(path)
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise DataError(f"{where} is a folder, not a file: name a file in it") from None
    except FileNotFoundError:
        raise DataError(f"{where} does not exist: check the name and the folder") from None
    except PermissionError:
        raise DataError(f"{where} may not be read by this user: change its permissions or copy it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{where} could not be read ({reason}): check the name and the disk") from None
    if data.startswith(_GZIP):
        data = _unpack(data, where)
    for magic, kind in _FOREIGN.items():
        if data.startswith(magic) and not is_spreadsheet(data):
            raise DataError(f"{where} must be a table or a graph file; it is {kind}: save it as CSV or GraphML")
    for begin, kind in _OTHER_TEXT.items():
        if begin.match(data):
            cure = "save it as CSV or GraphML, or give ffbm.fit its graph as an object of networkx or igraph"
            raise DataError(f"{where} must be a table or a graph file; it looks like {kind}: {cure}")
    if _PAGE.match(data):
        raise DataError(f"{where} must be a table or a graph file; a web page was saved in its place: fetch it again")
    return data


def is_parquet(data: bytes) -> bool:
    """Return whether bytes are a Parquet file, whatever its name.

    >>> is_parquet(b"PAR1...PAR1"), is_parquet(b"source,target")
    (True, False)
    """
    return data.startswith(b"PAR1")


def check_text(data: bytes, where: str) -> bytes:
    """Return UTF-8 bytes without a byte order mark; refuse NUL bytes and other encodings."""
    if data.startswith(_UTF16):
        raise DataError(f"{where} must be UTF-8; it begins like UTF-16: pass {option('encoding', 'utf-16')}")
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise DataError(f"{where} must be text; line {line} holds a NUL byte: the file is binary or damaged")
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        cure = f"save it as UTF-8, or name its encoding, such as {option('encoding', 'latin-1')} or cp1252"
        raise DataError(f"{where} must be UTF-8; line {line} holds the byte 0x{byte:02x}: {cure}") from None
    return data.removeprefix(b"\xef\xbb\xbf")


def recode(data: bytes, encoding: str | None, where: str) -> bytes:
    """Return text in some encoding as UTF-8; XML, which names its own, and what is marked as UTF-8 stay as they are.

    Text that is marked as UTF-16 need not be named.

    >>> recode("café".encode("latin-1"), "latin-1", "edges.csv").decode()
    'café'
    """
    if encoding is None and data.startswith(_UTF16) and not data[2:4].replace(b"\0", b"").startswith(b"<"):
        encoding = "utf-16"  # its first bytes say so
    if encoding is None or is_spreadsheet(data) or is_parquet(data) or data.startswith(b"\xef\xbb\xbf"):
        return data
    try:
        text = data.decode(encoding)
    except (LookupError, TypeError):
        known = f"{keyword('encoding')} must be one that Python knows, such as latin-1"
        raise OptionError(f"{known}; got {encoding!r}") from None
    except (UnicodeError, ValueError) as error:
        raise DataError(f"{where} is not text in the encoding {encoding!r} ({error}): name another") from None
    return (
        data if text.lstrip("\ufeff \t\r\n").startswith("<") else text.removeprefix("\ufeff").encode(errors="replace")
    )


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path as messages show it: as the user wrote it, on one line."""
    text = os.fspath(path)
    return text if text.isprintable() and text else repr(text)


def _unpack(data: bytes, where: str) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError:
        raise DataError(f"{where} is cut short: its gzip data has no end; fetch or pack it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{where} is damaged gzip data ({error}): fetch or pack it again") from None
