"""The design of a fit: the features of all vertices, read once, equal rows merged; and the part of it that trains.

A fit makes one design and hands it on: every function that takes features takes a Design as well. What weights are
trained on, memberships or labels, is the response; the prior is separate. Neither is here.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.errors import DataError, OptionError, either
from ffbm.kernels.prediction import Rows
from ffbm.kernels.slab import Slab
from ffbm.kernels.softmax import NO_SLAB, Target, TrainingRows
from ffbm.theta.blanks import INDEPENDENT, N_CLASSES, Blanks, add_zeros
from ffbm.theta.rows import merge_apart
from ffbm.types.graph import Array
from ffbm.types.network import Features
from ffbm.types.weights import INTERCEPT


@dataclass(frozen=True, eq=False)
class Design:
    """X with equal rows merged.

    Parameters
    ----------
    x : (R, D) CSR
        The different rows, in the order in which vertices show them; an intercept is the last column.
    group : (N,) int64
        The row that each vertex has.
    names, columns : tuple of D
        The features, and the column of the user's table each comes from.
    support : (D,) int64
        On how many vertices each feature is not zero.
    is_number : (D,) bool
        Which features are numbers, not flags.
    has_intercept : bool
        Whether the last feature is one that is 1 everywhere.
    blanks : Blanks, optional
        The cells that are sampled. Vertices with such cells have rows of their own, with an entry for every feature of
        the columns that they have no answer in; it is 0 here.
    shares : (N, R) CSR, optional
        Where unknown cells were completed several times: the share of each row in each vertex, in place of ``group``.

    Examples
    --------
    >>> design = make_design([[1, 0], [1, 0], [1, 1]], intercept=True)
    >>> design.group.tolist(), design.support.tolist(), design.names
    ([0, 0, 1], [3, 1, 3], ('0', '1', '(intercept)'))
    """

    x: sp.csr_array
    group: Array
    names: tuple[str, ...]
    columns: tuple[str, ...]
    support: Array
    is_number: Array
    has_intercept: bool = False
    blanks: Blanks | None = None
    shares: Any = None

    @property
    def n_nodes(self) -> int:
        """N."""
        return len(self.group)

    @cached_property
    def counts(self) -> Array:
        """How many vertices have each row (R,) int64; numbers with fractions where rows are shared out."""
        if self.shares is not None:
            return np.asarray(self.shares.sum(axis=0)).ravel()
        return np.bincount(self.group, minlength=self.x.shape[0])

    def by_vertex(self, values: Array) -> Array:
        """Return values of the rows (R, B) as values of the vertices (N, B)."""
        return np.asarray(values[self.group] if self.shares is None else self.shares @ values)

    @cached_property
    def rows(self) -> Rows:
        """The different rows for kernels."""
        return Rows(*_parts(self.x))

    def check_vertices(self, n_nodes: int) -> None:
        """Refuse a network with another number of vertices."""
        if self.n_nodes != n_nodes:
            raise DataError(f"features must have a row for each of {n_nodes:,} vertices; got {self.n_nodes:,} rows")

    def take(self, which: Array) -> "Design":
        """Return the design of these features alone, in this order; an intercept stays."""
        chosen = [*which, len(self.names) - 1] if self.has_intercept else list(which)
        x, columns, blanks = sp.csr_array(self.x[:, chosen]), tuple(self.columns[d] for d in chosen), None
        apart = np.zeros(x.shape[0], dtype=bool)
        if self.blanks is not None:
            blanks = self.blanks.take(self.columns, columns)
            x.eliminate_zeros()
        if blanks is not None:
            x = add_zeros(x, blanks, self.group, columns)
            apart[self.group[blanks.has_any]] = True
        merged = merge_apart(x, apart)
        return Design(
            x=merged.x,
            group=merged.group[self.group],
            names=tuple(self.names[d] for d in chosen),
            columns=columns,
            support=self.support[chosen],
            is_number=self.is_number[chosen],
            has_intercept=self.has_intercept,
            blanks=blanks,
        )

    def of(self, vertices: Array) -> "Design":
        """Return the design of some vertices alone; not for one whose cells are sampled.

        >>> design = make_design([[1, 0], [1, 1], [1, 0]]).of(np.array([2, 0]))
        >>> design.x.toarray().tolist(), design.group.tolist()
        ([[1.0, 0.0]], [0, 0])
        """
        if self.shares is not None:
            return replace(self, group=self.group[vertices], shares=sp.csr_array(self.shares[vertices]))
        used, group = np.unique(self.group[vertices], return_inverse=True)
        return replace(self, x=sp.csr_array(self.x[used]), group=group)

    def with_intercept(self) -> "Design":
        """Return the design with one more feature that is 1 everywhere."""
        if INTERCEPT in self.names:
            off = either("intercept=False", "out --intercept")
            raise DataError(f"a feature is named {INTERCEPT!r} already: rename it, or leave {off}")
        return Design(
            x=sp.csr_array(sp.hstack((self.x, np.ones((self.x.shape[0], 1))), format="csr")),
            group=self.group,
            names=(*self.names, INTERCEPT),
            columns=(*self.columns, INTERCEPT),
            support=np.append(self.support, self.n_nodes),
            is_number=np.append(self.is_number, False),
            has_intercept=True,
            blanks=self.blanks,
            shares=self.shares,
        )


def make_design(features: Any, intercept: bool = False, impute: bool | str = False) -> Design:
    """Read features, Features or numbers of shape (N, D), and merge equal rows; a Design is returned as it is.

    ``intercept`` adds a feature that is 1 everywhere, unless the design has it already. With ``impute`` missing cells
    of Features are unknown and sampled with the weights; "independent" takes columns for independent a priori.
    """
    design = features if isinstance(features, Design) else _merged(features, impute)
    if design.has_intercept and not intercept:
        raise OptionError("the design has an intercept: pass intercept=True, or a design without one")
    return design.with_intercept() if intercept and not design.has_intercept else design


def _merged(features: Any, impute: bool | str) -> Design:
    x, names, columns = read_features(features)
    support = np.bincount(x.indices, minlength=x.shape[1])
    if isinstance(features, Features):
        is_number = features.is_number
    else:
        is_number = np.bincount(x.indices[x.data != 1], minlength=x.shape[1]) > 0
    blanks = None
    if impute and isinstance(features, Features) and features.missing is not None:
        blanks = Blanks(sp.csr_array(features.missing), 1 if impute == INDEPENDENT else N_CLASSES)
        x = add_zeros(x, blanks, np.arange(x.shape[0]), columns)
    merged = merge_apart(x, np.zeros(x.shape[0], dtype=bool) if blanks is None else blanks.has_any)
    return Design(merged.x, merged.group, names, columns, support, is_number, blanks=blanks)


@dataclass(frozen=True, eq=False)
class Training:
    """What the training vertices have of a design, for weights on B blocks.

    Parameters
    ----------
    design : Design
    vertices : (n,) int64
        The training vertices.
    n_blocks : int
        B.
    rows : TrainingRows
        Their different rows over the A features that some of them have, most frequent first; for kernels.
    """

    design: Design
    vertices: Array
    n_blocks: int
    rows: TrainingRows

    def matrix(self, values: Array | None = None) -> sp.csr_array:
        """Return the different rows of the training vertices (R, A), with values of their own if they are given."""
        rows = self.rows
        data = rows.values if values is None or values.size == 0 else values
        data = data if data.size else np.ones(len(rows.indices))
        return sp.csr_array((data, rows.indices, rows.indptr), shape=(len(rows.counts), len(rows.active)))

    def restrict(self, moving: Array) -> "Training":
        """Return the rows with some of the active features alone, ``moving`` (A,) bool; they are not merged again.

        >>> training = train_on(make_design([[1, 0], [1, 1], [0, 1]]), None, 2)
        >>> training.restrict(training.rows.active == 1).matrix().toarray().tolist()
        [[0.0], [1.0], [1.0]]
        """
        x = sp.csr_array(self.matrix()[:, np.flatnonzero(moving)])
        x.sort_indices()
        indptr, indices, values = _parts(x)
        rows = self.rows._replace(
            indptr=indptr, indices=indices, values=values, active=self.rows.active[moving], idle=self.rows.idle[:0]
        )
        return replace(self, rows=rows)

    @cached_property
    def expanded(self) -> sp.csr_array:
        """The features of each training vertex (n, A)."""
        return sp.csr_array(self.matrix()[self.rows.group[self.vertices]])

    def sums(self, y: Any) -> Array:
        """Return the response X'y (A, B) for memberships y (n, B) of the training vertices, dense or sparse."""
        if not len(self.rows.active):
            return np.zeros((0, self.n_blocks))
        sums = self.expanded.T @ y
        return np.ascontiguousarray(sums.toarray() if sp.issparse(sums) else sums)

    def sums_of_labels(self, labels: Array, values: Array | None = None) -> Array:
        """Return the response X'y (A, B) for labels (N,) of all vertices, by way of their numbers on each row."""
        if not len(self.rows.active):
            return np.zeros((0, self.n_blocks))
        group = self.rows.group
        cell = (group * self.n_blocks + labels)[group >= 0]
        y = np.bincount(cell, minlength=len(self.rows.counts) * self.n_blocks).reshape(-1, self.n_blocks)
        by_feature = self._by_feature if values is None or values.size == 0 else self.matrix(values).T
        return np.ascontiguousarray(by_feature @ y.astype(np.float64))

    @cached_property
    def _by_feature(self) -> sp.csr_array:
        return sp.csr_array(self.matrix().T)

    def target(self, sums: Array, scale: Array, values: Array | None = None, slab: Slab = NO_SLAB) -> Target:
        """Return the target of kernels: this design, the response X'y (A, B) and the prior scales (D,).

        ``slab`` says which of the scales are learned; the others stay as given. ``values``, unless None or empty,
        replace those of the rows: where cells are sampled they belong to the state of a chain. The response must be
        that of the same values.
        """
        rows = self.rows if values is None or values.size == 0 else self.rows._replace(values=values)
        slab = slab._replace(square=np.zeros_like(slab.square))  # room of its own
        return Target(rows, sums, scale, scale[rows.active] ** -2, slab)


def train_on(design: Design, vertices: Any, n_blocks: int) -> Training:
    """Return what the training vertices (all of them for None) have of a design, for weights on B blocks.

    >>> training = train_on(make_design([[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]]), [0, 1, 2], 2)
    >>> training.rows.counts.tolist(), training.rows.idle.tolist(), training.rows.group.tolist()
    ([2.0, 1.0], [2], [0, 0, 1, -1])
    """
    chosen = read_rows(vertices, design.n_nodes)
    row_of = design.group[chosen]
    n_rows, n_features = design.x.shape
    n_each = np.bincount(row_of, minlength=n_rows)
    frequency = np.bincount(design.x.indices, weights=np.repeat(n_each, np.diff(design.x.indptr)), minlength=n_features)
    # With one block the softmax is constant: every weight is the prior's.
    n_active = int(np.count_nonzero(frequency)) if n_blocks > 1 else 0
    order = np.argsort(-frequency, kind="stable")
    shown, first = np.unique(row_of, return_index=True)
    shown = shown[np.argsort(first)] if n_active else shown[:0]
    number = np.full(n_rows, -1, dtype=np.int32)
    number[shown] = np.arange(len(shown))
    group = np.full(design.n_nodes, -1, dtype=np.int32)
    group[chosen] = number[row_of]
    rank = np.empty(n_features, dtype=np.int32)
    rank[order] = np.arange(n_features, dtype=np.int32)
    x = design.x[shown]
    x = sp.csr_array((x.data, rank[x.indices], x.indptr), shape=x.shape)
    x.sort_indices()
    rows = TrainingRows(
        *_parts(x),
        counts=n_each[shown].astype(np.float64),
        group=group,
        active=order[:n_active],
        idle=np.sort(order[n_active:]),
    )
    return Training(design, chosen, n_blocks, rows)


def _parts(x: sp.csr_array) -> tuple[Array, Array, Array]:
    """Return bounds, columns and values as kernels take them; no values if all of them are 1."""
    return x.indptr.astype(np.int64), x.indices.astype(np.int32), np.zeros(0) if np.all(x.data == 1) else x.data


def read_features(features: Any) -> tuple[sp.csr_array, tuple[str, ...], tuple[str, ...]]:
    """Return X as CSR with the names and columns of its features."""
    values = features.values if isinstance(features, Features) else features
    values = values if sp.issparse(values) else np.asarray(values)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise DataError(
            "features must be Features or numbers of shape (vertices, features);"
            f" got {values.dtype} of shape {values.shape}"
        )
    x = sp.csr_array(values, dtype=np.float64, copy=sp.issparse(values))
    x.sum_duplicates()
    x.eliminate_zeros()
    names = features.names if isinstance(features, Features) else tuple(map(str, range(x.shape[1])))
    bad = ~np.isfinite(x.data)
    if bad.any():
        d = int(x.indices[bad.argmax()])
        count = int(np.count_nonzero(bad & (x.indices == d)))
        raise DataError(f"features must be finite; {names[d]!r} is not on {count} vertices: fill or drop them")
    return x, names, features.columns if isinstance(features, Features) else names


def read_rows(rows: Any, n_nodes: int) -> Array:
    """Return the training rows as numbers, all of them for None."""
    if rows is None:
        return np.arange(n_nodes)
    chosen = np.asarray(rows)
    if chosen.dtype == bool and chosen.shape == (n_nodes,):
        return np.flatnonzero(chosen)
    if chosen.size == 0:
        return np.zeros(0, dtype=np.int64)
    fits = chosen.ndim == 1 and chosen.dtype.kind in "iu" and chosen.min() >= 0 and chosen.max() < n_nodes
    if not fits or len(np.unique(chosen)) < len(chosen):
        raise OptionError(
            f"rows must be different row numbers from 0 to {n_nodes - 1}, or {n_nodes} truth values;"
            f" got {chosen.dtype} of shape {chosen.shape}"
        )
    return chosen.astype(np.int64)
