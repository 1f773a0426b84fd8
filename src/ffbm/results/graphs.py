"""A fit as a graph object: vertices by id with their block, memberships and features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.types import Memberships, Network


def to_networkx(
    net: Network, members: Memberships, *, features: bool = True, names: Sequence[str] | None = None
) -> Any:
    """Return a networkx graph whose vertices carry ``block``, ``membership`` and ``membership_0``, ``_1``, ...

    ``membership`` is the share of draws in which the vertex was in its block, ``membership_r`` in block r. With
    ``features`` each vertex carries the features it has under their names, with flags as 1 and numbers on the scale
    of the user's table. It is a MultiGraph where there are parallel edges, its keys the numbers of the edges, a Graph
    elsewhere; a MultiDiGraph or a DiGraph if edges have a direction. Edges carry their weight under its column's name.
    With ``names`` blocks are called by them and not by their numbers.

    >>> import ffbm
    >>> from ffbm.blocks.align import align_blocks
    >>> from ffbm.pipeline.given_blocks import take_blocks
    >>> net = ffbm.as_network([("a", "b"), ("b", "c")])
    >>> graph = to_networkx(net, align_blocks(take_blocks(net, [0, 0, 1], "auto")))
    >>> graph.nodes["c"]
    {'block': 1, 'membership': 1.0, 'membership_0': 0.0, 'membership_1': 1.0}
    """
    import networkx as nx

    ids = net.node_ids.tolist()
    edges = net.graph.edges
    is_simple = len(np.unique(edges, axis=0)) == len(edges)
    classes = (nx.DiGraph, nx.MultiDiGraph) if net.graph.is_directed else (nx.Graph, nx.MultiGraph)
    graph = classes[0](name=net.name) if is_simple else classes[1](name=net.name)
    called: Sequence[Any] = range(members.n_blocks) if names is None else names
    for i, name in enumerate(ids):
        row = members.probs[i]
        block = int(members.labels[i])
        shares = {f"membership_{called[r]}": float(p) for r, p in enumerate(row)}
        graph.add_node(name, block=called[block], membership=float(row[block]), **shares)
    if features:
        for i, attributes in enumerate(_attributes(net)):
            node = graph.nodes[ids[i]]
            node.update({f"feature {name}" if name in node else name: value for name, value in attributes.items()})
    weights = net.graph.weights
    carried = [{} for _ in edges] if weights is None else [{weights.column: x} for x in weights.values.tolist()]
    if is_simple:
        graph.add_edges_from((ids[i], ids[j], carried[number]) for number, (i, j) in enumerate(edges.tolist()))
    else:  # a key is the edge's id in GraphML, where one that stands twice is an edge lost
        graph.add_edges_from((ids[i], ids[j], number, carried[number]) for number, (i, j) in enumerate(edges.tolist()))
    return graph


def _attributes(net: Network) -> list[dict[str, float]]:
    """Return the features of each vertex by name; flags that are not set are left out."""
    x = net.features
    attributes: list[dict[str, float]] = [{} for _ in range(net.n_nodes)]
    cells = sp.coo_array(x.values)
    kept = ~x.is_number[cells.col]
    for i, j, value in zip(cells.row[kept], cells.col[kept], cells.data[kept], strict=True):
        if value:
            attributes[i][x.names[j]] = 1
    for j in np.flatnonzero(x.is_number).tolist():
        for i, value in enumerate(x.dense([j])[:, 0] * x.sd[j] + x.mean[j]):
            attributes[i][x.names[j]] = float(value)
    return attributes
