"""Losses with each draw's own labels."""

import numpy as np
import pytest
from scipy.special import log_softmax

from ffbm.errors import DataError
from ffbm.pipeline.joint import sample_joint
from ffbm.scoring import joint_losses

from ..planted import planted_network, telling_flag


def losses_of(draws, blocks, net):
    losses = [part for _, part in joint_losses._losses(draws.weights, blocks, net.features)]
    return np.concatenate(losses).reshape(blocks.labels.shape)


@pytest.fixture(scope="module")
def drawn():
    net = planted_network(2, lambda b, rng: np.column_stack((telling_flag(b, rng), rng.normal(size=len(b)))))[0]
    return net, sample_joint(net, 3, n_sweeps=40, n_warmup=20, n_chains=2, seed=1, intercept=True)


@pytest.mark.parametrize("piece", [1, 2**22])
def test_every_vertex_under_every_draw(drawn, piece, monkeypatch):
    monkeypatch.setattr(joint_losses, "_PIECE", piece)
    net, found = drawn
    x = np.column_stack((net.features.values, np.ones(net.n_nodes)))
    losses = losses_of(found, found.blocks, net)
    for c, t in np.ndindex(*losses.shape[:2]):
        log_p = log_softmax(x @ found.weights.weights[c, t].T, axis=1)
        exact = -log_p[np.arange(net.n_nodes), found.blocks.labels[c, t]]
        np.testing.assert_allclose(losses[c, t], exact, atol=1e-12)


def test_draws_that_do_not_match(drawn):
    from dataclasses import replace

    net, found = drawn
    with pytest.raises(DataError, match="of the same draws"):
        losses_of(found, replace(found.blocks, labels=found.blocks.labels[:, 1:]), net)
