"""Equal rows of a feature matrix, told apart by hashes that are checked."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.types.graph import Array


class DistinctRows(NamedTuple):
    """The different rows of a feature matrix, which of them each vertex has, and how many vertices have each."""

    x: sp.csr_array  # (R, D)
    group: Array  # (N,) int64
    counts: Array  # (R,) int64


def merge_rows(x: sp.csr_array) -> DistinctRows:
    """Return the different rows of x, in order of appearance.

    >>> merged = merge_rows(sp.csr_array(np.array([[0, 1.5], [2, 0], [0, 1.5]])))
    >>> merged.group.tolist(), merged.counts.tolist()
    ([0, 1, 0], [2, 1])
    """
    x.sort_indices()
    first, group, counts = distinct_rows(x)
    return DistinctRows(x[first], group, counts)


def merge_apart(x: sp.csr_array, apart: Array) -> DistinctRows:
    """Return the different rows of x, in order of appearance, and after them those that stay ``apart`` (N,) bool.

    >>> merged = merge_apart(sp.csr_array(np.ones((3, 1))), np.array([True, False, False]))
    >>> merged.group.tolist(), merged.counts.tolist()
    ([1, 0, 0], [2, 1])
    """
    n_apart = int(apart.sum())
    if not n_apart:
        return merge_rows(x)
    merged = merge_rows(x[~apart])
    n_merged = len(merged.counts)
    group = np.empty(len(apart), dtype=np.int64)
    group[~apart], group[apart] = merged.group, n_merged + np.arange(n_apart)
    whole = sp.csr_array(sp.vstack((merged.x, x[apart]), format="csr"))
    return DistinctRows(whole, group, np.concatenate((merged.counts, np.ones(n_apart, dtype=np.int64))))


def distinct_rows(x: sp.csr_array) -> tuple[Array, Array, Array]:
    """Return the first of each set of equal rows, in order of appearance, which set each row is of, and their sizes.

    Rows are told apart by a 64-bit hash; rows with equal hashes are compared, and should two of them differ
    after all, no rows are merged.

    >>> first, group, counts = distinct_rows(sp.csr_array(np.array([[0, 1.5], [2, 0], [0, 1.5]])))
    >>> first.tolist(), group.tolist(), counts.tolist()
    ([0, 1], [0, 1, 0], [2, 1])
    """
    n = x.shape[0]
    key = x.data.astype(np.float64).view(np.uint64) + x.indices.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        key ^= key >> np.uint64(shift)
        key *= np.uint64(factor)
    key ^= key >> np.uint64(31)
    total = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(key, dtype=np.uint64)))
    length = np.diff(x.indptr)
    by_row = total[x.indptr[1:]] - total[x.indptr[:-1]]
    _, first, group, counts = np.unique(by_row, return_index=True, return_inverse=True, return_counts=True)
    apart = np.arange(n), np.arange(n), np.ones(n, dtype=np.int64)
    if len(first) == n:
        return apart
    twin = first[group]
    other = np.flatnonzero(twin != np.arange(n))
    rows, twins = x[other], x[twin[other]]
    if not (
        np.array_equal(length[other], length[twin[other]])
        and np.array_equal(rows.indices, twins.indices)
        and np.array_equal(rows.data, twins.data)
    ):
        return apart
    appearance = np.argsort(first)
    return first[appearance], np.argsort(appearance)[group], counts[appearance]
