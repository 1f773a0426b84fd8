"""Numbered edges to a multigraph: direction, reciprocal lists, parallel edges, loops, components."""

import numpy as np

from ffbm.data.raw import Array, RawGraph
from ffbm.data.remarks import option
from ffbm.errors import DataError, OptionError, either, keyword
from ffbm.plain import count_of, in_percent
from ffbm.types import EdgeWeights, Graph, Note

_MOST_EDGES = 100_000_000  # that multiplicities may add up to; beyond, the column is a weight, not a count
_FEW_BACK = 5  # parallel edges from which on it is worth a hint that all stand once each way
_MOSTLY_BACK = 5  # times as many pairs that stand both ways as edges that stand twice the same way


def settle_edges(
    raw: RawGraph,
    number: Array | None,
    n_nodes: int,
    parallel: str,
    directed: bool | str = "auto",
    weights: EdgeWeights | None = None,
) -> tuple[Graph, list[Note]]:
    """Build the graph of ``n_nodes`` vertices; ``number`` renumbers the ids of ``raw``, None leaves them.

    ``directed="auto"`` does as the graph says. ``weights`` are those of ``raw``, one for each edge.
    """
    where, notes = raw.where, list[Note]()
    u, v = raw.source, raw.target
    if number is not None:
        number = number.astype(np.int32)  # half the memory, of which this takes much
        u, v = number[u], number[v]
    counts, is_directed = raw.counts, raw.is_directed if directed == "auto" else bool(directed)
    if is_directed:
        u, v, counts, notes = _split_edges(raw, u, v)
        if weights is not None and len(u) > len(raw.source):
            n_rows = len(raw.source)
            twice = np.flatnonzero(raw.both_ways & (u[:n_rows] != v[:n_rows]))
            weights = weights.take(np.concatenate((np.arange(n_rows), twice)))
    else:
        if raw.is_directed:
            notes.append(Note("directed", f"{where}: the direction of {count_of(len(u), 'edge')} ignored", len(u)))
        if is_reciprocal(u, v, counts, n_nodes) and (weights is None or is_reciprocal(u, v, weights.values, n_nodes)):
            once = u <= v
            n_twice = len(u) - int(once.sum())
            u, v = u[once], v[once]
            counts = None if counts is None else counts[once]
            weights = None if weights is None else weights.take(np.flatnonzero(once))
            message = f"{where}: every pair stands once each way: {count_of(n_twice, 'edge')} read once"
            notes.append(Note("reciprocal", message, n_twice))
    if counts is not None:
        total = float(counts.sum(dtype=np.float64))
        if total > _MOST_EDGES:
            raise DataError(
                f"{where}: multiplicities may add up to at most {_MOST_EDGES:,} edges; they add up to {total:,.0f}: "
                f"a weight is not a number of edges, leave {keyword('multiplicity', '')} away"
            )
        weights = None if weights is None else weights.take(np.repeat(np.arange(len(u)), counts))
        u, v = np.repeat(u, counts), np.repeat(v, counts)
    if parallel == "merge":
        u, v, n_merged = _merge(u, v, n_nodes, is_directed)
        if n_merged:
            message = f"{where}: {count_of(n_merged, 'edge')} parallel to another merged with it"
            notes.append(Note("merged", message, n_merged))
    graph = Graph.from_edges(u, v, n_nodes, is_directed, weights)
    return graph, notes + _describe(graph, where, u, v)


def _split_edges(raw: RawGraph, u: Array, v: Array) -> tuple[Array, Array, Array | None, list[Note]]:
    """Return the ends of directed edges, with two for each edge that leads both ways."""
    if not raw.is_ordered:
        raise OptionError(
            f"{keyword('directed', True)} needs edges that lead from one vertex to another; {raw.where} has none:"
            " leave it away, or give a directed graph"
        )
    twice = None if raw.both_ways is None else np.flatnonzero(raw.both_ways & (u != v))
    if twice is None or not len(twice):
        return u, v, raw.counts, []
    counts = None if raw.counts is None else np.concatenate((raw.counts, raw.counts[twice]))
    message = f"{raw.where}: {count_of(len(twice), 'edge')} without a direction read as two, one each way"
    notes = [Note("both-ways", message, len(twice))]
    return np.concatenate((u, v[twice])), np.concatenate((v, u[twice])), counts, notes


def is_reciprocal(u: Array, v: Array, counts: Array | None, n_nodes: int) -> bool:
    """Return whether every pair of different vertices stands exactly once each way, equally often.

    >>> is_reciprocal(np.array([0, 1, 2]), np.array([1, 0, 2]), None, 3)
    True
    >>> is_reciprocal(np.array([0, 1, 1]), np.array([1, 0, 2]), None, 3)
    False
    """
    up, down = u < v, u > v
    n_up = np.count_nonzero(up)
    if n_up == 0 or n_up != np.count_nonzero(down):
        return False
    there, back = _pair_numbers(u[up], v[up], n_nodes), _pair_numbers(v[down], u[down], n_nodes)
    order, reverse = np.argsort(there), np.argsort(back)
    there = there[order]
    if not np.array_equal(there, back[reverse]) or not np.all(there[1:] > there[:-1]):
        return False
    return counts is None or np.array_equal(counts[up][order], counts[down][reverse])


def _merge(u: Array, v: Array, n_nodes: int, is_directed: bool) -> tuple[Array, Array, int]:
    first, second = (u, v) if is_directed else (np.minimum(u, v), np.maximum(u, v))
    pairs = np.sort(_pair_numbers(first, second, n_nodes))
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # many times faster than numpy.unique
    return pairs // max(n_nodes, 1), pairs % max(n_nodes, 1), len(u) - len(pairs)


def _count_back(u: Array, v: Array, n_nodes: int, n_parallel: int) -> int:
    """Return how many pairs stand both ways, 0 unless that is the reason of nearly all parallel edges."""
    pairs = np.sort(_pair_numbers(u, v, n_nodes))
    n_same = int(np.count_nonzero(pairs[1:] == pairs[:-1]))  # stand twice the same way
    n_back = n_parallel - n_same
    return n_back if n_back >= max(_FEW_BACK, _MOSTLY_BACK * n_same) else 0


def _pair_numbers(u: Array, v: Array, n_nodes: int) -> Array:
    pairs = u.astype(np.int64)
    pairs *= n_nodes
    pairs += v
    return pairs


def _describe(graph: Graph, where: str, u: Array, v: Array) -> list[Note]:
    notes = []
    n_parallel = _count_parallel(graph)
    if n_parallel:
        merge = option("parallel", "merge")
        message = f"{where}: {count_of(n_parallel, 'edge')} parallel to another counted; {merge} would not"
        notes.append(Note("parallel", message, n_parallel))
        n_back = 0 if graph.is_directed else _count_back(u, v, graph.n_nodes, n_parallel)
        if n_back:
            cure = either("directed=True (--directed)", "--directed")
            message = f"{where}: {n_back:,} pairs stand both ways, and others do not: if edges have a direction, give"
            notes.append(Note("looks-directed", f"{message} {cure}", n_back))
    n_loops = int(graph.loops.sum())
    if n_loops:
        adds = "adding" if n_loops == 1 else "each adding"
        amount = "1 to both degrees" if graph.is_directed else "2 to a degree"
        message = f"{where}: {count_of(n_loops, 'self-loop')} kept, {adds} {amount}"
        notes.append(Note("self-loops", message, n_loops))
    n_isolates = int(np.count_nonzero(graph.degrees == 0))
    if n_isolates:
        has = "has" if n_isolates == 1 else "have"
        message = f"{where}: {n_isolates:,} of {count_of(graph.n_nodes, 'vertex', 'vertices')} {has} no edge: kept"
        notes.append(Note("isolates", message, n_isolates))
    sizes = graph.component_sizes
    n_linked = int((sizes > 1).sum())
    if n_linked > 1:
        share = in_percent(int(sizes[0]), graph.n_nodes)
        message = (
            f"{where}: edges link the vertices into {n_linked:,} components; the largest holds {share} of the vertices"
        )
        notes.append(Note("components", message, n_linked))
    return notes


def _count_parallel(graph: Graph) -> int:
    """Count the edges beyond the first of each pair; rows of the CSR are sorted."""
    if graph.is_directed:
        return int(np.count_nonzero((graph.edges[1:] == graph.edges[:-1]).all(axis=1)))
    again = graph.indices[1:] == graph.indices[:-1]
    starts = graph.indptr[1:-1]
    again[starts[(starts > 0) & (starts < len(graph.indices))] - 1] = False
    return int(np.count_nonzero(again)) // 2 + int(np.maximum(graph.loops - 1, 0).sum())
