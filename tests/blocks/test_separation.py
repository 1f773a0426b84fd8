"""What tells two modes apart, against slow and plain counts."""

from math import comb, log, prod

import numpy as np
import pytest

from ffbm.blocks.groups import Group, best_match, predict
from ffbm.blocks.separation import are_two_modes, code_lengths, distance, evidence, have_gap


def group_of(labels, n_blocks, first=0):
    labels = np.asarray(labels, dtype=np.uint8)
    return Group(labels, first + np.arange(len(labels)), np.tile(np.arange(n_blocks), (len(labels), 1)))


def probability(labels, n_blocks):
    """P of the labels of one vertex, one after the other: (times seen before + 1/B) / (labels before + 1)."""
    return prod((labels[:t].count(r) + 1 / n_blocks) / (t + 1) for t, r in enumerate(labels))


@pytest.mark.parametrize("n_blocks", [2, 3, 7])
def test_the_code_length_of_a_vertex(n_blocks):
    rng = np.random.default_rng(1)
    draws = rng.integers(0, n_blocks, (9, 5))
    slow = [-log(probability(column.tolist(), n_blocks)) for column in draws.T]
    np.testing.assert_allclose(code_lengths(group_of(draws, n_blocks).counts), slow)


def test_evidence_is_a_ratio_of_probabilities():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 3, (4, 6)), rng.integers(0, 3, (5, 6))
    slow = -log(10 * comb(9, 4))
    for one, other in zip(a.T.tolist(), b.T.tolist(), strict=True):
        apart = probability(one, 3) * probability(other, 3) / probability(one + other, 3)
        slow += log(0.95 + 0.05 * apart)
    assert evidence(group_of(a, 3), group_of(b, 3)) == pytest.approx(slow)


def test_distance_counts_vertices_that_change_by_how_surely_they_do():
    one = group_of([[0, 0, 0, 0]] * 4, 2)
    other = group_of([[0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 1, 0], [0, 1, 0, 0]], 2)
    assert distance(one, other) == pytest.approx((0 + 1 + 0.75 + 0) / 4)


def test_a_draw_is_predicted_by_the_others_of_its_group():
    rng = np.random.default_rng(3)
    draws = np.tile(np.arange(12) % 3, (5, 1))
    draws[2, :3] = rng.permutation(3)
    group = group_of(draws, 3)
    _, score = predict(group, group.draws, group.which)
    rest = np.delete(draws, 2, axis=0)
    slow = sum(log(((rest[:, i] == draws[2, i]).sum() + 1 / 3) / 5) for i in range(12))
    assert score[2] == pytest.approx(slow)
    new = rng.integers(0, 3, (1, 12)).astype(np.uint8)
    order, [score] = predict(group, new, np.array([99]))
    slow = sum(log(((draws[:, i] == order[0, new[0, i]]).sum() + 1 / 3) / 6) for i in range(12))
    assert score == pytest.approx(slow)


def test_a_gap_is_asked_for():
    share = np.random.default_rng(4).permutation(np.linspace(0, 1, 60))  # a border between a quarter and three
    draws = (np.arange(100) < 25 + 50 * share[:, np.newaxis]).astype(np.uint8)
    low, high = group_of(draws[share < 0.5], 2), group_of(draws[share > 0.5], 2, first=60)
    assert distance(low, high) > 0.1
    assert evidence(low, high) > 0
    assert not have_gap(low, high)
    assert not are_two_modes(low, high, least=2)
    low, high = group_of(draws[share < 0.3], 2), group_of(draws[share > 0.7], 2, first=60)
    assert have_gap(low, high)
    assert are_two_modes(low, high, least=2)
    assert not are_two_modes(low, high, least=40)


def test_the_best_match_is_the_best():
    rng = np.random.default_rng(5)
    for _ in range(50):
        shared = rng.integers(0, 5, (4, 4)).astype(float)
        found = shared[np.arange(4), best_match(shared)].sum()
        assert found >= max(shared[np.arange(4), rng.permutation(4)].sum() for _ in range(200))


def test_the_numbers_of_blocks_do_not_make_two_modes():
    picture = np.arange(30) % 3
    one = group_of([picture] * 5, 3)
    assert not are_two_modes(one, group_of([(picture + 1) % 3] * 5, 3, first=5), least=2)
    assert are_two_modes(one, group_of([np.arange(30) // 10] * 5, 3, first=5), least=2)


def test_it_takes_draws_to_prove_that_vertices_change_together():
    picture = np.arange(20) % 2
    other = np.where(np.arange(20) < 2, 1 - picture, picture)
    few = group_of([picture] * 2, 2), group_of([other] * 2, 2, first=2)
    assert distance(*few) == 0.1
    assert have_gap(*few)
    assert evidence(*few) < 0
    assert not are_two_modes(*few, least=2)
    assert are_two_modes(group_of([picture] * 40, 2), group_of([other] * 40, 2, first=40), least=2)
