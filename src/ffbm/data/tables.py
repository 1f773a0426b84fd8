"""Edge lists and node tables: which row is the header, which columns say what."""

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from ffbm.data.columns import MISSING_WORDS
from ffbm.data.commas import read_commas, with_points
from ffbm.data.delimited import SEPARATORS, Grid
from ffbm.data.edgeweights import real_weights
from ffbm.data.ids import number_numbers, number_words
from ffbm.data.integers import whole_numbers
from ffbm.data.preamble import is_number
from ffbm.data.raw import Array, RawGraph, RawNodes, hold_numbers, note_unused, pick_column, whole_counts
from ffbm.data.remarks import option, shorten
from ffbm.data.twomode import tell_apart
from ffbm.errors import DataError, OptionError, keyword
from ffbm.plain import count_of
from ffbm.types import Note

ENDS = (  # names by which the ends are known
    ("source", "target"), ("from", "to"), ("src", "dst"), ("source_id", "target_id"), ("from_id", "to_id"),
    ("fromnodeid", "tonodeid"), ("from_node", "to_node"), ("node1", "node2"), ("node_1", "node_2"), ("id1", "id2"),
    ("id_1", "id_2"), ("person1", "person2"), ("user1", "user2"), ("ego", "alter"), ("sender", "receiver"),
    ("citing", "cited"), ("follower", "followee"),
)  # fmt: skip
# Two words that the names of ends have where the rest is the same, as in from_bus and to_bus.
_WORDS = (
    ("source", "target"), ("source", "destination"), ("source", "dest"), ("from", "to"), ("src", "dst"),
    ("src", "dest"), ("origin", "destination"), ("origin", "dest"), ("orig", "dest"), ("sender", "recipient"),
    ("sender", "receiver"), ("ego", "alter"),
)  # fmt: skip
# What such names have that are no ends: when and where an edge begins, and its weight.
_NO_ENDS = frozenset({
    "date", "time", "timestamp", "year", "month", "day", "lat", "lon", "lng", "long", "latitude", "longitude", "x", "y",
    "weight", "type", "count",
})  # fmt: skip
_TYPES = frozenset({"directed", "undirected", "mutual"})  # what Gephi writes in its column Type
_HUMPS, _PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])"), re.compile(r"[^A-Za-z0-9]+")  # what parts the words of a name
_LEAST_ROWS = 10  # from which on a first row that alone has two ends of its own is one of names
_FEW = 20  # rows from which on a first column may be taken for times
_SHARED = 0.1  # of the times, at most, that may be ids as well by chance
_KONECT = {"asym": "directed", "bip": "two-mode"}  # what files of KONECT say of their graph
ASK_EDGES = f"is it the edge list? that comes first, the table of attributes is {option('nodes')}"


def read_edges(
    grid: Grid,
    *,
    source_column: str | None = None,
    target_column: str | None = None,
    multiplicity: str | None = None,
    edge_weight: str | None = None,
    is_header: bool = False,
    has_nodes: bool = False,
    bipartite: bool = False,
) -> RawGraph:
    """Read a delimited text as a list of edges, one in each row.

    ``is_header`` settles a doubt about the first row; ``has_nodes`` leaves it to a node table.
    """
    if grid.width == 1:
        cell = grid.first[0].strip()
        raise DataError(
            f"{grid.where}: an edge list must have two columns or more, separated by {_listed()}; line "
            f"{grid.first_line} is {cell[:40]!r}: check the separator"
        )
    options = {"source_column": source_column, "target_column": target_column, "multiplicity": multiplicity}
    options["edge_weight"] = edge_weight
    named = {str(name): option for option, name in options.items() if name is not None}
    names, has_header, notes = _find_header(grid, named, is_header=is_header, has_nodes=has_nodes)
    positions = pick_ends(names, source_column, target_column, grid.where)
    skip = int(has_header)
    is_guessed = source_column is None and target_column is None and known_ends(names) is None
    what = _kind_of_first(grid, names, skip) if is_guessed else ""
    if what:
        positions = (1, 2)
        called = f", {names[0]!r}," if names[0] else ""
        message = f"{grid.where}: the first column{called} read as {what}"
        message += f": ends taken from the next two; {option('source_column')} overrules"
        notes = [*notes, Note("times" if what == "times" else "ends", message, 1)]

    numbers = whole_numbers(grid, positions, skip)
    if numbers is not None:
        codes, ids = number_numbers(numbers.ravel())
    else:
        cells: list[str] = [""] * (2 * (grid.n_rows - skip))
        for end, position in enumerate(positions):
            cells[end::2] = grid.column(position, skip)
        codes, ids = number_words(cells)
        _refuse_blank(grid, ids, codes, skip, [names[position] for position in positions] if is_guessed else [])
    counts = weights = None
    used = set(positions)
    if multiplicity is not None:
        position = _pick_numbers(names, multiplicity, "multiplicity", positions, grid.where)
        used.add(position)
        counts = whole_counts(
            _column(grid, position, skip), multiplicity, grid.where, lambda row: f"line {grid.lines[row + skip]}"
        )
    if edge_weight is not None:
        position = _pick_numbers(names, edge_weight, "edge_weight", positions, grid.where)
        used.add(position)
        written = _column(grid, position, skip)
        if grid.separator == ";" and isinstance(written, list) and (texts := with_points(written)) is not None:
            written = texts
            message = f"{grid.where}: decimal commas of {edge_weight!r} read as points"
            notes = [*notes, Note("comma", message, len(texts))]
        weights = real_weights(written, edge_weight, grid.where, lambda row: f"line {grid.lines[row + skip]}")
    is_directed, both_ways, more = _read_directions(grid, names, skip, used)
    left = [position for position in range(len(names)) if position not in used]
    unused = [names[position] or f"column {position + 1}" for position in left]
    can_count = counts is None and weights is None
    numeric = [names[p] for p in left if can_count and names[p] and hold_numbers(grid.first_cells(p, skip))]
    notes = [*grid.notes, *notes, *more, *note_unused(grid.where, unused, numeric=numeric, can_count=can_count)]
    if grid.kind in _KONECT:
        notes.append(
            Note("konect", f"{grid.where}: read as {_KONECT[grid.kind]}, as its comments say ({grid.kind})", 1)
        )
    bipartite = bipartite or grid.kind == "bip"
    raw = RawGraph(
        grid.where,
        ids,
        codes[::2],
        codes[1::2],
        counts,
        is_directed=is_directed or grid.kind == "asym",
        both_ways=both_ways,
        is_numbered=numbers is not None,
        is_doubtful=any(note.code == "no-header" for note in notes),
        notes=notes,
        weights=weights,
    )
    return tell_apart(raw, *_called(names, positions)) if bipartite else raw


def _called(names: Sequence[str], positions: tuple[int, int]) -> tuple[str, str]:
    """Return what the two kinds of vertices of a two-mode list are called."""
    if names[positions[0]].isdigit():  # the file has no names
        return "first", "second"
    first, second = (names[position] or f"column {position + 1}" for position in positions)
    return first, second


def _read_directions(
    grid: Grid, names: Sequence[str], skip: int, used: set[int]
) -> tuple[bool, Array | None, list[Note]]:
    """Read a column ``Type`` as Gephi writes it, which says of each edge whether it is directed."""
    places = [position for position, name in enumerate(names) if name.casefold() == "type" and position not in used]
    cells = [text.strip().casefold() for text in grid.column(places[0], skip)] if len(places) == 1 and skip else []
    if not cells or not set(cells) <= _TYPES:
        return False, None, []
    used.add(places[0])
    one_way = np.array(cells) == "directed"
    if not one_way.any():
        return False, None, []
    message = f"{grid.where}: read as directed, as the column {names[places[0]]!r} says"
    return True, None if one_way.all() else ~one_way, [Note("gephi", message, int(one_way.sum()))]


def _kind_of_first(grid: Grid, names: Sequence[str], skip: int) -> str:
    """Return what stands before the two ends, times or numbers of rows; "" if the ends come first."""
    if skip and grid.width > 2 and (not names[0] or names[0].startswith("Unnamed: ")):
        numbers = whole_numbers(grid, (0,), skip)
        if numbers is not None and len(np.unique(numbers)) == len(numbers):
            return "numbers of rows"
    return "times" if _begins_with_times(grid, skip) else ""


def _begins_with_times(grid: Grid, skip: int) -> bool:
    """Tell whether a list has times before the two ends, as those of SocioPatterns have.

    Then the first column never decreases and shares hardly a value with the next two, which share most of theirs.
    """
    numbers = whole_numbers(grid, (0, 1, 2), skip) if grid.width > 2 else None
    if numbers is None or len(numbers) < _FEW or (np.diff(numbers[:, 0]) < 0).any():
        return False
    times, first, second = map(np.unique, numbers.T)
    shared = len(np.intersect1d(first, second))
    strange = np.isin(times, np.union1d(first, second)).mean()
    return 2 * shared >= max(len(first), len(second)) and strange <= _SHARED


def _pick_numbers(names: Sequence[str], wanted: str, option: str, ends: tuple[int, int], where: str) -> int:
    position = pick_column(names, wanted, option, where)
    if position in ends:
        raise OptionError(f"{keyword(option, repr(wanted))} names a column with ids; name one of numbers")
    return position


def begins_with_names(grid: Grid, raw: RawGraph, nodes: RawNodes, unknown: str) -> bool:
    """Return whether a doubtful first row is a header: the node table has ids of the others, and neither of its cells.

    Where vertices that the table lacks are kept, it must have all the others, or each row but the first an end that
    comes back.
    """
    if not raw.is_doubtful:
        return False
    first = {int(raw.source[0]), int(raw.target[0])}
    known = {text.strip() for text in nodes.ids}
    strangers = {number for number, text in enumerate(raw.ids) if text.strip() not in known}
    if len(first) < 2 or not first <= strangers or len(strangers) == len(raw.ids):
        return False
    return unknown == "error" or first == strangers or (grid.separator != " " and _all_come_back(grid))


def find_ends(grid: Grid, raw: RawGraph, nodes: RawNodes) -> tuple[str, str] | None:
    """Return the two columns of edges that hold ids of the node table, where the first two do not.

    None if the first two do, if they are known by their names and hold some, or if not exactly two columns hold
    nothing else.
    """
    known = {text.strip() for text in nodes.ids}
    if grid.width < 3 or holds_all(known, raw.ids):
        return None
    if known_ends([name.strip() for name in grid.first]) and any(text.strip() in known for text in raw.ids):
        return None
    skip = int(not known & {name.strip() for name in grid.first})
    names = [name.strip() for name in grid.first] if skip else [str(position + 1) for position in range(grid.width)]
    fitting = [position for position in range(grid.width) if holds_all(known, set(grid.column(position, skip)))]
    return (names[fitting[0]], names[fitting[1]]) if len(fitting) == 2 and all(names[p] for p in fitting) else None


def read_nodes(grid: Grid, *, id: str | None = None, ends: Collection[str] = ()) -> RawNodes:  # noqa: A002
    """Read a delimited text as a table of vertices, one in each row.

    The first row names the columns, unless it begins with one of ``ends``, the ids that edges have.
    """
    names = [name.strip() for name in grid.first]
    skip = 1 if grid.has_names or id is not None or names[0] not in ends else 0
    notes = []
    if not skip:
        message = f"{grid.where}: line {grid.first_line} begins with the id {names[0]!r}: read as a vertex, no header"
        notes.append(Note("no-header", f"{message}; columns are called 1, 2, 3, ...", 1))
        names = [str(number) for number in range(1, grid.width + 1)]
    elif all(map(is_number, names)) and not grid.has_names:
        raise DataError(
            f"{grid.where}: the first row of a node table must name the columns; line {grid.first_line} "
            f"begins with {names[0]!r}: add a header"
        )
    if grid.n_rows == skip:
        raise DataError(f"{grid.where}: a node table must hold a vertex or more; it holds a header alone: add rows")
    position, more = pick_id(names, id, grid.where)
    cells = np.empty(len(grid.cells), dtype=object)
    cells[:] = grid.cells
    rows = cells.reshape(-1, grid.width)[skip:]
    if id is None and ends and not holds_all(rows[:, position], ends):
        fitting = [number for number in range(grid.width) if holds_all(rows[:, number], ends)]
        if fitting and (fitting[0] == 0 or len(fitting) == 1):
            which = "the first column" if fitting[0] == 0 else "the column"
            message = f"{grid.where}: ids taken from {which} {names[fitting[0]]!r}, which has those of the edges"
            other = repr(names[position]) if names[position] else "the first"
            position, more = fitting[0], [Note("id-column", f"{message}; {other} has not", 1)]
    guessed = names[position] if more else None
    notes += more if skip else []
    ids = rows[:, position].copy()
    blank = [row for row, text in enumerate(ids) if not text or text.isspace()]
    if blank:
        line, cure = grid.lines[blank[0] + skip], "add it or drop the row"
        if guessed is not None:
            cure = ASK_EDGES if known_ends(names) == (0, 1) else blame_guess(guessed)
        raise DataError(f"{grid.where}: every row must have an id; line {line} has none: {cure}")
    others = [column for column in range(grid.width) if column != position]
    called = [names[column] or f"column {column + 1}" for column in others]
    table = pd.DataFrame(rows[:, others], columns=called, dtype=object)
    if grid.separator == ";" and b"," in grid.data:
        table, read = read_commas(table, grid.where)
        notes += read
    unnamed = [name for column, name in zip(others, called, strict=True) if not names[column]]
    if unnamed:
        message = (
            f"{grid.where}: {count_of(len(unnamed), 'column')} without a name called by place: {shorten(unnamed, 5)}"
        )
        notes.append(Note("unnamed", message, len(unnamed)))
    formulas = sum(text.startswith("=") for text in table.to_numpy().ravel()) if b"=" in grid.data else 0
    if formulas:
        message = f"{grid.where}: {count_of(formulas, 'cell')} beginning with = read as text, not as formulas"
        notes.append(Note("formulas", message, formulas))
    return RawNodes(grid.where, ids, table, grid.lines[skip:], guessed=guessed, notes=[*grid.notes, *notes])


def holds_all(cells: Iterable[str], ids: Collection[str]) -> bool:
    """Tell whether a column of cells has all of some ids.

    >>> holds_all(["0", "1 ", "2"], ["0", "1"]), holds_all(["1", "2", "3"], ["0", "1"])
    (True, False)
    """
    return {text.strip() for text in cells}.issuperset(text.strip() for text in ids)


def pick_ends(names: Sequence[str], source: str | None, target: str | None, where: str) -> tuple[int, int]:
    """Return the places of the two ends: as named, else by the known names, else the first two.

    >>> pick_ends(["weight", "From", "To"], None, None, "edges.csv")
    (1, 2)
    """
    known = known_ends(names) or (0, 1)
    first = known[0] if source is None else pick_column(names, source, "source_column", where)
    second = known[1] if target is None else pick_column(names, target, "target_column", where)
    if first == second:
        raise OptionError(f"{where}: source and target are both the column {names[first]!r}; name two columns")
    return first, second


def pick_id(names: Sequence[str], wanted: str | None, where: str) -> tuple[int, list[Note]]:
    """Return the place of the column with the ids: as named, else ``id``, else the first."""
    if wanted is not None:
        return pick_column(names, wanted, "id", where), []
    called = [name for name in names if name.casefold() == "id"]
    if called:
        if names.count(called[0]) > 1:
            raise DataError(
                f"{where}: one column must be called {called[0]!r}; {names.count(called[0])} are: rename them"
            )
        return names.index(called[0]), []
    message = f"{where}: no column is called 'id': ids taken from the first" + (f", {names[0]!r}" if names[0] else "")
    return 0, [Note("id-column", message, 1)]


def blame_guess(name: str) -> str:
    """Say what to do where the first column was taken for the ids, and does not look like them."""
    called = f", {name!r}," if name else ""
    return f"no column is called 'id', so the first{called} was taken: name the one with the ids in {option('id')}"


def _find_header(
    grid: Grid, named: dict[str, str], *, is_header: bool, has_nodes: bool
) -> tuple[list[str], bool, list[Note]]:
    """Return the names of the columns and whether the first row holds them.

    It does if options or the known names say so; without them, if it holds no number while some
    column below it holds nothing else. Columns without a header are called 1, 2, 3, ...
    """
    names = [name.strip() for name in grid.first]
    numbers = [str(position) for position in range(1, grid.width + 1)]
    if grid.has_names:
        for name, column in named.items():
            pick_column(names, name, column, grid.where)
        return names, True, []
    is_text = not any(map(is_number, names))
    if named:
        if named.keys() <= set(names) and not all(map(is_number, names)):
            return names, True, []
        if named.keys() <= set(numbers):
            return numbers, False, []
        missing = next(name for name in named if name not in names)
        columns = names if is_text else numbers
        pick_column(columns, missing, named[missing], grid.where)
    if known_ends(names):
        return names, True, []
    if not is_text:
        return numbers, False, []
    line, ends = grid.first_line, f"({names[0]!r}, {names[1]!r})"
    if _stands_over_numbers(grid, names):
        message = f"{grid.where}: line {line} {ends} read as names of columns, since numbers stand below it"
        return names, True, [Note("header", message, 1)]
    if is_header:
        message = f"{grid.where}: line {line} {ends} read as names of columns, since the node table has no such ids"
        return names, True, [Note("header", message, 1)]
    notes = []
    if not _stands_below(grid, names[:2]):
        if grid.separator != " " and not has_nodes and _all_come_back(grid):
            message = f"{grid.where}: line {line} {ends} read as names of columns, since only its ends do not come back"
            return names, True, [Note("header", f"{message}; {option('source_column', '1')} reads an edge", 1)]
        message = f"{grid.where}: line {line} {ends} read as an edge; if a header, name it in {option('source_column')}"
        notes.append(Note("no-header", message, 1))
    return numbers, False, notes


def _stands_over_numbers(grid: Grid, names: Sequence[str]) -> bool:
    if whole_numbers(grid, (0, 1), 1) is not None:
        return True
    if _stands_below(grid, names[:2]):
        return False  # a vertex that comes back, not a name
    columns = [
        grid.column(position, 1)
        for position, name in enumerate(names)
        if (name and name.casefold() not in MISSING_WORDS) or not (name or position)  # rows may be numbered
    ]
    return any(below and all(map(is_number, below)) for below in columns)


def _all_come_back(grid: Grid) -> bool:
    """Tell whether each row below the first has an end that comes back, in ten rows or more."""
    ends = np.array([grid.column(position, 1) for position in (0, 1)], dtype=object)
    codes = pd.factorize(ends.ravel())[0]
    comes_back = (np.bincount(codes) > 1)[codes].reshape(ends.shape)
    return ends.shape[1] >= _LEAST_ROWS and bool(comes_back.any(axis=0).all())


def _stands_below(grid: Grid, ends: Sequence[str]) -> bool:
    return any(name in grid.column(position, 1) for name in ends for position in (0, 1))


def known_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of the names by which ends are known, if a pair of them is there.

    >>> known_ends(["weight", "From", "To"]), known_ends(["name", "from_bus", "to_bus", "from_date", "to_date"])
    ((1, 2), (1, 2))
    """
    low = [name.casefold() for name in names]
    for source, target in ENDS:
        if low.count(source) == 1 and low.count(target) == 1:
            return low.index(source), low.index(target)
    parts = [tuple(_PARTS.sub(" ", _HUMPS.sub(" ", name)).casefold().split()) for name in names]
    pairs = [
        (parts.index(one), parts.index(other))
        for source, target in _WORDS
        for one in parts
        if source in one
        and parts.count(one) == parts.count(other := tuple(target if word == source else word for word in one)) == 1
        and _NO_ENDS.isdisjoint(one)
    ]
    # Names may stand beside the ids: Source and SourceID.
    return min(pairs, key=lambda pair: ("id" not in parts[pair[0]], pairs.index(pair)), default=None)


def _column(grid: Grid, position: int, skip: int) -> npt.NDArray[np.int64] | list[str]:
    numbers = whole_numbers(grid, (position,), skip)
    return grid.column(position, skip) if numbers is None else numbers[:, 0]


def _refuse_blank(grid: Grid, ids: Array, codes: Array, skip: int, guessed: Sequence[str]) -> None:
    """Refuse an edge without an end, and name the columns if they were taken because they come first."""
    blank = [number for number, text in enumerate(ids) if not text or text.isspace()]
    if blank:
        row = int(np.flatnonzero(np.isin(codes, blank))[0]) // 2
        line, cure = grid.lines[row + skip], "repair it"
        if guessed and grid.width > 2:
            first, second = (name or f"column {place + 1}" for place, name in enumerate(guessed))
            cure += f", or, if the ends do not stand in the first two columns, {first!r} and {second!r}, name theirs"
            cure += f" in {option('source_column')} and {option('target_column')}"
        raise DataError(f"{grid.where}: both ends of an edge must have an id; line {line} lacks one: {cure}")


def _listed() -> str:
    *most, last = SEPARATORS.values()
    return f"{', '.join(most)} or {last}"
