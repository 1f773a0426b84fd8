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
_ENDS = ("source", "target")
_ASIDE = frozenset({"key", "id"})  # of edges: their own ids


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
    graph = whole.get("elements", whole) if isinstance(whole, dict) else None
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    links = graph.get("links", graph.get("edges")) if isinstance(graph, dict) else None
    if not _are_items(nodes) or not _are_items(links):
        required = "JSON must hold a list 'nodes' and a list 'links' or 'edges' of objects"
        raise DataError(f"{where}: {required}, as networkx and D3 write it: save it so, or as CSV or GraphML")
    found = Collector(where, multiplicity, edge_weight)
    found.is_directed = whole.get("directed") is True or graph.get("directed") is True
    nodes, links = ([item["data"] if isinstance(item.get("data"), dict) else item for item in part]
                    for part in (nodes, links))  # fmt: skip
    key = next((key for key in _IDS if nodes and all(_is_plain(item.get(key)) for item in nodes)), None)
    ids = [str(item[key]) if key else str(place) for place, item in enumerate(nodes)]
    for name, item in zip(ids, nodes, strict=True):
        _describe(found, found.add_node(name), item, key)
    ends = [[_end(item.get(end)) for end in _ENDS] for item in links]
    known = set(ids)
    if key and not all(name in known for pair in ends for name in pair) and _are_places(ends, len(ids)):
        ends = [[ids[int(name)] for name in pair] for pair in ends]  # as D3 once wrote it: places in the list of nodes
    for pair, item in zip(ends, links, strict=True):
        found.add_edge(*pair)
        for name, value in item.items():
            if name not in _ENDS and name not in _ASIDE and _is_plain(value):
                found.set_edge(name, str(value))
    return found.finish()


def _are_items(part: Any) -> bool:
    return isinstance(part, list) and all(isinstance(item, dict) for item in part)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _end(value: Any) -> str | None:
    if isinstance(value, dict):  # D3 puts the node itself there once it has drawn it
        value = next((value[key] for key in _IDS if key in value), None)
    return str(value) if _is_plain(value) else None


def _are_places(ends: list[list[str | None]], n_nodes: int) -> bool:
    return all(name is not None and name.isdigit() and int(name) < n_nodes for pair in ends for name in pair)


def _describe(found: Collector, number: int, item: dict[str, Any], key: str | None) -> None:
    for name, value in item.items():
        if isinstance(value, list | dict):
            found.leave_out(name)
        elif name != key and value is not None:
            found.set_node(number, name, str(value))
        if name == "label":
            found.display = name
