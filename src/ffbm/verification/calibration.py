"""Simulation-based calibration of the weight level given b.

Weights drawn from the prior and blocks from the weights make the true weights one more draw from the posterior: among
99 draws the rank of any function of the truth is uniform. Functions of one (b, W, X) alone are ranked; nothing is
aligned to the truth.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from ffbm.pipeline.weights import sample_weights
from ffbm.rng import child_seed
from ffbm.simulation import simulate
from ffbm.types import Array
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.ranks import calibrate, rank_among

N_DRAWS, THIN, N_WARMUP = 99, 5, 200
N_BINS = 20
SIGMA = 1.5
QUANTITIES = ("ln p(b|W,X)", "log joint", "|W centred|^2", "centred weight of vertex 0", "W[0,0]", "mean of W[:,0]")


class Size(NamedTuple):
    """A size of networks: vertices, blocks and edges."""

    n_nodes: int
    n_blocks: int
    n_edges: int

    @property
    def name(self) -> str:
        """As it stands in records."""
        return f"N={self.n_nodes} B={self.n_blocks}"


SIZES = (Size(8, 4, 10), Size(30, 3, 60), Size(60, 3, 240))


def bins_for(n_networks: int) -> int:
    """Return how many bins ranks are counted in: 20, or 10 where there are fewer than 100 networks."""
    return N_BINS if n_networks >= 5 * N_BINS else N_BINS // 2


def quantities(w: Array, x: Array, b: Array, rows: Array, sigma: float) -> Array:
    """Return the ranked functions (Q, T) of weights (T, B, D) with features, labels and training rows."""
    scores = log_softmax(np.einsum("nd,tbd->tnb", x[rows], w), axis=2)
    likelihood = scores[:, np.arange(len(rows)), b[rows]].sum(axis=1)
    centred = w - w.mean(axis=1, keepdims=True)
    return np.stack(
        (
            likelihood,
            likelihood - (w**2).sum(axis=(1, 2)) / (2 * sigma**2),
            (centred**2).sum(axis=(1, 2)),
            centred[:, b[0], 0],
            w[:, 0, 0],
            w[:, :, 0].mean(axis=1),
        )
    )


def rank_of_truth(sampler: str, size: Size, seed: int, number: int) -> Array:
    """Simulate one network, draw its weights and return the rank (Q,) of the truth among the draws, 0 .. 99."""
    network_seed = child_seed(seed, "calibration", *size, number)
    simulation = simulate(*size, features=3, exact=True, sigma=SIGMA, seed=network_seed)
    x, b, truth = simulation.network.features.values, simulation.labels, simulation.weights
    rows = np.arange(size.n_nodes - size.n_nodes // 5)  # the last fifth is held out
    trace = sample_weights(
        x, np.eye(size.n_blocks)[b], rows, SIGMA, sampler=sampler, n_draws=N_DRAWS * THIN, n_warmup=N_WARMUP,
        n_chains=1, seed=network_seed, workers=1, progress=False, weight_prior="fixed",
    )  # fmt: skip
    draws = quantities(trace.weights[0, THIN - 1 :: THIN], x, b, rows, SIGMA)
    true = quantities(np.asarray(truth)[np.newaxis], x, b, rows, SIGMA)
    return rank_among(draws, true[:, 0], np.random.default_rng([network_seed % 2**32]))


def calibrate_sampler(sampler: str, sizes: Sequence[Size], effort: Effort, n_networks: int) -> Finding:
    """Calibrate a weight sampler on so many networks of each size."""
    rank, named = partial(rank_of_truth, sampler), {size.name: size for size in sizes}
    return calibrate(rank, QUANTITIES, named, n_networks, N_DRAWS, N_BINS, effort)


def uniform_ranks(sampler: str, effort: Effort) -> Finding:
    """Run the calibration: 500 networks of each size in full runs, 100 of one size else."""
    return calibrate_sampler(sampler, SIZES if effort.full else SIZES[1:2], effort, 500 if effort.full else 100)


CHECKS = tuple(
    Check(
        f"calibration: {sampler}",
        "smallest p of uniform ranks of the true weights among draws, over quantities and sizes",
        "any posterior that is not the model's own: sigma or training rows ignored, labels and rows permuted apart, "
        "the published program's acceptance rule",
        partial(uniform_ranks, sampler),
        full_only=sampler != "hmc",
    )
    for sampler in ("hmc", "mala")
)
