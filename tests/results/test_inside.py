"""Columns inside blocks: p values that are calibrated, what acts is found, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

import ffbm
from ffbm.cli import run
from ffbm.data.values import column_values
from ffbm.errors import OptionError
from ffbm.results.inside import check_inside, mean_excess, null_of, p_values, refit_excesses
from ffbm.simulation.replicates import replicate
from ffbm.types import Graph, Network

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
QUICK = {"n_sweeps": 300, "n_draws": 50, "n_warmup": 50, "n_chains": 2, "tempering": False, "progress": False}


def network(rng, inside=1.0, n=90, directed=False, **options):
    """Values make two blocks and a club makes edges inside them, ``inside`` times as many among its equals."""
    side = rng.integers(2, size=n)
    b = np.where(rng.random(n) < 0.85, side, 1 - side)
    club = rng.integers(2, size=n)
    activity = rng.gamma(3.0, size=n)
    rate = np.outer(activity, activity) * np.where(b[:, None] == b, 6.0, 1.0)
    rate *= np.where(club[:, None] == club, inside, 1.0)
    i, j = np.nonzero(~np.eye(n, dtype=bool)) if directed else np.triu_indices(n, 1)
    times = rng.poisson(rate[i, j] * 8 * n / rate.sum())
    table = pd.DataFrame({"side": [f"s{v}" for v in side], "club": [f"c{v}" for v in club]})
    edges = np.column_stack((np.repeat(i, times), np.repeat(j, times)))
    return ffbm.as_network(edges, table, node_ids=np.arange(n), directed=directed, **options), b


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    net, _ = network(np.random.default_rng(1), inside=2.5)
    folder = tmp_path_factory.mktemp("inside") / "run"
    return ffbm.fit(net, 2, seed=1, out=folder, **QUICK), folder


def test_what_acts_inside_blocks_is_found(fitted):
    fit, _ = fitted
    found = fit.check(20, columns=True, n_refits=59)
    table = found.columns.set_index("column")
    assert found.refits.shape == (59, 2, 2)
    assert table.loc["club", "acts"]
    assert table.loc["club", ["p", "p_any", "p_matched"]].tolist() == [1 / 60] * 3
    assert not table.loc["side", "acts"]
    assert "acts inside these blocks, or the blocks are too coarse" in table.loc["club", "sentence"]
    assert "have more edges" in table.loc["club", "sentence"]
    assert "no sign that it acts" in table.loc["side", "sentence"]
    assert set(table["sentence"]) <= set(found.sentences)


def test_answers_depend_on_neither_workers_nor_other_columns(fitted):
    fit, _ = fitted
    seen = []
    one = check_inside(fit, "club", 19, 3, 1, seen.append)
    both = check_inside(fit, True, 19, 3, 2, False)
    at = list(fit.network.features.column_names).index("club")
    assert np.array_equal(one.refits[:, 0], both.refits[:, at])
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, 19, 19)
    assert {event.stage for event in seen} == {"refits"}


def test_the_command_and_the_report(fitted, capsys, tmp_path):
    fit, folder = fitted
    few = ["--replicates", "20", "--refits", "19", "--pairs", "0"]
    assert run(["check", str(folder), "--columns", "--json", *few]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_refits"] == 19
    assert sorted(row["column"] for row in told["columns"]) == ["club", "side"]
    assert run(["check", str(folder), "--column", "club", *few]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "or the blocks are too coarse" in out
    assert " side" not in out
    assert run(["check", str(folder), "--column", "clubs", *few]) == 2
    assert "--column must name columns of the network; got 'clubs': did you mean 'club'?" in capsys.readouterr().err
    fit.report(tmp_path / "report.html", check=fit.check(20, columns="club", n_refits=19))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Columns inside blocks" in page
    assert "or the blocks are too coarse" in page


def test_directed_networks_and_given_blocks():
    net, b = network(np.random.default_rng(2), inside=3.0, directed=True)
    fit = ffbm.fit(net, blocks=b, seed=1, **QUICK)
    assert null_of(fit).is_given
    found = fit.check(20, columns="club", n_refits=39).columns
    assert found["acts"].all()
    inferred = ffbm.fit(net, 2, seed=1, **QUICK)
    assert inferred.check(20, columns="club", n_refits=39).columns["acts"].all()


def test_joint_fits_are_refitted_with_their_features():
    net, _ = network(np.random.default_rng(3), n=40)
    fit = ffbm.fit(net, 2, target="joint", seed=1, **QUICK)
    null = null_of(fit)
    assert null.is_field_refitted
    assert null.allow_empty
    held_out = np.setdiff1d(np.arange(40), fit.train)
    assert not null.field[held_out].any()
    assert fit.check(20, columns=True, n_refits=19).columns["p"].between(0, 1).all()


def test_p_values_count_networks_as_far_from_the_mean():
    rng = np.random.default_rng(0)
    refits = rng.normal(size=(99, 3))
    p, p_any = p_values(np.array([0.0, 8.0, -8.0]), refits)
    assert p[1] == p[2] == p_any[1] == 0.01
    assert p[0] > 0.5
    assert (p_any >= p).all()
    assert np.isnan(p_values(np.zeros(1), np.zeros((9, 1)))[0]).all()


def test_p_is_uniform_with_blocks_known():
    rng = np.random.default_rng(4)
    net, b = network(rng, n=40)
    fit = ffbm.fit(net, blocks=b, seed=1, **QUICK)
    codes, null = [rng.integers(2, size=40)], null_of(fit)
    ranks = []
    for seed in range(100):
        graph = replicate(net.graph, b, True, rng)
        observed = mean_excess(null, graph, b[None], codes)
        p = p_values(observed[:, 0], refit_excesses(null, codes, 19, seed, 1)[:, :, 0])[0]
        ranks.append(round(float(p[0]) * 20) - 1)
    assert chisquare(np.bincount(np.array(ranks) // 4, minlength=5)).pvalue > 0.003


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("clubs", "columns= must name columns of the network; got 'clubs': did you mean 'club'?"),
        ([], "columns must be True, a column name or a list of them; got"),
        (3, "columns must be True, a column name or a list of them; got 3"),
    ],
)
def test_columns_that_are_not_there(fitted, columns, said):
    with pytest.raises(OptionError) as caught:
        fitted[0].check(columns=columns)
    assert said in str(caught.value)


def test_what_cannot_be_checked(fitted):
    fit, _ = fitted
    with pytest.raises(OptionError, match="n_refits must be a whole number, at least 19"):
        fit.check(columns=True, n_refits=5)
    weighted = replace(fit.network, graph=replace(fit.network.graph, weights=object()))
    typed = replace(fit.blocks, settings={**fit.blocks.settings, "node_types": {}})
    for other, what in (
        (replace(fit, network=weighted), "weights of edges"),
        (replace(fit, blocks=typed), "types"),
        (replace(fit, hierarchy=object()), "a hierarchy"),
    ):
        with pytest.raises(OptionError, match=f"this one has {what}"):
            other.check(columns=True)


@pytest.mark.slow
def test_p_is_uniform_with_blocks_inferred_and_the_naive_test_is_not():
    """60 networks in which the column acts through blocks alone; the study is benchmarks/inside.py."""
    rng = np.random.default_rng(11)
    p, naive = [], []
    for seed in range(60):
        net, b = network(rng)
        exact = replicate(net.graph, b, True, rng)
        net = Network(Graph.from_edges(*exact.edges.T, 90), net.features, net.node_ids)
        fit = ffbm.fit(net, 2, seed=seed, **QUICK)
        null = null_of(fit)
        codes = [column_values(net.features, "side").codes]
        observed = mean_excess(null, null.graph, null.labels, codes)[:, 0]
        frozen = null._replace(is_given=True, field=None)
        for found, reference in ((p, null), (naive, frozen)):
            found.append(p_values(observed, refit_excesses(reference, codes, 19, seed, 1)[:, :, 0])[0][0])
    assert chisquare(np.bincount((np.round(np.array(p) * 20).astype(int) - 1) // 4, minlength=5)).pvalue > 0.003
    assert np.mean(np.array(p) <= 0.1) < 0.25
    assert np.mean(np.array(naive) <= 0.1) > np.mean(np.array(p) <= 0.1) + 0.1
