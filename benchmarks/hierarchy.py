"""Searches for hierarchies against graph-tool's: the lowest nested S in the time of 1, 3 and 10 of its runs.

One thread each, in turns, processor time; S is recomputed by ffbm for both. Networks are undirected and simple, their
weights left out. Prints a table and writes results/hierarchy.json after every seed; seeds that stand there are not
repeated, so the measurement can be made in pieces. ``hierarchy.py football`` measures this network alone. Networks that
ffbm does not load itself are folders in FFBM_SHARED/networks.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

import numpy as np
from record import RESULTS, say, write
from search import BUDGETS, cell, theirs, within_budgets

import ffbm
from ffbm.nested.chain import NestedSettings, NestedSetup
from ffbm.nested.search import search_hierarchies
from ffbm.nested.target import NestedTarget, layout_for, nested_model

FOLDERS = {
    "football": "football",
    "high school": "sp_highschool_2013",
    "facebook 348": "facebook_348",
    "Caltech": "fb100cat_Caltech36",
    "polblogs": "polblogs_directed",
}
LOWEST = {"football": 1782.02, "high school": 13258.99, "facebook 348": 7173.64, "Caltech": 45459, "polblogs": 51605}
SEEDS = {"football": (5, 10), "high school": (5, 10), "school": (5, 10), "facebook 348": (5, 10), "Caltech": (5, 10),
         "polblogs": (5, 3)}  # fmt: skip  # seeds, and runs of graph-tool for each: fewer where a run is long


def load(name):
    if name not in FOLDERS:
        return ffbm.load_dataset(name).graph
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / FOLDERS[name]
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv", directed=False, parallel="merge").graph


def ours(graph, seed, seconds):
    """One search for so long: the seconds after which S fell, S then, and the groups of every level at the end."""
    target, layout = NestedTarget(graph), layout_for(graph)
    setup = NestedSetup(target, nested_model(target, layout), layout, NestedSettings(0, 1))
    started, curve, groups = time.process_time(), [], []  # tables are made beforehand, as those of graph-tool
    for results in search_hierarchies(setup, np.random.default_rng(seed)):
        ended = time.process_time() - started
        if not curve or results.entropy < curve[-1][1]:
            curve.append((ended, results.entropy))
            groups = [int(labels.max()) + 1 for labels in results.levels]
        if ended >= seconds:
            break
    return {"curve": curve, "seconds": ended, "groups": groups}


def compare(name, graph, measured):
    """Searches of both programs, in turns; one of ffbm takes as long as the runs of graph-tool before it.

    After every seed all that is measured, the seeds of earlier calls first, is handed out.
    """
    n_seeds, n_runs = SEEDS[name]
    searches, groups = measured.get("searches", []), measured.get("graph_tool_runs", [])
    for seed in range(len(searches), n_seeds):
        runs = theirs(graph, 0, seed, n_runs, model="nested")
        groups.append([(t, ffbm.description_length(graph, b).total, [int(x.max()) + 1 for x in b]) for t, b in runs])
        searches.append(ours(graph, seed, sum(t for t, *_ in groups[-1])))
        yield {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "searches": searches, "graph_tool_runs": groups}


def summary(name, measured):
    searches, groups = measured["searches"], [group for group in measured["graph_tool_runs"] if group]
    lowest = min(searches, key=lambda search: search["curve"][-1][1])
    row = {"graph": name, "n_nodes": measured["n_nodes"], "n_edges": measured["n_edges"], "n_seeds": len(searches)}
    row["run_seconds"] = statistics.median(t for group in groups for t, *_ in group) if groups else None
    row["budgets"] = within_budgets(searches, groups)
    row |= {"lowest": lowest["curve"][-1][1], "groups": "-".join(map(str, lowest["groups"]))}
    row["graph_tool_lowest"] = min((s for group in groups for _, s, _ in group), default=None)
    return row | {"known": LOWEST.get(name)}


def tell(rows):
    heads = "".join(f" {f'{n}: ffbm':>12} {'graph-tool':>12}" for n in BUDGETS)
    say(f"{'nested':12} {'seeds':>5} {'s a run':>8}{heads}"
        + f" {'lowest':>12} {'graph-tool':>12} {'known':>10} groups")  # fmt: skip
    for row in rows:
        budgets = [row["budgets"].get(str(n), {}).get(side) for n in BUDGETS for side in ("ffbm", "graph_tool")]
        say(f"{row['graph']:12} {row['n_seeds']:5} {cell(row['run_seconds'], '.2f'):>8}"
            + "".join(f" {cell(s, ',.2f'):>12}" for s in [*budgets, row["lowest"], row["graph_tool_lowest"]])
            + f" {cell(row['known'], ',.0f'):>10} {row['groups']}")  # fmt: skip


def main(names):
    path = RESULTS / "hierarchy.json"
    networks = json.loads(path.read_text())["networks"] if path.exists() else {}
    for name in names:
        graph = load(name)
        ours(graph, 0, 0)  # compiled beforehand
        for measured in compare(name, graph, networks.get(name, {})):
            networks[name] = measured
            keep(networks)
    tell(rows_of(networks))
    keep(networks)


def rows_of(networks):
    return [summary(name, networks[name]) for name in SEEDS if name in networks]


def keep(networks):
    packages, rows = ("ffbm", "numba", "numpy", "igraph"), rows_of(networks)
    write("hierarchy", packages, {"threads": 1, "rows": rows, "networks": networks})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=f"of {', '.join(SEEDS)}; all if none is given")
    main(parser.parse_args().networks or [*SEEDS])
