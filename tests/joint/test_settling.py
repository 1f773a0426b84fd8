"""The mode given labels that proposals rest on: a function of the labels, near the minimum, renumbered with them."""

import numpy as np
from numba import njit

from ffbm.joint.chain import JointSettings, JointSetup, _carrier_and_moves, start
from ffbm.joint.prepare import joint_model
from ffbm.kernels.carrier import find_mode_of
from ffbm.theta.mode import find_mode

from .networks import numbers, simulated


@njit
def mode_of(carrier, b, close, w):
    find_mode_of(carrier, b, close, w)


def test_the_mode_given_labels():
    graph, x = simulated(60).graph, numbers(60, 4)
    model = joint_model(graph, x, 3, rows=np.arange(50))
    rng = np.random.default_rng(1)
    setup = JointSetup(model, JointSettings(0, 1, n_warmup=0))
    state = start(setup, rng.integers(0, 3, 60), rng)
    carrier, _ = _carrier_and_moves(setup, state)
    b = np.where(x[:, 0] > 0, 0, 1 + (x[:, 1] > 0)).astype(np.int32)
    w = np.empty_like(state.weights)
    mode_of(carrier, b, 0.001, w)
    exact = find_mode(carrier.target._replace(sums=model.training.sums_of_labels(b)))
    np.testing.assert_allclose(w, exact, atol=0.05)
    turned = np.empty_like(w)
    order = np.array([2, 0, 1])
    mode_of(carrier, order[b].astype(np.int32), 0.001, turned)
    np.testing.assert_allclose(turned[:, order], w, atol=1e-9)
