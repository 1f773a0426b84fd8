"""``ffbm test``: is an attribute related to the edges at all? Permutation tests, without blocks."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffbm.cli import options
from ffbm.cli.announcements import Quiet, announcing
from ffbm.cli.screen import align, print_json, print_text, wrap
from ffbm.plain import count_of
from ffbm.typeset import number

if TYPE_CHECKING:
    from ffbm.types import Network

_N_SHOWN = 20
_N_QUIET = 3  # columns without a sign of anything that have a sentence each
_LEVEL = 0.05  # of the false discovery rate, for the words
_LEGEND = (
    "whom: who is linked with whom; many: how many links vertices have; q: p adjusted for the number of columns; saved:"
    " nats, on average over permutations; matched: p whom among vertices of like degree; gamma: 0 as good as the best"
    " partition, 1 chance"
)

Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="The columns to test [default: all]. Repeatable."),
]
Permutations = Annotated[int, typer.Option(metavar="N", help="Permutations of each column.")]
Within = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Permute among vertices with the same value of this column alone."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed, the same answer.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Threads [default: one per core].")]
NoGamma = Annotated[
    bool, typer.Option("--no-gamma", help="Leave out gamma, and with it the search for the best partition.")
]


@options.reads_unweighted
def test(
    source: options.Source,
    nodes: options.Nodes = None,
    columns: Columns = None,
    permutations: Permutations = 1000,
    within: Within = None,
    seed: Seed = 0,
    workers: Workers = None,
    no_gamma: NoGamma = False,
    reading: options.Reading = None,
    as_json: options.Json = False,
    quiet: Quiet = False,
) -> None:
    """Test whether each attribute is related to the edges at all, without blocks.

    The values of each column are permuted over the vertices. Who is linked with whom, and how many links vertices
    have, are tested apart. No blocks are inferred but for gamma: 0 if the column describes the network as well as the
    best partition, 1 if no better than chance.

    Example: ffbm test edges.csv --nodes people.csv --within year
    """
    from ffbm.pipeline.permutation import permutation_test

    network = options.open_network(source, nodes=nodes, **reading)
    with announcing(quiet) as progress:
        named, blocks = _split(columns, network), None if no_gamma else "auto"
        table = permutation_test(network, named, permutations, within, seed, workers, blocks=blocks, progress=progress)
    settings = {str(name): value for name, value in table.attrs.items()}
    table = table.sort_values(["p_adjacency", "adjacency_saved"], ascending=[True, False])
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    for row in rows:
        row["sentence"] = _sentence(row, within)
    if as_json:
        notes = [note.to_dict() for note in network.notes]
        print_json({"source": source, **settings, "columns": rows, "notes": notes})
    else:
        _print_table(source, rows, settings)


def _split(columns: list[str] | None, network: "Network") -> list[str] | None:
    """Return the columns named; a comma stands between two, unless it is part of a name."""
    if not columns:
        return None
    known = network.features.column_names
    return [name.strip() for text in columns for name in ([text] if text in known else text.split(","))]


def _print_table(source: str, rows: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    where = f" inside the values of {settings['within']}" if settings["within"] is not None else ""
    count = count_of(settings["n_permutations"], "permutation")
    print_text(wrap(f"{source}: {count} of each column{where}, seed {settings['seed']}", rest="  "))
    digits = max(3, len(str(settings["n_permutations"])) - 1)  # those that so many permutations can tell apart
    shown = (
        ("p whom", "p_adjacency", digits), ("q", "q_adjacency", digits), ("saved", "adjacency_saved", 1),
        ("matched", "p_adjacency_matched", digits), ("p many", "p_degrees", digits), ("saved", "degrees_saved", 1),
        ("gamma", "gamma", 3),
    )  # fmt: skip
    cells = [["column", *(head for head, _, _ in shown)]]
    cells += [[row["column"], *(number(row[name], places) for _, name, places in shown)] for row in rows[:_N_SHOWN]]
    print_text("\n" + align(cells, right=range(1, len(shown) + 1)))
    if len(rows) > _N_SHOWN:
        print_text(f"  ... and {count_of(len(rows) - _N_SHOWN, 'more column')} (--json shows all)")
    print_text("\n" + wrap(_LEGEND, rest="  ") + "\n")
    for text in _sentences(rows[:_N_SHOWN]):
        print_text(wrap(text, first="  - ", rest="    "))


def _sentences(rows: list[dict[str, Any]]) -> list[str]:
    """Return a sentence for each column, or one for all columns without a sign of anything if they are many."""
    quiet = [row["column"] for row in rows if row["p_adjacency"] > _LEVEL and row["p_degrees"] > _LEVEL]
    if len(quiet) <= _N_QUIET:
        return [row["sentence"] for row in rows]
    rest = f"{', '.join(quiet)}: no sign of a relation to the edges, nor that degrees differ"
    return [*(row["sentence"] for row in rows if row["column"] not in quiet), rest]


def _sentence(row: dict[str, Any], within: str | None) -> str:
    """Say of one column what its tests say."""
    column = f"{row['column']} ({_reading(row)})"
    if not row["n_permuted"]:
        alike = "all vertices with a value have the same" if within is None else f"it does not vary inside {within}"
        return f"{column}: not tested: {alike}"
    adjacency = _verdict(row, "adjacency", "related to the edges", "no sign of a relation to the edges")
    matched = row["p_adjacency_matched"]
    if (row["q_adjacency"] <= _LEVEL) != (matched <= _LEVEL) and row["p_degrees"] <= _LEVEL:
        adjacency += f", but p = {matched:.2g} among vertices of like degree, which says more here: degrees differ"
    many = _verdict(row, "degrees", "degrees differ between its values", "no sign that degrees differ")
    return f"{column}: who with whom: {adjacency}; how many: {many}"


def _reading(row: dict[str, Any]) -> str:
    if row["read_as"] == "flag":
        return "a flag"
    cut = f", cut at its {row['read_as']}" if row["read_as"].startswith("quartiles") else ""
    return f"{count_of(row['n_values'], 'value')}{cut}"


def _verdict(row: dict[str, Any], part: str, relation: str, nothing: str) -> str:
    p, q = row[f"p_{part}"], row[f"q_{part}"]
    if q <= _LEVEL:
        return f"{relation} (p = {p:.2g}, q = {q:.2g}; {row[f'{part}_saved']:.1f} nats saved)"
    if p <= _LEVEL:
        return f"{nothing} beyond what so many columns show by chance (p = {p:.2g}, q = {q:.2g})"
    return f"{nothing} (p = {p:.2g})"
