"""The values of a column as a few levels, with names: the most frequent ones, and all others together."""

from typing import NamedTuple

import numpy as np

from ffbm.data.encode_like import text_of
from ffbm.data.values import column_values
from ffbm.types import Array, Features

OTHERS = "others"


class Levels(NamedTuple):
    """Which level of a column each vertex has."""

    codes: Array  # (N,) int64, from 0; -1 where a vertex has no value
    names: tuple[str, ...]

    @property
    def flags(self) -> Array:
        """(N, L) one flag for each level."""
        return np.asarray(self.codes[:, np.newaxis] == np.arange(len(self.names)), dtype=np.float64)


def column_levels(features: Features, name: str, most: int = 5, least: int = 5) -> Levels:
    """Return a column as at most ``most`` levels; values of fewer than ``least`` vertices are among the others.

    Numbers with many values are cut at their quartiles, as ``column_values`` does.

    >>> import pandas as pd
    >>> from ffbm.data.encode import encode_features
    >>> x, _ = encode_features(pd.DataFrame({"age": [*range(12)], "dorm": [*"aaaaabbbbbcd"]}))
    >>> column_levels(x, "dorm", least=2).names, column_levels(x, "age", least=2).names
    (('a', 'b', 'others'), ('0 to 2', '3 to 5', '6 to 8', '9 to 11'))
    """
    values = column_values(features, name)
    sizes = np.bincount(values.codes[values.codes >= 0], minlength=values.n_values)
    order = np.argsort(-sizes, kind="stable")
    most_levels = most if values.n_values <= most and (sizes >= least).all() else most - 1
    kept = np.sort(order[:most_levels][sizes[order[:most_levels]] >= least])
    number = np.full(values.n_values + 1, len(kept))
    number[kept], number[-1] = np.arange(len(kept)), -1  # the last entry is that of code -1
    codes = number[values.codes]
    names = [_name(features, name, values.codes == code) for code in kept.tolist()]
    return Levels(codes, (*names, OTHERS) if (codes == len(kept)).any() else tuple(names))


def _name(features: Features, column: str, members: Array) -> str:
    """Return what a value is called: its text, yes or no, a number or where numbers lie."""
    inside = features.of_column(column)
    x = features.dense(inside)[members]
    if features.is_number[inside[0]]:
        mean, sd = features.mean[inside[0]], features.sd[inside[0]]
        low, high = (round(mean + sd * end, 9) for end in (x[:, 0].min(), x[:, 0].max()))
        return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    flags = inside[x[0] != 0].tolist()
    if len(inside) == 1 and features.names[inside[0]] == column:
        return "yes" if flags else "no"
    return " and ".join(_text(features, d) for d in flags) or "none"


def _text(features: Features, d: int) -> str:
    """Return what a flag stands for: its value, or what its name has after that of its column.

    >>> x = Features(np.eye(2), ("education;type;53", "apart"), ("education;type",) * 2, np.zeros(2), np.ones(2))
    >>> _text(x, 0), _text(x, 1)
    ('53', 'apart')
    """
    text = text_of(features, d)
    return text or features.names[d].removeprefix(features.columns[d]).lstrip(" ;:=_-.") or "yes"
