"""The description length of a hierarchy: reference values by part and level, laws that sum to one, and errors."""

import json
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, log

import numpy as np
import pytest

from ffbm.blocks.entropy import description_length
from ffbm.blocks.levels import coarsened, edge_matrix, multigraph_nats
from ffbm.blocks.priors import FULL
from ffbm.errors import DataError, OptionError
from ffbm.types import Graph


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
