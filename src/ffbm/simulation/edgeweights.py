"""Weights of edges drawn at random: a law for each pair of blocks, its parameters from the conjugate prior."""

import numpy as np

from ffbm.types import Array, EdgeWeights, Graph

_LEAST = 1e-12  # a rarer success would take more trials than an integer holds


def draw_edge_weights(
    rng: np.random.Generator, graph: Graph, labels: Array, model: str, prior: dict[str, float]
) -> EdgeWeights:
    """Return weights of the edges of a graph with these blocks, from the law that ``description_length`` scores."""
    ends = labels[graph.edges] if graph.is_directed else np.sort(labels[graph.edges], axis=1)
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    n, pair = len(pairs), pair.ravel()
    values: Array
    if model in ("normal", "log-normal"):
        variance = prior["nu0"] * prior["v0"] / rng.chisquare(prior["nu0"], n)
        mean = prior["m0"] + np.sqrt(variance / prior["k0"]) * rng.standard_normal(n)
        values = mean[pair] + np.sqrt(variance)[pair] * rng.standard_normal(len(pair))
        values = np.exp(values) if model == "log-normal" else values
    elif model == "geometric":
        chance = np.maximum(rng.beta(prior["a"], prior["b"], n), _LEAST)
        values = rng.geometric(chance[pair]) - 1.0
    else:
        rate = rng.gamma(prior["a"], 1 / prior["b"], n)
        values = rng.poisson(rate[pair]).astype(np.float64) if model == "poisson" else rng.exponential(1 / rate[pair])
    return EdgeWeights(values, model, prior, "weight", "simulated")
