"""-ln P of the weights of edges: exact values, laws that sum to 1, and kernels equal to the readable truth."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import gammaln

import ffbm
from ffbm.blocks.edge_weights import weight_nats, weight_parts
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.kernels.entry_points import claimed_change, make_move
from ffbm.kernels.merge import price_merges
from ffbm.kernels.target import count, entropy_of
from ffbm.types import EdgeWeights, Graph
from ffbm.verification.changes import random_moves
from tests.blocks.weights import LAWS, NORMAL, weighted_graph

_MODELS = {"real-exponential": "exponential", "real-normal": "normal", "discrete-geometric": "geometric",
           "discrete-poisson": "poisson"}  # fmt: skip
_TRIANGLE = ([0, 0, 1], [1, 2, 2])
_LABELS = np.array([0, 0, 1])  # one edge inside, two between


def _weighted(values, model, prior=None, directed=False):
    return Graph.from_edges(*_TRIANGLE, 3, directed, EdgeWeights(np.array(values, dtype=float), model, prior))


def test_reference(shared):
    reference = json.loads((shared / "reference" / "likelihoods.json").read_text())
    n_cases = 0
    for case in reference["cases"]:
        if "weight_law" not in case or case["model"] != "flat":
            continue
        given = reference["graphs"][case["graph"]]
        u, v = np.array(given["edges"]).T
        names = {"alpha": "a", "beta": "b"}
        prior = {names.get(name, name): x for name, x in case.get("weight_params", {}).items()} or None
        weights = EdgeWeights(np.array(given["weights"], dtype=float), _MODELS[case["weight_law"]], prior)
        graph = Graph.from_edges(u, v, given["n_nodes"], given["directed"], weights)
        exact, labels = case["exact_nats"], np.array(case["labels"])
        parts = weight_parts(graph, labels)
        assert parts == pytest.approx((exact["weights_given_sums"], exact["weight_sums"]), abs=1e-6)
        length = ffbm.description_length(graph, labels, prior="full")
        assert length.total == pytest.approx(exact["total"], abs=1e-6)
        assert length.without_partition == pytest.approx(exact["total_without_partition"], abs=1e-6)
        n_cases += 1
    assert n_cases == 8


@pytest.mark.parametrize("model", ["geometric", "poisson"])
@pytest.mark.parametrize("directed", [False, True])
def test_counts_with_one_total_sum_to_one(model, directed):
    for total in range(6):
        chances = [
            np.exp(-weight_nats(_weighted(values, model, directed=directed), _LABELS))
            for values in product(range(total + 1), repeat=3)
            if sum(values) == total
        ]
        assert sum(chances) == pytest.approx(1.0, abs=1e-12)


def test_conjugate_counts_sum_to_one():
    for model, prior in (("geometric", {"a": 8.0, "b": 0.5}), ("poisson", {"a": 3.0, "b": 2.0})):
        chances = 0.0
        for values in product(range(25), repeat=2):
            weights = EdgeWeights(np.array(values, dtype=float), model, prior)
            chances += np.exp(-weight_nats(Graph.from_edges([0, 0], [1, 1], 2, weights=weights), np.array([0, 1])))
        assert chances == pytest.approx(1.0, abs=1e-6)


def test_exponential_integrates_to_one():
    total = 2.0

    def density(y, x):
        return np.exp(-weight_nats(_weighted((x, y, total - x - y), "exponential"), _LABELS))

    assert dblquad(density, 0, total, 0, lambda x: total - x, epsabs=1e-6)[0] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(("model", "low"), [("normal", -200), ("log-normal", -200), ("exponential", 0)])
def test_conjugate_reals_integrate_to_one(model, low):
    prior = {"a": 3.0, "b": 2.0} if model == "exponential" else NORMAL

    def density(y):
        x = np.exp(y) if model == "log-normal" else y
        weights = EdgeWeights(np.array([x]), model, prior)
        nats = weight_nats(Graph.from_edges([0], [1], 2, weights=weights), np.array([0, 1]))
        return np.exp(-nats) * (x if model == "log-normal" else 1.0)

    assert quad(density, low, 200, points=[0.5, 5], limit=200)[0] == pytest.approx(1.0, abs=1e-5)


def test_volume_of_normal_weights():
    """Three weights in one pair of blocks: by how much the numbers within a ball of given sum grow with its square."""
    v, h = 2.0, 1e-5
    graph = Graph.from_edges([0, 0, 0], [1, 1, 1], 2, weights=EdgeWeights(np.array([1.0, 2.0, 3.0]), "normal"))
    ring = np.pi * (v + h - (v - h)) / (2 * h) / np.sqrt(3)  # d/dv of the disc pi v, over the length of (1, 1, 1)
    assert weight_parts(graph, np.array([0, 1]))[0] == pytest.approx(np.log(ring), abs=1e-6)


def test_logarithm_carries_its_jacobian():
    values = np.array([1.0, 2.5, 7.0])
    normal = weight_nats(_weighted(np.log(values), "normal", NORMAL), _LABELS)
    assert weight_nats(_weighted(values, "log-normal", NORMAL), _LABELS) == pytest.approx(normal + np.log(values).sum())


def test_equal_weights_stay_finite():
    graph = Graph.from_edges([0] * 5, [1] * 5, 3, weights=EdgeWeights(np.array([1.0, 1, 1, 1, 1.5]), "normal"))
    length = weight_nats(graph, np.array([0, 1, 1]))
    assert np.isfinite(length)


def test_poisson_constant():
    graph = _weighted((3, 0, 5), "poisson")
    assert block_model(BlockTarget(graph), 2).constant == pytest.approx(
        block_model(BlockTarget(graph.without_weights()), 2).constant + gammaln(4.0) + gammaln(6.0)
    )


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.slow
def test_moves_change_s_as_claimed_and_restore_sums(law, directed):
    rng = np.random.default_rng([3, directed])
    for (n_nodes, n_edges, n_blocks), dense in zip(((7, 12, 3), (25, 90, 5)), (True, False), strict=True):
        target = BlockTarget(weighted_graph(rng, law, n_nodes, n_edges, directed))
        model = block_model(target, n_blocks)
        ledger = block_ledger(model, rng.integers(0, n_blocks, n_nodes), n_blocks, dense)
        scratch = np.zeros((3, n_blocks + 1), dtype=np.int64)
        before = target.entropy(ledger.b, n_blocks)
        assert entropy_of(model, ledger) == pytest.approx(before, abs=1e-9)
        for i, s in random_moves(rng, ledger.b, n_blocks, 60):
            claimed, r = claimed_change(model, ledger, i, s, *scratch), int(ledger.b[i])
            totals = ledger.pair_totals.copy()
            make_move(model, ledger, i, s)
            make_move(model, ledger, i, r)
            assert np.array_equal(totals, ledger.pair_totals)
            make_move(model, ledger, i, s)
            after = target.entropy(ledger.b, n_blocks)
            assert claimed == pytest.approx(after - before, abs=1e-8)
            before = after
        fresh = block_ledger(model, ledger.b.copy(), n_blocks, True)
        assert np.array_equal(ledger.pair_totals, fresh.pair_totals)
        assert not ledger.vertex_sums[:6].any()
        if dense:
            assert np.array_equal(ledger.sums, fresh.sums)
            assert np.array_equal(ledger.squares, fresh.squares)


@pytest.mark.parametrize("directed", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", ["geometric", "normal", "log-normal, conjugate"])
def test_merges_cost_what_they_change(law, directed):
    rng = np.random.default_rng([4, directed])
    target = BlockTarget(weighted_graph(rng, law, 12, 40, directed))
    model = block_model(target, 4)
    ledger = block_ledger(model, np.arange(12) % 4, 4, True)
    pairs, costs = np.zeros((6, 2), dtype=np.int64), np.zeros(6)
    assert price_merges(rng, model, ledger, pairs, costs) == 6
    edges = model.likelihood.edge_cost[4] - model.likelihood.edge_cost[3]
    for (r, s), cost in zip(pairs, costs, strict=True):
        change = target.entropy(np.where(ledger.b == s, r, ledger.b), 4) - target.entropy(ledger.b, 4) + edges
        assert cost == pytest.approx(change, abs=1e-8)


def test_large_weights_keep_their_digits():
    """A million times the spread: sums of plain squares would lose it."""
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 20, (2, 100))
    weights = EdgeWeights(1e9 + rng.normal(0, 1.0, 100), "normal")
    target = BlockTarget(Graph.from_edges(u, v, 20, weights=weights))
    model = block_model(target, 3)
    ledger = block_ledger(model, np.arange(20) % 3, 3)
    count(model, ledger)
    assert entropy_of(model, ledger) == pytest.approx(target.entropy(ledger.b, 3), abs=1e-5)
