"""UCINET's DL files: a matrix, a list of edges or lists of neighbours, with labels or numbers.

What stands in them is a matrix, and read as one: a symmetric matrix, or half of one, has no direction.
"""

import re
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from ffbm.data.files import check_text
from ffbm.data.objects import read_matrix
from ffbm.data.preamble import is_number
from ffbm.data.raw import RawGraph
from ffbm.errors import DataError

_OPENING = re.compile(r"\s*dl\b[\s,]*(?:n[mrc]?\s*=|format|labels|data|row|col|diagonal)", re.IGNORECASE)
_SIZE = re.compile(r"\b(n[mrc]?)\s*=\s*([0-9]{1,8})\b", re.IGNORECASE)
_FORMAT = re.compile(r"\bformat\s*[=:]?\s*(\w+)", re.IGNORECASE)
_DATA = re.compile(r"\bdata\s*:", re.IGNORECASE)
_LABELS = re.compile(r"^[^\n]*?\blabels\s*:", re.IGNORECASE | re.MULTILINE)
_EMBEDDED = re.compile(r"labels\s+embedded", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|([^\s,"]+)')
_FORMATS = ("fullmatrix", "edgelist1", "nodelist1")
_MOST_CELLS = 10**8


def is_ucinet(text: str) -> bool:
    r"""Tell whether a text begins as a DL file does.

    >>> is_ucinet("DL N = 3\nFORMAT = EDGELIST1\n"), is_ucinet("dl,ab\n")
    (True, False)
    """
    return _OPENING.match(text) is not None


def read_ucinet(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    r"""Read a DL file.

    >>> raw = read_ucinet(b"dl n=3 format=edgelist1\nlabels:\nann,bob,cem\ndata:\n1 2\n2 3\n3 1\n", "a.dl")
    >>> raw.ids.tolist(), raw.is_directed
    (['ann', 'bob', 'cem'], True)
    """
    text = check_text(data, where).decode()
    mark = _DATA.search(text)
    if mark is None:
        raise DataError(f"{where}: a DL file must have a line 'data:'; this one has none: fetch or write it again")
    head, body = text[: mark.start()], text[mark.end() :]
    n_nodes, form = _read_head(head, where)
    is_embedded = _EMBEDDED.search(head) is not None
    labels = _labels(head)
    if labels and len(labels) != n_nodes:
        raise DataError(f"{where}: there must be {n_nodes:,} labels, as N says; there are {len(labels):,}: repair them")
    first = text.count("\n", 0, mark.end()) + 1
    if form == "fullmatrix":
        labels, entries = _full_matrix(body, n_nodes, labels, is_embedded, where)
    else:
        labels, entries = _lists(body, n_nodes, labels, is_embedded, form, where, first)
    rows, columns, values = np.array(entries, dtype=float).reshape(-1, 3).T
    matrix = sp.coo_array((values, (rows.astype(int), columns.astype(int))), (n_nodes, n_nodes))
    names = labels or [str(number) for number in range(1, n_nodes + 1)]
    if len(set(names)) < n_nodes:
        raise DataError(f"{where}: labels must be different; some stand twice: rename them")
    return read_matrix(sp.csr_array(matrix), names, multiplicity, where, edge_weight)


def _read_head(head: str, where: str) -> tuple[int, str]:
    """Return the number of vertices and the form of the data."""
    sizes = {name.lower(): int(number) for name, number in _SIZE.findall(head)}
    if sizes.get("nr", 0) != sizes.get("nc", 0):
        cure = "save it as a list of edges in CSV, and read that with bipartite"
        raise DataError(f"{where} holds a table of two modes ({sizes.get('nr')} by {sizes.get('nc')}): {cure}")
    if sizes.get("nm", 1) > 1:
        raise DataError(f"{where} must hold one matrix; it holds {sizes['nm']}: keep one in a file")
    n_nodes = sizes.get("n", sizes.get("nr", 0))
    if not n_nodes:
        raise DataError(f"{where}: a DL file must say how many vertices it has (N = 3); this one does not: add it")
    form = (_FORMAT.findall(head) or ["fullmatrix"])[0].lower()
    if form not in _FORMATS:
        raise DataError(
            f"{where}: the format must be one of {', '.join(_FORMATS)}; it is {form[:20]!r}: save it as one"
        )
    return n_nodes, form


def _labels(head: str) -> list[str]:
    """Return the labels that stand above the data."""
    marks = list(_LABELS.finditer(head))
    if not marks:
        return []
    begin = marks[0].end()
    return _words(head[begin : marks[1].start() if len(marks) > 1 else len(head)])


def _words(text: str) -> list[str]:
    return [quoted or bare for quoted, bare in _WORD.findall(text)]


def _full_matrix(
    body: str, n_nodes: int, labels: list[str], is_embedded: bool, where: str
) -> tuple[list[str], list[tuple[int, int, float]]]:
    words = _words(body)
    if is_embedded:
        labels, words = words[:n_nodes], words[n_nodes:]
        words = [word for number, word in enumerate(words) if number % (n_nodes + 1)]
    if n_nodes**2 > _MOST_CELLS or len(words) != n_nodes**2:
        raise DataError(
            f"{where}: a full matrix must have {n_nodes**2:,} cells, as N says; it has {len(words):,}: repair it"
        )
    return labels, [
        (number // n_nodes, number % n_nodes, value)
        for number, word in enumerate(words)
        if (value := _number(word, where, f"cell {number + 1:,}"))
    ]


def _lists(
    body: str, n_nodes: int, labels: list[str], is_embedded: bool, form: str, where: str, first: int
) -> tuple[list[str], list[tuple[int, int, float]]]:
    number_of = {label: number for number, label in enumerate(labels)}
    if not is_embedded:
        number_of |= {str(number + 1): number for number in range(n_nodes)}
    entries = []
    for line, words in _rows(body, first):
        if len(words) < 2 and form == "edgelist1":
            raise DataError(f"{where}: an edge must have two ends; line {line} has not: repair it")
        ends = words[:2] if form == "edgelist1" else words
        for word in ends:
            if word not in number_of and is_embedded and len(number_of) < n_nodes:
                number_of[word] = len(number_of)
            elif word not in number_of:
                raise DataError(f"{where}: line {line} has {word[:40]!r}, none of its {n_nodes:,} vertices: repair it")
        weight = _number(words[2], where, f"line {line}") if form == "edgelist1" and len(words) > 2 else 1.0
        entries += [(number_of[ends[0]], number_of[target], weight) for target in ends[1:]]
    if is_embedded:
        labels = [*number_of, *(f"vertex {number + 1}" for number in range(len(number_of), n_nodes))]
    return labels, entries


def _rows(body: str, first: int) -> Iterator[tuple[int, list[str]]]:
    for line, text in enumerate(body.splitlines(), start=first):
        if words := _words(text):
            yield line, words


def _number(word: str, where: str, number: str) -> float:
    if not is_number(word):
        raise DataError(f"{where}: a tie must be a number; {number} has {word[:40]!r}: repair it")
    return float(word)
