"""Missing links: scores of edges that were held out, beside graph-tool's and simple ones; what features add.

    python benchmarks/links.py [NETWORK ...]

A tenth of the edges is taken away, blocks and their number are inferred without them, and all pairs without an edge are
scored: area under the ROC curve and average precision of the edges taken away. graph-tool's get_edges_prob scores some
of the pairs with some of the same partitions. Then a tenth of the vertices is taken away: how many bits per edge do
their features tell of whom they are linked with, beyond the degrees of the others? Needs FFBM_SHARED and FFBM_DATA;
prints tables and writes results/links.json, keeping what is there of other networks.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from record import RESULTS, say, write
from scipy.special import logsumexp
from scipy.stats import rankdata

import ffbm
from ffbm.blocks.additions import count, edge_gains, multiplicities
from ffbm.types import Graph

PYTHON = "/usr/bin/python3"
PEER = Path(__file__).parent / "links_graph_tool.py"
NETWORKS = ("polbooks", "school", "sp_highschool_2013", "facebook_348")
HELD_OUT, N_SPLITS = 0.1, 4
N_RESAMPLES = 200  # of pairs, for the error of a difference between two scores of the same pairs
PEER_DRAWS, PEER_PAIRS = 2, 300  # partitions and pairs that graph-tool scores
PEER_FIGURES = ("auc_ffbm", "auc_graph_tool", "auc_get_edges_prob")
PEER_PRECISION = ("precision_ffbm", "precision_graph_tool", "precision_get_edges_prob")
QUICK = {
    "n_sweeps": 400,
    "n_chains": 2,
    "n_warmup": 100,
    "n_draws": 100,
    "weight_prior": "fixed",
    "n_kept": None,
    "folds": 1,
}


def load(name):
    if name in ("polbooks", "school"):
        net = ffbm.load_dataset(name)
    else:
        folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
        net = ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    edges = np.unique(net.graph.edges[net.graph.edges[:, 0] != net.graph.edges[:, 1]], axis=0)
    return replace(net, graph=Graph.from_edges(*edges.T, net.n_nodes), notes=())  # pairs are linked or not


def fit_to(net, edges, seed):
    part = replace(net, graph=Graph.from_edges(*edges.T, net.n_nodes))
    return ffbm.fit(part, "auto", train_fraction=1.0, tempering=False, seed=seed, progress=False, **QUICK)


def auc(scores, is_edge):
    """The chance that an edge has a higher score than a pair without one."""
    ranks = rankdata(scores)
    n, m = is_edge.sum(), (~is_edge).sum()
    return float((ranks[is_edge].sum() - n * (n + 1) / 2) / (n * m))


def average_precision(scores, is_edge):
    """The precision at every edge, averaged; pairs of one score are taken together."""
    value, place = np.unique(-scores, return_inverse=True)
    hits, all_pairs = np.bincount(place, weights=is_edge), np.bincount(place)
    return float((np.cumsum(hits) / np.cumsum(all_pairs) * hits).sum() / hits.sum()) if len(value) else 0.0


def adamic_adar(graph, pairs):
    a = np.zeros((graph.n_nodes, graph.n_nodes))
    a[tuple(graph.edges.T)] = a[tuple(graph.edges[:, ::-1].T)] = 1
    degrees = np.maximum(a.sum(axis=1), 2)
    return ((a / np.log(degrees)) @ a)[tuple(pairs.T)]


def theirs(fit, labels, pairs):
    """What graph-tool says: its version and scores (T, P); None where it is missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given.npz"
        graph = fit.network.graph
        np.savez(path, edges=graph.edges, n_nodes=graph.n_nodes, labels=labels, pairs=pairs)
        peer = subprocess.run([PYTHON, str(PEER), str(path)], capture_output=True, text=True)
    return json.loads(peer.stdout) if peer.returncode == 0 else None


def adjacency_gain(graph, b, pairs):
    """The part of the score that is not that of P(k|e,b), of pairs without an edge."""
    counts = count(graph, b, int(b.max()) + 1)
    r, s = b[pairs].T
    inside = (r == s).astype(int)
    gain = np.log(counts.edges[r, s] + 1 + inside) + np.log(graph.degrees[pairs] + 1).sum(axis=1)
    return gain - np.log(counts.ends[r] + 1) - np.log(counts.ends[s] + 1 + inside)


def compare(fit, pairs, is_edge, rng):
    """Our scores and graph-tool's with the same partitions, of some of the pairs."""
    graph, every = fit.network.graph, fit.blocks.labels.reshape(-1, fit.network.n_nodes)
    labels = every[np.linspace(0, len(every) - 1, PEER_DRAWS).astype(int)].astype(np.int64)
    some = np.concatenate([
        rng.permutation(np.flatnonzero(kind))[: PEER_PAIRS // 2] for kind in (is_edge, ~is_edge)
    ])  # fmt: skip
    peer = theirs(fit, labels, pairs[some])
    if peer is None:
        return {}
    times = multiplicities(graph, pairs[some])
    own = np.array([edge_gains(graph, b, int(b.max()) + 1, pairs[some], times) for b in labels])
    own_part = np.array([adjacency_gain(graph, b, pairs[some]) for b in labels])
    results = {"version": peer["version"], "n_pairs": len(some), "n_partitions": len(labels)}
    for name, ours, other in (("score", own, peer["entropy"]), ("adjacency", own_part, peer["adjacency"])):
        away = np.asarray(other) - ours
        results[f"{name}_difference"] = float(np.abs(away - away.mean(axis=1, keepdims=True)).max())
    each = {"ffbm": own, "graph_tool": peer["entropy"], "get_edges_prob": peer["get_edges_prob"]}
    each = {name: logsumexp(scores, axis=0) for name, scores in each.items()}
    for name, scores in each.items():
        results[f"auc_{name}"] = auc(scores, is_edge[some])
        results[f"precision_{name}"] = average_precision(scores, is_edge[some])
    for figure, measured in (("auc", auc), ("precision", average_precision)):
        results[f"{figure}_error"] = error_of_difference(
            measured, each["ffbm"], each["get_edges_prob"], is_edge[some], rng
        )
    return results


def error_of_difference(measured, one, other, is_edge, rng):
    """The standard error of the difference of a figure between two scores, by resampling edges and other pairs."""
    kinds, away = [np.flatnonzero(is_edge), np.flatnonzero(~is_edge)], []
    for _ in range(N_RESAMPLES):
        which = np.concatenate([rng.choice(kind, len(kind)) for kind in kinds])
        away.append(measured(one[which], is_edge[which]) - measured(other[which], is_edge[which]))
    return float(np.std(away, ddof=1))


def split_edges(net, seed):
    """Hold out a tenth of the edges; return the figures of one split."""
    rng = np.random.default_rng(seed)
    edges = net.graph.edges
    order = rng.permutation(len(edges))
    n_out = round(HELD_OUT * len(edges))
    fit = fit_to(net, edges[order[n_out:]], seed)
    graph = fit.network.graph
    pairs = np.column_stack(np.triu_indices(net.n_nodes, 1))
    pairs = pairs[multiplicities(graph, pairs) == 0]
    is_edge = multiplicities(net.graph, pairs) > 0
    named = [(net.node_ids[i], net.node_ids[j]) for i, j in pairs]
    scores = fit.link_scores(named)
    simple = {"degree_product": np.prod(graph.degrees[pairs], axis=1), "adamic_adar": adamic_adar(graph, pairs)}
    row = {"n_blocks": fit.memberships.n_blocks, "n_held_out": n_out, "share": float(is_edge.mean())}
    for name, values in {"ffbm": scores, **simple}.items():
        row[name] = {"auc": auc(values, is_edge), "precision": average_precision(values.astype(float), is_edge)}
    p = fit.link_probabilities(named)  # of an edge in what was left: of those taken away there are fewer
    p = np.minimum(p / (1 - np.minimum(p, 0.999)) * HELD_OUT / (1 - HELD_OUT), 1.0)
    tenths = np.array_split(np.argsort(p, kind="stable"), 10)
    row["calibration"] = [
        {"tenth": k + 1, "foretold": float(p[part].mean()), "seen": float(is_edge[part].mean()), "n": len(part)}
        for k, part in enumerate(tenths)
    ]
    row["peer"] = compare(fit, pairs, is_edge, rng)
    return row


def split_vertices(net, seed):
    """Hold out a tenth of the vertices; return the bits per edge that their features tell beyond degrees."""
    rng = np.random.default_rng(1000 + seed)
    out = np.zeros(net.n_nodes, dtype=bool)
    out[rng.permutation(net.n_nodes)[: round(HELD_OUT * net.n_nodes)]] = True
    known, edges = np.flatnonzero(~out), net.graph.edges
    place = np.cumsum(~out) - 1
    values = net.features.values
    rest = replace(
        net,
        graph=Graph.from_edges(*place[edges[~out[edges].any(axis=1)]].T, len(known)),
        features=replace(net.features, values=values[known], missing=None),
        node_ids=net.node_ids[known],
    )
    fit = ffbm.fit(rest, "auto", train_fraction=1.0, tempering=False, seed=seed, progress=False, **QUICK)
    new = np.flatnonzero(out)
    chances = fit.expected_links(np.asarray(values[new].todense() if hasattr(values, "todense") else values[new]), 1.0)
    crossing = edges[out[edges].sum(axis=1) == 1]
    crossing = np.where(out[crossing[:, :1]], crossing, crossing[:, ::-1])
    row, column = np.searchsorted(new, crossing[:, 0]), place[crossing[:, 1]]
    degrees = (fit.network.graph.degrees + 0.5) / (fit.network.graph.degrees + 0.5).sum()
    by_degree = degrees[column]
    by_features = 0.99 * chances[row, column] + 0.01 * by_degree  # a known vertex without edges has no chance
    bits = np.log2(by_features / by_degree)
    each = np.bincount(row, weights=bits, minlength=len(new))
    error = each.std() * np.sqrt(len(new)) / len(bits)  # over vertices: their edges belong together
    return {"n": len(new), "n_edges": len(bits), "bits": float(bits.mean()), "se": float(error)}


def mean(rows, *path):
    values = []
    for row in rows:
        for step in path:
            row = row[step]
        values.append(row)
    return float(np.mean(values))


def measure(name):
    net, started = load(name), time.process_time()
    say(f"{name}: {net.n_nodes} vertices, {net.n_edges} edges")
    splits = [split_edges(net, seed) for seed in range(N_SPLITS)]
    whole = {"n_nodes": net.n_nodes, "n_edges": net.n_edges, "n_blocks": [row["n_blocks"] for row in splits]}
    for kind in ("ffbm", "degree_product", "adamic_adar"):
        whole[kind] = {figure: mean(splits, kind, figure) for figure in ("auc", "precision")}
        whole[kind]["sd"] = float(np.std([row[kind]["auc"] for row in splits], ddof=1))
        say(f"  {kind:15} AUC {whole[kind]['auc']:.3f} (sd {whole[kind]['sd']:.3f}), average precision"
            f" {whole[kind]['precision']:.3f}")  # fmt: skip
    whole["share"] = mean(splits, "share")
    peers = [row["peer"] for row in splits if row["peer"]]
    if peers:
        whole["peer"] = {figure: mean(peers, figure) for figure in (*PEER_FIGURES, *PEER_PRECISION, "n_pairs")}
        for figure in ("auc", "precision"):
            each = [row[f"{figure}_error"] for row in peers]
            whole["peer"][f"{figure}_error"] = float(np.sqrt(np.sum(np.square(each))) / len(each))
            away = whole["peer"][f"{figure}_get_edges_prob"] - whole["peer"][f"{figure}_ffbm"]
            whole["peer"][f"{figure}_away"] = away
        whole["peer"] |= {"version": peers[0]["version"], "n_partitions": peers[0]["n_partitions"]}
        for part in ("score", "adjacency"):
            whole["peer"][part] = max(row[f"{part}_difference"] for row in peers)
        peer = whole["peer"]
        say(f"  same partitions: AUC {', '.join(f'{figure[4:]} {peer[figure]:.4f}' for figure in PEER_FIGURES)}; scores"
            f" differ by {peer['score']:.2g}, without P(k|e,b) by {peer['adjacency']:.1g}")  # fmt: skip
    whole["calibration"] = [
        {"tenth": k + 1} | {figure: float(np.mean([row["calibration"][k][figure] for row in splits]))
                            for figure in ("foretold", "seen")}
        for k in range(10)
    ]  # fmt: skip
    top = whole["calibration"][-1]
    say(f"  uppermost tenth: {top['foretold']:.4f} foretold, {top['seen']:.4f} seen")
    whole["vertices"] = split_vertices(net, 0)
    say(f"  held-out vertices: {whole['vertices']['bits']:.3f} +- {whole['vertices']['se']:.3f} bits per edge")
    return whole | {"seconds": time.process_time() - started}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("networks", nargs="*", metavar="NETWORK", default=list(NETWORKS))
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    path = RESULTS / "links.json"
    for name in options.parse_args().networks:
        row = measure(name)
        known = json.loads(path.read_text())["networks"] if path.exists() else {}  # another may have ended meanwhile
        known = {one: {**known, name: row}[one] for one in NETWORKS if one in {**known, name: row}}
        results = {"held_out": HELD_OUT, "n_splits": N_SPLITS, "n_resamples": N_RESAMPLES, "networks": known}
        version = next((row["peer"]["version"] for row in known.values() if "peer" in row), None)
        write("links", ("ffbm", "numpy", "scipy", "numba"), {**results, "graph_tool": version})


if __name__ == "__main__":
    main()
