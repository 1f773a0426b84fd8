"""Cells that hold a list of one entry, as Netzschleuder writes groups: array([3], dtype=int16) is 3."""

import re

import numpy as np
import pandas as pd

from ffbm.data.remarks import shorten
from ffbm.plain import count_of
from ffbm.types import Note

_ONE = re.compile(r"""\s*(?:array\()?\[\s*(?:'([^']*)'|"([^"]*)"|([^\[\],'"]*?))\s*\](?:,\s*dtype=[^)]*)?\)?\s*""")


def read_single_lists(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Return a table in which lists of one entry are that entry and empty lists are missing, and a note on it.

    >>> table = pd.DataFrame({"group": ["array([1], dtype=int16)", "['b']", "[]"], "pos": "array([0.1, 0.2])"})
    >>> table, notes = read_single_lists(table, "nodes.csv")
    >>> table["group"].tolist(), table["pos"][0], notes[0].message
    (['1', 'b', ''], 'array([0.1, 0.2])', "nodes.csv: lists of one entry read as the entry in 1 column: 'group'")
    """
    read = {}
    for position in range(table.shape[1]):
        cells = table.iloc[:, position]
        texts = [text for text in cells if isinstance(text, str) and text.strip()]
        if texts and texts[0].lstrip().startswith(("[", "array(")) and all(map(_ONE.fullmatch, texts)):
            read[position] = [_entry(cell) for cell in cells]
    if not read:
        return table, []
    names = [str(table.columns[position]) for position in read]
    table = table.copy()
    for position, entries in read.items():
        table.isetitem(position, np.array(entries, dtype=object))
    message = f"{where}: lists of one entry read as the entry in {count_of(len(names), 'column')}: {shorten(names, 5)}"
    return table, [Note("lists", message, len(names))]


def _entry(cell: object) -> object:
    match = _ONE.fullmatch(cell) if isinstance(cell, str) else None
    return cell if match is None else next((part for part in match.groups() if part is not None), "")
