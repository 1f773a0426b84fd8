"""Block diagnostics do not see labels, do see chains that disagree, and forgive what does not matter."""

import numpy as np
import pytest

from ffbm.diagnostics import block_diagnostics, ess_mean, measure_blocks, rhat, summarise
from ffbm.diagnostics.pairs import choose_pairs, measure_pairs
from ffbm.errors import DataError, OptionError

C, T, N = 4, 500, 40
RATE = np.full(C, 0.25)


def chains(seed=0, flip=0.05):
    """Labels of two halves of the vertices, each vertex across in a share ``flip`` of the draws."""
    rng = np.random.default_rng(seed)
    side = np.arange(N) >= N // 2
    labels = (side ^ (rng.random((C, T, N)) < flip)).astype(np.uint8)
    return labels, rng.normal(size=(C, T))


def test_chains_that_agree_have_converged():
    labels, entropy = chains()
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert found.converged
    assert found.pairs.shape == (500, 2)
    assert found.share_unsettled == 0
    assert 1 <= found.max_rhat_pairs < 1.02
    assert found.state == "R-hat 1.00, 0 of 500 pairs open"
    assert found.rhat_entropy == rhat(entropy)
    assert found.ess_entropy == summarise(entropy).ess_bulk
    np.testing.assert_array_equal(found.acceptance, RATE)


def test_pairs_are_measured_as_indicators():
    labels, entropy = chains(1)
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    i, j = found.pairs[7]
    together = labels[:, :, i] == labels[:, :, j]
    assert found.rhat_pairs[7] == pytest.approx(float(rhat(together)))
    assert found.ess_pairs[7] == pytest.approx(float(ess_mean(together)))
    assert found.frequency_pairs[7] == pytest.approx(together.mean())
    assert found.error_pairs[7] == measure_pairs(labels, found.pairs).error[7]
    assert found.error_pairs[7] == pytest.approx(together.std() / np.sqrt(float(ess_mean(together))), rel=0.1)


@pytest.mark.parametrize(("n_chains", "n_draws"), [(1, 60), (2, 4), (3, 7), (4, 301)])
@pytest.mark.parametrize("flip", [0.0, 0.02, 0.5])
def test_pairs_are_measured_as_any_quantity_is(n_chains, n_draws, flip):
    labels = chains(2, flip)[0][:n_chains, :n_draws]
    labels[0, : n_draws // 2, 0] = 1
    labels[-1, :, 1] = 1
    pairs = choose_pairs(N, 500, seed=3)
    together = labels[:, :, pairs[:, 0]] == labels[:, :, pairs[:, 1]]
    slow, quick = summarise(together), measure_pairs(labels, pairs)
    np.testing.assert_allclose(quick.rhat, slow.rhat, rtol=1e-10)
    np.testing.assert_allclose(quick.ess, slow.ess_mean, rtol=1e-10)
    np.testing.assert_allclose(quick.frequency, together.mean(axis=(0, 1)))
    alone = np.array([ess_mean(together[c : c + 1]) for c in range(n_chains)])
    by_chain = together.mean(axis=1)
    np.testing.assert_allclose(quick.noise**2, (by_chain * (1 - by_chain) / alone).mean(axis=0))
    if n_chains > 1:
        np.testing.assert_allclose(quick.spread, by_chain.std(axis=0, ddof=1))
    else:
        assert np.isnan(quick.spread).all()


def test_pairs_in_pieces_are_the_same(monkeypatch):
    labels, pairs = chains(2)[0], choose_pairs(N, 500, seed=3)
    whole = measure_pairs(labels, pairs)
    monkeypatch.setattr("ffbm.diagnostics.pairs._CHUNK", 7 * C * T)
    for one, other in zip(whole, measure_pairs(labels, pairs), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_state_in_a_few_words():
    labels, entropy = chains()
    assert measure_blocks(labels[:, :3], entropy[:, :3], seed=3).state == "too few draws to judge"
    assert measure_blocks(labels, np.ones((C, T)), seed=3).state == "S constant, 0 of 500 pairs open"
    short = measure_blocks(labels[:, :100], entropy[:, :100], seed=3)
    open_pairs = int((short.error_pairs > 0.0177).sum())
    assert short.state == (
        f"R-hat {short.rhat_entropy:.2f}, ESS {int(short.ess_entropy)} of 800, {open_pairs} of 500 pairs open"
    )


def test_how_each_draw_numbers_its_blocks_does_not_matter():
    labels, entropy = chains()
    swapped = np.where(np.random.default_rng(9).random((C, T, 1)) < 0.5, labels, 1 - labels)
    one, other = (block_diagnostics(b, entropy, RATE, seed=3) for b in (labels, swapped))
    np.testing.assert_array_equal(one.rhat_pairs, other.rhat_pairs)
    assert one.converged == other.converged


def test_a_chain_stuck_in_another_partition_is_seen_though_s_agrees():
    labels, entropy = chains(flip=0.0)
    labels[0, :, ::2] = 1 - labels[0, :, ::2]
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert found.converged.grade == "multimodal"
    n_apart = np.count_nonzero(found.error_pairs > 0.0177)
    assert f"the 4 chains show different pictures: on {n_apart} of 500 pairs of vertices" in found.converged.reason
    assert "(standard deviation between chains up to 0.50)" in found.converged.reason
    assert found.max_rhat_pairs == np.inf
    assert found.share_unsettled > 0.2
    assert found.rhat_entropy < 1.01


def test_s_apart_is_seen_though_the_pairs_agree():
    labels, entropy = chains()
    entropy[1] += 5
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert found.converged.grade == "too short"
    assert found.converged.reason.startswith("R-hat of S is ")


def test_one_short_excursion_of_one_vertex_is_forgiven():
    labels, entropy = chains(flip=0.0)
    labels[2, 100:115, 0] = 1
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert found.max_rhat_pairs > 1.01
    assert found.share_unsettled == 0
    assert found.converged


def test_one_longer_excursion_is_not_for_how_often_it_occurs_is_not_known():
    labels, entropy = chains(flip=0.0)
    labels[2, 100:130, 0] = 1
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert found.share_unsettled == np.isin(found.pairs, 0).any(axis=1).mean() > 0.01
    assert found.converged.grade == "usable"


def test_pairs_that_never_change_have_no_rhat_and_an_error_that_falls_with_the_draws():
    labels, entropy = chains(flip=0.0)
    found = block_diagnostics(labels, entropy, RATE, seed=3)
    assert np.isnan(found.rhat_pairs).all()
    assert np.isnan(found.max_rhat_pairs)
    n = C * T
    np.testing.assert_allclose(found.error_pairs, np.sqrt(4.5 * (n + 4.5) / n) / (n + 9))
    assert found.converged


def test_one_chain_cannot_show_convergence():
    labels, entropy = chains()
    found = block_diagnostics(labels[:1], entropy[:1], RATE[:1], seed=3)
    assert found.converged.reason == "one chain cannot show convergence: run at least 2"


@pytest.mark.parametrize("n_draws", [0, 3])
def test_too_few_draws(n_draws):
    labels, entropy = chains()
    found = block_diagnostics(labels[:, :n_draws], entropy[:, :n_draws], RATE, seed=3)
    assert not found.converged
    assert "draws per chain are too few" in found.converged.reason


def test_one_vertex_has_no_pairs():
    labels, entropy = chains()
    found = block_diagnostics(labels[:, :, :1], entropy, RATE, seed=3)
    assert found.pairs.shape == (0, 2)
    assert found.converged
    assert "pairs" not in found.converged.reason


def test_acceptance_by_draw_is_averaged():
    labels, entropy = chains()
    rate = np.random.default_rng(2).random((C, T))
    np.testing.assert_allclose(block_diagnostics(labels, entropy, rate, seed=3).acceptance, rate.mean(axis=1))


@pytest.mark.parametrize(
    ("labels", "entropy", "rate", "message"),
    [
        (np.zeros((4, 9)), np.zeros((4, 9)), RATE, "labels must be integers of shape"),
        (np.zeros((4, 9, 3)), np.zeros((4, 9)), RATE, "labels must be integers of shape"),
        (
            np.zeros((4, 9, 3), int),
            np.zeros((4, 8)),
            RATE,
            "entropy must have the chains and draws of labels",
        ),
        (
            np.zeros((4, 9, 3), int),
            np.zeros((4, 9)),
            RATE[:2],
            r"acceptance must have shape \(4,\) or \(4, 9\)",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(labels, entropy, rate, message):
    with pytest.raises(DataError, match=message):
        block_diagnostics(labels, entropy, rate, seed=3)


def test_pairs_are_different_fixed_by_the_seed_and_spread():
    pairs = choose_pairs(1000, 500, seed=4)
    assert len({tuple(pair) for pair in pairs.tolist()}) == 500
    assert (pairs[:, 0] > pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < 1000
    np.testing.assert_array_equal(pairs, choose_pairs(1000, 500, seed=4))
    assert not np.array_equal(pairs, choose_pairs(1000, 500, seed=5))
    assert 450 < pairs.mean() < 550


def test_pairs_of_very_many_vertices_are_exact():
    n = 2**31 - 1
    pairs = choose_pairs(n, 500, seed=4)
    assert (pairs[:, 0] < n).all()
    assert (pairs[:, 1] < pairs[:, 0]).all()
    assert (pairs[:, 1] >= 0).all()


@pytest.mark.parametrize(("n", "count"), [(0, 0), (1, 0), (2, 1), (32, 496), (33, 500)])
def test_all_pairs_where_there_are_few(n, count):
    assert choose_pairs(n, 500, seed=0).shape == (count, 2)


def test_a_seed_is_checked():
    with pytest.raises(OptionError, match="seed must be"):
        choose_pairs(100, 10, seed=-1)


def test_chains_in_one_partition_agree_whatever_the_rounding():
    labels = np.zeros((4, 50, 6), dtype=np.uint8)
    labels[:, :, 3:] = 1
    entropy = 123.4 + 1e-12 * np.arange(4)[:, np.newaxis] + 1e-13 * np.random.default_rng(0).random((4, 50))
    assert block_diagnostics(labels, entropy, np.zeros(4), seed=0).converged
