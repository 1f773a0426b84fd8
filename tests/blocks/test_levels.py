"""The description length of a hierarchy: reference values by part and level, laws that sum to one, and errors."""

import json
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, log

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.levels import coarsened, edge_matrix, multigraph_nats
from ffbm.blocks.priors import FULL
from ffbm.errors import DataError, OptionError
from ffbm.types import EdgeWeights, Graph


def test_reference_values_by_part_and_level(shared):
    held = json.loads((shared / "reference" / "likelihoods.json").read_text())
    cases = [case for case in held["cases"] if case["model"] == "nested"]
    assert {case["directed"] for case in cases} == {False, True}
    for case in cases:
        given, exact = held["graphs"][case["graph"]], case["exact_nats"]
        graph = Graph.from_edges(*np.array(given["edges"]).T, given["n_nodes"], directed=case["directed"])
        found = description_length(graph, case["labels"], degree_corrected=case["degree_corrected"])
        assert [level.n_groups for level in found.levels] == case["groups"]
        assert found.adjacency == pytest.approx(exact["adjacency"], abs=1e-6)
        assert found.degrees == pytest.approx(exact["degrees"], abs=1e-6)
        assert [level.partition for level in found.levels] == pytest.approx(exact["partition_by_level"], abs=1e-6)
        edges = [*exact["edge_counts_by_level"][:-1], exact["edge_counts_by_level"][-1] + exact["edge_counts_top"]]
        assert [level.edge_counts for level in found.levels] == pytest.approx(edges, abs=1e-6)
        assert found.total == pytest.approx(exact.get("total_without_weights", exact["total"]), abs=1e-6)


def test_the_top_costs_what_the_flat_model_does_and_ln_b():
    graph = Graph.from_edges([0, 1, 2, 2, 0], [1, 2, 3, 2, 1], 4)
    labels = [0, 1, 1, 2]
    flat = description_length(graph, labels, prior="full")
    assert description_length(graph, [labels]).total == pytest.approx(flat.total)
    for above in ([0, 0, 0],), ([0, 0, 0], [0]), ([0, 0, 0], [0], [0]):
        assert description_length(graph, [labels, *above]).total == pytest.approx(flat.total + log(3))
    assert description_length(graph, [labels, [0, 0, 1]]).total != pytest.approx(flat.total)


def test_a_level_of_single_members_costs_their_order_alone():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    once = description_length(graph, [[0, 1, 1, 2], [0, 0, 0]]).total
    assert description_length(graph, [[0, 1, 1, 2], [2, 0, 1], [0, 0, 0]]).total == pytest.approx(once + log(6 * 3))


@pytest.mark.parametrize("labels", [(0, 0, 0), (0, 1, 1), (0, 1, 2)])
def test_edge_counts_of_a_level_are_a_law(labels):
    """Given e^l and b^l, the chances of all e^{l-1} that lead to them sum to one."""
    b = np.array(labels)
    pairs = [(r, s) for r in range(3) for s in range(r, 3)]
    totals: dict[bytes, float] = {}
    for edges in combinations_with_replacement(pairs, 3):
        counts = edge_matrix(Graph.from_edges(*np.array(edges).T, 3), np.arange(3))
        key = coarsened(counts, b).tobytes()
        totals[key] = totals.get(key, 0.0) + np.exp(-multigraph_nats(counts, b))
    assert len(totals) == comb(max(labels) * (max(labels) + 3) // 2 + 3, 3)
    assert list(totals.values()) == pytest.approx([1.0] * len(totals))


def test_hierarchies_are_a_law():
    """Labelled hierarchies of three vertices, each up to its first level of one group, have probability 1 together."""

    @cache
    def total(n, depth):
        if n == 1:
            return 1.0
        if depth == 0:
            return 0.0
        chances = 0.0
        for labels in product(range(n), repeat=n):
            if set(labels) == set(range(max(labels) + 1)):
                chances += np.exp(-FULL.nats(np.bincount(labels), 0)) * total(max(labels) + 1, depth - 1)
        return chances

    sums = [total(3, depth) for depth in (2, 6, 18)]
    assert sums[0] < sums[1] < sums[2] < 1
    assert sums[2] == pytest.approx(1, abs=2e-3)


def choose(n, k):
    return log(comb(n, k))


def plain_partition(members):
    """Return Peixoto's prior of members in these groups."""
    sizes = list(Counter(members).values())
    n = len(members)
    return choose(n - 1, len(sizes) - 1) + log(factorial(n)) + log(n) - sum(log(factorial(size)) for size in sizes)


EDGES, COUNTS = ((0, 3), (0, 4), (1, 3), (1, 3), (2, 4), (0, 1), (2, 2)), (3, 0, 2, 5, 1, 4, 2)


def weighed(model, values=COUNTS, directed=False):
    weights = EdgeWeights(np.array(values, dtype=float), model)
    return Graph.from_edges(*np.array(EDGES).T, 5, directed, weights)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("model", ["geometric", "poisson", "exponential"])
def test_sums_of_weights_are_explained_level_by_level(model, directed):
    """By a plain sum: the pairs of one level are the edges of the next, with the sums of weights on them."""
    hierarchy = (0, 1, 1, 2, 2), (0, 0, 1), (0, 0)
    graph = weighed(model, [count + 1 for count in COUNTS], directed)
    plain = Graph.from_edges(*np.array(EDGES).T, 5, directed)
    without, found = (description_length(it, hierarchy) for it in (plain, graph))
    edges = [(pair, count + 1) for pair, count in zip(EDGES, COUNTS, strict=True)]
    nats = []
    for labels in hierarchy:
        pairs: dict[tuple[int, ...], list[int]] = {}
        for (i, j), x in edges:
            ends = (labels[i], labels[j])
            pairs.setdefault(ends if directed else tuple(sorted(ends)), []).append(x)
        ways = 0.0
        for held in pairs.values():
            m, x = len(held), sum(held)
            if model == "exponential":
                ways += (m - 1) * log(x) - log(factorial(m - 1))
            elif model == "poisson" and not nats:
                ways += x * log(m) - log(factorial(x)) + sum(log(factorial(one)) for one in held)
            else:
                ways += choose(m - 1 + x, x)
        nats.append(ways)
        edges = [(pair, sum(held)) for pair, held in pairs.items()]
    assert [level.weights for level in found.levels] == pytest.approx(nats, abs=1e-10)
    assert found.weights == pytest.approx(sum(nats), abs=1e-10)
    assert found.total == pytest.approx(without.total + sum(nats), abs=1e-10)
    assert [level.edge_counts for level in found.levels] == [level.edge_counts for level in without.levels]


@pytest.mark.parametrize("model", ["geometric", "poisson", "exponential", "normal"])
def test_weights_on_top_cost_what_they_do_in_the_flat_model(model):
    graph, labels = weighed(model, [count + 1 for count in COUNTS]), (0, 1, 1, 2, 2)
    flat = description_length(graph, labels, prior="full")
    for above in (), ([0, 0, 0],), ([2, 0, 1], [0, 0, 0]), ([0, 0, 0], [0]):
        assert description_length(graph, [labels, *above]).weights == pytest.approx(flat.weights, abs=1e-10)


@pytest.mark.parametrize(("model", "prior"), [("normal", None), ("geometric", {"a": 1.0, "b": 1.0})])
def test_weights_whose_sums_are_not_explained_are_those_of_the_lowest_level(model, prior):
    graph = Graph.from_edges(*np.array(EDGES).T, 5, weights=EdgeWeights(np.array(COUNTS, dtype=float), model, prior))
    blocks = (0, 1, 1, 2, 2)
    found = description_length(graph, [blocks, (0, 0, 1), (0, 0)])
    flat = description_length(graph, blocks).weights
    assert [level.weights for level in found.levels] == pytest.approx([flat, 0.0, 0.0])


@pytest.mark.parametrize("model", ["geometric", "poisson"])
@pytest.mark.parametrize("levels", [((0, 1, 2),), ((0, 1, 1), (0, 0)), ((0, 1, 2), (0, 0, 1), (0, 0))])
def test_weights_of_a_hierarchy_are_a_law(model, levels):
    """Given edges, levels and the sum of all weights, the chances of all weights sum to one."""
    source, target, total = [0, 0, 0, 1, 2], [0, 1, 1, 2, 2], 4
    chances = 0.0
    for values in product(range(total + 1), repeat=5):
        if sum(values) == total:
            weights = EdgeWeights(np.array(values, dtype=float), model)
            graph = Graph.from_edges(source, target, 3, weights=weights)
            chances += np.exp(-description_length(graph, [list(labels) for labels in levels]).weights)
    assert chances == pytest.approx(1.0)


def test_exponential_weights_of_a_hierarchy_are_a_law():
    """By a sum over cells of the simplex of all weights; two pairs of blocks are in one pair of groups."""
    levels, n = [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0]], 60
    grid = (np.arange(n) + 0.5) / n
    chances = 0.0
    for one, other in product(grid, grid):
        if one + other < 1:  # the last is what is left of a sum of 1
            values = np.array([one, other, 1 - one - other])
            graph = Graph.from_edges([0, 1, 2], [2, 2, 3], 4, weights=EdgeWeights(values, "exponential"))
            chances += np.exp(-description_length(graph, levels).weights) / n**2
    assert chances == pytest.approx(1.0, abs=0.02)


def test_reference_of_weights(shared):
    held = json.loads((shared / "reference" / "likelihoods.json").read_text())
    (case,) = (case for case in held["cases"] if case["model"] == "nested" and "weight_law" in case)
    given, exact = held["graphs"][case["graph"]], case["exact_nats"]
    weights = EdgeWeights(np.array(given["weights"], dtype=float), "geometric")
    graph = Graph.from_edges(*np.array(given["edges"]).T, given["n_nodes"], weights=weights)
    found = description_length(graph, case["labels"])
    wanted = [exact["weights_given_sums"], *exact["weight_sums_by_level"]]
    assert [level.weights for level in found.levels] == pytest.approx(wanted, abs=1e-6)
    assert found.total == pytest.approx(exact["total"], abs=1e-6)


def test_types_by_a_plain_sum():
    """Two types, three vertices and two: blocks 0, 1 | 2, 3 of which 0 and 1 share a group."""
    types, blocks, above = "aaabb", (0, 1, 1, 2, 3), (0, 0, 1, 1)
    graph = Graph.from_edges(*np.array(EDGES).T, 5)
    found = description_length(graph, [blocks, above], node_type=list(types))
    assert found.levels[0].partition == pytest.approx(plain_partition(blocks[:3]) + plain_partition(blocks[3:]))
    assert found.levels[1].partition == pytest.approx(plain_partition(above[:2]) + plain_partition(above[2:]))
    between = Counter(tuple(sorted((above[blocks[i]], above[blocks[j]]))) for i, j in EDGES)
    nats = sum(choose((3 if r == s else 4) + e - 1, e) for (r, s), e in between.items())
    nats += choose(3 + len(EDGES) - 1, len(EDGES))  # the pairs of types, all alike
    assert found.edge_counts == pytest.approx(nats)
    plain = description_length(graph, blocks)
    assert (found.adjacency, found.degrees) == (plain.adjacency, plain.degrees)
    assert description_length(graph, [blocks, above, [0, 0]], node_type=list(types)) == found
    assert description_length(graph, [blocks, above], node_type=["a"] * 5).total == pytest.approx(
        description_length(graph, [blocks, above]).total
    )
    with pytest.raises(DataError, match="a block must hold vertices of one type"):
        description_length(graph, [blocks, (0, 1, 1, 2), (0, 0, 0)], node_type=list(types))


@pytest.mark.parametrize(
    ("labels", "options", "error", "words"),
    [
        ([[0, 1], [0, 0]], {}, DataError, "level 0 must label the 3 vertices"),
        ([[0, 1, 2], [0, 0]], {}, DataError, "level 1 must label the 3 groups of level 0"),
        ([[0, 1, 2], [0, 2, 2]], {}, DataError, "level 1 must use all of its labels"),
        ([[0, 1, 2], [0.0, 0.0, 0.0]], {}, DataError, "level 1 must use all of its labels"),
        ([[0, 1, 2], [0, 0, 0]], {"n_blocks": 3}, OptionError, "n_blocks=3 with a hierarchy"),
    ],
)
def test_errors(labels, options, error, words):
    with pytest.raises(error, match=words):
        description_length(Graph.from_edges([0], [1], 3), labels, **options)
