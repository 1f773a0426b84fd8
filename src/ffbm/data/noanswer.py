"""Numbers that surveys write for no answer: 0, 999 or -1 far from all others, 9 after the codes 1 to 6."""

import numpy as np

from ffbm.data.remarks import Remark, drop
from ffbm.plain import count_of
from ffbm.types import Array

_FAR = (
    0,
    -1,
    -7,
    -8,
    -9,
    -77,
    -88,
    -99,
    -999,
    -9999,
    77,
    88,
    97,
    98,
    99,
    777,
    888,
    997,
    998,
    999,
    8888,
    9998,
    9999,
    99999,
)
_OFTEN = 3  # cells from which on a code that is less far off may mean no answer, as 99 where people are 18 to 80
_SHARE = 0.25  # of the width of the others that such a code lies off
_DIGITS = {7.0, 8.0, 9.0}  # refused, do not know, no answer: beyond a scale from 0 or 1
_GAP = 3  # between such a digit and the end of the scale
_LEAST = 0.02  # of the cells: counts have a long tail, of few cells


def remark_no_answer(name: str, known: Array) -> list[Remark]:
    """Tell of numbers in a column that may mean no answer; ``known`` are its cells.

    >>> import numpy as np
    >>> [remark.text[:40] for remark in remark_no_answer("clubs", np.array([0, 0, 1, 0, 9, 9]))]
    ['has 2 cells 9, far from the others (0 to']
    """
    distinct, counts = np.unique(known, return_counts=True)
    remarks = []
    far = _far(distinct) or _often(distinct, counts)
    negative = [] if any(value < 0 for value, _ in far) else _negative(distinct, counts)
    codes = [("far from", *code) for code in [*far, *_beyond_a_scale(distinct, counts)]]
    for where, value, rest in [*codes, *(("below 0 unlike", *code) for code in negative)]:
        count = int(counts[distinct == value][0])
        message = (
            f"has {count_of(count, 'cell')} {value:g}, {where} the others ({rest[0]:g} to {rest[-1]:g}): kept as"
            f" {'a number' if count == 1 else 'numbers'}; {drop(name, f'{value:g}')} if it means no answer"
        )
        remarks.append(Remark("looks-missing", name, message, count))
    return remarks


def _far(distinct: Array) -> list[tuple[float, Array]]:
    """Return the least and the greatest numbers, with the others, if they lie farther off than these are wide.

    >>> [value for value, _ in _far(np.array([1.0, 2.0, 18.0, 98.0, 99.0]))]
    [98.0, 99.0]
    """
    return [
        (float(sign * value), np.sort(sign * rest))
        for sign in (-1, 1)
        for values, rest in [_last_codes(np.sort(sign * distinct), sign)]
        for value in values
    ]


def _often(distinct: Array, counts: Array) -> list[tuple[float, Array]]:
    """Return 99, 999, ... at the end if several cells hold it and it lies off by a quarter of the others' width.

    >>> ages = np.array([18.0, 40.0, 55.0, 80.0, 99.0])
    >>> [value for value, _ in _often(ages, np.array([5, 5, 5, 5, 3]))], _often(ages, np.array([5, 5, 5, 5, 1]))
    ([99.0], [])
    """
    last, rest = float(distinct[-1]), distinct[:-1]
    if last not in _FAR or last <= max(_DIGITS) or len(rest) < 2:
        return []
    is_off = last - rest[-1] > _SHARE * (rest[-1] - rest[0])
    return [(last, rest)] if is_off and counts[-1] >= max(_OFTEN, _LEAST * counts.sum()) else []


def _negative(distinct: Array, counts: Array) -> list[tuple[float, Array]]:
    """Return -9, -1, ... if several cells hold each of them, and all others are 0 or more and reach beyond 1.

    >>> incomes = np.array([-9.0, 1.0, 5.0, 11.0])
    >>> [value for value, _ in _negative(incomes, np.array([3, 5, 5, 5]))]
    [-9.0]
    >>> _negative(np.array([-1.0, 0.0, 1.0]), np.array([9, 9, 9]))  # against, neutral, for
    []
    """
    is_negative = distinct < 0
    codes, rest = distinct[is_negative], distinct[~is_negative]
    if len(rest) < 2 or rest[-1] <= 1 or not np.isin(codes, _FAR).all():
        return []
    often = counts[is_negative] >= max(_OFTEN, _LEAST * counts.sum())
    return [(float(code), rest) for code in codes[often]]


def _last_codes(distinct: Array, sign: int) -> tuple[Array, Array]:
    """Split off the longest run of codes at the end that lies farther from the rest than that is wide."""
    n_codes = int(np.cumprod(np.isin(sign * distinct[::-1], _FAR)).sum())
    for n_below in range(max(2, len(distinct) - n_codes), len(distinct)):
        rest = distinct[:n_below]
        if distinct[n_below] - rest[-1] > rest[-1] - rest[0]:
            return distinct[n_below:], rest
    return distinct[:0], distinct


def _beyond_a_scale(distinct: Array, counts: Array) -> list[tuple[float, Array]]:
    """Return 9, and 7 and 8 beside it, with the others, if these are a scale without gaps that ends well before."""
    is_digit = np.isin(distinct, list(_DIGITS))
    scale, digits = distinct[~is_digit], distinct[is_digit]
    if len(scale) < 2 or distinct[-1] != max(_DIGITS) or scale[0] not in (0, 1):
        return []
    if (np.diff(scale) != 1).any() or digits[0] - scale[-1] < _GAP:
        return []
    often = counts[is_digit] >= max(2, _LEAST * counts.sum())
    return [(digit, scale) for digit in digits[often]]
