"""Unknown cells in predictions: rows completed many times by the law of the columns, each a share of its vertex."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ffbm.rng import stream
from ffbm.theta.design import Design
from ffbm.theta.mixture import Mixture, complete_rows
from ffbm.theta.parts import Parts, code_cells, missing_of, rows_of_vertices
from ffbm.theta.rows import merge_rows
from ffbm.types.graph import Array
from ffbm.types.imputed import Imputed

N_COMPLETIONS = 50  # of each vertex


def complete_design(design: Design, imputed: Imputed) -> Design:
    """Return the design with every vertex that has unknown cells completed 50 times, given its known ones.

    Cells are drawn from the law of the columns given the known cells of the vertex, never given its block: predictions
    are of vertices whose block is not known. The random stream is always the same.
    """
    assert design.blanks is not None
    vertices = np.flatnonzero(design.blanks.has_any)
    parts = Parts(
        imputed.start, imputed.feature, imputed.column, imputed.feature_of_number, imputed.column_of_number
    )  # fmt: skip
    x, missing = rows_of_vertices(design, vertices), missing_of(design, 0)[vertices]
    codes, numbers = code_cells(parts, x, missing)
    rng, n_laws = stream(0, "completion"), len(imputed.law)
    n_values, n_numbers = len(parts.feature), len(parts.number)
    completed = []
    for number in range(N_COMPLETIONS):
        table = imputed.law[number * n_laws // N_COMPLETIONS]
        law = Mixture(table[:, 0], *np.split(table[:, 1:], [n_values, n_values + n_numbers], axis=1))
        completed.append(_fill(x, parts, missing, *complete_rows(rng, law, parts, codes, numbers)))
    plain = np.setdiff1d(np.arange(design.n_nodes), vertices)
    whole = sp.csr_array(sp.vstack([rows_of_vertices(design, plain), *completed], format="csr"))
    merged = merge_rows(whole)
    n_each = np.ones(len(plain)), np.full(N_COMPLETIONS * len(vertices), 1 / N_COMPLETIONS)
    owner = np.concatenate((plain, np.tile(vertices, N_COMPLETIONS)))
    shares = sp.coo_array(
        (np.concatenate(n_each), (owner, merged.group)), shape=(design.n_nodes, len(merged.counts))
    ).tocsr()  # fmt: skip
    return replace(design, x=merged.x, blanks=None, shares=sp.csr_array(shares))


def _fill(x: sp.csr_array, parts: Parts, missing: Array, codes: Array, numbers: Array) -> sp.csr_array:
    """Return the rows with values and numbers in their unknown cells."""
    row, part = np.nonzero(missing[:, parts.column])
    feature = parts.feature[codes[row, part]]
    sets = feature >= 0
    at, number = np.nonzero(missing[:, parts.number_column])
    entries = sp.coo_array(x)
    filled = sp.csr_array(
        sp.coo_array(
            (
                np.concatenate((entries.data, np.ones(int(sets.sum())), numbers[at, number])),
                (
                    np.concatenate((entries.row, row[sets], at)),
                    np.concatenate((entries.col, feature[sets], parts.number[number])),
                ),
            ),
            shape=x.shape,
        ).tocsr()
    )
    filled.sort_indices()
    return filled
