"""How alike two partitions of the same vertices are, beyond what chance makes of their block sizes."""

from math import log, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from ffbm.errors import DataError
from ffbm.types import Array

_WINDOW = 12  # standard deviations of an overlap that are summed over: beyond is less than 1e-30


def adjusted_mutual_information(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the adjusted mutual information of two partitions: 1 if they are the same, about 0 by chance.

    With I the mutual information, H the entropies and E[I] the mean over all ways to deal the vertices to blocks of
    these sizes (Vinh, Epps and Bailey, 2010)::

        AMI = (I - E[I]) / ((H_1 + H_2) / 2 - E[I])

    Parameters
    ----------
    first, second : (N,) labels

    Examples
    --------
    >>> adjusted_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> round(adjusted_mutual_information([0, 0, 1, 1], [0, 1, 0, 1]), 6)
    -0.5
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise DataError(f"two partitions must have a label for each vertex; got shapes {a.shape} and {b.shape}")
    a, b = (np.unique(part, return_inverse=True)[1] for part in (a, b))
    n = len(a)
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if len(rows) == len(columns) == np.count_nonzero(table):
        return 1.0  # each block of one is a block of the other
    overlaps = table > 0
    expected_table = np.outer(rows, columns) / n
    shared = float((table[overlaps] / n * np.log(table[overlaps] / expected_table[overlaps])).sum())
    chance = sum(_expected(int(r), int(c), n) for r in rows for c in columns)
    most = 0.5 * sum(-float((sizes / n * np.log(sizes / n)).sum()) for sizes in (rows, columns))
    return float((shared - chance) / (most - chance))


def _expected(r: int, c: int, n: int) -> float:
    """Return what blocks of r and c vertices add to E[I]: their overlap is hypergeometric."""
    mean = r * c / n
    reach = _WINDOW * (1 + sqrt(mean * (n - r) * (n - c) / (n * max(n - 1, 1))))
    low, high = max(1, r + c - n, int(mean - reach)), min(r, c, int(mean + reach) + 1)
    k: Array = np.arange(low, high + 1, dtype=np.float64)
    fixed = gammaln([r + 1, c + 1, n - r + 1, n - c + 1]).sum() - gammaln(n + 1)
    log_p = fixed - gammaln(k + 1) - gammaln(r - k + 1) - gammaln(c - k + 1) - gammaln(n - r - c + k + 1)
    return float((np.exp(log_p) * k / n * (np.log(k) + log(n) - log(r) - log(c))).sum())
