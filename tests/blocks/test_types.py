"""Vertices of several types, which never share a block: exact values, laws, chains of every kind, and errors."""

import json

import numpy as np
import pytest

import ffbm
from ffbm.blocks.blocktypes import number_by_type, types_of_blocks
from ffbm.blocks.priors import FULL, UNLABELLED, partition_nats, prior_tables, tabulated_nats
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.errors import DataError, OptionError
from ffbm.kernels.entry_points import move_many
from ffbm.kernels.improve import cheapest_merge, merge_cheapest, split_best
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT
from ffbm.kernels.target import entropy_of
from ffbm.types import Graph
from ffbm.verification.enumeration import SINGLE, Case, compare
from ffbm.verification.exchange import compare_ladder
from ffbm.verification.partitions import ALL, VISITS, WHO

from ..mutants import planted
from .graphs import random_graph
from .inner import entropy_change, move

BLOCK_TYPES = (0, 0, 0, 1, 1)
FREE = Case(VISITS, 5, 5, allow_empty=True, prior=UNLABELLED, types=WHO, block_types=BLOCK_TYPES)
PEOPLE, EVENTS = 36, 24
WANTED = {"event": 2, "person": 3}


def two_modes(directed=False):
    """People in three groups who go to events of two kinds; the last group goes to both."""
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1, 2], PEOPLE // 3)
    chance = np.array([[0.9, 0.03], [0.03, 0.9], [0.5, 0.5]])[group][:, np.repeat([0, 1], EVENTS // 2)]
    person, event = np.nonzero(rng.random((PEOPLE, EVENTS)) < chance)
    graph = Graph.from_edges(person, PEOPLE + event, PEOPLE + EVENTS, directed)
    return graph, np.repeat(["person", "event"], [PEOPLE, EVENTS]), np.r_[group, 3 + np.repeat([0, 1], EVENTS // 2)]


def typed_target(rng, n_nodes=14, prior=FULL, directed=False):
    """A messy graph, types, and labels of three and two blocks."""
    types = rng.permutation(np.repeat([0, 1], [n_nodes - 5, 5]))
    labels = np.where(types == 0, rng.integers(0, 3, n_nodes), 3 + rng.integers(0, 2, n_nodes))
    return BlockTarget(random_graph(rng, n_nodes, 24, directed=directed), prior=prior, types=types), labels


def test_reference_values(shared):
    held = json.loads((shared / "reference" / "likelihoods.json").read_text())
    (case,) = (case for case in held["cases"] if "pclabel" in case and case["model"] == "flat")
    given = held["graphs"][case["graph"]]
    graph = Graph.from_edges(*np.array(given["edges"]).T, given["n_nodes"])
    ours = ffbm.description_length(graph, case["labels"], prior="full", node_type=case["pclabel"])
    for part in ("adjacency", "degrees", "edge_counts", "partition", "total"):
        assert getattr(ours, part) == pytest.approx(case["exact_nats"][part], abs=1e-6), part
    one = ffbm.description_length(graph, case["labels"], prior="full")
    assert abs(one.partition - ours.partition) > 1  # counted as of one type


def test_the_prior_is_a_law_on_partitions_that_keep_types_apart():
    """Sums over all set partitions of three vertices of one type and two of another; the uniform one over labels."""
    types, total, flat = np.array(WHO), 0.0, 0.0
    for code in range(5**5):
        b = np.array([code // 5**i % 5 for i in range(5)])
        if all(BLOCK_TYPES[r] == t for r, t in zip(b, WHO, strict=True)):
            total += np.exp(-partition_nats(UNLABELLED, types, b, [3, 2]))
            flat += np.exp(-ffbm.description_length(
                Graph.from_edges([], [], 5), b, {"0": 3, "1": 2}, node_type=types).partition)  # fmt: skip
    assert total == pytest.approx(_set_partitions_by_hand(), abs=1e-12)
    assert flat == pytest.approx(1)


def _set_partitions_by_hand():
    """Peixoto's P(b) of 3 and of 2 vertices, once for every set partition of each shape."""
    shapes = {(3,): 1, (2, 1): 3, (1, 1, 1): 1}, {(2,): 1, (1, 1): 1}
    chances = [sum(times * np.exp(-FULL.nats(np.array(n), 0)) for n, times in its.items()) for its in shapes]
    return np.prod(chances)


@pytest.mark.parametrize("directed", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("prior", [FULL, UNLABELLED])
def test_moves_carry_what_is_right(prior, directed):
    rng = np.random.default_rng(5)
    target, labels = typed_target(rng, prior=prior, directed=directed)
    block_types = np.array([0, 0, 0, 1, 1, 0, 1])
    numbers = np.bincount(block_types)
    model = block_model(target, block_types)
    ledger = block_ledger(model, labels, len(block_types))
    blocks, links, marks = np.zeros((3, len(block_types) + 1), dtype=np.int64)
    before = target.entropy(ledger.b, numbers)
    assert entropy_of(model, ledger) == pytest.approx(before, abs=1e-9)
    for _ in range(150):
        i = int(rng.integers(len(labels)))
        s = int(rng.choice(np.flatnonzero(block_types == target.types[i])))
        if s != ledger.b[i]:
            claimed = entropy_change(model, ledger, i, s, blocks, links, marks)
            move(model, ledger, i, s)
            after = target.entropy(ledger.b, numbers)
            assert claimed == pytest.approx(after - before, abs=1e-9)
            before = after
    used = [len(np.unique(ledger.b[target.types == t])) for t in range(2)]
    assert ledger.used.tolist() == [sum(used), *used]
    totals = np.array([before, 0.0, 0.0])
    work, scratch = np.zeros((4, len(labels)), dtype=np.int64), np.zeros((3, len(block_types) + 1), dtype=np.int64)
    for kind in (RESPLIT, MERGE_SPLIT, OPEN_CLOSE) * 60:
        move_many(rng, model, ledger, kind, 0.3, 1, totals, work, scratch)
        assert totals[0] == pytest.approx(target.entropy(ledger.b, numbers), abs=1e-8)
        assert np.array_equal(block_types[ledger.b], target.types)
    sizes = np.bincount(ledger.b, minlength=len(block_types))
    constant = tabulated_nats(model.prior, sizes[None])[0] - partition_nats(prior, target.types, ledger.b, numbers)
    assert constant == pytest.approx(0, abs=1e-9)


def test_merges_and_splits_stay_within_a_type():
    rng = np.random.default_rng(6)
    target, labels = typed_target(rng)
    block_types = np.array([0, 0, 0, 1, 1, 0, 1])
    model = block_model(target, block_types)
    ledger = block_ledger(model, labels, len(block_types))
    work, scratch = np.zeros((4, len(labels)), dtype=np.int64), np.zeros((3, len(block_types) + 1), dtype=np.int64)
    before, n_used = entropy_of(model, ledger), int(ledger.used[0])
    r, s, cost = cheapest_merge(model, ledger)
    assert block_types[r] == block_types[s]
    assert np.isfinite(cost)
    fallen = merge_cheapest(model, ledger, -np.inf, work)
    assert before - fallen == pytest.approx(target.entropy(ledger.b, np.bincount(block_types)), abs=1e-9)
    split_best(rng, model, ledger, 2, work, scratch)
    assert ledger.used[0] == n_used
    assert np.array_equal(block_types[ledger.b], target.types)


@pytest.mark.parametrize(
    ("case", "moves"),
    [
        (Case(VISITS, 5, 4, types=WHO, block_types=(0, 0, 1, 1)), (SINGLE,)),
        (Case(VISITS, 5, 3, field=True, types=WHO, block_types=(0, 0, 1)), ALL[:3]),
        (Case(VISITS, 5, 4, field=True, allow_empty=True, types=WHO, block_types=(0, 0, 1, 1)), ALL),
        (Case(VISITS, 5, 5, allow_empty=True, types=WHO, block_types=BLOCK_TYPES), ALL),
        (FREE, ALL),
        pytest.param(FREE._replace(directed=True), ALL, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_visits_follow_the_law(case, moves):
    found = compare(case, 40_000 if case.field else 12_000, moves)
    assert found.floor <= 0.006
    assert found.distance <= 0.012


@pytest.mark.slow
def test_ladders_follow_the_laws():
    for found in compare_ladder(FREE, 12_000):
        assert found.floor <= 0.006
        assert found.distance <= 0.012


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return prior.kind[r] == prior.kind[s]", "return True"),
        ("return prior.used_cost[t, used], prior.used_cost[t, used + more]", "return 0.0, 0.0"),
    ],
    ids=["a move across types", "the number of blocks of a type left out"],
)
def test_planted_faults(right, wrong, monkeypatch):
    made = planted("ffbm.kernels.partition", (right, wrong))
    monkeypatch.setattr("ffbm.verification.enumeration.count_visits", made["ffbm.kernels.visits"].count_visits)
    assert compare(FREE, 12_000, ALL).distance > 0.03


def test_a_prior_counted_as_of_one_type_is_caught(monkeypatch):
    def of_all(prior, types, n_nodes, block_types):
        right = prior_tables(prior, types, n_nodes, block_types)
        return right._replace(used_cost=np.tile(prior.tables(n_nodes, len(block_types)).used_cost, (2, 1)))

    monkeypatch.setattr("ffbm.blocks.target.prior_tables", of_all)
    assert compare(FREE, 12_000, ALL).distance > 0.03


@pytest.mark.parametrize("n_blocks", [WANTED, "auto", "free"])
def test_chains_find_the_blocks_of_each_type(n_blocks):
    graph, types, truth = two_modes()
    trace = ffbm.sample_blocks(graph, n_blocks, n_sweeps=200, n_chains=2, node_type=types, progress=False)
    pairs = set(zip(trace.best_labels.tolist(), truth.tolist(), strict=True))
    assert len(pairs) == len(np.unique(trace.best_labels)) == 5
    for labels, s in zip(trace.labels.reshape(-1, len(types))[::20], trace.entropy.ravel()[::20], strict=True):
        length = ffbm.description_length(graph, labels, node_type=types)  # which refuses blocks of two types
        assert s == pytest.approx(length.without_partition, abs=1e-8)
    told = trace.settings["node_types"]
    assert told == ({"event": None, "person": None} if n_blocks == "free" else {"event": [0, 1], "person": [2, 3, 4]})


@pytest.mark.slow
def test_directed_ladders_random_starts_and_empty_blocks_keep_types_apart():
    graph, types, _ = two_modes(directed=True)
    options = {"n_sweeps": 60, "n_chains": 1, "node_type": types, "progress": False}
    for more in ({"tempering": [1, 0.8]}, {"initial": "random", "allow_empty": True}, {"degree_corrected": False}):
        trace = ffbm.sample_blocks(graph, WANTED, **options, **more)
        corrected = more.get("degree_corrected", True)
        for labels, s in zip(trace.labels[0], trace.entropy[0], strict=True):
            length = ffbm.description_length(graph, labels, node_type=types, degree_corrected=corrected)
            assert s == pytest.approx(length.without_partition, abs=1e-8)


def test_one_type_is_as_none():
    graph, types, _ = two_modes()
    options = {"n_sweeps": 40, "n_chains": 1, "progress": False}
    plain = ffbm.sample_blocks(graph, 3, **options)
    typed = ffbm.sample_blocks(graph, {"all": 3}, node_type=np.full(len(types), "all"), **options)
    assert np.array_equal(plain.labels, typed.labels)
    assert np.array_equal(plain.entropy, typed.entropy)


def test_initial_labels_are_numbered_type_by_type():
    graph, types, truth = two_modes()
    trace = ffbm.sample_blocks(
        graph,
        WANTED,
        n_sweeps=1,
        burn_in=0,
        thin=1,
        n_chains=1,
        beta=1e9,
        initial=truth,
        node_type=types,
        progress=False,
    )
    agree = set(zip(trace.labels[0, 0].tolist(), truth.tolist(), strict=True))
    assert agree == {(2, 0), (3, 1), (4, 2), (0, 3), (1, 4)}
    block_types = np.array([0, 0, 1, 1, 1])
    by_type = number_by_type((types == "person").astype(int), truth, block_types)
    assert types_of_blocks((types == "person").astype(int), by_type).tolist() == block_types.tolist()


def test_alignment_matches_blocks_of_one_type():
    """A draw whose blocks overlap with nothing of the reference: blocks of the other type are free to be taken."""
    best, other = [0, 0, 1, 2, 2, 3], [0, 1, 0, 2, 3, 2]
    trace = ffbm.sample_blocks(
        Graph.from_edges([0, 1, 2], [3, 4, 5], 6), {"a": 2, "b": 2}, n_sweeps=20, n_chains=1, progress=False,
        node_type=[*"aaabbb"],
    )  # fmt: skip
    object.__setattr__(trace, "labels", np.array([[best, other, best]], dtype=np.uint8))
    object.__setattr__(trace, "best_labels", np.array(best))
    probs = ffbm.align_blocks(trace).probs
    assert not ((probs[:3] > 0).any(axis=0) & (probs[3:] > 0).any(axis=0)).any()


@pytest.fixture(scope="module")
def small():
    import pandas as pd

    table = pd.DataFrame(
        {
            "kind": ["p", "p", "e", "e"],
            "age": [20, 31, None, None],
            "flag": [0, 1, 1, 0],
            "gone": ["x", None, "y", "x"],
        },
        index=[*"abcd"],
    )
    return ffbm.as_network([("a", "c"), ("b", "c"), ("b", "d")], table)


@pytest.mark.parametrize(("column", "types"), [("kind", "ppee"), ("flag", "0110")])
def test_types_from_a_column(small, column, types):
    found = ffbm.types.node_types(small, column)
    assert "".join(found.values[t] for t in found.of_vertex) == types


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"node_type": "knid"}, "did you mean 'kind'"),
        ({"node_type": "gone"}, "must have a value on every vertex; 1 of 4 have none, such as 'b'"),
        ({"node_type": [1, 2]}, "a type for each of the 4 vertices"),
        ({"node_type": "kind", "n_blocks": 3}, "a number for each type, {'e': 2, 'p': 2}; got 3"),
        ({"node_type": "kind", "n_blocks": {"e": 1}}, "a number for each type"),
        (
            {"node_type": "kind", "n_blocks": {"e": 3, "p": 1}},
            "'e' must be a whole number, at least 1 and at most its 2",
        ),
        ({"node_type": "kind", "initial": [0, 1, 1, 1]}, "block 1 has 'e' and 'p'"),
        ({"node_type": "kind", "n_blocks": {"e": 2, "p": 1}, "initial": [0, 1, 2, 2]}, "at most [2, 1] blocks"),
    ],
)
def test_errors(small, options, sentence):
    with pytest.raises((OptionError, DataError)) as caught:
        ffbm.sample_blocks(small, **{"n_blocks": {"e": 1, "p": 1}, "n_sweeps": 10, "progress": False, **options})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        ([0, 0, 0, 1], {}, "block 0 has 'e' and 'p': leave out node_type"),
        ([0, 1, 2, 2], {"n_blocks": {"e": 1, "p": 1}}, "'p' must be at least the 2 that are in use; got 1"),
        ([[0, 1, 2, 3], [0, 1, 0, 1], [0, 0]], {}, "a block must hold vertices of one type"),
    ],
)
def test_errors_of_lengths(small, labels, options, sentence):
    with pytest.raises((OptionError, DataError)) as caught:
        ffbm.description_length(small, labels, node_type="kind", **options)
    assert sentence in str(caught.value)


def test_a_graph_has_no_columns(small):
    with pytest.raises(OptionError, match="a Graph has none"):
        ffbm.description_length(small.graph, [0, 0, 1, 1], node_type="kind")
