"""Plain text in lines of one width: paragraphs, tables, counts."""

import textwrap
from collections.abc import Sequence

import numpy as np

WIDTH = 80


def wrap(text: str, first: str = "", rest: str = "") -> str:
    """Wrap a text to the width, visible characters only."""
    return textwrap.fill(visible(text), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def tabulate(rows: Sequence[Sequence[str]], right: Sequence[int], gives: int) -> str:
    """Line up cells in columns within the width; the column ``gives`` is cut if it must be."""
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    widths[gives] = min(widths[gives], WIDTH - 2 - 2 * (len(widths) - 1) - (sum(widths) - widths[gives]))
    lines = []
    for row in cells:
        parts = [
            cut(cell, width) if place == gives else cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        padded = [c.rjust(w) if p in right else c.ljust(w) for p, (c, w) in enumerate(zip(parts, widths, strict=True))]
        lines.append(("  " + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def cut(text: str, width: int) -> str:
    """Cut the middle out of a text: features of one column differ at their ends."""
    if len(text) <= width:
        return text
    tail = (width - 3) // 2
    return f"{text[: width - 3 - tail]}...{text[len(text) - tail :]}"


def sentence(text: str) -> str:
    """Make a sentence of a phrase."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def number(value: float, digits: int) -> str:
    """Write a number with so many digits, a dash for NaN."""
    return "-" if np.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"  # no "-0.00"


def visible(text: str) -> str:
    """Replace characters that do not print by their escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
