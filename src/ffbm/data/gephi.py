"""What drawing programs write beside the attributes: how a vertex looks, and what was computed from the edges."""

import re
from collections.abc import Collection

import pandas as pd

from ffbm.data.remarks import option, shorten
from ffbm.types import Note

_COLOURS = frozenset("rgb")
_DRAWN = frozenset({*_COLOURS, "x", "y", "z", "size", "alpha"})
# Gephi's names for its statistics, letters alone.
_COMPUTED = frozenset(
    {
        "authority",
        "betweennesscentrality",
        "closenesscentrality",
        "clusteringcoefficient",
        "componentid",
        "degree",
        "eccentricity",
        "eigenvectorcentrality",
        "harmonicclosenesscentrality",
        "hub",
        "indegree",
        "modularityclass",
        "outdegree",
        "pagerank",
        "stronglyconnectedid",
        "weighteddegree",
        "weightedindegree",
        "weightedoutdegree",
    }
)
_SHOWN = 8


def find_drawing(table: pd.DataFrame) -> list[str]:
    """Return the columns of colours, positions and sizes, if they stand together as Gephi writes them.

    A lone ``x`` or ``size`` is an attribute like any other.

    >>> find_drawing(pd.DataFrame({"r": [1], "g": [2], "b": [3], "x": [0.5], "team": ["red"]}))
    ['r', 'g', 'b', 'x']
    >>> find_drawing(pd.DataFrame({"x": [0.5], "size": [2]}))
    []
    """
    drawn = [str(name) for name, cells in table.items() if name in _DRAWN and _holds_numbers(cells)]
    is_placed = {"x", "y"} <= set(drawn) and not {*_COLOURS, "size"}.isdisjoint(drawn)
    return drawn if is_placed or set(drawn) >= _COLOURS else []


def note_drawing(names: Collection[str], where: str) -> Note:
    """Say which columns are a drawing."""
    message = f"{where}: colours, positions and sizes of a drawing not read: {shorten(names, _SHOWN)}"
    return Note("drawing", f"{message}; {option('include')} would keep one", len(names))


def note_computed(table: pd.DataFrame, names: Collection[str], where: str) -> list[Note]:
    """Tell of the columns among ``names`` that carry a name of Gephi's statistics and hold numbers.

    >>> note_computed(pd.DataFrame({"Modularity Class": [0, 1]}), ["Modularity Class"], "t")[0].count
    1
    """
    computed = [
        str(name)
        for name, cells in table.items()
        if str(name).strip() in names
        and re.sub(r"[\W_]", "", str(name).casefold()) in _COMPUTED
        and _holds_numbers(cells)
    ]
    if not computed:
        return []
    are, they, them = ("is by its name", "it", "it") if len(computed) == 1 else ("are by their names", "they", "them")
    message = (
        f"{where}: {shorten(computed, _SHOWN)} {are} computed from the edges, so {they} would explain them in a circle"
    )
    message += f"; {option('exclude')} leaves {them} out"
    return [Note("computed", message, len(computed))]


def _holds_numbers(cells: pd.Series) -> bool:
    known = cells.dropna()
    known = known[known.astype(str).str.strip() != ""]
    return len(known) > 0 and bool(pd.to_numeric(known.astype(object), errors="coerce").notna().all())
