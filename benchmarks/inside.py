"""Columns inside blocks: p values where nothing acts beyond blocks, those of a naive test, and power.

    python benchmarks/inside.py [cut] [joint] [power] [triangles] [time]

Small networks of the model in which two columns act through blocks alone, one of them strongly; blocks inferred by the
cut and by the joint posterior, and known. Then networks in which a third column acts inside blocks, and some with
closed triangles for the plain check. Prints tables and writes results/inside.json, keeping what is there of other
parts.
"""

import time
import warnings

import numpy as np
import pandas as pd
from record import run_parts, say, study
from scipy.stats import chisquare

import ffbm
from ffbm.blocks.likelihoods import DEGREE_CORRECTED
from ffbm.data.encode import encode_features
from ffbm.data.values import column_values
from ffbm.results.checks import check_fit
from ffbm.results.inside import Null, mean_excess, null_of, p_values, refit_excesses
from ffbm.simulation.replicates import replicate
from ffbm.types import Graph, Network

N_NODES, N_BLOCKS, DEGREE, RATIO = 200, 3, 8.0, 7.0  # edges inside blocks are so many times as likely
COLUMNS = ("telling", "noise")
N_REFITS = 39
SIZES = {"n_nodes": N_NODES, "n_blocks": N_BLOCKS, "n_refits": N_REFITS}
QUICK = {"n_sweeps": 600, "n_warmup": 100, "n_draws": 100, "n_chains": 2, "n_kept": None, "weight_prior": "fixed"}


def simulate(rng, inside=1.0, n_closed=0):
    """Return a network and its blocks: values make blocks, blocks and degrees make edges.

    Vertices of an equal club have ``inside`` times the edges that blocks say; so many triangles are closed.
    """
    telling = rng.integers(N_BLOCKS, size=N_NODES)
    weights = 2.5 * np.eye(N_BLOCKS)[telling] + rng.gumbel(size=(N_NODES, N_BLOCKS))
    b = weights.argmax(axis=1)
    club, noise = rng.integers(2, size=(2, N_NODES))
    activity = rng.gamma(3.0, size=N_NODES)
    rate = np.outer(activity, activity) * np.where(b[:, None] == b, RATIO, 1.0)
    rate *= np.where(club[:, None] == club, inside, 1.0)
    rate *= DEGREE * N_NODES / rate.sum()
    i, j = np.triu_indices(N_NODES, 1)
    times = rng.poisson(rate[i, j])
    graph = Graph.from_edges(np.repeat(i, times), np.repeat(j, times), N_NODES)
    if inside == 1.0:
        graph = replicate(graph, b, True, rng)  # P(A | k, e, b) exactly, loops included
    edges = graph.edges
    if n_closed:
        edges = np.vstack((edges, close_triangles(edges, n_closed, rng)))
    values = {"telling": [f"v{v}" for v in telling], "noise": noise, "club": club}
    return edges, b, values if inside != 1.0 else {name: values[name] for name in COLUMNS}


def close_triangles(edges, n_closed, rng):
    """Return edges between random neighbours of random vertices."""
    near = [[] for _ in range(N_NODES)]
    for i, j in edges[edges[:, 0] != edges[:, 1]]:
        near[i].append(j)
        near[j].append(i)
    centres = rng.choice([v for v in range(N_NODES) if len(set(near[v])) > 1], size=n_closed)
    return np.array([rng.choice(list(set(near[v])), 2, replace=False) for v in centres])


def fitted(rng, target, **options):
    """Return the fit of a simulated network, and its blocks."""
    edges, b, values = simulate(rng, **options)
    features, _ = encode_features(pd.DataFrame(values))
    net = Network(Graph.from_edges(*edges.T, N_NODES), features, np.arange(N_NODES))
    seed = int(rng.integers(2**31))
    return ffbm.fit(
        net, N_BLOCKS, target=target, folds=1, train_fraction=1.0, tempering=False, seed=seed, progress=False, **QUICK
    ), b


def p_values_of(fit, b, seed, ways):
    """Return p of each column, given degrees and inside tertiles: blocks refitted, inferred and not refitted, known."""
    names = fit.network.features.column_names
    codes = [column_values(fit.network.features, name).codes for name in names]
    null = null_of(fit)
    frozen = null._replace(is_given=True, field=None)
    known = Null(null.graph, DEGREE_CORRECTED, N_BLOCKS, b[None], None, False, True, False)
    results = {}
    for name, one in {"refitted": null, "naive": frozen, "known": known}.items():
        if name not in ways:
            continue
        observed = mean_excess(one, one.graph, one.labels, codes)
        refits = refit_excesses(one, codes, N_REFITS, seed, workers=1)
        p = [p_values(observed[:, k], refits[:, :, k])[0] for k in range(2)]
        results[name] = dict(zip(names, np.transpose(p).tolist(), strict=True))
    return results


def summary(p):
    """Return how p values lie: the share at most 0.05 and 0.1, their mean, and a test of uniformity in five bins."""
    p = np.asarray(p)
    ranks = np.round(p * (N_REFITS + 1)).astype(int) - 1
    counts = np.bincount(ranks * 5 // (N_REFITS + 1), minlength=5)
    return {
        "n": len(p), "mean": float(p.mean()),
        "below_5": float((p <= 0.05).mean()), "below_10": float((p <= 0.1).mean()),
        "uniform_p": float(chisquare(counts).pvalue), "counts": counts.tolist(),
    }  # fmt: skip


def null_study(target, n_networks, seed):
    ways = ("known", "refitted", "naive") if target == "cut" else ("refitted", "naive")

    def measure(number):
        fit, b = fitted(np.random.default_rng([seed, number]), target)
        return {"misplaced": misplaced(fit.memberships.labels, b), **p_values_of(fit, b, number, ways)}

    tests, kept = study("inside", target, n_networks, measure)
    wrong, rows = [one["misplaced"] for one in tests], []
    for how in ways:
        for column in COLUMNS:
            for k, version in enumerate(("degrees", "tertiles")):
                row = summary([one[how][column][k] for one in tests])
                rows.append({"target": target, "blocks": how, "column": column, "version": version, **row})
                say(
                    f"{target:6} {how:9} {column:8} {version:9} p <= 0.05: {row['below_5']:.3f}, p <= 0.1:"
                    f" {row['below_10']:.3f}, mean {row['mean']:.3f}, uniform: p = {row['uniform_p']:.2g}"
                )
    say(f"{target}: {np.mean(wrong):.1%} of vertices misplaced")
    return {"rows": rows, "misplaced": float(np.mean(wrong)), **kept}


def misplaced(labels, b):
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((N_BLOCKS, N_BLOCKS))
    np.add.at(table, (labels, b), 1)
    return 1 - table[linear_sum_assignment(-table)].sum() / len(b)


def power_study(n_networks, seed):
    rng, rows = np.random.default_rng(seed), []
    for inside in (1.3, 1.6):
        p = {"club": [], "noise": []}
        for number in range(n_networks):
            results = p_values_of(*fitted(rng, "cut", inside=inside), number, ways=("refitted",))["refitted"]
            for name, values in p.items():
                values.append(results[name])
        row = {"inside": inside, "n": n_networks}
        for name, values in p.items():
            row |= {f"{name}_{version}": float(share) for version, share in
                    zip(("degrees", "tertiles"), (np.array(values) <= 0.05).mean(axis=0), strict=True)}  # fmt: skip
        rows.append(row)
        say(f"edges of an equal club x {inside}: found {row['club_degrees']:.2f}, {row['club_tertiles']:.2f}")
    return rows


def triangle_study(n_networks, seed):
    rng, rows = np.random.default_rng(seed), []
    for n_closed in (0, 20, 60):
        p = []
        for number in range(n_networks):
            fit, _ = fitted(rng, "cut", n_closed=n_closed)
            table = check_fit(fit, 100, seed=number).table.set_index("statistic")
            p.append(table.loc["triangles", "p"])
        rows.append({"closed": n_closed, "n": n_networks, "found": float((np.array(p) <= 0.05).mean())})
        say(f"{n_closed} triangles closed: found {rows[-1]['found']:.2f}")
    return rows


def time_study():
    """How long a whole check takes, columns with 199 refits included, in seconds of one core."""
    rows = []
    for name, n_blocks in (("polbooks", 3), ("facebook", 20)):
        net = ffbm.load_dataset(name)
        fit = ffbm.fit(
            net, n_blocks, n_sweeps=1000, tempering=False, weight_prior="fixed", n_draws=200, n_kept=None, columns=0,
            folds=1, seed=1, progress=False,
        )  # fmt: skip
        started, by_clock = time.process_time(), time.monotonic()
        fit.check()
        plain, started = time.process_time() - started, time.process_time()
        table = fit.check(columns=True, workers=1).columns
        rows.append({
            "network": name, "n_nodes": net.n_nodes, "n_edges": net.n_edges, "n_blocks": n_blocks,
            "n_columns": len(table), "plain": plain, "with_columns": time.process_time() - started,
            "by_clock": time.monotonic() - by_clock,
        })  # fmt: skip
        say(f"{name}: a check takes {plain:.1f} s, with columns {rows[-1]['with_columns']:.1f} s")
    return rows


PARTS = {
    "cut": lambda: null_study("cut", 200, 1),
    "joint": lambda: null_study("joint", 200, 4),
    "power": lambda: {"rows": power_study(100, 2)},
    "triangles": lambda: {"rows": triangle_study(100, 3)},
    "time": lambda: {"n_refits": 199, "rows": time_study()},
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    run_parts("inside", __doc__.splitlines()[0], ("ffbm", "numpy", "scipy", "numba"), PARTS, SIZES)
