"""What appears on standard output and standard error."""

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from ffbm.plain import finite


def print_text(text: str) -> None:
    """Print text for people."""
    sys.stdout.write(f"{text}\n")


def print_error(text: str) -> None:
    """Print one line on standard error."""
    sys.stderr.write(f"ffbm: {one_line(text)}\n")


def print_json(value: Any) -> None:
    """Print one strict JSON object; what is not a finite number is null."""
    sys.stdout.write(json.dumps(finite(value), allow_nan=False) + "\n")


def one_line(text: str) -> str:
    r"""Put text on one line without control characters.

    >>> one_line("first\nsecond")
    'first second'
    """
    return visible(" ".join(text.splitlines()))


def visible(text: str) -> str:
    """Replace characters that cannot be seen, such as those that steer a terminal, by their codes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def align(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: int = 2) -> str:
    """Line up cells in columns, numbers to the right; the first column gives way on a narrow terminal.

    >>> print(align([["a", "1"], ["bcd", "20"]], right=[1], indent=0))
    a     1
    bcd  20
    """
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    spare = shutil.get_terminal_size().columns - indent - sum(widths[1:]) - 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(spare, 20))
    lines = []
    for row in cells:
        first = row[0] if len(row[0]) <= widths[0] else f"{row[0][: widths[0] - 3]}..."
        parts = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip([first, *row[1:]], widths, strict=True))
        ]
        lines.append(" " * indent + "  ".join(parts).rstrip())
    return "\n".join(lines)


def wrap(text: str, *, first: str = "", rest: str = "") -> str:
    """Break text into lines as wide as the terminal."""
    return textwrap.fill(
        visible(text),
        width=max(shutil.get_terminal_size().columns, 40),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
