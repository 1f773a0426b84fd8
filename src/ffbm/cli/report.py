"""``ffbm report``: a saved run as one HTML file, and its figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ffbm.cli.options import Json
from ffbm.cli.screen import print_json, print_text

if TYPE_CHECKING:
    from ffbm.results import Fit

Run = Annotated[str, typer.Argument(metavar="RUN", help="The folder that ffbm fit --out wrote.")]
Out = Annotated[str | None, typer.Option(metavar="FILE", help="Where to write [default: report.html in RUN].")]
Figures = Annotated[
    str | None, typer.Option(metavar="DIR", help="Write the figures as PDF and PNG in this new or empty folder.")
]


def report(run: Run, out: Out = None, figures: Figures = None, as_json: Json = False) -> None:
    """Write a saved run as one HTML file that needs no network.

    The answer in words, the network, the weights, the ranking, effects, scores and diagnostics; of a run with --target
    both also how the joint posterior differs from the cut one.

    Example: ffbm report runs/first --figures figures
    """
    fit, against = _load(Path(run))
    file = Path(out) if out is not None else Path(run) / "report.html"
    fit.report(file, against)
    drawn = [] if figures is None else fit.plot.save(figures)
    if as_json:
        print_json({"report": str(file), "bytes": file.stat().st_size, "figures": [str(path) for path in drawn]})
        return
    print_text(f"wrote {file} ({file.stat().st_size / 1e6:.1f} MB): open it in a browser")
    if figures is not None:
        print_text(f"wrote {len(drawn)} figures in {figures}")


def _load(folder: Path) -> "tuple[Fit, Fit | None]":
    """Load a run, or the two runs of ``--target both``."""
    from ffbm.results import load_fit
    from ffbm.store.folder import is_run

    if not is_run(folder) and is_run(folder / "cut") and is_run(folder / "joint"):
        return load_fit(folder / "cut"), load_fit(folder / "joint")
    return load_fit(folder), None
