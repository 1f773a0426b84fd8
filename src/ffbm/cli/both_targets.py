"""``ffbm fit --target both``: the cut and the joint posterior of one network, and what the features changed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.cli.screen import print_json, print_text

if TYPE_CHECKING:
    from ffbm.config import FitConfig
    from ffbm.progress import Listener
    from ffbm.results import Comparison
    from ffbm.run_options import RunOptions
    from ffbm.types import Network

BOTH = "both"


def fit_both(
    network: "Network", settings: "FitConfig", run: "RunOptions", progress: "Listener | bool | None", command: str
) -> "Comparison":
    """Fit both targets with the same seed, blocks and training vertices; save them side by side if ``run`` says where.

    The number of blocks, if it is to be chosen, is chosen once. How memberships reach the weights is a question for
    the cut posterior alone.
    """
    from ffbm.pipeline.joint_fit import check_joint
    from ffbm.results import compare
    from ffbm.results.fit_run import fit_with
    from ffbm.rng import resolve_seed
    from ffbm.store.folder import check_new_folder

    cut = replace(settings, target="cut", seed=resolve_seed(settings.seed))
    joint = replace(cut, target="joint", memberships="averaged")
    check_joint(joint, None)
    runs = [run, run]
    if run.out is not None:
        folder = Path(run.out)
        if not (run.resume and (folder / cut.target).is_dir()):  # begun by this command
            check_new_folder(folder)
        runs = [replace(run, out=str(folder / one.target)) for one in (cut, joint)]
    first = fit_with(network, cut, runs[0], progress=progress, command=command)
    network = first.network if network.features.other else network  # whose readings the blocks have settled
    joint = replace(joint, n_blocks=first.memberships.n_blocks)
    second = fit_with(network, joint, runs[1], progress=progress, command=command)
    comparison = compare(first, second)
    if run.out is not None:
        _save(comparison, Path(run.out))
    return comparison


def tell_both(comparison: "Comparison", source: str, out: str | None, as_json: bool) -> None:
    """Print the comparison, or both records and the comparison as one JSON object."""
    from ffbm.results.record import fit_record

    if as_json:
        record: dict[str, Any] = {
            "source": source,
            "cut": fit_record(comparison.first),
            "joint": fit_record(comparison.second),
        }
        print_json({**record, "comparison": comparison.to_dict()})
        return
    print_text(comparison.summary())
    if out is not None:
        print_text(f"\nsaved in {out}: cut and joint, each a run, their comparison, and report.html")


def _save(comparison: "Comparison", folder: Path) -> None:
    from ffbm.results.record import strict_json
    from ffbm.store.folder import write_file

    write_file(folder / "comparison.txt", comparison.summary() + "\n")
    write_file(folder / "comparison.json", strict_json(comparison.to_dict()))
    comparison.first.report(folder / "report.html", against=comparison.second)
