"""The public functions that read: files with read_network, objects with as_network."""

import dataclasses
import inspect
import os
from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import Any

import pandas as pd

from ffbm.check import check_bool
from ffbm.data.adjacency import read_adjacency
from ffbm.data.assemble import assemble_network
from ffbm.data.bundle import EDGES, NODES, Member, find_parts
from ffbm.data.choices import Columns, check_choices, collect_choices, plain_value
from ffbm.data.delimited import Grid, open_grid
from ffbm.data.files import is_parquet, read_bytes, recode, shown
from ffbm.data.graphfiles import read_graph_file
from ffbm.data.nodelink import is_json
from ffbm.data.objects import read_object
from ffbm.data.pajek import values_to_text
from ffbm.data.parquet import open_parquet
from ffbm.data.raw import RawGraph, RawNodes, pick_column
from ffbm.data.remarks import option
from ffbm.data.spreadsheet import has_sheet, is_spreadsheet, sheet_to_text
from ffbm.data.tables import begins_with_names, find_ends, read_edges, read_nodes
from ffbm.data.vertices import array_nodes, array_table, frame_nodes, number_from_one, rename_vertices
from ffbm.errors import DataError, OptionError, either, keyword
from ffbm.types import Network, Note


def read_network(
    path: str | os.PathLike[str],
    nodes: str | os.PathLike[str] | pd.DataFrame | None = None,
    *,
    id: str | None = None,  # noqa: A002
    source_column: str | None = None,
    target_column: str | None = None,
    multiplicity: str | None = None,
    edge_weight: str | None = None,
    edge_weight_model: str = "auto",
    edge_weight_prior: str | Mapping[str, float] = "microcanonical",
    parallel: str = "count",
    directed: bool | str = "auto",
    bipartite: bool = False,
    unknown: str = "error",
    include: Columns = None,
    exclude: Columns = None,
    drop: Mapping[str, Any] | None = None,
    merge: Any = None,
    missing: str = "none",
    categorical: Columns = None,
    numeric: Columns = None,
    min_support: int = 1,
    encoding: str | None = None,
    group_by: str | None = None,
) -> Network:
    r"""Read a labelled network from a file of edges and a table of vertices, or from a graph file.

    Every edge list (CSV, TSV, white space), adjacency matrix in CSV, GML, GraphML, GEXF, Pajek, DL and JSON file is
    taken, plain or gzip, Excel and Parquet files; what was guessed, dropped or changed stands in ``notes`` of the
    result.

    Parameters
    ----------
    path : file or folder
        The edges, or the whole graph; or a folder or zip archive that holds ``edges.csv`` and perhaps ``nodes.csv``.
    nodes : file or DataFrame, optional
        One row for each vertex, joined by id; a DataFrame is indexed by id. It fixes the vertices and
        their order and takes the place of attributes inside a graph file.
    id : column name, optional
        Where the ids stand: in the node table (default ``id``, else the first column), in a graph
        file the attribute to use in place of its own ids.
    source_column, target_column : column names, optional
        The ends of the edges (default ``source`` and ``target``, else the first two columns).
        Columns of a file without a header are called ``1``, ``2``, ``3``, ...
    multiplicity : column name, optional
        A column of positive whole numbers: how many edges a row stands for. Without it every row is
        one edge and weights are ignored.
    edge_weight : column name, optional
        A column of numbers: the weights of the edges, which then say something of the blocks too.
    edge_weight_model : {"auto", "geometric", "poisson", "exponential", "log-normal", "normal"}
        The law of the weights between two blocks; "auto" chooses by what the weights are, and a note says why.
    edge_weight_prior : "microcanonical" or dict
        The weights given the sum of all; or the numbers of a conjugate prior: a and b, for normal and log-normal
        weights m0, k0, v0 and nu0.
    parallel : "count" or "merge"
        Keep parallel edges, or one of each.
    directed : "auto" or bool
        Whether edges have a direction, from source to target. "auto" does as a graph file says, where
        an edge without a direction among directed ones is read as two; a list of edges is undirected.
    bipartite : bool
        The two columns of a list of edges hold vertices of two kinds, such as people and events: the same id in both
        is two vertices, written as ``person:7`` and ``event:7``. The column ``node_type`` says which is which.
    unknown : "error" or "keep"
        What to do with an end of an edge that the node table does not have.
    include, exclude, drop, merge, missing, categorical, numeric, min_support
        How columns become features: see :func:`ffbm.data.encode.encode_features`.
    encoding : text, optional
        Of text that is not UTF-8: "latin-1", "cp1252", "utf-16", ...
    group_by : text, optional
        A separator in the names of columns: those that agree up to the last one are a group, as ``column_groups`` of
        ``fit`` join them. Equal columns of one group are then read as one, and those of different groups are not.

    Returns
    -------
    Network
        N vertices, E edges, features (N, D); ``node_ids`` (N,) holds the ids as text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("source,target\nann,bob\nbob,cem\n")
    >>> _ = (folder / "nodes.csv").write_text("id,team\nann,red\nbob,red\ncem,blue\n")
    >>> net = read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    >>> net.n_nodes, net.n_edges, net.features.names
    (3, 2, ('team=blue', 'team=red'))
    >>> _ = (folder / "visits.csv").write_text("person,event\n1,1\n2,1\n2,2\n")
    >>> read_network(folder / "visits.csv", bipartite=True).node_ids.tolist()
    ['person:1', 'person:2', 'event:1', 'event:2']
    """
    asked = dict(locals())  # the options as they came: they are recorded with the network
    check_bool("bipartite", bipartite)
    check_choices(parallel, unknown, multiplicity, directed, edge_weight, edge_weight_model, edge_weight_prior)
    edges, nodes_beside = find_parts(path)
    nodes = nodes_beside if nodes is None else nodes
    data, where = _read(edges, encoding), shown(edges)
    if nodes is None and is_spreadsheet(data) and has_sheet(data, NODES):
        nodes = edges
    suffix, name = _name_parts(edges)[0], _network_name(path, _name_parts(path)[1])
    is_table = is_spreadsheet(data) or is_parquet(data)
    raw, grid = None if is_table else read_graph_file(data, where, suffix, multiplicity, edge_weight), None
    if raw is None:
        grid = _open_table(data, where, suffix)
        if source_column is None and target_column is None and not bipartite and not grid.has_names:
            raw = read_adjacency(grid, multiplicity, edge_weight)
        if raw is None:
            raw = read_edges(
                grid, source_column=source_column, target_column=target_column, multiplicity=multiplicity,
                edge_weight=edge_weight, bipartite=bipartite, has_nodes=nodes is not None,
            )  # fmt: skip
        if not len(raw.source) and nodes is None:
            remedy = f"add edges, or {option('nodes')}"
            raise DataError(f"{where} must hold an edge or more; it holds a header alone: {remedy}")
        if grid.says == "directed" and directed == "auto":
            cure = either("directed=True (--directed)", "--directed")
            message = f"{where}: a comment calls it a directed graph; {cure} gives its edges a direction"
            raw.notes.append(Note("says-directed", message, 1))
        may_be_others = source_column is None and target_column is None and nodes is not None and grid.width > 2
        if not raw.is_doubtful and not (may_be_others and raw.vertices is None):
            grid = None  # read only once, and it may be large: which columns hold the ends is certain
    elif source_column is not None or target_column is not None:
        ends = f"{keyword('source_column', '')} and {keyword('target_column', '')}"
        raise OptionError(f"{ends} are for edge lists; {where} is a graph file")
    elif bipartite:
        cure = f"name its attribute in {keyword('node_type', '')}"
        raise OptionError(f"{keyword('bipartite', '')} is for edge lists; {where} is a graph file: {cure}")
    del data
    raw, needs_id = _place_ids(raw, id)
    known = set() if raw.is_doubtful else set(raw.ids)
    table = None if nodes is None else _read_table(nodes, id, is_needed=needs_id, encoding=encoding, ends=known)
    if needs_id and table is None:
        _refuse_id(raw, id)
    if table is not None:
        number_from_one(raw, table)
    if grid is not None and table is not None and begins_with_names(grid, raw, table, unknown):
        raw = read_edges(grid, is_header=True, bipartite=bipartite)
    if grid is not None and table is not None and (pair := find_ends(grid, raw, table)) is not None:
        raw = read_edges(
            grid, source_column=pair[0], target_column=pair[1], multiplicity=multiplicity, edge_weight=edge_weight,
            bipartite=bipartite,
        )  # fmt: skip
        message = f"{where}: ends taken from the columns {pair[0]!r} and {pair[1]!r}, which hold ids of the node table"
        raw.notes.append(Note("ends", f"{message}; {option('source_column')} overrules", 1))
    choices = collect_choices(include, exclude, drop, merge, missing, categorical, numeric, min_support, group_by)
    net = assemble_network(
        raw, table, parallel=parallel, unknown=unknown, name=name, encoding=choices,
        directed=directed, edge_weight_model=edge_weight_model, edge_weight_prior=edge_weight_prior,
    )  # fmt: skip
    return dataclasses.replace(net, reading=_describe_reading(asked | choices))


def as_network(
    graph: Any,
    features: Any = None,
    *,
    node_ids: Any = None,
    id: str | None = None,  # noqa: A002
    source_column: str | None = None,
    target_column: str | None = None,
    multiplicity: str | None = None,
    edge_weight: str | None = None,
    edge_weight_model: str = "auto",
    edge_weight_prior: str | Mapping[str, float] = "microcanonical",
    parallel: str = "count",
    directed: bool | str = "auto",
    bipartite: bool = False,
    unknown: str = "error",
    include: Columns = None,
    exclude: Columns = None,
    drop: Mapping[str, Any] | None = None,
    merge: Any = None,
    missing: str = "none",
    categorical: Columns = None,
    numeric: Columns = None,
    min_support: int = 1,
    name: str = "",
    group_by: str | None = None,
) -> Network:
    """Make a labelled network of a graph object and features.

    Parameters
    ----------
    graph : networkx or igraph graph, scipy.sparse matrix (N,N), array (E,2) or DataFrame of edges
        A symmetric matrix, or a triangle of one, is one edge for each pair, any other a directed
        graph, from row to column; a 1 on the diagonal is one self-loop. Attributes of networkx and
        igraph vertices are read unless ``features`` is given.
    features : DataFrame indexed by node id, or array (N,D), optional
        The rows of an array are the vertices in order: of the graph, of ``node_ids``, or, for pairs
        of integers, vertex 0, 1, 2, ...
    node_ids : (N,) ids, optional
        For a matrix the names of its rows. For pairs it fixes the vertices and their order; pairs of
        integers are then places in it, unless the ids are integers too.
    id : column name, optional
        The column of ``features`` with the ids, or the vertex attribute to use in place of the
        graph's own ids.
    source_column, target_column : column names, optional
        Of a DataFrame of edges, as for :func:`read_network`.
    multiplicity : column or edge attribute, optional
        Positive whole numbers: how many edges one stands for; ``"data"`` for the entries of a matrix.
    edge_weight : column or edge attribute, optional
        The weights of the edges; ``"data"`` for the entries of a matrix.
    edge_weight_model, edge_weight_prior
        As for :func:`read_network`.
    directed : "auto" or bool
        "auto" does as the graph says; pairs and a DataFrame are undirected.
    bipartite : bool
        Pairs, or the two columns of a DataFrame, hold vertices of two kinds, as for :func:`read_network`.
    parallel, unknown, include, exclude, drop, merge, missing, categorical, numeric, min_support, group_by
        As for :func:`read_network`.
    name : text
        The name of the network.

    Examples
    --------
    >>> net = as_network([(0, 1), (1, 2), (2, 2)], [[0.5, 1], [1.5, 0], [4.0, 1]])
    >>> net.n_edges, net.features.names, net.notes[0].message
    (3, ('x0', 'x1'), 'pairs: 1 self-loop kept, adding 2 to a degree')
    >>> as_network([("ann", "bob"), ("bob", "ann"), ("bob", "cem")], directed=True)
    <Network 3 vertices, 3 directed edges, 0 features; 1 note on reading>
    """
    check_choices(parallel, unknown, multiplicity, directed, edge_weight, edge_weight_model, edge_weight_prior)
    if isinstance(graph, Network):
        raise OptionError("graph is a Network already: use it as it is, or give its source again")
    if isinstance(graph, str | os.PathLike):
        raise OptionError(f"graph must be an object; got the path {os.fspath(graph)!r}: read_network() reads files")
    is_array = features is not None and not isinstance(features, pd.DataFrame | pd.Series)
    rows = array_table(features) if is_array else None
    raw = read_object(
        graph,
        node_ids=node_ids,
        n_rows=None if rows is None else len(rows),
        source_column=source_column,
        target_column=target_column,
        multiplicity=multiplicity,
        bipartite=check_bool("bipartite", bipartite),
        edge_weight=edge_weight,
    )
    raw, needs_id = _place_ids(raw, id)
    table: RawNodes | None = None
    if rows is not None:
        table = array_nodes(raw, rows)
    elif features is not None:
        table = _read_table(features, id, is_needed=needs_id)
    if needs_id and (table is None or is_array):
        _refuse_id(raw, id)
    choices = collect_choices(include, exclude, drop, merge, missing, categorical, numeric, min_support, group_by)
    return assemble_network(
        raw, table, parallel=parallel, unknown=unknown, name=name, encoding=choices, directed=directed,
        edge_weight_model=edge_weight_model, edge_weight_prior=edge_weight_prior,
    )  # fmt: skip


def _place_ids(raw: RawGraph, id: str | None) -> tuple[RawGraph, bool]:  # noqa: A002
    """Take ``id`` of the graph's own vertices, if they have it; return whether the node table needs it."""
    if id is None:
        return raw, False
    if raw.vertices is not None and id in raw.vertices.table.columns:
        return rename_vertices(raw, id), False
    return raw, True


def _read(path: str | os.PathLike[str], encoding: str | None) -> bytes:
    """Return the content of a file or of a member of an archive, text as UTF-8."""
    data = path.data if isinstance(path, Member) else read_bytes(path)
    return recode(data, encoding, shown(path))


def _open_table(data: bytes, where: str, suffix: str, called: Collection[str] = EDGES) -> Grid:
    """Open delimited text, a Parquet file, or a sheet of a spreadsheet: the one that is called so, else the first."""
    if is_parquet(data):
        return open_parquet(data, where)
    if not is_spreadsheet(data):
        return open_grid(data, where, suffix)
    text, notes = sheet_to_text(data, where, called, EDGES | NODES)
    grid = open_grid(text, where, ".csv")
    return dataclasses.replace(grid, remarks=(*notes, *grid.remarks))


def _read_table(
    nodes: Any,
    id: str | None,  # noqa: A002
    *,
    is_needed: bool,
    encoding: str | None = None,
    ends: Collection[str] = (),
) -> RawNodes:
    if isinstance(nodes, pd.Series):
        nodes = nodes.to_frame()
    if isinstance(nodes, pd.DataFrame):
        return frame_nodes(nodes, id if is_needed or id in list(map(str, nodes.columns)) else None)
    data, where, (suffix, stem) = _read(nodes, encoding), shown(nodes), _name_parts(nodes)
    if is_json(data):
        raise DataError(
            f"{where} must be a table; it looks like JSON: save it as CSV, or give {keyword('nodes', '')} a table"
        )
    grid = _open_table(values_to_text(data, stem) or data, where, suffix, NODES)
    names = [name.strip() for name in grid.first]
    return read_nodes(grid, id=id if is_needed or id in names else None, ends=ends)


def _refuse_id(raw: RawGraph, id: Any) -> None:  # noqa: A002
    if raw.vertices is None:
        raise OptionError(f"{keyword('id', repr(id))} names a column of a node table, and none is given")
    pick_column(list(map(str, raw.vertices.table.columns)), id, "id", raw.where)


def _describe_reading(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file and the options that were given, as plain values; nothing if the nodes were an object."""
    if not isinstance(asked["nodes"], str | os.PathLike | None):
        return {}
    record = {"source": os.path.abspath(asked["path"])}  # noqa: PTH100
    for name, parameter in inspect.signature(read_network).parameters.items():
        value = asked[name]
        if name == "nodes" and value is not None:
            record[name] = os.path.abspath(value)  # noqa: PTH100
        elif name != "path" and value is not None and value != parameter.default:
            record[name] = plain_value(value)
    return record


def _name_parts(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the suffix without .gz or .zip, and the name without suffixes."""
    name = PurePath(path)
    if name.suffix.lower() in (".gz", ".zip"):
        name = name.with_suffix("")
    return name.suffix.lower(), name.stem


def _network_name(path: str | os.PathLike[str], stem: str) -> str:
    """Return what a network is called: its file, after its folder if the file has a name that any network may have.

    >>> _network_name("data/school/edges.csv", "edges"), _network_name("edges.csv", "edges")
    ('school/edges', 'edges')
    """
    folder = PurePath(path).parent.name
    return f"{folder}/{stem}" if folder not in ("", "..") and stem.lower() in EDGES else stem
