"""The description length, against reference values and against counting by hand."""

import json
from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb, factorial, lgamma, log

import numpy as np
import pytest

import ffbm
from ffbm.blocks.edges import multiplicity_nats
from ffbm.blocks.entropy import description_length
from ffbm.errors import DataError, OptionError
from ffbm.types import Graph

PARTS = ("adjacency", "degrees", "edge_counts")


def graph_of(edges, n_nodes):
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes)


@pytest.mark.parametrize("name", ["polbooks", "school", "facebook"])
def test_reference_values_of_the_data_sets(shared, paper_data, name):
    entry = next(
        e for e in json.loads((shared / "reference/entropy.json").read_text())["datasets"] if e["dataset"] == name
    )
    net = ffbm.load_dataset(name)
    for case in entry["partitions"]:
        found = description_length(net, case["labels"])
        for part in PARTS:
            assert getattr(found, part) == pytest.approx(case["exact_nats"][part], abs=1e-6)
        assert found.without_partition == pytest.approx(case["exact_nats"]["total_without_partition"], abs=1e-6)


def test_reference_values_of_multigraphs(shared):
    for case in json.loads((shared / "reference/entropy.json").read_text())["multigraphs"]:
        found = description_length(graph_of(case["edges"], case["n_nodes"]), case["labels"])
        for part in PARTS:
            assert getattr(found, part) == pytest.approx(case["exact_nats"][part], abs=1e-6)


@pytest.mark.parametrize("labels", [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 1, 4)])
@pytest.mark.parametrize("n_edges", [1, 2, 3])
def test_the_law_of_multigraphs_sums_to_one(labels, n_edges):
    """exp(-S) without the partition is a law on multigraphs for every b, empty labels left aside."""
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    total = sum(
        np.exp(-description_length(graph_of(edges, 3), labels).without_partition)
        for edges in combinations_with_replacement(pairs, n_edges)
    )
    assert total == pytest.approx(1.0, abs=1e-12)


def test_full_prior_sums_to_one_over_labelled_partitions():
    graph = graph_of([(0, 1)], 4)
    total = 0.0
    for labels in product(range(4), repeat=4):
        used = len(set(labels))
        if set(labels) == set(range(used)):
            total += np.exp(-description_length(graph, labels, prior="full").partition)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_priors_by_hand():
    graph = graph_of([(0, 1), (1, 2)], 5)
    labels = [0, 0, 0, 1, 1]
    assert description_length(graph, labels).partition == pytest.approx(5 * log(2))
    assert description_length(graph, labels, n_blocks=7).partition == pytest.approx(5 * log(7))
    full = log(comb(4, 1)) + log(factorial(5) / (factorial(3) * factorial(2))) + log(5)
    assert description_length(graph, labels, prior="full").partition == pytest.approx(full)


def test_multiplicities_of_parallel_edges_and_loops():
    rng = np.random.default_rng(3)
    for n_nodes, n_edges in ((1, 3), (2, 5), (4, 40), (9, 30), (30, 20)):
        ends = rng.integers(0, n_nodes, size=(n_edges, 2))
        counts = Counter(tuple(sorted(pair)) for pair in ends.tolist())
        slow = sum(lgamma(m + 1) + (u == v) * m * log(2) for (u, v), m in counts.items())
        assert multiplicity_nats(Graph.from_edges(*ends.T, n_nodes)) == pytest.approx(slow, rel=1e-12, abs=1e-12)


def test_labels_may_be_renumbered_and_blocks_may_be_empty():
    graph = graph_of([(0, 1), (1, 2), (2, 2), (0, 1)], 4)
    first = description_length(graph, [0, 0, 1, 2])
    again = description_length(graph, [5, 5, 3, 0])
    assert first.without_partition == pytest.approx(again.without_partition)


def test_nothing_at_all():
    empty = Graph.from_edges([], [], 3)
    assert description_length(empty, [0, 1, 1]).without_partition == pytest.approx(0.0)
    assert description_length(Graph.from_edges([], [], 0), []).total == 0.0


@pytest.mark.parametrize(
    ("labels", "options", "error", "words"),
    [
        ([0, 1], {}, DataError, "one entry per vertex"),
        ([0, 1, -1], {}, DataError, "whole numbers from 0"),
        ([0.0, 1.0, 1.0], {}, DataError, "whole numbers from 0"),
        ([0, 1, 2], {"n_blocks": 2}, OptionError, "n_blocks=2"),
        ([0, 1, 2], {"prior": "flat"}, OptionError, "'uniform', 'full'"),
    ],
)
def test_errors(labels, options, error, words):
    with pytest.raises(error, match=words):
        description_length(graph_of([(0, 1)], 3), labels, **options)
