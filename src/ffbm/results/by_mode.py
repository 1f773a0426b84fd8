"""Which columns matter in each mode of the partitions: an average over modes would be of no one's blocks."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.columntable import build_table
from ffbm.diagnostics.verdict import MULTIMODAL
from ffbm.plain import count_of
from ffbm.relevance import find_decided
from ffbm.store.parts import FitParts

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
    """Return one row for each mode and column: mode, n_partitions, column, inclusion, decision; None without modes.

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
        own = selected.by_partition[mode == number]
        if not len(own):
            continue
        inclusion = own.mean(axis=0)
        decided = find_decided(inclusion, fdr)
        for g, name in enumerate(selected.column_names):
            decision = "matters" if g in decided else "not decided"
            rows.append([number, len(own), name, float(inclusion[g]), decision])
    return pd.DataFrame(rows, columns=["mode", "n_partitions", "column", "inclusion", "decision"])


def columns_of(fit: FitParts) -> "pd.DataFrame":
    """Return the table of columns: of a fit graded multimodal with inclusion and decision by mode, and no average.

    Then ``inclusion`` is NaN, ``decision`` None and ``sets_apart`` empty, and each mode that columns were selected for
    has ``inclusion_mode_0`` and ``decision_mode_0``, ... With a hierarchy ``splits`` says where in the tree it acts.
    """
    table, tree = _columns_by_mode(fit), fit.hierarchy
    return table if tree is None else table.assign(splits=[tree.where(name) for name in table["column"]])


def _columns_by_mode(fit: FitParts) -> "pd.DataFrame":
    by_mode, own = decided_by_mode(fit), fit.explanation
    if by_mode is None:
        return own.column_table
    table = build_table(own.features, own.weights, own.ranking, own.columns, None)
    table["sets_apart"] = ""
    for number, rows in by_mode.groupby("mode"):
        by_column = rows.set_index("column")
        for name in ("inclusion", "decision"):
            table[f"{name}_mode_{number}"] = table["column"].map(by_column[name])
    return table


def tell_by_mode(table: "pd.DataFrame") -> str:
    """Say which columns matter, mode by mode."""
    parts = []
    for number, rows in table.groupby("mode"):
        names = rows.sort_values("inclusion", ascending=False).query("decision == 'matters'")["column"].tolist()
        message = ", ".join(names) if names else "none that is decided"
        parts.append(f"in mode {number} ({count_of(int(rows['n_partitions'].iloc[0]), 'partition')}) {message}")
    return f"which columns matter depends on the mode: {'; '.join(parts)}"
