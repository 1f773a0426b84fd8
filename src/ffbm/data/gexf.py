"""GEXF: attributes declared by number, values in attvalues, labels and drawing beside them.

The id of a node is its id, its ``label`` an attribute; the weight of an edge is its attribute
``weight``, 1 where it is not written. Colours, positions and sizes are for drawing, not attributes.
"""

from collections.abc import Callable

from ffbm.data.collector import MUTUAL, ONE_WAY, UNDIRECTED, Collector
from ffbm.data.markup import parse_markup
from ffbm.data.raw import RawGraph, check_one_graph
from ffbm.plain import count_of
from ffbm.types import Note

_WAYS = {"directed": ONE_WAY, "mutual": MUTUAL}  # any other type is undirected
_DRAWING = frozenset({"color", "position", "size", "shape", "thickness"})


def read_gexf(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    """Read a GEXF file."""
    reader = _Reader(where, multiplicity, edge_weight)
    parse_markup(data, where, reader)
    return reader.finish()


class _Reader:
    def __init__(self, where: str, multiplicity: str | None, edge_weight: str | None) -> None:
        self.listen: Callable[[bool], None]
        self.where = where
        self.collector = Collector(where, multiplicity, edge_weight)
        self.titles: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self.path: list[str] = []
        self.domain = "node"  # of the attributes being declared
        self.attribute = ""
        self.default: list[str] = []
        self.is_declared = False
        self.default_way = UNDIRECTED
        self.nodes: list[int] = []  # the open nodes: one, or more where a node holds others
        self.n_graphs = self.n_drawn = self.n_nested = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self.path[-1] if self.path else ""
        self.path.append(name)
        if name == "attvalue":
            self._set_value(attributes)
        elif name == "edge" and parent == "edges":
            self._add_edge(attributes)
        elif name == "node" and parent == "nodes":
            self._add_node(attributes)
        elif name == "attributes":
            self.domain = "edge" if attributes.get("class") == "edge" else "node"
        elif name == "attribute" and parent == "attributes":
            self.attribute = attributes.get("id", "")
            title = (attributes.get("title") or self.attribute).strip()
            self.titles[self.domain][self.attribute] = title
        elif name == "default" and parent == "attribute":
            self.default = []
            self.listen(True)
        elif name == "graph" and parent == "gexf":
            self.n_graphs += 1
            self.default_way = _WAYS.get(attributes.get("defaultedgetype", ""), UNDIRECTED)
        elif name in _DRAWING and parent == "node":
            self.n_drawn += 1

    def end(self, name: str) -> None:
        self.path.pop()
        if name == "default" and self.path[-1:] == ["attribute"]:
            self.defaults[self.domain][self.attribute] = "".join(self.default)
            self.listen(False)
        elif name == "node" and self.path[-1:] == ["nodes"]:
            self.nodes.pop()

    def text(self, text: str) -> None:
        self.default.append(text)

    def finish(self) -> RawGraph:
        check_one_graph(self.n_graphs, self.where)
        if self.n_drawn:
            message = f"{self.where}: colours, positions and sizes of nodes are not attributes: not read"
            self.collector.notes.append(Note("drawing", message, self.n_drawn))
        if self.n_nested:
            message = f"{self.where}: {count_of(self.n_nested, 'node')} inside another read as part of the whole"
            self.collector.notes.append(Note("nested-graphs", message, self.n_nested))
        return self.collector.finish()

    def _add_node(self, attributes: dict[str, str]) -> None:
        self._declare()
        number = self.collector.add_node(attributes.get("id"))
        self.n_nested += bool(self.nodes)
        self.nodes.append(number)
        if "label" in attributes and "label" not in self.titles["node"].values():
            self.collector.display = "label"
            self.collector.set_node(number, "label", attributes["label"])

    def _add_edge(self, attributes: dict[str, str]) -> None:
        self._declare()
        kind = attributes.get("type")
        way = self.default_way if kind is None else _WAYS.get(kind, UNDIRECTED)
        self.collector.add_edge(attributes.get("source"), attributes.get("target"), way)
        if "weight" in attributes and "weight" not in self.titles["edge"].values():
            self.collector.set_edge("weight", attributes["weight"])

    def _set_value(self, attributes: dict[str, str]) -> None:
        attribute = attributes.get("for", attributes.get("id", ""))  # version 1.0 writes id
        value = attributes.get("value", "")
        if "edge" in self.path:
            self.collector.set_edge(self.titles["edge"].get(attribute, attribute), value)
        elif self.nodes:
            self.collector.set_node(self.nodes[-1], self.titles["node"].get(attribute, attribute), value)

    def _declare(self) -> None:
        """Announce the attributes, which stand before the first node or edge, in their order."""
        if self.is_declared:
            return
        self.is_declared = True
        for attribute, title in self.titles["node"].items():
            self.collector.declare_node(title, self.defaults["node"].get(attribute))
        for attribute, title in self.titles["edge"].items():
            self.collector.declare_edge(title, self.defaults["edge"].get(attribute))
        if "weight" not in self.titles["edge"].values():
            self.collector.set_count_default("weight", "1")
