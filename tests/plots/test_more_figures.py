"""Heat map, ranking, calibration, block matrix, modes: what they show, read back from the figure."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.plots import (
    block_colour,
    plot_bits,
    plot_block_graph,
    plot_block_matrix,
    plot_calibration,
    plot_columns,
    plot_evidence,
    plot_heatmap,
    plot_modes,
    plot_ranking,
    plot_tree,
    plot_weights,
)
from ffbm.plots.edges import picture_edges
from ffbm.plots.heatmap import count_edges
from ffbm.ranking import rank_features
from ffbm.types import Graph, Memberships
from ffbm.types.tree import Tree, TreeNode

from .test_figures import LONG, check_text, ranked, scored

LABELS = np.array([0, 0, 0, 1, 1, 2])
BITS = ("bits_alone", "bits_alone_se", "bits_unique", "bits_unique_se")
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (3, 4), (5, 5)]


def members(labels=LABELS, n_blocks=3):
    return Memberships(np.eye(n_blocks)[labels], labels, 1.0, np.arange(n_blocks)[np.newaxis, np.newaxis])


def test_heat_map_shows_centred_weights_and_what_is_clear():
    ranking = ranked(n_blocks=3, n_features=5, n_kept=2)
    figure = plot_heatmap(ranking, title="5 $ and 6 $")
    check_text(figure)
    shown = figure.axes[0].images[0].get_array()
    np.testing.assert_allclose(shown, ranking.centred_mean[:, ranking.order].T)
    x, y = figure.axes[0].lines[0].get_data()
    clear = ranking.is_clear[:, ranking.order].T
    assert set(zip(y.astype(int), x.astype(int), strict=True)) == set(zip(*np.nonzero(clear), strict=True))
    marks = np.zeros((3, 5), dtype=bool)
    marks[2, ranking.order[1]] = True  # what a fit decides goes before intervals
    assert [value.tolist() for value in plot_heatmap(ranking, marks=marks).axes[0].lines[0].get_data()] == [[2], [1]]
    assert len(plot_heatmap(ranking, n_features=2).axes[0].get_yticklabels()) == 2
    with pytest.raises(OptionError, match="n_features"):
        plot_heatmap(ranking, n_features=6)


def test_ranking_shows_scores_and_cutoff():
    ranking = ranked(n_blocks=3, n_features=5, n_kept=2)
    figure = plot_ranking(ranking)
    check_text(figure)
    points = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    np.testing.assert_allclose([p.get_xdata()[0] for p in points], ranking.table["score"])
    assert [p.get_color() for p in points] == [block_colour(b) for b in ranking.table["block"]]
    assert [p.get_markerfacecolor() != "white" for p in points] == [True, True, False, False, False]
    dotted = [line for line in figure.axes[0].lines if line.get_linestyle() not in ("-", "None")]
    assert dotted[0].get_xdata()[0] == pytest.approx(ranking.cutoff)


@pytest.mark.parametrize("draw", [plot_heatmap, plot_ranking])
def test_long_names_do_not_overlap(draw):
    check_text(draw(ranked(n_blocks=20, n_features=12, n_kept=10, names=LONG)))


def test_figures_of_the_first_of_many_say_so():
    many = ranked(n_blocks=3, n_features=40, n_kept=40)
    columns = pd.DataFrame({"column": [f"c{k}" for k in range(40)]} | dict.fromkeys(BITS, 0.5))
    heatmap = plot_heatmap(many).axes[-1].get_xlabel()
    drawn = [plot_ranking(many).get_supxlabel(), plot_weights(many).get_supxlabel()]
    drawn += [heatmap, plot_columns(columns).axes[0].get_xlabel()]
    assert [text.splitlines()[1] for text in drawn] == [
        "first 30 of 40 features", "first 30 of 40 features", "first 20 of 40 features", "first 25 of 40 columns",
    ]  # fmt: skip
    few = ranked(n_blocks=3, n_features=5, n_kept=5)
    assert not any("first" in one(few).get_supxlabel() for one in (plot_ranking, plot_weights))


def test_edges_between_blocks_are_counted_once():
    graph = Graph.from_edges(*zip(*EDGES, strict=True), n_nodes=6)
    counts, density = count_edges(graph, members())
    assert counts.tolist() == [[3, 1, 0], [1, 2, 0], [0, 0, 1]]
    np.testing.assert_allclose(density, [[1, 1 / 6, 0], [1 / 6, 2, 0], [0, 0, np.nan]])
    figure = plot_block_matrix(graph, members(), title="Edges")
    check_text(figure)
    assert [text.get_text() for text in figure.axes[0].texts] == ["3", "1", "0", "1", "2", "0", "0", "0", "1"]


def test_calibration_means_of_bins():
    p = np.array([[0.25, 0.75], [0.22, 0.78], [0.28, 0.72]])
    y = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    figure = plot_calibration(p, y)
    check_text(figure)
    points = [c.lines[0].get_xydata()[0] for c in figure.axes[0].containers]
    np.testing.assert_allclose(points, [[0.25, 1 / 3], [0.75, 2 / 3]])
    with pytest.raises(DataError, match="held out"):
        plot_calibration(np.zeros((0, 2)), np.zeros((0, 2)))
    with pytest.raises(DataError, match="shape"):
        plot_calibration(p, y[:2])


def test_bars_of_calibration_stay_inside_0_and_1():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([0.3, 0.3], 30)
    figure = plot_calibration(p, np.eye(2)[(rng.random(30) > p[:, 0]).astype(int)])
    ends = np.concatenate([bar.get_segments()[0][:, 1] for c in figure.axes[0].containers for bar in c.lines[2]])
    assert 0 <= ends.min() <= ends.max() <= 1


def test_block_graph_counts_edges_either_way():
    graph = Graph.from_edges([0, 3, 3, 4], [3, 0, 1, 4], 6, directed=True)
    figure = plot_block_graph(graph, members(), title="5 $ and 6 $")
    check_text(figure)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["3", "0", "3 (0)", "1", "2 (1)", "2", "1 (0)"]
    named = plot_block_graph(graph, members(), names=["person 0", "event 0", "$x$"], styles=np.array([0, 10, 1]))
    assert "person 0" in [text.get_text() for text in named.axes[0].texts]
    many = Memberships(np.eye(30), np.arange(30), 1.0, np.arange(30)[np.newaxis, np.newaxis])
    i, j = np.triu_indices(30, 1)
    assert len(plot_block_graph(Graph.from_edges(i, j, 30), many).axes[0].texts) == 30 + 12


def test_a_block_without_scores_has_no_bits():
    scores = scored([0.5, 0.5], [0.5, 0.5])
    nothing = np.full(2, np.nan)
    with pytest.raises(DataError, match="there is none"):
        plot_bits(replace(scores, bits_by_block_test=nothing, bits_by_block_train=nothing))


def test_a_panel_for_each_mode():
    net = ffbm.as_network(EDGES)
    whole = members()
    one = replace(whole.modes[0], weight=0.75, chains=np.array([0.5, 1.0]))
    other = replace(one, weight=0.25, chains=np.array([0.5, 0.0]), labels=np.array([0, 0, 1, 1, 1, 2]))
    figure = plot_modes(net, replace(whole, modes=(one, other)), title="Modes")
    check_text(figure)
    assert [axes.get_title() for axes in figure.axes] == ["mode 0: 75% of draws", "mode 1: 25% of draws, 17% moved"]
    sizes = [[len(dots.get_offsets()) for dots in axes.collections[-3:]] for axes in figure.axes]
    assert sizes == [[3, 2, 1], [2, 3, 1]]


def test_modes_that_no_chain_left_have_no_shares():
    whole = members()
    one = replace(whole.modes[0], weight=0.75, chains=np.array([1.0, 0.0]))
    other = replace(one, weight=0.25, chains=np.array([0.0, 1.0]), labels=np.array([0, 0, 1, 1, 1, 2]))
    figure = plot_modes(ffbm.as_network(EDGES), replace(whole, modes=(one, other)))
    assert [axes.get_title() for axes in figure.axes] == ["mode 0", "mode 1: 17% moved"]


@pytest.mark.parametrize(("scale", "n_ticks"), [(0.5, 3), (70.0, 2)])
def test_large_weights_have_fewer_numbers_so_that_these_do_not_touch(scale, n_ticks):
    draws = scale * np.random.default_rng(1).normal(size=(50, 10, 6))
    figure = plot_weights(rank_features(draws, n_kept=6, names=[f"conference={k}" for k in range(6)]))
    assert len(figure.axes[0].get_xticks()) == n_ticks
    check_text(figure)


def test_what_is_written_on_blocks_of_a_tree_can_be_read():
    nodes = (TreeNode(0, 1, None, tuple(range(1, 11))), *(TreeNode(1 + b, 0, 0, block=b) for b in range(10)))
    axes = plot_tree(Tree(nodes, np.arange(10), 1.0), width=12).axes[0]
    for bar, text in zip(axes.patches, axes.texts, strict=True):
        assert contrast(text.get_color(), to_hex(bar.get_facecolor())) >= 4.5
    assert {text.get_color() for text in axes.texts} == {"#000000", "#ffffff"}


def test_a_bar_of_a_tree_has_what_there_is_room_for():
    columns = (("year", 1.0), ("dorm", 1.0))
    nodes = (
        TreeNode(0, 2, None, (1, 2, 3), bits=1.2, columns=columns),
        TreeNode(1, 1, 0, (4, 5), bits=0.5, columns=columns),
        TreeNode(2, 1, 0, (6, 7), bits=0.25, columns=columns[1:]),
        TreeNode(3, 1, 0, (8, 9), bits=0.1),
        *(TreeNode(4 + b, 0, 1 + b // 2, block=40 + b) for b in range(6)),
    )
    labels = 40 + np.repeat(np.arange(6), (60, 17, 8, 9, 3, 3))
    axes = plot_tree(Tree(nodes, labels, 1.0), width=7).axes[0]
    written = [(text.get_text(), text.get_rotation()) for text in axes.texts]
    assert written == [
        ("[0] 100 vertices: 1.20 bits by year, dorm", 0), ("[1] 77 vertices: 0.50 bits by year, dorm", 0),
        ("[2] 0.25 bits\nby dorm", 0), ("[3]", 0), ("block 40", 0), ("block 41", 0), ("42", 0), ("block 43", 0),
        ("44", 0), ("45", 0),
    ]  # fmt: skip
    narrow = plot_tree(Tree(nodes, labels, 1.0), width=4.2).axes[0]
    assert [(text.get_text(), text.get_rotation()) for text in narrow.texts][3:] == [
        ("[3]", 0), ("block 40", 0), ("block 41", 0), ("42", 0), ("43", 0), ("44", 90), ("45", 90),
    ]  # fmt: skip


def contrast(one, other):
    """Return the contrast of two colours as WCAG defines it."""
    low, high = sorted(
        np.where((c := np.array(to_rgb(colour))) <= 0.03928, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        @ [0.2126, 0.7152, 0.0722]
        for colour in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def test_the_picture_of_edges_is_clear_where_there_are_none():
    from io import BytesIO

    from matplotlib.image import imread

    graph = Graph.from_edges([0], [1], 2)
    picture = imread(BytesIO(picture_edges(graph, np.array([[0.0, 0.5], [1.0, 0.5]]), np.zeros(2, int), (0, 1, 0, 1))))
    assert picture.shape[2] == 4
    middle = len(picture) // 2
    assert picture[middle - 2 : middle + 3, :, 3].max() > 0.2
    assert picture[: middle // 2, :, 3].max() == 0


def test_calibration_has_the_title_of_its_user_alone_above_it():
    p = np.array([[0.25, 0.75], [0.22, 0.78]])
    figure = plot_calibration(p, np.eye(2), title="A title of forty letters, not a short one")
    check_text(figure)
    assert figure.axes[0].get_title() == "A title of forty letters, not a short one"
    assert figure.get_supxlabel() == "2 held-out vertices; bars: 95 % intervals; numbers: pairs of vertex and block"


def test_block_matrix_shortens_large_counts():
    net = ffbm.as_network([(0, 1)] * 15_216 + [(2, 3)])
    figure = plot_block_matrix(net.graph, members(np.array([0, 0, 1, 1]), 2))
    check_text(figure)
    assert [text.get_text() for text in figure.axes[0].texts] == ["15k", "0", "0", "1"]


def test_evidence_is_drawn_from_nought():
    nats = [0.1, -0.5, -1.2]
    figure = plot_evidence([0.5, 1.0, 2.0], nats, [0.1, 0.1, 0.2], label="sigma", title="5 $ and 6 $")
    check_text(figure)
    x, y = figure.axes[0].lines[1].get_data()  # the first is the line at 0
    np.testing.assert_allclose(x, [0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(y, [0.0, *nats])
    with pytest.raises(DataError, match="three lists of one length"):
        plot_evidence([1.0], [1.0, 2.0], [0.1])
