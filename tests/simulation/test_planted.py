"""Planted simple graphs: simple indeed, dense where the matrix says, and drawn by the law that is stated."""

from itertools import permutations

import numpy as np
import pytest

from ffbm.simulation import planted
from ffbm.simulation.planted import count_pairs, draw_planted
from ffbm.verification.goodness import chi_square, fit_of_law

LEAST_P = 1e-3


def is_simple(graph):
    return not graph.loops.any() and len(np.unique(graph.edges, axis=0)) == graph.n_edges


@pytest.mark.parametrize("exponent", [None, 2.05, 3.0])
@pytest.mark.parametrize(
    ("sizes", "n_edges"), [((50, 50), 300), ((10, 5), 105), ((30, 1, 0, 4), 400), ((1,), 0), ((500, 300), 20_000)]
)
def test_simple_and_as_many_edges_as_asked_for(sizes, n_edges, exponent):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    matrix = np.ones((len(sizes), len(sizes))) + 9 * np.eye(len(sizes))
    graph = draw_planted(np.random.default_rng(n_edges), labels, matrix, n_edges, exponent)
    assert graph.n_edges == n_edges
    assert is_simple(graph)


def test_room_is_every_pair_that_may_have_an_edge():
    labels = np.repeat([0, 1, 2], (4, 3, 2))
    assert count_pairs(labels, np.ones((3, 3))) == 36
    matrix = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert count_pairs(labels, matrix) == 4 * 3 + 1
    graph = draw_planted(np.random.default_rng(0), labels, matrix, 13, None)
    between = {tuple(sorted(labels[list(edge)])) for edge in graph.edges.tolist()}
    assert between == {(0, 1), (2, 2)}


def test_edges_between_blocks_follow_the_matrix():
    labels = np.repeat([0, 1, 2], (400, 300, 300))
    matrix = np.array([[8.0, 1, 2], [1, 4, 0], [2, 0, 1]])
    graph = draw_planted(np.random.default_rng(2), labels, matrix, 4000, None)
    ends = labels[graph.edges]
    pairs = [(r, s) for r in range(3) for s in range(r, 3)]
    mass = {
        (r, s): matrix[r, s] * ((labels == r).sum() * ((labels == s).sum() - (r == s)) / (1 + (r == s)))
        for r, s in pairs
    }
    seen = [float(((ends == pair).all(axis=1)).sum()) for pair in pairs]
    expected = 4000 * np.array([mass[pair] for pair in pairs]) / sum(mass.values())
    assert chi_square(np.array(seen), expected) > LEAST_P


@pytest.mark.parametrize("way", ["drawn", "listed", "drawn, then listed"])
@pytest.mark.parametrize("blocks", [(0, 0, 0, 0), (0, 0, 1, 1)])
def test_pairs_are_drawn_one_after_the_other(way, blocks, monkeypatch):
    """All pairs but one, in whichever order: each in proportion to t_i t_j among those still free."""
    monkeypatch.setattr(planted, "_MOST_DENSE", 0.0 if way == "listed" else 1.0)
    monkeypatch.setattr(planted, "_PATIENCE", 1 if way == "drawn, then listed" else 1000)
    labels, t = np.array(blocks), np.array([4.0, 1.0, 2.0, 0.5])
    groups = planted._Groups(labels, (t, t), 2, False)
    s = blocks[3]
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4) if s == 0 or blocks[i] != blocks[j]]
    law = {}
    for order in permutations(pairs, len(pairs) - 1):
        chance, free = 1.0, sum(t[i] * t[j] for i, j in pairs)
        for i, j in order:
            chance *= t[i] * t[j] / free
            free -= t[i] * t[j]
        law[frozenset(order)] = law.get(frozenset(order), 0.0) + chance
    rng = np.random.default_rng(5)
    draws = [
        frozenset(map(tuple, planted._draw_pairs(rng, groups, 0, s, len(pairs) - 1).tolist())) for _ in range(3000)
    ]
    assert fit_of_law(draws, law) > LEAST_P


def test_directed_edges_follow_the_matrix_from_row_to_column():
    labels = np.repeat([0, 1], (60, 40))
    matrix = np.array([[1.0, 6], [2, 0]])
    graph = draw_planted(np.random.default_rng(2), labels, matrix, 2000, 2.5, directed=True)
    assert graph.is_directed
    assert len(np.unique(graph.edges, axis=0)) == graph.n_edges == 2000
    assert not graph.loops.any()
    ends = labels[graph.edges]
    seen = np.bincount(2 * ends[:, 0] + ends[:, 1], minlength=4)
    assert seen[3] == 0
    assert seen[1] > 1.5 * seen[2]
    assert count_pairs(labels, matrix, directed=True) == 60 * 59 + 2 * 60 * 40
    full = draw_planted(np.random.default_rng(2), labels, matrix, 60 * 59 + 2 * 60 * 40, None, directed=True)
    assert len(np.unique(full.edges, axis=0)) == full.n_edges
    assert np.corrcoef(graph.out_degrees, graph.in_degrees)[0, 1] < 0.5


def test_directed_pairs_are_drawn_one_after_the_other():
    """All ordered pairs of a block but one: each in proportion to t_i u_j among those still free."""
    t, u = np.array([4.0, 1.0, 2.0]), np.array([0.5, 2.0, 1.0])
    groups = planted._Groups(np.zeros(3, dtype=int), (t, u), 1, True)
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    law = {}
    for order in permutations(pairs, 2):
        chance, free = 1.0, sum(t[i] * u[j] for i, j in pairs)
        for i, j in order:
            chance *= t[i] * u[j] / free
            free -= t[i] * u[j]
        law[frozenset(order)] = law.get(frozenset(order), 0.0) + chance
    rng = np.random.default_rng(5)
    draws = [frozenset(map(tuple, planted._draw_pairs(rng, groups, 0, 0, 2).tolist())) for _ in range(3000)]
    assert fit_of_law(draws, law) > LEAST_P


def test_degrees_have_a_tail():
    labels = np.zeros(5000, dtype=int)
    even, uneven = (
        draw_planted(np.random.default_rng(1), labels, np.ones((1, 1)), 25_000, exponent).degrees
        for exponent in (None, 2.5)
    )
    assert even.max() < 40
    assert uneven.max() > 150
