"""Planted hierarchies: is the tree found, and is the right column named at the right split?

Trees of 2 to 4 levels, the blocks and the root included, are unbalanced: groups have different numbers of members and
blocks different sizes. Pairs of blocks whose paths from
the root part at the same depth expect equally many edges, as the model has it. One column acts at the root, two others
at one further split each, if there are so many, a flag and a number at none: where a column does not act it has the
same law in all children. A network is clearly above detectability if no two groups of one parent can be merged, no
group left out and no block cut in two halves at random for less than MARGIN nats; others are drawn again. This is
counted from the plant alone, before anything is fitted.

A tree is found if it has the planted nodes, blocks included, and no others: Jaccard index of their vertices at least
ALIKE. Where it is not, chains of LONGER cycles try once more, which is told apart. Columns are
looked at where a split is found. Prints a line for each network and writes results/trees.json; a
call ends after 15 minutes, and the next goes on from there.
"""

import itertools
import time
import warnings

import numpy as np
import pandas as pd
from record import run_parts, say, study

import ffbm
from ffbm.config import FitConfig
from ffbm.nested.consensus import regrouped
from ffbm.nested.target import NestedTarget
from ffbm.pipeline.clock import Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.fit import align_blocks
from ffbm.pipeline.hierarchy import sample_hierarchies
from ffbm.pipeline.splits import explain_splits
from ffbm.simulation.planted import draw_planted

N_NETWORKS = 50
MEMBERS = {2: ((4, 8),), 3: ((2, 4), (4, 8)), 4: ((2, 3), (3, 4), (4, 6))}  # of a node, by its depth; last excluded
SIZES = {2: (15, 41), 3: (15, 31), 4: (20, 31)}  # of blocks; last excluded
DEGREE = {2: 16, 3: 18, 4: 20}
SHARES = {2: (0.4, 0.6), 3: (0.06, 0.24, 0.7), 4: (0.01, 0.07, 0.27, 0.65)}  # of edges, by the levels their ends share
MARGIN = 10.0
ALIKE = 0.9
AGREES = 0.9  # of the vertices of a node where a column acts, the others have a value at random
CONTEXT = RunContext(1)
LONGER = 2000  # cycles of chains that try again where the tree was not found
LENGTHS = {"n_sweeps": 300, "n_chains": 2, "n_draws": 300, "n_warmup": 200, "tempering": False}


def draw_paths(rng, n_levels, path=()):
    """Draw the path from the root to every block: a sequence of children."""
    if len(path) == n_levels - 1:
        return [path]
    n_members = int(rng.integers(*MEMBERS[n_levels][len(path)]))
    return [below for k in range(n_members) for below in draw_paths(rng, n_levels, (*path, k))]


def shared_depth(one, other):
    """How far two paths go together."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def node_of(paths, blocks, depth):
    """A number for each vertex: that of its node at a depth, or of its block if that is higher."""
    nodes = [path[:depth] for path in paths]
    return np.array([nodes.index(node) for node in nodes])[blocks]


def planted(rng, n_levels):
    """A graph, its paths, the block of each vertex, and what the nearest other tree costs more."""
    paths = draw_paths(rng, n_levels)
    blocks = np.repeat(np.arange(len(paths)), rng.integers(*SIZES[n_levels], size=len(paths)))
    matrix = block_matrix(paths, np.bincount(blocks), SHARES[n_levels])
    graph = draw_planted(rng, blocks, matrix, len(blocks) * DEGREE[n_levels] // 2, None)
    on_level = [node_of(paths, blocks, depth) for depth in range(n_levels - 1, -1, -1)]
    return graph, paths, blocks, margin(rng, NestedTarget(graph), on_level)


def block_matrix(paths, sizes, shares):
    """How likely edges are, so that pairs of blocks with equally many levels in common expect equally many."""
    depth = np.array([[shared_depth(one, other) for other in paths] for one in paths])
    n_pairs = np.bincount(depth[np.triu_indices(len(paths))], minlength=len(shares))
    pairs = np.outer(sizes, sizes) - np.diag(sizes * (sizes + 1) // 2)
    return (np.array(shares) / n_pairs)[depth] / pairs


def margin(rng, target, on_level):
    """By how much S grows, at the least, if two groups are merged, one is left out or a block is cut in two."""
    costs = [target.entropy(regrouped(labels)) for labels in (*coarser(on_level), *finer(rng, on_level))]
    return min(costs) - target.entropy(regrouped(on_level))


def coarser(on_level):
    for level, labels in enumerate(on_level[:-1]):
        for parent in np.unique(on_level[level + 1]):
            inside = on_level[level + 1] == parent
            groups = np.unique(labels[inside])
            for r, s in itertools.combinations(groups, 2):
                yield [*on_level[:level], np.where(labels == s, r, labels), *on_level[level + 1 :]]
            if 0 < level + 1 < len(on_level) - 1 and len(groups) > 1:  # its members stand by themselves
                alone = np.where(inside, labels.max() + on_level[level + 1].max() + 1 + labels, on_level[level + 1])
                yield [*on_level[: level + 1], alone, *on_level[level + 2 :]]


def finer(rng, on_level):
    """Each block cut in two halves at random."""
    blocks = on_level[0]
    for r in range(int(blocks.max()) + 1):
        inside = rng.permutation(np.flatnonzero(blocks == r))
        cut = blocks.copy()
        cut[inside[: len(inside) // 2]] = blocks.max() + 1
        yield [cut, *on_level[1:]]


def nodes_of(paths, blocks):
    """The vertices of every node of the planted tree."""
    prefixes = dict.fromkeys(path[:depth] for path in paths for depth in range(len(path) + 1))
    return {node: np.array([path[: len(node)] == node for path in paths])[blocks] for node in prefixes}


def draw_columns(rng, paths, blocks, acting):
    """A table: each column tells the children of one split, and has the same law in all children of others."""
    n_nodes, columns = len(blocks), {}
    for name, node in acting.items():
        children = np.array([path[len(node)] if path[: len(node)] == node else -1 for path in paths])[blocks]
        inside = children >= 0
        entries = np.where(rng.random(n_nodes) < AGREES, children, rng.choice(children[inside], n_nodes))
        values = np.where(inside, entries, rng.choice(entries[inside], n_nodes))
        columns[name] = np.array(list("abcdefgh"))[values]
    columns["flag"], columns["number"] = rng.integers(0, 2, n_nodes), rng.normal(size=n_nodes)
    return pd.DataFrame(columns)


def sampled_tree(net, seed, lengths):
    """The tree of a fit with hierarchy=True before it is explained, and the settings."""
    config = FitConfig(hierarchy=True, seed=seed, **lengths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chains of this length are not graded converged
        sampled = sample_hierarchies(net.graph, config, 10.0, CONTEXT)
    return sampled.tree(align_blocks(sampled.blocks).labels), config


def explained_tree(net, seed, lengths):
    """The same with its splits explained; what a fit says of all blocks at once is left out."""
    tree, config = sampled_tree(net, seed, lengths)
    return explain_splits(net.features, tree, config, CONTEXT, Schedule.of(config))


def matched(tree, order, nodes):
    """The node of a tree for each planted one that it has; vertex i is number ``order[i]`` in the tree."""
    results = {}
    for node in tree.nodes:
        inside = np.zeros(len(order), dtype=bool)
        inside[tree.vertices(node.number)] = True
        inside = inside[order]
        near = {one: (inside & there).sum() / (inside | there).sum() for one, there in nodes.items()}
        best = max(near, key=near.get)
        if near[best] >= ALIKE:
            results[best] = node
    return results


def measure(number):
    """Fit one network and say what was found."""
    n_levels = 2 + 3 * number // N_NETWORKS
    for attempt in itertools.count():
        rng = np.random.default_rng([number, attempt])
        graph, paths, blocks, worth = planted(rng, n_levels)
        if worth >= MARGIN:
            break
    nodes = nodes_of(paths, blocks)
    splits = [node for node in nodes if node not in paths]
    others = [splits[a] for a in rng.permutation(np.arange(1, len(splits)))[:2]]
    acting = {"top": (), **dict(zip(("one", "two"), others, strict=False))}
    net = ffbm.as_network(graph.edges, draw_columns(rng, paths, blocks, acting))
    order = np.argsort(net.node_ids.astype(int))  # vertices may be in another order
    started = time.process_time()
    tree = explained_tree(net, number, LENGTHS)
    results = matched(tree, order, nodes)
    is_found = len(results) == len(nodes) == len(tree.nodes)
    later = is_found
    if not is_found:  # by chains of this length
        longer = sampled_tree(net, number, LENGTHS | {"n_sweeps": LONGER})[0]
        later = len(matched(longer, order, nodes)) == len(nodes) == len(longer.nodes)
    named = {split: {name for name, _ in results[split].columns} for split in splits if split in results}
    right = sum(node in named and name in named[node] for name, node in acting.items())
    false = sum(acting.get(name) != split for split, names in named.items() for name in names)
    idle = [split for split in named if split not in acting.values()]
    return {
        "n_levels": n_levels, "n_nodes": len(blocks), "n_edges": graph.n_edges, "n_blocks": len(paths),
        "margin": float(worth), "drawn": attempt + 1, "is_found": is_found, "is_found_later": later,
        "n_splits": len(splits), "n_splits_found": len(named), "n_acting": len(acting), "n_right": right,
        "n_false": false, "n_idle": len(idle), "n_idle_named": sum(bool(named[split]) for split in idle),
        "seconds": time.process_time() - started,
    }  # fmt: skip


def trees():
    networks, kept = study("trees", "trees", N_NETWORKS, measure)
    rows = [summary(f"{n} levels", [one for one in networks if one["n_levels"] == n]) for n in MEMBERS]
    rows.append(summary("all", networks))
    counts = ("n_networks", "n_found", "n_found_later", "n_right", "n_named", "n_false", "n_idle", "n_idle_named")
    say(f"{'trees':10}" + "".join(f" {key:>12}" for key in counts))
    for row in rows:
        say(f"{row['trees']:10}" + "".join(f" {row[key]:12}" for key in counts))
    return kept | {"rows": rows, "networks": networks}


def summary(name, networks):
    total = {key: sum(one[key] for one in networks) for key in ("n_false", "n_idle", "n_idle_named", "n_acting")}
    right = [one for one in networks if one["is_found"] and one["n_right"] == one["n_acting"]]
    return {
        "trees": name, "n_networks": len(networks), "n_found": sum(one["is_found"] for one in networks),
        "n_found_later": sum(one.get("is_found_later", one["is_found"]) for one in networks), "n_right": len(right),
        "n_named": sum(one["n_right"] + one["n_false"] for one in networks), **total,
        "seconds": sum(one["seconds"] for one in networks),
    }  # fmt: skip


if __name__ == "__main__":
    settings = {"shares": SHARES, "margin": MARGIN, "alike": ALIKE, "agrees": AGREES}
    run_parts("trees", __doc__.splitlines()[0], ("ffbm", "numpy", "numba"), {"trees": trees}, settings)
