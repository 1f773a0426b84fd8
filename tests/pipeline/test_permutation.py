"""The permutation test: the definition, strata, ties, what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.pipeline import permutation
from ffbm.pipeline.permutation import permutation_test
from ffbm.rng import stream

from ..mutants import planted_alone

CONTRACT = ["column", "p_adjacency", "p_degrees", "p_total", "q_adjacency", "gamma"]


@pytest.fixture(scope="module")
def planted():
    """Three blocks; team follows them, club follows the team, age is higher in block 0, coin is a coin."""
    labels = np.repeat([0, 1, 2], [30, 30, 20])
    made = ffbm.simulate(labels=labels, features=1, n_edges=350, contrast=8, seed=1)
    rng = np.random.default_rng(1)
    team = np.where(rng.random(80) < 0.8, labels, rng.integers(0, 3, 80))
    club = np.where(rng.random(80) < 0.85, team, rng.integers(0, 3, 80))
    table = pd.DataFrame(
        {
            "team": np.array([*"abc"])[team],
            "club": np.array([*"xyz"])[club],
            "age": rng.integers(20, 60, 80) + 30 * (labels == 0),
            "coin": rng.integers(0, 2, 80),
        }
    )
    table.loc[::9, "club"] = None
    return ffbm.as_network(made.network.graph.edges, table, node_ids=np.arange(80))


@pytest.fixture(scope="module")
def table(planted):
    return permutation_test(planted, n_permutations=400, seed=3)


def test_the_contract(table):
    assert [*table.columns[: len(CONTRACT)]] == CONTRACT
    assert table["column"].tolist() == ["team", "club", "age", "coin"]
    assert table.attrs["n_permutations"] == 400
    assert table["read_as"].str.split(":").str[0].tolist() == ["values", "values", "quartiles", "flag"]
    assert table["n_values"].tolist() == [3, 3, 4, 2]
    assert table["n_permuted"].tolist() == [80, 71, 80, 80]


def test_what_is_planted_is_seen(table):
    by = table.set_index("column")
    assert (by.loc[["team", "club", "age"], "p_adjacency"] < 0.01).all()
    assert by.loc["coin", "p_adjacency"] > 0.05
    assert by.loc["team", "gamma"] < by.loc["club", "gamma"] < by.loc["coin", "gamma"]
    np.testing.assert_allclose(table["q_adjacency"], false_discovery_control(table["p_adjacency"]))
    np.testing.assert_allclose(table["q_degrees"], false_discovery_control(table["p_degrees"]))


def slow_test(net, labels, moving, n_permutations, rng):
    """The definition: values permuted among the vertices that have one, S by description_length."""

    def parts(b):
        s = ffbm.description_length(net, b)
        return s.adjacency, s.degrees, s.adjacency + s.degrees

    observed, permuted = np.array(parts(labels)), []
    for _ in range(n_permutations):
        b = labels.copy()
        b[moving] = rng.permutation(b[moving])
        permuted.append(parts(b))
    permuted = np.array(permuted)
    p = (1 + (permuted <= observed + 1e-9).sum(axis=0)) / (1 + n_permutations)
    return p, permuted.mean(axis=0) - observed


def test_p_values_are_those_of_the_definition(planted, table):
    flags = planted.features.values[:, [name.startswith("club=") for name in planted.features.names]]
    flags = flags.toarray() if hasattr(flags, "toarray") else flags
    labels = np.where(flags.any(axis=1), flags.argmax(axis=1), 3)
    p, saved = slow_test(planted, labels, np.flatnonzero(labels < 3), 1000, np.random.default_rng(0))
    row = table.set_index("column").loc["club"]
    error = np.sqrt(p * (1 - p) * (1 / 1000 + 1 / 400)) + 0.002
    assert (np.abs(row[["p_adjacency", "p_degrees", "p_total"]].to_numpy(dtype=float) - p) < 4 * error).all()
    np.testing.assert_allclose(row[["adjacency_saved", "degrees_saved"]].to_numpy(dtype=float), saved[:2], atol=1.0)
    s = ffbm.description_length(planted, labels, prior="full")
    assert row[["adjacency", "degrees", "description_length"]].tolist() == pytest.approx(
        [s.adjacency, s.degrees, s.total]
    )


def test_gamma_is_the_share_of_chance(planted, table):
    best = table.attrs["best_description_length"]
    np.testing.assert_allclose(table["gamma"], (table["description_length"] - best) / (table["chance"] - best))
    mean = table["description_length"] + table["adjacency_saved"] + table["degrees_saved"]
    assert (table["chance"] < mean).all()  # the 1 % quantile
    known = ffbm.sample_blocks(planted, 3, n_sweeps=50, n_chains=1)
    for blocks in (known, known.best_labels):
        found = permutation_test(planted, "team", 50, blocks=blocks)
        s = ffbm.description_length(planted, known.best_labels, prior="full").total
        assert found.attrs["best_description_length"] == pytest.approx(s)
    none = permutation_test(planted, "team", 50, blocks=None)
    assert np.isnan([none["gamma"][0], none.attrs["best_description_length"]]).all()


def test_a_column_may_be_the_best_partition_known(planted):
    found = permutation_test(planted, ["team", "coin"], 50, blocks=np.zeros(80, dtype=int) + np.arange(80) % 2)
    assert found["gamma"].tolist()[0] == 0
    assert found.attrs["best_description_length"] == found["description_length"][0]


def test_the_answer_depends_on_the_seed_alone(planted, table, monkeypatch):
    monkeypatch.setattr(permutation, "_PIECE", 100.0 * (planted.n_nodes + planted.n_edges))
    one, two = (permutation_test(planted, None, 400, seed=3, workers=n, blocks=None) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    alone = permutation_test(planted, "age", 400, seed=3, blocks=None)
    same = ["p_adjacency", "p_degrees", "p_total", "p_adjacency_matched", "adjacency_saved", "degrees_saved"]
    pd.testing.assert_series_equal(alone.loc[0, same], one.loc[2, same], check_names=False)
    other = permutation_test(planted, None, 400, seed=4, blocks=None)
    assert not np.array_equal(other["adjacency_saved"], one["adjacency_saved"])


def test_more_permutations_go_on_from_fewer(planted, monkeypatch):
    monkeypatch.setattr(permutation, "_PIECE", 10.0 * (planted.n_nodes + planted.n_edges))
    kept = []
    monkeypatch.setattr(permutation, "_summarise", lambda *given: kept.append(given[-2]) or {"description_length": 0.0})
    monkeypatch.setattr(permutation, "_finish", lambda *_: None)
    permutation_test(planted, "age", 20, blocks=None)
    permutation_test(planted, "age", 35, blocks=None)
    assert [len(one) for one in kept] == [20, 35]
    np.testing.assert_array_equal(kept[0], kept[1][:20])
    assert not np.array_equal(kept[1][:10], kept[1][10:20])


def test_within_a_column_that_explains_another_nothing_is_left(planted):
    alone = permutation_test(planted, "club", 400, blocks=None)
    inside = permutation_test(planted, "club", 400, within="team", blocks=None)
    assert alone["p_adjacency"][0] < 0.01
    assert inside["p_adjacency"][0] > 0.05
    assert inside["n_permuted"][0] == 71
    assert inside["adjacency_saved"][0] < 0.2 * alone["adjacency_saved"][0]
    assert permutation_test(planted, None, 10, within="team", blocks=None)["column"].tolist() == ["club", "age", "coin"]


def test_nothing_to_permute_is_said_and_not_adjusted_for():
    table = pd.DataFrame({"pair": [*"aabbcc"], "side": [*"xxyyyy"], "half": [*"lrlrlr"]})
    net = ffbm.as_network([(0, 1), (2, 3), (4, 5), (1, 2)], table, node_ids=np.arange(6))
    found = permutation_test(net, ["side", "half"], 99, within="pair", blocks=None)
    assert found["n_permuted"].tolist() == [0, 6]
    assert found.loc[0, ["p_adjacency", "p_degrees", "p_total", "q_adjacency", "gamma"]].isna().all()
    assert found["q_adjacency"][1] == found["p_adjacency"][1]


def test_without_edges_nothing_is_found():
    table = pd.DataFrame({"half": [*"lrlrlr"]})
    net = ffbm.as_network(np.empty((0, 2), dtype=int), table, node_ids=np.arange(6))
    found = permutation_test(net, n_permutations=20)
    assert found.loc[0, ["p_adjacency", "p_degrees", "p_total"]].tolist() == [1, 1, 1]


def ring_of_twelve():
    """All vertices alike in degree, every one with a value of its own: S is the same under every permutation."""
    table = pd.DataFrame({"own": [f"v{i}" for i in range(12)], "half": [*"ab"] * 6})
    edges = [(i, (i + 1) % 12) for i in range(12)]
    return ffbm.as_network(edges, table, node_ids=np.arange(12), include="own")


def test_ties_count():
    found = permutation_test(ring_of_twelve(), "own", 99, blocks=None)
    assert found.loc[0, ["p_adjacency", "p_degrees", "p_total"]].tolist() == [1, 1, 1]
    half = permutation_test(ring_of_twelve(), "half", 99, blocks=None)
    assert half["p_degrees"][0] == 1  # all degrees are equal
    assert half["p_adjacency"][0] < 0.1  # every edge goes from a to b


@pytest.mark.parametrize("fault", [("((permuted <= observed + limit).sum())", "((permuted < observed - limit).sum())"),
                                   ("(1 + len(permuted))", "(2 + len(permuted))")])  # fmt: skip
def test_faults_of_the_p_value_are_noticed(fault):
    faulty = planted_alone("ffbm.pipeline.permutation", fault)
    assert faulty.permutation_test(ring_of_twelve(), "own", 99, blocks=None)["p_adjacency"][0] != 1


def test_one_strong_column_is_found_among_many():
    """With 1,000 permutations alone its q would be 60 / 1,001 at the least, however many nats it saves."""
    rng = np.random.default_rng(3)
    team = np.repeat([0, 1], 30)
    graph = ffbm.simulate(labels=team, features=1, n_edges=300, contrast=8, seed=4).network.graph
    table = pd.DataFrame({f"noise{i}": rng.integers(0, 2, 60).astype(str) for i in range(59)}) + "x"
    table.insert(7, "team", np.array(["red", "blue"])[team])
    net = ffbm.as_network(graph.edges, table, node_ids=np.arange(60))
    found = permutation_test(net, blocks=None).set_index("column")
    assert found["q_adjacency"]["team"] == pytest.approx(60 / 6001)
    assert (found["q_adjacency"].drop("team") > 0.05).all()
    assert found["n_permutations"]["team"] == 6000
    few = permutation_test(net, ["noise1", "team"], blocks=None).set_index("column")
    assert few["n_permutations"].tolist() == [1000, 1000]  # q can be low with these
    assert few["p_adjacency"]["noise1"] == found["p_adjacency"]["noise1"]


def test_p_by_more_permutations_is_exact_under_chance():
    from ffbm.pipeline.permutation import _p_value

    rng = np.random.default_rng(5)
    p = []
    for _ in range(20_000):
        observed, permuted = rng.random(), rng.random(99)
        if (permuted[:19] > observed).all():  # otherwise no more would have been made
            p.append(_p_value(observed, permuted, 0.0, first=19))
        else:
            p.append(_p_value(observed, permuted[:19], 0.0, first=19))
    for level in (0.01, 0.02, 0.05, 0.1, 0.5):
        assert np.mean(np.array(p) <= level) < level + 4 * np.sqrt(level / 20_000), level


def test_progress_is_told(planted):
    heard = []
    permutation_test(planted, ["team", "age"], 50, blocks=None, progress=heard.append)
    assert (heard[0].stage, heard[0].done, heard[-1].done, heard[-1].total) == ("permutations", 0, 200, 200)
    permutation_test(planted, ["team"], 50, progress=heard.append)
    assert "number of blocks" in {event.stage for event in heard}


def test_streams_have_names_of_their_own():
    assert stream(0, "permutation", "a", 0).random() != stream(0, "permutation", "b", 0).random()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"columns": "tem"}, OptionError, "columns= must name columns of the network; got 'tem': did you mean 'team'?"),
        ({"columns": ["team", 3]}, OptionError, "got 3: its columns are 'team', 'club', 'age', 'coin'"),
        ({"columns": 3}, OptionError, "columns must be a column name or a list of them; got 3"),
        ({"columns": []}, OptionError, "columns= must name at least one column"),
        ({"within": "year"}, OptionError, "within= must name columns of the network; got 'year'"),
        ({"columns": "team", "within": "team"}, OptionError, "within= and columns= both name 'team'"),
        ({"n_permutations": 0}, OptionError, "n_permutations must be a whole number, at least 1; got 0"),
        ({"seed": -1}, OptionError, "seed must be a whole number"),
        ({"workers": 0}, OptionError, "workers must be a whole number, at least 1; got 0"),
        ({"blocks": [0, 1]}, OptionError, "blocks must be a BlockTrace or a label for each of the 80 vertices"),
        ({"progress": 3}, OptionError, "progress must be"),
    ],
)
def test_what_is_refused(planted, options, error, words):
    with pytest.raises(error) as raised:
        permutation_test(planted, **{"n_permutations": 5} | options)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_networks_that_are_refused(planted):
    with pytest.raises(DataError, match="a test is of columns, which become features, and this network has none"):
        permutation_test(ffbm.as_network([(0, 1)]))
    with pytest.raises(DataError, match=r"net must be a Network, .* got Graph"):
        permutation_test(planted.graph)
