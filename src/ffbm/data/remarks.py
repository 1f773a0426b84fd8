"""What encoding has to tell: one remark for each thing it left out or changed, gathered into notes."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from ffbm.errors import either, keyword
from ffbm.types import Network, Note


def option(name: str, value: str = "") -> str:
    """Name an option so that it can be used in Python and on the command line.

    >>> Note("unknown", f"{option('unknown', 'keep')}, {option('drop')}", 1).message
    'unknown=keep (--unknown keep), drop= (--drop)'
    """
    typed = " ".join(("--" + name.replace("_", "-"), value)).rstrip()
    return either(f"{name}={value} ({typed})", typed)


def drop(column: str, value: str) -> str:
    """Name the option that reads a value of a column as missing.

    >>> Note("looks-missing", drop("my clubs", "9"), 1).message
    "drop={'my clubs': '9'} (--drop 'my clubs=9')"
    """
    typed = shlex.join(["--drop", f"{column}={value}"])
    return either(f"drop={{{column!r}: {value!r}}} ({typed})", typed)


def why_no_features(net: Network) -> str:
    """Say why a network has no features, and what to do."""
    left = [note for note in net.notes if note.code in _LEFT_OUT]
    if left:
        which = f"see {either('include= (--include)', '--include')}"
        if all(note.code == "empty" for note in left):
            which = "give columns that have values"
        return f"none of its columns became one ({'; '.join(note.message for note in left[:3])}): {which}"
    nodes = either("nodes= (--nodes), or features=", "--nodes")
    return f"this network has none: give a table of vertex attributes with {nodes}"


# The sentence for a whole group of columns, used where one note for each column would bury the reader.
HEADLINES = {
    "alike": "with values that differ only in case or spaces, each a value of its own",
    "comma": "of numbers with a comma, read as text; write them with a point",
    "constant": "left out because they do not vary over the vertices",
    "dates": "of dates, read as numbers, years with fractions",
    "dropped": f"with values that {keyword('drop', '')} reads as missing",
    "empty": "left out because they have no values",
    "excluded": f"left out by {keyword('exclude', '')}",
    "identifier": "left out because nearly every vertex has a value of its own",
    "looks-coded": f"with few different whole numbers or dates, which a fit reads as numbers or as values, whichever"
    f" explains more; {option('categorical')} or {option('numeric')} settles it",
    "looks-missing": f"with values such as NA or 99 that may mean no answer, kept as they are; {option('drop')} reads"
    " them as missing",
    "merged-values": f"with values read as others by {keyword('merge', '')}",
    "missing": "with missing cells",
    "mixed": "that mix numbers and text, read as text",
    "nearly-constant": f"with a flag on nearly every vertex, much like an intercept; {option('exclude')} leaves out",
    "one-each": f"with most values on one vertex each; {option('exclude')} or {option('min_support', '2')} leaves out",
    "rare": f"with flags left out by {keyword('min_support', '')}",
    "read-as-number": f"of whole numbers or dates read as numbers; {option('categorical')} overrules",
    "read-as-values": f"of whole numbers or dates read as values, which explain more; {option('numeric')} overrules",
    "renamed": "with features renamed to keep names unique",
    "same": "read as one with others that make the same groups of vertices",
    "several": "with several values in a cell, each such cell a value of its own; give every value a column of 0 and 1",
    "spelling": f"with values that differ in one letter, each a value of its own; {option('merge')} makes one of them",
    "trimmed": "with spaces around values, taken off",
    "units": f"of numbers with a unit or commas between thousands, read as numbers; {option('categorical')} reads text",
    "unnamed": "without a name, named by their place",
}
_LEFT_OUT = ("constant", "empty", "excluded", "identifier", "rare")  # codes of notes on columns
_NOTES_PER_CODE = 20
_FEWER = {"looks-coded": 3, "read-as-number": 3}  # said of many columns alike
_NAMES_PER_NOTE = 5


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that encoding did to one column: code, column, what happened, how often."""

    code: str
    column: str
    text: str
    count: int


def gather_notes(remarks: Iterable[Remark]) -> list[Note]:
    """Turn remarks into notes: one for each, or one for a code that more than twenty (of some, three) have.

    >>> gather_notes([Remark("constant", "year", "left out: every vertex has '2004'", 1)])
    [Note(code='constant', message="column 'year' left out: every vertex has '2004'", count=1)]
    """
    by_code: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_code.setdefault(remark.code, []).append(remark)
    notes: list[Note] = []
    for code, group in by_code.items():
        if len(group) <= _FEWER.get(code, _NOTES_PER_CODE):
            notes.extend(Note(code, f"column {r.column!r} {r.text}", r.count) for r in group)
        else:
            columns = list(dict.fromkeys(r.column for r in group))
            message = f"{len(columns):,} columns {HEADLINES[code]}: {shorten(columns, _NAMES_PER_NOTE)}"
            notes.append(Note(code, message, sum(r.count for r in group)))
    return notes


def shorten(names: Iterable[str], n_shown: int) -> str:
    """Join the first names, quoted, and say how many more there are.

    >>> shorten(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    listed = [name if len(name) <= 60 else f"{name[:57]}..." for name in names]
    shown = ", ".join(map(repr, listed[:n_shown]))
    return shown if len(listed) <= n_shown else f"{shown} and {len(listed) - n_shown:,} more"
