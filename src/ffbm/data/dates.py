"""Dates: from the texts of a column to years with fractions, and to years, months or days as values.

A column holds dates if all its texts are written in one of a few forms: ISO 8601 (``2006-08-01``, with or without a
time), ``1.8.2006`` or ``8/1/2006``, and the English names of months, ``August 1, 2006`` or ``1 Aug 2006``.
"""

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ffbm.data.remarks import shorten
from ffbm.types import Array

_MONTHS = {name[:3].casefold(): number for number, name in enumerate(calendar.month_name) if name}
_NAMES = {name.casefold() for name in (*calendar.month_name, *calendar.month_abbr, "Sept") if name}
_CENTURY = 69  # two digits from here on are years of the 20th century, as in C and Python
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_TIME = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:z|utc|gmt|[+-]\d\d(?::?\d\d)?))?)?"
)
_DAY, _MONTH, _NAME, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<name>[a-z]{3,9})\.?", r"(?P<year>\d{4})"
_SHORT_YEAR = r"(?P<year>\d{4}|(?<=/)\d{2})"
_FORMS = [
    re.compile(form + _TIME, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}(?P<mark>[-/.]){_MONTH}(?P=mark){_DAY}",
        rf"{_DAY}(?P<mark>[-/.]){_MONTH}(?P=mark){_SHORT_YEAR}",
        rf"{_MONTH}(?P<mark>[-/.]){_DAY}(?P=mark){_SHORT_YEAR}",
        rf"{_WEEKDAY}{_NAME} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}",
        rf"{_WEEKDAY}{_DAY}(?:st|nd|rd|th)?\.?[ -]{_NAME},?[ -]{_YEAR}",
        rf"{_YEAR}[-/]{_MONTH}",
        rf"{_NAME},?[ -]{_YEAR}",
    )
]
_MIDNIGHT = re.compile(r"[T ]00:00:00(\.0+)?(Z|\+00:00)?$")
_DAY_FIRST, _MONTH_FIRST = 1, 2


class Dates(NamedTuple):
    """The dates that texts write."""

    years: Array  # years with fractions, float64
    moments: list[dt.datetime]
    range: str  # for people: from when to when, and which comes first where that was to be decided

    def grains(self, row: int) -> tuple[str, str, str]:
        """Return one of the dates by day, by month and by year."""
        moment = self.moments[row]
        return f"{moment:%Y-%m-%d}", f"{moment:%Y-%m}", f"{moment:%Y}"

    def values(self, most: int, least_cells: int, counts: Array) -> list[str] | None:
        """Return the dates by day, else by month, else by year: the finest that has few values of many cells each.

        ``counts`` says how many cells each text has. None if every way has more than ``most`` values, fewer than three,
        or fewer than ``least_cells`` cells for a value on average.
        """
        for written in zip(*map(self.grains, range(len(self.moments))), strict=True):
            texts = list(written)
            n_values = len(set(texts))
            if 3 <= n_values <= most and least_cells * n_values <= counts.sum():
                return texts
        return None


def read_dates(texts: Sequence[str]) -> Dates | None:
    """Return the dates that texts write, None if some of them write none or they are not written alike.

    >>> dates = read_dates(["July 2, 2006", "December 31, 2007"])
    >>> dates.years.round(3).tolist(), dates.range
    ([2006.499, 2007.997], "'July 2, 2006' to 'December 31, 2007'")
    >>> read_dates(["2006-08-01", "soon"])
    """
    if not texts or not any(character.isdigit() for character in texts[0]):
        return None
    for number, form in enumerate(_FORMS):
        moments = _read_all(form, texts)
        if moments is not None:
            order = sorted(range(len(texts)), key=moments.__getitem__)
            first, last = (shorten([_MIDNIGHT.sub("", texts[row])], 1) for row in (order[0], order[-1]))
            message = f"{first} to {last}"
            if number in (_DAY_FIRST, _MONTH_FIRST):
                message += ", the day first" if number == _DAY_FIRST else ", the month first"
                if number == _DAY_FIRST and _read_all(_FORMS[_MONTH_FIRST], texts) is not None:
                    message += " (it might be the month)"
            late = [text for text, moment in zip(texts, moments, strict=True) if _is_late(form, text, moment)]
            if late:
                message += f"; {shorten(late, 2)} taken for the last day of the month"
            return Dates(np.array([_year(moment) for moment in moments]), moments, message)
    return None


def find_undated(texts: Sequence[str]) -> list[str]:
    """Return the texts that write no date in the form that most of them have.

    >>> find_undated(["2006-08-01", "2007-01-31", "unknown"])
    ['unknown']
    """
    undated = list(texts)
    for form in _FORMS:
        others = [text for text in texts if _read_all(form, [text]) is None]
        undated = min(undated, others, key=len)
    return undated


def _read_all(form: re.Pattern[str], texts: Sequence[str]) -> list[dt.datetime] | None:
    moments = []
    for text in texts:
        match = form.fullmatch(text)
        moment = None if match is None else _moment(match.groupdict())
        if moment is None:
            return None
        moments.append(moment)
    return moments


def _moment(parts: dict[str, str | None]) -> dt.datetime | None:
    name = (parts.get("name") or "").casefold()
    if name and name not in _NAMES:
        return None
    month = _MONTHS[name[:3]] if name else int(parts["month"] or 0)
    year = int(parts["year"] or 0)
    if len(parts["year"] or "") == 2:
        year += 1900 if year >= _CENTURY else 2000
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"].casefold() == "p" else 0)
    day, minute, second = (int(parts.get(part) or 0) for part in ("day", "minute", "second"))
    if 1 <= month <= 12 and 28 < day <= 31 and year:
        day = min(day, calendar.monthrange(year, month)[1])  # people write November 31
    try:
        return dt.datetime(year, month, day if parts.get("day") else 1, hour, minute, second)
    except ValueError:
        return None


def _is_late(form: re.Pattern[str], text: str, moment: dt.datetime) -> bool:
    """Return whether a text names a day that its month does not have."""
    match = form.fullmatch(text)
    day = None if match is None else match.groupdict().get("day")
    return day is not None and int(day) != moment.day


def _year(moment: dt.datetime) -> float:
    begin = dt.datetime(moment.year, 1, 1)
    days = 366 if calendar.isleap(moment.year) else 365
    return moment.year + (moment - begin) / dt.timedelta(days=days)
