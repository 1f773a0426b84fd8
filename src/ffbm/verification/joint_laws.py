"""The joint posterior of tiny networks, exactly: all labels enumerated, the weights integrated on a grid.

Only the contrasts V of the weights matter, W = Q V with Q (B, B-1) orthonormal and V ~ N(0, sigma^2) a priori, feature
by feature: one number for two blocks and a feature, two for two features or for three blocks, more where a case is
about labels. The law of (b, V) is summed over all b and over points of V.
"""

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax
from scipy.stats import norm, qmc

from ffbm.blocks.entropy import description_length
from ffbm.joint.chain import JointSettings, JointSetup, advance, start
from ffbm.joint.prepare import joint_model
from ffbm.types import Array
from ffbm.verification.enumeration import graph_of
from ffbm.workers import Run

RUNS = 16


class Case(NamedTuple):
    """A tiny network with features."""

    edges: tuple[tuple[int, int], ...]
    features: tuple[tuple[float, ...], ...]  # of each vertex
    held_out: tuple[int, ...] = ()
    sigma: float | tuple[float, ...] = 1.0  # of all features, or of each
    n_blocks: int = 2


class Moments(NamedTuple):
    """What is compared."""

    together: Array  # (N, N): the probability that two vertices share a block
    squares: Array  # (D,): E[(w_0d - w_1d)^2], over all pairs of blocks
    empty: float  # the probability that a block is empty


CASES = {
    "loops and parallels": Case(
        ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3)), ((1,), (1,), (0,), (1,), (0,)), sigma=2.0
    ),
    "isolate": Case(((0, 1), (1, 2), (0, 2), (3, 3)), ((1, 0), (1, 1), (0, 1), (0, 1), (1, 0)), sigma=1.5),
    "held out": Case(
        ((0, 1), (0, 1), (2, 3), (3, 4), (4, 4), (0, 5)),
        ((1, 0), (1, 2), (0, -1), (2, 0), (1, 1), (3, 3)),
        held_out=(1, 5),
        sigma=1.5,
    ),
    "strong features": Case(((0, 1), (2, 3), (1, 2), (4, 4)), ((4,), (4,), (-4,), (-4,), (4,)), sigma=3.0),
    "no edge": Case((), ((1,), (1,), (0,), (-1,)), sigma=2.0),
    "three blocks": Case(
        ((0, 1), (0, 1), (1, 2), (2, 2), (2, 3), (3, 4)), ((2,), (1,), (0,), (-1,), (2,)), (3,), 1.5, 3
    ),
    "unequal scales": Case(
        ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4)),
        ((1, 0), (1, 1), (0, 1), (-1, 1), (1, -1), (2, 2)),
        held_out=(5,),
        sigma=(0.4, 3.0),
    ),
    "many free labels": Case(((0, 1), (0, 1), (1, 2), (2, 2)), ((1,), (0,), (1,), (-1,)), (), 0.5, 6),
}


def exact_moments(case: Case) -> Moments:
    """Enumerate all labels and integrate over the weights."""
    x, n_blocks = np.array(case.features, dtype=float), case.n_blocks
    n_nodes, n_features = x.shape
    graph = graph_of(case.edges, n_nodes)
    training = np.setdiff1d(np.arange(n_nodes), case.held_out)
    v, prior = _points((n_blocks - 1) * n_features)
    v = np.asarray(case.sigma) * v.reshape(-1, n_blocks - 1, n_features)
    basis = np.linalg.qr(np.column_stack((np.ones(n_blocks), np.eye(n_blocks)[:, 1:])))[0][:, 1:]
    w = np.einsum("br,grd->gbd", basis, v)
    log_p = log_softmax(np.einsum("gbd,nd->gnb", w, x[training]), axis=2)
    states = np.array(list(product(range(n_blocks), repeat=n_nodes)))
    logs = np.empty((len(states), len(w)))
    for at, b in enumerate(states):
        likelihood = log_p[:, np.arange(len(training)), b[training]].sum(axis=1)
        logs[at] = prior + likelihood - description_length(graph, b).without_partition
    p = np.exp(logs - logs.max())
    p /= p.sum()
    together, empty = moments_of_labels(states, p.sum(axis=1), n_blocks)
    return Moments(together, p.sum(axis=0) @ mean_squares(w), empty)


def moments_of_labels(labels: Array, weights: Array, n_blocks: int) -> tuple[Array, float]:
    """Return how likely two vertices share a block (N, N), and that a block is empty, under labels (T, N) so weighted.

    >>> moments_of_labels(np.array([[0, 1], [1, 1]]), np.array([0.75, 0.25]), 2)
    (array([[1.  , 0.25],
           [0.25, 1.  ]]), 0.25)
    """
    together = np.einsum("t,tij->ij", weights, (labels[:, :, np.newaxis] == labels[:, np.newaxis, :]).astype(float))
    used = sum((labels == r).any(axis=1).astype(np.int64) for r in range(n_blocks))
    return together, float(weights[used < n_blocks].sum())


def moments_of_draws(labels: Array, n_blocks: int) -> tuple[Array, float]:
    """Return the same of draws, which all count alike."""
    return moments_of_labels(labels, np.full(len(labels), 1 / len(labels)), n_blocks)


def _points(n_free: int) -> tuple[Array, Array]:
    """Return points of a standard normal in so many dimensions, and their log weights.

    A grid in one dimension or two; beyond, points of equal weight that fill the space evenly (Sobol's), which are
    good enough for a likelihood that hardly varies.
    """
    if n_free <= 2:
        line = np.linspace(-7, 7, 1201 if n_free == 1 else 241)
        v = np.stack(np.meshgrid(*[line] * n_free, indexing="ij"), axis=-1).reshape(-1, n_free)
        return v, -(v**2).sum(axis=1) / 2
    v = norm.ppf(qmc.Sobol(n_free, seed=1).random_base2(12))
    return v, np.zeros(len(v))


def mean_squares(w: Array) -> Array:
    """Return the mean over pairs of blocks of (w_rd - w_sd)^2, (T, D), of weights (T, B, D)."""
    r, s = np.triu_indices(w.shape[1], 1)
    return np.asarray(((w[:, r] - w[:, s]) ** 2).mean(axis=1))


def sampled_moments(case: Case, settings: JointSettings, n_sweeps: int, seed: int, each: Run | None = None) -> Moments:
    """Run 16 chains and return the same from their draws."""
    run = partial(_draws, case, settings, n_sweeps, seed)
    moments = each(run, range(RUNS)) if each else [run(number) for number in range(RUNS)]
    together, squares = (np.mean([getattr(part, name) for part in moments], axis=0) for name in Moments._fields[:2])
    return Moments(together, squares, float(np.mean([part.empty for part in moments])))


def _draws(case: Case, settings: JointSettings, n_sweeps: int, seed: int, number: int) -> Moments:
    x = np.array(case.features, dtype=float)
    rng = np.random.default_rng([seed, number, len(x)])
    rows = np.setdiff1d(np.arange(len(x)), case.held_out)
    setup = JointSetup(joint_model(graph_of(case.edges, len(x)), x, case.n_blocks, rows, case.sigma), settings)
    state = start(setup, rng.integers(0, case.n_blocks, len(x)), rng)
    state, draws = advance(setup, state, settings.burn + n_sweeps)
    together, empty = moments_of_draws(draws.labels, case.n_blocks)
    return Moments(together, mean_squares(draws.weights).mean(axis=0), empty)


def distances(exact: Moments, sampled: Moments) -> tuple[float, float, float]:
    """Return the largest differences: of co-membership, of E[(w_0d - w_1d)^2] in proportion, of the empty block."""
    return (
        float(np.abs(exact.together - sampled.together).max()),
        float(np.abs(sampled.squares / exact.squares - 1).max()),
        abs(exact.empty - sampled.empty),
    )
