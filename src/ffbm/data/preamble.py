"""What stands above the first row of a table: comments, and in them names of columns or what KONECT says."""

import re
from dataclasses import dataclass

_SEPARATOR = re.compile(rb'"?sep=([\t,; ])\1*"?\1*(?:\n|\Z)', re.IGNORECASE)  # as spreadsheets write it
_KONECT = re.compile(r"%\s*(sym|asym|bip)\b")
_SNAP = re.compile(r"#\s*(directed|undirected) graph\b", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_MARKS = ("#", "%")
_IDS = frozenset({"id", "index", "node", "nodeid", "node_id", "vertex", "name", "source", "from", "src", "fromnodeid"})


@dataclass(frozen=True, slots=True)
class Preamble:
    """The lines before the first row.

    Parameters
    ----------
    end : int
        The byte at which the first row begins.
    n_lines, n_comments : int
        Lines before it, and those of them that begin with ``#`` or ``%``.
    last : text
        The comment just above the first row, without its mark; "" if there is none.
    separator : text
        The one that a line ``sep=;`` names; "" if there is none.
    kind : "sym", "asym", "bip" or ""
        What a file of KONECT says of its graph: undirected, directed or two-mode.
    says : "directed", "undirected" or ""
        What a comment of SNAP calls the graph.
    """

    end: int
    n_lines: int
    n_comments: int
    last: str = ""
    separator: str = ""
    kind: str = ""
    says: str = ""


def read_preamble(data: bytes) -> Preamble:
    r"""Find the first row of a text.

    >>> read_preamble(b"% asym\n% 2 3 3\n1 2\n1 3\n").kind
    'asym'
    >>> read_preamble(b"# index, name\n0, ann\n").last
    'index, name'
    """
    end = n_lines = n_comments = 0
    last = separator = kind = says = ""
    while end < len(data):
        named = _SEPARATOR.match(data, end)
        if named and not separator:
            separator, last, end, n_lines = named[1].decode(), "", named.end(), n_lines + 1
            continue
        after = data.find(b"\n", end) + 1 or len(data)
        line = data[end:after].decode().strip()
        if line and not line.startswith(_MARKS):
            break
        match = _KONECT.match(line)
        kind = match[1] if match and not kind else kind
        snap = _SNAP.match(line)
        says = snap[1].casefold() if snap and not says else says
        last = "" if match else line.lstrip("".join(_MARKS)).strip()
        end, n_lines, n_comments = after, n_lines + 1, n_comments + bool(line)
    return Preamble(end, n_lines, n_comments, last, separator, kind, says)


def are_names(cells: list[str], below: list[str]) -> bool:
    """Tell whether the cells of a comment name the columns of the row below it.

    There are as many of them, all different and none a number; and the first is a name that ids have, or the row
    holds a number, as a row of names would not.

    >>> are_names(["index", "name"], ["0", "ann"]), are_names(["kept by", "ann"], ["id", "team"])
    (True, False)
    """
    names = [cell.strip() for cell in cells]
    if len(names) != len(below) or len(set(names)) < len(names) or not all(names) or any(map(is_number, names)):
        return False
    return names[0].casefold() in _IDS or any(map(is_number, below))


def is_number(cell: str) -> bool:
    """Tell whether a cell writes a finite number."""
    return _NUMBER.fullmatch(cell) is not None
