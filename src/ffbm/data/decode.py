"""The user's attributes, back from the features that they became."""

import numpy as np
import pandas as pd

from ffbm.data.encode_like import text_of
from ffbm.types import Array, Features


def decode_features(features: Features) -> pd.DataFrame:
    """Return one column for each column that became features: numbers, truth values and values, as they were read.

    A missing cell is missing, and so is a value that has no flag (dropped or rare). Dates are years with fractions,
    unless they were read as values.

    >>> from ffbm.data.encode import encode_features
    >>> table = pd.DataFrame({"age": [20, None, 40], "party": ["b", "a", None], "member": [True, False, True]})
    >>> decode_features(encode_features(table)[0])
        age party  member
    0  20.0     b    True
    1   NaN     a   False
    2  40.0  None    True
    """
    features_of: dict[str, list[int]] = {}
    for d, column in enumerate(features.columns):
        features_of.setdefault(column, []).append(d)
    columns = {}
    for number, (name, inside) in enumerate(features_of.items()):
        missing = np.zeros(features.values.shape[0], dtype=bool)
        if features.missing is not None:
            missing = features.missing[:, [number]].toarray()[:, 0]
        columns[name] = _decode_column(features, inside, missing)
    return pd.DataFrame(columns, index=pd.RangeIndex(features.values.shape[0]))


def _decode_column(features: Features, inside: list[int], missing: Array) -> pd.Series:
    x = features.dense(inside)
    if features.is_number[inside[0]]:
        numbers = np.array(
            [float(f"{value:.12g}") for value in x[:, 0] * features.sd[inside[0]] + features.mean[inside[0]]]
        )
        return pd.Series(np.where(missing, np.nan, numbers))
    texts = [text_of(features, d) for d in inside]
    if texts[0] is None:
        flags = x[:, 0] != 0
        return pd.Series(flags, dtype="boolean").mask(missing) if missing.any() else pd.Series(flags)
    has_flag = (x != 0).any(axis=1) & ~missing
    values = np.full(len(x), None, dtype=object)
    values[has_flag] = np.array(texts, dtype=object)[(x[has_flag] != 0).argmax(axis=1)]
    return pd.Series(values, dtype=object)
