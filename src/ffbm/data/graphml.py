"""GraphML: declared attributes with types and defaults; ids as they stand on the nodes.

A value is kept as the text in the file; an attribute that a node lacks takes the declared default,
or is missing. igraph numbers its nodes n0, n1, ... and writes their names as the attribute ``name``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ffbm.data.collector import ONE_WAY, UNDIRECTED, Collector
from ffbm.data.markup import parse_markup
from ffbm.data.raw import RawGraph, check_one_graph
from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Note


@dataclass(slots=True)
class _Key:
    name: str
    domain: str
    default: str | None = None


def read_graphml(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    """Read a GraphML file."""
    reader = _Reader(where, multiplicity, edge_weight)
    parse_markup(data, where, reader)
    return reader.finish()


class _Reader:
    def __init__(self, where: str, multiplicity: str | None, edge_weight: str | None) -> None:
        self.listen: Callable[[bool], None]
        self.where = where
        self.collector = Collector(where, multiplicity, edge_weight)
        self.keys: dict[str, _Key] = {}
        self.path: list[str] = []
        self.nodes: list[int] = []  # the open nodes: one, or more where a node holds a graph
        self.last_key = ""
        self.is_declared = False
        self.directed: list[bool] = []
        self.n_graphs = self.n_nested = 0
        self.key: _Key | None = None  # the attribute whose value is being read
        self.value: list[str] = []
        self.has_children = False
        self.depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self.path[-1] if self.path else ""
        self.path.append(name)
        if self.key is not None:  # inside a value: what yEd draws with, not text
            self.has_children = True
        elif name == "edge" and parent == "graph":
            written = attributes.get("directed")
            is_directed = self.directed[-1] if written is None else written in ("true", "1")
            way = ONE_WAY if is_directed else UNDIRECTED
            self.collector.add_edge(attributes.get("source"), attributes.get("target"), way)
        elif name == "node" and parent == "graph":
            self.nodes.append(self.collector.add_node(attributes.get("id")))
        elif name == "data":
            self._open(self.keys.get(attributes.get("key", "")) or _Key(attributes.get("key", "data"), "all"))
        elif name == "key":
            self._add_key(attributes)
        elif name == "default" and parent == "key":
            self._open(self.keys[self.last_key])
        elif name == "graph":
            self._open_graph(parent, attributes)
        elif name == "hyperedge":
            raise DataError(f"{self.where}: edges must join two vertices; it has a hyperedge: write pairs in its place")

    def end(self, name: str) -> None:
        self.path.pop()
        if self.key is not None:
            if len(self.path) == self.depth:
                self._close_value(self.key)
        elif name == "node" and self.path[-1:] == ["graph"]:
            self.nodes.pop()
        elif name == "graph":
            self.directed.pop()

    def text(self, text: str) -> None:
        self.value.append(text)

    def finish(self) -> RawGraph:
        check_one_graph(self.n_graphs, self.where)
        if self.n_nested:
            message = f"{self.where}: {count_of(self.n_nested, 'graph')} inside a node read as part of the whole"
            self.collector.notes.append(Note("nested-graphs", message, self.n_nested))
        return self.collector.finish()

    def _open(self, key: _Key) -> None:
        self.key, self.value, self.has_children = key, [], False
        self.depth = len(self.path) - 1
        self.listen(True)

    def _add_key(self, attributes: dict[str, str]) -> None:
        key = attributes.get("id", "")
        self.last_key = key
        name = (attributes.get("attr.name") or key).strip()
        self.keys[key] = _Key(name, attributes.get("for", "all"))

    def _open_graph(self, parent: str, attributes: dict[str, str]) -> None:
        nested = parent == "node"
        self.n_nested += nested
        self.n_graphs += not nested
        default = attributes.get("edgedefault", "undirected") == "directed"
        self.directed.append(default)
        if not self.is_declared:  # keys stand before the first graph
            self.is_declared = True
            for key in self.keys.values():
                if key.domain in ("node", "all"):
                    self.collector.declare_node(key.name, key.default)
                if key.domain in ("edge", "all"):
                    self.collector.declare_edge(key.name, key.default)

    def _close_value(self, key: _Key) -> None:
        self.key = None
        self.listen(False)
        owner, value = self.path[-1] if self.path else "", "".join(self.value)
        if owner == "key":
            key.default = None if self.has_children else value
        elif owner == "node" and self.has_children:
            self.collector.leave_out(key.name)
        elif owner == "node" and self.nodes:
            self.collector.set_node(self.nodes[-1], key.name, value)
        elif owner == "edge" and not self.has_children:
            self.collector.set_edge(key.name, value)
