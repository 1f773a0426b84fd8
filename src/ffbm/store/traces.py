"""Traces as data sets over named axes, and back."""

from typing import Any

import numpy as np
import xarray as xr

from ffbm.diagnostics import Verdict, block_diagnostics, diagnose_weights, given_diagnostics
from ffbm.store.cells import from_json, from_texts, notes_from_json, notes_to_json, to_json, to_texts
from ffbm.types import Array, BlockTrace, Memberships
from ffbm.types.ranking import Ranking
from ffbm.types.selection import SelectionTrace
from ffbm.types.weights import WeightTrace

_BY_COLUMN = ("inclusion", "chance", "scales")
_BY_WEIGHT = ("block", "feature")
_OPTIONAL = {
    "intercept_mean": "block", "intercept_sd": "block", "inclusion": "feature", "certainty": "feature",
    "centred_low": _BY_WEIGHT, "centred_high": _BY_WEIGHT,
}  # fmt: skip
_MOMENTS = ("mean", "sd", "centred_mean", "centred_sd", "positive", "centred_positive")


def weights_to_datasets(trace: WeightTrace) -> tuple[xr.Dataset, xr.Dataset]:
    """Return the draws (chain, draw, block, feature), and the statistics of every draw.

    The second holds ``lp`` = -U, so that ArviZ finds what it looks for; the moments of each chain over all of
    its draws, stored or not, stand beside the draws as ``chain_mean`` and ``chain_sd`` of the statistics.
    """
    names = to_texts(trace.names, "feature names")
    stored = (np.arange(trace.weights.shape[1]) + 1) * trace.thin - 1
    axes = {"chain": np.arange(trace.n_chains), "block": np.arange(trace.n_blocks), "feature": names}
    draws = xr.Dataset(
        {"weights": (("chain", "draw", "block", "feature"), trace.weights)},
        coords={**axes, "draw": stored},
        attrs={
            "thin": to_json(trace.thin),
            "settings": to_json(trace.settings),
            "notes": notes_to_json(trace.notes),
            "columns": to_json(list(trace.columns)),
        },
    )
    by_draw, by_weight = ("chain", "draw"), ("chain", "block", "feature")
    statistics = xr.Dataset(
        {
            "lp": (by_draw, -trace.energy),
            "acceptance_rate": (by_draw, trace.acceptance_rate),
            "step_size": (by_draw, trace.step_size),
            "n_steps": (by_draw, trace.n_steps),
            "diverging": (by_draw, trace.diverging),
            "chain_mean": (by_weight, trace.chain_mean),
            "chain_sd": (by_weight, trace.chain_sd),
            "support": ("feature", trace.support),
            "rows": ("row", trace.rows),
        },
        coords={**axes, "draw": np.arange(trace.n_draws)},
    )
    return draws, statistics


def weights_from_datasets(draws: xr.Dataset, statistics: xr.Dataset) -> WeightTrace:
    """Return the trace that ``weights_to_datasets`` wrote."""
    fields: dict[str, Any] = {
        name: np.asarray(statistics[name])
        for name in ("acceptance_rate", "step_size", "n_steps", "diverging", "chain_mean", "chain_sd")
    }
    return WeightTrace(
        weights=np.asarray(draws["weights"]),
        energy=-np.asarray(statistics["lp"]),
        **fields,
        names=from_texts(draws["feature"]),
        columns=tuple(from_json(draws.attrs["columns"])),
        support=np.asarray(statistics["support"]),
        rows=np.asarray(statistics["rows"]),
        thin=from_json(draws.attrs["thin"]),
        settings=from_json(draws.attrs["settings"]),
        notes=notes_from_json(draws.attrs["notes"]),
        diagnose=diagnose_weights,
    )


def blocks_to_datasets(trace: BlockTrace, members: Memberships, ids: Array) -> tuple[xr.Dataset, xr.Dataset]:
    """Return the labels as the chains numbered them with their numbers in the answer, and the statistics."""
    n_chains, n_draws, _ = trace.labels.shape
    axes = {"chain": np.arange(n_chains), "block_draw": np.arange(n_draws)}
    labels = xr.Dataset(
        {
            "labels": (("chain", "block_draw", "node"), trace.labels),
            "order": (("chain", "block_draw", "block"), members.order),
        },
        coords={**axes, "node": to_texts(ids, "vertex ids"), "block": np.arange(trace.n_blocks)},
    )
    statistics = xr.Dataset(
        {
            "entropy": (("chain", "block_draw"), trace.entropy),
            "acceptance": (("chain", "block_draw"), trace.acceptance),
            "best_labels": ("node", trace.best_labels),
        },
        coords=axes,
        attrs={
            "best_entropy": to_json(trace.best_entropy),
            "n_blocks": to_json(trace.n_blocks),
            "n_edges": to_json(trace.n_edges),
            "settings": to_json(trace.settings),
            "checks": to_json(_checks(trace)),
        },
    )
    return labels, statistics


def _checks(trace: BlockTrace) -> dict[str, Any]:
    """Return what a verdict rests on that draws do not tell: the verdict at half the length, and round trips."""
    diagnostics = trace.diagnostics
    previous, trips = (None, None) if diagnostics is None else (diagnostics.previous, diagnostics.round_trips)
    return {
        "previous": None if previous is None else [previous.grade, previous.reason],
        "round_trips": None if trips is None else trips.tolist(),
    }


def blocks_from_datasets(labels: xr.Dataset, statistics: xr.Dataset) -> BlockTrace:
    """Return the trace that ``blocks_to_datasets`` wrote, with its diagnostics computed again."""
    settings = from_json(statistics.attrs["settings"])
    b, s, rate = (np.asarray(part) for part in (labels["labels"], statistics["entropy"], statistics["acceptance"]))
    diagnostics = given_diagnostics()
    if "given" not in settings:
        checks = from_json(statistics.attrs.get("checks", "{}"))  # runs of 0.1.0 have none
        previous, trips = checks.get("previous"), checks.get("round_trips")
        diagnostics = block_diagnostics(
            b, s, rate, settings["seed"], previous=None if previous is None else Verdict(*previous), round_trips=trips
        )
    return BlockTrace(
        labels=b,
        entropy=s,
        acceptance=rate,
        best_labels=np.asarray(statistics["best_labels"]),
        **{name: from_json(statistics.attrs[name]) for name in ("best_entropy", "n_blocks", "n_edges")},
        settings=settings,
        diagnostics=diagnostics,
    )


def ranking_to_dataset(ranking: Ranking) -> xr.Dataset:
    """Return the moments that a ranking is made of."""
    variables: dict[str, Any] = {name: (_BY_WEIGHT, getattr(ranking, name)) for name in _MOMENTS}
    if ranking.support is not None:
        variables["support"] = ("feature", ranking.support)
    for name, axis in _OPTIONAL.items():
        if getattr(ranking, name) is not None:
            variables[name] = (axis, getattr(ranking, name))
    return xr.Dataset(
        variables,
        coords={"block": np.arange(ranking.n_blocks), "feature": to_texts(ranking.names, "feature names")},
        attrs={
            "k": to_json(ranking.k),
            "n_kept": to_json(ranking.n_kept),
            "columns": to_json(list(ranking.columns)),
        },
    )


def selection_to_dataset(trace: SelectionTrace, features: Any) -> xr.Dataset:
    """Return the draws under the selection of columns (chain, sweep, column)."""
    by_sweep = ("chain", "sweep")
    variables: dict[str, Any] = {name: ((*by_sweep, "column"), getattr(trace, name)) for name in _BY_COLUMN}
    variables |= {name: (by_sweep, getattr(trace, name)) for name in ("energy", "acceptance_rate", "partition")}
    variables["accepted"] = ((*by_sweep, "move"), trace.accepted)
    variables["weights"] = (("chain", "stored_sweep", "block", "feature"), trace.weights)
    variables["full_start"] = ("chain", trace.full_start)
    variables["of_feature"] = ("feature", trace.of_feature)
    return xr.Dataset(
        variables,
        coords={"column": to_texts(trace.column_names, "column names"), "feature": features},
        attrs={"thin": to_json(trace.thin), "settings": to_json(trace.settings)},
    )


def selection_from_dataset(data: xr.Dataset) -> SelectionTrace:
    """Return the trace that ``selection_to_dataset`` wrote."""
    names = (
        *_BY_COLUMN, "weights", "energy", "acceptance_rate", "accepted", "full_start", "partition", "of_feature",
    )  # fmt: skip
    return SelectionTrace(
        **{name: np.asarray(data[name]) for name in names},
        column_names=from_texts(data["column"]),
        thin=from_json(data.attrs["thin"]),
        settings=from_json(data.attrs["settings"]),
    )


def ranking_from_dataset(data: xr.Dataset) -> Ranking:
    """Return the ranking that ``ranking_to_dataset`` wrote."""
    fields: dict[str, Any] = {name: np.asarray(data[name]) for name in (*_MOMENTS, *_OPTIONAL) if name in data}
    return Ranking(
        **fields,
        support=np.asarray(data["support"]) if "support" in data else None,
        names=from_texts(data["feature"]),
        columns=tuple(from_json(data.attrs["columns"])),
        k=from_json(data.attrs["k"]),
        n_kept=from_json(data.attrs["n_kept"]),
    )
