"""Searches for partitions against graph-tool: S against time with B free, and one start at the paper's B.

One thread each, in turns, processor time; S is recomputed by ffbm for both. Prints tables, writes results/search.json
and draws the figure. ``search.py school starts`` measures these parts alone and keeps the rest of the record.
The networks that ffbm does not load itself are folders in FFBM_SHARED/networks.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from record import RESULTS, say, write
from search_figure import draw

import ffbm
from blocks import planted
from ffbm.blocks.start import greedy_labels
from ffbm.blocks.target import BlockTarget
from ffbm.pipeline.choice import find_candidates
from ffbm.pipeline.context import RunContext

PYTHON = "/usr/bin/python3"
PEER = Path(__file__).parent / "search_graph_tool.py"
PAPER = {"polbooks": 3, "school": 10, "facebook": 10}
GREEDY = {"polbooks": 2.2462, "school": 1.8890, "facebook": 1.6268}  # graph-tool's mean, S/(N+E)
N_SEEDS, BUDGETS = 5, (1, 3, 10)
FOLDERS = {
    "polblogs": "polblogs_directed",
    "Caltech": "fb100cat_Caltech36",
    "facebook 348": "facebook_348",
    "workplace": "sp_workplace_InVS15",
}
NETWORKS = ("polblogs", "Caltech", "facebook 348", "school", "workplace", "planted")
STARTS = "starts"


def load(name):
    if name == "planted":
        return planted(20_000, 150_000, 50)[0]
    if name not in FOLDERS:
        return ffbm.load_dataset(name).graph
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / FOLDERS[name]
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv").graph


def theirs(graph, n_blocks, seed, n_runs=1, model="flat"):
    """Seconds and levels of labels of runs of graph-tool's search, flat or nested; none where graph-tool is missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, edges=graph.edges, n_nodes=graph.n_nodes)
        command = [PYTHON, str(PEER), str(path), model, str(n_blocks), str(seed), str(n_runs)]
        peer = subprocess.run(command, capture_output=True, text=True)
    runs = json.loads(peer.stdout) if peer.returncode == 0 else []
    return [(run["seconds"], numbered(run["levels"])) for run in runs]


def numbered(levels):
    """Levels of labels with the groups in use numbered from 0, up to the first level of one group."""
    named, used = [], None
    for labels in levels:
        members = np.array(labels) if used is None else np.array(labels)[used]
        used, groups = np.unique(members, return_inverse=True)
        named.append(groups)
        if len(used) == 1:
            break
    return named


def ours(graph, seed):
    """One search: the seconds after which S fell, S then, and B at the end."""
    curve = []

    def listen(event):
        if event.note:
            lowest = float(event.note.split()[-1].replace(",", ""))
            curve.append((time.process_time() - started, lowest))

    started = time.process_time()
    candidates = find_candidates(BlockTarget(graph), seed, RunContext(1, listen))
    ended = time.process_time() - started
    n_blocks = min(candidates, key=lambda n: candidates[n].entropy)
    lower = [point for before, point in zip([(0, math.inf), *curve], curve, strict=False) if point[1] < before[1]]
    return {"curve": lower, "seconds": ended, "n_blocks": n_blocks}


def compare(name, graph):
    """Searches of both programs, in turns. A run of graph-tool on the planted network takes minutes: ten in all."""
    n_runs = [3, 1, 1, 1, 4] if name == "planted" else [max(BUDGETS)] * N_SEEDS
    searches, groups = [], []
    for seed in range(N_SEEDS):
        searches.append(ours(graph, seed))
        runs = theirs(graph, 0, seed, n_runs[seed])
        groups.append(
            [(t, ffbm.description_length(graph, b, prior="full").total, int(b.max()) + 1) for t, (b, *_) in runs]
        )
    return {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "searches": searches, "graph_tool_runs": groups}


def lowest_within(search, seconds):
    """The lowest S that a search has reached by then; infinite if none."""
    return min((s for t, s in search["curve"] if t <= seconds), default=math.inf)


def seconds_to(search, entropy):
    """After how many seconds a search has reached this S; infinite if it has not."""
    return min((t for t, s in search["curve"] if s <= entropy + 0.01), default=math.inf)


def median(values):
    """The median, None where it is infinite: not reached in half of the searches."""
    middle = statistics.median(values)
    return middle if math.isfinite(middle) else None


def within_budgets(searches, groups):
    """The lowest S of both programs in the time of so many runs of graph-tool, medians over searches and groups.

    Where no seed has as many runs, those of all seeds are one group.
    """
    budgets, together = {}, [run for group in groups for run in group]
    for n_runs in BUDGETS:
        tried = [group[:n_runs] for group in groups if len(group) >= n_runs]
        if not tried and len(together) >= n_runs:
            tried = [together[:n_runs]]
        if tried:
            seconds = [sum(t for t, *_ in group) for group in tried]
            within = [lowest_within(search, seconds[i % len(seconds)]) for i, search in enumerate(searches)]
            best = median(min(s for _, s, _ in group) for group in tried)
            budgets[str(n_runs)] = {"ffbm": median(within), "graph_tool": best}
    return budgets


def summary(name, measured, before):
    """The row of a network: S within budgets of graph-tool's runs, and when the S of an earlier version is reached."""
    searches, groups = measured["searches"], [group for group in measured["graph_tool_runs"] if group]
    row = {"graph": name, "n_nodes": measured["n_nodes"], "n_edges": measured["n_edges"]}
    row["seconds"] = statistics.median(search["seconds"] for search in searches)
    row["entropy"] = statistics.median(search["curve"][-1][1] for search in searches)
    if groups:
        row["run_seconds"] = statistics.median(t for group in groups for t, *_ in group)
        row["search_in_runs"] = row["seconds"] / row["run_seconds"]
    row["budgets"] = within_budgets(searches, groups)
    if name in before:
        entropy, seconds = (statistics.median(run[at] for run in before[name]) for at in (1, 0))
        reached = [seconds_to(search, entropy) for search in searches]
        row["before"] = {
            "entropy": entropy,
            "seconds": seconds,
            "reached": median(reached),
            "n_runs": len(before[name]),
        }
        row["before"]["n_reached"] = sum(map(math.isfinite, reached))
        row["before"]["share"] = row["before"]["reached"] and row["before"]["reached"] / seconds
    return row


def start_once(graph, n_blocks, seed):
    started = time.process_time()
    labels = greedy_labels(BlockTarget(graph), n_blocks, np.random.default_rng(seed))
    return time.process_time() - started, labels


def starts(name, graph, repeats):
    n_blocks, entities = PAPER[name], graph.n_nodes + graph.n_edges
    start_once(graph, n_blocks, 0)  # compiled beforehand
    runs = {"ffbm": [], "graph_tool": []}
    for seed in range(repeats):
        runs["ffbm"].append(start_once(graph, n_blocks, seed))
        runs["graph_tool"] += [(t, labels) for t, (labels, *_) in theirs(graph, n_blocks, seed)]
    row = {"graph": name, "n_blocks": n_blocks, "wanted": GREEDY[name]}
    for side, made in runs.items():
        lengths = [ffbm.description_length(graph, labels).without_partition / entities for _, labels in made]
        row[f"{side}_entropy"] = statistics.mean(lengths) if made else None
        row[f"{side}_seconds"] = statistics.median(t for t, _ in made) if made else None
    return row


def cell(value, form):
    return "-" if value is None else format(value, form)


def tell(results):
    say(f"{'B free':12} {'s a run':>8}" + "".join(f" {f'{n}: ffbm':>13} {'graph-tool':>13}" for n in BUDGETS)
        + f" {'search, s':>10} {'in runs':>8}")  # fmt: skip
    for row in results["rows"]:
        budgets = [row["budgets"].get(str(n), {}).get(side) for n in BUDGETS for side in ("ffbm", "graph_tool")]
        say(f"{row['graph']:12} {cell(row.get('run_seconds'), '.2f'):>8}"
            + "".join(f" {cell(s, ',.2f'):>13}" for s in budgets)
            + f" {row['seconds']:10.2f} {cell(row.get('search_in_runs'), '.1f'):>8}")  # fmt: skip
    heads = f"{'S':>13} {'seconds':>8} {'now':>8} {'share':>6} {'of 5':>5} {'S now':>13}"
    say(f"\n{results['before']['version']:12} {heads}")
    for row in results["rows"]:
        if before := row.get("before"):
            reached, share = cell(before["reached"], ".2f"), cell(before["share"], ".2f")
            say(f"{row['graph']:12} {before['entropy']:13,.2f} {before['seconds']:8.2f} {reached:>8} {share:>6}"
                f" {before['n_reached']:5} {row['entropy']:13,.2f}")  # fmt: skip
    say(f"\n{'start':12} {'blocks':>6} {'S/(N+E)':>10} {'seconds':>8} {'graph-tool':>10} {'seconds':>8}")
    for row in results[STARTS]:
        peer = [cell(row[f"graph_tool_{what}"], form) for what, form in (("entropy", ".4f"), ("seconds", ".3f"))]
        say(f"{row['graph']:12} {row['n_blocks']:6} {row['ffbm_entropy']:10.4f} {row['ffbm_seconds']:8.3f}"
            f" {peer[0]:>10} {peer[1]:>8}")  # fmt: skip


def main(names, repeats):
    known = json.loads((RESULTS / "search.json").read_text())
    results = {"threads": 1, "networks": known.get("networks", {}), "before": known["before"]}  # measured once
    for small in (load("polbooks"), planted(2000, 60_000, 5)[0]):
        ours(small, 0)  # compiled beforehand
    for name in names:
        if name != STARTS:
            results["networks"][name] = compare(name, load(name))
    results["rows"] = [
        summary(name, results["networks"][name], results["before"]["networks"])
        for name in NETWORKS
        if name in results["networks"]
    ]
    results[STARTS] = [starts(name, load(name), repeats) for name in PAPER] if STARTS in names else known[STARTS]
    tell(results)
    write("search", ("ffbm", "numba", "numpy", "igraph"), results)
    draw(results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(NETWORKS)}, {STARTS}; all if none is given"
    )
    parser.add_argument("--repeats", type=int, default=5, help="starts at the paper's B")
    given = parser.parse_args()
    main(given.parts or [*NETWORKS, STARTS], given.repeats)
