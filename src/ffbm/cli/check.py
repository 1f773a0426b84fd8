"""``ffbm check``: what the model misses, by replicates of the network."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffbm.cli.announcements import Quiet, announcing
from ffbm.cli.options import Json, Run
from ffbm.cli.screen import align, print_json, print_text, wrap
from ffbm.typeset import number

if TYPE_CHECKING:
    import pandas as pd

Replicates = Annotated[int, typer.Option(metavar="N", help="How many networks are drawn from the fit.")]
Seed = Annotated[int, typer.Option(metavar="N", help="The same seed, the same answer.")]
Columns = Annotated[bool, typer.Option("--columns", help="Also: does a column act inside blocks? Takes minutes.")]
Column = Annotated[list[str] | None, typer.Option(metavar="NAME", help="As --columns, of this column. Repeatable.")]
Refits = Annotated[int, typer.Option(metavar="N", help="How many networks are simulated and refitted for columns.")]
Pairs = Annotated[int, typer.Option(metavar="N", help="How many pairs of columns are tested; 0 for none.")]
Pair = Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help="Test this pair of columns alone.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Threads for the refits [default: one per core].")]


def check(
    run: Run,
    replicates: Replicates = 200,
    columns: Columns = False,
    column: Column = None,
    refits: Refits = 199,
    workers: Workers = None,
    pairs: Pairs = 10,
    pair: Pair = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare a network with replicates drawn from its fit: what do blocks and degrees not explain?

    A replicate keeps the blocks, the edges between them and the degrees, and is random otherwise. Triangles,
    clustering, degree assortativity, distances, parallel edges and the largest component are compared. With --columns
    also the edges between vertices of equal value inside blocks, with networks whose blocks were inferred again.
    Of the features: are held-out vertices in a block as often as predicted, and which pairs of columns act together?

    Example: ffbm check runs/first --columns
    """
    from ffbm.results.run_reader import load_plain

    with announcing(quiet) as progress:
        fit = load_plain(run, "ffbm check")
        result = fit.check(replicates, seed, column or columns, refits, workers, progress, [pair] if pair else pairs)
    rows = result.table.to_dict("records")
    inside = [] if result.columns is None else result.columns.to_dict("records")
    if as_json:
        record = {"n_replicates": len(result.replicates), "seed": seed, "statistics": rows}
        of_features = {"calibration": result.calibration, "pairs": result.pairs}
        record |= {name: _record(table) for name, table in of_features.items() if table is not None}
        print_json(record if result.refits is None else record | {"n_refits": len(result.refits), "columns": inside})
        return
    cells = [["statistic", "network", "replicates", "95 %", "p"]]
    for row in rows:
        wide = f"{row['low']:.4g} to {row['high']:.4g}"
        cells.append([row["statistic"], f"{row['observed']:.4g}", f"{row['mean']:.4g}", wide, number(row["p"], 3)])
    print_text(align(cells, right=[1, 2, 3, 4]) + "\n")
    if inside:
        cells = [["column", "excess", "refitted", "95 %", "p", "all columns", "like degree"]]
        for row in inside:
            wide = f"{row['low']:.2f} to {row['high']:.2f}"
            p_values = [number(row[name], 3) for name in ("p", "p_any", "p_matched")]
            cells.append([row["column"], f"{row['excess']:.2f}", f"{row['mean']:.2f}", wide, *p_values])
        print_text(align(cells, right=range(1, 7)) + "\n")
    if result.pairs is not None:
        cells = [["column", "with", "cells", "freedom", "p", "q"]]
        for row in result.pairs.to_dict("records"):
            p_values = [number(row[name], 3) for name in ("p", "q")]
            cells.append([row["column"], row["with_column"], f"{row['n_cells']}", f"{row['freedom']:.1f}", *p_values])
        print_text(align(cells, right=range(2, 6)) + "\n")
    for sentence in result.sentences:
        print_text(wrap(sentence, first="  - ", rest="    "))


def _record(table: "pd.DataFrame") -> dict[str, Any]:
    """Return a table as plain values, with what was worked out beside it."""
    return {str(name): value for name, value in table.attrs.items()} | {"rows": table.to_dict("records")}
