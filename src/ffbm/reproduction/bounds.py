"""What a good reproduction must meet: the published figures by the program, effective draws by the exact posterior."""

from collections.abc import Mapping
from typing import Any

from ffbm.reproduction.paper import EXACT, PROGRAM, PUBLISHED

SDS, SLACK = 2.0, 0.05  # losses and cutoffs: so many published sd and this much more
ABOVE = 0.005  # description lengths: at most this much above; lower is a better partition
LEAST_ESS = 400.0
LENGTH = "description_length_without_partition"


def check_bounds(dataset: str, columns: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return each bound with what it asks for, what was found, and whether it is met.

    >>> columns = {"published": {"loss_train": {"mean": 0.5, "sd": 0.1}},
    ...            "published_program": {"loss_train": {"mean": 0.8}}, "exact_posterior": {}}
    >>> [(bound["figure"], bound["high"], bound["met"]) for bound in check_bounds("polbooks", columns)]
    [('loss_train', 0.75, False)]
    """
    bounds = []
    for name, figure in columns[PUBLISHED].items():
        reach = SDS * figure["sd"] + SLACK
        low = None if name == LENGTH else figure["mean"] - reach
        high = figure["mean"] + (ABOVE if name == LENGTH else reach)
        bounds.append(_bound(dataset, PROGRAM, name, columns[PROGRAM][name]["mean"], low, high))
    sizes = {name: columns[EXACT][name]["min"] for name in ("min_ess", "reduced_min_ess") if name in columns[EXACT]}
    return bounds + [_bound(dataset, EXACT, name, least, LEAST_ESS, None) for name, least in sizes.items()]


def _bound(dataset: str, column: str, name: str, value: float, low: float | None, high: float | None) -> dict[str, Any]:
    met = (low is None or value >= low) and (high is None or value <= high)  # NaN meets nothing
    return {
        "dataset": dataset,
        "column": column,
        "figure": name,
        "low": low,
        "high": high,
        "found": value,
        "met": bool(met),
    }
