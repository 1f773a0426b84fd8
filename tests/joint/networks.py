"""Small networks with features, for tests of the joint chain."""

import numpy as np

import ffbm


def simulated(n_nodes=40, n_blocks=3, features=3, seed=1, **options):
    """A planted network of the model."""
    return ffbm.simulate(n_nodes, n_blocks, 4 * n_nodes, features=features, seed=seed, **options).network


def numbers(n_nodes, n_features, seed=1):
    """Dense features that are no flags."""
    return np.random.default_rng(seed).normal(size=(n_nodes, n_features))
