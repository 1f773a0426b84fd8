"""Simulation-based calibration of blocks with weighted edges.

Labels are drawn from the prior on partitions, a multigraph from the labels, and a weight for each edge from the law of
its pair of blocks, whose parameters come from a conjugate prior. Then the true labels are one more draw of
p(b | A, weights): among draws the rank of any function of the partition, the graph and its weights is uniform.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, softmax

from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.edge_weights import pair_sums, weight_nats
from ffbm.blocks.priors import UNIFORM, UNLABELLED, PartitionPrior
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.rng import child_seed, stream
from ffbm.simulation import simulate
from ffbm.types import Array, Graph
from ffbm.verification.calibration import N_DRAWS, Size, bins_for
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.joint_calibration import distinct_partitions
from ffbm.verification.ranks import calibrate, rank_among

SIZES = (Size(8, 4, 16), Size(30, 3, 60))
SETTINGS = BlockSettings(burn=300, thin=20, allow_empty=True, jumps=0.5)
QUANTITIES = (
    "S",
    "its part of the weights",
    "blocks in use",
    "pairs that share a block",
    "pairs of blocks with edges",
    "sum of weights inside blocks",
)


class Law(NamedTuple):
    """What networks are drawn from: a law of weights with its prior, a prior on partitions."""

    model: str
    prior: dict[str, float]
    directed: bool = False
    partitions: PartitionPrior = UNIFORM


LAWS = {
    "geometric": Law("geometric", {"a": 1.0, "b": 6.0}),
    "normal": Law("normal", {"m0": 5.0, "k0": 0.5, "v0": 0.05, "nu0": 4.0}),
    "poisson, directed": Law("poisson", {"a": 2.0, "b": 0.2}, directed=True),
    "exponential, free B": Law("exponential", {"a": 1.0, "b": 10.0}, partitions=UNLABELLED),
    "log-normal, directed, free B": Law(
        "log-normal", {"m0": -3.0, "k0": 0.5, "v0": 0.05, "nu0": 4.0}, directed=True, partitions=UNLABELLED
    ),
}


def draw_partition(rng: np.random.Generator, prior: PartitionPrior, size: Size) -> Array:
    """Draw labels (N,) from a prior on partitions: each label alike, or Peixoto's prior of blocks without labels.

    The latter has 1/N for each number of blocks, then all sizes and all labels alike. Blocks without labels leave one
    of the B! ways to label them, so that a number of blocks has 1/B! of that.

    >>> draw_partition(np.random.default_rng(0), UNLABELLED, Size(6, 6, 0)).tolist()
    [0, 1, 1, 0, 1, 0]
    """
    n = size.n_nodes
    if prior is UNIFORM:
        return rng.integers(0, size.n_blocks, n)
    n_blocks = 1 + rng.choice(n, p=softmax(-gammaln(np.arange(2.0, n + 2))))
    ends = np.sort(rng.choice(n - 1, n_blocks - 1, replace=False)) + 1
    return rng.permutation(np.searchsorted(ends, np.arange(n), side="right"))


def quantities(target: BlockTarget, n_blocks: int, labels: Array) -> Array:
    """Return the ranked functions (Q, T) of labels (T, N)."""
    partitions, which = distinct_partitions(labels)
    return np.array([_of_partition(target, n_blocks, b) for b in partitions]).T[:, which]


def _of_partition(target: BlockTarget, n_blocks: int, b: Array) -> list[float]:
    graph, sizes = target.graph, np.bincount(b)
    assert graph.weights is not None
    inside = b[graph.edges[:, 0]] == b[graph.edges[:, 1]]
    return [
        target.entropy(b, n_blocks),
        weight_nats(graph, b),
        np.count_nonzero(sizes),
        (sizes * (sizes - 1)).sum() / 2,
        len(pair_sums(graph, b).m),
        graph.weights.scored[inside].sum(),
    ]


def sample(graph: Graph, law: Law, n_blocks: int, rng: np.random.Generator) -> Array:
    """Draw labels (T, N) from the posterior, from a start that knows nothing of the truth."""
    target = BlockTarget(graph, prior=law.partitions)
    setup = BlockSetup(target, block_model(target, n_blocks), SETTINGS)
    state = start(setup, draw_partition(rng, law.partitions, Size(graph.n_nodes, n_blocks, 0)), rng)
    _, draws = advance(setup, state, SETTINGS.burn + SETTINGS.thin * N_DRAWS)
    return draws.labels.astype(np.int64)


def rank_of_truth(law: Law, size: Size, seed: int, number: int) -> Array:
    """Simulate a network with weights, draw its labels, and return the rank (Q,) of the truth among draws, 0 .. 99."""
    network_seed = child_seed(seed, "weighted calibration", law.model, *size, number)
    rng = stream(network_seed, "labels")
    labels = draw_partition(rng, law.partitions, size)
    n_blocks = size.n_blocks if law.partitions is UNIFORM else size.n_nodes
    graph = simulate(
        size.n_nodes, n_blocks, size.n_edges, features=0, labels=labels, exact=True, directed=law.directed,
        edge_weight_model=law.model, edge_weight_prior=law.prior, seed=network_seed,
    ).network.graph  # fmt: skip
    score = partial(quantities, BlockTarget(graph, prior=law.partitions), n_blocks)
    return rank_among(score(sample(graph, law, n_blocks, rng)), score(labels[np.newaxis])[:, 0], rng)


def calibrate_law(name: str, sizes: Sequence[Size], effort: Effort, n_networks: int) -> Finding:
    """Calibrate the block chain under one law of weights on so many networks of each size."""
    rank, named = partial(rank_of_truth, LAWS[name]), {f"N={size.n_nodes} E={size.n_edges}": size for size in sizes}
    return calibrate(rank, QUANTITIES, named, n_networks, N_DRAWS, bins_for(n_networks), effort)


def uniform_ranks(name: str, effort: Effort) -> Finding:
    """Run the calibration: 500 networks of each size."""
    return calibrate_law(name, SIZES, effort, 500)


CHECKS = tuple(
    Check(
        f"calibration: weighted edges, {name}",
        "smallest p of uniform ranks of the true partition among draws, over quantities and sizes",
        "weights that moves do not see, hyperparameters other than those that weights were drawn with, weights drawn "
        "from another law than the one that scores them",
        partial(uniform_ranks, name),
        full_only=True,
    )
    for name in LAWS
)
