"""Weight diagnostics: every weight, the energy, the divergences, and one verdict."""

import numpy as np
import pytest

from ffbm.diagnostics import summarise, weight_diagnostics
from ffbm.errors import DataError


def chains(shape=(4, 1000, 3, 5)):
    rng = np.random.default_rng(0)
    return rng.normal(size=shape), rng.normal(size=shape[:2]), np.zeros(shape[:2], dtype=bool)


def test_good_chains_have_converged():
    weights, energy, diverging = chains()
    found = weight_diagnostics(weights, energy, diverging)
    expected = summarise(weights)
    np.testing.assert_array_equal(found.rhat, expected.rhat)
    np.testing.assert_array_equal(found.ess_bulk, expected.ess_bulk)
    np.testing.assert_array_equal(found.ess_tail, expected.ess_tail)
    assert found.max_rhat == expected.rhat.max()
    assert (found.min_ess_bulk, found.min_ess_tail) == (expected.ess_bulk.min(), expected.ess_tail.min())
    assert found.ess_energy == summarise(energy).ess_bulk
    assert found.divergences.tolist() == [0, 0, 0, 0]
    assert found.converged


def test_one_weight_apart_is_enough():
    weights, energy, diverging = chains()
    weights[3, :, 1, 2] += 1
    found = weight_diagnostics(weights, energy, diverging)
    assert not found.converged
    assert "too large in 1 of 15, over 4 chains" in found.converged.reason
    assert found.rhat.argmax() == 1 * 5 + 2


def test_an_energy_apart_is_enough():
    weights, energy, diverging = chains()
    energy[0] += 1
    found = weight_diagnostics(weights, energy, diverging)
    assert found.converged.reason.startswith("R-hat of the energy is")
    assert found.rhat_energy > 1.01


def test_divergences_are_counted_and_speak_against():
    weights, energy, diverging = chains()
    diverging[1, 10:14] = True
    diverging[3, 0] = True
    found = weight_diagnostics(weights, energy, diverging)
    assert found.divergences.tolist() == [0, 4, 0, 1]
    assert found.n_divergences == 5
    assert found.diverges
    assert found.converged.reason == "5 of 4,000 draws diverged: lengthen the warm-up"
    assert not found.converged


def test_one_divergence_in_a_thousand_draws_is_counted_and_no_more():
    weights, energy, diverging = chains()
    diverging[:, 7] = True
    found = weight_diagnostics(weights, energy, diverging)
    assert (found.n_divergences, found.diverges) == (4, False)
    assert found.converged


def test_a_sampler_without_trajectories_has_no_divergences():
    weights, energy, _ = chains()
    assert weight_diagnostics(weights, energy, None).n_divergences == 0


def test_centred_weights_of_a_single_block_are_constant_and_agree():
    weights, energy, diverging = chains((4, 1000, 1, 2))
    found = weight_diagnostics(weights - weights.mean(axis=2, keepdims=True), energy, diverging)
    assert found.converged
    assert np.isnan(found.max_rhat)
    assert "the weights constant in all 4 chains" in found.converged.reason


def test_no_features_leave_the_energy():
    weights, energy, diverging = chains((4, 1000, 3, 0))
    found = weight_diagnostics(weights, energy, diverging)
    assert found.converged
    assert np.isnan([found.max_rhat, found.min_ess_bulk, found.min_ess_tail]).all()


def test_thinned_weights_keep_all_energies_and_divergences():
    weights, energy, diverging = chains((4, 2000, 2, 2))
    diverging[0, 0] = True
    found = weight_diagnostics(weights[:, 1::2], energy, diverging)
    assert found.n_divergences == 1
    assert found.ess_energy == summarise(energy).ess_bulk


@pytest.mark.parametrize("cut", [0, slice(0, 2)])
@pytest.mark.parametrize("part", [1, 2])
def test_statistics_of_other_chains_are_refused(part, cut):
    given = list(chains())
    given[part] = given[part][cut]
    with pytest.raises(DataError, match=r"must have shape \(chains, draws\) for 4 chains; got shape"):
        weight_diagnostics(*given)


def test_weights_without_chains_are_refused():
    weights, energy, diverging = chains()
    with pytest.raises(DataError, match=r"weights must have shape \(chains, draws, blocks, features\)"):
        weight_diagnostics(weights[0], energy, diverging)
