"""Scores of pairs of vertices: exact over partitions, their constant, and what the command says."""

import itertools
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.cli import run
from ffbm.errors import DataError, OptionError
from ffbm.results.links import fit_constant, random_pairs_without_edge

from ..planted import planted_edges

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
TINY = np.array([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4)])
FLAG = np.array([[0.0], [1.0]] * 3)


def log_evidence(edges):
    """ln of the sum of exp(-S) over all partitions of six vertices into two blocks in use, less P(e|b)."""
    net = ffbm.as_network(edges, FLAG)
    lengths = []
    for b in itertools.product(range(2), repeat=6):
        if len(set(b)) == 2:
            found = description_length(net, b)
            lengths.append(-(found.adjacency + found.degrees))
    return np.logaddexp.reduce(lengths)


def test_scores_are_sums_over_all_partitions(monkeypatch):
    monkeypatch.setattr("ffbm.results.links._DRAWS", 4000)  # the 100 of a user are off by more
    net = ffbm.as_network(TINY, FLAG)
    fit = ffbm.fit(net, 2, n_sweeps=60_000, thin=50, n_draws=20, n_warmup=20, tempering=False, seed=1, progress=False)
    absent, present = [(0, 4), (2, 5), (1, 5)], [(0, 3), (1, 4), (0, 1)]
    exact = [log_evidence(np.vstack((TINY, pair))) - log_evidence(TINY) for pair in absent]
    for pair in present:
        without = np.array([edge for edge in TINY.tolist() if edge != list(pair)])
        exact.append(log_evidence(TINY) - log_evidence(without))
    assert fit.link_scores(absent + present) == pytest.approx(exact, abs=0.06)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    edges, b = planted_edges(np.random.default_rng(3), (80, 80), 0.1, 0.01)
    net = ffbm.as_network(edges, np.eye(2)[b])
    folder = tmp_path_factory.mktemp("links") / "run"
    fit = ffbm.fit(net, 2, n_sweeps=500, n_draws=50, n_warmup=50, seed=1, out=folder, progress=False)
    return fit, b, folder


def test_probabilities_are_those_of_the_planted_blocks(planted):
    fit, b, _ = planted
    net = fit.network
    pairs = random_pairs_without_edge(net.graph, 2000, np.random.default_rng(0))
    found = fit.link_probabilities([(net.node_ids[i], net.node_ids[j]) for i, j in pairs])
    inside = b[pairs[:, 0]] == b[pairs[:, 1]]
    assert found[inside].mean() == pytest.approx(0.1, abs=0.02)
    assert found[~inside].mean() == pytest.approx(0.01, abs=0.006)
    table = fit.missing_links(5)
    assert (table["source_block"] == table["target_block"]).all()
    assert table["probability"].is_monotonic_decreasing
    assert len(table) == 5


def test_the_command(planted, capsys, tmp_path):
    _, _, folder = planted
    assert run(["links", str(folder), "--top", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["links"]
    assert len(told) == 3
    assert set(told[0]) == {"source", "target", "probability", "score", "source_block", "target_block"}
    assert run(["links", str(folder), "--out", str(tmp_path / "links.csv")]) == 0
    assert "probability" in capsys.readouterr().out
    assert len(pd.read_csv(tmp_path / "links.csv")) == 20
    assert run(["links", str(tmp_path)]) == 2


def test_links_of_a_directed_network_have_a_direction():
    rng = np.random.default_rng(2)
    i, j = np.nonzero(~np.eye(60, dtype=bool))
    there = rng.random(len(i)) < np.where((i < 30) & (j >= 30), 0.3, 0.02)  # from the first half to the second
    graph = nx.DiGraph(list(zip(i[there].tolist(), j[there].tolist(), strict=True)))
    nx.set_node_attributes(graph, {v: "first" if v < 30 else "second" for v in graph}, "half")
    net = ffbm.as_network(graph)
    fit = ffbm.fit(net, 2, n_sweeps=300, n_draws=20, n_warmup=20, seed=1, progress=False)
    ahead, back = fit.link_probabilities([(1, 58), (58, 1)])
    assert ahead > 4 * back
    table = fit.missing_links(20)
    assert (table["source"].astype(int) < 30).all()
    assert (table["target"].astype(int) >= 30).all()


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("nobody", 1)], "pair 0 names 'nobody', which is no vertex"),
        ([(1, 2), (1, 1)], "pair 1 is 1 twice"),
        ([(1, 2, 3)], "a pair is two ids of vertices; got 3"),
    ],
)
def test_what_is_no_pair(planted, pairs, said):
    with pytest.raises(DataError, match=said):
        planted[0].link_scores(pairs)


def test_what_cannot_be_asked(planted):
    with pytest.raises(OptionError, match="top"):
        planted[0].missing_links(0)
    full = ffbm.as_network(np.array(list(itertools.combinations(range(5), 2))), np.eye(5)[:, :1])
    fit = ffbm.fit(full, 1, n_sweeps=20, n_draws=20, n_warmup=20, seed=1, progress=False)
    with pytest.raises(DataError, match="pairs with and without an edge"):
        fit_constant(fit)
