"""Checks against replicates: uniform where the model holds, and found where it does not."""

import json

import numpy as np
import pytest

import ffbm
from ffbm.blocks.additions import count
from ffbm.cli import run
from ffbm.errors import OptionError
from ffbm.results.checks import STATISTICS, check_fit, measure
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.simulation.replicates import replicate
from ffbm.types import Graph

from ..planted import planted_network, telling_flag

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
QUICK = {"n_sweeps": 200, "n_draws": 20, "n_warmup": 20, "n_chains": 2, "seed": 1, "progress": False}


def test_a_replicate_keeps_edge_counts_and_degrees():
    rng = np.random.default_rng(1)
    b = np.arange(40) % 3
    graph = draw_multigraph(rng, b, 3, 90)
    other = replicate(graph, b, True, rng)
    assert np.array_equal(other.degrees, graph.degrees)
    assert np.array_equal(count(other, b, 3).edges, count(graph, b, 3).edges)
    assert not np.array_equal(other.edges, graph.edges)
    free = replicate(graph, b, False, rng)
    assert not np.array_equal(free.degrees, graph.degrees)
    assert np.array_equal(count(free, b, 3).edges, count(graph, b, 3).edges)


def test_a_directed_replicate_keeps_both_degrees():
    rng = np.random.default_rng(1)
    b = np.arange(40) % 3
    graph = draw_multigraph(rng, b, 3, 90, directed=True)
    other = replicate(graph, b, True, rng)
    assert np.array_equal(other.out_degrees, graph.out_degrees)
    assert np.array_equal(other.in_degrees, graph.in_degrees)
    for one in (other, replicate(graph, b, False, rng)):
        assert one.is_directed
        assert np.array_equal(*(np.histogram2d(*b[g.edges].T, bins=3)[0] for g in (one, graph)))
    assert not np.array_equal(other.edges, graph.edges)


def test_statistics_of_a_known_graph():
    """A triangle with a tail, a doubled edge, and a vertex apart."""
    graph = Graph.from_edges([0, 1, 0, 2, 2, 3], [1, 2, 2, 3, 3, 3], n_nodes=5)
    found = dict(zip((it.name for it in STATISTICS), measure(graph, np.arange(5), np.zeros(5, int), True), strict=True))
    assert found["triangles"] == 1
    assert found["clustering"] == pytest.approx(3 / 5)
    assert found["parallel"] == 1
    assert found["component"] == pytest.approx(4 / 5)
    assert found["distance"] == pytest.approx((4 * 1 + 2 * 2) / 6)
    assert found["assortativity"] == pytest.approx(-5 / 7)


def test_p_values_are_uniform_where_the_model_holds():
    """Blocks known: replicates of networks that the model itself drew."""
    rng = np.random.default_rng(2)
    b = np.arange(60) % 2
    ranks = []
    for _ in range(150):
        graph = draw_multigraph(rng, b, 2, 150)
        sources = np.arange(10)
        seen = measure(graph, sources, b, True)
        others = np.array([measure(replicate(graph, b, True, rng), sources, b, True) for _ in range(19)])
        ranks.append((others < seen).sum(axis=0) + rng.integers(0, (others == seen).sum(axis=0) + 1))
    counts = np.apply_along_axis(np.bincount, 0, np.array(ranks) // 4, minlength=5)
    chi2 = ((counts - 30) ** 2 / 30).sum(axis=0)
    assert chi2.max() < 20  # 4 degrees of freedom; 7 statistics: 0.4 % by chance


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A planted network in which many open triangles were closed."""
    net, _ = planted_network(1, lambda b, rng: telling_flag(b, rng)[:, None], sizes=(60, 60), inside=0.1)
    rng = np.random.default_rng(0)
    edges = net.graph.edges
    neighbours = [set(edges[edges[:, 0] == i, 1]) | set(edges[edges[:, 1] == i, 0]) for i in range(120)]
    closed = []
    for _ in range(250):
        i = rng.integers(120)
        if len(neighbours[i]) > 1:
            closed.append(rng.choice(sorted(neighbours[i]), 2, replace=False))
    both = ffbm.as_network(np.vstack((edges, closed)), net.features.values)
    folder = tmp_path_factory.mktemp("check") / "run"
    return ffbm.fit(both, 2, out=folder, **QUICK), folder


def test_closed_triangles_are_found(fitted):
    found = fitted[0].check(n_replicates=100)
    row = found.table.set_index("statistic").loc["triangles"]
    assert not row["fits"]
    assert row["observed"] > row["high"]
    assert "times as many: blocks alone do not make them" in row["sentence"]
    assert "triangles" in str(found).lower()
    assert "do not fit" in repr(found)
    again = check_fit(fitted[0], 100)
    assert np.array_equal(found.replicates, again.replicates)


def test_the_command(fitted, capsys):
    assert run(["check", str(fitted[1]), "--replicates", "40", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["statistic"] for row in told["statistics"]] == [it.name for it in STATISTICS]
    assert run(["check", str(fitted[1]), "--replicates", "40"]) == 0
    assert "blocks alone do not make them" in " ".join(capsys.readouterr().out.split())
    assert run(["check", str(fitted[1]), "--replicates", "3"]) == 2


def test_what_is_refused(fitted):
    with pytest.raises(OptionError, match="n_replicates"):
        fitted[0].check(5)
