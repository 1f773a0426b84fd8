"""Default fits of planted networks that look like real ones: heavy-tailed degrees, uneven blocks, columns of noise.

Networks of 5,000 to 40,000 vertices, six edges a vertex, in 25 blocks whose sizes fall like 1 / (k + 5); half of the
edges are inside blocks, and ends are drawn by weights with a Pareto tail of exponent 2.5. Of six columns two tell
something of the blocks, three are noise and one is a number that follows the degree; a tenth of the cells is empty. The
fit has all defaults but ``--minutes`` for ``max_minutes``, by the clock; ``--processor`` counts processor seconds of
every core in its place, as on a machine without other work. ``--sizes 5000`` asks for others.
"""

import argparse
import json
import os
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from record import RESULTS, count_processor_seconds, say, write

import ffbm
from ffbm.results.sentences import out_of_time

SIZES, N_BLOCKS, PER_NODE, N_VALUES = (5_000, 20_000, 40_000), 25, 6, 8
TELLING = {"team": 0.5, "town": 0.25}  # the share of vertices whose value is that of their block


def network(n_nodes, seed=0):
    """Return a network and the block that was planted for each vertex."""
    rng = np.random.default_rng(seed)
    shares = 1 / (np.arange(N_BLOCKS) + 5)
    labels = rng.permutation(
        np.repeat(np.arange(N_BLOCKS), np.ceil(shares / shares.sum() * n_nodes).astype(int))[:n_nodes]
    )
    weight = rng.pareto(1.5, n_nodes) + 1
    n_edges = PER_NODE * n_nodes
    source = rng.choice(n_nodes, n_edges, p=weight / weight.sum())
    target = rng.choice(n_nodes, n_edges, p=weight / weight.sum())
    inside = rng.random(n_edges) < 0.5
    for r in range(N_BLOCKS):
        members, which = np.flatnonzero(labels == r), np.flatnonzero(inside & (labels[source] == r))
        target[which] = rng.choice(members, len(which), p=weight[members] / weight[members].sum())
    table = {}
    for name, share in (TELLING | dict.fromkeys(("noise1", "noise2", "noise3"), 0.0)).items():
        of_block, chance = rng.integers(0, N_VALUES, N_BLOCKS)[labels], rng.integers(0, N_VALUES, n_nodes)
        values = np.where(rng.random(n_nodes) < share, of_block, chance)
        table[name] = pd.Series(values).astype(str).where(rng.random(n_nodes) > 0.1)
    table["activity"] = pd.Series(np.log(weight) + rng.standard_normal(n_nodes)).where(rng.random(n_nodes) > 0.1)
    return ffbm.as_network(np.column_stack((source, target)), pd.DataFrame(table), node_ids=np.arange(n_nodes)), labels


def measure(n_nodes, minutes):
    """Return what a default fit of one network comes to, its table of columns included."""
    net, truth = network(n_nodes)
    clock, started, spent = time.monotonic(), time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        fit = ffbm.fit(net, max_minutes=minutes, seed=0, progress=False, out=Path(folder) / "run")
    decided = fit.column_table.set_index("column")["decision"].to_dict()
    return {
        "n_nodes": net.n_nodes,
        "n_edges": net.n_edges,
        "largest_degree": int(net.graph.degrees.max()),
        "clock": time.monotonic() - clock,
        "seconds": time.perf_counter() - started,
        "processor": time.process_time() - spent,
        "n_blocks": fit.memberships.n_blocks,
        "found": share_found(truth, fit.memberships.labels),
        "grade": fit.converged.grade,
        "decisions": decided,
        "matter": sorted(name for name, decision in decided.items() if decision == "matters"),
        "inclusion": dict(
            zip(fit.weights.selected.column_names, fit.weights.selected.probability.tolist(), strict=True)
        ),
        "out_of_time": out_of_time(fit),
        "load": os.getloadavg()[0],
    }


def share_found(truth, labels):
    """Return the share of vertices in the block that was planted for them, each block taken for the likeliest."""
    joint = np.zeros((truth.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(joint, (truth, labels), 1)
    return float(joint.max(axis=0).sum() / len(labels))


def main(sizes, minutes, processor):
    path = RESULTS / "uneven.json"
    rows = {row["n_nodes"]: row for row in json.loads(path.read_text())["rows"]} if path.exists() else {}
    ffbm.fit(network(1000)[0], max_minutes=0.2, seed=0, progress=False).column_table  # noqa: B018 - compiled
    if processor:
        count_processor_seconds()
    for n_nodes in sizes:
        row = rows[n_nodes] = measure(n_nodes, minutes) | {"minutes": minutes, "by_processor": processor}
        say(
            f"{n_nodes:7,} vertices {row['n_edges']:8,} edges: {row['n_blocks']} blocks, {row['found']:.1%}"
            f" found, {row['grade']}, {', '.join(row['matter'])} matter; {row['processor']:.0f} s"
        )
        write("uneven", ("ffbm", "numpy", "numba"), {"n_planted": N_BLOCKS, "rows": [rows[n] for n in sorted(rows)]})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of vertices")
    parser.add_argument("--minutes", type=float, default=10.0, help="max_minutes")
    parser.add_argument("--processor", action="store_true", help="count processor seconds of every core")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    main(chosen.sizes, chosen.minutes, chosen.processor)
