"""The joint posterior: effective draws of labels and of weights, with which moves, at what cost against the cut.

Planted networks with weak, middling and strong features, under three sets of moves; then the paper's three networks
under both targets (those that are not there are left out). Writes results/joint.json.
"""

import time
import warnings

import numpy as np
import record

import ffbm
from ffbm.blocks.start import greedy_labels
from ffbm.diagnostics import summarise
from ffbm.errors import DataError
from ffbm.joint.chain import JointSettings, JointSetup, advance, start
from ffbm.joint.prepare import joint_model
from ffbm.workers import open_workers

CHAINS = 4
STRENGTHS = {"weak": 0.5, "middling": 2.0, "strong": 6.0}  # the spread of the planted weights
MOVES = {"single": (0.0, 0.0), "many, weights fixed": (0.2, 0.0), "many, weights carried along": (0.2, 0.2)}
SWEEPS, BURN, THIN = 6000, 2000, 4
NETWORKS = {"polbooks": (3, 4000), "school": (10, 4000), "facebook": (10, 4000)}


def planted(strength, seed=1):
    """200 vertices in 4 blocks that the graph alone tells apart in part, six flags."""
    w = strength * np.random.default_rng(seed).normal(size=(4, 6))
    return ffbm.simulate(200, 4, 1000, features=6, weights=w, contrast=6, seed=seed).network


def chain(model, settings, number):
    """Run one chain and return its draws and processor seconds."""
    rng = np.random.default_rng([5, number])
    setup = JointSetup(model, settings)
    state = start(setup, greedy_labels(model.partitions, model.n_blocks, rng), rng)
    started = time.thread_time()
    state, draws = advance(setup, state, SWEEPS)
    return state.tally, draws, time.thread_time() - started


def effective(labels, entropy, energy, weights):
    """R-hat and bulk ESS of functions that do not depend on labels, and of 300 pairs of vertices."""
    centred = weights - weights.mean(axis=2, keepdims=True)
    values = {"S": np.round(entropy, 6), "log joint": -entropy - energy, "|W|^2": (centred**2).sum(axis=(2, 3))}
    entries = {name: (float(s.rhat), float(s.ess_bulk)) for name, s in ((n, summarise(v)) for n, v in values.items())}
    pairs = np.random.default_rng(0).integers(0, labels.shape[2], (300, 2))
    results = summarise(labels[:, :, pairs[:, 0]] == labels[:, :, pairs[:, 1]])
    moving = ~results.constant
    entries["pairs, median"] = (float(np.nanmedian(results.rhat[moving])), float(np.median(results.ess_mean[moving])))
    used = np.stack([(labels == r).any(axis=2) for r in range(weights.shape[2])]).sum(axis=0)
    return {name: {"rhat": rhat, "ess": ess} for name, (rhat, ess) in entries.items()} | {
        "fewer": float((used < weights.shape[2]).mean())
    }


def measure_planted():
    rows = []
    for strength, spread in STRENGTHS.items():
        net = planted(spread)
        model = joint_model(net.graph, net.features, 4)
        for moves, (jumps, shifts) in MOVES.items():
            settings = JointSettings(BURN, THIN, 1, 200, jumps, shifts)
            with open_workers(None, CHAINS) as run:
                results = run(lambda c, m=model, s=settings: chain(m, s, c), range(CHAINS))
            parts = (
                np.stack([getattr(d, n) for _, d, _ in results]) for n in ("labels", "entropy", "energy", "weights")
            )
            entries = effective(*parts)
            tally, seconds = sum(t for t, _, _ in results), sum(s for _, _, s in results)
            ess = "  ".join(
                f"{name} {v['ess']:6,.0f} ({v['rhat']:.2f})" for name, v in entries.items() if name != "fewer"
            )
            record.say(f"{strength:>9} {moves:<28} {ess}  {seconds:5.1f} s")
            made = {"fixed": [int(tally[4]), int(tally[3])], "carried": [int(tally[6]), int(tally[5])]}
            rows.append({"features": strength, "moves": moves, "seconds": seconds, "made_of_tried": made, **entries})
    return rows


def measure_networks():
    entries = {}
    for name, (n_blocks, n_sweeps) in NETWORKS.items():
        try:
            net = ffbm.load_dataset(name)
        except (DataError, OSError) as error:
            record.say(f"{name}: left out ({error})")
            continue
        entries[name] = measure_network(net, n_blocks, n_sweeps)
    return entries


def measure_network(net, n_blocks, n_sweeps):
    """Fit both targets; only aggregate numbers are kept."""
    fits, seconds = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for target in ("cut", "joint"):
            started = time.perf_counter()
            fits[target] = ffbm.fit(
                net, n_blocks, target, n_sweeps=n_sweeps, thin=4, weight_prior="fixed", seed=1, progress=False
            )
            seconds[target] = time.perf_counter() - started
    results = ffbm.compare(fits["cut"], fits["joint"])
    joint = fits["joint"]
    labels, b = joint.blocks.labels, joint.blocks
    entries = {
        "n_blocks": n_blocks,
        "n_sweeps": n_sweeps,
        "seconds": seconds,
        "effective": effective(labels, b.entropy, joint.weights.energy, joint.weights.weights),
        "draws": int(b.entropy.size),
        "weights_ess_median": float(np.median(joint.diagnostics.weights.ess_bulk)),
        "weights_ess_smallest": float(joint.diagnostics.weights.min_ess_bulk),
        "converged": {name: bool(fit.converged) for name, fit in fits.items()},
        "reason": {name: fit.converged.reason for name, fit in fits.items()},
        "adjusted_mutual_information": results.agreement,
        "n_nodes": net.n_nodes,
        "n_changed": results.n_changed,
        "n_changed_training": int(results.is_changed[joint.train].sum()),
        "membership_moved": results.shift,
        "fewer_blocks": results.fewer[1],
        "agreement": {name: fit.memberships.agreement for name, fit in fits.items()},
        "n_modes": {name: fit.memberships.n_modes for name, fit in fits.items()},
        "scores": results.to_dict()["scores"],
        "pulls": results.features.assign(size=results.features["pull"].abs())
        .nlargest(5, "size")[["feature", "pull", "rank_before", "rank_after"]]
        .to_dict("records"),
        "first": {name: list(fit.ranking.kept[:5]) for name, fit in fits.items()},
    }
    record.say(
        f"{net.name:>9}: {results.n_changed} of {net.n_nodes} vertices changed, AMI {results.agreement:.3f},"
        f" joint {seconds['joint']:.0f} s, cut {seconds['cut']:.0f} s,"
        f" ESS of S {entries['effective']['S']['ess']:.0f}, log joint {entries['effective']['log joint']['ess']:.0f},"
        f" weights {entries['weights_ess_smallest']:.0f} at least, {entries['weights_ess_median']:.0f} in the median"
    )
    return entries


def main():
    results = {"chains": CHAINS, "sweeps": SWEEPS, "burn": BURN, "thin": THIN, "planted": measure_planted()}
    record.write("joint", ("ffbm", "numba", "numpy", "scipy"), {**results, "networks": measure_networks()})


if __name__ == "__main__":
    main()
