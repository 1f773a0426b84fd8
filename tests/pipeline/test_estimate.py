"""The estimate of a fit's length grows with what the fit has to do."""

import pytest

import ffbm
from ffbm.pipeline.estimate import estimate_seconds


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
