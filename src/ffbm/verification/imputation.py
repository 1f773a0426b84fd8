"""Calibration of unknown cells: the law of correlated columns, cells, weights and labels drawn from the model itself.

The law of the columns is drawn from its prior, every vertex from it, weights from theirs and labels from the weights.
Then cells are taken away, more often in one block than in the other, which the model allows: missing at random given
the block. The truth, weights and cells, is one more draw of the posterior: its rank among draws is uniform.
"""

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

from ffbm.rng import child_seed
from ffbm.theta.blanks import N_CLASSES
from ffbm.theta.chain import set_up
from ffbm.theta.design import Design, make_design
from ffbm.theta.imputed import ImputedSetup, advance_imputed, start_imputed
from ffbm.theta.mixture import complete_rows, draw_mixture
from ffbm.theta.parts import Parts
from ffbm.theta.prepare import weight_target
from ffbm.theta.response import read_members
from ffbm.theta.unknown import find_unknown
from ffbm.types import Array, Features
from ffbm.verification.calibration import Size
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.ranks import calibrate, rank_among

N_DRAWS, THIN, N_WARMUP = 49, 4, 60
N_BINS = 5
SIZE, SIGMA = Size(30, 2, 0), 1.5  # no edges: labels are drawn from the weights alone
MISSING = (0.2, 0.5)  # the share of missing cells in either block
NAMES = ("flag", "party=a", "party=b", "party=c", "age")
COLUMNS = ("flag", "party", "party", "party", "age")
PARTS = Parts(
    start=np.array([0, 2, 5]),
    feature=np.array([-1, 0, 1, 2, 3]),
    column=np.array([0, 1]),
    number=np.array([4]),
    number_column=np.array([2]),
)
QUANTITIES = (
    "|W centred|^2", "contrast of the flag", "contrast of a value", "contrast of the number", "missing flags set",
    "missing values a", "sum of missing numbers", "ln p(b|W,X)",
)  # fmt: skip


def draw_table(rng: np.random.Generator, n_nodes: int) -> tuple[Array, Array]:
    """Draw the law of the columns from its prior, and the cells of all vertices: values (N, 2) and a number (N, 1)."""
    nobody = np.zeros(0, np.int64), np.zeros((0, 2), np.int64), np.zeros((0, 1))
    law = draw_mixture(rng, PARTS, N_CLASSES, *nobody)
    return complete_rows(rng, law, PARTS, np.full((n_nodes, 2), -1), np.full((n_nodes, 1), np.nan))


def matrix_of(codes: Array, numbers: Array) -> Array:
    """Return the features (N, 5) of these cells."""
    x = np.zeros((len(codes), len(NAMES)))
    feature = PARTS.feature[codes]
    row, part = np.nonzero(feature >= 0)
    x[row, feature[row, part]] = 1.0
    x[:, PARTS.number] = numbers
    return x


def design_of(x: Array, missing: Array) -> Design:
    """Return the design of features (N, 5) whose missing cells (N, 3) are to be sampled, with an intercept."""
    known = np.where(missing[:, [0, 1, 1, 1, 2]], 0.0, x)
    features = Features(known, NAMES, COLUMNS, np.zeros(5), np.array([1, 1, 1, 1, 2.0]), sp.csr_array(missing))
    return make_design(features, True, True)


def quantities(w: Array, codes: Array, numbers: Array, missing: Array, labels: Array) -> Array:
    """Return the ranked functions (Q,) of weights (B, 6), the intercept last, and of all cells."""
    centred = w - w.mean(axis=0)
    x = np.column_stack((matrix_of(codes, numbers), np.ones(len(codes))))
    fit = log_softmax(x @ w.T, axis=1)[np.arange(len(labels)), labels].sum()
    cells = (codes[missing[:, 0], 0] == 1).sum(), (codes[missing[:, 1], 1] == 2).sum(), numbers[missing[:, 2]].sum()
    return np.array([(centred**2).sum(), *(centred[0, [0, 1, 4]]), *cells, fit])


def rank_of_truth(size: Size, seed: int, number: int) -> Array:
    """Draw a table, weights and labels, take cells away and return the rank (Q,) of the truth among draws."""
    table_seed = child_seed(seed, "imputation", number)
    n_nodes, n_blocks, _ = size
    rng = np.random.default_rng([table_seed % 2**32, 11])
    codes, numbers = draw_table(rng, n_nodes)
    x = matrix_of(codes, numbers)
    w = SIGMA * rng.normal(size=(n_blocks, len(NAMES) + 1))
    p = np.exp(log_softmax(np.column_stack((x, np.ones(n_nodes))) @ w.T, axis=1))
    labels = (rng.random(n_nodes) > p[:, 0]).astype(np.int64)
    missing = rng.random((n_nodes, 3)) < np.array(MISSING)[labels][:, np.newaxis]
    missing[0], missing[1] = True, False
    design = design_of(x, missing)
    target = weight_target(design, np.eye(n_blocks)[labels], None, SIGMA, True)
    unknown = find_unknown(target, read_members(np.eye(n_blocks)[labels], n_nodes))
    assert unknown is not None
    completed = unknown.complete(target, unknown.cells.begin(rng))
    model = ImputedSetup(set_up(completed, "hmc", N_WARMUP, rng), unknown)
    state, _ = advance_imputed(model, start_imputed(model, rng), N_WARMUP)
    draws = []
    for _ in range(N_DRAWS):
        state, drawn = advance_imputed(model, state, THIN)
        # the draw is of the weights before the last sweep over the cells: both are draws of the posterior together
        draws.append(quantities(drawn.weights[-1], *unknown.cells.complete(state.cells), missing, labels))
    return rank_among(np.array(draws).T, quantities(w, codes, numbers, missing, labels), rng)


def uniform_ranks(effort: Effort) -> Finding:
    """Rank the truth in 300 tables in full runs, 40 else; return the smallest p of uniform ranks."""
    n_tables = 300 if effort.full else 40
    return calibrate(rank_of_truth, QUANTITIES, {SIZE.name: SIZE}, n_tables, N_DRAWS, N_BINS, effort)


CHECKS = (
    Check(
        "calibration: missing cells",
        "smallest p of uniform ranks of true weights and true cells among draws",
        "cells drawn without their block or without the other columns, cells of the state that rows do not follow",
        uniform_ranks,
    ),
)
