import numpy as np
import pytest

from ffbm.data.multigraph import is_reciprocal, settle_edges
from ffbm.data.raw import RawGraph
from ffbm.errors import OptionError

PAIRS = [(0, 1), (1, 2), (0, 1), (2, 2)]


def settle(pairs, counts=None, parallel="count", n_nodes=4, directed="auto", **options):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    counts = None if counts is None else np.array(counts)
    ids = np.array(list("abcd"), dtype=object)
    raw = RawGraph("t", ids, ends[:, 0], ends[:, 1], counts, **options)
    graph, notes = settle_edges(raw, None, n_nodes, parallel, directed)
    return sorted(map(tuple, graph.edges.tolist())), {note.code: note.count for note in notes}


def test_parallel_edges_count_or_merge():
    edges, notes = settle(PAIRS)
    assert edges == [(0, 1), (0, 1), (1, 2), (2, 2)]
    assert notes == {"parallel": 1, "self-loops": 1, "isolates": 1}
    edges, notes = settle([*PAIRS, (1, 0), (2, 2)], parallel="merge")
    assert edges == [(0, 1), (1, 2), (2, 2)]
    assert notes == {"merged": 3, "self-loops": 1, "isolates": 1}


def test_a_star_has_no_parallel_edges():
    assert settle([(0, 3), (1, 3), (2, 3)])[1] == {}


def test_parallel_loops_are_counted():
    assert settle([(0, 0), (0, 0), (0, 0)])[1] == {"parallel": 2, "self-loops": 3, "isolates": 3}


@pytest.mark.parametrize(
    ("pairs", "counts", "expected"),
    [
        ([(0, 1), (1, 0)], None, True),
        ([(0, 1), (2, 1), (1, 0), (1, 2)], None, True),
        ([(0, 1), (1, 0), (3, 3)], None, True),
        ([(0, 1), (1, 0)], [2, 2], True),
        ([(0, 1), (1, 0)], [2, 3], False),
        ([(0, 1), (1, 2)], None, False),
        ([(0, 1), (2, 1)], None, False),
        ([(0, 1), (0, 1), (1, 0), (1, 0)], None, False),
        ([(0, 1), (1, 0), (1, 2)], None, False),
        ([(3, 3)], None, False),
        ([], None, False),
    ],
)
def test_reciprocal(pairs, counts, expected):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    counts = None if counts is None else np.array(counts)
    assert is_reciprocal(ends[:, 0], ends[:, 1], counts, 4) == expected


def test_a_reciprocal_list_is_read_once_with_its_loops_and_counts():
    edges, notes = settle([(0, 1), (1, 0), (2, 2), (2, 1), (1, 2)], counts=[2, 2, 1, 1, 1])
    assert edges == [(0, 1), (0, 1), (1, 2), (2, 2)]
    assert notes["reciprocal"] == 2


def test_direction_is_ignored_with_a_note_if_asked():
    edges, notes = settle([(1, 0), (1, 2)], is_directed=True, directed=False)
    assert edges == [(0, 1), (1, 2)]
    assert notes["directed"] == 2


def test_direction_is_kept_as_the_graph_says():
    edges, notes = settle([(1, 0), (0, 1), (1, 2), (2, 2)], n_nodes=3, is_directed=True)
    assert edges == [(0, 1), (1, 0), (1, 2), (2, 2)]
    assert notes == {"self-loops": 1}
    assert settle([(1, 0), (0, 1)], directed=True)[0] == [(0, 1), (1, 0)]
    thrice = [(1, 0), (1, 0), (0, 1)]
    assert settle(thrice, n_nodes=2, parallel="merge", directed=True) == ([(0, 1), (1, 0)], {"merged": 1})
    assert settle(thrice, n_nodes=2, directed=True)[1] == {"parallel": 1}


def test_an_edge_without_a_direction_among_directed_ones_is_two():
    edges, notes = settle(
        [(1, 0), (1, 2), (2, 2)], counts=[1, 2, 1], is_directed=True, both_ways=np.array([False, True, True])
    )
    assert edges == [(1, 0), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2)]
    assert notes["both-ways"] == 1


def test_an_object_without_direction_cannot_be_given_one():
    with pytest.raises(OptionError, match="directed=True needs edges that lead from one vertex to another; t has none"):
        settle([(0, 1)], is_ordered=False, directed=True)


def test_pairs_of_short_integers_are_not_mixed_up():
    ends = np.array([(0, 40_000), (2**15, 40_000), (40_000, 2**15)], dtype=np.int32)
    raw = RawGraph("t", np.array([], dtype=object), ends[:, 0], ends[:, 1])
    merged, _ = settle_edges(raw, None, 2**17, "merge")
    assert merged.edges.tolist() == [[0, 40_000], [2**15, 40_000]]
    assert not is_reciprocal(
        np.array([0, 40_000], dtype=np.int32), np.array([40_000, 2**15], dtype=np.int32), None, 2**17
    )


@pytest.mark.parametrize(
    ("pairs", "n_nodes", "said"),
    [
        ([(0, 0), (0, 1)], 3, ["1 self-loop kept, adding 2 to a degree", "1 of 3 vertices has no edge: kept"]),
        ([(0, 0), (1, 1)], 4, ["2 self-loops kept, each adding 2 to a degree", "2 of 4 vertices have no edge: kept"]),
        ([(0, 1), (0, 1)], 2, ["1 edge parallel to another counted; parallel=merge (--parallel merge) would not"]),
    ],
)
def test_notes_speak_of_one_and_of_many(pairs, n_nodes, said):
    ends = np.array(pairs)
    raw = RawGraph("f", np.array(list("abcd")[:n_nodes], dtype=object), ends[:, 0], ends[:, 1])
    _, notes = settle_edges(raw, None, n_nodes, "count")
    assert [note.message for note in notes] == [f"f: {text}" for text in said]


@pytest.mark.parametrize(("again", "is_hinted"), [([], True), ([(0, 1)], True), ([(0, 1), (1, 0)], False)])
def test_pairs_that_stand_once_each_way_may_have_a_direction(again, is_hinted):
    ends = np.array([(0, i) for i in range(1, 7)] + [(i, 0) for i in range(1, 7)] + [(1, 2), *again])
    raw = RawGraph("f", np.array(list("abcdefg"), dtype=object), ends[:, 0], ends[:, 1])
    _, notes = settle_edges(raw, None, 7, "count")
    assert [note.code for note in notes] == ["parallel", *["looks-directed"] * is_hinted]
    if is_hinted:
        assert notes[1].message == (
            "f: 6 pairs stand both ways, and others do not: if edges have a direction, give directed=True (--directed)"
        )


@pytest.mark.parametrize("directed", [False, True])
def test_components_of_linked_vertices_are_counted(directed):
    assert settle([(0, 1), (3, 2)], directed=directed)[1].get("components") == 2
    assert "components" not in settle([(0, 1), (2, 1)], directed=directed)[1]  # one, and a vertex without an edge
    assert "components" not in settle([(0, 1), (2, 2)], directed=directed)[1]  # a self-loop links nothing


def test_the_note_on_components_says_how_large_the_largest_is():
    raw = RawGraph("t", np.array(list("abcd"), dtype=object), np.array([0, 3]), np.array([1, 2]), None)
    messages = [note.message for note in settle_edges(raw, None, 4, "count", "auto")[1]]
    assert "t: edges link the vertices into 2 components; the largest holds 50 % of the vertices" in messages
