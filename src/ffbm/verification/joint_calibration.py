"""Simulation-based calibration of the joint posterior, with the cut posterior beside it.

Weights from the prior, labels from the weights, a multigraph from the labels: among draws from p(b, theta | A, X) the
truth is one more, and the rank of any function of (b, W, A) that does not depend on labels is uniform. The cut
posterior, p(b | A) p(theta | b, X), is not the model's own, and its ranks show it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from ffbm.blocks.align import align_blocks
from ffbm.blocks.entropy import description_length
from ffbm.blocks.seeds import random_labels
from ffbm.joint.chain import JointSettings, JointSetup, advance, start
from ffbm.joint.prepare import joint_model
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.drawn import LEAST_EACH, sample_weights_drawn
from ffbm.rng import child_seed, stream
from ffbm.simulation import simulate
from ffbm.types import Array, Graph
from ffbm.verification.calibration import N_DRAWS, SIZES, Size, bins_for
from ffbm.verification.findings import Effort, Finding
from ffbm.verification.ranks import calibrate, rank_among

SIGMA, N_FEATURES = 1.5, 2
BURN, THIN = 300, 20
QUANTITIES = (
    "S",
    "ln p(b|W,X)",
    "log joint",
    "|W centred|^2",
    "co-members with equal x",
    "blocks in use",
    "centred weight of vertex 0",
    "its difference to vertex 1",
    "W[0,0], blocks numbered at random",
)
WRONG_UNDER_CUT = QUANTITIES[1:5]
Draws = tuple[Array, Array]  # labels (T, N), weights (T, B, D)


class Problem(NamedTuple):
    """A simulated network, with vertices held out."""

    graph: Graph
    x: Array
    rows: Array  # the training vertices
    n_blocks: int
    seed: int


def pose(size: Size, seed: int) -> tuple[Problem, Array, Array]:
    """Return a problem, its labels and its weights.

    The labels of held-out vertices are drawn without features, which is what the target says of them; the features that
    the sampler is given for them mean nothing.
    """
    n_trained = size.n_nodes - size.n_nodes // 5
    rng = stream(seed, "features")
    x = (rng.random((size.n_nodes, N_FEATURES)) < 0.5).astype(float)
    x_of_labels = x.copy()
    x_of_labels[n_trained:] = 0
    simulation = simulate(*size, features=x_of_labels, exact=True, sigma=SIGMA, seed=seed)
    problem = Problem(simulation.network.graph, x, np.arange(n_trained), size.n_blocks, seed)
    return problem, simulation.labels, np.asarray(simulation.weights)


def sample_jointly(problem: Problem) -> Draws:
    """Draw from the joint posterior."""
    rng = stream(problem.seed, "joint")
    model = joint_model(problem.graph, problem.x, problem.n_blocks, problem.rows, SIGMA)
    setup = JointSetup(model, JointSettings(BURN, THIN, n_warmup=50, jumps=0.5, shifts=0.2))
    state = start(setup, rng.integers(0, problem.n_blocks, problem.graph.n_nodes), rng)
    _, draws = advance(setup, state, BURN + THIN * N_DRAWS)
    return draws.labels.astype(np.int64), draws.weights


def sample_cut(problem: Problem) -> Draws:
    """Draw b from p(b | A), a block may be empty, and for each the weights from p(theta | b, X)."""
    initial = random_labels(problem.graph.n_nodes, problem.n_blocks, stream(problem.seed, "cut"))
    n_sweeps = BURN + THIN * N_DRAWS
    blocks = sample_blocks(
        problem.graph, problem.n_blocks, n_sweeps, BURN / n_sweeps, THIN, 1, problem.seed, allow_empty=True,
        initial=initial, workers=1, progress=False,
    )  # fmt: skip
    members = align_blocks(blocks)
    trace, _ = sample_weights_drawn(
        problem.x, blocks, members, problem.rows, SIGMA, n_draws=1, n_warmup=0, seed=problem.seed, weight_prior="fixed",
        context=RunContext(1),
    )  # fmt: skip
    labels = np.take_along_axis(members.order[0], blocks.labels[0].astype(np.int64), axis=1)
    return labels[:N_DRAWS], trace.weights[0, ::LEAST_EACH][:N_DRAWS]


SAMPLERS: dict[str, Callable[[Problem], Draws]] = {"joint": sample_jointly, "cut": sample_cut}


def quantities(problem: Problem, labels: Array, w: Array, rng: np.random.Generator) -> Array:
    """Return the ranked functions (Q, T) of labels (T, N) and weights (T, B, D)."""
    x, rows, draw = problem.x, problem.rows, np.arange(len(labels))
    s = _lengths(problem.graph, labels)
    log_p = log_softmax(np.einsum("nd,tbd->tnb", x[rows], w), axis=2)
    likelihood = np.take_along_axis(log_p, labels[:, rows, np.newaxis], axis=2).sum(axis=(1, 2))
    centred = w - w.mean(axis=1, keepdims=True)
    first, second = np.triu_indices(len(rows), 1)
    equal = (x[rows][first] == x[rows][second]).all(axis=1)
    first, second = rows[first[equal]], rows[second[equal]]
    return np.stack(
        (
            np.round(s, 9),
            likelihood,
            likelihood - s - (w**2).sum(axis=(1, 2)) / (2 * SIGMA**2),
            (centred**2).sum(axis=(1, 2)),
            (labels[:, first] == labels[:, second]).sum(axis=1),
            [len(np.unique(b)) for b in labels],
            centred[draw, labels[:, 0], 0],
            centred[draw, labels[:, 0], 0] - centred[draw, labels[:, 1], 0],
            w[draw, rng.integers(0, problem.n_blocks, len(draw)), 0],
        )
    )


def _lengths(graph: Graph, labels: Array) -> Array:
    """Return S (T,) of labels (T, N)."""
    partitions, which = distinct_partitions(labels)
    return np.array([description_length(graph, b).without_partition for b in partitions])[which]


def distinct_partitions(labels: Array) -> tuple[Array, Array]:
    """Return the partitions (P, N) among labels (T, N), and which of them each is: what they cost is computed once.

    >>> [labels.tolist() for labels in distinct_partitions(np.array([[1, 0, 1], [0, 1, 0], [2, 2, 2]]))]
    [[[0, 0, 0], [0, 1, 0]], [1, 1, 0]]
    """
    patterns = (labels[:, :, np.newaxis] == labels[:, np.newaxis, :]).argmax(axis=2)  # the first vertex of each block
    return np.unique(patterns, axis=0, return_inverse=True)


def rank_of_truth(target: str, size: Size, seed: int, number: int) -> Array:
    """Simulate one network, draw labels and weights, and return the rank (Q,) of the truth among the draws, 0 .. 99."""
    problem, b, w = pose(size, child_seed(seed, "joint calibration", *size, number))
    rng = stream(problem.seed, "ranks")
    draws = quantities(problem, *SAMPLERS[target](problem), rng)
    true = quantities(problem, b[np.newaxis], w[np.newaxis], rng)
    return rank_among(draws, true[:, 0], rng)


def calibrate_target(target: str, sizes: Sequence[Size], effort: Effort, n_networks: int) -> Finding:
    """Calibrate the joint or the cut posterior on so many networks of each size."""
    rank, named = partial(rank_of_truth, target), {size.name: size for size in sizes}
    return calibrate(rank, QUANTITIES, named, n_networks, N_DRAWS, bins_for(n_networks), effort)


def uniform_ranks(effort: Effort) -> Finding:
    """Calibrate the joint sampler: 500 networks of each size in full runs, 50 of the smallest else."""
    return calibrate_target("joint", SIZES if effort.full else SIZES[:1], effort, 500 if effort.full else 50)


def cut_fails(effort: Effort) -> Finding:
    """Rank the truth among draws of the cut posterior, which must fail: its largest p over what it gets wrong.

    For each quantity the smallest p of the two larger sizes counts: at N = 8 there is little to tell.
    """
    finding = calibrate_target("cut", SIZES[1:], effort, 500)
    ranks = finding.details["ranks"]
    worst = max(min(entry["p"] for entry in ranks if entry["quantity"] == name) for name in WRONG_UNDER_CUT)
    return Finding(worst, 1e-4, details=finding.details)
