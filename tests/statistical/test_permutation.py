"""Permutation tests: uniform p values where there is nothing, known answers where there is something."""

import numpy as np
import pytest

import ffbm

LEVEL = 4 * np.sqrt(0.05 * 0.95 / 300)  # four standard errors of how often p is at most 0.05


@pytest.mark.slow
def test_p_values_are_uniform_without_a_relation(study):
    for row in study.null_study()["rows"]:
        assert row["n"] == 300
        assert row["uniform_p"] > 1e-3, row
        assert abs(row["below_5"] - 0.05) < LEVEL, row


@pytest.mark.slow
def test_a_test_that_forgets_the_strata_is_not_uniform(study):
    """What test_p_values_are_uniform would see if ``within`` did nothing."""
    networks = map(study.network_with_noise, range(60))
    p_values = [
        ffbm.permutation_test(net, "inside", 99, seed=seed, blocks=None)["p_adjacency"][0]
        for seed, net in enumerate(networks)
    ]
    assert np.mean(np.array(p_values) <= 0.05) > 0.2
    assert study.evenness(np.array(p_values))["uniform_p"] < 1e-3


@pytest.mark.slow
def test_among_vertices_of_like_degree_the_level_holds_where_degrees_matter(study):
    hubs, half = study.degrees_study()["columns"].values()
    for row in (hubs, half):
        assert abs(row["matched"] - 0.05) < LEVEL
        assert row["degrees"] > 0.9
    assert hubs["plain"] > 0.2  # why there is a matched one: rare values on hubs
    assert half["plain"] < 0.05


@pytest.mark.parametrize("number", range(3))
def test_law_firm(shared, study, number):
    folder = shared / "networks" / "lazega_law"
    if not folder.is_dir():
        pytest.skip("needs networks/lazega_law in the folder of FFBM_SHARED")
    (relation, column), known = list(study.LAW_FIRM.items())[number]
    p_values = study.law_firm(folder, relation, column)
    p, known = np.array([p_values[part] for part in study.P_VALUES]), np.array(known)
    error = np.sqrt(known * (1 - known) * (1 / 2000 + 1 / 10_000))
    assert (np.abs(p - known) < 3 * error + 0.005).all(), p  # the known ones are rounded
    assert (p_values["matched"] < 0.05) == (known[0] < 0.05)


def test_gamma_of_political_books(study):
    """As metablox has it (0.275 with 100 permutations): the whole of S, and chance is the 1 % quantile."""
    row = study.gamma_study()
    assert row["best"] == pytest.approx(row["known_best"], abs=0.01)
    assert row["gamma"] == pytest.approx(row["known_gamma"], abs=0.003)
