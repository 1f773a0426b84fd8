"""Permutation tests: uniform p values where there is nothing, known answers where there is something."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

import ffbm

PARTS = ["p_adjacency", "p_degrees", "p_total"]
# law firm, 71 lawyers, undirected, by an independent program with 2,000 permutations: adjacency, degrees, total
LAW_FIRM = {
    ("cowork", "law_school"): (0.91, 0.001, 0.006),
    ("friends", "practice"): (0.0005, 0.95, 0.11),
    ("advice", "gender"): (0.02, 0.75, 0.40),
}


def network_with_noise(seed):
    """A network with blocks and uneven degrees, and columns that know nothing of them."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], [50, 40, 30])
    made = ffbm.simulate(labels=labels, features=1, n_edges=400, contrast=6, degree_exponent=2.5, seed=seed)
    table = pd.DataFrame(
        {
            "few": np.array([*"abc"])[rng.integers(0, 3, 120)],
            "many": np.array([f"v{i}" for i in range(20)])[rng.integers(0, 20, 120)],
            "number": rng.normal(size=120),
            "stratum": np.array([*"xyz"])[np.where(rng.random(120) < 0.7, labels, rng.integers(0, 3, 120))],
        }
    )
    # depends on the stratum, and beyond it on nothing
    table["inside"] = [rng.choice([*"lmn"], p=np.roll([0.7, 0.2, 0.1], ord(at))) for at in table["stratum"]]
    table.loc[rng.random(120) < 0.2, "few"] = None
    return ffbm.as_network(made.network.graph.edges, table, node_ids=np.arange(120))


@pytest.mark.slow
def test_p_values_are_uniform_without_a_relation():
    n_networks, n_permutations, n_bins = 300, 99, 10
    found = []
    for seed in range(n_networks):
        net = network_with_noise(seed)
        alone = ffbm.permutation_test(net, ["few", "many", "number"], n_permutations, seed=seed, blocks=None)
        inside = ffbm.permutation_test(net, "inside", n_permutations, within="stratum", seed=seed, blocks=None)
        found.append(pd.concat((alone, inside)).set_index("column")[PARTS])
    together = np.stack(found)  # network, column, part
    for column, name in enumerate(found[0].index):
        for part, what in enumerate(PARTS):
            # p is one of 1/100, ..., 1, all alike
            bins = np.ceil(together[:, column, part] * n_bins - 1e-9).astype(int) - 1
            fit = chisquare(np.bincount(bins, minlength=n_bins)).pvalue
            assert fit > 1e-3, f"{what} of {name}: chi-square p {fit:.2g}"
            low = (together[:, column, part] <= 0.05).mean()
            assert abs(low - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n_networks), f"{what} of {name}: {low} at 0.05"


@pytest.mark.slow
def test_a_test_that_forgets_the_strata_is_not_uniform():
    """What test_p_values_are_uniform would see if ``within`` did nothing."""
    low = [
        ffbm.permutation_test(network_with_noise(seed), "inside", 99, seed=seed, blocks=None)["p_adjacency"][0] <= 0.05
        for seed in range(60)
    ]
    assert np.mean(low) > 0.2


def network_of_degrees(seed):
    """Edges as degrees alone would have them, and columns that go with degrees."""
    made = ffbm.simulate(labels=np.zeros(150, dtype=int), n_blocks=1, features=1, n_edges=600, exact=True, seed=seed)
    degrees, rng = made.network.graph.degrees, np.random.default_rng(seed)
    rank = np.argsort(np.argsort(degrees + rng.random(150))) / 150
    rank = np.where(rng.random(150) < 0.7, rank, rng.random(150))
    hubs = np.array([*"abc"])[np.digitize(rank, [0.8, 0.9])]
    return ffbm.as_network(
        made.network.graph.edges, pd.DataFrame({"hubs": hubs, "half": rank > 0.5}), node_ids=np.arange(150)
    )


@pytest.mark.slow
def test_among_vertices_of_like_degree_the_level_holds_where_degrees_matter():
    n_networks = 300
    tables = [ffbm.permutation_test(network_of_degrees(seed), None, 199, seed=seed, blocks=None)
              for seed in range(n_networks)]  # fmt: skip
    low = (np.stack([table[["p_adjacency", "p_adjacency_matched", "p_degrees"]] for table in tables]) <= 0.05).mean(0)
    plain, matched, degrees = low.T
    assert (np.abs(matched - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n_networks)).all()
    assert (degrees > 0.9).all()
    assert plain[0] > 0.2  # why there is a matched one: rare values on hubs
    assert plain[1] < 0.05


@pytest.mark.parametrize(("relation", "column"), LAW_FIRM)
def test_law_firm(shared, relation, column):
    folder = shared / "networks" / "lazega_law"
    if not folder.is_dir():
        pytest.skip("needs networks/lazega_law in the folder of FFBM_SHARED")
    edges, nodes = (pd.read_csv(folder / name) for name in ("edges.csv", "nodes.csv"))
    net = ffbm.as_network(edges.loc[edges[relation] > 0, ["source", "target"]], nodes.set_index("id"))
    assert net.n_nodes == 71
    row = ffbm.permutation_test(net, column, 10_000, blocks=None).loc[0]
    p = row[PARTS].to_numpy(dtype=float)
    known = np.array(LAW_FIRM[relation, column])
    error = np.sqrt(known * (1 - known) * (1 / 2000 + 1 / 10_000))
    assert (np.abs(p - known) < 3 * error + 0.005).all(), p  # the known ones are rounded
    assert (row["p_adjacency_matched"] < 0.05) == (known[0] < 0.05)


def test_gamma_of_political_books():
    """As metablox has it (0.275 with 100 permutations): the whole of S, and chance is the 1 % quantile."""
    table = ffbm.permutation_test(ffbm.load_dataset("polbooks"), n_permutations=10_000)
    assert table.attrs["best_description_length"] == pytest.approx(1343.89, abs=0.01)
    assert table["gamma"][0] == pytest.approx(0.275, abs=0.003)
