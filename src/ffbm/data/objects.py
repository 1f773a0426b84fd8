"""Graph objects: networkx, igraph, scipy.sparse, pairs of vertices and DataFrames of edges."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ffbm.data.collector import Collector
from ffbm.data.edgeweights import real_weights
from ffbm.data.ids import id_text, number_values, text_array
from ffbm.data.raw import (
    Array,
    RawGraph,
    RawNodes,
    hold_numbers,
    no_attributes,
    note_left_out,
    note_unused,
    pick_column,
    whole_counts,
)
from ffbm.data.remarks import option
from ffbm.data.tables import pick_ends
from ffbm.data.twomode import tell_apart
from ffbm.errors import DataError, OptionError, either
from ffbm.types import Note

_CONTAINERS = (list, tuple, set, frozenset, dict, np.ndarray)


def read_object(
    graph: Any,
    *,
    node_ids: Any = None,
    n_rows: int | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    multiplicity: str | None = None,
    bipartite: bool = False,
    edge_weight: str | None = None,
) -> RawGraph:
    """Read a graph object; ``n_rows`` is the number of rows of an array of features, if there is one."""
    is_frame = isinstance(graph, pd.DataFrame)
    if not is_frame and (source_column is not None or target_column is not None):
        raise OptionError("source_column= and target_column= are for a DataFrame of edges")
    if bipartite and (node_ids is not None or n_rows is not None):
        raise OptionError(
            "bipartite= gives vertices ids of their own; give features as a DataFrame by id, no node_ids="
        )
    for module, read in (("networkx", _read_networkx), ("igraph", _read_igraph)):
        kind = getattr(sys.modules.get(module), "Graph", None)  # its own object: then it is imported
        if kind is not None and isinstance(graph, kind):
            if node_ids is not None:
                raise OptionError(f"node_ids= names the vertices of arrays; a {module} graph has its own: see id=")
            _refuse_bipartite(bipartite, f"a {module} graph")
            return read(graph, multiplicity, edge_weight)
    if sp.issparse(graph):
        _refuse_bipartite(bipartite, "a sparse matrix")
        return read_matrix(graph, node_ids, multiplicity, edge_weight=edge_weight)
    if is_frame:
        raw = _read_frame(graph, node_ids, n_rows, source_column, target_column, multiplicity, edge_weight)
        names = [str(name) for name in graph.columns]
        positions = pick_ends(names, source_column, target_column, raw.where)
        return tell_apart(raw, *(names[position] for position in positions)) if bipartite else raw
    if multiplicity is not None or edge_weight is not None:
        named = "multiplicity" if multiplicity is not None else "edge_weight"
        raise OptionError(f"{named}= names a column of edges, and pairs have none: give a DataFrame")
    raw = _read_pairs(graph, node_ids, n_rows)
    return tell_apart(raw, "source", "target") if bipartite else raw


def _refuse_bipartite(bipartite: bool, kind: str) -> None:
    if bipartite:
        raise OptionError(f"bipartite= is for pairs and tables of edges; got {kind}: name a column in node_type=")


def _read_networkx(graph: Any, multiplicity: str | None, edge_weight: str | None) -> RawGraph:
    where = "the networkx graph"
    collector = Collector(where, multiplicity, edge_weight)
    collector.is_directed = graph.is_directed()
    collector.has_lists = True
    names: dict[Any, str] = {}
    first: dict[str, Any] = {}
    for node, attributes in graph.nodes(data=True):
        names[node] = id_text(node, where)
        known = first.setdefault(names[node], node)
        if known is not node:
            raise DataError(
                f"{where}: node ids must be different; {known!r} and {node!r} are alike as text: rename one"
            )
        number = collector.add_node(names[node])
        for name, value in attributes.items():
            if isinstance(value, _CONTAINERS):
                collector.leave_out(str(name))
            else:
                collector.set_node(number, str(name), value)
    for source, target, attributes in graph.edges(data=True):
        collector.add_edge(names[source], names[target])
        for name, value in attributes.items():
            collector.set_edge(str(name), value)
    raw = collector.finish()
    raw.is_ordered = graph.is_directed()
    return raw


def _read_igraph(graph: Any, multiplicity: str | None, edge_weight: str | None) -> RawGraph:
    where, n_nodes = "the igraph graph", graph.vcount()
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    columns: dict[str, Any] = {}
    left_out = []
    for name in graph.vs.attributes():
        values = graph.vs[name]
        if any(isinstance(value, _CONTAINERS) for value in values):
            left_out.append(name)
        else:
            columns[name] = text_array(values, n_nodes)
    notes = note_left_out(where, left_out, are_lists=True)
    ids = text_array(map(str, range(n_nodes)), n_nodes)
    if "name" in columns:  # igraph's own word for a vertex's id
        texts = [value for value in columns["name"] if isinstance(value, str) and value.strip()]
        if len(set(texts)) == n_nodes:
            ids = columns.pop("name")
        else:
            notes.append(Note("ids", f"{where}: 'name' is not different on every vertex: numbered 0, 1, ...", n_nodes))
    table = pd.DataFrame(columns, dtype=object) if columns else no_attributes(n_nodes)
    edge_columns = graph.es.attributes()
    counts = weights = None
    if edge_weight is not None:
        pick_column(edge_columns, edge_weight, "edge_weight", f"the edges of {where}")
        values = text_array(graph.es[edge_weight], len(ends))
        weights = real_weights(values, edge_weight, where, lambda edge: f"edge {edge}")
    if multiplicity is not None:
        pick_column(edge_columns, multiplicity, "multiplicity", f"the edges of {where}")
        values = text_array(graph.es[multiplicity], len(ends))
        counts = whole_counts(values, multiplicity, where, lambda edge: f"edge {edge}")
    unused = [name for name in edge_columns if name not in (multiplicity, edge_weight)]
    numeric = [name for name in unused if hold_numbers(graph.es[name])]
    can_count = multiplicity is None and edge_weight is None
    notes += note_unused(where, unused, numeric=numeric, can_count=can_count)
    vertices = RawNodes(where, ids, table)
    is_directed = graph.is_directed()
    return RawGraph(
        where, ids, ends[:, 0], ends[:, 1], counts, vertices, is_directed, is_ordered=is_directed, notes=notes,
        weights=weights,
    )  # fmt: skip


def read_matrix(
    matrix: Any,
    node_ids: Any,
    multiplicity: str | None,
    where: str = "the sparse matrix",
    edge_weight: str | None = None,
) -> RawGraph:
    """Read a sparse adjacency matrix: its stored entries that are not zero are edges."""
    if multiplicity not in (None, "data"):
        raise OptionError(f"multiplicity must be 'data' or None for an adjacency matrix; got {multiplicity!r}")
    if edge_weight not in (None, "data"):
        raise OptionError(f"edge_weight must be 'data' or None for an adjacency matrix; got {edge_weight!r}")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"{where} must be square, (N,N); it has the shape {matrix.shape}: give each vertex a row and a column"
        )
    summed = sp.csr_array(matrix, copy=True)
    summed.sum_duplicates()
    if summed.dtype.kind in "fc" and not np.isfinite(summed.data).all():
        raise DataError(f"{where} must hold finite numbers; it holds NaN or infinity: repair or drop the entries")
    summed.eliminate_zeros()
    entries = summed.tocoo()
    row, column, values = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    notes = []
    counts = None
    if multiplicity is not None:
        counts = whole_counts(values, "data", where, lambda k: f"entry ({row[k]}, {column[k]})")
    elif edge_weight is None and (values != 1).any():
        counts_them, weighs = option("multiplicity", "data"), option("edge_weight", "data")
        message = f"{where}: its values ignored, an entry is one edge; {counts_them} counts and {weighs} weighs edges"
        notes.append(Note("edge-columns", message, int((values != 1).sum())))
    is_symmetric = _is_symmetric(row, column, counts if edge_weight is None else values)
    if is_symmetric:
        upper = row <= column
        row, column, values = row[upper], column[upper], values[upper]
        counts = None if counts is None else counts[upper]
    is_triangular = not is_symmetric and bool((row <= column).all() or (row >= column).all())
    if is_triangular:
        message = f"{where} is triangular, so half of a symmetric one: its edges have no direction"
        notes.append(
            Note(
                "triangular",
                f"{message}; {either('directed=True (--directed)', '--directed')} would give them one",
                len(row),
            )
        )
    n_diagonal = int((row == column).sum())
    if n_diagonal:
        message = f"{where}: its diagonal has {n_diagonal:,} that are not zero; a 1 there is one self-loop"
        notes.append(Note("diagonal", message, n_diagonal))
    ids = _names(node_ids, matrix.shape[0])
    vertices = RawNodes(where, ids, no_attributes(len(ids)))
    both_ways = np.ones(len(row), dtype=bool) if is_symmetric else None
    is_directed = not (is_symmetric or is_triangular)
    raw = RawGraph(where, ids, row, column, counts, vertices, is_directed, both_ways, notes=notes)
    if edge_weight is not None:
        raw.weights = real_weights(values, "data", where, lambda k: f"entry ({row[k]}, {column[k]})")
    return raw


def _is_symmetric(row: Array, column: Array, counts: Array | None) -> bool:
    there, back = np.lexsort((column, row)), np.lexsort((row, column))
    same = np.array_equal(row[there], column[back]) and np.array_equal(column[there], row[back])
    return same and (counts is None or np.array_equal(counts[there], counts[back]))


def _read_frame(
    frame: pd.DataFrame,
    node_ids: Any,
    n_rows: int | None,
    source_column: str | None,
    target_column: str | None,
    multiplicity: str | None,
    edge_weight: str | None,
) -> RawGraph:
    where = "the table of edges"
    names = [str(name) for name in frame.columns]
    if len(names) < 2:
        raise DataError(f"{where} must have two columns or more; it has {len(names)}: add the other end")
    positions = pick_ends(names, source_column, target_column, where)
    ends = [frame.iloc[:, position] for position in positions]
    for end in ends:
        if end.isna().any():
            row = int(np.argmax(end.isna().to_numpy()))
            raise DataError(f"{where}: both ends of an edge must have an id; row {row} lacks one: repair or drop it")
    are_whole = all(pd.api.types.is_integer_dtype(end.dtype) for end in ends)
    kind = np.int64 if are_whole and all(end.dtype != np.uint64 for end in ends) else object
    flat = np.empty(2 * len(frame), dtype=kind)
    flat[::2], flat[1::2] = (end.to_numpy(dtype=kind) for end in ends)
    raw = _join_ends(flat, where, node_ids, n_rows)
    used = set(positions)
    if multiplicity is not None:
        position = pick_column(names, multiplicity, "multiplicity", where)
        used.add(position)
        values = frame.iloc[:, position].to_numpy(dtype=object)
        raw.counts = whole_counts(values, multiplicity, where, lambda row: f"row {row}")
    if edge_weight is not None:
        position = pick_column(names, edge_weight, "edge_weight", where)
        used.add(position)
        values = frame.iloc[:, position].to_numpy(dtype=object)
        raw.weights = real_weights(values, edge_weight, where, lambda row: f"row {row}")
    left = [position for position in range(len(names)) if position not in used]
    unused, can_count = [names[position] for position in left], multiplicity is None and edge_weight is None
    numeric = [names[position] for position in left if hold_numbers(frame.iloc[:, position])]
    raw.notes += note_unused(where, unused, numeric=numeric, can_count=can_count)
    return raw


def _read_pairs(pairs: Any, node_ids: Any, n_rows: int | None) -> RawGraph:
    where = "pairs"
    try:
        array = np.asarray(pairs)
    except ValueError:
        raise DataError(
            "pairs must have the shape (E,2); the rows differ in length: give two ids for each edge"
        ) from None
    if array.size == 0 and array.ndim in (1, 2):
        array = np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        kind = f"an array of the shape {array.shape}" if array.ndim else f"an object of type {type(pairs).__name__}"
        required = "a graph must be pairs (E,2), a table, a sparse matrix, networkx or igraph"
        raise DataError(f"{required}; got {kind}: {_cure_shape(array)}")
    if np.ma.isMaskedArray(pairs) or array.dtype.kind in "bcV":
        kind = "a masked array" if np.ma.isMaskedArray(pairs) else f"the type {array.dtype}"
        raise DataError(f"pairs must hold ids; got {kind}: give whole numbers or text")
    notes = []
    if array.dtype.kind == "f":
        _refuse_fractions(array)
        array = array.astype(np.int64)
        notes.append(Note("ids", "pairs: ids given as 1.0, 2.0, ... read as 1, 2, ...", array.size))
    raw = _join_ends(array.ravel(), where, node_ids, n_rows)
    raw.notes += notes
    return raw


def _cure_shape(array: Array) -> str:
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return "wrap an adjacency matrix in scipy.sparse.csr_array"
    if array.ndim == 2 and array.shape[0] == 2:
        return "transpose it, one row for each edge"
    if array.ndim == 2 and array.shape[1] == 3:
        return "a third column needs a DataFrame, with multiplicity= if it counts edges"
    return "give one row for each edge"


def _refuse_fractions(array: Array) -> None:
    bad = ~(np.isfinite(array) & (array == np.floor(array)) & (np.abs(array) < 2**53))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = float(array[row, column])
        kind = "NaN" if np.isnan(value) else "infinite" if np.isinf(value) else "fractional" if value % 1 else "huge"
        came = kind if kind == "NaN" else f"the {kind} number {value!r}"
        raise DataError(f"pairs must hold whole numbers or text; row {row} has {came}: repair or drop it")


def _join_ends(ends: Array, where: str, node_ids: Any, n_rows: int | None) -> RawGraph:
    """Count out the ends (2E,), which are ids, or places in ``node_ids`` or in the rows of an array."""
    try:
        codes, ids, are_whole = number_values(ends, where)
    except TypeError:
        raise DataError(f"{where} must hold ids; some are lists or the like: give whole numbers or text") from None
    are_whole = are_whole or not len(ends)
    if node_ids is None and n_rows is None:
        return RawGraph(where, ids, codes[::2], codes[1::2], is_numbered=are_whole)
    if node_ids is None and not are_whole:
        raise DataError(f"{where} hold text, and an array of features has no ids: give node_ids=, or a DataFrame")
    names = _names(node_ids, n_rows)
    vertices = RawNodes("node_ids", names, no_attributes(len(names)))
    if are_whole and not _are_integers(node_ids):
        if len(ends) and not (ends.min() >= 0 and ends.max() < len(names)):
            raise DataError(
                f"{where} must hold places from 0 to {len(names) - 1}; they run from {ends.min()} to "
                f"{ends.max()}: number the vertices from 0, or give integer node_ids"
            )
        places = ends.astype(np.int64)
        return RawGraph(where, names, places[::2], places[1::2], vertices=vertices)
    places = pd.Index(names).get_indexer(pd.Index(ids))
    strangers = np.flatnonzero(places < 0)
    places[strangers] = np.arange(len(names), len(names) + len(strangers))
    every = np.concatenate((names, ids[strangers]))
    codes = places[codes]
    return RawGraph(where, every, codes[::2], codes[1::2], vertices=vertices)


def _names(node_ids: Any, count: int | None) -> Array:
    """Return ids as text, or 0, 1, ... if none are given; ``count`` of them if the graph says how many."""
    if node_ids is None:
        return text_array(map(str, range(count or 0)), count or 0)
    values = list(node_ids)
    if count is not None and len(values) != count:
        raise DataError(f"node_ids must name each of {count:,} rows; it has {len(values):,}: give one for each")
    names = text_array((id_text(value, "node_ids") for value in values), len(values))
    index = pd.Index(names)
    if not index.is_unique:
        again = names[index.duplicated()][0]
        raise DataError(f"node_ids must be different; {again!r} stands twice: drop or rename one")
    return names


def _are_integers(node_ids: Any) -> bool:
    return node_ids is not None and pd.api.types.is_integer_dtype(pd.Series(list(node_ids)).dtype)
