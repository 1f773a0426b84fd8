"""Which temperatures a ladder has: Lambda as defined, equal steps of it, and the same from the same stream."""

import numpy as np
import pytest

import ffbm
from ffbm.blocks.chain import BlockSettings
from ffbm.blocks.ladder import LadderSetup, advance, start
from ffbm.blocks.priors import UNIFORM, UNLABELLED
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.blocks.temperatures import equal_steps, find_betas, half_distance, heat, likelihood_nats
from ffbm.rng import stream

from .graphs import random_graph


def setup_of(graph, n_blocks, prior=UNIFORM, **options):
    target = BlockTarget(graph, prior=prior)
    return LadderSetup(target, block_model(target, n_blocks), BlockSettings(0, 1, jumps=0.05, **options))


def test_half_the_mean_distance_of_two_draws():
    nats = np.random.default_rng(1).normal(3.0, 2.0, 400)
    pairs = np.abs(nats[:, None] - nats[None])[np.triu_indices(400, 1)]
    assert half_distance(nats) == pytest.approx(pairs.mean() / 2)
    assert half_distance(nats) == pytest.approx(2.0 / np.sqrt(np.pi), rel=0.1)


def test_the_likelihood_without_the_prior():
    setup = setup_of(random_graph(np.random.default_rng(3), 30, 80), 5, UNLABELLED, allow_empty=True)
    state = start(setup, np.arange(30)[None] % 5, np.array([0.6]), stream(1, "test"))
    _, draws = advance(setup, state, 20)
    nats = likelihood_nats(setup, draws.labels, draws.entropy, 0.6)
    alone = setup.target._replace(prior=UNIFORM)
    assert nats == pytest.approx([alone.entropy(labels, 5) for labels in draws.labels], abs=1e-8)


def test_equal_steps_of_lambda():
    betas = np.linspace(1.0, 0.4, 7)
    barrier = (1 - betas) * 3 + (1 - betas) ** 2
    chosen = equal_steps(betas, barrier, 1.5)
    assert len(chosen) == 5
    assert np.diff(np.interp(-chosen, -betas, barrier)) == pytest.approx(1.5 / 4)


def test_exchanges_are_about_equally_frequent():
    setup = setup_of(ffbm.load_dataset("polbooks").graph, 3)
    labels = np.arange(105) % 3
    betas = find_betas(setup, labels, stream(1, "test"))
    assert np.array_equal(betas, find_betas(setup, labels, stream(1, "test")))
    assert betas[0] == 1.0
    assert (np.diff(betas) < 0).all()
    assert betas[-1] >= 0.35
    state = start(setup, np.tile(labels, (len(betas), 1)), betas, stream(2, "test"))
    state, _ = advance(setup, state, 6000)
    assert state.exchange.swap_rates.min() > 0.4
    assert np.ptp(state.exchange.swap_rates) < 0.3
    assert state.exchange.round_trips > 20


def test_little_variation_is_heated_no_further_than_allowed_and_none_not_at_all():
    graph = random_graph(np.random.default_rng(3), 8, 6)
    assert find_betas(setup_of(graph, 1), np.zeros(8, dtype=np.int64), stream(1, "test")).tolist() == [1.0]
    betas = find_betas(setup_of(graph, 2), np.arange(8) % 2, stream(1, "test"))
    assert (betas[0], betas[-1]) == (1.0, 0.35)


def test_the_cold_end_is_cold_where_nothing_varies_at_first():
    """Lambda is 0 down to 0.6 then, and a ladder from there on would sample another law."""
    rng = np.random.default_rng(4)
    betas = heat(lambda beta: np.zeros(100) if beta > 0.6 else rng.normal(0, 20, 100))
    assert betas[0] == 1.0
    assert (np.diff(betas) < 0).all()
    assert betas[1] <= 0.65
