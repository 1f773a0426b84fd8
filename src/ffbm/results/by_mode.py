"""Which columns matter in each mode of the partitions: an average over modes would be of no one's blocks."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.columntable import build_table, phrase
from ffbm.diagnostics.verdict import MULTIMODAL
from ffbm.plain import count_of
from ffbm.relevance import bayes_factors, find_decided, name_values
from ffbm.store.parts import FitParts
from ffbm.types.relevance import BY_MODE, MATTERS, OPEN, NamedValue, list_of

if TYPE_CHECKING:
    import pandas as pd


def tell_decisions(fit: FitParts) -> str:
    """Say which columns matter: of a fit graded multimodal mode by mode, without an average over modes."""
    if fit.relevance is None:
        return ""
    table = decided_by_mode(fit)
    return fit.relevance.sentence if table is None else tell_by_mode(table)


def decided_by_mode(fit: FitParts) -> "pd.DataFrame | None":
    """Return what ``inclusion_by_mode`` does of a fit graded multimodal; None of others: they have one average."""
    return inclusion_by_mode(fit) if fit.converged.grade == MULTIMODAL else None


def inclusion_by_mode(fit: FitParts) -> "pd.DataFrame | None":
    """Return one row for each mode and column, None without modes.

    It has mode, n_partitions, column, inclusion, bayes_factor and decision.

    Partitions that columns were selected for belong to the modes of the draws they are; a mode without one has no rows.
    """
    import pandas as pd

    selected, members = fit.weights.selected, fit.memberships
    if selected is None or members.n_modes == 1 or len(selected.by_partition) < 2:
        return None
    mode = members.mode_of.ravel()[np.unique(selected.partition)]
    fdr = float(fit.weights.settings.get("fdr", 0.1))
    rows = []
    for number in range(members.n_modes):
        inclusions = selected.by_partition[mode == number]
        if not len(inclusions):
            continue
        inclusion = inclusions.mean(axis=0)
        factors, decided = bayes_factors(inclusion), find_decided(inclusion, fdr)
        for g, name in enumerate(selected.column_names):
            decision = MATTERS if g in decided else OPEN
            rows.append([number, len(inclusions), name, float(inclusion[g]), float(factors[g]), decision])
    return pd.DataFrame(rows, columns=["mode", "n_partitions", "column", "inclusion", "bayes_factor", "decision"])


def columns_of(fit: FitParts) -> "pd.DataFrame":
    """Return the table of columns: of a fit graded multimodal with inclusion and decision by mode, and no average.

    Then ``inclusion`` is NaN, ``decision`` is that of all modes or "depends on the mode", ``sets_apart`` has what every
    mode names, and each mode that columns were selected for has ``inclusion_mode_0`` and ``decision_mode_0``, ... With
    a hierarchy ``splits`` says where in the tree it acts.
    """
    table, tree = _columns_by_mode(fit), fit.hierarchy
    return table if tree is None else table.assign(splits=[tree.where(name) for name in table["column"]])


def _columns_by_mode(fit: FitParts) -> "pd.DataFrame":
    by_mode, explanation = decided_by_mode(fit), fit.explanation
    if by_mode is None:
        return explanation.column_table
    table = build_table(explanation.features, explanation.weights, explanation.ranking, explanation.columns, None)
    always, sometimes = matters_by_mode(by_mode)
    words = dict.fromkeys(always, MATTERS) | dict.fromkeys(sometimes, BY_MODE)
    table["decision"] = [words.get(name, OPEN) for name in table["column"]]
    values, numbers = values_in_every_mode(fit), explanation.features.names_of_numbers
    table["sets_apart"] = [
        phrase(name, [(value.feature, value.block, value.mean) for value in values if value.column == name], numbers)
        for name in table["column"]
    ]
    for number, rows in by_mode.groupby("mode"):
        by_column = rows.set_index("column")
        for name in ("inclusion", "decision"):
            table[f"{name}_mode_{number}"] = table["column"].map(by_column[name])
    return table


def matters_by_mode(table: "pd.DataFrame") -> tuple[list[str], list[str]]:
    """Return the columns that matter in every mode, and those that do in some only, the surest first."""
    least = table.groupby("column", sort=False)["inclusion"].min().sort_values(ascending=False, kind="stable")
    is_in = (table["decision"] == MATTERS).groupby(table["column"], sort=False)
    always, sometimes = is_in.all(), is_in.any()
    names = [str(name) for name in least.index]
    return [name for name in names if always[name]], [name for name in names if sometimes[name] and not always[name]]


def values_in_every_mode(fit: FitParts) -> list[NamedValue]:
    """Return which values set which block apart in every mode, with the same sign; the surest first.

    Their weight is the mean over all draws, their probability the least over modes.
    """
    table, selected = decided_by_mode(fit), fit.weights.selected
    if table is None or selected is None:
        return []
    mode = fit.memberships.mode_of.ravel()[selected.partition[:, selected.thin - 1 :: selected.thin]]
    fdr = float(fit.weights.settings.get("fdr", 0.1))
    values = []
    for name in matters_by_mode(table)[0]:
        g = selected.column_names.index(name)
        index_of = {fit.ranking.names[j]: j for j in np.flatnonzero([name == column for column in fit.ranking.columns])}
        named = [
            {(value.feature, value.block, value.mean > 0): value for value in name_values(fit.weights, g, fdr, column)}
            for column in (mode == number for number in table["mode"].unique())
        ]
        for key in named[0]:
            if all(key in others for others in named):
                mean = float(fit.ranking.centred_mean[key[1], index_of[key[0]]])
                least = min(others[key].probability for others in named)
                values.append(NamedValue(name, key[0], key[1], mean, least))
    return values


def tell_by_mode(table: "pd.DataFrame") -> str:
    """Say which columns matter in every mode, and, mode by mode, what differs between them."""
    always, sometimes = matters_by_mode(table)
    n_columns = count_of(int(table["column"].nunique()), "column")
    message = f"in no mode is it decided that one of {n_columns} matters"
    if always:
        verb = "matters" if len(always) == 1 else "matter"
        message = f"of {n_columns} {len(always)} {verb} in every mode: {list_of(always)}"
    if not sometimes:
        return message
    parts = []
    for number, rows in table.groupby("mode"):
        rows = rows[rows["column"].isin(sometimes)].sort_values("inclusion", ascending=False, kind="stable")
        names = rows.loc[rows["decision"] == MATTERS, "column"].tolist()
        n_partitions = count_of(int(rows["n_partitions"].iloc[0]), "partition")
        parts.append(f"in mode {number} ({n_partitions}) {', '.join(names) if names else 'none that is decided'}")
    if always:
        return f"{message}; which others do depends on the mode: {'; '.join(parts)}"
    return f"which columns matter depends on the mode: {'; '.join(parts)}"
