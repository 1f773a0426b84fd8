"""The vertices and edges of a graph file, collected in the order in which a reader meets them."""

from typing import Any

import numpy as np
import pandas as pd

from ffbm.data.edgeweights import RawWeights, real_weights
from ffbm.data.ids import text_array
from ffbm.data.raw import RawGraph, RawNodes, no_attributes, note_left_out, note_unused, pick_column, whole_counts
from ffbm.errors import DataError
from ffbm.types import Note

UNDIRECTED, ONE_WAY, MUTUAL = 0, 1, 2  # what an edge is


class Collector:
    """Collects nodes, edges and their attributes as text.

    >>> collector = Collector("tiny.gml")
    >>> a, b = collector.add_node("a"), collector.add_node("b")
    >>> collector.set_node(b, "colour", "red")
    >>> collector.add_edge("a", "b")
    >>> raw = collector.finish()
    >>> raw.ids.tolist(), raw.vertices.table["colour"].tolist()
    (['a', 'b'], [None, 'red'])
    """

    def __init__(self, where: str, multiplicity: str | None = None, edge_weight: str | None = None) -> None:
        self.where = where
        self.is_directed = False
        self.display: str | None = None
        self.has_lists = False  # what is left out holds lists
        self.notes: list[Note] = []
        self._multiplicity = multiplicity
        self._weight = edge_weight
        self._numbers: dict[str, int] = {}
        self._ends: list[str] = []
        self._ways = bytearray()
        self._columns: dict[str, dict[int, Any]] = {}
        self._defaults: dict[str, str] = {}
        self._left_out: dict[str, int] = {}
        self._edge_columns: dict[str, None] = {}
        self._cells: dict[str, dict[int, str]] = {name: {} for name in (multiplicity, edge_weight) if name is not None}
        self._cell_defaults: dict[str, str] = {}

    def add_node(self, name: str | None) -> int:
        """Add a vertex and return its number."""
        if name is None or not name.strip():
            raise DataError(f"{self.where}: every node must have an id; node {len(self._numbers) + 1} has none: add it")
        if name in self._numbers:
            raise DataError(f"{self.where}: node ids must be different; {name!r} stands twice: rename or drop one")
        number = self._numbers[name] = len(self._numbers)
        return number

    def meet_node(self, name: str) -> int:
        """Return the number of a vertex, adding it where it is not known."""
        number = self._numbers.get(name)
        return self.add_node(name) if number is None else number

    def add_edge(self, source: str | None, target: str | None, way: int = UNDIRECTED) -> None:
        """Add an edge; attributes of edges set from now on are its own.

        ``way`` counts unless the whole graph is marked as directed: where some edges are directed, those that are not
        lead both ways.
        """
        if source is None or target is None:
            number = len(self._ends) // 2 + 1
            raise DataError(
                f"{self.where}: every edge must have a source and a target; edge {number} lacks one: repair it"
            )
        self._ends += (source, target)
        self._ways.append(way)

    def declare_node(self, name: str, default: str | None = None) -> None:
        """Announce an attribute of the vertices, so that columns keep the order of their declaration.

        It may be announced again: networkx does so for each type of its values.
        """
        self._columns.setdefault(name, {})
        if default is not None:
            self._defaults[name] = default

    def declare_edge(self, name: str, default: str | None = None) -> None:
        """Announce an attribute of the edges."""
        self._edge_columns[name] = None
        if default is not None:
            self.set_count_default(name, default)

    def set_count_default(self, name: str, default: str) -> None:
        """Set what an edge has that lacks the attribute ``name``, should it be the multiplicity or the weight."""
        self._cell_defaults[name] = default

    def set_node(self, number: int, name: str, value: str) -> None:
        """Set an attribute of a vertex."""
        column = self._columns.setdefault(name, {})
        if number in column:
            self.leave_out(name)
        column[number] = value

    def set_edge(self, name: str, value: str) -> None:
        """Set an attribute of the edge that was added last."""
        self._edge_columns[name] = None
        if name in self._cells:
            self._cells[name][len(self._ends) // 2 - 1] = value

    def leave_out(self, name: str) -> None:
        """Mark an attribute that is not one text for each vertex (nested, drawn, changing with time)."""
        self._left_out[name] = self._left_out.get(name, 0) + 1

    def finish(self) -> RawGraph:
        """Return what was collected."""
        n_nodes, n_edges = len(self._numbers), len(self._ends) // 2
        numbers = dict(self._numbers)
        ends = np.fromiter(
            (numbers.setdefault(name, len(numbers)) for name in self._ends), dtype=np.int64, count=2 * n_edges
        )
        ids = text_array(numbers, len(numbers))
        table = self._table(n_nodes)
        ways = np.frombuffer(bytes(self._ways), dtype=np.uint8)
        is_mixed = not self.is_directed and bool(ways.any()) and bool((ways != ONE_WAY).any())
        return RawGraph(
            self.where,
            ids,
            np.ascontiguousarray(ends[::2]),
            np.ascontiguousarray(ends[1::2]),
            self._whole_counts(n_edges),
            RawNodes(self.where, ids[:n_nodes], table, display=self.display),
            self.is_directed or bool(ways.any()),
            ways != ONE_WAY if is_mixed else None,
            notes=self._gather_notes(),
            weights=self._weights(n_edges),
        )

    def _table(self, n_nodes: int) -> pd.DataFrame:
        columns = {}
        for name, cells in self._columns.items():
            if name not in self._left_out:
                column = np.full(n_nodes, self._defaults.get(name), dtype=object)
                column[list(cells)] = list(cells.values())
                columns[name] = column
        return pd.DataFrame(columns, dtype=object) if columns else no_attributes(n_nodes)

    def _whole_counts(self, n_edges: int) -> Any:
        name = self._multiplicity
        if name is None:
            return None
        return whole_counts(self._edge_cells(name, "multiplicity", n_edges), name, self.where, _nth_edge)

    def _weights(self, n_edges: int) -> RawWeights | None:
        name = self._weight
        if name is None:
            return None
        return real_weights(self._edge_cells(name, "edge_weight", n_edges), name, self.where, _nth_edge)

    def _edge_cells(self, name: str, option: str, n_edges: int) -> Any:
        """Return an attribute of each edge, its default where it is not written."""
        if n_edges:
            pick_column(list(self._edge_columns), name, option, f"the edges of {self.where}")
        cells, default = self._cells[name], self._cell_defaults.get(name)
        return text_array([cells.get(edge, default) for edge in range(n_edges)], n_edges)

    def _gather_notes(self) -> list[Note]:
        notes = [*self.notes, *note_left_out(self.where, list(self._left_out), are_lists=self.has_lists)]
        unused = [name for name in self._edge_columns if name not in self._cells]
        return notes + note_unused(self.where, unused, can_count=not self._cells)


def _nth_edge(edge: int) -> str:
    return f"edge {edge + 1}"
