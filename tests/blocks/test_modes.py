"""Modes: different pictures are told apart, one broad picture is not cut up."""

import numpy as np
import pytest

import ffbm
from ffbm.blocks import modes
from ffbm.blocks.align import align_blocks
from ffbm.blocks.modes import find_modes

from .pictures import cliques_in_pairs, noisy, relabel, trace_of, two_pictures


def draw(rng, pictures, which, n_blocks, noise):
    """Draws of pictures[which] with noise, each under a random numbering."""
    return relabel(rng, noisy(rng, pictures[which], n_blocks, which.shape, noise), n_blocks)


def same_partition(a, b):
    """Tell whether two labellings differ only in their numbers."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


STUCK = np.repeat([[0], [1], [0], [0]], 20, axis=1)
HOPPING = np.random.default_rng(0).choice(2, p=[0.7, 0.3], size=(4, 20))


@pytest.mark.parametrize("which", [STUCK, HOPPING], ids=["stuck", "hopping"])
@pytest.mark.parametrize(
    ("n_nodes", "n_blocks", "noise", "changed"),
    [(60, 2, 0.0, 0.3), (200, 2, 0.1, 0.2), (100, 5, 0.1, 0.2), (100, 10, 0.3, 0.3), (400, 3, 0.05, 0.08)],
)
def test_two_pictures_are_two_modes(n_nodes, n_blocks, noise, changed, which):
    rng = np.random.default_rng(1)
    pictures = two_pictures(rng, n_nodes, n_blocks, changed)
    members = align_blocks(trace_of(draw(rng, pictures, which, n_blocks, noise), n_blocks))
    assert members.n_modes == 2
    np.testing.assert_array_equal(members.mode_of, which)  # the first has the most draws
    for number, mode in enumerate(members.modes):
        assert same_partition(mode.labels, pictures[number])
        assert mode.weight == (which == number).mean()
        np.testing.assert_allclose(mode.chains, (which == number).mean(axis=1))
        assert mode.agreement == pytest.approx(1 - noise * (1 - 1 / n_blocks), abs=0.02)
    assert members.modes[0].changed(members.modes[1]) == pytest.approx(changed, abs=0.5 / n_nodes)  # numbers match


def test_many_pictures():
    rng = np.random.default_rng(2)
    pictures = np.stack([rng.integers(0, 4, 150) for _ in range(6)])
    which = np.repeat(np.arange(6), [30, 25, 20, 15, 12, 10]).reshape(4, 28)
    members = align_blocks(trace_of(draw(rng, pictures, which, 4, 0.2), 4))
    np.testing.assert_array_equal(members.mode_of, which)


def test_the_numbers_that_chains_use_do_not_matter():
    rng = np.random.default_rng(3)
    labels = draw(rng, two_pictures(rng, 80, 4, 0.3), HOPPING, 4, 0.1)
    first, second = (align_blocks(trace_of(relabel(rng, labels, 4), 4)) for _ in range(2))
    np.testing.assert_array_equal(first.mode_of, second.mode_of)
    assert same_partition(first.modes[1].labels, second.modes[1].labels)


def sticky(rng, shape, n_nodes, free, stays):
    """Chains in which a share of the vertices is free and moves slowly, each for itself."""
    base, is_free = rng.integers(0, 4, n_nodes), rng.random(n_nodes) < free
    labels = np.empty((*shape, n_nodes), dtype=int)
    for chain in labels:
        now = np.where(is_free, rng.integers(0, 4, n_nodes), base)
        for row in chain:
            now = np.where(is_free & (rng.random(n_nodes) > stays), rng.integers(0, 4, n_nodes), now)
            row[:] = now
    return labels


def sliding(rng, shape, n_nodes, step):
    """Chains in which the border between two blocks wanders to and fro."""
    labels = np.empty((*shape, n_nodes), dtype=int)
    for chain in labels:
        place = rng.random()
        for row in chain:
            place = abs(place + step * rng.normal()) % 2
            place = min(place, 2 - place)
            row[:] = np.arange(n_nodes) > n_nodes * (0.25 + place / 2)
    return labels


BROAD = {
    "noise": lambda rng: noisy(rng, rng.integers(0, 4, 100), 4, (4, 100), 0.4),
    "pure noise": lambda rng: rng.integers(0, 4, (4, 100, 100)),
    "slow vertices": lambda rng: sticky(rng, (4, 160), 300, 0.3, 0.9),
    "very slow vertices": lambda rng: sticky(rng, (4, 160), 100, 1.0, 0.95),
    "wandering border": lambda rng: sliding(rng, (4, 160), 200, 0.2),
    "few draws": lambda rng: noisy(rng, rng.integers(0, 4, 1000), 4, (4, 3), 0.3),
    "one odd draw": lambda rng: noisy(
        rng,
        np.concatenate((np.tile(np.arange(60) % 4, (39, 1)), [np.arange(60) // 15])).reshape(2, 20, 60),
        4,
        (2, 20),
        0,
    ),
}


@pytest.mark.parametrize("kind", BROAD)
def test_one_broad_picture_is_one_mode(kind):
    rng = np.random.default_rng(4)
    members = align_blocks(trace_of(relabel(rng, BROAD[kind](rng), 4), 4))
    assert members.n_modes == 1
    assert members.modes[0].probs is members.probs
    assert members.modes[0].labels is members.labels
    assert members.modes[0].weight == 1
    assert not members.mode_of.any()


def test_chains_that_stay_in_places_of_their_own_are_modes():
    rng = np.random.default_rng(5)
    members = align_blocks(trace_of(sticky(rng, (4, 50), 200, 0.3, 1.0), 4))
    assert members.n_modes == 4
    assert all((row == row[0]).all() for row in members.mode_of)


@pytest.mark.parametrize(("changed", "n_modes"), [(0.03, 1), (0.08, 2)])
def test_pictures_that_hardly_differ_are_one(changed, n_modes):
    rng = np.random.default_rng(6)
    labels = draw(rng, two_pictures(rng, 300, 3, changed), STUCK, 3, 0.0)
    assert align_blocks(trace_of(labels, 3)).n_modes == n_modes


def test_a_bounded_search_finds_the_same(monkeypatch):
    rng = np.random.default_rng(7)
    which = rng.choice(2, p=[0.6, 0.4], size=(4, 100))
    trace = trace_of(draw(rng, two_pictures(rng, 2000, 4, 0.2), which, 4, 0.1), 4)
    whole = align_blocks(trace)
    monkeypatch.setattr(modes, "MOST_VERTICES", 300)
    monkeypatch.setattr(modes, "MOST_DRAWS", 60)
    part = align_blocks(trace)
    np.testing.assert_array_equal(part.mode_of, which)
    for one, other in zip(whole.modes, part.modes, strict=True):
        np.testing.assert_array_equal(one.probs, other.probs)


def test_the_order_of_a_mode_maps_its_draws_to_its_numbers():
    rng = np.random.default_rng(8)
    trace = trace_of(draw(rng, two_pictures(rng, 80, 4, 0.3), HOPPING, 4, 0.1), 4)
    members = align_blocks(trace)
    assert members.n_modes == 2
    for number, mode in enumerate(members.modes):
        labels = trace.labels[members.mode_of == number].astype(np.int64)
        aligned = np.take_along_axis(mode.order, labels, axis=1)
        counted = np.stack([(aligned == r).mean(axis=0) for r in range(4)], axis=1)
        np.testing.assert_allclose(counted, mode.probs)
        assert mode.n_draws == len(labels)
        np.testing.assert_array_equal(mode.sizes, np.bincount(mode.labels, minlength=4))


def test_the_average_over_all_draws_is_what_it_was():
    rng = np.random.default_rng(9)
    trace = trace_of(draw(rng, two_pictures(rng, 80, 4, 0.3), HOPPING, 4, 0.1), 4)
    members = align_blocks(trace)
    aligned = np.take_along_axis(members.order, trace.labels.astype(np.int64), axis=2)
    counted = np.stack([(aligned == r).mean(axis=(0, 1)) for r in range(4)], axis=1)
    np.testing.assert_allclose(members.probs, counted)


@pytest.mark.parametrize("labels", [np.zeros((1, 1, 5)), np.zeros((2, 9, 5)), np.tile(np.arange(5) % 2, (1, 3, 1))])
def test_too_little_for_modes(labels):
    n_blocks = int(labels.max()) + 1
    assert align_blocks(trace_of(labels, n_blocks)).n_modes == 1


def test_a_planted_network_with_two_pictures():
    edges, pictures = cliques_in_pairs()
    net = ffbm.as_network(edges)
    starts = pictures[[0, 1, 0]]
    blocks = ffbm.sample_blocks(net, n_blocks=2, n_chains=3, n_sweeps=200, seed=1, initial=starts, moves="single")
    members = align_blocks(blocks)
    assert members.n_modes == 2
    found = [next(i for i in (0, 1) if same_partition(mode.labels, pictures[i])) for mode in members.modes]
    assert sorted(found) == [0, 1]
    assert members.modes[0].changed(members.modes[1]) == 0.5
    assert members.agreement < 0.95 < min(mode.agreement for mode in members.modes)


def test_modes_are_numbered_by_weight():
    one, other = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    draws = np.array([other] * 3 + [one] * 4, dtype=np.uint8)
    assert find_modes(draws, np.tile([0, 1], (7, 1))).tolist() == [1, 1, 1, 0, 0, 0, 0]
