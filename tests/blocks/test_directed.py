"""Directed networks: exact values, laws, moves held to the readable truth, chains of every kind, and errors."""

import json
from itertools import product

import numpy as np
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.priors import FULL
from ffbm.blocks.target import BlockTarget, block_ledger
from ffbm.errors import DataError, OptionError
from ffbm.kernels.entry_points import move_many
from ffbm.kernels.improve import cheapest_merge
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT
from ffbm.kernels.target import entropy_of
from ffbm.types import Graph
from ffbm.verification.changes import proposal_probability, random_moves
from ffbm.verification.enumeration import SINGLE, Case, compare
from ffbm.verification.generation import model_law
from ffbm.verification.partitions import ALL, RING

from .graphs import LAYOUTS, model_and_ledger, random_graph
from .inner import as_matrix, entropy_change, log_proposal_ratio, move, propose

BOTH = pytest.mark.parametrize("likelihood", [DEGREE_CORRECTED, UNCORRECTED], ids=lambda one: one.name)


@pytest.fixture(scope="module")
def flow():
    """Three groups of ten; edges lead from each to the next, so that the groups are seen by direction alone."""
    rng = np.random.default_rng(1)
    source = rng.integers(0, 30, 240)
    target = (source // 10 + 1) % 3 * 10 + rng.integers(0, 10, 240)
    return ffbm.as_network(np.column_stack((source, target)), np.eye(3)[np.arange(30) // 10], directed=True)


def test_reference_values(shared):
    held = json.loads((shared / "reference" / "likelihoods.json").read_text())
    cases = [
        case for case in held["cases"] if case["directed"] and case["model"] == "flat" and "weight_law" not in case
    ]
    assert len(cases) >= 6
    for case in cases:
        given = held["graphs"][case["graph"]]
        graph = Graph.from_edges(*np.array(given["edges"]).T, given["n_nodes"], directed=True)
        ours = description_length(graph, case["labels"], prior="full", degree_corrected=case["degree_corrected"])
        for part in ("adjacency", "degrees", "edge_counts", "partition", "total"):
            assert getattr(ours, part) == pytest.approx(case["exact_nats"].get(part, 0), abs=1e-6), (case["case"], part)


def test_by_hand():
    """Two vertices in one block, one edge: four of them, from either to either, with two histograms of degrees."""
    graph = Graph.from_edges([0], [1], 2, directed=True)
    for corrected in (True, False):
        nats = description_length(graph, [0, 0], degree_corrected=corrected).without_partition
        assert np.exp(-nats) == pytest.approx(1 / 4)


@pytest.mark.parametrize("labels", [(0, 0, 1), (0, 1, 2), (1, 1, 4), (0, 0, 0)])
@pytest.mark.parametrize(("n_edges", "corrected"), [(1, True), (2, True), (3, True), (2, False)])
def test_the_law_of_directed_multigraphs_sums_to_one(labels, n_edges, corrected):
    assert sum(model_law(labels, n_edges, corrected, directed=True).values()) == pytest.approx(1, abs=1e-12)


def test_one_histogram_of_both_degrees_is_no_law(monkeypatch):
    from scipy.special import gammaln

    def joint(graph, b):
        adjacency, degrees = right(graph, b)
        pairs = np.column_stack((graph.out_degrees, graph.in_degrees))
        for r in np.unique(b):
            own = pairs[b == r]
            degrees += sum(gammaln(np.unique(side, return_counts=True)[1] + 1).sum() for side in own.T)
            degrees -= gammaln(len(own) + 1) + gammaln(np.unique(own, axis=0, return_counts=True)[1] + 1).sum()
        return adjacency, degrees

    right = DEGREE_CORRECTED.parts
    wrong = DEGREE_CORRECTED._replace(parts=joint)
    monkeypatch.setattr("ffbm.blocks.entropy.likelihood_of", lambda _: wrong)
    assert sum(model_law((0, 0, 0), 2, directed=True).values()) == pytest.approx(2.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "likelihood"), [*product(LAYOUTS, [DEGREE_CORRECTED]), ("near", UNCORRECTED), ("compact", UNCORRECTED)]
)
def test_change_of_entropy_and_counts(layout, likelihood):
    for n_nodes, n_edges, n_blocks in ((8, 14, 3), (60, 400, 6), (12, 6, 5), (40, 6000, 4)):
        rng = np.random.default_rng(n_edges)
        graph = random_graph(rng, n_nodes, n_edges, directed=True)
        target = BlockTarget(graph, likelihood, FULL)
        labels = rng.integers(0, n_blocks, n_nodes)
        model, ledger = model_and_ledger(graph, labels, n_blocks, layout=layout, likelihood=likelihood, prior=FULL)
        blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
        error = 4e-6 if n_edges > 2048 else 1e-9
        before = target.entropy(ledger.b, n_blocks)
        for i, s in random_moves(rng, ledger.b, n_blocks, 150):
            claimed = entropy_change(model, ledger, i, s, blocks, links, marks)
            move(model, ledger, i, s)
            after = target.entropy(ledger.b, n_blocks)
            assert claimed == pytest.approx(after - before, abs=error)
            before = after
        assert entropy_of(model, ledger) == pytest.approx(after, abs=error)
        anew = block_ledger(model, ledger.b, n_blocks)
        for name in ("n", "e", "term", "used"):
            assert np.array_equal(getattr(ledger, name), getattr(anew, name)), name
        assert np.array_equal(as_matrix(ledger.ers, n_blocks), anew.ers)
        assert np.array_equal(as_matrix(ledger.eta, 2 * n_blocks), anew.eta)
        assert layout != "near" or np.array_equal(ledger.links, anew.links)
        assert not marks.any()


def test_the_ledger_counts_arcs():
    graph = Graph.from_edges([0, 0, 2, 1], [1, 2, 0, 1], 3, directed=True)
    _, ledger = model_and_ledger(graph, [0, 0, 1], 2)
    assert ledger.ers.tolist() == [[2, 1], [1, 0]]
    assert ledger.e.tolist() == [3, 3, 1, 1]


@pytest.mark.parametrize(
    "layout", [pytest.param(layout, marks=pytest.mark.slow if layout != "square" else ()) for layout in LAYOUTS]
)
def test_the_way_back_and_proposals_see_neighbours_on_both_sides(layout):
    for n_nodes, n_edges, n_blocks in ((8, 14, 3), (12, 6, 5), (9, 90, 2)):
        rng = np.random.default_rng(n_edges)
        graph = random_graph(rng, n_nodes, n_edges, directed=True)
        model, ledger = model_and_ledger(graph, rng.integers(0, n_blocks, n_nodes), n_blocks, layout=layout)
        blocks, links, marks = np.zeros((3, n_blocks + 1), dtype=np.int64)
        for i, s in random_moves(rng, ledger.b, n_blocks, 60):
            r, epsilon = int(ledger.b[i]), float(rng.choice([0.1, 0.5, 3.0]))
            claimed = log_proposal_ratio(model, ledger, i, s, epsilon, blocks, links, marks)
            there = proposal_probability(graph, ledger.b, i, s, epsilon, n_blocks)
            move(model, ledger, i, s)
            back = proposal_probability(graph, ledger.b, i, r, epsilon, n_blocks)
            assert claimed == pytest.approx(np.log(back / there), abs=1e-12)
        for i in range(3):
            u = rng.random((4_000, 2))
            drawn = np.bincount([propose(model, ledger, i, 0.5, x, y) for x, y in u], minlength=n_blocks) / len(u)
            expected = [proposal_probability(graph, ledger.b, i, s, 0.5, n_blocks) for s in range(n_blocks)]
            assert drawn == pytest.approx(expected, abs=0.04)


@pytest.mark.slow
@BOTH
def test_moves_of_many_vertices_and_merges_carry_what_is_right(likelihood):
    rng = np.random.default_rng(4)
    n_nodes, n_blocks = 12, 4
    graph = random_graph(rng, n_nodes, 24, directed=True)
    target, f = BlockTarget(graph, likelihood), rng.normal(size=(n_nodes, n_blocks))
    labels = np.arange(n_nodes) % 3
    model, ledger = model_and_ledger(graph, labels, n_blocks, f, likelihood=likelihood)
    totals = np.array([target.entropy(labels, n_blocks), 0.0, 0.0])
    work, scratch = np.zeros((4, n_nodes), dtype=np.int64), np.zeros((3, n_blocks + 1), dtype=np.int64)
    for kind in (RESPLIT, MERGE_SPLIT, OPEN_CLOSE) * 100:
        move_many(rng, model, ledger, kind, 0.3, 1, totals, work, scratch)
        assert totals[0] == pytest.approx(target.entropy(ledger.b, n_blocks), abs=1e-8)
    r, s, cost = cheapest_merge(model, ledger)
    merged = np.where(ledger.b == r, s, ledger.b)
    used = [len(np.unique(b)) for b in (merged, ledger.b)]
    edge_cost = likelihood.edge_cost(graph, np.array(used, dtype=float))
    truth = target.entropy(merged, n_blocks) - target.entropy(ledger.b, n_blocks) - (edge_cost[0] - edge_cost[1])
    assert cost == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize(
    ("case", "moves"),
    [
        (Case(RING, 4, 3, directed=True), (SINGLE,)),
        (Case(RING, 4, 2, field=True, directed=True), (SINGLE,)),
        (Case(RING, 4, 3, allow_empty=True, directed=True), ALL),
    ],
)
@pytest.mark.slow
def test_visits_follow_the_law(case, moves):
    found = compare(case, 15_000, moves)
    assert found.distance <= 0.012
    assert found.floor <= 0.006


@pytest.mark.parametrize("n_blocks", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in ("auto", "free"))])
def test_chains_find_blocks_that_direction_alone_shows(flow, n_blocks):
    trace = ffbm.sample_blocks(flow, n_blocks, n_sweeps=200, n_chains=2, progress=False)
    assert len(np.unique(trace.best_labels)) == 3
    assert len(set(zip(trace.best_labels.tolist(), (np.arange(30) // 10).tolist(), strict=True))) == 3
    for labels, s in zip(trace.labels.reshape(-1, 30)[::20], trace.entropy.ravel()[::20], strict=True):
        assert s == pytest.approx(ffbm.description_length(flow, labels).without_partition, abs=1e-8)


def test_a_ladder_carries_its_description_length(flow):
    trace = ffbm.sample_blocks(flow, 3, n_sweeps=60, n_chains=1, tempering=[1, 0.8], progress=False)
    for labels, s in zip(trace.labels[0], trace.entropy[0], strict=True):
        assert s == pytest.approx(ffbm.description_length(flow, labels).without_partition, abs=1e-8)


def test_direction_changes_the_answer(flow):
    """Without it the three groups are as well linked with each other, whichever way."""
    labels = np.arange(30) // 10
    assert flow.undirected().graph.degrees.tolist() == flow.graph.degrees.tolist()
    saved = [
        ffbm.description_length(net, np.zeros(30, dtype=int)).without_partition
        - ffbm.description_length(net, labels).without_partition
        for net in (flow, flow.undirected())
    ]
    assert saved[0] > saved[1] + 100


def test_the_graph():
    graph = Graph.from_edges([2, 0, 1, 2, 0], [0, 1, 1, 0, 2], 4, directed=True)
    assert graph.edges.tolist() == [[0, 1], [0, 2], [2, 0], [2, 0], [1, 1]]
    assert graph.out_degrees.tolist() == [2, 1, 2, 0]
    assert graph.in_degrees.tolist() == [2, 2, 1, 0]
    assert graph.degrees.tolist() == [4, 3, 3, 0]
    back = Graph.from_edges(*graph.edges[:, ::-1].T, 4, directed=True)
    one, other = (ffbm.as_network(g.edges, node_ids=range(4), directed=True) for g in (graph, back))
    assert len({one.fingerprint, other.fingerprint, one.undirected().fingerprint}) == 3
    assert one.undirected().fingerprint == other.undirected().fingerprint


def test_errors(flow):
    with pytest.raises(DataError, match="an undirected graph has no out- and in-degrees"):
        _ = flow.undirected().graph.out_degrees
    with pytest.raises(OptionError, match="directed=True needs a network whose edges have a direction"):
        ffbm.fit(flow.undirected(), 2, directed=True)
    with pytest.raises(OptionError, match="directed must be True, False or 'auto'; got 1"):
        ffbm.fit(flow, 2, directed=1)
    with pytest.raises(OptionError, match="directed must be True or False"):
        ffbm.simulate(directed="auto")
