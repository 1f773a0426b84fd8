"""``ffbm report``: a saved run as one HTML file, and its figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffbm.cli.completion import REGISTERED
from ffbm.cli.options import Json, Run
from ffbm.cli.screen import print_json, print_text
from ffbm.errors import DataError
from ffbm.plain import count_of

if TYPE_CHECKING:
    from ffbm.results import Fit
    from ffbm.results.checks import Check

Out = Annotated[str | None, typer.Option(metavar="FILE", help="Where to write [default: report.html in RUN, again].")]
Figures = Annotated[
    str | None, typer.Option(metavar="DIR", help="Write the figures as PDF and PNG in this new or empty folder.")
]
Columns = Annotated[
    bool, typer.Option("--columns", help="Also tell which columns act inside blocks, as ffbm check --columns.")
]


def report(run: Run, out: Out = None, figures: Figures = None, columns: Columns = False, as_json: Json = False) -> None:
    """Write a saved run as one HTML file that needs no network.

    The answer in words, the network, the weights, the ranking, effects, scores and diagnostics; of a run with --target
    both also how the joint posterior differs from the cut one. report.html in RUN is written again, with --figures too.

    Example: ffbm report runs/first --figures figures
    """
    fit, against = _load(Path(run))
    file = Path(out) if out is not None else Path(run) / "report.html"
    if columns:
        fit.report(file, against, _check(fit))
    elif against is None:
        fit.report(file)
    else:
        fit.report(file, against)
    drawn = [] if figures is None else fit.plot.save(figures)
    if as_json:
        print_json({"report": str(file), "bytes": file.stat().st_size, "figures": [str(path) for path in drawn]})
        return
    print_text(f"wrote {file} ({file.stat().st_size / 1e6:.1f} MB): open it in a browser")
    if figures is not None:
        n_figures = len({path.stem for path in drawn})
        print_text(f"wrote {count_of(n_figures, 'figure')}, each as PDF and PNG, in {figures}")


def _check(fit: Any) -> "Check":
    from ffbm.results import Fit

    if not isinstance(fit, Fit):
        raise DataError("ffbm report --columns is for runs without types of vertices; leave out --columns")
    return fit.check(columns=True)


def _load(folder: Path) -> "tuple[Fit, Fit | None]":
    """Load a run, or the two runs of ``--target both``."""
    from ffbm.results import load_fit
    from ffbm.store.folder import is_run

    if is_run(folder):
        return load_fit(folder), None
    if is_run(folder / "cut") and is_run(folder / "joint"):
        return load_fit(folder / "cut"), load_fit(folder / "joint")
    raise DataError(f"ffbm report takes the folder that ffbm fit --out wrote; {_tell_what_it_is(folder)}")


def _tell_what_it_is(path: Path) -> str:
    """Say what a path is that is no run, and what to do."""
    from ffbm.store.folder import how_to_resume, is_run, is_unfinished

    if not path.exists():
        name = str(path)
        if name in REGISTERED:
            return f"{name!r} is a data set: first ffbm fit {name} --out run"
        return f"there is no {name!r}"
    if path.is_file():
        inside = next((above for above in path.resolve().parents if is_run(above) or is_run(above / "cut")), None)
        if inside is not None:
            shown = inside.relative_to(Path.cwd()) if inside.is_relative_to(Path.cwd()) else inside
            return f"{str(path)!r} is a file of a run: give {shown}"
        return f"{str(path)!r} is a file: if it holds a network, first ffbm fit {path} --out run"
    for folder in (path, path / "joint", path / "cut"):
        if is_unfinished(folder):
            return how_to_resume(folder)
    if is_run(path / "cut"):  # stopped between the two
        return f"{path} lacks the joint posterior: {how_to_resume(path / 'cut').partition(': ')[2]}"
    held = sorted(folder for folder in path.iterdir() if is_run(folder))
    if held:
        return f"{str(path)!r} holds {count_of(len(held), 'run')}: give one, as {held[0]}"
    return f"{str(path)!r} holds no run"
