"""``ffbm links``: the pairs of vertices without an edge that are most likely to have one."""

from typing import Annotated

import typer

from ffbm.cli.options import Json, Run
from ffbm.cli.screen import align, print_json, print_text
from ffbm.typeset import number

Top = Annotated[int, typer.Option(metavar="N", help="How many pairs.")]
Out = Annotated[str | None, typer.Option(metavar="FILE", help="Write the table as CSV here.")]


def links(run: Run, top: Top = 20, out: Out = None, as_json: Json = False) -> None:
    """List the pairs of vertices without an edge that are most likely to have one, by the blocks of a saved run.

    Probabilities are calibrated on the network's own pairs, each held out by itself. Blocks alone decide: what else
    makes edges, such as common neighbours, plays no part.

    Example: ffbm links runs/first --top 100 --out links.csv
    """
    from ffbm.results.run_reader import load_plain

    table = load_plain(run, "ffbm links").missing_links(top)
    if out is not None:
        table.to_csv(out, index=False)
    rows = table.to_dict("records")
    if as_json:
        print_json({"links": rows})
        return
    cells = [
        [
            str(row["source"]),
            str(row["target"]),
            number(row["probability"], 3),
            f"{row['source_block']}, {row['target_block']}",
        ]
        for row in rows
    ]
    head = ["source", "target", "probability", "blocks"]
    print_text(align([head, *cells], right=[2]) if cells else "Every pair of vertices has an edge: no link is missing.")
    if out is not None:
        print_text(f"wrote {out}")
