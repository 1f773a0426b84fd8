"""A reproduction as plain values: figures over runs, bounds, reasons; what ``results.json`` holds."""

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from math import nan
from typing import Any

import numpy as np

from ffbm.diagnostics import summarise
from ffbm.plain import finite
from ffbm.reproduction.all_runs import AllRuns, DatasetRuns
from ffbm.reproduction.bounds import check_bounds
from ffbm.reproduction.columns import ColumnRun
from ffbm.reproduction.paper import EXACT, PROGRAM, PUBLISHED
from ffbm.reproduction.reasons import find_reasons
from ffbm.types.ranking import Ranking


def make_record(all_runs: AllRuns) -> dict[str, Any]:
    """Return a reproduction as numbers, text, lists and dicts alone; what is not finite is None."""
    datasets = {name: finite(_dataset(runs)) for name, runs in all_runs.datasets.items()}
    return {
        "runs": all_runs.runs,
        "seed": all_runs.seed,
        "datasets": datasets,
        "differences": find_reasons(datasets),
        "missing": all_runs.missing,
        "provenance": {
            "ffbm": version("ffbm"),
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "numba": version("numba"),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": {stage: round(length, 1) for stage, length in all_runs.seconds.items()},
        },
    }


def _dataset(runs: DatasetRuns) -> dict[str, Any]:
    net, paper = runs.network, runs.paper
    settings = {name: value for name, value in asdict(paper).items() if name not in ("name", "title", "published")}
    columns = {
        PUBLISHED: {name: figure._asdict() for name, figure in paper.published.items()},
        PROGRAM: _over_runs([run.numbers for run in runs.published]),
        EXACT: _over_runs([run.numbers for run in runs.exact]),
    }
    entropy = np.concatenate([run.entropy for run in runs.blocks])
    of_entropy = summarise(np.round(entropy, 6))
    return {
        "title": paper.title,
        "n_nodes": net.n_nodes,
        "n_edges": net.n_edges,
        "n_features": net.n_features,
        "n_test": len(runs.blocks[0].test),
        "fingerprint": net.fingerprint,
        "settings": settings,
        "columns": columns,
        "limit": _over_runs(runs.limit),
        "blocks": {
            "rhat_entropy": float(of_entropy.rhat),
            "ess_entropy": float(of_entropy.ess_bulk),
            "n_draws": int(entropy.size),
            "best_entropy": min(run.best_entropy for run in runs.blocks),
        },
        "features": {PROGRAM: _features(runs.published), EXACT: _features(runs.exact)},
        "bounds": check_bounds(paper.name, columns),
    }


def _over_runs(numbers: Sequence[dict[str, float]]) -> dict[str, dict[str, Any]]:
    """Return mean and sd (ddof 1) over the runs in which a number is defined, the least, the most, and each."""
    record = {}
    for name in numbers[0]:
        values = np.array([run[name] for run in numbers])
        defined = values[np.isfinite(values)]
        record[name] = {
            "mean": float(defined.mean()) if len(defined) else nan,
            "sd": float(defined.std(ddof=1)) if len(defined) > 1 else nan,
            "min": float(defined.min()) if len(defined) else nan,
            "max": float(defined.max()) if len(defined) else nan,
            "runs": [float(value) for value in values],
        }
    return record


def _features(runs: Sequence[ColumnRun]) -> dict[str, Any]:
    """Return how often each feature was kept, each group of them, and whether each block is led by another feature."""
    kept = Counter(name for run in runs for name in run.ranking.kept)
    groups = Counter(_group(run.ranking, name) for run in runs for name in run.ranking.kept)
    leaders = [leading_features(run.ranking) for run in runs]
    return {
        "kept": dict(kept.most_common()),
        "kept_by_group": dict(groups.most_common()),
        "always_kept": sorted(name for name, times in kept.items() if times == len(runs)),
        "never_kept": sorted(set(runs[0].ranking.names) - set(kept)) if runs[0].ranking.n_features <= 50 else [],
        "runs_with_different_leaders": sum(None not in led and len(set(led)) == len(led) for led in leaders),
    }


def leading_features(ranking: Ranking) -> list[str | None]:
    """Return for each block the feature with the largest weight, None if no weight is above 0."""
    first = ranking.mean.argmax(axis=1)
    return [ranking.names[j] if ranking.mean[i, j] > 0 else None for i, j in enumerate(first)]


def _group(ranking: Ranking, name: str) -> str:
    """Return the table's column of a feature, up to a semicolon: SNAP writes "education;school;id"."""
    return ranking.columns[ranking.names.index(name)].partition(";")[0]
