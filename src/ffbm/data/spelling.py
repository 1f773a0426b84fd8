"""Values that are perhaps one: those that differ in case or blanks alone, or in one letter."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ffbm.data.remarks import Remark, option, shorten
from ffbm.errors import DataError, OptionError, keyword
from ffbm.plain import count_of, visible
from ffbm.types import Array

_SHOWN = 3
_SHORTEST = 5  # letters: shorter words that differ in one are often different words
_RARE = 5  # a slip is so many times rarer than the word
_SHORT = {"y": "yes", "n": "no", "t": "true", "f": "false"}
_MOST = 5000  # values that are compared


def remark_spellings(column: str, values: Sequence[str], counts: Array) -> list[Remark]:
    """Tell of values that a person would read as one: Sales and SALES, Biology and Biolgy.

    >>> import numpy as np
    >>> from ffbm.errors import Wording
    >>> print(Wording(remark_spellings("field", ["Biolgy", "Biology"], np.array([1, 40]))[0].text))
    has values that differ in one letter ('Biolgy' and 'Biology'): different values; merge= (--merge) makes one of \
them, as in field:Biolgy=Biology
    """
    first: dict[str, str] = {}
    same = []
    for value in values:
        known = first.setdefault(" ".join(value.casefold().split()), value)
        if known != value:
            same.append((known, value))
    index_of = {value: number for number, value in enumerate(values)}
    slips = [] if len(values) > _MOST else find_slips({value: int(counts[index_of[value]]) for value in first.values()})
    short = [(first[letter], first[word]) for letter, word in _SHORT.items() if letter in first and word in first]
    remarks = []
    for code, how, pairs in (
        ("alike", "only in case or spaces", same),
        ("alike", "as a letter and its word do", short),
        ("spelling", "in one letter", slips),
    ):
        if pairs:
            shown = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:_SHOWN])
            more = f" and {len(pairs) - _SHOWN:,} more" if len(pairs) > _SHOWN else ""
            wrong, right = sorted(pairs[0], key=lambda value: counts[index_of[value]])
            message = (
                f"has values that differ {how} ({shown}{more}): different values; {option('merge')} makes one of them,"
                f" as in {visible(f'{column}:{wrong}={right}')}"
            )
            remarks.append(Remark(code, column, message, len(pairs)))
    return remarks


def find_slips(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return pairs of a rare value and a frequent one that differ in one letter, or in two neighbours exchanged.

    Digits do not count as letters: Room 1 and Room 2 are different.

    >>> find_slips({"Biology": 40, "Biolgy": 1, "Boilogy": 2, "Zoology": 9, "Room 1": 50, "Room 2": 1})
    [('Biolgy', 'Biology'), ('Boilogy', 'Biology')]
    """
    near: dict[str, list[str]] = {}
    for value in counts:
        for key in {value, *(value[:k] + value[k + 1 :] for k in range(len(value)))}:
            near.setdefault(key, []).append(value)
    pairs: dict[tuple[str, str], None] = {}
    for together in near.values():
        for rare in together:
            for word in together:
                if (
                    counts[rare] * _RARE <= counts[word]
                    and min(len(rare), len(word)) >= _SHORTEST
                    and _is_slip(rare, word)
                ):
                    pairs[rare, word] = None
    return sorted(pairs)


def _is_slip(one: str, other: str) -> bool:
    """Return whether two texts that share all letters but one each differ by one letter, or by a swap of neighbours."""
    begin = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[begin:], other[begin:]
    end = next(
        (k for k, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=False)) if a != b), min(len(one), len(other))
    )
    one, other = one[: len(one) - end], other[: len(other) - end]
    if not (one + other).isalpha() or one.casefold() == other.casefold():
        return False
    return max(len(one), len(other)) == 1 or (len(one) == len(other) == 2 and one == other[::-1])


def pick_merges(merge: Any) -> dict[str, dict[str, str]]:
    """Return what to read as what, by column: of ``{"field": {"Biolgy": "Biology"}}`` or ``"field:Biolgy=Biology"``.

    >>> pick_merges(["field:Biolgy=Biology", "field:Bio=Biology"])
    {'field': {'Biolgy': 'Biology', 'Bio': 'Biology'}}
    """
    if merge is None:
        return {}
    required = "merge must be {'column': {'wrong': 'right'}}, or a list of texts such as 'column:wrong=right'"
    if isinstance(merge, Mapping):
        if not all(isinstance(pairs, Mapping) for pairs in merge.values()):
            raise OptionError(f"{required}; got {merge!r}")
        return {
            str(column).strip(): {str(wrong).strip(): str(right).strip() for wrong, right in pairs.items()}
            for column, pairs in merge.items()
        }
    if not isinstance(merge, str | list | tuple | set):
        raise OptionError(f"{required}; got {merge!r}")
    merges: dict[str, dict[str, str]] = {}
    for text in [merge] if isinstance(merge, str) else merge:
        column, colon, pair = str(text).partition(":")
        wrong, equals, right = pair.partition("=")
        if not (colon and equals and column.strip() and wrong.strip() and right.strip()):
            raise OptionError(f"{required}; got {text!r}")
        merges.setdefault(column.strip(), {})[wrong.strip()] = right.strip()
    return merges


def merge_values(name: str, cells: pd.Series, pairs: Mapping[str, str]) -> tuple[pd.Series, list[Remark]]:
    """Read some values of a column as others; one that the column does not have is refused."""
    texts = cells.astype(object).map(lambda cell: str(cell).strip())
    counts = texts.value_counts()
    unknown = [wrong for wrong in pairs if wrong not in counts.index]
    if unknown:
        known = shorten(sorted(set(texts[cells.notna()])), 8)
        it = f"{keyword('merge', '')} names {shorten(unknown, 3)}"
        raise DataError(f"{it}, which column {name!r} does not have; it has {known}")
    remarks = []
    for wrong, right in pairs.items():
        message = f"has {count_of(int(counts[wrong]), 'cell')} {wrong!r}: read as {right!r}"
        remarks.append(Remark("merged-values", name, message, int(counts[wrong])))
    return texts.map(pairs).where(texts.isin(list(pairs)), cells.astype(object)), remarks
