"""Grades against long runs: does "converged" mean that how often two vertices share a block is known?

    python benchmarks/grades.py [--seeds 20] [--minutes 1] [--references FOLDER] [NAME ...]

Small networks are sampled by default settings with many seeds, and once by ladders of another design: more
replicas down to hotter temperatures, random starts, at least 20 times the work of a run (``ratio`` says how many
times). Of every run graded converged all pairs of vertices are compared with that reference: 99 % of them must lie
within 3 combined standard errors, those of the package itself, and none may be off by more than 0.1. Beside that
stands how often the same is so of as many independent draws as the median run has effective ones: draws of the
reference itself, picked at random and held against the rest of it by the same errors. Each network is written to
results/grades.json when it is done and not repeated, so the measurement can be made in pieces; with a folder for the
references, which take longest, these are kept there.
"""

import argparse
import itertools
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import record

import ffbm
from ffbm.diagnostics.pairs import measure_pairs, standard_errors

RESULTS = Path(__file__).parent / "results" / "grades.json"
LONGER = 20  # times the work of a run
REFERENCE_SEED = 1_000
N_INDEPENDENT = 100  # samples of independent draws


def shared(name, **options):
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv", **options)


def law(kind):
    """The law firm's network of one kind of tie."""
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / "lazega_law"
    header, *rows = (line.split(",") for line in (folder / "edges.csv").read_text().split())
    at = header.index(kind)
    return ffbm.as_network(np.array([[int(row[0]), int(row[1])] for row in rows if float(row[at] or 0) > 0]))


def cliques():
    """Four cliques of eight in a ring, six edges between neighbours: two pairings are about equally good."""
    rng = np.random.default_rng(1)
    inside = [(8 * c + i, 8 * c + j) for c in range(4) for i in range(8) for j in range(i)]
    across = [
        (8 * c + int(i), 8 * ((c + 1) % 4) + int(j)) for c in range(4) for i, j in rng.integers(0, 8, size=(6, 2))
    ]
    return ffbm.as_network(np.array(inside + across))


def planted(n_nodes, n_blocks, seed, ratio=0.25):
    """Blocks of equal size, a mean degree of 8, this share of the edges between blocks: some vertices are unclear."""
    rng = np.random.default_rng(seed)
    b = np.arange(n_nodes) % n_blocks
    i, j = np.triu_indices(n_nodes, 1)
    same = b[i] == b[j]
    share = np.where(same, 8 * (1 - ratio) / (n_nodes / n_blocks), 8 * ratio / (n_nodes * (1 - 1 / n_blocks)))
    there = rng.random(len(i)) < share
    return ffbm.as_network(np.column_stack((i[there], j[there])))


NETWORKS = {
    "polbooks": (lambda: ffbm.load_dataset("polbooks"), "auto"),
    "football": (lambda: shared("football"), "auto"),
    "facebook_698": (lambda: shared("facebook_698"), "auto"),
    "lazega_advice": (lambda: shared("lazega_advice"), "auto"),
    "lazega_law": (lambda: shared("lazega_law"), "auto"),
    "law friends": (lambda: law("friends"), "auto"),
    "law cowork": (lambda: law("cowork"), "auto"),
    "knecht_w1": (lambda: shared("knecht_w1"), 2),
    "four cliques": (cliques, 2),
    "planted 60": (lambda: planted(60, 3, 1), 3),
    "planted 100": (lambda: planted(100, 4, 2), 4),
    "planted 140": (lambda: planted(140, 7, 3), 7),
}


def sample(net, n_blocks, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ffbm.sample_blocks(net, n_blocks, progress=False, **options)


def of_pairs(blocks, pairs):
    """Return how often pairs share a block, and the standard error."""
    measured = measure_pairs(blocks.labels, pairs)
    return measured.frequency, measured.error


def work(blocks):
    """Sweeps of all replicas of a chain."""
    return blocks.settings["n_sweeps"] * len(blocks.settings["tempering"] or [1])


def reference(net, n_blocks, n_visits):
    results = sample(net, n_blocks, n_sweeps=200, tempering=True, seed=REFERENCE_SEED).settings["tempering"]
    lowest = max(0.3, 1 - 1.3 * (1 - results[-1]))
    betas = np.linspace(1, lowest, max(3, int(np.ceil(1.8 * len(results)))))
    n_sweeps = int(np.ceil(n_visits / len(betas)))
    thin = max(5, n_sweeps // 4000)
    return sample(
        net, n_blocks, n_sweeps=n_sweeps, thin=thin, n_chains=6, tempering=betas.tolist(), initial="random",
        seed=REFERENCE_SEED + 1,
    )  # fmt: skip


def agrees(p, error, q, error_q):
    """Return the share of pairs within 3 combined standard errors, the worst, and whether that is agreement."""
    off = np.abs(q - p)
    within = float((off <= 3 * np.sqrt(error**2 + error_q**2) + 1e-9).mean())
    return within, float(off.max()), bool(within >= 0.99 and off.max() <= 0.1)


def of_independent(known, pairs, n_draws, rng):
    """Return the share of samples of independent draws that agree with the rest of the reference."""
    labels = known.labels.reshape(-1, known.labels.shape[2])
    together = (labels[:, pairs[:, 0]] == labels[:, pairs[:, 1]]).astype(np.uint8)
    total, n_rest, n_agree = together.sum(axis=0, dtype=float), len(labels) - n_draws, 0
    for _ in range(N_INDEPENDENT):
        seen = together[rng.choice(len(labels), n_draws, replace=False)].sum(axis=0, dtype=float)
        q, p = seen / n_draws, (total - seen) / n_rest
        errors = [standard_errors(its, np.full(len(pairs), float(n)), n) for its, n in ((p, n_rest), (q, n_draws))]
        n_agree += agrees(p, errors[0], q, errors[1])[2]
    return n_agree / N_INDEPENDENT


def known_of(name, net, n_blocks, pairs, n_visits, n_draws, folder):
    """Return what a reference says of pairs, and about itself: from the folder, if it is there."""
    path = None if folder is None else Path(folder) / f"{name.replace(' ', '_')}.npz"
    if path is not None and path.exists():
        kept = np.load(path)
        return kept["frequency"], kept["error"], json.loads(str(kept["about"]))
    started = time.process_time()
    known = reference(net, n_blocks, n_visits)
    p, error = of_pairs(known, pairs)
    about = {
        "grade": known.converged.grade, "reason": known.converged.reason, "visits": work(known),
        "replicas": len(known.settings["tempering"]), "mean_entropy": float(known.entropy.mean()),
        "error": float(np.quantile(error, 0.99)), "seconds": time.process_time() - started,
        "independent_draws": n_draws,
        "independent_agree": of_independent(known, pairs, n_draws, np.random.default_rng(REFERENCE_SEED)),
    }  # fmt: skip
    if path is not None:
        np.savez(path, frequency=p, error=error, about=json.dumps(about))
    return p, error, about


def measure(name, n_seeds, minutes, folder):
    make, n_blocks = NETWORKS[name]
    net = make()
    if n_blocks == "auto":
        n_blocks = sample(net, "auto", n_sweeps=200, seed=0).n_blocks
    pairs = np.array(list(itertools.combinations(range(net.n_nodes), 2)))
    runs, started = [], time.process_time()
    for seed in range(n_seeds):
        blocks = sample(net, n_blocks, seed=seed, max_minutes=minutes)
        runs.append((blocks.converged.grade, *of_pairs(blocks, pairs), blocks))
    seconds = (time.process_time() - started) / n_seeds
    longest = float(np.median([work(its[-1]) for its in runs]))
    n_draws = int(np.median([its[-1].diagnostics.ess_entropy for its in runs]))
    p, error, about = known_of(name, net, n_blocks, pairs, LONGER * longest, n_draws, folder)
    rows = []
    for grade, q, error_q, blocks in runs:
        within, worst, is_same = agrees(p, error, q, error_q)
        rows.append({
            "grade": grade, "within": within, "worst": worst, "mean_entropy": float(blocks.entropy.mean()),
            "visits": work(blocks), "agrees": is_same,
        })  # fmt: skip
    return {
        "network": name, "n_nodes": net.n_nodes, "n_edges": net.n_edges, "n_blocks": n_blocks, "seconds": seconds,
        "reference": about | {"ratio": about["visits"] / longest}, "runs": rows,
    }  # fmt: skip


def count(row):
    """Return a row with how many runs are graded converged, how many of these agree, and their worst pair."""
    good = [its for its in row["runs"] if its["grade"] == "converged"]
    return row | {
        "n_runs": len(row["runs"]), "n_converged": len(good), "n_agree": sum(its["agrees"] for its in good),
        "worst": max((its["worst"] for its in good), default=0.0),
    }  # fmt: skip


def read():
    """Return the rows that were written so far."""
    return json.loads(RESULTS.read_text())["networks"] if RESULTS.exists() else []


def show(row):
    print(
        f"{row['network']:16} B = {row['n_blocks']:2} {row['seconds']:5.1f} s a run, {row['n_converged']} of"
        f" {row['n_runs']} converged, {row['n_agree']} of them agree (worst pair off by {row['worst']:.3f});"
        f" reference {row['reference']['grade']}, {row['reference']['ratio']:.0f} times as long, of independent draws"
        f" {row['reference']['independent_agree']:.0%} agree",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--references", help="a folder that keeps what references say")
    chosen = parser.parse_args()
    record.count_processor_seconds()
    for name in chosen.names or NETWORKS:
        if name in {row["network"] for row in read()}:
            continue
        row = count(measure(name, chosen.seeds, chosen.minutes, chosen.references))
        rows = [
            *(other for other in read() if other["network"] != name),
            row,
        ]  # others may have been measured meanwhile
        show(row)
        n_good, n_agree = (sum(row[what] for row in rows) for what in ("n_converged", "n_agree"))
        whole = {"n_converged": n_good, "n_agree": n_agree, "share": n_agree / max(1, n_good)}
        RESULTS.write_text(json.dumps({"cores": os.cpu_count(), "networks": rows, "whole": whole}, indent=1) + "\n")
        print(f"{n_good} runs graded converged, {n_agree} agree with the reference")


if __name__ == "__main__":
    main()
