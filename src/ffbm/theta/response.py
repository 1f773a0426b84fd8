"""The response of the weights: how surely each vertex is in each block."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.errors import DataError

_SUM_TOLERANCE = 1e-6


def read_members(members: Any, n_nodes: int, rows: Any = None) -> Any:
    """Return y (N, B), dense with rows that sum to 1, or sparse for hard labels; of some vertices alone with ``rows``.

    >>> read_members(np.eye(2)[[0, 0, 1]], 3, [2]).tolist()
    [[0.0, 1.0]]
    """
    y_given = np.asarray(getattr(members, "probs", members))
    if y_given.ndim not in (1, 2) or len(y_given) != n_nodes or y_given.size == 0:
        raise DataError(
            f"members must be memberships of shape ({n_nodes}, B) or {n_nodes} labels, one for each vertex;"
            f" got shape {y_given.shape}"
        )
    if y_given.ndim == 1:
        if y_given.dtype.kind not in "iu" or y_given.min() < 0:
            what = f"{y_given.min()}" if y_given.dtype.kind in "iu" else f"{y_given.dtype}"
            raise DataError(f"labels must be whole numbers from 0 on; got {what}")
        n_blocks = int(y_given.max()) + 1
        one = np.ones(n_nodes)
        labels = sp.csr_array((one, (np.arange(n_nodes), y_given)), shape=(n_nodes, n_blocks))
        return labels if rows is None else labels[rows]
    if y_given.dtype.kind not in "biuf":
        raise DataError(f"memberships must be numbers; got {y_given.dtype}")
    y = y_given.astype(np.float64) if rows is None else y_given[rows].astype(np.float64, copy=False)
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
