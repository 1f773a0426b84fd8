"""A fit on a dask cluster of two worker processes with memory limits on this machine, beside the same in threads.

A planted network of 10^5 edges, 10^4 vertices in ten blocks, with five columns of which two tell something of the
blocks. Blocks, ladders of replicas, weights, selected columns, scores of folds, the table of columns and permutations
are compared bit by bit, and pieces of work are counted by what they do. ``--edges 1000000`` asks for another size.
"""

import argparse
import os
import resource
import tempfile
import time
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from unittest import mock

import distributed
import numpy as np
import scale
from record import say, write

import ffbm
from blocks import planted
from ffbm.workers import cluster

N_BLOCKS, N_WORKERS, MEMORY = 10, 2, 1 << 30  # bytes, of each worker
SETTINGS = {"n_sweeps": 50, "n_chains": 2, "n_warmup": 50, "n_draws": 50, "folds": 3, "columns": 2, "seed": 1}
LADDER = {"n_sweeps": 10, "n_chains": 2, "tempering": [1.0, 0.98], "seed": 1}
N_PERMUTATIONS = 100
WORK = {
    "pipeline.blocks.find_starts": "starts",
    "pipeline.blocks.begin_one": "chains that begin",
    "blocks.chain.advance": "stretches of chains of blocks",
    "pipeline.tempering.begin_one": "ladders that begin",
    "blocks.ladder.advance": "stretches of ladders",
    "theta.chain.advance": "stretches of chains of weights",
    "theta.drawn_selection.advance_drawn_selection": "stretches of the selection of columns",
    "pipeline.refits.run_fold": "folds",
    "pipeline.contributions.gain": "refits for the table of columns, by fold",
    "pipeline.permutation.score_piece": "parts of permutations",
}


def network(n_edges):
    """Return the planted network, read from its files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        scale.write_files(*planted(n_edges // 10, n_edges, N_BLOCKS), N_BLOCKS, folder)
        return ffbm.read_network(folder / "edges.csv", nodes=folder / "people.csv")


def run(net, workers):
    """Return all that is to be equal, and the seconds by the clock."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
        fit = ffbm.fit(net, n_blocks=N_BLOCKS, out=Path(place) / "run", workers=workers, progress=False, **SETTINGS)
        ladders = ffbm.sample_blocks(net, n_blocks=N_BLOCKS, workers=workers, progress=False, **LADDER)
        table = ffbm.permutation_test(net, n_permutations=N_PERMUTATIONS, workers=workers, blocks=None, progress=False)
        made = {
            "blocks": np.array(fit.blocks.labels),
            "ladders": np.array(ladders.labels),
            "weights": np.array(fit.weights.weights),
            "selection": np.array(fit.weights.selected.inclusion),
            "folds": np.array([fit.scores.loss_test, fit.scores.bits_test, fit.scores.bits_se_test]),
            "columns": fit.column_table,
            "permutations": table,
        }
    return made, time.perf_counter() - started


def same(one, other):
    """Tell whether two arrays or tables are equal, bit by bit."""
    return bool(one.equals(other)) if hasattr(one, "equals") else bool(np.array_equal(one, other))


def counting(counts):
    """Return what hands work to a cluster, counting the pieces of it by the function that they call."""
    plain = cluster._Cluster.run

    def run_and_count(self, function, items, shared, kind):
        inner = function
        while isinstance(inner, partial):  # a segment of a chain: the stepper is bound to what times it
            inner = inner.args[0] if inner.args and callable(inner.args[0]) else inner.func
        counts[f"{inner.__module__.removeprefix('ffbm.')}.{inner.__name__.lstrip('_')}"] += len(items)
        return plain(self, function, items, shared, kind)

    return mock.patch.object(cluster._Cluster, "run", run_and_count)


def on_cluster(net):
    """Return what ``run`` does on a cluster, the pieces of work by function, and what each worker did and held."""
    counts = Counter()
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(memory_limit=MEMORY, **options) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        client.wait_for_workers(N_WORKERS)
        with counting(counts):
            made, seconds = run(net, client)
        peaks = client.run(peak)
        done = client.run(n_done)
    rows = [{"memory_gb": peaks[at] / 2**30, "pieces": done[at]} for at in sorted(peaks)]
    return made, seconds, [{"work": WORK.get(name, name), "pieces": n} for name, n in sorted(counts.items())], rows


def peak():
    """Return the largest memory that a worker process has held."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def n_done(dask_worker):
    """Return how many pieces of work a worker has done."""
    return dask_worker.state.executed_count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=100_000)
    net = network(parser.parse_args().edges)
    here, seconds = run(net, N_WORKERS)
    there, seconds_there, counts, rows = on_cluster(net)
    equal = {name: same(value, there[name]) for name, value in here.items()}
    for name, is_equal in equal.items():
        say(f"{name}: {'the same bits' if is_equal else 'DIFFERENT'}")
    for one in counts:
        say(f"{one['pieces']:5} pieces of work: {one['work']}")
    for row in rows:
        say(f"worker: {row['pieces']} pieces of work, {row['memory_gb']:.2f} GB at most")
    write(
        "cluster",
        ("ffbm", "numpy", "numba", "distributed"),
        {
            "n_edges": net.n_edges, "n_nodes": net.n_nodes, "n_blocks": N_BLOCKS, "memory_limit_gb": MEMORY / 2**30,
            "load": os.getloadavg()[0], "seconds_threads": seconds, "seconds_cluster": seconds_there,
            "equal": equal, "pieces": counts, "workers": rows, **SETTINGS, "n_permutations": N_PERMUTATIONS,
        },
    )  # fmt: skip
