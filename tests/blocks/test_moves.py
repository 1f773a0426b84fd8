"""What a single-vertex move claims, against the readable truth: its cost, its ledger, its way back."""

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.priors import FULL, UNLABELLED
from ffbm.blocks.target import BlockTarget, block_ledger
from ffbm.kernels.target import entropy_of
from ffbm.verification.changes import proposal_probability, random_moves

from .graphs import LAYOUTS, model_and_ledger, random_graph
from .inner import as_matrix, entropy_change, log_proposal_ratio, move, propose

CASES = [  # vertices, edges, blocks, moves
    (8, 14, 3, 400),
    (30, 60, 4, 400),
    (60, 400, 6, 400),
    (12, 6, 5, 400),
    (200, 3000, 5, 150),
    (40, 6000, 4, 150),
]


def members(ledger):
    """The vertices met along the ring of each block."""
    met = []
    for r in range(len(ledger.n)):
        ring, v = set(), ledger.members[len(ledger.b) + r, 1]
        while v < len(ledger.b):
            ring.add(v)
            v = ledger.members[v, 1]
        met.append(ring)
    return met


LIKELIHOODS = (DEGREE_CORRECTED, UNCORRECTED)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda one: one.name)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks", "n_moves"), CASES)
def test_change_of_entropy_and_counts(n_nodes, n_edges, n_blocks, n_moves, layout, likelihood):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    corrected = likelihood is DEGREE_CORRECTED
    labels = rng.integers(0, n_blocks, n_nodes)
    model, ledger = model_and_ledger(graph, labels, n_blocks, layout=layout, likelihood=likelihood)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    before = description_length(graph, ledger.b, degree_corrected=corrected).without_partition
    for i, s in random_moves(rng, ledger.b, n_blocks, n_moves):
        claimed = entropy_change(model, ledger, i, s, blocks, links, marks)
        move(model, ledger, i, s)
        after = description_length(graph, ledger.b, degree_corrected=corrected).without_partition
        assert claimed == pytest.approx(after - before, abs=2e-6 if n_edges > 1024 else 1e-9)
        before = after
    assert entropy_of(model, ledger) == pytest.approx(after, abs=2e-6 if n_edges > 1024 else 1e-9)
    recounted = block_ledger(model, ledger.b, n_blocks)
    for name in ("n", "e", "term", "used"):
        assert np.array_equal(getattr(ledger, name), getattr(recounted, name)), name
    for name in ("ers", "eta"):
        assert np.array_equal(as_matrix(getattr(ledger, name), n_blocks), getattr(recounted, name)), name
    assert layout != "near" or np.array_equal(ledger.links, recounted.links)
    assert layout != "compact" or members(ledger) == [set(np.flatnonzero(ledger.b == r)) for r in range(n_blocks)]
    assert not marks.any()


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda one: one.name)
@pytest.mark.parametrize("prior", [FULL, UNLABELLED], ids=lambda one: one.name)
def test_change_of_entropy_under_the_prior_on_partitions(prior, likelihood):
    rng = np.random.default_rng(3)
    n_nodes, n_blocks = 14, 6
    target = BlockTarget(random_graph(rng, n_nodes, 30), likelihood, prior)
    labels = rng.integers(0, n_blocks, n_nodes)
    model, ledger = model_and_ledger(target.graph, labels, n_blocks, prior=prior, likelihood=likelihood)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    for i, s in random_moves(rng, ledger.b, n_blocks, 300):
        before = target.entropy(ledger.b, n_blocks)
        claimed = entropy_change(model, ledger, i, s, blocks, links, marks)
        move(model, ledger, i, s)
        after = target.entropy(ledger.b, n_blocks)
        assert claimed == pytest.approx(after - before, abs=1e-9)
        assert entropy_of(model, ledger) == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda one: one.name)
def test_set_partitions_are_divided_by_their_labellings(likelihood):
    graph = random_graph(np.random.default_rng(0), 5, 6)
    corrected = likelihood is DEGREE_CORRECTED
    two, one = (
        description_length(graph, labels, prior="full", degree_corrected=corrected).total
        for labels in ([0, 0, 1, 1, 1], [0] * 5)
    )
    full, unlabelled = BlockTarget(graph, likelihood, FULL), BlockTarget(graph, likelihood, UNLABELLED)
    assert full.entropy(np.array([0, 0, 1, 1, 1]), 4) == pytest.approx(two)
    assert unlabelled.entropy(np.array([3, 3, 1, 1, 1]), 4) == pytest.approx(two + np.log(4 * 3))
    assert unlabelled.entropy(np.array([2, 2, 2, 2, 2]), 4) == pytest.approx(one + np.log(4))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n_nodes", "n_edges", "n_blocks"), [(8, 14, 3), (20, 40, 4), (12, 6, 5), (9, 90, 2)])
def test_way_back_before_the_move_is_way_there_after_it(n_nodes, n_edges, n_blocks, layout):
    rng = np.random.default_rng(n_edges)
    graph = random_graph(rng, n_nodes, n_edges)
    model, ledger = model_and_ledger(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, layout=layout)
    blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
    for i, s in random_moves(rng, ledger.b, n_blocks, 150):
        r, epsilon = int(ledger.b[i]), float(rng.choice([0.1, 0.5, 3.0]))
        claimed = log_proposal_ratio(model, ledger, i, s, epsilon, blocks, links, marks)
        there = proposal_probability(graph, ledger.b, i, s, epsilon, n_blocks)
        move(model, ledger, i, s)
        back = proposal_probability(graph, ledger.b, i, r, epsilon, n_blocks)
        assert claimed == pytest.approx(np.log(back / there), abs=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_proposals_follow_their_probabilities(epsilon, layout):
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 9, 16)
    n_blocks, n_draws = 4, 20_000
    model, ledger = model_and_ledger(graph, rng.integers(0, n_blocks, 9), n_blocks, layout=layout)
    for i in range(9):
        u = rng.random((n_draws, 2))
        drawn = np.bincount([propose(model, ledger, i, epsilon, x, y) for x, y in u], minlength=n_blocks)
        expected = [proposal_probability(graph, ledger.b, i, s, epsilon, n_blocks) for s in range(n_blocks)]
        assert sum(expected) == pytest.approx(1.0)
        error = np.sqrt(np.array(expected) * (1 - np.array(expected)) / n_draws)
        assert np.all(np.abs(drawn / n_draws - expected) <= 4.5 * error + 1e-12)
