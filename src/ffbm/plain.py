"""Plain values for strict JSON, and plain words for people."""

import difflib
import math
from collections.abc import Iterable
from typing import Any

EACH_WAY = 2.0  # standard errors of a 95 % interval


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things.

    >>> count_of(1, "cell"), count_of(1200, "cell"), count_of(2, "vertex", "vertices")
    ('1 cell', '1,200 cells', '2 vertices')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Ask for the name that a word is close to, if there is one.

    >>> did_you_mean("Polboks", ["polbooks", "school"]), did_you_mean("karate", ["polbooks"])
    ("did you mean 'polbooks'?", '')
    """
    close = difflib.get_close_matches(word.lower(), names, n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def in_words(seconds: float) -> str:
    """Write a length of time in the unit that suits it.

    >>> in_words(37.2), in_words(200), in_words(1e6)
    ('37 seconds', '3 minutes', '12 days')
    """
    size, unit = _unit(seconds)
    return f"{seconds / size:.0f} {unit}"


def span_in_words(low: float, high: float) -> str:
    """Write a length of time that lies between two.

    >>> span_in_words(100, 1900), span_in_words(3, 130), span_in_words(3, 3.2)
    ('2 to 32 minutes', '3 seconds to 2 minutes', '3 seconds')
    """
    size, unit = _unit(high)
    least, most = f"{low / size:.0f}", f"{high / size:.0f}"
    if least == most:
        return in_words(high)
    return f"{in_words(low)} to {in_words(high)}" if least == "0" else f"{least} to {most} {unit}"


def _unit(seconds: float) -> tuple[int, str]:
    units = (86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds")
    return next((size, unit) for size, unit in units if seconds >= 2 * size or size == 1)


def in_percent(part: int, whole: int) -> str:
    """Write a share as whole per cent, never as 0 or 100 unless it is that.

    >>> in_percent(19, 20), in_percent(1, 1000), in_percent(999, 1000), in_percent(5, 5)
    ('95 %', 'under 1 %', 'over 99 %', '100 %')
    """
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "under 1 %"
    return "over 99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def with_interval(value: float, error: float) -> str:
    """Write an estimate with its 95 % interval, two standard errors each way; alone if the error is not known.

    >>> with_interval(0.77, 0.09), with_interval(-0.001, 0.001), with_interval(0.5, float("nan"))
    ('0.77 (95 % 0.59 to 0.95)', '0.00 (95 % 0.00 to 0.00)', '0.50')
    """
    low, middle, high = (round(end, 2) + 0.0 for end in (value - EACH_WAY * error, value, value + EACH_WAY * error))
    if math.isnan(error):
        return f"{middle:.2f}"  # never "-0.00", which the sum with 0.0 is for
    return f"{middle:.2f} (95 % {low:.2f} to {high:.2f})"


def visible(text: str) -> str:
    r"""Replace characters that cannot be seen, such as those that steer a terminal, by their codes.

    >>> visible("one\x1b[2Jtwo")
    'one\\x1b[2Jtwo'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def finite(value: Any) -> Any:
    """Return plain values with null in place of numbers that are not finite.

    >>> finite({"a": [1.0, float("nan")]})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {str(name): finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return finite(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
