"""The prior of the weights: one standard deviation for each feature, from a number, a list or a mapping of columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ffbm.check import check_scale
from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.plain import count_of, did_you_mean
from ffbm.theta.design import Design
from ffbm.types.graph import Array
from ffbm.types.weights import INTERCEPT

INTERCEPT_SD = FitConfig.intercept_sd  # the softmax of such intercepts is about uniform on the simplex
_SEVERAL = (list, tuple, np.ndarray, Mapping)  # what holds more numbers than one
_SHOWN = 8  # columns named in a message


def prior_scales(sigma: Any, columns: Sequence[str]) -> Array:
    """Return the prior standard deviation of each feature (D,), given the column that each comes from.

    ``sigma`` is one number; one for each feature, with or without a last one for the intercept; or numbers by column.
    What is not named has 1.

    >>> prior_scales({"age": 0.5}, ("age", "party", "party")).tolist()
    [0.5, 1.0, 1.0]
    >>> prior_scales([0.5, 2.0], ("age", "party", "(intercept)")).tolist()
    [0.5, 2.0, 1.0]
    """
    sigma = check_scale("sigma", sigma)
    if isinstance(sigma, Mapping):
        return np.array([_by_column(sigma, columns).get(column, 1.0) for column in columns], dtype=np.float64)
    if not isinstance(sigma, list):
        return np.full(len(columns), sigma)
    n_features = len(columns) - (INTERCEPT in columns[-1:])
    if len(sigma) not in (n_features, len(columns)):
        last = ", and may have one more for the intercept" if n_features < len(columns) else ""
        raise OptionError(
            f"sigma as a list must have one number for each of {count_of(n_features, 'feature')}{last};"
            f" got {count_of(len(sigma), 'number')}"
        )
    return np.array([*sigma, *[1.0] * (len(columns) - len(sigma))], dtype=np.float64)


def learned_scales(design: Design, intercept_sd: float) -> Array:
    """Return where the scales of the learned prior start (D,): 1, and the intercept's own, which stays."""
    scales = np.ones(len(design.names))
    if design.has_intercept:
        scales[-1] = intercept_sd
    return scales


def keep_scales(sigma: Any, whole: Design, part: Design) -> Any:
    """Return sigma for some of a design's features, found by name: each keeps its scale. One number stays as it is.

    >>> from ffbm.theta.design import make_design
    >>> whole = make_design(np.eye(3), intercept=True)
    >>> keep_scales([1.0, 2.0, 3.0, 4.0], whole, whole.take(np.array([0, 2])))
    [1.0, 3.0, 4.0]
    """
    if not isinstance(sigma, _SEVERAL):
        return sigma
    scales = dict(zip(whole.names, prior_scales(sigma, whole.columns).tolist(), strict=True))
    return [scales[name] for name in part.names]


def plain_sigma(sigma: Any, scales: Array) -> float | list[float]:
    """Return the prior as a trace records it: the number that was given, or the scale of every feature."""
    return scales.tolist() if isinstance(sigma, _SEVERAL) else float(sigma)


def _by_column(sigma: Mapping[str, float], columns: Sequence[str]) -> Mapping[str, float]:
    names = list(dict.fromkeys(columns))
    for name in sigma:
        if name not in names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            hint = did_you_mean(name, names) or f"there are {', '.join(map(repr, names[:_SHOWN]))}{more}"
            raise OptionError(f"the columns that sigma names must be those of the features; got {name!r}: {hint}")
    return sigma
