"""What each figure shows, read back from the figure itself; and that its text neither overlaps nor is cut."""

import random
from itertools import combinations

import numpy as np
import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.plots import (
    Series,
    block_colour,
    plot_accuracy,
    plot_comparison,
    plot_ladder,
    plot_network,
    plot_traces,
    plot_weights,
    save_figure,
)
from ffbm.plots.layout import lay_out
from ffbm.ranking import rank_features
from ffbm.types import Scores

from ..planted import planted_network, telling_flag


def ranked(n_blocks=3, n_features=5, n_kept=2, names=None, seed=1):
    rng = np.random.default_rng(seed)
    draws = rng.normal(rng.normal(0, 2, (n_blocks, n_features)), 0.4, (200, n_blocks, n_features))
    return rank_features(draws, k=1.5, n_kept=n_kept, names=names)


def scored(train, test):
    n = np.full(len(train), 1234)
    empty = np.zeros(len(train))
    return Scores(*[0.5] * 11, *[empty] * 4, n, n, np.array(train, float), np.array(test, float), 0.1, 0.1)


def boxes(figure):
    """The text of a figure and where it stands, in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    shown = [
        text
        for text in figure.findobj(Text)
        if text.get_text() and text.get_visible() and (text.axes is None or text.axes.get_visible())
    ]
    ticks = {id(label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in hidden(axis)}
    return [(text.get_text(), text.get_window_extent(renderer)) for text in shown if id(text) not in ticks]


def hidden(axis):
    """Labels of ticks that lie outside the view, or are switched off."""
    low, high = sorted(axis.get_view_interval())
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        for label in (tick.label1, tick.label2):
            if not label.get_visible() or not tick.get_visible() or not low <= tick.get_loc() <= high:
                yield label


def check_text(figure):
    page = figure.bbox
    found = boxes(figure)
    assert found
    for text, box in found:
        assert box.x0 > -1, text
        assert box.y0 > -1, text
        assert box.x1 < page.width + 1, text
        assert box.y1 < page.height + 1, text
    for (one, a), (two, b) in combinations(found, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide < 1.5 or high < 1.5, f"{one!r} lies over {two!r}"


LONG = [f"some very long column of a survey, question {q}=answer $ {q % 3}" for q in range(12)]


@pytest.mark.parametrize(
    "ranking",
    [
        ranked(),
        ranked(n_blocks=1, n_features=1, n_kept=1),
        ranked(n_blocks=10, n_features=12, n_kept=10, names=LONG),
        ranked(n_blocks=20, n_features=12, n_kept=10, names=LONG),
    ],
    ids=["3 blocks", "1 block", "10 blocks, long names", "20 blocks, long names"],
)
def test_text_of_weights_does_not_overlap(ranking):
    check_text(plot_weights(ranking, title="A title: 5 $ and 6 $"))


def test_weights_and_bars_are_those_of_the_ranking():
    ranking = ranked()
    figure = plot_weights(ranking)
    assert len(figure.axes) == ranking.n_blocks
    for block, axes in enumerate(figure.axes):
        drawn = {}
        for line in axes.lines:
            if line.get_marker() == "o":
                assert line.get_color() == block_colour(block)
                full = line.get_markerfacecolor() == line.get_color()
                drawn |= {int(y): (x, full) for x, y in zip(*line.get_data(), strict=True)}
        bars = axes.collections[0].get_segments()
        dotted = sorted(line.get_xdata()[0] for line in axes.lines if line.get_linestyle() not in ("-", "None"))
        np.testing.assert_allclose(dotted, [-ranking.cutoff, ranking.cutoff])
        for row, j in enumerate(ranking.order[:2]):
            mean, reach = ranking.mean[block, j], 1.5 * ranking.sd[block, j]
            assert drawn[row] == (pytest.approx(mean), bool(abs(mean) - reach >= ranking.cutoff))
            np.testing.assert_allclose(bars[row][:, 0], [mean - reach, mean + reach])


def test_no_cutoff_where_nothing_is_left_out_or_weights_are_centred():
    whole, part = ranked(n_kept=5), ranked()
    for figure in (plot_weights(whole), plot_weights(part, centred=True)):
        lines = [line for line in figure.axes[0].lines if line.get_marker() != "o"]
        assert [line.get_xdata()[0] for line in lines] == [0]
    drawn = plot_weights(part, centred=True, features=["4"]).axes[1].lines[-2:]
    values = np.concatenate([line.get_xdata() for line in drawn])
    np.testing.assert_allclose(values, part.centred_mean[1, 4])


def test_a_dollar_in_a_name_is_a_dollar():
    check_text(plot_weights(ranked(n_features=2, n_kept=2, names=["$x^$", r"price=5$ to \10$"]), title="$^$"))


def test_chosen_features_of_weights():
    labels = [t.get_text() for t in plot_weights(ranked(), features=["4", "0"]).axes[0].get_yticklabels()]
    assert labels == ["4", "0"]
    assert len(plot_weights(ranked(), n_features=4).axes[0].get_yticklabels()) == 4
    with pytest.raises(OptionError, match="features must be names of the ranking, such as '0'; got 'x'"):
        plot_weights(ranked(), features=["x"])


@pytest.mark.parametrize("n_blocks", [1, 3, 12, 20])
def test_accuracy_of_each_block(n_blocks):
    rng = np.random.default_rng(n_blocks)
    train, test = rng.random((2, n_blocks))
    test[0] = np.nan
    figure = plot_accuracy(scored(train, test), title="Blocks")
    check_text(figure)
    axes = figure.axes[0]
    points = [line for line in axes.lines if len(line.get_xdata()) == 1]
    values = np.array([line.get_ydata()[0] for line in points]).reshape(-1, 2)
    np.testing.assert_array_equal(values, np.column_stack((train, test)))
    assert [line.get_color() for line in points[::2]] == [block_colour(r) for r in range(n_blocks)]


def test_traces_show_every_chain():
    rng = np.random.default_rng(1)
    draws = {"energy": rng.normal(size=(4, 100)), "still": np.ones((2, 5)), "one": rng.normal(size=30)}
    figure = plot_traces(draws)
    check_text(figure)
    assert [len(axes.lines) for axes in figure.axes[::2]] == [4, 2, 1]
    np.testing.assert_array_equal(figure.axes[0].lines[2].get_ydata(), draws["energy"][2])
    for wrong in ({}, {"a": np.zeros((1, 2, 3))}, {"a": [[np.nan]]}):
        with pytest.raises(DataError):
            plot_traces(wrong)


def test_the_ladder_shows_every_pair_of_neighbours():
    figure = plot_ladder([1, 0.9, 0.7], [0.6, 0.25], title="Exchanges")
    check_text(figure)
    (lines, _) = figure.axes[0].collections
    assert [segment.tolist() for segment in lines.get_segments()] == [
        [[0.9, 0.6], [1, 0.6]],
        [[0.7, 0.25], [0.9, 0.25]],
    ]
    with pytest.raises(DataError, match="a swap rate for each pair"):
        plot_ladder([1, 0.9], [0.5, 0.5])


def test_a_comparison_leaves_out_what_is_not_there():
    one, two = Series([0.5, 0.6, 0.7], [0.1, 0.1, None]), Series([0.4, None, 0.2], [0.1, None, 0.1])
    figure = plot_comparison({"a": {"published": one, "exact": two}, "b": {"published": one}}, {"a": "xyz", "b": "xyz"})
    check_text(figure)
    drawn = [container.lines[0].get_ydata().tolist() for container in figure.axes[0].containers]
    assert drawn == [[0.5, 0.6, 0.7], [0.4, 0.2]]
    with pytest.raises(DataError, match="at least one panel"):
        plot_comparison({}, {})


@pytest.fixture(scope="module")
def planted():
    return planted_network(1, lambda labels, rng: telling_flag(labels, rng)[:, np.newaxis])


def test_network_in_the_colours_of_its_blocks(planted):
    net, labels = planted
    figure = plot_network(net, labels, title="Planted")
    axes = figure.axes[0]
    dots = axes.collections[2:]
    assert [len(dot.get_offsets()) for dot in dots] == [40, 40]
    assert sum(len(lines.get_segments()) for lines in axes.collections[:2]) == net.n_edges
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0 (40)", "1 (40)"]
    assert {text.get_text() for text in axes.texts} == {"0", "1"}
    place = lay_out(net.graph, labels)
    np.testing.assert_allclose(dots[1].get_offsets(), place[labels == 1])


def test_layout_is_the_same_for_a_seed_and_leaves_no_trace(planted):
    net, labels = planted
    random.seed(4)
    wanted = random.random()
    random.seed(4)
    first = lay_out(net.graph, labels, seed=2)
    assert random.random() == wanted
    np.testing.assert_array_equal(first, lay_out(net.graph, labels, seed=2))
    assert not np.array_equal(first, lay_out(net.graph, labels, seed=3))
    middle = [first[labels == r].mean(axis=0) for r in (0, 1)]
    spread = first[labels == 0].std(axis=0).max()
    assert np.linalg.norm(middle[0] - middle[1]) > 2 * spread  # blocks stand apart


@pytest.mark.parametrize(
    "edges", [[(0, 0)], [(0, 1)], [(0, 1), (0, 1), (2, 2)], [(0, 1), (2, 3)]], ids=["loop", "pair", "multi", "apart"]
)
def test_odd_networks_are_drawn(edges):
    net = ffbm.as_network(edges)
    place = lay_out(net.graph)
    assert np.isfinite(place).all()
    assert len(np.unique(place.round(9), axis=0)) == net.n_nodes
    assert plot_network(net, np.zeros(net.n_nodes, dtype=int)).axes


def test_members_that_do_not_fit_are_refused(planted):
    net, labels = planted
    for wrong in (labels[:5], labels.astype(float), labels - 1):
        with pytest.raises(DataError, match="a block number for each of the 80 vertices"):
            plot_network(net, wrong)
    with pytest.raises(DataError, match="positions must have shape"):
        plot_network(net, labels, positions=np.zeros((3, 2)))


def test_no_global_state(tmp_path):
    import matplotlib as mpl
    from matplotlib._pylab_helpers import Gcf

    before = dict(mpl.rcParams)
    save_figure(plot_weights(ranked()), tmp_path / "one.pdf")
    assert dict(mpl.rcParams) == before
    assert Gcf.get_all_fig_managers() == []
