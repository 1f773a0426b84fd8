"""Relevance: how well the selection of columns mixes, what the full model costs, and how both do on planted truth.

    python benchmarks/relevance.py [--networks polbooks school ...] [--studies]

For each network, blocks being given: inclusion from chains that start with no column and with all, how far they
disagree, the Monte Carlo error, seconds of processor time (one thread), at a fixed length and until done; effective
draws per second of the full model against those of the fixed prior. ``--studies``: columns planted in a network's own
features, and features permuted over vertices. Needs FFBM_SHARED, and FFBM_DATA for school and facebook. Prints tables
and writes results/relevance.json.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from record import say, write

import ffbm
from ffbm.diagnostics import summarise

NETWORKS = ("polbooks", "school", "lazega_law", "facebook_348", "facebook", "fb100cat_Caltech36")
REGISTERED = ("polbooks", "school", "facebook")
N_PERMUTATIONS, N_PLANTS = 2, 12
MOST_MINUTES = 1.0  # of chains that run until they are done


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--networks", nargs="+", default=NETWORKS, choices=NETWORKS)
    options.add_argument(
        "--studies", action="store_true", help="planted columns and permuted features, on small networks"
    )
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    if "FFBM_SHARED" not in os.environ:
        print("set FFBM_SHARED to the folder that holds networks/ and reference/; nothing was measured")
        return
    results = {"networks": {name: measure(name, chosen.seed) for name in chosen.networks}}
    if chosen.studies:
        results["permuted"] = permuted(("polbooks", "school", "lazega_law"), chosen.seed)
        results["planted"] = planted("lazega_law", chosen.seed)
    write("relevance", ("ffbm", "numpy", "scipy", "numba"), results)


def network_of(name):
    """Return a network and labels: those of the reference, or the last draw of a short chain."""
    shared = Path(os.environ["FFBM_SHARED"])
    if name in REGISTERED:
        members = np.load(shared / "reference" / f"theta_{name}.npz")["memberships"]
        return ffbm.load_dataset(name), np.unique(members.argmax(axis=1), return_inverse=True)[1]
    folder = shared / "networks" / name
    net = ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    blocks = ffbm.sample_blocks(
        net, n_blocks="auto", n_sweeps=200, n_chains=2, seed=1, tempering=False, progress=False, workers=1
    )
    return net, np.unique(blocks.labels[0, -1], return_inverse=True)[1]


def timed(*given, **options):
    begun = time.process_time()
    trace = ffbm.sample_weights(*given, progress=False, workers=1, **{"n_draws": 1000} | options)
    return trace, time.process_time() - begun


def measure(name, seed):
    net, labels = network_of(name)
    draws = {}
    for prior in ("fixed", "learned"):
        only = {"n_sweeps": 0} if prior == "learned" else {}
        options = {"weight_prior": prior, "intercept": True, "seed": seed, **only}
        timed(net.features, labels, n_draws=5, n_warmup=5, **options)
        trace, seconds = timed(net.features, labels, **options)
        ess = summarise(trace.weights).ess_bulk
        draws[prior] = {
            "seconds": seconds,
            "gradients_per_draw": float(trace.n_steps.mean()),
            "ess_median_per_second": float(np.median(ess)) / seconds,
            "ess_min_per_second": float(ess.min()) / seconds,
        }
    ratios = {
        kind: draws["learned"][f"ess_{kind}_per_second"] / draws["fixed"][f"ess_{kind}_per_second"]
        for kind in ("median", "min")
    }
    trace, seconds = timed(net.features, labels, weight_prior="learned", seed=seed)
    selected = trace.selected
    until_done, seconds_until_done = timed(
        net.features, labels, weight_prior="learned", seed=seed, n_draws="auto", max_minutes=MOST_MINUTES
    )
    found = {
        "n_nodes": net.n_nodes,
        "n_blocks": int(labels.max()) + 1,
        "n_features": net.n_features,
        "n_columns": len(selected.column_names),
        "seconds_of_weight_stage": seconds,
        "sweeps_of_each_chain": selected.n_draws,
        "error_max": float(selected.error.max()),
        "difference_of_starts_max": float(selected.difference.max()),
        "until_done": {
            "seconds_of_weight_stage": seconds_until_done,
            "draws_of_each_chain": until_done.n_draws,
            "sweeps_of_each_chain": until_done.selected.n_draws,
            "error_max": float(until_done.selected.error.max()),
        },
        "full_model": draws,
        "ess_ratio": ratios,
    }
    say(
        f"{name}: {found['n_columns']} columns, {seconds:.1f} s of processor time, 4 x {selected.n_draws} sweeps;"
        f" starts differ by {found['difference_of_starts_max']:.3f}, error up to {found['error_max']:.3f}; effective"
        f" draws per second against the fixed prior: median {ratios['median']:.2f}, smallest {ratios['min']:.2f}"
    )
    return found


def permuted(names, seed):
    """Return how many columns are found to matter, and the largest inclusion, with features permuted over vertices."""
    rng, found = np.random.default_rng(seed), {}
    for name in names:
        net, labels = network_of(name)
        rows = []
        for _ in range(N_PERMUTATIONS):
            trace, _ = timed(
                net.features,
                rng.permutation(labels),
                weight_prior="learned",
                n_draws=150,
                n_warmup=100,
                n_chains=2,
                seed=seed,
            )
            rows.append((len(ffbm.judge_columns(trace).decided), float(trace.selected.probability.max())))
        found[name] = {"decided": [n for n, _ in rows], "largest_inclusion": [p for _, p in rows]}
        n_decided, largest = sum(n for n, _ in rows), max(p for _, p in rows)
        say(f"{name}, permuted {N_PERMUTATIONS} times: {n_decided} columns decided, largest inclusion {largest:.2f}")
    return found


def planted(name, seed):
    """Return inclusion and truth of columns that the prior itself includes, with labels drawn from it (reliability)."""
    import scipy.sparse as sp

    from ffbm.verification.selection import draw_memberships

    net, labels = network_of(name)
    rng, features, n_blocks = np.random.default_rng(seed), net.features, int(labels.max()) + 1
    names = list(features.column_names)
    column = np.array([names.index(one) for one in features.columns])
    x = sp.csr_array(features.values).toarray()
    chance, truth, decided, n_decided = [], [], [], 0
    for number in range(N_PLANTS):
        inside = rng.random(len(names)) < rng.beta(1, len(names))
        scales = np.where(inside, np.sqrt(3 / rng.chisquare(3, len(names))), 0.0)[column]
        w = rng.normal(size=(n_blocks, len(column) + 1)) * np.append(scales, 1.28)
        y = draw_memberships(rng, x, w)
        trace, _ = timed(features, y, weight_prior="learned", n_draws=150, n_warmup=100, n_chains=2, seed=seed + number)
        relevance = ffbm.judge_columns(trace)
        chance += trace.selected.probability.tolist()
        truth += inside.tolist()
        decided += [bool(inside[g]) for g in relevance.decided]
        n_decided += len(relevance.decided)
    chance, truth = np.array(chance), np.array(truth)
    low, high = chance < 0.5, chance >= 0.5
    found = {
        "data_sets": N_PLANTS,
        "included_in_truth": int(truth.sum()),
        "expected": float(chance.sum()),
        "below_half": [int(low.sum()), float(chance[low].sum()), int(truth[low].sum())],
        "above_half": [int(high.sum()), float(chance[high].sum()), int(truth[high].sum())],
        "decided": n_decided,
        "decided_and_true": int(sum(decided)),
    }
    say(
        f"{name}, {N_PLANTS} planted data sets: {found['included_in_truth']} columns included in truth,"
        f" {found['expected']:.1f} expected; {n_decided} decided, {found['decided_and_true']} of them true"
    )
    return found


if __name__ == "__main__":
    main()
