"""Plain text in lines of one width: paragraphs and tables."""

import re
import textwrap
from collections.abc import Sequence
from math import isnan

from ffbm.plain import visible

WIDTH = 80
_WORD = re.compile(r"[ ;,=_/-](?=[^ ;,=_/-])")  # what a word may begin after
_LEAST = 20  # columns for the cells that give way, however narrow the rest leaves them


def wrap(text: str, first: str = "", rest: str = "", width: int = WIDTH) -> str:
    """Wrap a text to the width, visible characters only."""
    return textwrap.fill(
        visible(text),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )


def at_most(text: str, n_lines: int, width: int = WIDTH) -> str:
    """Cut a wrapped text to so many lines, the last of which says where all of it is.

    It ends with a clause where one ends in the last line, not at its very beginning, so that no half of a clause is
    read as the whole: "age matters, and sex is not decided" is never cut to "age matters, and sex is not".

    >>> print(at_most(wrap("one two three four five six seven eight", width=22), 1, width=22))
    one ... (--verbose)
    >>> print(at_most(wrap("age matters, and the sex is not decided", width=34), 1, width=34))
    age matters ... (--verbose)
    """
    lines = text.split("\n")
    if len(lines) <= n_lines:
        return text
    mark, last = " ... (--verbose)", lines[n_lines - 1]
    space = width - len(mark)
    if len(last) > space:
        last = last[: last.rfind(" ", 0, space + 1)] if " " in last[:space].strip() else last[:space]
    ends = [end for end in (last.rfind(mark) for mark in (". ", "; ", ": ", ", ")) if 5 * end > len(last)]
    last = last[: max(ends)] if ends else last
    return "\n".join([*lines[: n_lines - 1], last.rstrip(",;:.") + mark])


def tabulate(
    rows: Sequence[Sequence[str]], right: Sequence[int], gives: int = 0, *, indent: int = 2, width: int = WIDTH
) -> str:
    """Line up cells in columns within the width; the column ``gives`` is cut if it must be.

    >>> print(tabulate([["a", "1"], ["bcd", "20"]], right=[1], indent=0))
    a     1
    bcd  20
    """
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    spare = width - indent - 2 * (len(widths) - 1) - (sum(widths) - widths[gives])
    widths[gives] = min(widths[gives], max(spare, _LEAST))
    lines = []
    for row in cells:
        parts = [
            cut(cell, space) if number == gives else cell
            for number, (cell, space) in enumerate(zip(row, widths, strict=True))
        ]
        padded = [c.rjust(w) if p in right else c.ljust(w) for p, (c, w) in enumerate(zip(parts, widths, strict=True))]
        lines.append((" " * indent + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def cut(text: str, width: int) -> str:
    """Cut the middle out of a text: features of one column differ at their ends. Its end begins with a word, if it can.

    >>> cut("education;school;id;anonymized feature 52", 22), cut("a" * 30, 9)
    ('education;school;...52', 'aaa...aaa')
    """
    if len(text) <= width:
        return text
    tail = (width - 3) // 2
    words = _WORD.search(text, len(text) - tail - 1, len(text))
    end = text[words.end() :] if words else text[len(text) - tail :]
    return f"{text[: width - 3 - len(end)]}...{end}"


def sentence(text: str) -> str:
    """Make a sentence of a phrase."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def number(value: float, digits: int) -> str:
    """Write a number with so many digits, a dash for NaN."""
    return "-" if isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"  # no "-0.00"
