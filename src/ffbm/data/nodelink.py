"""JSON of nodes and links, as D3, networkx (node_link_data), Gephi and Cytoscape write it."""

import json
import re
from typing import Any

from ffbm.data.collector import Collector
from ffbm.data.files import check_text
from ffbm.data.raw import RawGraph
from ffbm.errors import DataError

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]\s*[\"{\[\]]")
_IDS = ("id", "key", "name")  # where the id of a node stands
_ASIDE = frozenset({"source", "target", "key", "id"})  # of edges: their ends and their own ids


def is_json(data: bytes) -> bool:
    """Tell whether bytes begin as an object or a list of JSON does.

    >>> is_json(b'{"nodes": []}'), is_json(b"[1, 2"), is_json(b"a,b")
    (True, False, False)
    """
    return _OPENING.match(data) is not None


def read_nodelink(data: bytes, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> RawGraph:
    """Read a graph in JSON: a list of ``nodes`` and one of ``links`` or ``edges``.

    >>> text = b'{"nodes": [{"id": "a", "team": "red"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}'
    >>> raw = read_nodelink(text, "g.json")
    >>> raw.ids.tolist(), raw.vertices.table["team"].tolist()
    (['a', 'b'], ['red', None])
    """
    try:
        whole = json.loads(check_text(data, where).decode())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is damaged JSON ({error}): fetch or write it again") from None
    graph = whole.get("elements", whole) if isinstance(whole, dict) else {}
    nodes, links = _items(graph, "nodes"), _items(graph, "links", "edges")
    if nodes is None or links is None:
        required = "JSON must hold a list 'nodes' and a list 'links' or 'edges' of objects"
        raise DataError(f"{where}: {required}, as networkx and D3 write it: save it so, or as CSV or GraphML")
    collector = Collector(where, multiplicity, edge_weight)
    collector.is_directed = whole.get("directed") is True or graph.get("directed") is True
    key = next((key for key in _IDS if nodes and all(_is_plain(item.get(key)) for item in nodes)), None)
    ids = [str(item[key]) if key else str(position) for position, item in enumerate(nodes)]
    for name, item in zip(ids, nodes, strict=True):
        _describe(collector, collector.add_node(name), item, key)
    ends = [(_end(item.get("source")), _end(item.get("target"))) for item in links]
    flat = [name or "" for pair in ends for name in pair]
    if key and not set(flat) <= set(ids) and all(name.isdecimal() and int(name) < len(ids) for name in flat):
        places = [ids[int(name)] for name in flat]  # as D3 once wrote it: places in the list of nodes
        ends = list(zip(places[::2], places[1::2], strict=True))
    for (source, target), item in zip(ends, links, strict=True):
        collector.add_edge(source, target)
        for name, value in item.items():
            if name not in _ASIDE and _is_plain(value):
                collector.set_edge(name, str(value))
    return collector.finish()


def _items(graph: Any, *names: str) -> list[dict[str, Any]] | None:
    """Return a list of objects that has one of these names, as Cytoscape packs them too; None if there is none."""
    part = next((graph[name] for name in names if name in graph), None) if isinstance(graph, dict) else None
    if not isinstance(part, list) or not all(isinstance(item, dict) for item in part):
        return None
    return [item["data"] if isinstance(item.get("data"), dict) else item for item in part]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _end(value: Any) -> str | None:
    if isinstance(value, dict):  # D3 puts the node itself there once it has drawn it
        value = next((value[key] for key in _IDS if key in value), None)
    return str(value) if _is_plain(value) else None


def _describe(collector: Collector, number: int, item: dict[str, Any], key: str | None) -> None:
    for name, value in item.items():
        if isinstance(value, list | dict):
            collector.leave_out(name)
        elif name != key and value is not None:
            collector.set_node(number, name, str(value))
        if name == "label":
            collector.display = name
