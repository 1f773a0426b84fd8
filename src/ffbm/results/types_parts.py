"""The parts of one type of vertices, as those of an ordinary fit: tables, sentences and figures take them from here."""

import numpy as np
import pandas as pd

from ffbm.data.decode import decode_features
from ffbm.pipeline.by_type import blocks_of_type, split_of_type
from ffbm.results.tables import table_of_blocks
from ffbm.store.parts import FitParts, TypedParts
from ffbm.types import Array, Graph, Network

_MARKERS, _COLOURS = 8, 10  # that there are: see ffbm.plots.palette


def vertices_of(fit: TypedParts, value: str) -> Array:
    """Return the vertices of a type."""
    return np.flatnonzero(fit.types.of_vertex == fit.types.values.index(value))


def numbers_of(fit: TypedParts, value: str) -> Array:
    """Return the blocks of a type, as ``memberships`` number them."""
    return np.flatnonzero(fit.memberships.probs[vertices_of(fit, value)].sum(axis=0) > 0)


def names_of(fit: TypedParts) -> tuple[str, ...]:
    """Return what each block is called: its type, and its number in it."""
    names = [""] * fit.memberships.n_blocks
    for value in fit.types.values:
        for position, number in enumerate(numbers_of(fit, value).tolist()):
            names[number] = f"{value} {position}"
    return tuple(names)


def styles_of(fit: TypedParts) -> Array:
    """Return the number whose colour and marker each block has: colours by its number in its type, markers by type."""
    styles = np.zeros(fit.memberships.n_blocks, dtype=np.int64)
    for t, value in enumerate(fit.types.values):
        numbers = numbers_of(fit, value)
        position = np.arange(len(numbers))
        styles[numbers] = position % _COLOURS + _COLOURS * (t % _MARKERS + _MARKERS * (position // _COLOURS))
    return styles


def parts_of(fit: TypedParts, value: str) -> FitParts:
    """Return the parts of a type that is explained; the graph has the edges among its vertices alone."""
    vertices, explanation = vertices_of(fit, value), fit.explanations[value]
    blocks, members = blocks_of_type(fit.blocks, fit.memberships, value, vertices)
    index_of = np.full(fit.network.n_nodes, -1)
    index_of[vertices] = np.arange(len(vertices))
    ends = index_of[fit.network.graph.edges]
    ends = ends[(ends >= 0).all(axis=1)]
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], len(vertices), fit.network.graph.is_directed)
    net = Network(graph, explanation.features, fit.network.node_ids[vertices], (), value)
    train = split_of_type(fit.config, value, len(vertices))
    tree = fit.trees.get(value)
    return FitParts(net, fit.config, train, blocks, members, explanation, provenance=fit.provenance, hierarchy=tree)


def table_of_columns(fit: TypedParts) -> pd.DataFrame:
    """One row for each type and column, by what it adds."""
    return _by_type({value: one.column_table for value, one in fit.explanations.items()}, ["column"])


def table_of_ranking(fit: TypedParts) -> pd.DataFrame:
    """One row for each type and feature, the highest score first."""
    return _by_type({value: one.ranking.table for value, one in fit.explanations.items()}, ["rank", "feature"])


def table_of_types(fit: TypedParts) -> pd.DataFrame:
    """One row per block: its name and type, vertices, edges at it and inside it, and how well features tell it."""
    members, graph = fit.memberships, fit.network.graph
    b, n_blocks = members.labels, members.n_blocks
    ends = b[graph.edges]
    inside = np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=n_blocks)
    degrees = np.bincount(b, weights=graph.degrees, minlength=n_blocks).astype(np.int64)
    names, rows = names_of(fit), []
    for value in fit.types.values:
        numbers = numbers_of(fit, value)
        table = table_of_blocks(parts_of(fit, value)) if value in fit.explanations else None
        for position, r in enumerate(numbers.tolist()):
            sure = members.probs[b == r, r]
            rows.append(
                {
                    "block": names[r], "type": value, "vertices": int(members.sizes[r]),
                    "expected_vertices": float(members.probs[:, r].sum(dtype=np.float64)),
                    "membership": float(sure.mean()) if len(sure) else np.nan,
                    "degree_sum": int(degrees[r]), "edges_inside": int(inside[r]),
                    **{name: np.nan if table is None else float(table[name][position])
                       for name in ("accuracy_train", "accuracy_test")},
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def table_of_typed_nodes(fit: TypedParts, attributes: bool = False) -> pd.DataFrame:
    """One row per vertex: its type and block, the share of draws in each block, its degree and, if asked for, more."""
    members, graph, names = fit.memberships, fit.network.graph, names_of(fit)
    table = pd.DataFrame(
        {
            "id": fit.network.node_ids,
            "type": [fit.types.values[t] for t in fit.types.of_vertex],
            "block": [names[r] for r in members.labels],
            "membership": members.probs[np.arange(len(members.labels)), members.labels],
            "degree": graph.degrees,
        }
    )
    if graph.is_directed:
        table = table.assign(out_degree=graph.out_degrees, in_degree=graph.in_degrees)
    if attributes:
        more = decode_features(fit.network.features)
        more = more.rename(columns={name: f"{name} (attribute)" for name in more if name in table})
    else:
        more = pd.DataFrame(members.probs, columns=[f"membership_{name}" for name in names])
    return pd.concat([table, more], axis=1)


def _by_type(tables: dict[str, pd.DataFrame], empty: list[str]) -> pd.DataFrame:
    """Put tables below each other, the first column saying whose they are."""
    if not tables:
        return pd.DataFrame(columns=["type", *empty])
    rows = [table.assign(type=value) for value, table in tables.items()]
    joined = pd.concat(rows, ignore_index=True)
    return joined[["type", *(name for name in joined if name != "type")]]
