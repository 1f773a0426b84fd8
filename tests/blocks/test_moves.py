"""What a single-vertex move claims, against the readable truth: its cost, its counts, its way back."""

import numpy as np
import pytest

from ffbm.blocks.chain import block_counts, target_entropy
from ffbm.blocks.entropy import description_length
from ffbm.kernels.partition import entropy_of
from ffbm.verification.changes import proposal_probability, random_moves

from .graphs import LAYOUTS, model_and_counts, random_graph
from .inner import as_matrix, entropy_change, log_proposal_ratio, move, propose

CASES = [  # vertices, edges, blocks, moves
    (8, 14, 3, 400),
    (30, 60, 4, 400),
    (60, 400, 6, 400),
    (12, 6, 5, 400),
    (200, 3000, 5, 150),
    (40, 6000, 4, 150),
]


def members(counts):
    """The vertices met along the ring of each block."""
    met = []
    for r in range(len(counts.n)):
        ring, v = set(), counts.ring[len(counts.b) + r, 1]
        while v < len(counts.b):
            ring.add(v)
            v = counts.ring[v, 1]
        met.append(ring)
    return met


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks", "n_moves"), CASES)
def test_change_of_entropy_and_counts(n_nodes, n_edges, n_blocks, n_moves, layout):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, layout=layout)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    before = description_length(graph, counts.b).without_partition
    for i, s in random_moves(rng, counts.b, n_blocks, n_moves):
        claimed = entropy_change(model, counts, i, s, blocks, links, marks)
        move(model, counts, i, s)
        after = description_length(graph, counts.b).without_partition
        assert claimed == pytest.approx(after - before, abs=2e-6 if n_edges > 1024 else 1e-9)
        before = after
    anew = block_counts(model, counts.b, n_blocks)
    for name in ("n", "e", "logq", "used"):
        assert np.array_equal(getattr(counts, name), getattr(anew, name)), name
    for name in ("ers", "eta"):
        assert np.array_equal(as_matrix(getattr(counts, name), n_blocks), getattr(anew, name)), name
    assert layout != "near" or np.array_equal(counts.near, anew.near)
    assert layout != "compact" or members(counts) == [set(np.flatnonzero(counts.b == r)) for r in range(n_blocks)]
    assert not marks.any()


@pytest.mark.parametrize("prior", ["full", "sets"])
def test_change_of_entropy_under_the_prior_on_partitions(prior):
    rng = np.random.default_rng(3)
    n_nodes, n_blocks = 14, 6
    graph = random_graph(rng, n_nodes, 30)
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, prior=prior)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    constant = target_entropy(graph, counts.b, n_blocks, prior) - entropy_of(model, counts)
    for i, s in random_moves(rng, counts.b, n_blocks, 300):
        before = target_entropy(graph, counts.b, n_blocks, prior)
        claimed = entropy_change(model, counts, i, s, blocks, links, marks)
        move(model, counts, i, s)
        after = target_entropy(graph, counts.b, n_blocks, prior)
        assert claimed == pytest.approx(after - before, abs=1e-9)
        assert entropy_of(model, counts) + constant == pytest.approx(after, abs=1e-9)


def test_target_entropy_divides_by_the_labellings():
    graph = random_graph(np.random.default_rng(0), 5, 6)
    full = description_length(graph, [0, 0, 1, 1, 1], prior="full").total
    assert target_entropy(graph, [0, 0, 1, 1, 1], 4, "full") == pytest.approx(full)
    assert target_entropy(graph, [3, 3, 1, 1, 1], 4, "sets") == pytest.approx(full + np.log(4 * 3))
    assert target_entropy(graph, [2, 2, 2, 2, 2], 4, "sets") == pytest.approx(
        description_length(graph, [0] * 5, prior="full").total + np.log(4)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks"), [(8, 14, 3), (20, 40, 4), (12, 6, 5), (9, 90, 2)])
def test_way_back_before_the_move_is_way_there_after_it(n_nodes, n_edges, n_blocks, layout):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, layout=layout)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    for i, s in random_moves(rng, counts.b, n_blocks, 150):
        r, epsilon = int(counts.b[i]), float(rng.choice([0.1, 0.5, 3.0]))
        claimed = log_proposal_ratio(model, counts, i, s, epsilon, blocks, links, marks)
        there = proposal_probability(graph, counts.b, i, s, epsilon, n_blocks)
        move(model, counts, i, s)
        back = proposal_probability(graph, counts.b, i, r, epsilon, n_blocks)
        assert claimed == pytest.approx(np.log(back / there), abs=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_proposals_follow_their_probabilities(epsilon, layout):
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 9, 16)
    n_blocks, n_draws = 4, 20_000
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, 9), n_blocks, layout=layout)
    for i in range(9):
        u = rng.random((n_draws, 2))
        drawn = np.bincount([propose(model, counts, i, epsilon, x, y) for x, y in u], minlength=n_blocks)
        expected = [proposal_probability(graph, counts.b, i, s, epsilon, n_blocks) for s in range(n_blocks)]
        assert sum(expected) == pytest.approx(1.0)
        error = np.sqrt(np.array(expected) * (1 - np.array(expected)) / n_draws)
        assert np.all(np.abs(drawn / n_draws - expected) <= 4.5 * error + 1e-12)
