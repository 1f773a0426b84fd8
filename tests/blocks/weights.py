"""Weighted multigraphs for tests."""

import numpy as np

from ffbm.types import EdgeWeights, Graph

NORMAL = {"m0": 0.5, "k0": 2.0, "v0": 3.0, "nu0": 4.0}
LAWS = {  # model and prior
    "geometric": ("geometric", None),
    "geometric, conjugate": ("geometric", {"a": 2.0, "b": 0.7}),
    "poisson": ("poisson", None),
    "poisson, conjugate": ("poisson", {"a": 1.5, "b": 0.4}),
    "exponential": ("exponential", None),
    "exponential, conjugate": ("exponential", {"a": 2.5, "b": 1.2}),
    "log-normal": ("log-normal", None),
    "log-normal, conjugate": ("log-normal", NORMAL),
    "normal": ("normal", None),
    "normal, conjugate": ("normal", NORMAL),
}


def random_weights(rng, law, n_edges):
    """Return weights that a law has place for."""
    model, prior = LAWS[law]
    if model in ("geometric", "poisson"):
        values = rng.integers(0, 9, n_edges).astype(float)
    else:
        values = (
            np.round(rng.normal(3.0, 2.0, n_edges) if model == "normal" else rng.gamma(2.0, 1.0, n_edges), 3) + 0.001
        )
    return EdgeWeights(values, model, prior)


def weighted_graph(rng, law, n_nodes, n_edges, directed=False):
    """Throw weighted edges at random pairs, so that loops and parallels occur, on all but the last vertex."""
    u, v = rng.integers(0, n_nodes - 1, (2, n_edges))
    return Graph.from_edges(u, v, n_nodes, directed, random_weights(rng, law, n_edges))
