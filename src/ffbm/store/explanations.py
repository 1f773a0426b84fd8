"""An explanation as data sets over named axes, and back."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from ffbm.explanation import Explanation
from ffbm.store.cells import from_json, to_json
from ffbm.store.imputed import imputed_from_dataset, imputed_to_dataset
from ffbm.store.traces import (
    ranking_from_dataset,
    ranking_to_dataset,
    selection_from_dataset,
    selection_to_dataset,
    weights_from_datasets,
    weights_to_datasets,
)
from ffbm.types import Array, Features
from ffbm.types.columns import ColumnBits
from ffbm.types.scores import scores_from_dict
from ffbm.types.variance import VarianceSplit


def explanation_to_groups(explanation: Explanation) -> tuple[dict[str, xr.Dataset], dict[str, str]]:
    """Return the draws, statistics, ranking and what else there is as groups by name; scores and bits as JSON text.

    What was predicted of vertices held out is not among them: it lies with the memberships.
    """
    groups: dict[str, xr.Dataset] = {}
    groups["posterior"], groups["sample_stats"] = weights_to_datasets(explanation.weights)
    groups["ranking"] = ranking_to_dataset(explanation.ranking)
    if explanation.variance is not None:
        groups["variance"] = _variance_to_dataset(explanation.variance, groups["posterior"])
    if explanation.weights.selected is not None:
        groups["selection"] = selection_to_dataset(explanation.weights.selected, groups["posterior"]["feature"])
    if explanation.weights.imputed is not None:
        groups["imputed"] = imputed_to_dataset(explanation.weights.imputed)
    texts = {"scores": to_json(explanation.scores.to_dict())}
    if explanation.columns is not None:
        texts["columns"] = to_json(explanation.columns.to_dict())
    return groups, texts


def explanation_from_groups(
    features: Features, groups: Mapping[str, xr.Dataset], values: Mapping[str, Any], held_out: Array | None
) -> Explanation:
    """Return the explanation of these features that ``explanation_to_groups`` was given."""
    weights = weights_from_datasets(groups["posterior"], groups["sample_stats"])
    if "selection" in groups:
        weights = replace(weights, selected=selection_from_dataset(groups["selection"]))
    if "imputed" in groups:
        weights = replace(weights, imputed=imputed_from_dataset(groups["imputed"]))
    return Explanation(
        features=features,
        weights=weights,
        ranking=ranking_from_dataset(groups["ranking"]),
        scores=scores_from_dict(values["scores"]),
        variance=_variance_from_dataset(groups["variance"]) if "variance" in groups else None,
        held_out=held_out,
        measure=_remember(values["columns"]) if "columns" in values else None,
    )


def _remember(record: dict[str, Any]) -> Callable[..., ColumnBits]:
    """Return what gives the bits of columns that were measured before."""
    columns = ColumnBits.from_dict(record)
    return lambda *_: columns


def _variance_to_dataset(split: VarianceSplit, draws: xr.Dataset) -> xr.Dataset:
    axes = ("block", "feature")
    return xr.Dataset(
        {"within": (axes, split.within), "between": (axes, split.between)},
        coords={axis: draws[axis] for axis in axes},
        attrs={"n_partitions": to_json(split.n_partitions), "n_each": to_json(split.n_each)},
    )


def _variance_from_dataset(data: xr.Dataset) -> VarianceSplit:
    counts = {name: from_json(data.attrs[name]) for name in ("n_partitions", "n_each")}
    return VarianceSplit(within=np.asarray(data["within"]), between=np.asarray(data["between"]), **counts)
