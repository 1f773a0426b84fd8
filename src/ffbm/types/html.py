"""Small tables in HTML: what notebooks show of networks, rankings, scores and fits."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ffbm.plain import visible

_MOST_NOTES = 6
_LEFT, _RIGHT = "text-align:left", "text-align:right"


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", right: Iterable[int] = ()) -> str:
    """Return a table with a caption above it; the columns numbered in ``right`` are set to the right.

    >>> table_html(["block", "vertices"], [["0", "44"]], right=[1])
    '<table><thead><tr><th style="text-align:left">block</th><th style="text-align:right">vertices</th></tr></thead>\
<tbody><tr><td style="text-align:left">0</td><td style="text-align:right">44</td></tr></tbody></table>'
    """
    style = [_RIGHT if column in set(right) else _LEFT for column in range(len(head))]
    title = f'<caption style="{_LEFT};font-weight:bold">{text_html(caption)}</caption>' if caption else ""
    names = "".join(f'<th style="{s}">{text_html(cell)}</th>' for s, cell in zip(style, head, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{s}">{text_html(cell)}</td>' for s, cell in zip(style, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table>{title}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def notes_html(notes: Sequence[Any]) -> str:
    """Return the messages of notes as a list, "" if there are none; those beyond the first six are counted."""
    more = [f"... and {len(notes) - _MOST_NOTES:,} more"] if len(notes) > _MOST_NOTES else []
    items = "".join(f"<li>{text_html(text)}</li>" for text in [*(n.message for n in notes[:_MOST_NOTES]), *more])
    return f"<ul>{items}</ul>" if items else ""


def text_html(text: str) -> str:
    """Return a text with all that HTML would read, and with what cannot be seen written out."""
    return escape(visible(text))
