"""``ffbm fit --node-type COLUMN``: vertices of different types never share a block, and each type is explained."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.cli.announcements import announcing
from ffbm.cli.screen import print_json, print_text
from ffbm.errors import OptionError, keyword

if TYPE_CHECKING:
    from ffbm.config import FitConfig
    from ffbm.results.typed import TypedFit
    from ffbm.run_options import RunOptions
    from ffbm.types import Network


def fit_by_type(network: "Network", settings: "FitConfig", run: "RunOptions", quiet: bool) -> "TypedFit":
    """Fit a network with types by the settings that there are for it; refuse the others."""
    import warnings

    from ffbm.errors import ConvergenceWarning
    from ffbm.results.typed import OPTIONS, fit_types, measured_types

    chosen = {**settings.to_dict(), "resume": run.resume}
    refused = {"resume": False, "target": "cut", "column_groups": None, "impute": False}
    for name, without in refused.items():
        if chosen[name] != without:
            it = keyword(name, "")
            raise OptionError(f"{it} is not for fits with types of vertices; leave it out, or --node-type")
    with announcing(quiet) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says it
        options = {name: getattr(settings, name) for name in (*OPTIONS, "n_blocks", "seed")}
        fitted = fit_types(network, settings.node_type, workers=run.workers, out=run.out, progress=progress, **options)
        return measured_types(fitted, progress)


def tell_by_type(fitted: "TypedFit", source: str, out: str | None, as_json: bool, verbose: bool) -> None:
    """Print the summary, or one JSON object."""
    if as_json:
        print_json({"source": source, **fitted.to_dict()})
        return
    print_text(fitted.summary(verbose))
    if out is not None:
        print_text(f"\nsaved in {out}; open {Path(out) / 'report.html'} in a browser")


def split_blocks(text: str | None) -> Any:
    """Turn TYPE=N,TYPE=N into a mapping; auto and nothing mean auto.

    >>> split_blocks("person=3,event=2"), split_blocks(None)
    ({'person': 3, 'event': 2}, 'auto')
    """
    if text in (None, "auto"):
        return "auto"
    numbers: dict[str, int] = {}
    for part in str(text).split(","):
        value, equals, number = part.rpartition("=")
        if not equals or not value or not number.strip().isdigit():
            raise OptionError(f"--blocks takes TYPE=N,TYPE=N or auto if there are types of vertices; got {text!r}")
        numbers[value.strip()] = int(number)
    return numbers
