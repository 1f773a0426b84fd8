"""Types of vertices, such as people and events: vertices of different types never share a block."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ffbm.errors import DataError, OptionError, either, keyword, named
from ffbm.plain import did_you_mean
from ffbm.types.graph import Array, Graph
from ffbm.types.network import Network

_MOST_NUMBERS = 20  # different ones: a column with more is a measure, not a type


class NodeTypes(NamedTuple):
    """Which type each vertex has."""

    values: tuple[str, ...]  # sorted
    of_vertex: Array  # (N,) int64: places in ``values``
    column: str | None = None  # that they come from

    @property
    def sizes(self) -> Array:
        """The number of vertices of each type."""
        return np.bincount(self.of_vertex, minlength=len(self.values))

    def numbers(self, n_blocks: Any, allow_empty: bool = False) -> list[int]:
        """Return the number of blocks of each type, in order, from a mapping.

        >>> NodeTypes(("event", "person"), np.array([0, 1, 1])).numbers({"person": 2, "event": 1})
        [1, 2]
        """
        if not isinstance(n_blocks, Mapping) or set(map(str, n_blocks)) != set(self.values):
            raise OptionError(
                f"with {keyword('node_type')} {keyword('n_blocks')} must be 'auto', 'free' or a number for each type,"
                f" {named(dict.fromkeys(self.values[:3], 2))}; got {named(n_blocks)}"
            )
        numbers = {str(value): number for value, number in n_blocks.items()}
        for value, size in zip(self.values, self.sizes.tolist(), strict=True):
            number = numbers[value]
            is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
            if not is_whole or number < 1 or (number > size and not allow_empty):
                most = "" if allow_empty else f" and at most its {size:,} vertices"
                raise OptionError(
                    f"{keyword('n_blocks')} of type {value!r} must be a whole number, at least 1{most}; got {number!r}"
                )
        return [int(numbers[value]) for value in self.values]

    def check_blocks(self, labels: Array) -> Array:
        """Return the type (B,) of each block; refuse blocks of several types. An empty block has type -1."""
        block_types = np.full(int(labels.max(initial=-1)) + 1, -1)
        block_types[labels] = self.of_vertex
        mixed = np.flatnonzero(block_types[labels] != self.of_vertex)
        if len(mixed):
            r, other = int(labels[mixed[0]]), self.values[self.of_vertex[mixed[0]]]
            raise DataError(
                f"a block must hold vertices of one type; block {r} has {self.values[block_types[r]]!r} and {other!r}:"
                f" leave out {keyword('node_type')}, or cut the block"
            )
        return block_types


def node_types(net: Network | Graph, node_type: Any) -> NodeTypes | None:
    """Return the types of the vertices: those in a column of the network, or the values (N,) given; None for None.

    >>> import ffbm, pandas as pd
    >>> who = pd.DataFrame({"kind": ["person", "person", "event"]}, index=["a", "b", "c"])
    >>> net = ffbm.as_network([("a", "c"), ("b", "c")], who)
    >>> node_types(net, "kind")
    NodeTypes(values=('event', 'person'), of_vertex=array([1, 1, 0]), column='kind')
    """
    if node_type is None:
        return None
    if isinstance(node_type, str):
        if not isinstance(net, Network):
            value = keyword("node_type", repr(node_type))
            raise OptionError(f"{value} names a column, and a Graph has none: give a type per vertex")
        texts = _column_texts(net, node_type)
    else:
        entries = np.asarray(node_type)
        if entries.shape != (net.n_nodes,) or entries.dtype.kind not in "iubUSO":
            raise OptionError(
                f"{keyword('node_type')} must be the name of a column, or a type for each of the {net.n_nodes:,}"
                f" vertices; got {entries.dtype} of shape {entries.shape}"
            )
        texts = entries.astype(str)
    values, of_vertex = np.unique(texts, return_inverse=True)
    column = node_type if isinstance(node_type, str) else None
    return NodeTypes(tuple(values.tolist()), of_vertex.reshape(-1), column)


def _column_texts(net: Network, name: str) -> Array:
    """Return the value (N,) of each vertex in a column, as text."""
    x = net.features
    inside = x.of_column(name)
    if not len(inside):
        hint = did_you_mean(name, x.column_names) or f"its columns are {', '.join(map(repr, x.column_names[:8]))}"
        hint = hint if x.n_features else f"it has no columns: give a table with {either('nodes= (--nodes)', '--nodes')}"
        raise OptionError(f"{keyword('node_type', repr(name))} must name a column that varies; {hint}")
    cells = x.dense(inside)
    known = ~x.is_missing(name)
    if x.is_number[inside].any():
        texts = np.array([f"{value:.12g}" for value in x.mean[inside[0]] + x.sd[inside[0]] * cells[:, 0]])
        if len(np.unique(texts[known])) > _MOST_NUMBERS:
            raise OptionError(
                f"{keyword('node_type', repr(name))} must name a column of types; it has more than {_MOST_NUMBERS}"
                " different numbers"
            )
    elif len(inside) == 1 or x.names[inside[0]] == name:  # one flag, of which 0 is a value too
        texts = np.where(cells[:, 0] != 0, "1", "0")
    else:
        values = np.array([x.names[j].removeprefix(f"{name}=") for j in inside])
        known &= (cells != 0).any(axis=1)
        texts = values[(cells != 0).argmax(axis=1)]
    if not known.all():
        first = str(net.node_ids[np.argmin(known)])
        raise DataError(
            f"{keyword('node_type', repr(name))} must have a value on every vertex;"
            f" {np.count_nonzero(~known):,} of {net.n_nodes:,} have none, such as {first!r}: fill it in"
        )
    return texts
