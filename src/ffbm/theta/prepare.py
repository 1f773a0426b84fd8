"""The data of the weight level, checked and brought into the form that the kernels take."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.check import check_real
from ffbm.errors import DataError, OptionError
from ffbm.kernels.softmax import Likelihood
from ffbm.kernels.weightchain import Layout
from ffbm.types.network import Array, Features
from ffbm.types.weights import INTERCEPT

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class WeightTarget:
    """p(theta | X, y) prepared for chains.

    Parameters
    ----------
    likelihood : Likelihood
        The features that some training vertex has, most frequent first; equal rows merged.
    layout : Layout
        Where each of them stands among all D features.
    names, columns : tuple of D
    support : (D,) int64
        On how many vertices, training or not, each feature is not zero.
    rows : (n,) int64
        The training vertices.
    """

    likelihood: Likelihood
    layout: Layout
    names: tuple[str, ...]
    columns: tuple[str, ...]
    support: Array
    rows: Array

    @property
    def n_blocks(self) -> int:
        """B."""
        return int(self.likelihood.sums.shape[1])


def weight_target(
    features: Any, members: Any, rows: Any = None, sigma: float = 1.0, intercept: bool = False
) -> WeightTarget:
    """Check features and memberships and prepare the target of the weights.

    The arguments are those of ``sample_weights``. Three things are done here once, all exact: vertices with
    equal features are merged into one row with a count, the memberships are summed to X'y, and features
    that no training vertex has are set aside (their weights are the prior's).

    Examples
    --------
    >>> x = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]])
    >>> target = weight_target(x, [0, 1, 1])
    >>> target.likelihood.counts.tolist(), target.layout.idle.tolist()
    ([2.0, 1.0], [2])
    """
    x, names, columns = read_features(features)
    y = read_members(members, x.shape[0])
    chosen = read_rows(rows, x.shape[0])
    sd = check_real("sigma", sigma, low=0, above=True)
    if intercept:
        if INTERCEPT in names:
            raise DataError(f"a feature is named {INTERCEPT!r} already: rename it, or leave intercept=False")
        x = sp.csr_array(sp.hstack((x, np.ones((x.shape[0], 1))), format="csr"))
        names, columns = (*names, INTERCEPT), (*columns, INTERCEPT)
    support = np.bincount(x.indices, minlength=x.shape[1])
    if len(chosen) < x.shape[0]:
        x, y = x[chosen], y[chosen]
    return _lay_out(x, y, np.full(x.shape[1], sd), names, columns, support, chosen)


def _lay_out(
    x: sp.csr_array, y: Any, sigma: Array, names: tuple[str, ...], columns: tuple[str, ...], support: Array, rows: Array
) -> WeightTarget:
    n_features, n_blocks = x.shape[1], y.shape[1]
    there = np.bincount(x.indices, minlength=n_features)
    # With one block the softmax is constant: every weight is the prior's.
    n_active = int(np.count_nonzero(there)) if n_blocks > 1 else 0
    order = np.argsort(-there, kind="stable")
    active, idle = order[:n_active], np.sort(order[n_active:])
    sums = x.T @ y
    sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    first, _, counts = distinct_rows(x)
    if len(first) < x.shape[0]:
        x = x[first]
    place = np.empty(n_features, dtype=np.int32)
    place[order] = np.arange(n_features, dtype=np.int32)
    x = sp.csr_array((x.data, place[x.indices], x.indptr), shape=x.shape)
    x.sort_indices()
    if n_active == 0:
        x, counts = sp.csr_array((0, n_features)), counts[:0]
    likelihood = Likelihood(
        indptr=x.indptr.astype(np.int64),
        indices=x.indices.astype(np.int32),
        values=np.zeros(0) if np.all(x.data == 1) else x.data,
        counts=counts.astype(np.float64),
        sums=np.ascontiguousarray(sums[active]),
        precision=sigma[active] ** -2,
    )
    return WeightTarget(likelihood, Layout(active, idle, sigma), names, columns, support, rows)


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
    here, there = x[other], x[twin[other]]
    if not (
        np.array_equal(length[other], length[twin[other]])
        and np.array_equal(here.indices, there.indices)
        and np.array_equal(here.data, there.data)
    ):
        return apart
    appearance = np.argsort(first)
    return first[appearance], np.argsort(appearance)[group], counts[appearance]


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


def read_members(members: Any, n_nodes: int) -> Any:
    """Return y (N, B): dense with rows that sum to 1, or sparse for hard labels."""
    given = np.asarray(getattr(members, "probs", members))
    if given.ndim not in (1, 2) or len(given) != n_nodes or given.size == 0:
        raise DataError(
            f"members must be memberships of shape ({n_nodes}, B) or {n_nodes} labels, one for each vertex;"
            f" got shape {given.shape}"
        )
    if given.ndim == 1:
        if given.dtype.kind not in "iu" or given.min() < 0:
            what = f"{given.min()}" if given.dtype.kind in "iu" else f"{given.dtype}"
            raise DataError(f"labels must be whole numbers from 0 on; got {what}")
        n_blocks = int(given.max()) + 1
        one = np.ones(n_nodes)
        return sp.csr_array((one, (np.arange(n_nodes), given)), shape=(n_nodes, n_blocks))
    if given.dtype.kind not in "biuf":
        raise DataError(f"memberships must be numbers; got {given.dtype}")
    y = given.astype(np.float64)
    total = y.sum(axis=1)
    wrong = ~(np.abs(total - 1) <= _SUM_TOLERANCE) | ~(y.min(axis=1) >= 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"each row of the memberships must be nonnegative and sum to 1; row {row} has smallest value"
            f" {y[row].min():.6g} and sum {total[row]:.6g} ({int(wrong.sum())} rows are wrong): normalise them"
        )
    y /= total[:, np.newaxis]
    return y


def read_rows(rows: Any, n_nodes: int) -> Array:
    """Return the training rows as numbers, all of them for None."""
    if rows is None:
        return np.arange(n_nodes)
    given = np.asarray(rows)
    if given.dtype == bool and given.shape == (n_nodes,):
        return np.flatnonzero(given)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    fits = given.ndim == 1 and given.dtype.kind in "iu" and given.min() >= 0 and given.max() < n_nodes
    if not fits or len(np.unique(given)) < len(given):
        raise OptionError(
            f"rows must be different row numbers from 0 to {n_nodes - 1}, or {n_nodes} truth values;"
            f" got {given.dtype} of shape {given.shape}"
        )
    return given.astype(np.int64)
