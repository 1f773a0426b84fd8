"""Calibration of the selection of columns, and Geweke's test of its moves.

Columns, scales, weights and an intercept are drawn from the learned prior, and labels from them. Then the truth is one
more draw of the posterior: its rank among draws is uniform, and columns that are included with probability p are
included in truth at that rate. Geweke's test moves the state given the labels, then draws labels given the state, and
so on: the law of both must not change.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from ffbm.rng import child_seed
from ffbm.theta.adapt import first_adaptation
from ffbm.theta.prepare import WeightTarget, weight_target
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.theta.selection import SelectionSetup, SelectionState, advance_selection, set_up_selection, start_selection
from ffbm.theta.target import selection_energy
from ffbm.types import Array
from ffbm.verification.calibration import Size
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.geweke import compare_means
from ffbm.verification.ranks import calibrate, rank_among
from ffbm.verification.selection_laws import CHECKS as LAWS

N_DRAWS, THIN, N_WARMUP = 99, 4, 40
N_BINS, FEW_BINS = 10, 5
GROUPS = {"flag": ["0"], "three values": ["1", "2", "3"], "twin": ["4"], "number": ["5"], "rare": ["6"]}
COLUMN = np.array([0, 1, 1, 1, 2, 3, 4, -1])
QUANTITIES = (
    *(f"s of {name}" for name in GROUPS),
    *(f"|V|^2 of {name}" for name in GROUPS),
    "intercept contrast",
    "log joint",
)
FUNCTIONS = (  # of Geweke's test
    *(f"{name} inside" for name in GROUPS),
    *(f"ln s of {name}" for name in GROUPS),
    *(f"ln(1 + |V|^2) of {name}" for name in GROUPS),
    "columns inside",
    "their number squared",
    "|intercept|^2",
    "squared sizes of blocks",
)


SIZES = (Size(24, 3, 0), Size(60, 2, 0))  # no edges: labels are given


class Truth(NamedTuple):
    """A draw from the prior: which columns are inside, their scales, and contrasts (B, D), the intercept last."""

    inside: Array
    scales: Array
    weights: Array


def draw_features(rng: np.random.Generator, n_nodes: int) -> Array:
    """Return a flag, three values that most vertices have one of, a twin of the flag, a number and a rare flag."""
    flag = rng.random(n_nodes) < 0.5
    value = rng.integers(0, 4, n_nodes)
    twin = flag ^ (rng.random(n_nodes) < 0.1)
    rare = np.arange(n_nodes) < 2
    return np.column_stack((flag, *(value == v for v in range(3)), twin, rng.normal(size=n_nodes), rare)).astype(float)


def draw_truth(rng: np.random.Generator, n_blocks: int) -> Truth:
    """Draw from the learned prior."""
    inside = rng.random(len(GROUPS)) < rng.beta(1, len(GROUPS))
    scales = np.sqrt(3 / rng.chisquare(3, len(GROUPS)))
    of_feature = np.append(np.where(inside, scales, 0.0), INTERCEPT_SD)[COLUMN]
    w = rng.normal(size=(n_blocks, len(COLUMN))) * of_feature
    return Truth(inside, scales, w - w.mean(axis=0))


def draw_memberships(rng: np.random.Generator, x: Array, w: Array) -> Array:
    """Draw a label for each vertex, and return them as memberships (N, B)."""
    p = softmax(np.column_stack((x, np.ones(len(x)))) @ w.T, axis=1)
    labels = (p.cumsum(axis=1) < rng.random((len(x), 1))).sum(axis=1)
    return np.eye(w.shape[0])[np.minimum(labels, w.shape[0] - 1)]


def quantities(inside: Array, scales: Array, w: Array, energy: float) -> Array:
    """Return the ranked functions (Q,) of one state."""
    squares = [(w[:, g == COLUMN] ** 2).sum() for g in range(len(inside))]
    return np.array([*scales, *squares, w[0, -1] - w[1, -1], -energy])


def rank_of_truth(size: Size, seed: int, number: int) -> Array:
    """Return the rank of the truth in each quantity, then inclusion probabilities, then the true inclusion."""
    data_seed = child_seed(seed, "selection", size.n_nodes, size.n_blocks, number)
    rng = np.random.default_rng([data_seed % 2**32, 7])
    x, truth = draw_features(rng, size.n_nodes), draw_truth(rng, size.n_blocks)
    y = draw_memberships(rng, x, truth.weights)
    target = _target(x, y)
    setup = set_up_selection(target, N_WARMUP, np.zeros_like(target.sums))
    state = start_selection(setup, rng, full=number % 2 == 1)
    _, drawn = advance_selection(setup, state, N_WARMUP + N_DRAWS * THIN)
    kept = range(THIN - 1, N_DRAWS * THIN, THIN)
    draws = np.array([quantities(drawn.inclusion[t], drawn.scales[t], drawn.weights[t], drawn.energy[t]) for t in kept])
    with_one = np.column_stack((x, np.ones(len(x))))
    energy = selection_energy(truth.weights, truth.inside, with_one, y, COLUMN, INTERCEPT_SD)
    true = quantities(truth.inside, truth.scales, truth.weights, energy)
    return np.concatenate((rank_among(draws.T, true, rng), drawn.chance.mean(axis=0), truth.inside))


def _target(x: Array, y: Array) -> WeightTarget:
    return weight_target(x, y, intercept=True, weight_prior="learned", column_groups=GROUPS)


def geweke_means(moves: bool, seed: int, n_steps: int, number: int) -> Array:
    """Return means of functions of (state, labels) along a run: of the moves, or of fresh draws from the model."""
    size = SIZES[0]
    rng = np.random.default_rng([seed, number, int(moves)])
    x = draw_features(np.random.default_rng(5), size.n_nodes)
    truth = draw_truth(rng, size.n_blocks)
    y = draw_memberships(rng, x, truth.weights)
    target = _target(x, y)
    active = target.training.rows.active
    setup = set_up_selection(target, 0, np.zeros_like(target.sums))
    every = np.ones(len(GROUPS))  # all columns are visited, and all are tried by bridges
    state = SelectionState(
        np.ascontiguousarray(truth.weights.T[active]), truth.inside.copy(), first_adaptation(0.3),
        np.zeros(len(GROUPS)), every, every, np.zeros(1, np.int64), np.ones(1, np.int64), rng,
    )  # fmt: skip
    means = []
    for _ in range(n_steps):
        if moves:
            setup = SelectionSetup(_with_response(target, y), *setup[1:])
            state, drawn = advance_selection(setup, state, 1)
            truth = Truth(drawn.inclusion[0], drawn.scales[0], drawn.weights[0])
        else:
            truth = draw_truth(rng, size.n_blocks)
        y = draw_memberships(rng, x, truth.weights)
        means.append(_functions(truth, y))
    return np.mean(means, axis=0)


def _functions(truth: Truth, y: Array) -> Array:
    squares = [(truth.weights[:, g == COLUMN] ** 2).sum() for g in range(len(GROUPS))]
    sizes = y.sum(axis=0)
    counts = [truth.inside.sum(), truth.inside.sum() ** 2, (truth.weights[:, -1] ** 2).sum(), (sizes**2).sum()]
    return np.array([*truth.inside, *np.log(truth.scales), *np.log1p(squares), *counts])


def _with_response(target: WeightTarget, y: Array) -> WeightTarget:
    training = target.training
    sums = training.sums(y[training.vertices])
    return WeightTarget(training, sums, target.scale, groups=target.groups, intercept_sd=target.intercept_sd)


def law_kept(effort: Effort) -> Finding:
    """Run Geweke's test: compare means along runs of the moves with those of fresh draws."""
    n_runs, n_steps = (200, 300) if effort.full else (40, 40)
    chain, fresh = (partial(geweke_means, moves) for moves in (True, False))
    return compare_means(FUNCTIONS, chain, fresh, n_runs, n_steps, effort)


def calibrate_columns(
    rank: Callable[[Size, int, int], Array], names: Sequence[str], sizes: Sequence[Size], effort: Effort, n_sets: int
) -> Finding:
    """Calibrate a sampler that selects columns on so many data sets of each size."""
    named, n_bins = {size.name: size for size in sizes}, N_BINS if n_sets >= 10 * N_BINS else FEW_BINS
    return calibrate(rank, names, named, n_sets, N_DRAWS, n_bins, effort)


def uniform_ranks(effort: Effort) -> Finding:
    """Run the calibration: 300 data sets of each size in full runs, 40 of one size else."""
    sizes = SIZES if effort.full else SIZES[:1]
    return calibrate_columns(rank_of_truth, QUANTITIES, sizes, effort, 300 if effort.full else 40)


CHECKS = (
    *LAWS,
    Check(
        "calibration: selection of columns",
        "smallest p of uniform ranks of the truth among draws, and of the rate of true inclusion",
        "any posterior that is not the model's own: omega's counting, a proposal density or a volume left out",
        uniform_ranks,
    ),
    Check(
        "Geweke: selection of columns",
        "smallest p of equal means along runs of the moves and in fresh draws",
        "a move of columns, intercept or weights that does not keep the posterior",
        law_kept,
    ),
)
