"""Calibration of unknown cells in the joint posterior: table, columns, weights, labels and graph drawn from the model.

Numbers are lost at random, flags and values more often where the number is known and above 0: missing at random given
what is left. The truth, labels, columns, weights and cells, is one more draw of the posterior: its rank is uniform.
"""

import numpy as np
from scipy.special import log_softmax

from ffbm.blocks.entropy import description_length
from ffbm.joint.chain import JointSettings
from ffbm.joint.selection import advance, column_setup, start
from ffbm.rng import child_seed
from ffbm.simulation.memberships import draw_labels
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Array, Graph
from ffbm.verification.calibration import Size
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.imputation import PARTS, design_of, draw_table, matrix_of
from ffbm.verification.ranks import calibrate, rank_among

SIZE, N_TRAINED = Size(16, 2, 40), 13
N_DRAWS, THIN, BURN, GAP = 39, 8, 100, 2
N_BINS = 5
OF_FEATURE = np.array([0, 1, 1, 1, 2, -1])
MISSING = (0.25, 0.5, 0.3)  # of flags and values: else, and where a number above 0 is known; of numbers
QUANTITIES = (
    "S", "ln p(b|W,X)", "|V|^2 of the flag", "|V|^2 of values", "|V|^2 of the number", "columns inside",
    "missing flags set", "missing values a", "sum of missing numbers", "missing flags in the block of vertex 0",
)  # fmt: skip


def rank_of_truth(size: Size, seed: int, number: int) -> Array:
    """Draw from the model, take cells away and return the rank (Q,) of the truth among draws."""
    n_nodes, n_blocks, n_edges = size
    rng = np.random.default_rng([child_seed(seed, "joint imputation", number) % 2**32, 13])
    codes, numbers = draw_table(rng, n_nodes)
    inside = rng.random(3) < rng.beta(1, 3)
    scales = np.where(inside, np.sqrt(3 / rng.chisquare(3, 3)), 0.0)
    w = rng.normal(size=(n_blocks, len(OF_FEATURE))) * np.append(scales, INTERCEPT_SD)[OF_FEATURE]
    w -= w.mean(axis=0)
    x = np.column_stack((matrix_of(codes, numbers), np.ones(n_nodes)))
    x[N_TRAINED:] = 0.0  # to vertices that are held out features say nothing
    b = draw_labels(rng, x, w)
    graph = draw_multigraph(rng, b, n_blocks, n_edges)
    missing = np.zeros((n_nodes, 3), dtype=bool)
    missing[:, 2] = rng.random(n_nodes) < MISSING[2]
    is_high = ~missing[:, 2] & (numbers[:, 0] > 0)
    missing[:, :2] = rng.random((n_nodes, 2)) < np.where(is_high, MISSING[1], MISSING[0])[:, np.newaxis]
    missing[0] = False
    settings = JointSettings(BURN, THIN, jumps=0.5, shifts=0.2)
    setup = column_setup(graph, design_of(matrix_of(codes, numbers), missing), n_blocks, settings, np.arange(N_TRAINED))
    setup = setup._replace(gap=GAP)
    state = start(setup, rng.integers(0, n_blocks, n_nodes), rng, full=number % 2 == 1)
    state, _ = advance(setup, state, BURN)
    assert setup.model.unknown is not None
    idle, draws = setup.model.training.rows.idle, []
    w[:, idle] = 0.0  # those of features that no training vertex can have are not sampled
    for _ in range(N_DRAWS):
        state, drawn = advance(setup, state, THIN)
        cells = setup.model.unknown.cells.complete(state.cells)
        draws.append(
            quantities(graph, drawn.labels[0].astype(np.int64), drawn.inclusion[0], drawn.weights[0], cells, missing)
        )
    truth = quantities(graph, b, inside, w, (codes, numbers), missing)
    return rank_among(np.array(draws).T, truth, rng)


def quantities(graph: Graph, b: Array, inside: Array, w: Array, cells: tuple[Array, Array], missing: Array) -> Array:
    """Return the ranked functions (Q,) of labels, columns, contrasts (B, 6), the intercept last, and all cells."""
    codes, numbers = cells
    x = np.column_stack((matrix_of(codes, numbers), np.ones(len(codes))))[:N_TRAINED]
    fit = log_softmax(x @ w.T, axis=1)[np.arange(N_TRAINED), b[:N_TRAINED]].sum()
    flags = missing[:, 0] & (codes[:, 0] == PARTS.start[0] + 1)
    return np.array(
        [
            round(description_length(graph, b).without_partition, 9),
            fit,
            *((w[:, g == OF_FEATURE] ** 2).sum() for g in range(3)),
            inside.sum(),
            flags.sum(),
            (codes[missing[:, 1], 1] == PARTS.start[1]).sum(),
            numbers[missing[:, 2]].sum(),
            (flags & (b == b[0])).sum(),
        ]
    )


def uniform_ranks(effort: Effort) -> Finding:
    """Rank the truth in 300 networks in full runs, 20 else; return the smallest p of uniform ranks."""
    n_networks = 300 if effort.full else 20
    return calibrate(rank_of_truth, QUANTITIES, {SIZE.name: SIZE}, n_networks, N_DRAWS, N_BINS, effort)


CHECKS = (
    Check(
        "calibration: missing cells, joint",
        "smallest p of uniform ranks of true labels, columns, weights and cells among draws",
        "labels that do not see the cells, cells that do not see the labels, columns that come in or go out too easily",
        uniform_ranks,
        full_only=True,
    ),
)
