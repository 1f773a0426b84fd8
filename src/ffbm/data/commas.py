"""Decimal commas: 3,14 in a file separated by semicolons, as European spreadsheets write it."""

import re
from collections.abc import Iterable

import pandas as pd

from ffbm.data.remarks import shorten
from ffbm.plain import count_of
from ffbm.types import Note

_COMMA = re.compile(r"\s*[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][+-]?[0-9]+)?\s*")  # 3,14 or 1.250,50
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")


def with_points(cells: Iterable[str]) -> list[str] | None:
    """Return cells with points for decimal commas; None unless numbers with one are most of what is written.

    >>> with_points(["3,14", "2", "", "0,5", "unknown"])
    ['3.14', '2', '', '0.5', 'unknown']
    >>> with_points(["1.250,50", "980,00"])
    ['1250.50', '980.00']
    >>> with_points(["3,14", "2.5"]), with_points(["Rome, Italy", "Oslo", "1,5"])
    (None, None)
    """
    texts = list(cells)
    distinct = {text for text in texts if text and not text.isspace()}
    commas = {text for text in distinct if _COMMA.fullmatch(text)}
    others = {text for text in distinct - commas if not _WHOLE.fullmatch(text)}
    if not commas or 2 * len(others) >= len(distinct) or any("," in text or _is_decimal(text) for text in others):
        return None
    return [text.replace(".", "").replace(",", ".") if text in commas else text for text in texts]


def _is_decimal(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "." in text


def read_commas(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Return a table in which numbers with a decimal comma have a point, and a note on which columns had them."""
    names, columns = [], []
    for position, name in enumerate(table.columns):
        cells = table.iloc[:, position]
        texts = with_points(cells)
        columns.append(cells if texts is None else pd.Series(texts, index=table.index, dtype=object))
        if texts is not None:
            names.append(str(name))
    if not names:
        return table, []
    changed = pd.concat(columns, axis=1)
    changed.columns = table.columns
    message = f"{where}: decimal commas read as points in {count_of(len(names), 'column')}: {shorten(names, 5)}"
    return changed, [Note("comma", message, len(names))]
