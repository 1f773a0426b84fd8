"""Relevance: how well the selection of columns mixes, and what the full model costs.

    python benchmarks/relevance.py [--networks polbooks school ...] [--draws]

For each network, blocks being given: the weight stage at its default length (until weights have converged and inclusion
is known to 0.01), its seconds of processor time (one thread, kernels compiled), the Monte Carlo error that it ends with
and how far chains from no column and from all disagree; effective draws per second of the full model against those of
the fixed prior, of weights and of their squares, medians of three rounds in turns. The fixed prior stands there twice:
with sigma = 1, and with the typical scales of the learned one, which asks for nothing but moves in the same posterior.
``--draws`` measures these alone and keeps the record of the stage. The time that a stage may take is counted on the
processor's clock, so that other work on the machine does not shorten it. Networks that are not named keep their
record; ``selection.py`` has studies of what is selected. Needs FFBM_SHARED, and FFBM_DATA for school and facebook.
Prints tables and writes results/relevance.json after each network.
"""

import argparse
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from record import RESULTS, say, write

import ffbm
from ffbm.diagnostics import summarise
from ffbm.theta.prepare import weight_target
from ffbm.theta.scales import settle_scales

NETWORKS = ("polbooks", "school", "lazega_law", "facebook_348", "facebook", "fb100cat_Caltech36")
REGISTERED = ("polbooks", "school", "facebook")
MOST_MINUTES = 10.0  # of the weight stage, the default; of processor time
ROUNDS = 3
PACKAGES = ("ffbm", "numpy", "scipy", "numba")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--networks", nargs="+", default=NETWORKS, choices=NETWORKS)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--draws", action="store_true", help="effective draws alone: the stage keeps its record")
    chosen = options.parse_args()
    if "FFBM_SHARED" not in os.environ:
        print("set FFBM_SHARED to the folder that holds networks/ and reference/; nothing was measured")
        return
    path = RESULTS / "relevance.json"
    networks = json.loads(path.read_text())["networks"] if path.exists() else {}
    for name in [name for name in networks if name not in chosen.networks]:
        say_so(name, networks[name])
    for name in chosen.networks:
        net, labels = network_of(name)
        stage = {} if chosen.draws else measure_stage(net, labels, chosen.seed)
        networks[name] = networks.get(name, {}) | stage | measure_draws(net, labels, chosen.seed)
        say_so(name, networks[name])
        write("relevance", PACKAGES, {"networks": networks})


def network_of(name, n_blocks="auto", reference=True):
    """Return a network and labels: those of the reference, or the last draw of a short chain with so many blocks."""
    shared = Path(os.environ["FFBM_SHARED"])
    folder = shared / "networks" / name
    if name in REGISTERED:
        net = ffbm.load_dataset(name)
    else:
        net = ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    if reference and name in REGISTERED:
        members = np.load(shared / "reference" / f"theta_{name}.npz")["memberships"]
        return net, np.unique(members.argmax(axis=1), return_inverse=True)[1]
    blocks = ffbm.sample_blocks(
        net, n_blocks=n_blocks, n_sweeps=200, n_chains=2, seed=1, tempering=False, progress=False, workers=1
    )
    return net, np.unique(blocks.labels[0, -1], return_inverse=True)[1]


def today():
    return datetime.now(UTC).date().isoformat()


def timed(*given, **options):
    started = time.process_time()
    trace = ffbm.sample_weights(*given, progress=False, workers=1, **{"n_draws": 1000} | options)
    return trace, time.process_time() - started


def measure_draws(net, labels, seed):
    """Return effective draws per second under each prior, and those of the learned one as shares of the others."""
    target = weight_target(net.features, labels, intercept=True, weight_prior="learned")
    scales = settle_scales(target, np.random.default_rng(seed)).scale.tolist()
    priors = {
        "fixed": {"weight_prior": "fixed"},
        "fixed_at_typical_scales": {"weight_prior": "fixed", "sigma": scales},
        "learned": {"weight_prior": "learned", "n_sweeps": 0},
    }
    for options in priors.values():
        timed(net.features, labels, n_draws=5, n_warmup=5, intercept=True, seed=seed, **options)
    rounds = [
        {name: effective(net, labels, seed + k, options) for name, options in priors.items()} for k in range(ROUNDS)
    ]
    draws = {
        name: {kind: float(np.median([one[name][kind] for one in rounds])) for kind in rounds[0][name]}
        for name in priors
    }
    return {
        "draws_measured_on": today(),
        "full_model": draws,
        "ess_ratio": share_of(draws, "learned", "fixed"),
        "ess_ratio_at_typical_scales": share_of(draws, "learned", "fixed_at_typical_scales"),
        "typical_share": share_of(draws, "fixed_at_typical_scales", "fixed")["median"],
        "typical_scale_max": max(scales[:-1]),  # the last is the intercept's
    }


def effective(net, labels, seed, options):
    trace, seconds = timed(net.features, labels, intercept=True, seed=seed, **options)
    ess = summarise(trace.weights).ess_bulk
    squares = summarise((trace.weights - trace.weights.mean(axis=2, keepdims=True)) ** 2).ess_bulk
    return {
        "seconds": seconds,
        "gradients_per_draw": float(trace.n_steps.mean()),
        "ess_median_per_second": float(np.median(ess)) / seconds,
        "ess_min_per_second": float(ess.min()) / seconds,
        "ess_squares_per_second": float(np.nanmedian(squares)) / seconds,
    }


def share_of(draws, one, other):
    return {
        kind: draws[one][f"ess_{kind}_per_second"] / draws[other][f"ess_{kind}_per_second"]
        for kind in ("median", "min", "squares")
    }


def measure_stage(net, labels, seed):
    timed(net.features, labels, weight_prior="learned", n_draws=5, n_warmup=5, n_sweeps=5, seed=seed)
    trace, seconds = timed(
        net.features, labels, weight_prior="learned", seed=seed, n_draws="auto", max_minutes=MOST_MINUTES
    )
    selected = trace.selected
    return {
        "stage_measured_on": today(),
        "n_nodes": net.n_nodes,
        "n_blocks": int(labels.max()) + 1,
        "n_features": net.n_features,
        "n_columns": len(selected.column_names),
        "seconds_of_weight_stage": seconds,
        "draws_of_each_chain": trace.n_draws,
        "sweeps_of_each_chain": selected.n_draws,
        "error_max": float(selected.error.max()),
        "difference_of_starts_max": float(selected.difference.max()),
    }


def say_so(name, result):
    if "n_columns" in result:
        say(
            f"{name}: {result['n_columns']} columns, {result['n_blocks']} blocks, weight stage"
            f" {result['seconds_of_weight_stage']:.1f} s of processor time, 4 x {result['sweeps_of_each_chain']}"
            f" sweeps; starts differ by {result['difference_of_starts_max']:.3f}, error up to"
            f" {result['error_max']:.3f}"
        )
    for of, other in (("ess_ratio", "sigma = 1"), ("ess_ratio_at_typical_scales", "typical scales")):
        if of in result:
            shares_of = ", ".join(f"{kind} {share:.2f}" for kind, share in result[of].items())
            say(f"{name}: effective draws per second against the fixed prior with {other}: {shares_of}")


if __name__ == "__main__":
    time.monotonic = time.process_time
    main()
