"""Pairs of columns that act together: do the cells of their cross table say more of blocks than both columns add up to?

All pairs are compared with one additive model of the columns that matter and of those of the pairs, fitted to what
edges say of blocks: see ``ffbm.scoring.interaction``.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control

from ffbm.check import check_column, check_int
from ffbm.data.levels import Levels, column_levels
from ffbm.errors import OptionError, either, keyword
from ffbm.plain import count_of
from ffbm.relevance import LEAST
from ffbm.rng import stream
from ffbm.scoring import predict
from ffbm.scoring.interaction import CellScore, evidence_of, score_cells
from ffbm.store.parts import FitParts
from ffbm.types import Array, Features

LEVEL = 0.05  # the false discovery rate of the verdict
_DRAWS, _LEAST_DRAWS, _WORK = 999, 199, 2e9  # of blocks; fewer where vertices x blocks^2 x pairs x draws is more work
_LEAST_FREEDOM = 0.5  # of a pair that can be tested
_SUPPORT, _MOST_FEATURES = 5, 20  # vertices of a feature, and features of a column, in the additive model
_MOST_WEIGHTS = 1_500  # of the additive model; twice as many if the columns of the pairs need them
_MOST_SPREAD, _SECONDS_EACH = 5e7, 3e-6  # vertices x blocks^2; of one core for each of them, about, with ten pairs

Pair = tuple[str, str]


def check_pairs(fit: FitParts, pairs: Any, seed: int) -> pd.DataFrame | None:
    """Return one row for each pair of columns that was tested: see ``Fit.check``; None if none can be."""
    asked = _read_pairs(fit, pairs)
    probs = fit.memberships.probs
    used = probs.sum(axis=0) > 0
    n_blocks = int(used.sum())
    if asked == 0 or n_blocks < 2 or len(probs) * n_blocks**2 > _MOST_SPREAD:
        return None
    features = fit.network.features
    worth = column_worth(fit)
    levels = {name: column_levels(features, name) for name in features.column_names}
    chosen = choose_pairs({name: worth[name] for name, one in levels.items() if len(one.names) > 1}, asked)
    if not chosen:
        return None
    x = _additive(fit, features, levels, chosen, worth, n_blocks)
    while isinstance(asked, int) and len(chosen) > 1 and x.shape[1] * n_blocks > 2 * _MOST_WEIGHTS:
        chosen = chosen[:-1]
        x = _additive(fit, features, levels, chosen, worth, n_blocks)
    cells = [cross(levels[one], levels[other]) for one, other in chosen]
    n_draws = int(np.clip(_WORK / (len(x) * n_blocks**2 * len(chosen)), _LEAST_DRAWS, _DRAWS))
    scores = score_cells(x, [flags for flags, _ in cells], evidence(fit)[:, used], n_draws, stream(seed, "pairs"))
    table = _tabulate(chosen, scores, [names for _, names in cells], np.flatnonzero(used))
    n_all = len(features.column_names) * (len(features.column_names) - 1) // 2
    table.attrs |= {"n_draws": n_draws, "n_untested": n_all - int(table["p"].notna().sum())}
    return table


def seconds_of_pairs(fit: FitParts) -> float:
    """Return about how many seconds of one core the test of pairs takes."""
    n_nodes, n_blocks = fit.memberships.probs.shape
    return _SECONDS_EACH * n_nodes * n_blocks**2


def evidence(fit: FitParts) -> Array:
    """Return what edges alone say of each vertex's block (N, B): memberships without what their sampler knew before."""
    probs = fit.memberships.probs
    if fit.config.target != "joint":
        return evidence_of(probs, probs.mean(axis=0))
    prior = predict(fit.weights, fit.network.features)
    prior[np.setdiff1d(np.arange(len(prior)), fit.train)] = 1 / prior.shape[1]  # held out: their features were unknown
    return evidence_of(probs, prior)


def column_worth(fit: FitParts) -> dict[str, float]:
    """Return the inclusion probability of each column; under the fixed prior the highest score of its features."""
    features = fit.network.features
    scores = dict(zip(fit.ranking.names, fit.ranking.scores.tolist(), strict=True))
    worth = dict.fromkeys(features.column_names, -np.inf)
    for name, column in zip(features.names, features.columns, strict=True):
        worth[column] = max(worth[column], scores.get(name, -np.inf))
    return worth


def choose_pairs(worth: dict[str, float], asked: int | list[Pair]) -> list[Pair]:
    """Return the pairs to test: those that are asked for and vary, or so many of the columns that are worth most.

    >>> choose_pairs({"a": 0.2, "b": 1.0, "c": 0.9, "d": 0.1}, 3)
    [('b', 'c'), ('b', 'a'), ('c', 'a')]
    """
    if not isinstance(asked, int):
        return [pair for pair in asked if set(pair) <= set(worth)]
    order = sorted(worth, key=lambda name: -worth[name])
    rank = {name: number for number, name in enumerate(order)}
    return sorted(combinations(order, 2), key=lambda pair: (rank[pair[1]], rank[pair[0]]))[:asked]


def cross(one: Levels, other: Levels) -> tuple[Array, list[tuple[str, str]]]:
    """Return the cells of two columns that have vertices (N, C), and their values; without a value, in no cell."""
    both = (one.flags[:, :, np.newaxis] * other.flags[:, np.newaxis]).reshape(len(one.codes), -1)
    names = [(a, b) for a in one.names for b in other.names]
    kept = np.flatnonzero(both.any(axis=0))
    return both[:, kept], [names[c] for c in kept]


def _additive(
    fit: FitParts, features: Features, levels: dict[str, Levels], pairs: list[Pair], worth: dict[str, float], n: int
) -> Array:
    """Return an intercept, the columns of the pairs and, as far as there is room, the others that matter (N, D)."""
    paired = list(dict.fromkeys(name for pair in pairs for name in pair))
    matter = [name for name in worth if fit.ranking.inclusion is None or worth[name] >= LEAST]
    others = sorted((name for name in matter if name not in paired), key=lambda name: -worth[name])
    parts = [np.ones((fit.network.n_nodes, 1))]
    for name in (*paired, *others):
        part = np.column_stack((_features_of(features, name), levels[name].flags))
        if name in paired or (sum(p.shape[1] for p in parts) + part.shape[1]) * n <= _MOST_WEIGHTS:
            parts.append(part)
    return np.hstack(parts)


def _features_of(features: Features, column: str) -> Array:
    inside = features.of_column(column)
    support = features.support[inside]
    inside = inside[np.argsort(-support, kind="stable")][: min(_MOST_FEATURES, int((support >= _SUPPORT).sum()))]
    return features.dense(np.sort(inside))


def _tabulate(pairs: list[Pair], scores: list[CellScore], cells: list[list[Pair]], blocks: Array) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for (one, other), score, names in zip(pairs, scores, cells, strict=True):
        z = np.divide(score.residuals, score.errors, out=np.zeros_like(score.errors), where=score.errors > 0.5)
        c, r = np.unravel_index(np.abs(z).argmax(), z.shape)
        rows.append({
            "column": one, "with_column": other, "n_cells": len(names), "freedom": score.freedom,
            "statistic": score.statistic, "p": score.p if score.freedom >= _LEAST_FREEDOM else np.nan,
            "value": names[c][0], "with_value": names[c][1], "block": int(blocks[r]),
            "observed": float(score.expected[c, r] + score.residuals[c, r]), "expected": float(score.expected[c, r]),
        })  # fmt: skip
    table = pd.DataFrame(rows).sort_values("p", kind="stable", ignore_index=True)
    tested = table["p"].notna()
    table["q"] = np.nan
    if tested.any():
        table.loc[tested, "q"] = false_discovery_control(table.loc[tested, "p"].to_numpy())
    table["together"] = table["q"] <= LEVEL
    table["sentence"] = [_say(row) for row in table.to_dict("records")]
    return table


def _say(row: dict[Any, Any]) -> str:
    both = f"{row['column']} and {row['with_column']}"
    if np.isnan(row["p"]):
        return f"{both}: not tested: their values hardly cross, or each column alone says the block."
    figures = f"p = {row['p']:.2g}, q = {row['q']:.2g}"
    if not row["together"]:
        return f"{both}: no sign that they act together ({figures})."
    return (
        f"{both} act together: what one says of a vertex's block depends on the other ({figures}). Clearest:"
        f" {row['column']} = {row['value']} with {row['with_column']} = {row['with_value']}, block {row['block']}:"
        f" {row['observed']:.1f} vertices against {row['expected']:.1f} if each only added its part."
    )


def pair_summary(table: pd.DataFrame) -> str:
    """Return how many pairs were tested, and how many act together."""
    n, untested = int(table["p"].notna().sum()), table.attrs.get("n_untested", 0)
    if not n:
        return f"Pairs of columns: {count_of(untested, 'pair')}, none of them tested."
    left = f"; {count_of(untested, 'pair')} not tested" if untested else ""
    return f"Pairs of columns: {int(table['together'].sum())} of {n} tested act together{left}."


def _read_pairs(fit: FitParts, pairs: Any) -> int | list[Pair]:
    if isinstance(pairs, int | np.integer) and not isinstance(pairs, bool):
        return check_int("pairs", pairs, low=0)
    known = fit.network.features.column_names
    if isinstance(pairs, str) or not isinstance(pairs, Sequence) or not pairs:
        raise OptionError(
            f"{keyword('pairs')} must be a whole number or a list of pairs of column names; got {pairs!r}"
        )
    read: list[Pair] = []
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2 or pair[0] == pair[1]:
            asked = either("pairs", "--pair")
            raise OptionError(f"{asked} must name two different columns each time; got {pair!r}")
        for name in pair:
            check_column(either("pairs=", "--pair"), name, known)
        read.append((pair[0], pair[1]))
    return list(dict.fromkeys(read))
