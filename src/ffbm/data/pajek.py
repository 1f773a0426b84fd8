"""Pajek's files: numbered vertices with labels, then arcs, edges, lists of neighbours or a matrix.

The number of a vertex is its id, its label an attribute (read names with id="label"). How vertices are drawn is left
out; other pairs of a key and a value, as networkx writes its attributes, are attributes, and so are the partitions and
vectors of a project (.paj). The number after the two ends of an edge is its ``weight``. A partition or a vector in a
file of its own (.clu, .vec) is a table of vertices.
"""

import re
from collections.abc import Iterator

from ffbm.data.collector import ONE_WAY, UNDIRECTED, Collector
from ffbm.data.files import check_text
from ffbm.data.preamble import is_number
from ffbm.data.raw import RawGraph
from ffbm.data.remarks import option
from ffbm.data.twomode import COLUMN
from ffbm.errors import DataError
from ffbm.types import Note

_OPENING = re.compile(r"\s*(?:%[^\n]*\n\s*|\*network\b[^\n]*\n\s*)*\*vertices\s+[0-9]+", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|(\S+)')
_COUNT = re.compile(r"[0-9]{1,8}")
_SHAPES = frozenset({"ellipse", "box", "diamond", "triangle", "cross", "empty", "circle"})
_DRAWING = frozenset("x_fact y_fact phi r q ic bc bw lc la lr lphi fos font hooks s_size".split())  # noqa: SIM905
_VALUES = ("*partition", "*vector")  # a value for each vertex, in their order
_VALUES_FILE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\*vertices\s+([0-9]{1,8})[^\n]*\n\s*[-+.0-9]+\s*(?:\n|\Z)", re.IGNORECASE
)
_WAYS = {"*arcs": ONE_WAY, "*edges": UNDIRECTED, "*arcslist": ONE_WAY, "*edgeslist": UNDIRECTED, "*matrix": ONE_WAY}


def is_pajek(text: str) -> bool:
    r"""Tell whether a text begins as a Pajek file does.

    >>> is_pajek('*Vertices 2\n1 "ann"\n'), is_pajek("a,b\n")
    (True, False)
    """
    return _OPENING.match(text) is not None


def read_pajek(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    """Read a Pajek file."""
    collector = Collector(where, multiplicity, edge_weight)
    collector.display = "label"
    section, row, n_nodes, column = "", 0, 0, ""
    for line, words in _lines(check_text(data, where).decode()):
        if words[0].startswith("*"):
            section, row = words[0].casefold().rstrip(":"), 0
            if section in _VALUES:
                column = " ".join(words[1:]) or section[1:]
            elif section == "*vertices" and column:
                section = "*values"
            elif section == "*vertices":
                n_nodes = _declare(collector, words, line, where)
            elif section == "*network" and n_nodes:
                raise DataError(f"{where} must hold one network; line {line} begins another: keep one in a file")
            elif section not in _WAYS and section != "*network":
                cure = "keep the network in a file of its own"
                raise DataError(f"{where}: line {line} begins {words[0]!r}, which is no part of a network: {cure}")
        elif section == "*values":
            row += 1
            collector.set_node(_vertex(str(row), n_nodes, line, where), column, words[0])
        elif section == "*vertices":
            _describe(collector, _vertex(words[0], n_nodes, line, where), words[1:])
        elif section == "*matrix":
            row += 1
            for position, value in enumerate(words, start=1):
                if value != "0":
                    _join(collector, str(row), str(position), ONE_WAY, value)
        elif section in ("*arcslist", "*edgeslist"):
            for target in words[1:]:
                _join(collector, words[0], target, _WAYS[section])
        elif len(words) < 2 or section not in _WAYS:
            raise DataError(f"{where}: an edge must have two ends; line {line} has not: repair it")
        else:
            _join(collector, words[0], words[1], _WAYS[section], *words[2:3])
    return collector.finish()


def values_to_text(data: bytes, name: str) -> bytes | None:
    r"""Return a partition or a vector in a file of its own as CSV; None if bytes are none.

    >>> values_to_text(b"*Vertices 2\n 3\n 1\n", "club")
    b'id,club\n1,3\n2,1\n'
    """
    if not _VALUES_FILE.match(data):
        return None
    values = [words[0] for _, words in _lines(data.decode(errors="replace"))][1:]
    title = '"' + name.replace('"', "'") + '"' if "," in name or '"' in name else name
    return "".join([f"id,{title}\n", *(f"{row},{value}\n" for row, value in enumerate(values, start=1))]).encode()


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("%"):
            yield number, [quoted or bare for quoted, bare in _WORD.findall(line)]


def _declare(collector: Collector, words: list[str], line: int, where: str) -> int:
    """Add the vertices, 1 to N, whether or not they have a line."""
    if len(words) < 2 or not _COUNT.fullmatch(words[1]):
        most = "a whole number below 100 million"
        raise DataError(f"{where}: *Vertices must be followed by their number, {most}; line {line} has none: add it")
    n_nodes = int(words[1])
    for number in range(1, n_nodes + 1):
        collector.add_node(str(number))
    if len(words) > 2 and _COUNT.fullmatch(words[2]) and 0 < int(words[2]) < n_nodes:  # two modes, the first of so many
        for number in range(n_nodes):
            collector.set_node(number, COLUMN, "first" if number < int(words[2]) else "second")
        message = (
            f"{where}: two modes, {int(words[2]):,} and {n_nodes - int(words[2]):,} vertices; the column {COLUMN!r}"
        )
        collector.notes.append(Note("two-mode", f"{message} says which: {option('node_type', COLUMN)}", n_nodes))
    return n_nodes


def _vertex(word: str, n_nodes: int, line: int, where: str) -> int:
    if not _COUNT.fullmatch(word) or not 1 <= int(word) <= n_nodes:
        raise DataError(f"{where}: vertices are numbered 1 to {n_nodes}; line {line} begins with {word!r}: repair it")
    return int(word) - 1


def _describe(collector: Collector, number: int, words: list[str]) -> None:
    if words:
        collector.set_node(number, "label", words[0])
    rest = words[1:]
    while rest and (is_number(rest[0]) or rest[0].casefold() in _SHAPES):
        rest = rest[1:]
    for key, value in zip(rest[::2], rest[1::2], strict=False):
        if key.casefold() not in _DRAWING:
            collector.set_node(number, key, value)


def _join(collector: Collector, source: str, target: str, way: int, weight: str | None = None) -> None:
    collector.add_edge(source, target, way)
    if weight is not None:
        collector.set_edge("weight", weight)
