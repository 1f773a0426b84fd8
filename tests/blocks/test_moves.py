"""What a single-vertex move claims, against the readable truth: its cost, its counts, its way back."""

import numpy as np
import pytest

from ffbm.blocks.chain import block_counts
from ffbm.blocks.entropy import description_length

from .graphs import model_and_counts, random_graph
from .inner import entropy_change, log_proposal_ratio, move, propose

CASES = [  # vertices, edges, blocks, moves
    (8, 14, 3, 400),
    (30, 60, 4, 400),
    (60, 400, 6, 400),
    (12, 6, 5, 400),
    (200, 3000, 5, 150),
    (40, 6000, 4, 150),
]


def proposal_probability(graph, b, i, s, epsilon, n_blocks):
    """The chance that vertex i is proposed block s, from the definition."""
    row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
    if len(row) == 0:
        return 1 / n_blocks
    ends = np.bincount(b, weights=graph.degrees, minlength=n_blocks)
    total = 0.0
    for j in row:
        t = b[j]
        e_ts = 0.0
        for v in np.flatnonzero(b == t):
            e_ts += np.count_nonzero(b[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]] == s)
            e_ts += 2 * graph.loops[v] * (t == s)
        total += (e_ts + epsilon) / (ends[t] + epsilon * n_blocks)
    return total / len(row)


def moves_of(rng, counts, n_moves):
    """Random moves to another block, any vertex, blocks that empty and open included."""
    n_blocks = len(counts.n)
    for _ in range(n_moves):
        i = int(rng.integers(len(counts.b)))
        s = int(rng.integers(n_blocks - 1))
        yield i, s + (s >= counts.b[i])


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks", "n_moves"), CASES)
def test_change_of_entropy_and_counts(n_nodes, n_edges, n_blocks, n_moves, dense):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, dense=dense)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    before = description_length(graph, counts.b).without_partition
    for i, s in moves_of(rng, counts, n_moves):
        claimed = entropy_change(model, counts, i, s, blocks, links, marks)
        move(model, counts, i, s)
        after = description_length(graph, counts.b).without_partition
        assert claimed == pytest.approx(after - before, abs=2e-6 if n_edges > 1024 else 1e-9)
        before = after
    anew = block_counts(model, counts.b, n_blocks)
    for name in ("n", "e", "ers", "eta", "logq", "used"):
        assert np.array_equal(getattr(counts, name), getattr(anew, name)), name
    if dense:
        assert np.array_equal(counts.near, anew.near)
    assert not marks.any()


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks"), [(8, 14, 3), (20, 40, 4), (12, 6, 5), (9, 90, 2)])
def test_way_back_before_the_move_is_way_there_after_it(n_nodes, n_edges, n_blocks, dense):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, dense=dense)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    for i, s in moves_of(rng, counts, 150):
        r, epsilon = int(counts.b[i]), float(rng.choice([0.1, 0.5, 3.0]))
        claimed = log_proposal_ratio(model, counts, i, s, epsilon, blocks, links, marks)
        there = proposal_probability(graph, counts.b, i, s, epsilon, n_blocks)
        move(model, counts, i, s)
        back = proposal_probability(graph, counts.b, i, r, epsilon, n_blocks)
        assert claimed == pytest.approx(np.log(back / there), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_proposals_follow_their_probabilities(epsilon):
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 9, 16)
    n_blocks, n_draws = 4, 20_000
    model, counts = model_and_counts(graph, rng.integers(0, n_blocks, 9), n_blocks)
    for i in range(9):
        u = rng.random((n_draws, 2))
        drawn = np.bincount([propose(model, counts, i, epsilon, x, y) for x, y in u], minlength=n_blocks)
        expected = [proposal_probability(graph, counts.b, i, s, epsilon, n_blocks) for s in range(n_blocks)]
        assert sum(expected) == pytest.approx(1.0)
        error = np.sqrt(np.array(expected) * (1 - np.array(expected)) / n_draws)
        assert np.all(np.abs(drawn / n_draws - expected) <= 4.5 * error + 1e-12)
