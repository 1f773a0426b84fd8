"""Print how much of ``ffbm.kernels`` small runs reach with JIT off; fail where a kernel function is not reached.

Compiled code cannot be traced, so it runs as plain Python here: the cases are as small as they can be. What only numba
runs, the bodies that it compiles or generates code from, is left out by name.
"""

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest import mock

os.environ["NUMBA_DISABLE_JIT"] = "1"

import coverage

FOLDER = Path(__file__).parents[1] / "src" / "ffbm" / "kernels"
MEASURED = coverage.Coverage(data_file=None, include=[str(FOLDER / "*.py")], concurrency="thread")
MEASURED.start()  # before kernels are imported: their first lines count too

import numpy as np
import pandas as pd

import ffbm
from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.ladder import LadderSetup
from ffbm.blocks.ladder import advance as advance_ladder
from ffbm.blocks.ladder import start as start_ladder
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.logq import EXACT_UP_TO, partition_tables
from ffbm.blocks.seeds import spectral_labels
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.diagnostics.convergence import ess_mean
from ffbm.joint.chain import JointSettings, JointSetup
from ffbm.joint.chain import advance as advance_joint
from ffbm.joint.chain import start as start_joint
from ffbm.joint.prepare import joint_model
from ffbm.joint.tree import TreeSettings, TreeTarget, tree_setup
from ffbm.joint.tree import advance as advance_tree
from ffbm.joint.tree import start as start_tree
from ffbm.kernels.entry_points import move_many
from ffbm.kernels.improve import merge_cheapest, split_best, split_down
from ffbm.kernels.logq import log_q
from ffbm.kernels.merge import price_merges
from ffbm.kernels.mergesplit import MERGE_SPLIT, OPEN_CLOSE, RESPLIT
from ffbm.kernels.workspace import make_workspace
from ffbm.nested.chain import NestedSettings, NestedSetup
from ffbm.nested.chain import advance as advance_nested
from ffbm.nested.chain import start as start_nested
from ffbm.nested.target import Layout, NestedTarget, nested_model
from ffbm.scoring import score_weights
from ffbm.scoring.contrasts import effects
from ffbm.theta.prepare import weight_target
from ffbm.theta.selection import advance_selection, set_up_selection, start_selection
from ffbm.types import Graph
from ffbm.verification.changes import change_of_entropy, way_back
from ffbm.verification.enumeration import Case, compare
from ffbm.verification.exchange import compare_ladder
from ffbm.verification.findings import Effort

COMPACT = {"_NEAR_BYTES": 0, "_SQUARE_BYTES": 0, "_NEAR_PER_EDGE": 0, "_SQUARE_PER_EDGE": 0}
ONLY_NUMBA = {  # what numba alone runs: overloads, intrinsics, and what writes instructions
    "bare.py": {"_without_counts", "_strip", "_compiled_bare"},
    "dispatch.py": {"choose"},
    "lanes.py": {"*"},
    "relocate.py": {"_choose"},
    "__init__.py": {"*"},  # the cache of compiled code
}
QUIET = {"seed": 1, "progress": False, "workers": 1}
QUICK = Effort(False, 1, map)


def report(measured: coverage.Coverage) -> list[str]:
    """Print the share of lines by file, and return the functions that were not reached."""
    measured.report(skip_covered=True, show_missing=True)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "coverage.json"
        measured.json_report(outfile=str(written))
        files = json.loads(written.read_text())["files"]
    return [
        f"{Path(path).name}: {name}"
        for path, file in files.items()
        for name, part in file["functions"].items()
        if name and part["missing_lines"] and not part["executed_lines"]
        and not ONLY_NUMBA.get(Path(path).name, set()) & {*name.split("."), "*"}
    ]  # fmt: skip


def small_network(rng):
    block = np.repeat([0, 1, 2], 6)
    ends = rng.integers(0, 18, (90, 2))
    ends = ends[(block[ends[:, 0]] == block[ends[:, 1]]) | (rng.random(90) < 0.2)]
    features = np.column_stack((block == 0, rng.random((18, 2)) < 0.4, rng.normal(size=18) + block))
    return ffbm.as_network(np.vstack((ends, [[0, 0], [1, 2], [1, 2]])), features.astype(float)), block


def chain_of(graph, n_blocks, rng, n_sweeps=8, likelihood=DEGREE_CORRECTED, types=None, **settings):
    """Run a block chain from random labels, with a field unless vertices have types."""
    target = BlockTarget(graph, likelihood, types=types)
    field = rng.normal(size=(graph.n_nodes, 4)) if types is None and graph.weights is None else None
    setup = BlockSetup(target, block_model(target, n_blocks, field), BlockSettings(2, 2, jumps=2.0, **settings))
    labels = np.arange(graph.n_nodes) % len(types_of(n_blocks)) if types is None else types
    return advance(setup, start(setup, labels, rng), n_sweeps)[0]


def types_of(n_blocks):
    return np.zeros(n_blocks) if isinstance(n_blocks, int) else n_blocks


def run_chains(rng, net, block):
    for directed in (False, True):
        for likelihood in (DEGREE_CORRECTED, UNCORRECTED):
            for tight in ({"_NEAR_BYTES": 1 << 20}, COMPACT):
                with mock.patch.multiple("ffbm.blocks.target", **tight):
                    graph = Graph.from_edges(*rng.integers(0, 14, (2, 40)), 14, directed)
                    chain_of(graph, 4, rng, likelihood=likelihood, allow_empty=True)
            change_of_entropy(((8, 14, 3),), likelihood, directed, 1e-9, QUICK)
        way_back(directed, QUICK)
    chain_of(Graph.from_edges(*rng.integers(0, 30, (2, 9000)), 30), 4, rng, n_sweeps=1)  # ln q beyond its table
    chain_of(net.graph, 4, rng, relocations=1.0, n_steps=2)
    setup = LadderSetup(BlockTarget(net.graph), block_model(BlockTarget(net.graph), 3), BlockSettings(2, 2, jumps=1.0))
    ladder, _ = advance_ladder(setup, start_ladder(setup, np.array([block, block]), np.array([1.0, 0.9]), rng), 30)
    assert ladder.exchange.round_trips >= 0
    assert (ladder.exchange.swap_rates >= 0).all()
    ladder.exchange.clear()
    compare(Case(((0, 1), (1, 2)), 3, 2), 2, moves=(-1, 0, 1))
    compare_ladder(Case(((0, 1), (1, 2)), 3, 2), 2)


def run_starts(rng, net, block):
    """Make the steps of a search, with vertices of two types and without."""
    spectral_labels(net.graph, 3, rng)
    for types, likelihood in ((None, UNCORRECTED), (None, DEGREE_CORRECTED), ((block > 1) * 1, DEGREE_CORRECTED)):
        target = BlockTarget(net.graph, likelihood, types=types)
        kinds = 6 if types is None else np.array([0, 0, 0, 1, 1])
        model = block_model(target, kinds)
        ledger = block_ledger(model, block if types is None else np.where(block > 1, 3, block), len(types_of(kinds)))
        _, work, scratch = make_workspace(net.n_nodes, len(types_of(kinds)))
        split_best(rng, model, ledger, 2, work, scratch)
        split_down(rng, model, ledger, 2, work, scratch)
        merge_cheapest(model, ledger, -np.inf, work)
        for room in (50, 5):
            price_merges(rng, model, ledger, np.empty((room, 2), np.int64), np.empty(room))
        for kind in (RESPLIT, MERGE_SPLIT, OPEN_CLOSE):
            move_many(rng, model, ledger, kind, 0.3, 1, np.zeros(3), work, scratch)
        setup = LadderSetup(target, model, BlockSettings(0, 1))
        advance_ladder(setup, start_ladder(setup, np.array([ledger.b] * 2), np.array([1.0, 0.9]), rng), 4)


def run_edge_weights(rng):
    ends = rng.integers(0, 10, (40, 2))
    for model, prior in (
        ("normal", None), ("normal", {"m0": 0, "k0": 1, "v0": 1, "nu0": 1}), ("poisson", None),
        ("poisson", {"a": 1, "b": 1}), ("geometric", None), ("geometric", {"a": 1, "b": 1}),
        ("exponential", None), ("exponential", {"a": 1, "b": 1}),
    ):  # fmt: skip
        x = rng.integers(1, 5, 40) if model in ("poisson", "geometric") else rng.exponential(size=40) + 0.1
        edges = pd.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "x": x})
        given = {"edge_weight": "x", "edge_weight_model": model, "directed": model == "poisson"}
        graph = ffbm.as_network(edges, **given, **({"edge_weight_prior": prior} if prior else {})).graph
        state = chain_of(graph, 3, rng, n_sweeps=4, allow_empty=True)
        merge_cheapest(
            block_model(BlockTarget(graph), 3), state.ledger, -np.inf, np.empty((4, graph.n_nodes), np.int64)
        )
        with mock.patch.multiple("ffbm.blocks.target", **COMPACT):
            chain_of(graph, 3, rng, n_sweeps=1)
    setup = LadderSetup(BlockTarget(graph), block_model(BlockTarget(graph), 3), BlockSettings(2, 2, jumps=1.0))
    labels = np.arange(graph.n_nodes) % 3
    advance_ladder(setup, start_ladder(setup, np.array([labels] * 2), np.array([1.0, 0.9]), rng), 4)


def run_levels(rng):
    ends = rng.integers(0, 16, (50, 2))
    edges = pd.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "x": rng.integers(1, 5, 50)})
    weighted = ffbm.as_network(edges, edge_weight="x", edge_weight_model="geometric", directed=False).graph
    halves = np.arange(16) // 3 % 2
    plain, directed = (Graph.from_edges(*ends.T, 16, is_directed) for is_directed in (False, True))
    for graph, types in ((plain, None), (directed, None), (weighted, None), (plain, halves)):
        layout, target = Layout(8, 8, 4), NestedTarget(graph, types=types)
        setup = NestedSetup(target, nested_model(target, layout), layout, NestedSettings(1, 1, beta=0.1))
        levels = [np.arange(graph.n_nodes) // 3, np.arange(6) // 2, np.zeros(3, dtype=int)]
        if types is not None:
            levels = [levels[0], np.arange(6) % 2]
        advance_nested(setup, start_nested(setup, levels, rng), 25)


def run_weights(rng, net, block):
    soft = rng.dirichlet(np.ones(3), 18)
    for sampler in ("hmc", "mala"):
        weights = ffbm.sample_weights(
            net.features, soft, sampler=sampler, weight_prior="fixed", n_warmup=10, n_draws=8, n_chains=2, **QUIET
        )
    ffbm.sample_weights(net.features, block, sampler="mala", annealing=0.1, weight_prior="fixed", n_draws=8,
                        n_warmup=5, n_chains=2, **QUIET)  # fmt: skip
    assert weights.diagnostics is not None
    score_weights(weights, net.features, soft, np.arange(12))
    effects(weights, net.features)
    effects(replace(weights, weights=1e4 * weights.weights), net.features)  # odds too far apart to be multiplied
    for prior in ("hmc", "mala"):
        ffbm.sample_weights(net.features, block, sampler=prior, n_warmup=6, n_draws=8, n_chains=2, n_sweeps=0, **QUIET)
    rare = np.column_stack((net.features.values.toarray(), np.arange(18) < 1, np.arange(18) == 17))
    target = weight_target(
        rare, block, np.arange(17), intercept=True, weight_prior="learned"
    )  # one column has no vertex
    setup = set_up_selection(target, 4, np.zeros_like(target.sums))
    advance_selection(setup, start_selection(setup, rng, True), 12)

    answers = pd.DataFrame({"team": ["a", "b", None] * 6, "is_new": [1.0, None, 0.0, 1.0, 0.0, 1.0] * 3})
    unknown = ffbm.as_network(net.graph.edges, answers).features
    ffbm.sample_weights(unknown, block, impute=True, n_warmup=3, n_draws=3, n_sweeps=3, n_chains=2, **QUIET)


def run_joint(rng, net, block):
    model = joint_model(net.graph, net.features, 4, np.arange(15), 1.0)
    for sampler, shifts in (("hmc", 8.0), ("mala", 1.0)):
        setup = JointSetup(model, JointSettings(2, 1, n_warmup=5, jumps=1.0, shifts=shifts, sampler=sampler))
        advance_joint(setup, start_joint(setup, block, rng), 6)
    parents = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1]), np.array([0, 0])
    labels = np.resize(np.arange(5), 12)
    for directed in (False, True):
        target = TreeTarget(Graph.from_edges(*rng.integers(0, 12, (2, 30)), 12, directed), parents)
        tree = tree_setup(target, rng.integers(0, 2, (12, 2)), labels, TreeSettings(2, 1, jumps=2.0, n_warmup=2))
        advance_tree(tree, start_tree(tree, labels, rng), 6)


def run_others(rng, net, block):
    ess_mean(rng.normal(size=(2, 200)).cumsum(axis=1))  # so slow that autocovariances are taken by Fourier transform
    tables = partition_tables(EXACT_UP_TO + 10, EXACT_UP_TO)
    log_q(EXACT_UP_TO + 5, EXACT_UP_TO, np.zeros(1), *tables)  # so many parts that all partitions of the number count
    ffbm.permutation_test(net, n_permutations=5, blocks=None, **QUIET)
    for options in ({}, {"directed": True}):
        ffbm.simulate(15, 2, 40, exact=True, seed=1, **options)
    labels = np.array([[rng.permutation(block), block], [block, (block + 1) % 3]])
    trace = ffbm.sample_blocks(net, 3, n_sweeps=10, n_chains=2, initial="random", tempering=False, **QUIET)
    ffbm.align_blocks(replace(trace, labels=labels.astype(np.uint8), entropy=np.zeros((2, 2))))


def main() -> int:
    rng = np.random.default_rng(3)
    net, block = small_network(rng)
    run_chains(rng, net, block)
    run_starts(rng, net, block)
    run_edge_weights(rng)
    run_levels(rng)
    run_weights(rng, net, block)
    run_joint(rng, net, block)
    run_others(rng, net, block)
    MEASURED.stop()
    missed = report(MEASURED)
    for name in missed:
        sys.stdout.write(f"not reached at all: {name}\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
