"""``ffbm verify``: does every sampler sample what it says, on this machine?"""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ffbm.cli.announcements import Quiet, announcing
from ffbm.cli.options import Json
from ffbm.cli.screen import align, print_json, print_text

if TYPE_CHECKING:
    from ffbm.verification import Verification

FAILED = 1

Full = Annotated[bool, typer.Option("--full", help="Longer chains, more cases, 500 networks of each size.")]
Seed = Annotated[int, typer.Option(metavar="N", help="The same seed, the same figures.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Threads [default: one per core].")]
Out = Annotated[
    str | None, typer.Option(metavar="DIR", help="A new or empty folder for results.json and the rank histograms.")
]


def verify(
    full: Full = False,
    seed: Seed = 0,
    workers: Workers = None,
    out: Out = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Check that every sampler samples what it says and every figure is counted right.

    Prints a table of checks, each with its figure, its bound and a verdict. Exit code 1 if one fails. Takes about a
    minute; with --full half an hour of processor time.

    Example: ffbm verify --full --out checks
    """
    from ffbm.store.folder import check_new_folder
    from ffbm.verification import verify as run_checks

    if out is not None:
        check_new_folder(out, "--out")
    with announcing(quiet) as progress:
        verification = run_checks(full, seed=seed, workers=workers, progress=progress)
    if out is not None:
        verification.save(out)
    if as_json:
        print_json(verification.record())
    else:
        _print_verdicts(verification)
    return 0 if verification.passed else FAILED


def _print_verdicts(verification: "Verification") -> None:
    rows = [["check", "figure", "", "bound", "verdict"]]
    for outcome in verification.checks:
        sign = ">=" if outcome.finding.at_least else "<="
        verdict = "pass" if outcome.passed else "FAIL"
        rows.append([outcome.name, f"{outcome.figure:.2g}", sign, f"{outcome.bound:.2g}", verdict])
    print_text(align(rows, right=[1, 3], indent=0))
    if verification.full:
        _print_ranks(verification)
    for outcome in verification.checks:
        if outcome.finding.doubt:
            print_text(f"\n{outcome.name}: {outcome.finding.doubt}")
    n_checks = len(verification.checks)
    message = (
        f"all {n_checks} checks passed"
        if verification.passed
        else f"{len(verification.failed)} of {n_checks} checks FAILED"
    )
    print_text(f"\n{message} in {verification.seconds:.0f} s")


def _print_ranks(verification: "Verification") -> None:
    from ffbm.verification.outcome import BARS, PLAIN_BARS

    try:
        BARS.encode(sys.stdout.encoding or "ascii")
        signs = BARS
    except (LookupError, UnicodeEncodeError):
        signs = PLAIN_BARS
    rows = [["ranks of the truth among the draws", "size", "20 bins of ranks", "p"]]
    rows += [
        [f"{ranks.check}: {ranks.quantity}", ranks.size, ranks.bars(signs), f"{ranks.p:.2g}"]
        for ranks in verification.ranks()
    ]
    print_text("\n" + align(rows, right=[3], indent=0))
