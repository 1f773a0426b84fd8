"""What levels cost: the processor time of a vertex visit in the nested chain against that of the flat chain.

Both chains stand at the same blocks, those of a short search for hierarchies, and move single vertices alone, without a
group opened; sweeps of the two are timed in turns, and the median of the ratios is told. Prints a table and writes
results/levels.json; ``levels.py football`` measures this network alone and keeps the rest of the record.
"""

import argparse
import json
import statistics
import time

import numpy as np
from hierarchy import load
from record import RESULTS, say, write

from ffbm.blocks import chain as flat
from ffbm.blocks.chain import BlockSettings, BlockSetup
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.nested import chain as nested
from ffbm.nested.chain import NestedSettings, NestedSetup
from ffbm.nested.search import find_hierarchy
from ffbm.nested.target import NestedTarget, layout_for, nested_model

NAMES = ("football", "high school", "school", "facebook 348", "Caltech", "polblogs")
SECONDS, ROUNDS = 0.1, 15  # of one measurement, and how often


def flat_chain(graph, labels, rng):
    """A function that makes so many sweeps of the flat chain."""
    target = BlockTarget(graph)
    setup = BlockSetup(target, block_model(target, int(labels.max()) + 1), BlockSettings(0, 10**9))
    state = flat.start(setup, labels, rng)
    return lambda n: flat.advance(setup, state, n)


def nested_chain(graph, rng):
    """The same of level 0 of a hierarchy, and its levels: a cycle of 50 sweeps has one over the groups above."""
    target, layout = NestedTarget(graph), layout_for(graph)
    settings = NestedSettings(0, 10**9, sweeps=50, jumps=0.0, shifts=0.0)
    setup = NestedSetup(target, nested_model(target, layout), layout, settings)
    levels = find_hierarchy(setup, rng, 0).levels
    state = nested.start(setup, levels, rng)
    return (lambda n: nested.advance(setup, state, -(-n // 50))), levels


def seconds_of(chain, n):
    started = time.process_time()
    chain(n)
    return time.process_time() - started


def measure(name):
    graph, rng = load(name), np.random.default_rng(0)
    above, levels = nested_chain(graph, rng)
    alone = flat_chain(graph, levels[0], rng)
    chains = {"flat": alone, "nested": above}
    for chain in chains.values():
        chain(50)  # compiled beforehand
    n_sweeps = 50 * max(1, round(SECONDS / seconds_of(alone, 50)))
    spent = [{kind: seconds_of(chain, n_sweeps) for kind, chain in chains.items()} for _ in range(ROUNDS)]
    visits = n_sweeps * graph.n_nodes
    return {
        "graph": name, "n_nodes": graph.n_nodes, "n_edges": graph.n_edges,
        "groups": "-".join(str(int(labels.max()) + 1) for labels in levels),
        **{f"{kind}_ns": 1e9 * statistics.median(one[kind] for one in spent) / visits for kind in chains},
        "ratio": statistics.median(one["nested"] / one["flat"] for one in spent),
    }  # fmt: skip


def main(names):
    path = RESULTS / "levels.json"
    known = {row["graph"]: row for row in json.loads(path.read_text())["rows"]} if path.exists() else {}
    known |= {name: measure(name) for name in names}
    rows = [known[name] for name in NAMES if name in known]
    say(f"{'ns a visit':12} {'flat':>8} {'nested':>8} {'ratio':>6} groups")
    for row in rows:
        say(f"{row['graph']:12} {row['flat_ns']:8.0f} {row['nested_ns']:8.0f} {row['ratio']:6.2f} {row['groups']}")
    write("levels", ("ffbm", "numba", "numpy"), {"threads": 1, "rows": rows})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=f"of {', '.join(NAMES)}; all if none is given")
    main(parser.parse_args().networks or [*NAMES])
