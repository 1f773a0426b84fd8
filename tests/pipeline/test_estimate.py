"""The estimate of a fit's length grows with what the fit has to do."""

import pytest

import ffbm
from ffbm.pipeline.estimate import estimate_seconds, guess_blocks


@pytest.fixture(scope="module")
def net():
    return ffbm.load_dataset("polbooks")


@pytest.mark.parametrize("more", [{"n_blocks": 50}, {"n_sweeps": 10**5}, {"n_draws": 10**6}, {"n_chains": 100}])
def test_more_work_takes_longer(net, more):
    assert estimate_seconds(net, **more) > estimate_seconds(net)


def test_workers_help_up_to_the_chains(net):
    alone, four, many = (estimate_seconds(net, n_sweeps=10**5, workers=workers) for workers in (1, 4, 40))
    assert alone > four
    assert four == many


def test_the_number_of_blocks_is_guessed_where_it_is_not_given(net):
    guessed = guess_blocks(net.n_nodes)
    assert guessed == 10
    assert estimate_seconds(net) > estimate_seconds(net, guessed)  # the search for it takes time too
    assert estimate_seconds(net, "auto") == estimate_seconds(net)


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 10, 10**7])
def test_guessed_blocks_fit_the_network(n_nodes):
    assert 1 <= guess_blocks(n_nodes) <= n_nodes
