"""``ffbm check``: what the model misses, by replicates of the network."""

from typing import Annotated

import typer

from ffbm.cli.options import Json
from ffbm.cli.screen import align, print_json, print_text, wrap
from ffbm.typeset import number

Run = Annotated[str, typer.Argument(metavar="RUN", help="The folder that ffbm fit --out wrote.")]
Replicates = Annotated[int, typer.Option(metavar="N", help="How many networks are drawn from the fit.")]
Seed = Annotated[int, typer.Option(metavar="N", help="The same seed, the same answer.")]


def check(run: Run, replicates: Replicates = 200, seed: Seed = 0, as_json: Json = False) -> None:
    """Compare a network with replicates drawn from its fit: what do blocks and degrees not explain?

    A replicate keeps the blocks, the edges between them and the degrees, and is random otherwise. Triangles,
    clustering, degree assortativity, distances, parallel edges and the largest component are compared.

    Example: ffbm check runs/first
    """
    from ffbm.results.loading import load_plain

    found = load_plain(run, "ffbm check").check(replicates, seed)
    rows = found.table.to_dict("records")
    if as_json:
        print_json({"n_replicates": len(found.replicates), "seed": seed, "statistics": rows})
        return
    cells = [["statistic", "network", "replicates", "95 %", "p"]]
    for row in rows:
        wide = f"{row['low']:.4g} to {row['high']:.4g}"
        cells.append([row["statistic"], f"{row['observed']:.4g}", f"{row['mean']:.4g}", wide, number(row["p"], 3)])
    print_text(align(cells, right=[1, 2, 3, 4]) + "\n")
    for sentence in found.sentences:
        print_text(wrap(sentence, first="  - ", rest="    "))
