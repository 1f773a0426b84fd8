"""Diagnostics of labels and weights together."""

import numpy as np
import pytest

from ffbm.diagnostics import joint_diagnostics
from ffbm.errors import DataError


def draws(n_draws=400, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=(4, n_draws, 12))
    return labels, rng.normal(size=(4, n_draws)), rng.normal(size=(4, n_draws)), rng.normal(size=(4, n_draws, 3, 2))


def test_good_draws():
    labels, s, u, w = draws()
    labels[0, :40] = 1
    found = joint_diagnostics(labels, s, u, w)
    assert found.converged
    used = np.array([[len(set(b)) for b in chain] for chain in labels.tolist()])
    assert found.fewer == (used < 3).mean()
    assert found.ess_log_joint > 1000


@pytest.mark.parametrize(("part", "name"), [(1, "the log joint"), (2, "the log joint"), (3, r"\|W\|\^2")])
def test_a_chain_that_differs_speaks_against(part, name):
    given = list(draws())
    given[part][0] += 3 * (np.arange(3)[:, np.newaxis] if part == 3 else 1)
    found = joint_diagnostics(*given)
    assert not found.converged
    assert name.replace("\\", "") in found.converged.reason


def test_numbers_of_blocks_do_not_matter():
    labels, s, u, w = draws()
    order = np.array([2, 0, 1])
    one, other = joint_diagnostics(labels, s, u, w), joint_diagnostics(order[labels], s, u, w[:, :, np.argsort(order)])
    assert one.rhat_size == pytest.approx(other.rhat_size)
    assert one.fewer == other.fewer


def test_draws_that_do_not_match():
    labels, s, u, w = draws()
    with pytest.raises(DataError, match="of the same draws"):
        joint_diagnostics(labels[:, 1:], s, u, w)
