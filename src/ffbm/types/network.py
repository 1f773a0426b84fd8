"""A labelled network: a multigraph and a table of vertex features."""

import hashlib
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.errors import OptionError, Wording
from ffbm.plain import count_of
from ffbm.types.graph import Array, Graph
from ffbm.types.html import notes_html, table_html

_SHOWN = 20  # columns that a notebook shows


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that reading dropped or changed: a stable code, a sentence, how often."""

    code: str
    message: str
    count: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", Wording(self.message))

    def to_dict(self) -> dict[str, Any]:
        """Return it by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Features:
    """The feature matrix X with a name and an original column for each of its columns.

    Parameters
    ----------
    values : (N, D) float64, dense array or CSR
        Flags are 0 or 1; numbers are standardised.
    names : tuple of D unique names
        ``column=value`` for a flag made of a value, else the column's own name.
    columns : tuple of D names
        The column of the user's table that each feature comes from.
    mean, sd : (D,) float64
        What standardising took away and divided by; 0 and 1 for flags.
    missing : (N, G) bool CSR, optional
        Which cells of the G columns, in the order of ``column_names``, had no answer: there a flag is 0 and a number
        its mean. None if every cell had one, or if that is not known.
    other : dict of Features by column
        Columns of numbers that may be codes, and of dates, read as values: a fit takes the better reading.
    replaced : dict of dicts by column
        What values were read as, for later tables: another value (``merge=``), or "" for missing (``drop=``).

    Examples
    --------
    >>> import pandas as pd
    >>> from ffbm.data.encode import encode_features
    >>> x, _ = encode_features(pd.DataFrame({"age": [20, None, 40], "party": ["b", "a", "a"]}))
    >>> x.column_names, x.missing.toarray().tolist()
    (('age', 'party'), [[False, False], [True, False], [False, False]])
    >>> x.of_column("party").tolist(), x.dense([1, 2]).tolist()
    ([1, 2], [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    """

    values: Any
    names: tuple[str, ...]
    columns: tuple[str, ...]
    mean: Array
    sd: Array
    missing: Any = None
    other: "dict[str, Features]" = field(default_factory=dict)
    replaced: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """D."""
        return len(self.names)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The G columns of the user's table that features come from, each once, in their order."""
        return tuple(dict.fromkeys(self.columns))

    def take(self, features: Array) -> "Features":
        """Return the features with these numbers alone, in this order, and the missing cells of their columns."""
        columns = tuple(self.columns[j] for j in features)
        missing = self.missing
        if missing is not None:
            missing = sp.csr_array(missing[:, [self.column_names.index(name) for name in dict.fromkeys(columns)]])
        return Features(
            values=self.values[:, features],
            names=tuple(self.names[j] for j in features),
            columns=columns,
            mean=self.mean[features],
            sd=self.sd[features],
            missing=missing if missing is not None and missing.nnz else None,
            other={name: values for name, values in self.other.items() if name in columns},
            replaced={name: pairs for name, pairs in self.replaced.items() if name in columns},
        )

    def with_values(self, name: str, values: "Features") -> "Features":
        """Return the features with the other reading of a column, as values, in the place of its number."""
        inside = [j for j, column in enumerate(self.columns) if column == name]
        first, last = inside[0], inside[-1] + 1
        parts = (self.values[:, :first], values.values, self.values[:, last:])
        x = sp.csr_array(sp.hstack([sp.csr_array(part) for part in parts], format="csr"))
        x.sort_indices()
        return replace(
            self,
            values=x if 2 * x.nnz < x.shape[0] * x.shape[1] else x.toarray(),
            names=(*self.names[:first], *values.names, *self.names[last:]),
            columns=(*self.columns[:first], *values.columns, *self.columns[last:]),
            mean=np.concatenate((self.mean[:first], values.mean, self.mean[last:])),
            sd=np.concatenate((self.sd[:first], values.sd, self.sd[last:])),
            other={column: other for column, other in self.other.items() if column != name},
        )

    def of_column(self, column: str) -> Array:
        """Return the numbers of the features that come from a column."""
        return np.flatnonzero([name == column for name in self.columns])

    def dense(self, features: Any) -> Array:
        """Return the values (N, ...) of some features as a dense array."""
        cells = self.values[:, features]
        return np.asarray(cells.toarray() if sp.issparse(cells) else cells)

    def is_missing(self, column: str) -> Array:
        """Tell which vertices (N,) had no answer in a column."""
        if self.missing is None:
            return np.zeros(self.values.shape[0], dtype=bool)
        return np.asarray(self.missing[:, [self.column_names.index(column)]].toarray()[:, 0])

    @cached_property
    def support(self) -> Array:
        """The number of vertices on which each feature is not zero (D,)."""
        if sp.issparse(self.values):
            return np.bincount(self.values.indices[self.values.data != 0], minlength=self.n_features)
        return np.count_nonzero(self.values, axis=0)

    @cached_property
    def is_number(self) -> Array:
        """Which features are numbers, not flags (D,): standardised, or something else than 0 and 1."""
        cells = sp.coo_array(self.values)
        odd = np.bincount(cells.col[(cells.data != 0) & (cells.data != 1)], minlength=self.n_features) > 0
        return np.asarray(odd | (self.mean != 0) | (self.sd != 1))

    @cached_property
    def names_of_numbers(self) -> frozenset[str]:
        """The names of the features that are numbers, not flags."""
        return frozenset(compress(self.names, self.is_number))

    def __repr__(self) -> str:
        n, d = self.values.shape
        kind = "sparse" if sp.issparse(self.values) else "dense"
        columns, vertices = count_of(len(set(self.columns)), "column"), count_of(n, "vertex", "vertices")
        return f"<Features: {d:,} from {columns}, {vertices}, {kind}>"


@dataclass(frozen=True, eq=False)
class Network:
    """A labelled network: graph, features, the ids as the user wrote them, notes of reading.

    ``reading`` has the file or registered name that it was read from, as ``source``, and the options of reading that
    were given; it is empty for a network made of objects.
    """

    graph: Graph
    features: Features
    node_ids: Array
    notes: tuple[Note, ...] = field(default=())
    name: str = ""
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        """N."""
        return self.graph.n_nodes

    @property
    def n_edges(self) -> int:
        """E."""
        return self.graph.n_edges

    @property
    def n_features(self) -> int:
        """D."""
        return self.features.n_features

    def undirected(self) -> "Network":
        """Return the network without the direction of its edges; the network itself if they have none.

        >>> import ffbm
        >>> net = ffbm.as_network([("a", "b"), ("b", "a")], directed=True)
        >>> net.undirected().graph.degrees.tolist()
        [2, 2]
        """
        if not self.graph.is_directed:
            return self
        source, target = self.graph.edges.T
        graph = Graph.from_edges(source, target, self.n_nodes, weights=self.graph.weights)
        message = f"the direction of {count_of(self.n_edges, 'edge')} ignored"
        return replace(self, graph=graph, notes=(*self.notes, Note("directed", message, self.n_edges)))

    def without_weights(self) -> "Network":
        """Return the network without the weights of its edges; the network itself if they have none.

        >>> import ffbm, pandas as pd
        >>> edges = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "trips": [3, 0]})
        >>> net = ffbm.as_network(edges, edge_weight="trips")
        >>> net.graph, net.without_weights().graph
        (<Graph: 3 vertices, 2 weighted edges>, <Graph: 3 vertices, 2 edges>)
        """
        if self.graph.weights is None:
            return self
        message = f"the weights of {count_of(self.n_edges, 'edge')} ignored"
        notes = tuple(note for note in self.notes if note.code != "edge-weight")
        return replace(self, graph=self.graph.without_weights(), notes=(*notes, Note("weights", message, self.n_edges)))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of ids, edges and features that ignores the order of vertices, edges and features."""
        order = np.argsort(self.node_ids, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        ends = rank[self.graph.edges]
        if not self.graph.is_directed:
            ends = np.sort(ends, axis=1)
        weights = self.graph.weights
        order_of_edges = np.lexsort((*(() if weights is None else (weights.values,)), ends[:, 1], ends[:, 0]))
        ends = ends[order_of_edges]
        names = sorted(range(self.n_features), key=self.features.names.__getitem__)
        x = sp.csr_array(self.features.values)[order][:, names]
        x.data = np.round(x.data, 9) + 0.0
        x.eliminate_zeros()
        x.sort_indices()
        text = [*map(str, self.node_ids[order]), "", *(self.features.names[j] for j in names)]
        if self.graph.is_directed:
            text += ["", "directed"]
        if weights is not None:
            text += ["", "weighted", weights.model, str(weights.prior)]
        digest = hashlib.blake2b("\0".join(text).encode(), digest_size=16)
        for part, kind in ((ends, "<i8"), (x.indptr, "<i8"), (x.indices, "<i8"), (x.data, "<f8")):
            digest.update(np.ascontiguousarray(part, dtype=kind).tobytes())
        if weights is not None:
            digest.update(weights.values[order_of_edges].astype("<f8").tobytes())
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        x = self.features
        rows = []
        for name in x.column_names[:_SHOWN]:
            inside = x.of_column(name)
            if x.is_number[inside[0]]:
                rows.append([name, "number", f"mean {x.mean[inside[0]]:.4g}, sd {x.sd[inside[0]]:.4g}"])
            else:
                most = inside[int(np.argmax(x.support[inside]))]
                kind = "flag" if len(inside) == 1 else f"{len(inside):,} values"
                value = x.names[most].removeprefix(f"{name}=")
                rows.append([name, kind, f"{'' if value == name else value + ': '}{x.support[most]:,} vertices"])
        left = len(x.column_names) - len(rows)
        rows += [[f"... and {left:,} more", "", ""]] if left else []
        title = f"{self.name}: {count_of(self.n_nodes, 'vertex', 'vertices')}, {self.graph.edges_in_words}"
        table = table_html(["column", "read as", "most frequent, or mean"], rows, title.removeprefix(": "))
        return table + notes_html(self.notes)

    def __repr__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        sizes = count_of(self.n_nodes, "vertex", "vertices"), self.graph.edges_in_words
        notes = f"; {count_of(len(self.notes), 'note')} on reading" if self.notes else ""
        return f"<Network {name}{', '.join(sizes)}, {count_of(self.n_features, 'feature')}{notes}>"


def check_network(net: Any) -> None:
    """Refuse what is no Network."""
    if not isinstance(net, Network):
        raise OptionError(
            f"net must be a Network; got {type(net).__name__}: make one with load_dataset, read_network or as_network"
        )
