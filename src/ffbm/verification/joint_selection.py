"""Checks of the joint chain under the learned prior: exact laws of tiny networks, and calibration.

The law of (b, inclusion) sums over all labels and all sets of columns; the weights and scales of each set are
integrated over points that fill their prior evenly (Sobol's). In the calibration omega, inclusion, scales and weights
are drawn from the prior, labels from the weights and a multigraph from the labels; the truth is then one more draw.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, log_softmax
from scipy.stats import chi2, norm, qmc

from ffbm.blocks.entropy import description_length
from ffbm.joint.chain import JointSettings
from ffbm.joint.selection import ColumnDraws, ColumnSetup, advance, column_setup, start
from ffbm.rng import child_seed, stream
from ffbm.simulation.memberships import draw_labels
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.theta.target import selection_energy
from ffbm.types import Array
from ffbm.verification.calibration import N_DRAWS, Size
from ffbm.verification.enumeration import graph_of
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.joint_laws import moments_of_draws, moments_of_labels
from ffbm.verification.ranks import rank_among
from ffbm.verification.selection import calibrate_columns

BOUNDS = (0.02, 0.02, 0.04, 0.02)  # of co-membership, inclusion, E[ln(1 + |V_g|^2)], an empty block
RUNS = 8
SIZES = (Size(8, 4, 10), Size(30, 3, 60))
BURN, THIN = 60, 5


class Case(NamedTuple):
    """A tiny network with columns."""

    edges: tuple[tuple[int, int], ...]
    features: tuple[tuple[float, ...], ...]  # of each vertex
    columns: tuple[int, ...]  # the column of each feature
    held_out: tuple[int, ...] = ()
    n_blocks: int = 2
    gap: int = 1  # sweeps over labels for one over columns, and between draws

    @property
    def x(self) -> Array:
        """The features and an intercept (N, D + 1)."""
        return np.column_stack((np.array(self.features, dtype=float), np.ones(len(self.features))))

    @property
    def trained(self) -> Array:
        """The training vertices."""
        return np.setdiff1d(np.arange(len(self.features)), self.held_out)


class Moments(NamedTuple):
    """What is compared."""

    together: Array  # (N, N): the probability that two vertices share a block
    inclusion: Array  # (G,), of each node of a tree (C, G)
    size: Array  # the same: E[ln(1 + |V_g|^2)]
    empty: float  # the probability that a block is empty


CASES = {
    "a flag": Case(((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3)), ((1,), (1,), (0,), (1,), (0,)), (0,)),
    "two columns, held out": Case(
        ((0, 1), (0, 1), (2, 3), (3, 4), (4, 4), (0, 5), (1, 5)),
        ((1, 2), (1, 1), (1, 0), (0, -1), (0, -2), (1, 3)),
        (0, 1),
        held_out=(5,),
        gap=2,
    ),
    "three blocks, two values": Case(
        ((0, 1), (0, 1), (2, 3), (2, 3), (4, 4)), ((1, 0), (1, 0), (0, 1), (0, 1), (0, 0)), (0, 0), n_blocks=3
    ),
}
_QUICK = ("two columns, held out",)


def exact_moments(case: Case, n_points: int = 12) -> Moments:
    """Sum over labels and sets of columns, and integrate over 2^n_points points of each set's weights and scales.

    >>> flag = exact_moments(CASES["a flag"], 10)
    >>> flag.together.shape, bool(0.3 < flag.inclusion[0] < 0.7)
    ((5, 5), True)
    """
    x, trained, n_blocks = case.x, case.trained, case.n_blocks
    n_columns = max(case.columns) + 1
    states = np.array(list(product(range(n_blocks), repeat=len(x))))
    s = np.array([description_length(graph_of(case.edges, len(x)), b).without_partition for b in states])
    sets = [np.array(one, dtype=bool) for one in product((False, True), repeat=n_columns)]
    mass, sizes = np.empty((len(sets), len(states))), np.zeros((len(sets), len(states), n_columns))
    for at, inside in enumerate(sets):
        w = prior_points(case.columns, inside, n_blocks, n_points)
        log_p = log_softmax(np.einsum("pbd,nd->pnb", w, x[trained]), axis=2)
        likelihood = np.zeros((len(w), len(states)))
        for i, v in enumerate(trained):
            likelihood += log_p[:, i, states[:, v]]
        share, k = np.exp(likelihood) / len(w), int(inside.sum())
        log_prior = betaln(1 + k, 2 * n_columns - k) - betaln(1, n_columns)
        weight = np.exp(log_prior - (s - s.min()))
        mass[at] = weight * share.sum(axis=0)
        for g in np.flatnonzero(inside):
            size = np.log1p((w[:, :, [*np.equal(case.columns, g), False]] ** 2).sum(axis=(1, 2)))
            sizes[at, :, g] = weight * (size @ share)
    total = mass.sum()
    together, empty = moments_of_labels(states, mass.sum(axis=0) / total, n_blocks)
    inclusion = np.array(sets).T @ mass.sum(axis=1) / total
    return Moments(together, inclusion, sizes.sum(axis=(0, 1)) / total, empty)


def prior_points(columns: Sequence[int] | Array, inside: Array, n_blocks: int, n_points: int) -> Array:
    """Return contrasts (P, B, D + 1) of a set of columns that fill their prior evenly, scales included."""
    column = np.asarray(columns)
    of_feature = inside[column]
    n_free = (n_blocks - 1) * (int(of_feature.sum()) + 1)
    u = qmc.Sobol(n_free + len(inside), seed=1).random_base2(n_points)
    v = norm.ppf(u[:, :n_free]).reshape(len(u), n_blocks - 1, -1)
    scale = np.sqrt(3 / chi2.ppf(u[:, n_free:], 3))
    basis = np.linalg.qr(np.column_stack((np.ones(n_blocks), np.eye(n_blocks)[:, 1:])))[0][:, 1:]
    w = np.zeros((len(u), n_blocks, len(column) + 1))
    w[:, :, [*of_feature, True]] = np.einsum("br,prd->pbd", basis, v)
    w[:, :, :-1] *= scale[:, np.newaxis, column]
    w[:, :, -1] *= INTERCEPT_SD
    return w


def setup_of(case: Case, settings: JointSettings) -> ColumnSetup:
    """Return what the chains of a case share."""
    groups: dict[str, list[str]] = {}
    for d, g in enumerate(case.columns):
        groups.setdefault(f"column {g}", []).append(str(d))
    graph = graph_of(case.edges, len(case.features))
    x = np.array(case.features, dtype=float)
    chain_settings = settings._replace(thin=case.gap)
    setup = column_setup(graph, x, case.n_blocks, chain_settings, case.trained, True, INTERCEPT_SD, groups)
    return setup._replace(gap=case.gap)


def sampled_moments(case: Case, settings: JointSettings, n_sweeps: int, effort: Effort) -> Moments:
    """Run 8 chains, every second from all columns, and return the same from their draws."""
    runs = effort.each(partial(_draws, case, settings, n_sweeps, effort.seed), range(RUNS))
    return Moments(*(np.mean([getattr(part, name) for part in runs], axis=0) for name in Moments._fields))


def _draws(case: Case, settings: JointSettings, n_sweeps: int, seed: int, number: int) -> Moments:
    rng = np.random.default_rng([seed, number, len(case.features)])
    setup = setup_of(case, settings)
    state = start(setup, rng.integers(0, case.n_blocks, len(case.features)), rng, full=number % 2 == 1)
    _, draws = advance(setup, state, settings.burn + case.gap * n_sweeps)
    together, empty = moments_of_draws(draws.labels, case.n_blocks)
    columns = np.array(case.columns)
    squares = [(draws.weights[:, :, :-1][:, :, columns == g] ** 2).sum(axis=(1, 2)) for g in range(max(columns) + 1)]
    return Moments(together, draws.chance.mean(axis=0), np.log1p(squares).mean(axis=1), empty)


def follow_the_law(name: str, effort: Effort, settings: JointSettings | None = None) -> Finding:
    """Compare chains with the exact law; the figure is the worst difference as a share of what is allowed."""
    case, n_sweeps = CASES[name], 20_000 if effort.full else 800
    chosen = JointSettings(60, 1, jumps=0.5, shifts=1.5) if settings is None else settings
    return compare_moments(
        exact_moments(case, 14 if effort.full else 11), sampled_moments(case, chosen, n_sweeps, effort), effort
    )


def compare_moments(exact: Moments, sampled: Moments, effort: Effort) -> Finding:
    """Return the worst difference as a share of what is allowed, twice as much in quick runs."""
    pairs: list[tuple[Any, Any]] = list(zip(exact, sampled, strict=True))
    parts = [float(np.abs(np.subtract(one, other)).max()) for one, other in pairs]
    share = 1.0 if effort.full else 2.0  # quick runs are a 25th as long
    worst = max(part / (share * bound) for part, bound in zip(parts, BOUNDS, strict=True))
    allowed = [share * bound for bound in BOUNDS]
    return Finding(worst, 1.0, details={**dict(zip(Moments._fields, parts, strict=True)), "allowed": allowed})


COLUMN = np.array([0, 1, 1, 2, -1])  # a flag, two values, a number, and the intercept
GROUPS = {"flag": ["0"], "values": ["1", "2"], "number": ["3"]}
QUANTITIES = (
    "S",
    "ln p(b|W,X)",
    "log joint",
    *(f"|V|^2 of {name}" for name in GROUPS),
    *(f"s of {name}" for name in GROUPS),
    "columns inside",
    "co-members with equal flag",
    "blocks in use",
    "intercept of vertex 0 less that of vertex 1",
)


class Problem(NamedTuple):
    """A simulated network, with vertices held out, and the truth as a draw."""

    graph: Any
    x: Array  # (N, 5), the intercept last
    rows: Array
    n_blocks: int
    truth: ColumnDraws
    seed: int


def pose(size: Size, seed: int) -> Problem:
    """Draw features, and the rest of the model given them."""
    rng = stream(seed, "model")
    return draw_given(rng, draw_features(rng, size.n_nodes), size, seed)


def draw_features(rng: np.random.Generator, n_nodes: int) -> Array:
    """Return a flag, two of three values, a number and a constant (N, 5)."""
    value = rng.integers(0, 3, n_nodes)
    return np.column_stack(
        (rng.random(n_nodes) < 0.5, value == 0, value == 1, rng.normal(size=n_nodes), np.ones(n_nodes))
    ).astype(float)


def draw_given(rng: np.random.Generator, x: Array, size: Size, seed: int) -> Problem:
    """Draw from the model given features; to vertices that are held out they say nothing."""
    n_nodes, n_blocks, n_edges = size
    rows = np.arange(n_nodes - n_nodes // 5)
    inside = rng.random(len(GROUPS)) < rng.beta(1, len(GROUPS))
    scales = np.sqrt(3 / rng.chisquare(3, len(GROUPS)))
    w = rng.normal(size=(n_blocks, len(COLUMN))) * np.append(np.where(inside, scales, 0.0), INTERCEPT_SD)[COLUMN]
    w -= w.mean(axis=0)
    x_of_labels = x.copy()
    x_of_labels[len(rows) :] = 0
    b = draw_labels(rng, x_of_labels, w)
    graph = draw_multigraph(rng, b, n_blocks, n_edges)
    s = description_length(graph, b).without_partition
    energy = selection_energy(w, inside, x[rows], np.eye(n_blocks)[b[rows]], COLUMN, INTERCEPT_SD)
    draw = ColumnDraws(b, s, 0.0, inside, inside, scales, w, energy, 0.0, np.zeros(5))  # type: ignore[arg-type]
    return Problem(graph, x, rows, n_blocks, ColumnDraws(*(np.asarray(part)[np.newaxis] for part in draw)), seed)


def quantities(problem: Problem, draws: ColumnDraws) -> Array:
    """Return the ranked functions (Q, T) of draws."""
    x, rows, labels, w = problem.x, problem.rows, draws.labels.astype(np.int64), draws.weights
    log_p = log_softmax(np.einsum("nd,tbd->tnb", x[rows], w), axis=2)
    likelihood = np.take_along_axis(log_p, labels[:, rows, np.newaxis], axis=2).sum(axis=(1, 2))
    flagged = rows[x[rows, 0] == 1]
    with_flag = labels[:, flagged]
    first, second = (np.take_along_axis(w[:, :, -1], labels[:, [i]], axis=1)[:, 0] for i in (0, 1))
    return np.stack(
        (
            np.round(draws.entropy, 9),
            likelihood,
            np.round(-draws.entropy - draws.energy, 9),
            *((w[:, :, g == COLUMN] ** 2).sum(axis=(1, 2)) for g in range(len(GROUPS))),
            *draws.scales.T,
            draws.inclusion.sum(axis=1),
            (with_flag[:, :, np.newaxis] == with_flag[:, np.newaxis, :]).sum(axis=(1, 2)),
            [len(np.unique(b)) for b in labels],
            first - second,
        )
    )


def rank_of_truth(size: Size, seed: int, number: int) -> Array:
    """Return the rank of the truth in each quantity, then inclusion probabilities, then the true inclusion."""
    problem = pose(size, child_seed(seed, "joint selection", *size, number))
    rng = stream(problem.seed, "chain")
    settings = JointSettings(BURN, THIN, jumps=0.5, shifts=0.2)
    x = problem.x[:, :-1]
    setup = column_setup(problem.graph, x, problem.n_blocks, settings, problem.rows, column_groups=GROUPS)
    labels = rng.integers(0, problem.n_blocks, len(x))
    _, drawn = advance(setup, start(setup, labels, rng, number % 2 == 1), BURN + THIN * N_DRAWS)
    draws, at = quantities(problem, drawn), quantities(problem, problem.truth)
    return np.concatenate((rank_among(draws, at[:, 0], rng), drawn.chance.mean(axis=0), problem.truth.inclusion[0]))


def uniform_ranks(effort: Effort) -> Finding:
    """Run the calibration: 300 networks of each size in full runs, 15 of the smaller one else."""
    sizes = SIZES if effort.full else SIZES[:1]
    return calibrate_columns(rank_of_truth, QUANTITIES, sizes, effort, 300 if effort.full else 15)


CHECKS = (
    *(
        Check(
            f"p(b,inclusion|A,X): {name}",
            "worst difference from the exact law, as a share of what is allowed: co-membership, inclusion and an empty "
            "block 0.02, E[ln(1 + |V_g|^2)] 0.04 (quick runs: twice that)",
            "labels that the columns do not see, or a field of other columns; a scale or an inclusion counted wrongly",
            partial(follow_the_law, name),
            full_only=name not in _QUICK,
        )
        for name in CASES
    ),
    Check(
        "calibration: joint selection of columns",
        "smallest p of uniform ranks of the truth among draws, and of the rate of true inclusion",
        "any posterior of labels, columns and weights that is not the model's own",
        uniform_ranks,
    ),
)
