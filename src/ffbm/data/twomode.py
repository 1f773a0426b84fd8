"""Two-mode lists of edges, as of people and the events they went to: the ids of the two columns are told apart."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ffbm.data.ids import number_words, text_array
from ffbm.data.raw import Array, RawGraph
from ffbm.data.remarks import option, shorten
from ffbm.types import Note

COLUMN = "node_type"  # the attribute that says which column a vertex stands in
_SHOWN = 3


def tell_apart(raw: RawGraph, first: str, second: str) -> RawGraph:
    """Return the edges with vertices of their own for each column, those of the first before those of the second.

    Where an id stands in both columns, all ids are written with the name of theirs before them.

    >>> raw = RawGraph("visits.csv", text_array(["1", "2"], 2), np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> apart = tell_apart(raw, "person", "event")
    >>> apart.ids.tolist(), apart.source.tolist(), apart.target.tolist()
    (['person:1', 'person:2', 'event:1', 'event:2'], [0, 1, 1], [2, 2, 3])
    """
    notes, number, words = list(raw.notes), np.arange(len(raw.ids)), raw.ids
    if not raw.is_numbered:
        stripped = [text.strip() for text in raw.ids]
        count = sum(map(str.__ne__, stripped, raw.ids))
        number, words = number_words(stripped)
        if count:
            notes.append(Note("spaces", f"{raw.where}: spaces around ids taken off", count))
    source, people = pd.factorize(number[raw.source])
    target, events = pd.factorize(number[raw.target])
    both = np.intersect1d(people, events)
    ids = np.concatenate((words[people], words[events]))
    sides = np.repeat(np.array([first, second], dtype=object), [len(people), len(events)])
    message = f"{raw.where}: read as two-mode, {len(people):,} in {first!r} and {len(events):,} in {second!r}"
    notes.append(
        Note("two-mode", f"{message}; the column {COLUMN!r} says which: {option('node_type', COLUMN)}", len(ids))
    )
    if len(both):
        ids = text_array((f"{side}:{text}" for side, text in zip(sides, ids, strict=True)), len(ids))
        message = f"{raw.where}: {len(both):,} ids stand in both columns, such as {shorten(words[both], _SHOWN)}"
        notes.append(Note("two-mode-ids", f"{message}; all are written as {ids[0]!r} and {ids[-1]!r}", len(both)))
    return replace(
        raw,
        ids=ids,
        source=source,
        target=target + len(people),
        sides=sides,
        is_numbered=raw.is_numbered and not len(both),
        notes=notes,
    )


def add_sides(table: pd.DataFrame, raw: RawGraph, number: Array | None) -> pd.DataFrame:
    """Return the table of vertices with the column that says which column of the edges each stands in.

    ``number`` renumbers the ids of ``raw``. A vertex without an edge has none; a column of that name is left as it is.
    """
    if raw.sides is None or COLUMN in table:
        return table
    values = np.full(len(table), None, dtype=object)
    values[np.arange(len(raw.sides)) if number is None else number] = raw.sides
    return table.assign(**{COLUMN: values})


def note_two_kinds(table: pd.DataFrame, where: str) -> list[Note]:
    """Say that an attribute by which networkx tells two kinds of vertices apart is there, and what it is good for."""
    if "bipartite" not in table or table["bipartite"].isna().any() or table["bipartite"].nunique() != 2:
        return []
    message = f"{where}: the attribute 'bipartite' tells two kinds of vertices apart"
    return [Note("bipartite", f"{message}; {option('node_type', 'bipartite')} keeps them in blocks of their own", 1)]
