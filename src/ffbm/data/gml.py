"""GML: nested lists of keys and values; nodes and edges by their numeric ids.

Values are kept as the text that stands in the file. The ``id`` of a node is its id, its ``label`` an
attribute like any other (networkx writes the names of its nodes there: read those with id="label").
"""

import html
import re
from collections.abc import Iterator
from typing import Any

from ffbm.data.collector import Collector
from ffbm.data.files import check_text
from ffbm.data.raw import RawGraph, check_one_graph
from ffbm.errors import DataError

# A text, a bracket, a word, a comment; last, a quote that is never closed.
_REST = r'|[\[\]]|[^\s\[\]"#][^\s\[\]"]*|#[^\n]*|"'
_TOKEN = re.compile(r'"[^"]*"' + _REST)
_ESCAPING = re.compile(r'"(?:[^"\\]|\\.)*+"' + _REST, re.DOTALL)  # graph-tool writes \" for a quote inside a text
_ESCAPED = re.compile(r'\\"[^\s\]]')  # and a text does not end there
# Comments and keys such as Creator before the graph; possessive, so that no text takes long to refuse.
_OPENING = re.compile(r'(?:\s++|#[^\n]*+\n|(?!graph\b)[A-Za-z]\w*+[ \t]++(?:"[^"]*+"|[^\s"\[\]]++))*+graph\s*+\[')
_Items = list[tuple[str, Any]]


def is_gml(text: str) -> bool:
    r"""Return whether a text begins as a GML file does.

    >>> is_gml('Creator "me"\ngraph [ node [ id 1 ] ]'), is_gml("graph theory\n")
    (True, False)
    """
    return _OPENING.match(text) is not None


def read_gml(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    """Read a GML file."""
    collector = Collector(where, multiplicity, edge_weight)
    for key, value in _parse_graph(check_text(data, where).decode(), where):
        if key == "edge" and isinstance(value, list):
            _add_edge(collector, value)
        elif key == "node" and isinstance(value, list):
            _add_node(collector, value)
        elif key == "directed" and value == "1":
            collector.is_directed = True
    return collector.finish()


def _add_node(collector: Collector, items: _Items) -> None:
    number = collector.add_node(_scalar(items, "id"))
    for name, value in items:
        if isinstance(value, list):
            collector.leave_out(name)
        elif name != "id":
            collector.set_node(number, name, _plain(value))
        if name == "label":
            collector.display = name


def _add_edge(collector: Collector, items: _Items) -> None:
    collector.add_edge(_scalar(items, "source"), _scalar(items, "target"))
    for name, value in items:
        if name not in ("source", "target") and isinstance(value, str):
            collector.set_edge(name, _plain(value))


def _scalar(items: _Items, wanted: str) -> str | None:
    for name, value in items:
        if name == wanted and isinstance(value, str):
            return _plain(value)
    return None


def _plain(value: str) -> str:
    if value[0] == '"':
        value = value[1:-1]
    return html.unescape(value) if "&" in value else value


def _parse_graph(text: str, where: str) -> Iterator[tuple[str, Any]]:
    """Send the (key, value) of the one graph as they close; a value is text as written or again a list."""
    if _ESCAPED.search(text):
        tokens = [token.replace('\\"', '"') if token[0] == '"' else token for token in _ESCAPING.findall(text)]
    else:
        tokens = _TOKEN.findall(text)
    if "#" in text:
        tokens = [token for token in tokens if token[0] != "#"]
    open_lists: list[tuple[str, _Items]] = [("", [])]
    n_graphs = 0
    reader = iter(enumerate(tokens))
    for at, key in reader:
        if key == "]":
            if len(open_lists) == 1:
                raise _broken(text, where, at, "a ] closes nothing")
            item: tuple[str, Any] = open_lists.pop()
        else:
            if not (key[0].isalpha() or key[0] == "_"):
                raise _broken(text, where, at, f"a key must begin with a letter; {key[:20]!r} does not")
            _, value = next(reader, (at, "]"))
            if value == "[":
                n_graphs += len(open_lists) == 1 and key == "graph"
                if n_graphs > 1:
                    break
                open_lists.append((key, []))
                continue
            if value in ("]", '"'):
                raise _broken(text, where, at, f"the key {key[:20]!r} has no value")
            item = key, value
        if len(open_lists) == 2 and open_lists[1][0] == "graph":
            yield item
        elif len(open_lists) > 1:
            open_lists[-1][1].append(item)
    if len(open_lists) > 1:
        raise _broken(text, where, len(tokens) - 1, "a [ is never closed")
    check_one_graph(n_graphs, where)


def _broken(text: str, where: str, at: int, reason: str) -> DataError:
    pattern = _ESCAPING if _ESCAPED.search(text) else _TOKEN
    starts = [match.start() for match in pattern.finditer(text) if match[0][0] != "#"]
    line = text.count("\n", 0, starts[at]) + 1
    return DataError(f"{where}: not GML at line {line}: {reason}; the file may be cut short: fetch or write it again")
