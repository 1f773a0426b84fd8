"""Are p values uniform where there is nothing to find? ``python benchmarks/permutation.py [PART ...]``.

``null``: networks with blocks and uneven degrees, and columns that know nothing of them: of few values with missing
cells, of many values, of numbers, and one that depends on a stratum alone, permuted inside it. ``degrees``: networks
whose edges follow degrees alone, and columns that go with degrees. ``law_firm`` needs ``networks/lazega_law`` in the
folder of ``FFBM_SHARED``.
"""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from record import run_parts, say
from scipy.stats import chisquare

import ffbm

N_NETWORKS, N_BINS = 300, 10
P_VALUES = {"adjacency": "p_adjacency", "degrees": "p_degrees", "total": "p_total"}
# 71 lawyers, undirected, by an independent program with 2,000 permutations: adjacency, degrees, total
LAW_FIRM = {
    ("cowork", "law_school"): (0.91, 0.001, 0.006),
    ("friends", "practice"): (0.0005, 0.95, 0.11),
    ("advice", "gender"): (0.02, 0.75, 0.40),
}


def network_with_noise(seed: int) -> ffbm.Network:
    """Return a network with blocks and uneven degrees, and columns that know nothing of them."""
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


def network_of_degrees(seed: int) -> ffbm.Network:
    """Return a network whose edges are as degrees alone would have them, and columns that go with degrees."""
    made = ffbm.simulate(labels=np.zeros(150, dtype=int), n_blocks=1, features=1, n_edges=600, exact=True, seed=seed)
    degrees, rng = made.network.graph.degrees, np.random.default_rng(seed)
    rank = np.argsort(np.argsort(degrees + rng.random(150))) / 150
    rank = np.where(rng.random(150) < 0.7, rank, rng.random(150))
    hubs = np.array([*"abc"])[np.digitize(rank, [0.8, 0.9])]
    table = pd.DataFrame({"hubs": hubs, "half": rank > 0.5})
    return ffbm.as_network(made.network.graph.edges, table, node_ids=np.arange(150))


def null_study(n_networks: int = N_NETWORKS) -> dict[str, Any]:
    """Return how even p values are that should be uniform, by column and part."""
    tables = []
    for seed in range(n_networks):
        net = network_with_noise(seed)
        options: dict[str, Any] = {"n_permutations": 99, "seed": seed, "blocks": None}
        alone = ffbm.permutation_test(net, ["few", "many", "number"], **options)
        inside = ffbm.permutation_test(net, "inside", within="stratum", **options)
        tables.append(pd.concat((alone, inside)))
    p_values = pd.concat(tables)
    rows = [
        {"column": column, "part": part, **evenness(own[name].to_numpy())}
        for column, own in p_values.groupby("column", sort=False)
        for part, name in P_VALUES.items()
    ]
    for row in rows:
        say(
            f"  {row['column']:7s} {row['part']:9s} p at most 0.05: {row['below_5']:.3f}, at most 0.1:"
            f" {row['below_10']:.3f} of {row['n']}; mean {row['mean']:.3f}; uniform: p = {row['uniform_p']:.2g}"
        )
    return {"n_networks": n_networks, "rows": rows}


def evenness(p_values: np.ndarray) -> dict[str, Any]:
    """Return how p values among 1/100, ..., 1 are spread, all alike if they are uniform."""
    bins = np.ceil(p_values * N_BINS - 1e-9).astype(int) - 1
    return {
        "n": len(p_values),
        "below_5": float((p_values <= 0.05).mean()),
        "below_10": float((p_values <= 0.1).mean()),
        "mean": float(p_values.mean()),
        "uniform_p": float(chisquare(np.bincount(bins, minlength=N_BINS)).pvalue),
    }


def degrees_study(n_networks: int = N_NETWORKS) -> dict[str, Any]:
    """Return how often p is at most 0.05 where columns go with degrees and edges follow degrees alone."""
    names = {"plain": "p_adjacency", "matched": "p_adjacency_matched", "degrees": "p_degrees"}
    tables = [
        ffbm.permutation_test(network_of_degrees(seed), None, 199, seed=seed, blocks=None) for seed in range(n_networks)
    ]
    rows = {}
    for column, own in pd.concat(tables).groupby("column", sort=False):
        rows[column] = {what: float((own[name] <= 0.05).mean()) for what, name in names.items()}
        say(f"  {column}: p at most 0.05, {rows[column]}")
    return {"n_networks": n_networks, "columns": rows}


def law_firm_study() -> dict[str, Any]:
    """Return p values of the law firm beside those of an independent program."""
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / "lazega_law"
    rows = []
    for (relation, column), known in LAW_FIRM.items():
        p_values = law_firm(folder, relation, column)
        rows.append({"edges": relation, "column": column, **p_values, "known": dict(zip(P_VALUES, known, strict=True))})
        say(f"  {relation} by {column}: {p_values}, known {known}")
    return {"n_permutations": 10_000, "rows": rows}


def law_firm(folder: Path, relation: str, column: str) -> dict[str, float]:
    """Return the p values of one column for the edges of one kind, without directions, all lawyers among them."""
    edges, nodes = (pd.read_csv(folder / name) for name in ("edges.csv", "nodes.csv"))
    net = ffbm.as_network(edges.loc[edges[relation] > 0, ["source", "target"]], nodes.set_index("id"))
    row = ffbm.permutation_test(net, column, 10_000, blocks=None).loc[0]
    return {part: float(row[name]) for part, name in (P_VALUES | {"matched": "p_adjacency_matched"}).items()}


def gamma_study() -> dict[str, Any]:
    """Return gamma of the political books, which metablox puts at 0.275 with the best S at 1343.89."""
    table = ffbm.permutation_test(ffbm.load_dataset("polbooks"), n_permutations=10_000)
    gamma, best = float(table["gamma"][0]), float(table.attrs["best_description_length"])
    say(f"  polbooks: gamma {gamma:.3f}, best S {best:.2f}")
    return {"gamma": gamma, "best": best, "known_gamma": 0.275, "known_best": 1343.89}


def time_study() -> dict[str, Any]:
    """Return the processor seconds of 1,000 permutations, and 1,000 among like degrees, of a network as polblogs is."""
    made = ffbm.simulate(labels=np.repeat([0, 1], 745), features=1, n_edges=19_090, contrast=8, seed=1)
    table = pd.DataFrame({"side": np.repeat(["left", "right"], 745)})
    net = ffbm.as_network(made.network.graph.edges, table, node_ids=np.arange(1490))
    ffbm.permutation_test(net, n_permutations=10, blocks=None)
    started = time.process_time()
    ffbm.permutation_test(net, n_permutations=1000, blocks=None, workers=1)
    used = time.process_time() - started
    say(f"  {net.n_nodes} vertices and {net.n_edges} edges, 1,000 permutations: {used:.2f} s")
    return {"n_nodes": net.n_nodes, "n_edges": net.n_edges, "n_permutations": 1000, "processor_seconds": used}


PARTS = {
    "null": null_study,
    "degrees": degrees_study,
    "law_firm": law_firm_study,
    "gamma": gamma_study,
    "time": time_study,
}

if __name__ == "__main__":
    run_parts("permutation", __doc__.splitlines()[0], ("ffbm", "numpy", "scipy", "numba"), PARTS, {})
