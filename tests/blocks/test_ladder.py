"""Replica exchange as a stepper: the plain chain at R = 1, nothing depends on segments, counts follow their replica."""

import numpy as np
import pytest
from numba import njit

from ffbm.blocks import chain
from ffbm.blocks.chain import BlockSettings, BlockSetup
from ffbm.blocks.ladder import LadderSetup, LadderState, advance, lay_out, start
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.priors import UNIFORM, UNLABELLED
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.kernels import ladder as kernel
from ffbm.rng import stream
from ffbm.states import from_bytes, to_bytes
from ffbm.types import Graph

from .graphs import random_graph
from .pictures import cliques_in_pairs

SIZE, LINKS = 6, 6  # of the cliques
BETAS = np.array([1.0, 0.8, 0.55, 0.3])


def begin(betas=BETAS, burn=7, thin=3, gap=3, field=False, prior=UNIFORM, likelihood=DEGREE_CORRECTED, **options):
    rng = np.random.default_rng(3)
    target = BlockTarget(random_graph(rng, 40, 120), likelihood, prior)
    model = block_model(target, 4, rng.normal(size=(40, 4)) if field else None)
    setup = LadderSetup(target, model, BlockSettings(burn, thin, **{"jumps": 0.5, "relocations": 0.05, **options}), gap)
    labels = rng.permuted(np.tile(np.arange(40) % 4, (len(betas), 1)), axis=1)
    return setup, start(setup, labels, betas, stream(1, "test"))


def arrays_of(state):
    parts = [state.betas, *state.ledgers, state.totals, state.tally, state.best, *state.exchange]
    return [*parts, state.rng.random(3)]


def assert_same(one, other):
    for first, second in zip(one, other, strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("options", [{}, {"field": True, "allow_empty": True, "prior": UNLABELLED, "beta": 0.7}])
def test_one_replica_is_the_plain_chain(options):
    setup, state = begin(np.ones(1), **options)
    plain = BlockSetup(setup.target, setup.model, setup.settings)
    alone, wanted = chain.advance(plain, chain.start(plain, state.ledgers.b[0], stream(1, "test")), 60)
    state, draws = advance(setup, state, 60)
    assert_same(draws, wanted)
    assert_same((its[0] for its in state.ledgers), alone.ledger)
    assert_same((state.totals[0], state.tally[0], state.best), (alone.totals, alone.tally, alone.best))
    assert state.rng.random() == alone.rng.random()
    assert state.exchange.round_trips == 0


@pytest.mark.parametrize("cuts", [[1] * 50, [6, 1, 1, 20, 22], [4, 3, 43]])
def test_segments_make_no_difference(cuts):
    whole, drawn = advance(*begin(field=True), 50)
    (setup, state), parts = begin(field=True), []
    for cut in cuts:
        state, part = advance(setup, state, cut)
        parts.append(part)
    assert_same(drawn, (np.concatenate(its) for its in zip(*parts, strict=True)))
    assert_same(arrays_of(whole), arrays_of(state))


def test_a_ladder_goes_on_from_its_bytes():
    setup, state = begin(field=True)
    state, _ = advance(setup, state, 20)
    data = to_bytes(state)
    state, wanted = advance(setup, state, 31)
    again, draws = advance(setup, from_bytes(LadderState, data), 31)
    assert_same(draws, wanted)
    assert_same(arrays_of(again), arrays_of(state))


CASES = {
    "plain": {},
    "field": {"field": True},
    "free B": {"prior": UNLABELLED, "allow_empty": True},
    "all of it": {"prior": UNLABELLED, "allow_empty": True, "field": True, "likelihood": UNCORRECTED, "beta": 0.8},
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case == "all of it" else case for case in CASES]
)
def test_counts_and_energies_follow_their_replica(case):
    setup, state = begin(burn=0, thin=1, gap=1, **CASES[case])
    state, draws = advance(setup, state, 2000)
    assert (state.exchange.swaps[:, 1] > 20).all()
    assert state.exchange.round_trips > 0
    assert sorted(state.exchange.replica) == [0, 1, 2, 3]
    likelihood = setup.target._replace(prior=UNIFORM)
    for beta, k in zip(BETAS, state.exchange.replica, strict=True):
        labels = state.ledgers.b[k]
        for name, counts in block_ledger(setup.model, labels, 4)._asdict().items():
            assert np.allclose(getattr(state.ledgers, name)[k], counts, rtol=0, atol=1e-9), name
        nats, all_nats = likelihood.entropy(labels, 4), setup.target.entropy(labels, 4)
        assert state.totals[k, 0] == pytest.approx(nats + (all_nats - nats) / beta, abs=1e-8)
        if setup.model.field.size:
            lift = setup.model.field[np.arange(40), labels].sum()
            assert state.totals[k, 1] == pytest.approx(lift / beta, abs=1e-8)
    for labels, entropy in zip(draws.labels[::50], draws.entropy[::50], strict=True):
        assert entropy == pytest.approx(setup.target.entropy(labels, 4), abs=1e-8)
    cold = state.exchange.replica[0]
    assert np.isneginf(np.delete(state.totals[:, 2], cold)).all()
    assert state.totals[cold, 2] == pytest.approx(setup.target.entropy(state.best, 4), abs=1e-8)
    assert state.totals[cold, 2] <= draws.entropy.min() + 1e-9
    assert np.array_equal(state.betas, BETAS)


@njit
def trade(rng, prior, rungs, ledgers, first, totals, best, exchange):
    kernel.exchange_replicas(rng, prior, rungs, ledgers, first, totals, best, exchange)


@pytest.mark.parametrize("first", [0, 1])
def test_exchanges_follow_the_readable_rule(first):
    """exp((beta - beta') (L - L')) against a uniform number, pair by pair; whoever is accepted trades places."""
    setup, state = begin(field=True, prior=UNLABELLED, allow_empty=True)
    likelihood = setup.target._replace(prior=UNIFORM)
    made = 0
    for _ in range(60):
        state, _ = advance(setup, state, 1)
        replica = state.exchange.replica.tolist()
        u = np.random.Generator(np.random.PCG64(0))
        u.bit_generator.state = state.rng.bit_generator.state
        for t in range(first, 3, 2):
            i, j = replica[t], replica[t + 1]
            gain = likelihood.entropy(state.ledgers.b[i], 4) - likelihood.entropy(state.ledgers.b[j], 4)
            if u.random() < np.exp(min((BETAS[t] - BETAS[t + 1]) * gain, 0.0)):
                replica[t], replica[t + 1] = j, i
                made += 1
        rungs = lay_out(setup, state.betas)
        trade(state.rng, setup.model.prior, rungs, state.ledgers, first, state.totals, state.best, state.exchange)
        assert state.exchange.replica.tolist() == replica
    assert made > 5


@njit
def follow(exchange):
    kernel.count_round_trips(exchange)


def test_round_trips_are_from_cold_to_hot_and_back():
    _, state = begin(BETAS[:3])
    orders = ["012", "102", "120", "210", "201", "021", "012", "102", "120", "210", "012"]
    seen = []
    for order in orders:
        state.exchange.replica[:] = list(map(int, order))
        follow(state.exchange)
        seen.append(state.exchange.trips.tolist())
    assert seen[3] == [0, 0, 0]  # replica 2 came down from where it started: half a trip
    assert seen[5] == [1, 0, 0]
    assert seen[-1] == [2, 1, 1]
    assert state.exchange.round_trips == 4


def test_statistics_begin_after_the_burn_in():
    setup, state = begin(burn=30, gap=1)
    state, _ = advance(setup, state, 30)
    assert state.exchange.swaps.sum() == state.exchange.round_trips == 0
    assert np.isnan(state.exchange.swap_rates).all()
    state, draws = advance(setup, state, 30)
    assert state.exchange.swaps[:, 0].tolist() == [15, 15, 15]
    assert len(draws.entropy) == 10


def test_the_best_of_all_starts_is_kept():
    setup, state = begin(burn=0)
    lowest = min(setup.target.entropy(b, 4) for b in state.ledgers.b)
    assert state.totals[0, 2] == pytest.approx(lowest, abs=1e-9)
    assert setup.target.entropy(state.best, 4) == pytest.approx(lowest, abs=1e-9)


def share_of_first_picture(betas, n_sweeps, seed):
    """How often a ladder on four cliques, which pair equally well in two ways, pairs them in the first."""
    edges, pictures = cliques_in_pairs(SIZE, LINKS)
    target = BlockTarget(Graph.from_edges(*edges.T, 4 * SIZE))
    setup = LadderSetup(target, block_model(target, 2), BlockSettings(0, 1), 3)  # single vertices alone
    state = start(setup, np.tile(pictures[seed % 2], (len(betas), 1)), betas, stream(seed, "test"))
    _, draws = advance(setup, state, n_sweeps)
    same = draws.labels[:, ::SIZE] == draws.labels[:, :1]  # cliques by their first vertex
    whole = (draws.labels.reshape(-1, 4, SIZE) == draws.labels[:, ::SIZE, None]).all(axis=(1, 2))
    first, second = (whole & (same == (its[::SIZE] == its[0])).all(axis=1) for its in pictures)
    return first.sum() / (first.sum() + second.sum())


def test_two_equal_pictures_are_visited_alike():
    assert [share_of_first_picture(BETAS[:1], 4000, seed) for seed in (0, 1)] == [1.0, 0.0]  # one chain does not cross
    shares = np.array([share_of_first_picture(np.linspace(1, 0.4, 5), 12_000, seed) for seed in range(8)])
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    assert error < 0.05
    assert abs(shares.mean() - 0.5) < 3.5 * error
