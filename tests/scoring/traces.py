"""Traces of weights made by hand."""

import numpy as np

from ffbm.types.weights import WeightTrace


def trace_of(weights, names=None, columns=None, rows=(), support=None):
    """A trace of these weights (C, T, B, D) and nothing else worth speaking of."""
    w = np.asarray(weights, dtype=float)
    n_chains, n_draws, _, n_features = w.shape
    flat = np.zeros((n_chains, n_draws))
    names = tuple(map(str, range(n_features))) if names is None else tuple(names)
    return WeightTrace(
        weights=w,
        energy=flat,
        acceptance_rate=flat,
        step_size=flat,
        n_steps=flat.astype(int),
        diverging=flat > 0,
        chain_mean=w.mean(axis=1),
        chain_sd=w.std(axis=1),
        names=names,
        columns=names if columns is None else tuple(columns),
        support=np.zeros(n_features, dtype=int) if support is None else np.asarray(support),
        rows=np.asarray(rows, dtype=int),
        thin=1,
        settings={"sampler": "hmc", "sigma": 1.0, "seed": 0},
    )


def case(n=23, n_features=5, n_blocks=3, n_chains=2, n_draws=7, seed=3, numbers=False):
    """Random features, memberships, training vertices and a trace."""
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.4).astype(float)
    if numbers:
        x[:, 0] = rng.standard_normal(n)
    y = rng.dirichlet(np.full(n_blocks, 0.5), n)
    rows = np.sort(rng.permutation(n)[: n * 2 // 3])
    return x, y, rows, trace_of(2 * rng.standard_normal((n_chains, n_draws, n_blocks, n_features)), rows=rows)
