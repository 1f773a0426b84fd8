"""What chains leave behind of unknown cells, joined; and notes on missing ones."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ffbm.errors import either
from ffbm.pipeline.run import Stepper
from ffbm.plain import count_of
from ffbm.theta.cells import Cells, CellState
from ffbm.theta.imputed import ImputedRecord, ImputedState, advance_imputed
from ffbm.types.graph import Array
from ffbm.types.imputed import Imputed
from ffbm.types.network import Features, Note
from ffbm.types.weights import WeightTrace

IMPUTED = Stepper(advance_imputed, ImputedState, ImputedRecord)
MOST_LAWS = 100  # draws of the law of the columns that are kept


def gather_imputed(cells: Cells, states: Sequence[CellState], laws: Array) -> Imputed:
    """Return the law of each cell, averaged over the draws of all chains, and some draws of the law of the columns.

    ``laws`` are (C, T, K, ...).
    """
    n_draws = max(sum(int(state.n_draws[0]) for state in states), 1)
    mean, square = np.sum([state.moments for state in states], axis=0) / n_draws
    flat = laws.reshape(-1, *laws.shape[2:])
    if not len(flat):  # a chain too short to have stored one
        flat = np.stack([state.law_table for state in states])
    draws = np.unique(np.linspace(0, len(flat) - 1, MOST_LAWS).round().astype(np.int64))
    parts = cells.parts
    return Imputed(
        vertex=cells.vertices[cells.row],
        part=np.repeat(np.arange(parts.n_parts), np.diff(cells.bounds)),
        first=cells.first,
        probability=np.sum([state.total for state in states], axis=0) / n_draws,
        number_vertex=cells.vertices[cells.number_row],
        number=np.repeat(np.arange(len(parts.number)), np.diff(cells.number_bounds)),
        number_mean=mean,
        number_sd=np.sqrt(np.maximum(square - mean**2, 0.0)),
        law=flat[draws],
        start=parts.start,
        feature=parts.feature,
        column=parts.column,
        feature_of_number=parts.number,
        column_of_number=parts.number_column,
    )


def with_remarks(weights: WeightTrace, features: Features, labels: Array, impute: bool | str) -> WeightTrace:
    """Return the weights with notes on missing cells: how they were sampled, on what assumption, or that they can be.

    ``labels`` (N,) are the blocks of the vertices.
    """
    notes = _remark_sampled(weights, features, labels) if impute else _remark_left(features)
    return replace(weights, notes=(*weights.notes, *notes))


def _remark_left(features: Features) -> list[Note]:
    """Suggest imputation where cells are missing that have no flag of their own."""
    n_cells = 0
    for g, name in enumerate(features.column_names if features.missing is not None else ()):
        flags = [d for d, column in enumerate(features.columns) if column == name and not features.is_number[d]]
        is_missing = features.missing[:, [g]].toarray()[:, 0]
        marked = abs(sp.csr_array(features.values[:, flags])).sum(axis=1) > 0
        n_cells += int((is_missing & ~np.asarray(marked).ravel()).sum())
    if not n_cells:
        return []
    verb = "counts" if n_cells == 1 else "count"
    message = (
        f"{count_of(n_cells, 'missing cell')} {verb} as no value or as the column's mean, which biases effects;"
        f" {either('impute=True (--impute)', '--impute')} samples what is missing with the weights"
    )
    return [Note("missing-cells", message, n_cells)]


def _remark_sampled(weights: WeightTrace, features: Features, labels: Array) -> list[Note]:
    if weights.imputed is None:
        message = "impute was asked for, and no cell is missing: the fit is the one without it"
        return [Note("nothing-to-impute", message, 0)]
    n_cells, n_classes = weights.imputed.n_cells, weights.imputed.law.shape[1]
    law = "columns independent a priori" if n_classes == 1 else f"a law of the columns with up to {n_classes} classes"
    message = (
        f"{count_of(n_cells, 'missing cell')} sampled with the weights ({law}), taken to be missing at random given the"
        " block and the other columns"
    )
    notes = [Note("imputed", message, n_cells)]
    for name in features.column_names:
        is_missing = features.is_missing(name)
        blocks = [int(r) for r in np.unique(labels) if is_missing[labels == r].all()]
        if blocks:
            where = f"block{'s' if len(blocks) > 1 else ''} {', '.join(map(str, blocks))}"
            message = (
                f"column {name!r} is missing on every vertex of {where}: what is said of it there rests on the other"
                " columns and the other blocks"
            )
            notes.append(Note("missing-in-block", message, int(np.isin(labels, blocks).sum())))
    return notes
