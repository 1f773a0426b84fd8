"""What appears on standard output and standard error."""

import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from ffbm import typeset
from ffbm.plain import finite, visible


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


def align(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: int = 2) -> str:
    """Line up cells in columns, numbers to the right; the first column gives way on a narrow terminal."""
    return typeset.tabulate(rows, right, indent=indent, width=shutil.get_terminal_size().columns)


def wrap(text: str, *, first: str = "", rest: str = "") -> str:
    """Break text into lines as wide as the terminal."""
    return typeset.wrap(text, first, rest, max(shutil.get_terminal_size().columns, 40))
