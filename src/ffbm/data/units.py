"""Numbers with a unit: 45 %, $1,200, 12.5 kg. A column of them is one of numbers."""

import re
from collections.abc import Sequence

_CURRENCY = r"[$€£¥₹]|US\$|USD|EUR|GBP|CHF"
_AMOUNT = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_MEASURE = re.compile(
    rf"(?P<sign>[+-]?)\s*(?:(?P<before>{_CURRENCY})\s*)?(?P<sign2>[+-]?)(?P<amount>{_AMOUNT})"
    rf"(?:\s*(?P<after>[%‰]|°\s?[CF]?|{_CURRENCY})|\s+(?P<word>[^\W\d_]{{1,10}}(?:/[^\W\d_]{{1,5}})?[²³23]?))?"
)
_GAP = re.compile(r"(?<=[0-9])['’ \u00a0\u202f](?=[0-9]{3}(?![0-9]))")  # 12'500 in Zurich, 12 500 in Paris
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")


def numbers_of(texts: Sequence[str]) -> tuple[list[float], str] | None:
    """Return the numbers that texts write with one unit or with thousands set apart, and what they have.

    None unless all are numbers, at least half of them so written, and no two have different units.

    >>> numbers_of(["45 %", "7%", "0"]), numbers_of(["$1,200", "$980.50"]), numbers_of(["12.5 kg", "9 kg"])
    (([45.0, 7.0, 0.0], '%'), ([1200.0, 980.5], '$'), ([12.5, 9.0], 'kg'))
    >>> numbers_of(["74,646", "1,250,000"]), numbers_of(["12 500", "980"]), numbers_of(["1'250'000"])
    (([74646.0, 1250000.0], ','), ([12500.0, 980.0], ','), ([1250000.0], ','))
    >>> numbers_of(["5 kg", "3 lb"]), numbers_of(["0,512", "1,250"]), numbers_of(["1A", "2A"])
    (None, None, None)
    """
    units, numbers, n_marked = set[str](), [], 0
    for text in texts:
        match = _MEASURE.fullmatch(_GAP.sub(",", text))
        if match is None:
            return None
        amount, unit = match["amount"], match["before"] or match["after"] or match["word"] or ""
        if "," in amount and not _THOUSANDS.fullmatch(amount):
            return None
        if match["before"] and (match["after"] or match["word"]):
            return None
        n_marked += bool(unit) or "," in amount
        units |= {unit.replace(" ", "")} - {""}
        sign = -1.0 if "-" in match["sign"] + match["sign2"] else 1.0
        numbers.append(sign * float(amount.replace(",", "")))
    if not texts or len(units) > 1 or 2 * n_marked < len(texts):
        return None
    return numbers, next(iter(units), ",")
