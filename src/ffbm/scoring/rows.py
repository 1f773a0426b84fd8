"""Features in the order in which a trace knows them, equal rows merged."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.errors import DataError
from ffbm.kernels.prediction import Rows
from ffbm.theta.prepare import distinct_rows, read_features
from ffbm.types.network import Array, Features
from ffbm.types.weights import INTERCEPT, WeightTrace

_SHOWN = 5


class DistinctRows(NamedTuple):
    """The different rows of a feature matrix, and which of them each vertex has."""

    x: sp.csr_array  # (R, D)
    rows: Rows  # the same for kernels
    group: Array  # (N,) int64
    counts: Array  # (R,) int64


def match_features(trace: WeightTrace, features: Any) -> sp.csr_array:
    """Return the features (N, D) in the trace's order, with its intercept if it has one.

    Features are found by name, whatever their order, and must be those of the trace, no more and no fewer; an array
    is taken as it is and must have as many columns.
    """
    x, names, _ = read_features(features)
    wanted = [name for name in trace.names if name != INTERCEPT]
    if isinstance(features, Features):
        place = {name: d for d, name in enumerate(names)}
        missing = [name for name in wanted if name not in place]
        unknown = sorted(place.keys() - set(wanted), key=place.__getitem__)
        if missing or unknown:
            said = [f"{_list(missing)} missing"] if missing else []
            said += [f"{_list(unknown)} unknown"] if unknown else []
            raise DataError(
                f"features must be the {len(wanted)} that the weights were sampled with; {' and '.join(said)}:"
                " encode the table as it was for sampling"
            )
        order = [place[name] for name in wanted]
        x = x if order == list(range(len(order))) else x[:, order]
    elif x.shape[1] != len(wanted):
        raise DataError(
            f"features must have {len(wanted)} columns, as the weights were sampled with; got {x.shape[1]}:"
            " leave the intercept out, it is added"
        )
    if len(wanted) < len(trace.names):
        x = sp.hstack((x, np.ones((x.shape[0], 1))), format="csr")
    return sp.csr_array(x)


def merge_rows(x: sp.csr_array) -> DistinctRows:
    """Find the different rows of x, in order of appearance.

    >>> found = merge_rows(sp.csr_array(np.array([[0, 1.5], [2, 0], [0, 1.5]])))
    >>> found.group.tolist(), found.counts.tolist()
    ([0, 1, 0], [2, 1])
    """
    x.sort_indices()
    first, group, counts = distinct_rows(x)
    distinct = x[first]
    values = np.zeros(0) if np.all(distinct.data == 1) else distinct.data
    rows = Rows(distinct.indptr.astype(np.int64), distinct.indices.astype(np.int32), values)
    return DistinctRows(distinct, rows, group, counts)


def sum_rows(values: Array, group: Array, n_rows: int) -> Array:
    """Sum the rows of ``values`` (n, B) that have the same number in ``group`` (n,)."""
    total = np.zeros((n_rows, values.shape[1]))
    np.add.at(total, group, values)
    return total


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(repr, names[:_SHOWN]))}{more} {'is' if len(names) == 1 else 'are'}"
