"""From the columns of a table to the feature matrix X: which columns count, and what they become."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ffbm.check import check_choice, check_int
from ffbm.data.columns import MISSING_WORDS, Column, find_odd, number_of, parse_column
from ffbm.data.matrix import Piece, append_flag, assemble, leave_out_rare, make_features, no_features
from ffbm.data.remarks import Remark, gather_notes, option, shorten
from ffbm.data.spelling import merge_values, pick_merges, remark_spellings
from ffbm.errors import DataError, OptionError, keyword
from ffbm.plain import count_of
from ffbm.types import Features, Note

_COMMON = 0.95  # a flag on more of the vertices tells hardly any of them apart
# What ids and counts of rows are called; "column 1" is one without a name.
_NAMES_OF_IDS = re.compile(
    r"(?i:(?:.*[_ .-])?u?id|index|idx|rownames?|name|label|node|vertex|key|nr|no|(?:column|unnamed:) \d+)|\w*[a-z]I[dD]"
)
_MANY = 20  # values from which on a column may be free text
_IDENTIFYING = 0.9  # a column of values identifies if at least this share of its cells are different


def encode_features(
    table: pd.DataFrame,
    *,
    include: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    drop: Mapping[str, Any] | None = None,
    merge: Any = None,
    missing: str = "none",
    categorical: str | Iterable[str] | None = None,
    numeric: str | Iterable[str] | None = None,
    min_support: int = 1,
) -> tuple[Features, list[Note]]:
    """Turn the columns of a table into features, and say what was left out or changed.

    A column of truth values or 0/1 becomes one flag and keeps its name; numbers are standardised,
    x = (value - mean) / sd, and so are dates, as years with fractions; any other column becomes one flag
    ``column=value`` for each value.

    Parameters
    ----------
    table : DataFrame with N rows
        One row for each vertex, one column for each attribute; a blank cell, None or NaN is missing.
    include : column names, optional
        Keep these columns even if they identify vertices or do not vary.
    exclude : column names, optional
        Leave these columns out.
    drop : mapping of column names to values, optional
        These values are read as missing.
    merge : mapping of column names to mappings, or texts, optional
        Values to be read as others: ``{"field": {"Biolgy": "Biology"}}`` or ``["field:Biolgy=Biology"]``. Done first.
    missing : "none" or "flag"
        Whether missing cells of a column get a flag ``column=missing`` of their own.
    categorical : column names, optional
        Columns of numbers or dates that are codes: one flag for each value.
    numeric : column names, optional
        Columns of numbers or dates that are no codes. Of those that neither option names ``Features.other`` has the
        reading as values, if they have few, and a fit takes the better one.
    min_support : int
        Leave out flags set on fewer vertices.

    Returns
    -------
    Features
        ``values`` (N, D) float64, CSR if mostly zero, else dense; columns in the table's order,
        the values of a column sorted. ``missing`` (N, G) keeps which cells were missing.
    list of Note
        One for each thing left out or changed.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 40, 30], "party": ["b", "a", "b", ""]})
    >>> features, notes = encode_features(table)
    >>> features.names
    ('age', 'party=a', 'party=b')
    >>> print(notes[0].message)
    column 'party' has 1 missing cell: no flag
    """
    check_choice("missing", missing, ("none", "flag"))
    check_int("min_support", min_support, low=1)
    names, remarks = _name_columns(table)
    forced, excluded, coded, measured = (
        _pick_columns(option, chosen, names)
        for option, chosen in (
            ("include", include), ("exclude", exclude), ("categorical", categorical), ("numeric", numeric)
        )
    )  # fmt: skip
    for one, other, both in (("include", "exclude", forced & excluded), ("categorical", "numeric", coded & measured)):
        if both:
            raise OptionError(
                f"{keyword(one, '')} and {keyword(other, '')} both name {shorten(sorted(both), 5)}; choose one"
            )
    dropped, merged = _pick_values(drop, names), pick_merges(merge)
    _pick_columns("merge", list(merged), names)

    kept: list[str] = []
    pieces: list[Piece] = []
    others: dict[str, Features] = {}
    for name, (_, cells) in zip(names, table.items(), strict=True):
        if name in excluded:
            remarks.append(Remark("excluded", name, f"left out by {keyword('exclude', '')}", 1))
            continue
        if name in merged:
            cells, seen = merge_values(name, cells, merged[name])
            remarks += seen
        column, seen = parse_column(name, cells, categorical=name in coded, drop=dropped.get(name, ()))
        if name in measured:
            column, seen = _settle_numeric(column, seen)
        encode = partial(_encode_column, forced=name in forced, flag_missing=missing == "flag", min_support=min_support)
        piece, more = encode(column)
        if column.other is not None and piece.names:
            others[name] = assemble(len(table), [name], [encode(column.other)[0]])[0]
        remarks += seen + more
        kept.append(name)
        pieces.append(piece)
    features, renamed = assemble(len(table), kept, pieces)
    others = {name: other for name, other in others.items() if other.n_features}
    replaced = {name: pairs for name in kept if (pairs := _replacements(merged.get(name, {}), dropped.get(name, ())))}
    return replace(features, other=others, replaced=replaced), gather_notes(remarks + renamed)


def _replacements(merged: Mapping[str, str], dropped: Sequence[Any]) -> dict[str, str]:
    """Return what each value of a column is taken for, merged first, then dropped: "" if missing."""
    missing = {str(value).strip(): "" for value in dropped}
    return {wrong: missing.get(right, right) for wrong, right in merged.items()} | missing


def _settle_numeric(column: Column, remarks: list[Remark]) -> tuple[Column, list[Remark]]:
    """Refuse a column of text where numbers are asked for; forget that numbers might be codes."""
    if column.kind == "values":
        texts = [text for text in column.values if text.casefold() not in MISSING_WORDS]
        odd = find_odd(texts)[1] or [text for text in texts if number_of(text) is None]
        came = f"it holds {shorten(odd, 3)}"
        raise DataError(
            f"{keyword('numeric', '')} names {column.name!r}, which must hold numbers or dates; {came}: repair them, or"
            f" {option('drop')} reads them as missing"
        )
    return replace(column, other=None), [remark for remark in remarks if remark.code != "looks-coded"]


def _encode_column(column: Column, *, forced: bool, flag_missing: bool, min_support: int) -> tuple[Piece, list[Remark]]:
    left_out = _reason_to_leave_out(column, forced=forced)
    piece = no_features() if left_out else make_features(column)
    remarks = [left_out] if left_out else []
    n_missing = int(column.missing.sum())
    fate = "read as the column's mean" if column.kind == "number" else "no flag"
    if flag_missing and 0 < n_missing < len(column.missing) and (not left_out or left_out.code == "constant"):
        name = f"{column.name}={'(missing)' if 'missing' in column.values else 'missing'}"
        piece = append_flag(piece, name, column.missing)
        fate = f"marked by the flag {name!r}"
    if n_missing and piece.names:
        spelled = f" ({column.words})" if column.words else ""
        message = f"has {count_of(n_missing, 'missing cell')}{spelled}: {fate}"
        remarks.append(Remark("missing", column.name, message, n_missing))
    n_numbers = int(column.kind == "number" and not left_out)
    piece, n_rare = leave_out_rare(piece, n_numbers, min_support)
    if n_rare:
        few = f"has {count_of(n_rare, 'flag')} on fewer than {min_support} vertices"
        message = f"{few}: left out by {keyword('min_support', '')}"
        remarks.append(Remark("rare", column.name, message, n_rare))
    if not left_out:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
        remarks += remark_spellings(column.name, column.values, counts)
    if not forced:
        remarks += _remark_common(column, piece, n_numbers)
        if min_support == 1 and not left_out:
            remarks += _remark_lone(column)
    return piece._replace(missing=np.flatnonzero(column.missing)), remarks


def _remark_lone(column: Column) -> list[Remark]:
    """Tell of what looks like free text: many values, most of them on one vertex each."""
    n_values = len(column.values)
    n_lone = int((np.bincount(column.codes[column.codes >= 0], minlength=n_values) == 1).sum())
    if n_values < _MANY or 2 * n_lone <= n_values:
        return []
    remedy = f"{option('exclude')} leaves the column out, {option('min_support', '2')} these values"
    message = f"has {n_values:,} values, {n_lone:,} of them on one vertex each; {remedy}"
    return [Remark("one-each", column.name, message, n_lone)]


def _remark_common(column: Column, piece: Piece, n_numbers: int) -> list[Remark]:
    """Tell of a flag on nearly all vertices: where the model has no intercept, its weights are the sizes of blocks."""
    n_nodes, support = len(column.missing), np.bincount(piece.places, minlength=len(piece.names))
    remarks = []
    for position in range(n_numbers, len(piece.names)):
        if support[position] > _COMMON * n_nodes:
            share, flag = int(100 * support[position] / n_nodes), piece.names[position]
            remedy = option("exclude") if len(piece.names) == 1 else option("drop")
            message = (
                f"has the flag {flag!r} on {share} % of the vertices, much like an intercept; {remedy} leaves it out"
            )
            remarks.append(Remark("nearly-constant", column.name, message, int(support[position])))
    return remarks


def _reason_to_leave_out(column: Column, *, forced: bool) -> Remark | None:
    if column.kind == "empty":
        return Remark("empty", column.name, "left out: it has no values", 1)
    if forced:
        return None
    if column.kind == "values":
        n_known, n_values = int((column.codes >= 0).sum()), len(column.values)
        if n_values == 1 and n_known == len(column.missing):
            return Remark("constant", column.name, f"left out: it is {column.values[0]!r} on every vertex", 1)
        if n_values > 2 and n_values >= _IDENTIFYING * n_known:
            message = f"left out: it identifies vertices ({n_values:,} different values in {n_known:,} cells)"
            return Remark("identifier", column.name, message, 1)
        return None
    if column.kind == "number" and _NAMES_OF_IDS.fullmatch(column.name):
        cells = column.numbers[~np.isnan(column.numbers)]
        n_values = len(np.unique(cells))
        if (cells == np.round(cells)).all() and n_values > 2 and n_values >= _IDENTIFYING * len(cells):
            count = f"{n_values:,} different whole numbers in {len(cells):,} cells"
            message = f"left out: it identifies vertices, by its name and its {count}; {option('include')} keeps it"
            return Remark("identifier", column.name, message, 1)
    # Where it is missing, a flag is 0 and a number its mean.
    known = column.numbers == 1 if column.kind == "flag" else column.numbers[~np.isnan(column.numbers)]
    if (known == known[0]).all():
        n_missing = int(column.missing.sum())
        message = f"left out: it is {known[0]:g} on every vertex"
        if n_missing:
            known_on = f"all {count_of(len(column.missing) - n_missing, 'vertex', 'vertices')} where it is known"
            message = f"left out: it is {known[0]:g} on {known_on}"
            message += f"; {option('categorical')} makes a flag of it"
        return Remark("constant", column.name, message, 1)
    return None


def _name_columns(table: pd.DataFrame) -> tuple[list[str], list[Remark]]:
    names, remarks = [], []
    for position, label in enumerate(table.columns, start=1):
        name = str(label).strip()
        if not name:
            name = f"column {position}"
            remarks.append(Remark("unnamed", name, "had no name and was named by its place", 1))
        names.append(name)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"column names must be different, but these stand twice: {shorten(twice, 5)}; rename one")
    return names, remarks


def _pick_columns(option: str, chosen: Any, names: list[str]) -> set[str]:
    if chosen is None:
        return set()
    if not isinstance(chosen, str) and not isinstance(chosen, Iterable):
        raise OptionError(f"{keyword(option)} must be a column name or a list of them; got {chosen!r}")
    wanted = [chosen] if isinstance(chosen, str) else [str(name) for name in chosen]
    known = set(names)
    unknown = [name for name in wanted if name.strip() not in known]
    if unknown:
        has = f"its columns are {shorten(names, 10)}" if names else "it has no columns"
        raise DataError(f"{keyword(option, '')} names {shorten(unknown, 5)}, which the table does not have; {has}")
    return {name.strip() for name in wanted}


def _pick_values(drop: Any, names: list[str]) -> dict[str, list[Any]]:
    if drop is not None and not isinstance(drop, Mapping):
        raise OptionError(f"{keyword('drop')} must be a mapping such as {{'gender': ['Unknown']}}; got {drop!r}")
    _pick_columns("drop", drop, names)
    single = str, bytes, int, float
    return {
        str(name).strip(): [values] if isinstance(values, single) else list(values)
        for name, values in (drop or {}).items()
    }
