"""Features in the order in which a trace knows them, equal rows merged."""

from typing import Any

import numpy as np

from ffbm.errors import DataError
from ffbm.scoring.completion import complete_design
from ffbm.theta.design import Design, make_design
from ffbm.types.graph import Array
from ffbm.types.network import Features
from ffbm.types.weights import INTERCEPT, WeightTrace

_SHOWN = 5


def match_design(trace: WeightTrace, features: Any) -> Design:
    """Return the design with the features in the trace's order, and its intercept if it has one.

    Features are found by name, whatever their order, and must be those of the trace, no more and no fewer; an array
    is taken as it is and must have as many columns. A design that has them already is returned as it is. Where the
    trace has a law of the columns, vertices with unknown cells are completed by it.
    """
    design = _matched(trace, features)
    return design if trace.imputed is None or design.blanks is None else complete_design(design, trace.imputed)


def _matched(trace: WeightTrace, features: Any) -> Design:
    if isinstance(features, Design) and features.names == trace.names:
        return features
    has_intercept = features.has_intercept if isinstance(features, Design) else False
    design = make_design(features, has_intercept, impute=trace.imputed is not None)
    names = [name for name in trace.names if name != INTERCEPT]
    if isinstance(features, Features | Design):
        number = {name: d for d, name in enumerate(design.names)}
        missing = [name for name in names if name not in number]
        allowed = set(trace.names if design.has_intercept else names)
        unknown = [name for name in design.names if name not in allowed]
        if missing or unknown:
            wrong = [f"{_list(missing)} missing"] if missing else []
            wrong += [f"{_list(unknown)} unknown"] if unknown else []
            raise DataError(
                f"features must be the {len(names)} that the weights were sampled with; {' and '.join(wrong)}:"
                " encode the table as it was for sampling"
            )
        order = [number[name] for name in names]
        design = design if order == list(range(len(order))) else design.take(np.array(order))
    elif len(design.names) != len(names):
        raise DataError(
            f"features must have {len(names)} columns, as the weights were sampled with; got {len(design.names)}:"
            " leave the intercept out, it is added"
        )
    return design.with_intercept() if len(names) < len(trace.names) and not design.has_intercept else design


def sum_rows(values: Array, group: Array, n_rows: int) -> Array:
    """Sum the rows of ``values`` (n, B) that have the same number in ``group`` (n,)."""
    total = np.zeros((n_rows, values.shape[1]))
    np.add.at(total, group, values)
    return total


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(repr, names[:_SHOWN]))}{more} {'is' if len(names) == 1 else 'are'}"
