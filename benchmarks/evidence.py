"""Evidence in nats beside bits, inclusion and permutation p: what each says of the columns of a network.

    python benchmarks/evidence.py [--networks polbooks school lazega_law]

For each network the evidence for all columns, under both priors, with processor seconds (one thread). For the law firm
also for each column beside the others, under the fixed one, and from one fit what the other figures say. Needs
FFBM_SHARED for the law firm, and FFBM_DATA for school. Prints tables and writes results/evidence.json, keeping what is
there of other networks.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

from record import RESULTS, say, write

import ffbm
from ffbm.plain import finite

BLOCKS = {"polbooks": 3, "school": 10, "lazega_law": 4}
COMPARED = "lazega_law"
MINUTES = 10  # of one thread, as much as two have in the default 5
FIGURES = ("inclusion", "bits_alone", "bits_unique", "p_value")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--networks", nargs="+", default=BLOCKS, choices=BLOCKS)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    path = RESULTS / "evidence.json"
    networks = json.loads(path.read_text())["networks"] if path.exists() else {}
    for name in chosen.networks:
        networks[name] = measure(name, network_of(name), chosen.seed)
        write("evidence", ("ffbm", "numpy", "scipy", "numba"), {"networks": networks})


def network_of(name):
    if name != "lazega_law":
        return ffbm.load_dataset(name)
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")


def weigh(net, n_blocks, columns, prior, seed, **options):
    """Return the evidence for some columns, and what it took."""
    begun = time.process_time()
    found = ffbm.evidence(
        net, n_blocks, columns, prior, max_minutes=MINUTES, seed=seed, workers=1, progress=False, **options
    )
    seconds = time.process_time() - begun
    say(f"  {columns or 'all':20} {prior:8} {found!r} {seconds:6.1f} s")
    told = {"nats": found.nats, "error": found.error, "stepping_stone": found.stepping_stone}
    return finite(told | {"grade": found.converged.grade, "reason": found.converged.reason, "seconds": seconds})


def measure(name, net, seed):
    n_blocks, names = BLOCKS[name], net.features.column_names
    say(f"{name}: {net.n_nodes} vertices, {net.n_edges} edges, {len(names)} columns, {n_blocks} blocks")
    everything = {prior: weigh(net, n_blocks, None, prior, seed) for prior in ("fixed", "learned")}
    whole = {"n_nodes": net.n_nodes, "n_blocks": n_blocks, "all": everything}
    if name != COMPARED:
        return whole
    nats = {column: weigh(net, n_blocks, column, "fixed", seed, error=0.2) for column in names}
    told = other_figures(net, n_blocks, seed)
    return whole | {"columns": [{"column": column, "evidence": nats[column], **told[column]} for column in names]}


def other_figures(net, n_blocks, seed):
    """Return what a fit says of each column."""
    fit = ffbm.fit(
        net, n_blocks=n_blocks, weight_prior="learned", n_kept=None, max_minutes=2, seed=seed, progress=False
    )
    say(f"  fit: {fit.converged}")
    told = {}
    for column, row in fit.column_table.set_index("column").iterrows():
        told[column] = finite({figure: float(row[figure]) for figure in FIGURES})
        say(f"  {column:20} " + ", ".join(f"{figure} {row[figure]:.3f}" for figure in FIGURES))
    return told


if __name__ == "__main__":
    main()
