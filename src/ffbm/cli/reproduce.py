"""``ffbm reproduce``: the paper's table, with the exact posterior beside it."""

from typing import TYPE_CHECKING, Annotated

import typer

from ffbm.cli.announcements import Quiet, announcing
from ffbm.cli.completion import REGISTERED, one_of
from ffbm.cli.options import Json
from ffbm.cli.screen import align, print_json, print_text, wrap
from ffbm.errors import OptionError
from ffbm.plain import did_you_mean

if TYPE_CHECKING:
    from ffbm.reproduction import Reproduction

Which = Annotated[
    str,
    typer.Argument(
        metavar="polbooks|school|facebook|all", help="The data set.", autocompletion=one_of(*REGISTERED, "all")
    ),
]
Runs = Annotated[int, typer.Option(metavar="N", help="Runs, each with a seed and split of its own.")]
Out = Annotated[
    str | None, typer.Option(metavar="DIR", help="Write the table, results and figures in this new or empty folder.")
]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Threads [default: one a run, up to the cores].")]
Seed = Annotated[int, typer.Option(metavar="N", help="The same seed, the same table.")]


def reproduce(
    dataset: Which = "all",
    runs: Runs = 10,
    out: Out = None,
    workers: Workers = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make the table of the paper again, with the exact posterior beside it.

    Three columns: what was published, the authors' program run again, and the posterior that the paper describes,
    sampled exactly. Below, why they differ, with the figures of this run.

    Example: ffbm reproduce polbooks --runs 3 --out table
    """
    if dataset not in (names := (*REGISTERED, "all")):
        hint = did_you_mean(dataset, names)
        raise OptionError(f"the data set must be one of {', '.join(names)}; got {dataset!r}{hint and f': {hint}'}")
    from ffbm.reproduction import reproduce as run

    with announcing(quiet) as progress:
        reproduction = run(dataset, runs, seed=seed, workers=workers, out=out, progress=progress)
    if as_json:
        print_json(reproduction.record)
    else:
        print_text(_text(reproduction))
        message = f"saved in {out}" if out else "--out DIR writes the table, results.json and the figures"
        print_text(f"\n{message}")


def _text(reproduction: "Reproduction") -> str:
    """Return the table, and below it the reasons for its differences."""
    table = reproduction.table
    rows = [["", *table.columns]]
    parts = []
    for name, runs in reproduction.datasets.items():
        rows.append([runs.paper.title, "", "", ""])
        rows += [
            [f"  {symbol}", *cells]
            for symbol, cells in zip(table.loc[name].index, table.loc[name].to_numpy(), strict=True)
        ]
    parts.append(align(rows, right=[1, 2, 3], indent=0))
    over = f"mean ± sd over {reproduction.runs} runs" if reproduction.runs > 1 else "one run"
    parts.append(
        wrap(
            f"{over}, seed {reproduction.seed}; S: nats per vertex and edge, without N ln B; L0, L1: loss on training"
            " and held-out vertices; ': of the kept features; R-hat and ESS: the worst over weights and runs, of a"
            " single chain between its halves",
            first="(",
            rest=" ",
        )
        + ")"
    )
    for name, runs in reproduction.datasets.items():
        reasons = [reason for reason in reproduction.differences if reason["dataset"] == name]
        lines = [wrap(reason["text"], first="  - ", rest="    ") for reason in reasons]
        parts.append("\n".join([f"{runs.paper.title}: why the columns differ", *lines]))
    unmet = [bound for bound in reproduction.bounds if not bound["met"]]
    parts.append(f"{len(reproduction.bounds) - len(unmet)} of {len(reproduction.bounds)} bounds met")
    for bound in unmet:
        low, high, came = (_bound(bound[name]) for name in ("low", "high", "found"))
        which = f"{bound['dataset']}, {bound['column']}, {bound['figure']}"
        parts.append(wrap(f"not met: {which} must lie from {low} to {high}; got {came}", first="  ", rest="    "))
    for name, how in reproduction.missing.items():
        parts.append(wrap(f"{name} is left out: {how}", rest="  "))
    return "\n\n".join(parts)


def _bound(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
