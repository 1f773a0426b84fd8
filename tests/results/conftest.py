"""Fits to look at: one that converges, one that cannot."""

import numpy as np
import pytest

from ffbm.errors import ConvergenceWarning
from ffbm.results import fit

from ..planted import noise_flag, planted_network, telling_flag


def three_features(labels, rng):
    """A noise flag, a telling flag and a number that tells a little."""
    return np.column_stack((noise_flag(labels, rng), telling_flag(labels, rng), labels + rng.normal(size=len(labels))))


@pytest.fixture(scope="session")
def net():
    """A network of two planted blocks."""
    return planted_network(1, three_features)[0]


@pytest.fixture(scope="session")
def good(net):
    """A fit whose chains agree, with a refit."""
    return fit(net, n_blocks=2, n_sweeps=3000, n_draws=1000, n_kept=2, seed=1, progress=False)


@pytest.fixture(scope="session")
def bad(net):
    """A fit whose chains of weights are too short to show anything."""
    with pytest.warns(ConvergenceWarning):
        return fit(net, n_blocks=2, n_sweeps=500, n_warmup=30, n_draws=30, n_chains=2, seed=1, progress=False)
