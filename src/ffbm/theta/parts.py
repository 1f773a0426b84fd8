"""What the cells of a table can hold: values of which a vertex has one, flags, and numbers.

A column of values is one part with a value for each of its flags, and one for none of them if a vertex with an answer
has none (a value that was dropped, or rare). A column of one flag has the values "not set" and "set". Where vertices
have several flags of a column, each flag is a part of its own. All values of all parts are numbered through.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.errors import OptionError, keyword
from ffbm.theta.design import Design
from ffbm.types.graph import Array
from ffbm.types.weights import INTERCEPT


@dataclass(frozen=True, eq=False)
class Parts:
    """The P parts with C values in all, and the Q numbers, of a design with D features.

    Parameters
    ----------
    start : (P+1,) int64
        Where the values of each part begin.
    feature : (C,) int64
        The feature that a value sets; -1 if it sets none.
    column : (P,) int64
        The column of the table that each part is of.
    number : (Q,) int64
        The features that are numbers.
    number_column : (Q,) int64
        Their columns.
    """

    start: Array
    feature: Array
    column: Array
    number: Array
    number_column: Array

    @property
    def n_parts(self) -> int:
        """P."""
        return len(self.column)

    @cached_property
    def owner(self) -> Array:
        """The part of each value (C,)."""
        return np.repeat(np.arange(self.n_parts), np.diff(self.start))


def find_parts(design: Design) -> Parts:
    """Return the parts of a design, judged by the cells that are known.

    >>> from ffbm.theta.design import make_design
    >>> parts = find_parts(make_design([[1, 0, 0.5], [0, 1, 2.5]], intercept=True))
    >>> parts.start.tolist(), parts.feature.tolist(), parts.number.tolist()
    ([0, 2, 4], [-1, 0, -1, 1], [2])
    """
    names = [name for name in dict.fromkeys(design.columns) if name != INTERCEPT]
    index_of = {name: g for g, name in enumerate(names)}
    n_features = len(design.names) - design.has_intercept
    column_of = np.array([index_of[name] for name in design.columns[:n_features]], dtype=np.int64)
    flags = np.flatnonzero(~design.is_number[:n_features])
    x, missing = rows_of_vertices(design, None), missing_of(design, len(names))
    joins = sp.csr_array(
        (np.ones(len(flags)), (np.arange(len(flags)), column_of[flags])), shape=(len(flags), len(names))
    )
    n_set = (abs(x[:, flags]).sign() @ joins).toarray()
    marked = np.flatnonzero(((n_set > 0) & missing).any(axis=0))
    if len(marked):
        option, without, name = keyword("impute", ""), keyword("missing", '"none"'), names[marked[0]]
        raise OptionError(
            f"{option} takes a missing cell as unknown, but column {name!r} has flags where it is missing: read it with"
            f" {without}, or leave {option} out"
        )
    start, feature, column = [0], list[int](), list[int]()
    for g in range(len(names)):
        members, known = flags[column_of[flags] == g], n_set[~missing[:, g], g]
        exclusive = len(members) > 1 and known.max(initial=0) <= 1
        values = [[*members, *[-1] * bool((known == 0).any())]] if exclusive else [[-1, d] for d in members]
        for part in values:
            feature += part
            start.append(len(feature))
            column.append(g)
    numbers = np.flatnonzero(design.is_number[:n_features])
    whole = np.array(feature, dtype=np.int64)
    return Parts(np.array(start), whole, np.array(column, dtype=np.int64), numbers, column_of[numbers])


def rows_of_vertices(design: Design, vertices: Array | None) -> sp.csr_array:
    """Return the features of some vertices (all for None), unknown cells 0 and no zeros stored."""
    x = sp.csr_array(design.x[design.group if vertices is None else design.group[vertices]])
    x.eliminate_zeros()
    return x


def missing_of(design: Design, n_columns: int) -> Array:
    """Return which cells are unknown (N, G)."""
    if design.blanks is None:
        return np.zeros((design.n_nodes, n_columns), dtype=bool)
    return np.asarray(design.blanks.missing.toarray())


def code_cells(parts: Parts, x: sp.csr_array, missing: Array) -> tuple[Array, Array]:
    """Return the value of each part (N, P), -1 where it is unknown, and the numbers (N, Q), NaN where they are.

    A vertex that has none of a part's values, where none is no value of it, counts as unknown.
    """
    n_values = len(parts.feature)
    value_of = np.full(x.shape[1], -1)
    sets = parts.feature >= 0
    value_of[parts.feature[sets]] = np.flatnonzero(sets)
    codes = np.full((x.shape[0], parts.n_parts), -1)
    without = np.flatnonzero(~sets)
    codes[:, parts.owner[without]] = without
    entries = x.tocoo()
    value = value_of[entries.col]
    kept = (value >= 0) & (entries.data != 0)
    codes[entries.row[kept], parts.owner[value[kept]]] = value[kept]
    codes[missing[:, parts.column]] = -1
    assert codes.max(initial=-1) < n_values
    numbers: Any = x[:, parts.number].toarray() if len(parts.number) else np.zeros((x.shape[0], 0))
    numbers[missing[:, parts.number_column]] = np.nan
    return codes, numbers
