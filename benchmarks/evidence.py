"""Evidence in nats beside bits, inclusion and permutation p: what each says of the columns of a network.

    python benchmarks/evidence.py [--networks polbooks school lazega_law]

For each network: the evidence for all columns and, with several, for each beside the others; processor seconds (one
thread); and from one fit under the learned prior what the other figures say. Needs FFBM_SHARED for the law firm, and
FFBM_DATA for school. Prints tables and writes results/evidence.json, keeping what is there of other networks.
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


def weigh(net, n_blocks, columns, seed):
    """Return the evidence for some columns, and what it took."""
    begun = time.process_time()
    found = ffbm.evidence(net, n_blocks, columns, seed=seed, workers=1, progress=False)
    seconds = time.process_time() - begun
    say(f"  {'all' if columns is None else columns:20} {found!r} {seconds:6.1f} s")
    told = {"nats": found.nats, "error": found.error, "stepping_stone": found.stepping_stone}
    return finite(told | {"grade": found.converged.grade, "reason": found.converged.reason, "seconds": seconds})


def measure(name, net, seed):
    n_blocks, names = BLOCKS[name], net.features.column_names
    say(f"{name}: {net.n_nodes} vertices, {net.n_edges} edges, {len(names)} columns, {n_blocks} blocks")
    whole = weigh(net, n_blocks, None, seed)
    fit = ffbm.fit(net, n_blocks=n_blocks, weight_prior="learned", n_kept=None, seed=seed, progress=False)
    table = fit.column_table.set_index("column")
    columns = []
    for column in names:
        evidence = weigh(net, n_blocks, column, seed) if len(names) > 1 else whole
        figures = {figure: float(table.loc[column, figure]) for figure in FIGURES}
        columns.append({"column": column, "evidence": evidence, **finite(figures)})
        say(f"  {column:20} " + ", ".join(f"{figure} {value:.3f}" for figure, value in figures.items()))
    return {"n_nodes": net.n_nodes, "n_blocks": n_blocks, "all": whole, "columns": columns}


if __name__ == "__main__":
    main()
