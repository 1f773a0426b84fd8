"""The values of a column of the user's table, back from the features it became: a partition of the vertices."""

from typing import NamedTuple

import numpy as np

from ffbm.types import Array, Features

MOST_VALUES = 10  # numbers with more different values are cut
_CUTS = (0.25, 0.5, 0.75)


class ColumnValues(NamedTuple):
    """Which value of a column each vertex has."""

    codes: Array  # (N,) int64, from 0; -1 where a vertex has no value
    n_values: int
    read_as: str  # "flag", "values", "numbers", or "quartiles" with the places of the cuts


def column_values(features: Features, name: str) -> ColumnValues:
    """Return which value of a column each vertex has; numbers with many values are cut at their quartiles.

    A vertex whose cell is missing has no value, unless missing cells have a flag of their own: then missing is a value
    like any other. In a column of values, one that is too rare for a flag is no value either. Where a
    vertex can have several flags of a column, each set of flags is a value.

    >>> import pandas as pd
    >>> from ffbm.data.encode import encode_features
    >>> x, _ = encode_features(pd.DataFrame({"age": [*range(11), None], "party": [*"abcabcabcabc"]}))
    >>> column_values(x, "party").codes.tolist()
    [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    >>> age = column_values(x, "age")
    >>> age.codes.tolist(), age.read_as
    ([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, -1], 'quartiles: 2, 5, 8')
    """
    inside = features.of_column(name)
    x = features.dense(inside)
    is_number = features.is_number[inside]
    flags = x[:, ~is_number] != 0
    known = ~features.is_missing(name) | flags.any(axis=1)
    if is_number.any():
        return _of_numbers(x[:, is_number][:, 0], flags, known, features.mean[inside][0], features.sd[inside][0])
    is_flag = len(inside) == 1 or features.names[inside[0]] == name  # then 0 is an answer
    if not is_flag:
        known &= flags.any(axis=1)
    codes, n_values = _numbered(-flags.astype(float), known)
    return ColumnValues(codes, n_values, "flag" if is_flag else "values")


def _of_numbers(x: Array, flags: Array, known: Array, mean: float, sd: float) -> ColumnValues:
    """Return the values of a number; a flag beside it can only be that of missing cells, which has no number."""
    plain = known & ~flags.any(axis=1)
    read_as = "numbers"
    if len(np.unique(x[plain])) > MOST_VALUES:
        cuts = np.unique(np.quantile(x[plain], _CUTS, method="inverted_cdf"))
        x = np.searchsorted(cuts, x).astype(float)
        read_as = f"quartiles: {', '.join(f'{mean + sd * cut:.4g}' for cut in cuts)}"
    codes, n_values = _numbered(np.column_stack((-flags.astype(float), np.where(plain, x, 0.0))), known)
    return ColumnValues(codes, n_values, read_as)


def _numbered(rows: Array, known: Array) -> tuple[Array, int]:
    """Give numbers to the different rows of known vertices in increasing order."""
    codes = np.full(len(rows), -1)
    different, codes[known] = np.unique(rows[known], axis=0, return_inverse=True)
    return codes, len(different)
