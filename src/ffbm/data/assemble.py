"""From what a reader found to a Network: ids settled, table joined, columns encoded, all of it noted."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ffbm.data.collinear import note_collinear
from ffbm.data.columns import CellError
from ffbm.data.edgeweights import choose_law
from ffbm.data.encode import encode_features
from ffbm.data.gephi import find_drawing, note_computed, note_drawing
from ffbm.data.ids import number_words, text_array
from ffbm.data.lists import read_single_lists
from ffbm.data.multigraph import settle_edges
from ffbm.data.preamble import is_number
from ffbm.data.raw import Array, RawGraph, RawNodes, find_repeated_rows, no_attributes
from ffbm.data.remarks import option, shorten
from ffbm.data.repeats import merge_repeats
from ffbm.data.spelling import pick_merges
from ffbm.data.tables import ASK_EDGES, blame_guess, known_ends
from ffbm.data.twomode import add_sides, note_two_kinds
from ffbm.errors import DataError
from ffbm.plain import count_of
from ffbm.types import Network, Note

_FLOAT = re.compile(r"\s*-?[0-9]+\.0\s*")  # a whole number after a detour through floats
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
_NUMBERED = re.compile(r"n?[0-9]+")  # ids that say nothing: 17, n17
_POSITION = re.compile(r"[-+0-9.,;eE \[\]()]+")  # numbers alone, as where a vertex is drawn
_SHOWN = 5  # ids named in a message
_WIDE = 1000  # columns from which on a table is worth a word


def assemble_network(
    raw: RawGraph,
    nodes: RawNodes | None,
    *,
    parallel: str,
    unknown: str,
    name: str,
    encoding: Mapping[str, Any],
    directed: bool | str = "auto",
    edge_weight_model: str = "auto",
    edge_weight_prior: Any = "microcanonical",
) -> Network:
    """Join edges and vertices and encode the attributes.

    The vertices and their order are those of the node table, else those that the graph declares,
    else the ends of the edges as they first appear.
    """
    notes = list(raw.notes)
    if nodes is not None:
        notes += nodes.notes
        if raw.vertices is not None and len(raw.vertices.table.columns):
            columns = list(map(str, raw.vertices.table.columns))
            message = f"{raw.where}: {count_of(len(columns), 'attribute')} not read, since a table is given"
            notes.append(Note("attributes", f"{message}: {shorten(columns, _SHOWN)}", len(columns)))
    chosen = nodes if nodes is not None else raw.vertices
    if nodes is not None and (repeats := find_repeated_rows(nodes)).any():
        chosen = nodes = nodes.take(~repeats)
        count = int(repeats.sum())
        notes.append(Note("repeated", f"{nodes.where}: {count_of(count, 'row')} equal to another read once", count))
    if nodes is not None:
        notes += _write_alike(raw, nodes)
    if chosen is None:
        ids, number, more = _strip_ids(raw)
        table, where = no_attributes(len(ids)), raw.where
    else:
        ids, number, more = _join(raw, chosen, unknown, is_given=nodes is not None)
        table = _without_names(chosen, encoding, notes)
        if nodes is None:
            table = _without_drawing(table, chosen.where, encoding, notes)
        table, where = _extend(table, len(ids)), chosen.where
        table, unpacked = read_single_lists(table, where)
        more += unpacked
    notes += more
    if not len(ids):
        raise DataError(f"{raw.where} must hold a vertex or more; it holds none: check that it is the right one")
    table = add_sides(table, raw, number)
    notes += note_two_kinds(table, where)
    weights = None
    if raw.weights is not None:
        weights = choose_law(raw.weights, edge_weight_model, edge_weight_prior, raw.where)
    graph, more = settle_edges(raw, number, len(ids), parallel, directed, weights)
    if weights is not None:
        message = f"{raw.where}: edges weighted by {weights.in_words} ({weights.reason})"
        notes.append(Note("edge-weight", message, graph.n_edges))
    if not graph.n_edges:
        more.append(Note("no-edges", f"{raw.where}: the network has no edges", 0))
    notes += more + _note_size(len(ids), len(table.columns), where) + _note_formulas(ids, raw)
    try:
        features, more = encode_features(table, **{k: v for k, v in encoding.items() if k != "group_by"})
    except CellError as error:
        lines = None if chosen is None else chosen.lines
        spot = f"at vertex {ids[error.row]!r}" if lines is None else f"on line {lines[error.row]}"
        raise DataError(f"{where}: {error.at(spot)}") from None
    except DataError as error:
        raise DataError(f"{where}: {error.wording.marked}") from None
    if chosen is not None and chosen.is_table:
        features, merged = merge_repeats(features, _listed(encoding.get("include")), encoding.get("group_by"))
        more += merged
    more += note_collinear(features)
    if nodes is None:
        more = _offer_names(more, table, ids)
    more += note_computed(table, set(features.columns) - _listed(encoding.get("include")), where)
    if not features.n_features:
        more = [*more, Note("no-features", f"{where}: no attribute became a feature", 0)]
    return Network(graph, features, ids, (*notes, *more), name)


def _write_alike(raw: RawGraph, nodes: RawNodes) -> list[Note]:
    """Take the .0 off ids that all have it in one of the two and never in the other: numbers that were floats."""
    shares = [np.mean([_FLOAT.fullmatch(text) is not None for text in one.ids]) for one in (raw, nodes) if len(one.ids)]
    if sorted(shares) != [0, 1]:
        return []
    one = raw if shares[0] == 1 else nodes
    message = f"{one.where}: ids read as whole numbers, {one.ids[0]!r} as {one.ids[0].strip()[:-2]!r}"
    one.ids = text_array([text.strip()[:-2] for text in one.ids], len(one.ids))
    return [Note("whole-ids", message, len(one.ids))]


def _strip_ids(raw: RawGraph) -> tuple[Array, Array | None, list[Note]]:
    """Take the spaces off ids; those that then agree are one vertex."""
    if raw.is_numbered:
        return raw.ids, None, []
    stripped = [text.strip() for text in raw.ids]
    count = sum(map(str.__ne__, stripped, raw.ids))
    if not count:
        return raw.ids, None, []
    number, ids = number_words(stripped)
    merged = len(raw.ids) - len(ids)
    message = f"{raw.where}: spaces around {count_of(count, 'id')} taken off"
    return (
        ids,
        number,
        [
            Note(
                "spaces",
                message + (f"; {merged:,} then {'equals' if merged == 1 else 'equal'} another id" if merged else ""),
                count,
            )
        ],
    )


def _join(raw: RawGraph, nodes: RawNodes, unknown: str, *, is_given: bool) -> tuple[Array, Array | None, list[Note]]:
    """Find each id of the graph among the vertices; return ids, the number of each, and notes."""
    declared, keeps_spaces, notes = _settle_declared(nodes, raw)
    if keeps_spaces:
        wanted, number = raw.ids, None
    else:
        wanted, number, more = _strip_ids(raw)
        if is_given:
            notes += more
    rows = pd.Index(declared, dtype=object).get_indexer(pd.Index(wanted, dtype=object))
    strangers = np.flatnonzero(rows < 0)
    if is_given and len(wanted) and len(strangers) == len(wanted):
        alike = _compare(raw, wanted, declared)
        pair = "" if alike else f" ({declared[0]!r} here, {wanted[0]!r} there)"
        raise DataError(
            f"{nodes.where} must have ids of {raw.where}; it has none of them{pair}:"
            f" {alike or _advise(raw, nodes, wanted, declared)}"
        )
    if len(strangers):
        which = f"{count_of(len(strangers), 'id')} not in {nodes.where}: {shorten(wanted[strangers], _SHOWN)}"
        if unknown == "error":
            them, as_raw = "it" if len(strangers) == 1 else "them", rows if number is None else rows[number]
            among = which if is_given else which.replace(f"not in {nodes.where}", "not among its nodes")
            cure = f"add {them} there, or keep {them} with {option('unknown', 'keep')}"
            if raw.sides is None and _are_one_side(as_raw < 0, raw):
                cure += f"; if {them} and the others are two kinds, as people and events, add {option('bipartite')}"
            raise DataError(f"{raw.where} has {among}; {_compare(raw, wanted[strangers], declared) or cure}")
        rows[strangers] = np.arange(len(declared), len(declared) + len(strangers))
        notes.append(Note("unknown", f"{raw.where} has {which}; kept without attributes", len(strangers)))
        declared = np.concatenate((declared, wanted[strangers]))
    return declared, rows if number is None else rows[number], notes


def _settle_declared(nodes: RawNodes, raw: RawGraph) -> tuple[Array, bool, list[Note]]:
    """Refuse ids that stand twice; take spaces off, unless that would make two vertices one."""
    index = pd.Index(nodes.ids, dtype=object)
    if not index.is_unique:
        again = int(np.flatnonzero(index.duplicated())[0])
        first = int(np.flatnonzero(nodes.ids == nodes.ids[again])[0])
        lines = f" on lines {nodes.lines[first]} and {nodes.lines[again]}" if nodes.lines is not None else ""
        cure = "drop one" if nodes.guessed is None else _advise(raw, nodes, raw.ids, nodes.ids)
        if nodes.guessed is not None and raw.is_unnamed and len(nodes.ids) == len(raw.ids):
            cure = f"it has as many rows as the matrix, {len(raw.ids):,}, but no ids: add a column 'id' of 1, 2, 3, ..."
        if nodes.guessed is not None and cure == blame_guess(nodes.guessed) and set(nodes.ids) & set(raw.ids):
            cure = "drop one"  # they are the ids: edges have them
        raise DataError(f"{nodes.where}: ids must be different; {nodes.ids[again]!r} stands twice{lines}: {cure}")
    stripped = [text.strip() for text in nodes.ids]
    if "" in stripped:
        raise DataError(f"{nodes.where}: every vertex must have an id; vertex {stripped.index('') + 1} has none")
    count = sum(map(str.__ne__, stripped, nodes.ids))
    if not count:
        return nodes.ids, False, []
    alike = len(stripped) - len(set(stripped))
    if alike:
        differ = "differs" if alike == 1 else "differ"
        message = f"{nodes.where}: {count_of(alike, 'id')} {differ} from another only by spaces: all kept as written"
        return nodes.ids, True, [Note("spaces", message, alike)]
    message = f"{nodes.where}: spaces around {count_of(count, 'id')} taken off"
    return text_array(stripped, len(stripped)), False, [Note("spaces", message, count)]


def _are_one_side(is_stranger: Array, raw: RawGraph) -> bool:
    """Tell whether the ids that the node table lacks are all of one column of a list of edges, and no other is."""
    source, target = is_stranger[raw.source], is_stranger[raw.target]
    is_list = raw.vertices is None and len(source) > 1
    return is_list and bool((source.all() and not target.any()) or (target.all() and not source.any()))


def _compare(raw: RawGraph, strangers: Array, declared: Array) -> str:
    """Say how many ids would be found but for their column, the zeros that a spreadsheet takes off, or their case."""
    ways: list[tuple[str, Callable[[str], str]]] = [
        ("leading zeros", lambda text: text.lstrip("0") if text.isdigit() else text),
        ("upper and lower case", str.casefold),
        ("the way the number is written", _whole),
        ("the way accents are encoded (Unicode's NFC or NFD)", lambda text: unicodedata.normalize("NFC", text)),
    ]
    if raw.sides is not None:
        ways.insert(0, ("the name of the column of edges", lambda text: text.partition(":")[2] or text))
    for difference, reduce in ways:
        known = {reduce(text): text for text in declared}
        alike = [text for text in strangers if reduce(text) in known]
        if alike:
            pair = f"{alike[0]!r} and {known[reduce(alike[0])]!r}"
            agree = f"{len(alike):,} {'agrees' if len(alike) == 1 else 'agree'} but for {difference}, as {pair}"
            return f"{agree}: write ids alike in both"
    return ""


def _whole(text: str) -> str:
    """Return a whole number as its digits, whichever way it is written.

    >>> _whole("1e+05"), _whole("1,000"), _whole("12.0"), _whole("A7")
    ('100000', '1000', '12', 'A7')
    """
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
    if plain.isdigit() or not is_number(plain) or not float(plain).is_integer():
        return plain
    return str(int(float(plain)))


def _advise(raw: RawGraph, nodes: RawNodes, wanted: Array, declared: Array) -> str:
    """Look for the column that does hold the ids."""
    if nodes.guessed is not None and _is_edge_list(nodes, set(wanted)):
        return ASK_EDGES
    tables = [(nodes.table, set(wanted))]
    if raw.vertices is not None:
        tables.append((raw.vertices.table, set(declared)))
    for table, ids in tables:
        for position, column in enumerate(map(str, table.columns)):
            if len(ids & set(map(str, table.iloc[:, position]))) * 2 > len(ids):
                taken = (
                    "" if nodes.guessed is None else f"ids were taken from the first column, {nodes.guessed!r}, but "
                )
                return f"{taken}the column {column!r} has them: pass {option('id', repr(column))}"
    if nodes.guessed is not None:
        return blame_guess(nodes.guessed)
    return f"pass the right table, or the column with the ids as {option('id')}"


def _is_edge_list(nodes: RawNodes, ids: set[str]) -> bool:
    """Return whether the first two columns are called, or are, ends of edges."""
    if not len(nodes.table.columns):
        return False
    names = [str(nodes.guessed), str(nodes.table.columns[0])]
    return known_ends(names) is not None or (ids >= set(nodes.ids) and ids >= set(nodes.table.iloc[:, 0]))


def _without_names(nodes: RawNodes, encoding: Mapping[str, Any], notes: list[Note]) -> pd.DataFrame:
    """Leave out the names that a format has for people to look at, if each vertex has its own."""
    name, table = nodes.display, nodes.table
    if name not in table or name in _spoken_of(encoding):
        return table
    known = table[name].dropna()
    if known.is_unique and len(known) > 1:
        message = (
            f"{nodes.where}: {name!r} left out, a name of its own for each vertex; {option('include')} would keep it"
        )
        notes.append(Note("names", message, 1))
        return table.drop(columns=[name])
    return table


def _offer_names(notes: list[Note], table: pd.DataFrame, ids: Array) -> list[Note]:
    """Say of the first column of names that it can take the place of ids that are mere numbers, as graph-tool's n0."""
    if not len(ids) or not all(map(_NUMBERED.fullmatch, ids)):
        return notes
    for place, note in enumerate(notes):
        column = next((name for name in table if note.message.startswith(f"column {name!r} ")), None)
        if note.code != "identifier" or column is None or table[column].isna().any() or not table[column].is_unique:
            continue
        if not all(map(_POSITION.fullmatch, map(str, table[column]))):
            message = f"{note.message}; {option('id', str(column))} calls vertices by it, in place of {ids[0]!r}, ..."
            return [*notes[:place], replace(note, message=message), *notes[place + 1 :]]
    return notes


def _without_drawing(table: pd.DataFrame, where: str, encoding: Mapping[str, Any], notes: list[Note]) -> pd.DataFrame:
    """Leave out how vertices are drawn, but for what an option speaks of."""
    drawn = [name for name in find_drawing(table) if name not in _spoken_of(encoding)]
    if not drawn:
        return table
    notes.append(note_drawing(drawn, where))
    return table.drop(columns=drawn)


def _spoken_of(encoding: Mapping[str, Any]) -> set[str]:
    """Return the columns that any option names: the encoder has to find them."""
    named = (_listed(encoding.get(name)) for name in ("include", "exclude", "drop", "categorical", "numeric"))
    return set(pick_merges(encoding.get("merge"))).union(*named)


def _listed(chosen: Any) -> set[str]:
    if isinstance(chosen, str):
        return {chosen.strip()}
    return {str(name).strip() for name in chosen} if isinstance(chosen, Iterable) else set()


def _extend(table: pd.DataFrame, n_nodes: int) -> pd.DataFrame:
    """Add rows of missing cells for vertices that the table does not have."""
    table = table.reset_index(drop=True)
    return table if len(table) == n_nodes else table.reindex(pd.RangeIndex(n_nodes))


def _note_size(n_nodes: int, n_columns: int, where: str) -> list[Note]:
    notes = []
    if n_nodes == 1:
        notes.append(Note("one-vertex", f"{where}: the network has one vertex", 1))
    if n_columns >= _WIDE:
        notes.append(Note("wide", f"{where}: the table has {n_columns:,} columns of attributes", n_columns))
    return notes


def _note_formulas(ids: Array, raw: RawGraph) -> list[Note]:
    count = 0 if raw.is_numbered else sum(text.startswith("=") for text in ids)
    message = f"{raw.where}: {count_of(count, 'id')} beginning with = read as text, not as formulas"
    return [Note("formulas", message, count)] if count else []
