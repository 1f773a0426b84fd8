"""Pairs of columns that act together: p values where columns only add up, and power, with blocks known and inferred.

    python benchmarks/pairs.py [known] [inferred] [joint] [power]

Small tables in which three columns, related to each other, make the blocks; then networks with such blocks, fitted.
Prints tables and writes results/pairs.json, keeping what is there of other parts.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from record import run_parts, say, study
from scipy.stats import chisquare

import ffbm
from ffbm.data.encode import encode_features
from ffbm.results.pairs import check_pairs
from ffbm.scoring.interaction import evidence_of, score_cells
from ffbm.types import Graph, Network

VALUES = (3, 3, 2)  # of the columns "one", "other" and "third"
N_DRAWS, BINS = 99, 10
NETWORK = {"n_nodes": 240, "n_blocks": 2, "degree": 8.0, "ratio": 5.0}
QUICK = {"n_sweeps": 600, "n_warmup": 100, "n_draws": 100, "n_chains": 2, "n_kept": None, "weight_prior": "fixed"}


def table(rng, n_nodes, n_blocks, strength, together=0.0):
    """Return columns, related to each other, and blocks; weights of values are normal.

    The first two columns act together as an exclusive or: cells whose numbers add up to an even one have so much more
    of the first block, and the others so much less.
    """
    common = rng.integers(3, size=n_nodes)
    values = [np.where(rng.random(n_nodes) < 0.5, common % k, rng.integers(k, size=n_nodes)) for k in VALUES]
    logits = sum(strength * rng.normal(size=(k, n_blocks))[v] for v, k in zip(values, VALUES, strict=True))
    if together:
        is_even = (values[0] + values[1]) % 2 == 0
        logits = logits + together * np.outer(np.where(is_even, 1, -1), np.eye(n_blocks)[0])
    return values, (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)


def p_known(rng, n_nodes, n_blocks, strength, together=0.0):
    values, b = table(rng, n_nodes, n_blocks, strength, together)
    x = np.column_stack([np.ones(n_nodes), *(np.eye(k)[v] for v, k in zip(values, VALUES, strict=True))])
    y = np.eye(n_blocks)[b]
    y = y[:, y.any(axis=0)]
    cells = np.eye(VALUES[0] * VALUES[1])[values[0] * VALUES[1] + values[1]]
    return score_cells(x, [cells], evidence_of(y, y.mean(axis=0)), N_DRAWS, rng)[0].p


def fitted(rng, target, strength, together=0.0):
    """Return the fit of a network whose blocks such a table made, and its blocks."""
    n, n_blocks = NETWORK["n_nodes"], NETWORK["n_blocks"]
    while True:
        values, b = table(rng, n, n_blocks, strength, together)
        if np.bincount(b, minlength=n_blocks).min() >= 0.2 * n:
            break
    activity = rng.gamma(3.0, size=n)
    rate = np.outer(activity, activity) * np.where(b[:, None] == b, NETWORK["ratio"], 1.0)
    i, j = np.triu_indices(n, 1)
    times = rng.poisson(rate[i, j] * NETWORK["degree"] * n / rate.sum())
    names = ("one", "other", "third")
    frame = pd.DataFrame({name: [f"v{v}" for v in own] for name, own in zip(names, values, strict=True)})
    net = Network(
        Graph.from_edges(np.repeat(i, times), np.repeat(j, times), n), encode_features(frame)[0], np.arange(n)
    )
    options = {"folds": 1, "train_fraction": 1.0, "tempering": False, "seed": int(rng.integers(2**31))}
    return ffbm.fit(net, n_blocks, target=target, progress=False, **options, **QUICK), b


def p_fitted(fit, seed):
    """Return p with what edges say of blocks, and p if each vertex were taken to be in its likeliest block."""
    hard = np.eye(fit.memberships.n_blocks)[fit.memberships.labels]
    naive = replace(fit, memberships=replace(fit.memberships, probs=hard))
    return [float(check_pairs(one, [("one", "other")], seed)["p"][0]) for one in (fit, naive)]


def summary(p):
    """Return how p values lie: the share at most 0.05 and 0.1, their mean, and a test of uniformity in ten bins."""
    p = np.array([one for one in p if np.isfinite(one)])
    counts = np.bincount(np.minimum((p * BINS - 1e-9).astype(int), BINS - 1), minlength=BINS)
    return {
        "n": len(p), "mean": float(p.mean()),
        "below_5": float((p <= 0.05).mean()), "error_5": float(np.sqrt(0.05 * 0.95 / len(p))),
        "below_10": float((p <= 0.1).mean()),
        "uniform_p": float(chisquare(counts).pvalue), "counts": counts.tolist(),
    }  # fmt: skip


def show(row):
    say(
        ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()
        )
    )
    return row


def known_study(n_tables, seed):
    rng, rows = np.random.default_rng(seed), []
    for n_nodes, n_blocks, strength in (
        (120, 3, 0.0), (60, 3, 1.0), (120, 3, 1.0), (60, 3, 2.5), (120, 3, 2.5), (300, 5, 1.0), (300, 5, 2.5),
    ):  # fmt: skip
        p = [p_known(rng, n_nodes, n_blocks, strength) for _ in range(n_tables)]
        rows.append(show({"n_nodes": n_nodes, "n_blocks": n_blocks, "strength": strength, **summary(p)}))
    return {"rows": rows}


def inferred_study(part, target, n_networks, seed):
    def measure(number):
        fit, b = fitted(np.random.default_rng([seed, number]), target, strength=2.0)
        share = float((fit.memberships.labels != b).mean())
        p = [one if np.isfinite(one) else None for one in p_fitted(fit, number)]
        return {"misplaced": min(share, 1 - share), "p": p}

    results, kept = study("pairs", part, n_networks, measure)
    p = np.array([one["p"] for one in results], dtype=float)
    ways = zip(("evidence of edges", "likeliest block"), p.T, strict=True)
    rows = [show({"target": target, "blocks": how, **summary(its)}) for how, its in ways]
    return {"rows": rows, "misplaced": float(np.mean([one["misplaced"] for one in results])), **kept}


def power_study(n_tables, n_networks, seed):
    rng, rows = np.random.default_rng(seed), []
    for together in (0.5, 1.0, 2.0):
        row = {"together": together, "n": n_tables, "n_networks": n_networks}
        for n_nodes in (120, 240):
            p = [p_known(rng, n_nodes, 2, 1.0, together) for _ in range(n_tables)]
            row[f"known_{n_nodes}"] = float((np.array(p) <= 0.05).mean())
        p = [p_fitted(fitted(rng, "cut", 1.0, together)[0], number)[0] for number in range(n_networks)]
        rows.append(show(row | {"inferred": float((np.array(p) <= 0.05).mean())}))
    return {"rows": rows}


PARTS = {
    "known": lambda: known_study(200, 1),
    "inferred": lambda: inferred_study("inferred", "cut", 200, 2),
    "joint": lambda: inferred_study("joint", "joint", 200, 3),
    "power": lambda: power_study(100, 40, 4),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    run_parts(
        "pairs",
        __doc__.splitlines()[0],
        ("ffbm", "numpy", "scipy", "numba"),
        PARTS,
        {"n_draws": N_DRAWS, "network": NETWORK},
    )
