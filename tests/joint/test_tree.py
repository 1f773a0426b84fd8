"""The joint chain of a tree: what it carries is what is counted, pieces, its nodes and its generator."""

import numpy as np
import pytest

from ffbm.joint.tree import TreeSettings, TreeState, TreeTarget, advance, respond, start, tree_children, tree_setup
from ffbm.simulation.multigraph import draw_nested_multigraph
from ffbm.states import from_bytes, to_bytes
from ffbm.types import Graph

PARENTS = (np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1]), np.array([0, 0]))


@pytest.fixture(scope="module")
def setup():
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(*rng.integers(0, 12, (2, 30)), 12)
    labels = np.resize([0, 1, 2, 3, 4], 12)
    features = rng.integers(0, 2, (12, 2))
    return tree_setup(TreeTarget(graph, PARENTS), features, labels, TreeSettings(4, 1, jumps=2.0, n_warmup=5)), labels


def test_nodes_with_one_child_are_none():
    assert [child.tolist() for child in tree_children(PARENTS)] == [
        [0, 0, 0, 0, 1], [0, 0, 1, 1, -1], [0, 1, -1, -1, -1], [-1, -1, 0, 1, -1],
    ]  # fmt: skip


def test_what_is_carried_is_what_is_counted(setup):
    setup, labels = setup
    state, seen = start(setup, labels, np.random.default_rng(1)), set()
    for _ in range(40):
        state, _ = advance(setup, state, 3)
        assert state.totals[0] == pytest.approx(setup.target.entropy(state.ledger.b), abs=1e-8)
        seen.add(tuple(np.unique(PARENTS[0][state.ledger.b])))
    assert len(seen) > 2  # groups have opened and closed


def test_advancing_in_pieces_changes_no_bit(setup):
    setup, labels = setup
    whole = advance(setup, start(setup, labels, np.random.default_rng(3)), 12)[1]
    state, parts = start(setup, labels, np.random.default_rng(3)), []
    for n in (5, 4, 3):
        [state] = from_bytes(list[TreeState], to_bytes([state]))  # written down and read back
        state, draws = advance(setup, state, n)
        parts.append(draws)
    for field, pieces in zip(whole, zip(*parts, strict=True), strict=True):
        assert np.array_equal(field, np.concatenate(pieces))


def test_a_node_sees_its_own_vertices(setup):
    setup, labels = setup
    training, child = setup.columns[1].target.training, setup.children[1]
    counts, sums = respond(training, child, labels)
    below = child[labels] >= 0
    assert counts.sum() == pytest.approx(below.sum())
    intercept = int(np.flatnonzero(training.rows.active == 2)[0])
    assert sums[intercept].tolist() == np.bincount(child[labels][below], minlength=2).tolist()


def test_edges_are_dealt_from_the_root_down():
    """The shares of all graphs of one edge are those of exp(-S), which add up to 1."""
    rng, parents = np.random.default_rng(0), (np.array([0, 0, 1]), np.array([0, 0]))
    labels, counts = np.array([0, 1, 2]), {}
    for _ in range(4000):
        (edge,) = np.sort(draw_nested_multigraph(rng, labels, parents, 1).edges, axis=1).tolist()
        counts[tuple(edge)] = counts.get(tuple(edge), 0) + 1
    target = {
        pair: np.exp(-TreeTarget(Graph.from_edges([pair[0]], [pair[1]], 3), parents).entropy(labels)) for pair in counts
    }
    assert sum(target.values()) == pytest.approx(1)  # P(A | b) is a law
    for pair, share in target.items():
        assert counts[pair] / 4000 == pytest.approx(share, abs=0.03)
