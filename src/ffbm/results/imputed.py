"""The cells that had no answer, in the user's own terms: who, which column, which value, how likely."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.data.encode_like import text_of
from ffbm.data.values import column_values
from ffbm.errors import OptionError
from ffbm.store.parts import FitParts
from ffbm.types import Array, Features

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("vertex", "column", "value", "probability", "mean", "sd")


def imputed_table(fit: FitParts) -> "pd.DataFrame":
    """Return one row for each value that an unknown cell may have, or one for a number: see ``Fit.imputed``."""
    import pandas as pd

    if not fit.config.impute:
        raise OptionError("missing cells are sampled by fits with impute=True (--impute); this one has none")
    imputed = fit.weights.imputed
    if imputed is None:  # nothing was missing
        return pd.DataFrame({name: pd.Series(dtype=object) for name in COLUMNS})
    features, table = fit.network.features, imputed.table()
    feature = table["feature"].to_numpy()
    is_number = table["probability"].isna().to_numpy()
    scale, centre = features.sd[feature], features.mean[feature]
    texts = [text_of(features, d) for d in range(features.n_features)]
    values = [
        None if number else _value(d, features.names, texts, flag)
        for d, number, flag in zip(feature, is_number, table["is_flag"], strict=True)
    ]
    return pd.DataFrame(
        {
            "vertex": fit.network.node_ids[table["vertex"].to_numpy()],
            "column": np.array(features.column_names, dtype=object)[table["column"].to_numpy()],
            "value": pd.Series(values, dtype=object),
            "probability": table["probability"],
            "mean": np.where(is_number, centre + scale * table["mean"], np.nan),
            "sd": np.where(is_number, scale * table["sd"], np.nan),
        }
    )


def _value(d: int, names: tuple[str, ...], texts: list[str | None], is_flag: bool) -> Any:
    """Return what a value is called: a text, or for a flag whether it is set; "(none)" for none of a column's flags."""
    if d < 0:
        return False if is_flag else "(none)"
    if is_flag and texts[d] is None:
        return True
    return names[d] if texts[d] is None else texts[d]


def missing_by_column(fit: FitParts) -> "pd.DataFrame":
    """Return one row for each column with cells that had no answer: how many there are, and how sure what they may be.

    ``column``, ``missing`` cells, ``share`` of the vertices; ``sure``, the probability of a cell's likeliest value
    averaged over cells, and ``frequent``, the share of the most frequent value among the answers; of a number ``sd``,
    the mean standard deviation of a cell, and ``sd_answers``, that of the answers.
    """
    import pandas as pd

    features, imputed = fit.network.features, fit.weights.imputed
    head = ("column", "missing", "share", "sure", "frequent", "sd", "sd_answers")
    rows: list[tuple[Any, ...]] = []
    for number, name in enumerate(features.column_names if imputed is not None else ()):
        missing = features.is_missing(name)
        if imputed is None or not missing.any():
            continue
        mine = imputed.column[imputed.part] == number
        sd = imputed.number_sd[imputed.column_of_number[imputed.number] == number]
        sure = frequent = spread = of_answers = np.nan
        if mine.any():  # a cell that has values
            sure = float(np.maximum.reduceat(imputed.probability, imputed.first[:-1])[mine].mean())
            codes = column_values(features, name).codes
            frequent = float(np.bincount(codes[codes >= 0], minlength=1).max() / max((codes >= 0).sum(), 1))
        if len(sd):
            scale, of_answers = _sd_of_answers(features, name, missing)
            spread = float(scale * sd.mean())
        rows.append((name, int(missing.sum()), float(missing.mean()), sure, frequent, spread, of_answers))
    return pd.DataFrame(rows, columns=list(head))


def _sd_of_answers(features: Features, name: str, missing: Array) -> tuple[float, float]:
    """Return the scale of a number, and the standard deviation of its answers."""
    d = next(d for d, column in enumerate(features.columns) if column == name and features.is_number[d])
    scale = float(features.sd[d])
    return scale, scale * float(features.dense([d])[~missing].std())


def imputed_records(fit: FitParts) -> list[dict[str, Any]] | None:
    """Return the table as plain values, None where nothing was to be imputed."""
    if not fit.config.impute:
        return None
    rows = imputed_table(fit).to_dict("records")
    return [{str(k): None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()} for row in rows]
