"""Checks of the evidence: networks so small that all labels can be enumerated, and the weights integrated on a grid.

With two blocks only the differences of weights matter: of a feature's N(0, 2 sigma^2), of intercepts N(0, 2 sd^2);
under the learned prior sqrt(2) times a Student t, if the column is inside.
"""

from functools import partial
from itertools import product

import numpy as np
from scipy.special import betaln, logsumexp
from scipy.stats import t as student

from ffbm.blocks.entropy import description_length
from ffbm.blocks.target import BlockTarget
from ffbm.joint.path import PathDraws, PathSetup, PathState, advance, make_path, start
from ffbm.joint.quadrature import first_points
from ffbm.kernels.slab import DEGREES
from ffbm.pipeline.evidence import Integral, integrate
from ffbm.theta.columns import group_columns
from ffbm.theta.design import make_design
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Array, Graph
from ffbm.verification.enumeration import graph_of
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.workers import Run

_POINTS = 40  # of the grid, in each direction
_VALUES = 8  # of t
_HOT, _BRANCHING = np.array([0.6, 0.2]), (0, 5)  # inverse temperatures, and where hot chains leave the path
_RUNS = 4  # ladders


_EDGES = ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6), (4, 6), (0, 0))
_FLAG_AND_NUMBER = ((1, -1.2), (1, -0.7), (1, -0.3), (0, 0.1), (0, 0.4), (1, 0.6), (0, 1.1))
_SIGMA = 2.0
_BOUND = {True: 0.03, False: 0.15}  # nats, in full and in quick runs
_STEPS = {True: 10_000, False: 600}


def exact_evidence(
    graph: Graph, x: Array, sigma: float | None, intercept_sd: float | None = None, still: Array | None = None
) -> float:
    """Return ln p(A | X) - ln p(A) with two blocks, by sums over all labels and over a grid of weights.

    ``sigma`` None stands for the learned prior, every feature a column of its own; ``intercept_sd`` None for no
    intercept. ``still`` (N, D') are features that both models have, with the same prior.
    """
    n_nodes = len(x)
    states = np.array(list(product((0, 1), repeat=n_nodes)))
    log_p = -np.array([description_length(graph, b).without_partition for b in states])
    x = np.asarray(x, dtype=float)
    still = np.zeros((n_nodes, 0)) if still is None else still
    whole, nothing = np.column_stack((x, still)), np.column_stack((np.zeros_like(x), still))
    with_all, without = (_log_labels(states, features, sigma, intercept_sd) for features in (whole, nothing))
    return float(logsumexp(log_p + with_all) - logsumexp(log_p + without))


def _log_labels(states: Array, x: Array, sigma: float | None, intercept_sd: float | None) -> Array:
    """Return ln p(b | X) of each of the states; a feature that is 0 everywhere says nothing."""
    if sigma is not None:
        return _log_given(states, x[:, x.any(axis=0)], _line(sigma), intercept_sd)
    n = x.shape[1]
    parts = []
    for inside in product((False, True), repeat=n):
        included = x[:, np.array(inside, dtype=bool) & x.any(axis=0)]
        log_prior = betaln(1 + sum(inside), 2 * n - sum(inside)) - betaln(1, n) if n else 0.0
        parts.append(log_prior + _log_given(states, included, _heavy_line(), intercept_sd))
    return np.asarray(logsumexp(parts, axis=0))


def _log_given(states: Array, x: Array, line: tuple[Array, Array], intercept_sd: float | None) -> Array:
    """Return ln p(b | X) of each of the states, every feature's difference of weights on the same line."""
    lines, columns = [line] * x.shape[1], x
    if intercept_sd is not None:
        lines, columns = [*lines, _line(intercept_sd)], np.column_stack((x, np.ones(len(x))))
    if not lines:
        return np.full(len(states), -states.shape[1] * np.log(2))
    points = np.array(list(product(*(points for points, _ in lines))))
    weights = np.array([np.sum(part) for part in product(*(logs for _, logs in lines))])
    z = points @ columns.T  # (G, N): the log odds of block 1
    of_each = states @ z.T - np.logaddexp(0, z).sum(axis=1)
    return np.asarray(logsumexp(of_each + weights, axis=1))


def _line(sigma: float) -> tuple[Array, Array]:
    """Return points of the difference of two weights, and the logs of their probabilities."""
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    return np.sqrt(2) * sigma * points, np.log(weights / weights.sum())


def _heavy_line() -> tuple[Array, Array]:
    """Return the same for weights whose scale is learned: the contrast is Student t with 3 degrees of freedom."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    return np.sqrt(2) * student.ppf((1 + points) / 2, DEGREES), np.log(weights / 2)


def sampled_evidence(
    graph: Graph,
    x: Array,
    sigma: float | None,
    intercept: bool,
    n_steps: int,
    seed: int,
    each: Run | None = None,
    n_still: int = 0,
) -> Integral:
    """Return the same from ladders of chains; the last ``n_still`` features are those that both models have."""
    x = np.asarray(x, dtype=float)
    design = make_design(x, intercept)
    scale = np.array([1.0 if sigma is None else sigma] * x.shape[1] + [INTERCEPT_SD] * intercept)
    t = first_points(_VALUES)
    moving = np.arange(len(scale)) < x.shape[1] - n_still
    groups = group_columns(design) if sigma is None else None
    setup = make_path(BlockTarget(graph), design, 2, scale, moving, groups, t, _HOT, _BRANCHING)
    run = partial(_run, setup, n_steps, seed)
    runs = each(run, range(_RUNS)) if each else [run(number) for number in range(_RUNS)]
    draws = PathDraws(*map(np.array, zip(*(drawn for _, drawn in runs), strict=True)))
    return integrate(t, draws, [state for state, _ in runs])


def _run(setup: PathSetup, n_steps: int, seed: int, number: int) -> tuple[PathState, PathDraws]:
    rng = np.random.default_rng([seed, number])
    n_nodes = setup.chains[0].model.graph.n_nodes
    return advance(setup, start(setup, rng.integers(0, 2, (len(setup.targets), n_nodes)), rng), setup.burn + n_steps)


def meet_the_truth(effort: Effort, learned: bool = False) -> Finding:
    """Compare the integral over t and the stepping stones with the exact evidence."""
    graph, x = graph_of(_EDGES, len(_FLAG_AND_NUMBER)), np.array(_FLAG_AND_NUMBER)
    sigma = None if learned else _SIGMA
    exact = exact_evidence(graph, x, sigma, INTERCEPT_SD)
    estimate = sampled_evidence(graph, x, sigma, True, _STEPS[effort.full], effort.seed, effort.each)
    nats, error = float(estimate.nats[-1]), float(estimate.error[-1])
    doubt = "" if 3 * error <= _BOUND[effort.full] else f"chance alone makes {error:.3f}"
    details = {"exact": exact, "nats": nats, "error": error, "stepping_stone": estimate.stones}
    worst = max(abs(nats - exact), abs(estimate.stones - exact))
    return Finding(worst, _BOUND[effort.full], doubt=doubt, details=details)


CHECKS = (
    Check(
        "evidence",
        "largest difference from the exact ln p(A|X) - ln p(A), nats: integral over t and stepping stones",
        "a gradient without the features' own part, exchanges whatever their ratio, hot draws in the integral",
        meet_the_truth,
    ),
    Check(
        "evidence, learned prior",
        "the same with columns in or out and scales learned",
        "tails of the prior left out of exchanges or of the derivative, a column born with tails of another t",
        partial(meet_the_truth, learned=True),
        full_only=True,
    ),
)
