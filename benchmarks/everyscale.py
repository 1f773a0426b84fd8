"""Fits at every scale against flat ones: grade, processor time, and which columns split the tree where.

    python benchmarks/everyscale.py [--minutes 2] [--hierarchy-minutes 4] [NETWORK ...]

Default fits of networks in FFBM_SHARED/networks, one with ``hierarchy=True`` that may take twice the time of the flat
one, by the processor's clock. Writes results/everyscale.json after every fit; what stands there is not repeated unless
its network is named.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import record

import ffbm

RESULTS = record.RESULTS / "everyscale.json"
NETWORKS = {"football": "football", "high school": "sp_highschool_2013", "facebook 348": "facebook_348",
            "Caltech": "fb100cat_Caltech36"}  # fmt: skip


def load(name):
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / NETWORKS[name]
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv", directed=False)


def measure(name, kind, minutes):
    """One fit: how it is graded, what it took, and its tree."""
    net, begun = load(name), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # grades are told below
        fit = ffbm.fit(net, hierarchy=kind == "hierarchy", seed=1, max_minutes=minutes, progress=False)
    measured = {
        "graph": name, "kind": kind, "minutes": minutes, "n_nodes": net.n_nodes, "n_edges": net.n_edges,
        "grade": fit.converged.grade, "reason": fit.converged.reason, "n_blocks": fit.blocks.n_blocks,
        "seconds": time.process_time() - begun,
        "grade_of_blocks": fit.blocks.diagnostics.converged.grade, "matters": list(fit.relevance.matters),
    }  # fmt: skip
    if kind == "hierarchy":
        tree = fit.tree
        measured |= {
            "groups": "-".join(str(len(set(tree.level(level).tolist()))) for level in range(tree.n_levels)),
            "n_splits": len(tree.splits), "n_explained": sum(node.is_explained for node in tree.splits),
            "places": tree.places, "tree": tree.lines(),
        }  # fmt: skip
    return measured


def main(names, minutes):
    record.count_processor_seconds()
    known = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    rows = {(row["graph"], row["kind"]): row for row in known}
    for name in names or NETWORKS:
        for kind, allowed in minutes.items():
            if names or (name, kind) not in rows:
                rows[name, kind] = measure(name, kind, allowed)
                print(rows[name, kind], flush=True)
                record.write("everyscale", ("ffbm", "numba", "numpy"), {"rows": in_order(rows)})
    for row in in_order(rows):
        record.say(f"{row['graph']:12} {row['kind']:10} {row['minutes']:4} minutes {row['seconds']:6.0f} s"
                   f" {row['n_blocks']:4} blocks, {row['grade']}: {row.get('places', '')}")  # fmt: skip
    record.write("everyscale", ("ffbm", "numba", "numpy"), {"rows": in_order(rows)})


def in_order(rows):
    return [rows[name, kind] for name in NETWORKS for kind in ("flat", "hierarchy") if (name, kind) in rows]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "networks", nargs="*", metavar="NETWORK", help=f"of {', '.join(NETWORKS)}; all if none is given"
    )
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--hierarchy-minutes", type=float, default=4)
    options = parser.parse_args()
    main(options.networks, {"flat": options.minutes, "hierarchy": options.hierarchy_minutes})
