"""Chains that run until they are done: the rule looks at draws alone, and the length it comes to gives them again."""

import numpy as np
import pytest

import ffbm
from ffbm.errors import OptionError
from ffbm.pipeline import length as lengths
from ffbm.pipeline import tempering

from ..blocks.pictures import cliques_in_pairs

pytestmark = pytest.mark.auto_length

EASY = ffbm.load_dataset("polbooks")


def sample(net=EASY, n_blocks=3, **settings):
    return ffbm.sample_blocks(net, n_blocks, seed=2, progress=False, **{"max_minutes": None, **settings})


def same(one, two):
    return np.array_equal(one.labels, two.labels) and np.array_equal(one.entropy, two.entropy)


def test_an_easy_network_ends_soon_and_converged():
    blocks = sample()
    assert blocks.converged
    assert blocks.settings["n_sweeps"] <= 16_000
    assert blocks.settings["tempering"] is False
    assert blocks.diagnostics.previous  # two checks in a row


@pytest.mark.parametrize("workers", [1, 2])
def test_the_length_it_comes_to_gives_the_same_draws(workers):
    auto = sample(workers=workers)
    again = sample(**{name: auto.settings[name] for name in ("n_sweeps", "burn_in", "thin", "tempering")})
    assert same(auto, again)
    assert auto.best_entropy == again.best_entropy


@pytest.mark.parametrize("tempering", [False, True])
def test_a_length_that_the_clock_decides_gives_the_same_draws(tempering, monkeypatch):
    """Time is up at some moment; how far the chains were then is in the settings."""
    monkeypatch.setattr(lengths, "judge_blocks", never_converged(lengths.judge_blocks))
    cut = sample(tempering=tempering, max_minutes=0.02)
    assert cut.settings["n_sweeps"] % (5 * cut.settings["thin"]) == 0
    again = sample(
        **{name: cut.settings[name] for name in ("n_sweeps", "burn_in", "thin")},
        tempering=tempering and cut.settings["tempering"],
    )
    assert same(cut, again)


def never_converged(judge):
    def judged(*given):
        return ffbm.diagnostics.Verdict("usable", judge(*given).reason)

    return judged


def test_one_check_is_not_enough(monkeypatch):
    """Chains that seem converged from the first check on run to the second."""
    monkeypatch.setattr(lengths, "judge_blocks", lambda *_: ffbm.diagnostics.Verdict("converged", "so it seems"))
    monkeypatch.setattr(lengths, "LEAST_VISITS", 1)
    assert sample().settings["n_sweeps"] == 2000


@pytest.mark.parametrize("tempering", [False, True])
def test_chains_that_agree_too_soon_go_on(tempering, monkeypatch):
    """Short chains from good starts agree on what all of them have missed."""
    monkeypatch.setattr(lengths, "judge_blocks", lambda *_: ffbm.diagnostics.Verdict("converged", "so it seems"))
    monkeypatch.setattr(lengths, "LEAST_VISITS", 300_000)
    assert sample(tempering=tempering).settings["n_sweeps"] == 4000  # 105 vertices


@pytest.mark.slow
def test_what_is_seldom_visited_is_seen():
    """The greater of two pairings of cliques has 86 % of the draws; chains of 2,000 sweeps never left it."""
    net = uneven_cliques()
    for seed in range(3):
        blocks = ffbm.sample_blocks(net, 2, seed=seed, max_minutes=None, progress=False)
        assert blocks.converged
        together = (blocks.labels[:, :, 0] == blocks.labels[:, :, 8]).mean()
        assert 0.08 < min(together, 1 - together) < 0.2


def uneven_cliques():
    """Four cliques of eight in a ring, six edges between neighbours, not all of them different."""
    rng = np.random.default_rng(1)
    inside = [(8 * c + i, 8 * c + j) for c in range(4) for i in range(8) for j in range(i)]
    across = [(8 * c + i, 8 * ((c + 1) % 4) + j) for c in range(4) for i, j in rng.integers(0, 8, (6, 2)).tolist()]
    return ffbm.as_network(np.array(inside + across))


def test_thinning_doubles_with_the_length(monkeypatch):
    monkeypatch.setattr(lengths, "_LATE", 5)
    monkeypatch.setattr(lengths, "judge_blocks", never_converged(lengths.judge_blocks))
    monkeypatch.setattr("ffbm.pipeline.tempering.better_of", lambda plain, *_: plain)
    monkeypatch.setattr("ffbm.pipeline.blocks.run_ladders", lambda *_: None)
    blocks = sample()
    assert (blocks.settings["n_sweeps"], blocks.settings["thin"]) == (16_000, 20)
    assert blocks.n_draws == 640
    assert same(blocks, sample(n_sweeps=16_000, thin=20, tempering=False))
    assert blocks.acceptance == pytest.approx(sample(n_sweeps=16_000, thin=20, tempering=False).acceptance)


def plain_are_too_short(_measures, _previous, round_trips):
    return ffbm.diagnostics.Verdict("too short" if round_trips is None else "converged", "for the sake of the test")


def test_tempering_is_switched_on_where_length_does_not_help(monkeypatch):
    """A network whose two pairings of four cliques are equally good: plain chains stay in one of them."""
    edges = np.array([(12 * c + i, 12 * c + j) for c in range(4) for i in range(12) for j in range(i)])
    net = ffbm.as_network(edges)
    monkeypatch.setattr(lengths, "_EARLY", 1)
    for where in (lengths, tempering):
        monkeypatch.setattr(where, "judge_blocks", plain_are_too_short)
    blocks = sample(net, 2)
    assert isinstance(blocks.settings["tempering"], list)
    assert blocks.diagnostics.round_trips.shape == (4,)
    assert len(blocks.settings["swap_rates"]) == len(blocks.settings["tempering"]) - 1


def test_ladders_are_not_begun_where_there_is_no_time_for_them(monkeypatch):
    edges = np.array([(12 * c + i, 12 * c + j) for c in range(4) for i in range(12) for j in range(i)])
    monkeypatch.setattr(lengths, "_EARLY", 1)
    monkeypatch.setattr(lengths, "_LADDERS", np.inf)
    for where in (lengths, tempering):
        monkeypatch.setattr(where, "judge_blocks", plain_are_too_short)
    assert sample(ffbm.as_network(edges), 2, max_minutes=0.1).settings["tempering"] is False


def shares_of_pictures(seed, **options):
    """How often each of the two pairings of four cliques is seen, and the blocks."""
    edges, pictures = cliques_in_pairs()
    blocks = ffbm.sample_blocks(ffbm.as_network(edges), 2, seed=seed, progress=False, **options)
    sides = blocks.labels ^ blocks.labels[:, :, :1]
    return [(sides == picture).all(axis=2).mean() for picture in pictures], blocks


@pytest.mark.parametrize("seed", range(4))
def test_chains_begin_in_both_of_two_equally_good_pictures(seed):
    """Chains of the four cliques that all begin in one picture would agree on it, and be wrong."""
    shares, blocks = shares_of_pictures(seed, n_sweeps=200, tempering=False)
    assert min(shares) > 0.1
    assert not blocks.converged


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_two_equally_good_pictures_are_both_seen(seed):
    shares, blocks = shares_of_pictures(seed, n_sweeps="auto", max_minutes=2)
    assert min(shares) > 0.1
    assert not blocks.converged or blocks.settings["tempering"]


def test_inverse_temperatures_of_ones_own():
    blocks = sample(n_sweeps=200, tempering=[1, 0.9, 0.7])
    assert blocks.settings["tempering"] == [1, 0.9, 0.7]
    assert blocks.labels.shape == (4, 32, 105)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_sweeps": "many"}, "n_sweeps must be"),
        ({"max_minutes": 0}, "max_minutes must be a number"),
        ({"tempering": [0.9, 0.8]}, "tempering must be inverse temperatures from 1 down"),
        ({"tempering": [1, 0.8, 0.9]}, "tempering must be inverse temperatures from 1 down"),
        ({"tempering": "warm"}, "tempering must be"),
        ({"tempering": 3}, "tempering must be"),
        ({"burn_in": 0.95}, "burn_in must be"),
    ],
)
def test_what_is_refused(wrong, message):
    with pytest.raises(OptionError, match=message):
        sample(**wrong)


def test_progress_tells_how_far_the_verdict_is():
    heard = []
    ffbm.sample_blocks(EASY, 3, seed=2, progress=heard.append, max_minutes=None)
    notes = {event.note for event in heard if event.stage == "blocks"}
    assert any("R-hat" in note and "pairs open" in note for note in notes)
    done = [event.done for event in heard if event.stage == "blocks"]
    assert done == sorted(done)
