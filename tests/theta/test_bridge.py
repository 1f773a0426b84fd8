"""The path of a bridge: what its Hamiltonian moves are handed is the energy and the gradient of where they begin."""

import inspect
from types import ModuleType

import numpy as np
import pytest

from ffbm.kernels import bridge
from ffbm.kernels.metric import update_factors
from ffbm.kernels.softmax import Gaussian, energy_and_gradient
from ffbm.theta.selection import Sweeper, set_up_selection

from .test_selection import made

PRIOR_BEFORE = "u += _add_prior(target, w, g, -1.0)"
PRIOR_AFTER = "u += _add_prior(target, w, g, 1.0)"


def differences_on_the_path(monkeypatch, *fault):
    """Return how far energy and gradient are off, at every move along the path of a column that is born."""
    source = inspect.getsource(bridge).replace("from numba import njit", "njit = lambda **_: lambda function: function")
    plain = ModuleType(bridge.__name__)
    if fault:
        assert source.count(fault[0]) == 1
        source = source.replace(*fault)
    exec(source, plain.__dict__)
    off = []

    def drawn(rng, slab, active, w, scale, precision):
        precision *= rng.uniform(0.5, 2.0, len(precision))  # any scales will do

    def move(rng, target, metric, w, u, step, n_steps, own, buffers):
        gradient, (tile, _) = np.empty_like(w), buffers
        energy = energy_and_gradient(target, w, gradient, tile)
        off.append(max(abs(energy - u), np.abs(gradient - own[0]).max()))
        w += 0.1 * (gradient - gradient.mean(axis=1, keepdims=True))  # anywhere
        return energy_and_gradient(target, w, own[0], tile), 1.0, False

    plain.bare = lambda value: value
    plain.bare_metric = lambda metric, factor: metric._replace(factor=factor)
    plain.given_scales = lambda target: Gaussian(target.rows, target.sums, target.precision)
    plain.draw_precisions, plain.move, plain.update_factors = drawn, move, update_factors.py_func  # an inner function
    monkeypatch.setattr("ffbm.theta.bridge.follow_path", plain.follow_path)
    _, _, target = made()
    setup = set_up_selection(target, 0, np.zeros_like(target.sums))
    sweeper, along = Sweeper(setup), np.zeros(len(target.groups.names), dtype=bool)
    along[0] = True
    weights, inside = np.zeros_like(target.sums), np.zeros_like(along)
    sweeper.bridge.cross(np.random.default_rng(1), 0, weights, inside, 0.5, sweeper.metrics.of(along))
    return off


def test_moves_begin_with_the_energy_of_the_scales_just_drawn(monkeypatch):
    off = differences_on_the_path(monkeypatch)
    assert len(off) >= 7
    assert max(off) < 1e-9


@pytest.mark.parametrize("line", [PRIOR_BEFORE, PRIOR_AFTER])
def test_the_prior_of_other_scales_is_seen(line, monkeypatch):
    assert max(differences_on_the_path(monkeypatch, line, "u += 0.0")) > 1e-3
