"""Which cells of a table are unknown, and where they stand in the feature matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.types.graph import Array

INDEPENDENT = "independent"  # what impute= may be, or True, or False
N_CLASSES = 20  # of vertices, at most, in the law of the columns


@dataclass(frozen=True, eq=False)
class Blanks:
    """The cells of a design that are unknown and sampled with the weights, and how many classes their law has.

    Parameters
    ----------
    missing : (N, G) bool CSR
        By vertex and column of the table, columns in the order of their first features.
    n_classes : int
        K, of vertices; with 1 the columns are independent a priori.
    """

    missing: Any
    n_classes: int

    @cached_property
    def has_any(self) -> Array:
        """Which vertices (N,) have an unknown cell."""
        return np.asarray(np.diff(self.missing.indptr) > 0)

    def take(self, columns: Sequence[str], chosen: Sequence[str]) -> "Blanks | None":
        """Return the unknown cells of some columns, given the column of each feature, of all and of those chosen."""
        number = {name: g for g, name in enumerate(dict.fromkeys(columns))}
        kept = [number[name] for name in dict.fromkeys(chosen) if number[name] < self.missing.shape[1]]
        missing = sp.csr_array(self.missing[:, kept])
        return Blanks(missing, self.n_classes) if missing.nnz else None


def add_zeros(x: sp.csr_array, blanks: Blanks, group: Array, columns: Sequence[str]) -> sp.csr_array:
    """Return rows x (R, D) with an entry of 0 for every feature of each unknown cell; vertex i has row ``group[i]``.

    >>> blanks = Blanks(sp.csr_array(np.array([[False, True], [False, False]])), 1)
    >>> x = add_zeros(sp.csr_array(np.ones((2, 1)) @ [[1.0, 0, 0]]), blanks, np.arange(2), ("a", "b", "b"))
    >>> x.indices.tolist(), x.data.tolist()
    ([0, 1, 2, 0], [1.0, 0.0, 0.0, 1.0])
    """
    number = {name: g for g, name in enumerate(dict.fromkeys(columns))}
    column_of = np.array([number[name] for name in columns])
    by_column, sizes = np.argsort(column_of, kind="stable"), np.bincount(column_of)
    vertex, column = blanks.missing.nonzero()
    first, n_each = (np.cumsum(sizes) - sizes)[column], sizes[column]
    within = np.arange(n_each.sum()) - np.repeat(np.cumsum(n_each) - n_each, n_each)
    feature, row = by_column[np.repeat(first, n_each) + within], np.repeat(group[vertex], n_each)
    entries = x.tocoo()
    coordinates = np.concatenate((entries.row, row)), np.concatenate((entries.col, feature))
    data = np.concatenate((entries.data, np.zeros(len(row))))
    filled = sp.csr_array(sp.coo_array((data, coordinates), shape=x.shape).tocsr())
    filled.sort_indices()
    return filled
