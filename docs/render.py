"""Fill the numbers of a page from a record, so that none is typed by hand: ``python docs/render.py``.

A page ``NAME.md.in`` beside this file becomes ``NAME.md``. Its record is ``figures/NAME/results.json``; that of
``benchmarks.md.in``, ``checks.md.in``, ``cluster.md.in``, ``columns.md.in``, ``evidence.md.in``, ``missing.md.in``,
``permutation.md.in``, ``ranking.md.in``, ``relevance.md.in``, ``reliability.md.in`` and ``scale.md.in`` is all of
``benchmarks/results``, each file under its name. Between double braces stand

- a path below ``datasets`` in the record and a format: ``{{ school.limit.loss_train.mean | .3f }}``;
- ``{{ table }}`` or ``{{ table: loss_train loss_test }}``, the table, whole or some of its figures;
- ``{{ legend }}``, what its rows and columns are; ``{{ reasons: school }}``, why its columns differ;
- ``{{ record: runs }}``, an entry at the top of the record;
- ``{{ checks }}``, ``{{ newer }}``, ``{{ ranks }}`` or ``{{ catches }}``, the tables of a verification, and
  ``{{ verified: versions.numba }}``, an entry of its record;
- ``{{ value: blocks.memory.n_edges | , }}``, a path from the top of the record and a format;
- ``{{ rows: blocks.visits; network = graph; ns = ffbm_ns | .0f }}``, a table with a row for each entry of a list and a
  column for each ``head = path | format``; a ``*`` in the path goes through all entries, and ``@0`` is the name of the
  entry at the first of them;
- ``{{ measured: blocks }}``, when a benchmark ran, with which versions, and whether ffbm's is an earlier one.

The last three say so where a benchmark has no record yet.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ffbm import __version__
from ffbm.reproduction.table import markdown_legend, markdown_reasons, markdown_table
from ffbm.verification.page import markdown_catches, markdown_checks, markdown_newer, markdown_ranks

_OF_CHECKS = {
    "checks": markdown_checks,
    "newer": markdown_newer,
    "ranks": markdown_ranks,
    "catches": markdown_catches,
}
_OF_BENCHMARKS = tuple(
    f"{name}.md.in"
    for name in (
        "benchmarks",
        "checks",
        "cluster",
        "columns",
        "evidence",
        "missing",
        "permutation",
        "ranking",
        "relevance",
        "reliability",
        "scale",
    )
)
HERE = Path(__file__).parent
BENCHMARKS = HERE.parent / "benchmarks" / "results"
HOLE = re.compile(r"\{\{\s*(.+?)\s*\}\}", re.DOTALL)
NOTE = "<!-- made by docs/render.py from {}: change that file, or the record, and run it again -->\n"
NONE = "–"
AGAIN = re.compile(r"(\*Not measured yet: [^\n]+\*)(?:\n\n\1)+")  # said once is enough


def render(template: str, record: Mapping[str, Any]) -> str:
    """Return a template with every hole filled from a record."""
    page = HOLE.sub(lambda found: _fill(found[1], record), template)
    return AGAIN.sub(r"\1", page)


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
        return str(_at(record, rest))
    if word == "record":
        return str(record[rest])
    if word in ("value", "rows", "measured"):
        return _of_benchmark(word, rest, record)
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


def _of_benchmark(word: str, rest: str, record: Mapping[str, Any]) -> str:
    name = re.split(r"[.;|]", rest)[0].strip()
    if name not in record:
        return NONE if word == "value" else f"*Not measured yet: `python benchmarks/{name}.py` makes the record.*"
    if word == "value":
        path, _, form = (part.strip() for part in rest.partition("|"))
        return _cell(_at(record, path), form)
    if word == "rows":
        return markdown_rows(record, rest)
    measured = record[name]
    versions = {"Python": measured.get("python", measured["versions"].get("python")), **measured["versions"]}
    versions |= {"graph-tool": measured["graph_tool"]} if measured.get("graph_tool") else {}
    versions_in_words = ", ".join(f"{package} {number}" for package, number in versions.items() if package != "python")
    return f"*Measured on {measured['date'][:10]} with {versions_in_words}{_if_earlier(measured['versions']['ffbm'])}.*"


def _if_earlier(version: str) -> str:
    """Say that a record is of an earlier version of the package than this one."""
    was, now = (tuple(map(int, re.findall(r"\d+", number.partition(".dev")[0]))) for number in (version, __version__))
    return f"; not measured again in version {__version__}" if was < now else ""


def markdown_rows(record: Mapping[str, Any], asked: str) -> str:
    """Return a table with a row for each entry that a path leads to."""
    path, *columns = (part.strip() for part in asked.split(";"))
    heads, paths, forms = zip(*(_column(column) for column in columns), strict=True)
    found = list(_entries(record, path.split("."), ()))
    values = [[_look(entry, names, at) for at in paths] for names, entry in found]
    for at, row in enumerate(zip(*values, strict=True)):
        if all(value is KeyError for value in row):
            raise KeyError(f"{paths[at]} is in no entry of {path}")
    cells = [[_cell(value, form) for value, form in zip(row, forms, strict=True)] for row in values]
    is_number = [any(row[at][:1].isdigit() for row in cells) for at in range(len(heads))]
    lines = [heads, ["---:" if number else "---" for number in is_number], *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _column(asked: str) -> tuple[str, str, str]:
    head, _, rest = (part.strip() for part in asked.partition("="))
    path, _, form = (part.strip() for part in rest.partition("|"))
    return head, path, form


def _entries(held: Any, steps: list[str], names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield what a path leads to, with the names that it passed at each ``*``; what is not there is left out."""
    if not steps:
        for entry in held if isinstance(held, list) else [held]:
            yield names, entry
    elif steps[0] == "*":
        for name, entry in held.items():
            yield from _entries(entry, steps[1:], (*names, name))
    elif steps[0] in held:
        yield from _entries(held[steps[0]], steps[1:], names)


def _look(entry: Any, names: tuple[str, ...], path: str) -> Any:
    """Return an entry of a row, KeyError itself where the row has none."""
    if path.startswith("@"):
        return names[int(path[1:])].replace("_", " ")
    try:
        return _at(entry, path)
    except KeyError:
        return KeyError


def _at(held: Any, path: str) -> Any:
    for step in path.split("."):
        is_list = isinstance(held, list)
        held = min(held, default=None) if is_list and step == "min" else held[int(step) if is_list else step]
    return held


def _cell(value: Any, form: str) -> str:
    if value is None or value is KeyError:
        return NONE
    if isinstance(value, list):
        return ", ".join(format(part, form) for part in value)
    return format(value, form).replace("|", "\\|")


def render_page(source: Path) -> str:
    """Return the page of a template file, with a note on where it comes from."""
    return NOTE.format(source.name) + render(source.read_text(encoding="utf-8"), read_record(source))


def read_record(source: Path) -> dict[str, Any]:
    """Return the record of a template file."""
    if source.name in _OF_BENCHMARKS:
        return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(BENCHMARKS.glob("*.json"))}
    return dict(json.loads(_record(source).read_text(encoding="utf-8")))


def _record(source: Path) -> Path:
    return HERE / "figures" / source.name.removesuffix(".md.in") / "results.json"


if __name__ == "__main__":
    for source in sorted(HERE.glob("*.md.in")):
        if source.name not in _OF_BENCHMARKS and not _record(source).is_file():
            sys.stdout.write(f"{source.name}: no {_record(source).relative_to(HERE)}, left out\n")
            continue
        page = source.with_name(source.name.removesuffix(".in"))
        page.write_text(render_page(source), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{page.name}\n")
