"""Fill the numbers of a page from a record, so that none is typed by hand: ``python docs/render.py``.

A page ``NAME.md.in`` beside this file becomes ``NAME.md``. Between double braces stand

- a path below ``datasets`` in ``figures/NAME/results.json`` and a format: ``{{ school.limit.loss_train.mean | .3f }}``;
- ``{{ table }}`` or ``{{ table: loss_train loss_test }}``, the table, whole or some of its figures;
- ``{{ legend }}``, what its rows and columns are; ``{{ reasons: school }}``, why its columns differ;
- ``{{ record: runs }}``, an entry at the top of the record;
- ``{{ checks }}``, ``{{ ranks }}`` or ``{{ catches }}``, the tables of a verification, and
  ``{{ verified: versions.numba }}``, an entry of its record.
"""

import json
import re
import sys
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from ffbm.reproduction.table import markdown_legend, markdown_reasons, markdown_table
from ffbm.verification.page import markdown_catches, markdown_checks, markdown_ranks

_OF_CHECKS = {"checks": markdown_checks, "ranks": markdown_ranks, "catches": markdown_catches}
HERE = Path(__file__).parent
HOLE = re.compile(r"\{\{ *(.+?) *\}\}")
NOTE = "<!-- made by docs/render.py from {}: change that file, or the record, and run it again -->\n"


def render(template: str, record: Mapping[str, Any]) -> str:
    """Return a template with every hole filled from a record."""
    return HOLE.sub(lambda found: _fill(found[1], record), template)


def _fill(asked: str, record: Mapping[str, Any]) -> str:
    word, _, rest = (part.strip() for part in asked.partition(":"))
    if word == "table":
        return markdown_table(record, tuple(rest.split()) or None)
    if word == "legend":
        return markdown_legend(record)
    if word == "reasons":
        return markdown_reasons(record, rest)
    if word in _OF_CHECKS:
        return _OF_CHECKS[word](record)
    if word == "verified":
        return str(reduce(lambda held, step: held[step], rest.split("."), record))
    if word == "record":
        return str(record[rest])
    path, _, form = (part.strip() for part in asked.partition("|"))
    value: Any = record["datasets"]
    for step in path.split("."):
        value = (
            len(value)
            if step == "length"
            else value["columns"][step]
            if step in value.get("columns", ())
            else value[step]
        )
    return format(value, form)


def render_page(source: Path) -> str:
    """Return the page of a template file, with a note on where it comes from."""
    record = json.loads(_record(source).read_text(encoding="utf-8"))
    return NOTE.format(source.name) + render(source.read_text(encoding="utf-8"), record)


def _record(source: Path) -> Path:
    return HERE / "figures" / source.name.removesuffix(".md.in") / "results.json"


if __name__ == "__main__":
    for source in sorted(HERE.glob("*.md.in")):
        if not _record(source).is_file():
            sys.stdout.write(f"{source.name}: no {_record(source).relative_to(HERE)}, left out\n")
            continue
        page = source.with_name(source.name.removesuffix(".in"))
        page.write_text(render_page(source), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{page.name}\n")
