"""``ffbm describe``: what would be read, encoded and left out, and about how long a fit takes."""

from typing import Annotated, Any

import typer

from ffbm.cli import options
from ffbm.cli.description import describe_network, estimate_fit
from ffbm.cli.screen import align, print_json, print_text, wrap
from ffbm.plain import count_of, in_words, visible

_N_SHOWN = 20

Blocks = Annotated[
    int | None, typer.Option(metavar="N", help="Estimate the time of a fit with this many [default: any number].")
]


@options.reads_network
def describe(
    source: options.Source,
    reading: options.Reading = None,
    blocks: Blocks = None,
    as_json: options.Json = False,
) -> None:
    """Show what would be read, encoded and left out, and about how long a fit takes.

    The network, how each column is read, the features it becomes, and what is left out and why.

    Example: ffbm describe edges.csv --nodes people.csv --exclude name
    """
    network = options.open_network(source, **reading)
    described = describe_network(network) | {"source": source, "fit": estimate_fit(network, blocks)}
    if as_json:
        print_json(described)
    else:
        _print_description(described, is_given=blocks is not None)


def _print_description(it: dict[str, Any], *, is_given: bool) -> None:
    degree = "-" if it["mean_degree"] is None else f"{it['mean_degree']:.2f}"
    kind = "directed" if it["directed"] else "undirected"
    sizes = [
        ["vertices", f"{it['n_nodes']:,}", f"{it['n_isolates']:,} without an edge"],
        [
            "edges",
            f"{it['n_edges']:,}",
            f"{kind}; {count_of(it['n_loops'], 'self-loop')}, {it['n_parallel']:,} parallel",
        ],
        *_weights_row(it["edge_weight"]),
        ["mean degree", degree, "out, and as much in" if it["directed"] else ""],
        ["features", f"{it['n_features']:,}", f"from {count_of(len(it['columns']), 'column')}"],
    ]
    print_text(visible(it["source"]))
    print_text(align(sizes, right=[1]))
    if it["columns"]:
        rows = [[c["name"], _reading(c), _share(c["support"], it["n_nodes"])] for c in it["columns"]]
        _print_section("columns", ["column", "read as", "vertices"], rows)
        rows = [[f["name"], _content(f, it["n_nodes"])] for f in it["features"]]
        _print_section("features", ["feature", "vertices"], rows)
    if it["fit"]:
        print_text("\n" + wrap(_duration(it["fit"], is_given=is_given), rest="  "))
    print_text("\nnotes" if it["notes"] else "\nnothing was left out or changed")
    for note in it["notes"]:
        print_text(wrap(options.in_options(note["message"], options.READING), first="  - ", rest="    "))


def _weights_row(weights: dict[str, Any] | None) -> list[list[str]]:
    if weights is None:
        return []
    prior = "" if weights["prior"] is None else f", prior {weights['prior']}"
    return [["edge weights", "", f"{weights['column']!r}, {weights['model']}: {weights['reason']}{prior}"]]


def _duration(fit: dict[str, Any], *, is_given: bool) -> str:
    cores = count_of(fit["workers"], "core")
    blocks = f" with {count_of(fit['n_blocks'], 'block')}" if is_given else ""
    return (
        f"a fit{blocks} takes {in_words(min(fit['seconds_low'], 60 * fit['max_minutes']))} or more on {cores}: its"
        f" chains run until they have converged. After {fit['max_minutes']:g} minutes (--max-minutes) it is to end,"
        " report included"
    )


def _print_section(title: str, head: list[str], rows: list[list[str]]) -> None:
    print_text("")
    print_text(align([head, *rows[:_N_SHOWN]], right=[len(head) - 1]))
    if len(rows) > _N_SHOWN:
        print_text(f"  ... and {count_of(len(rows) - _N_SHOWN, f'more {title[:-1]}')} (--json shows all)")


def _reading(column: dict[str, Any]) -> str:
    count = column["n_features"]
    if column["read_as"] == "numbers":
        other = f", or {count_of(column['or_values'], 'value')}" if column["or_values"] else ""
        return f"numbers, standardised{other}"
    if column["read_as"] == "values":
        return f"{count_of(count, 'value')}, a flag each"
    return count_of(count, "flag")


def _content(feature: dict[str, Any], n_nodes: int) -> str:
    if feature["kind"] == "number":
        return f"mean {feature['mean']:.4g}, sd {feature['sd']:.4g}"
    return _share(feature["support"], n_nodes)


def _share(count: int | None, n_nodes: int) -> str:
    if count is None:
        return ""
    percent = 100 * count / n_nodes
    return f"{count:,} ({'<1' if 0 < percent < 1 else f'{percent:.0f}'}%)"
