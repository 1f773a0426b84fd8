"""Checks of what a move claims: its change of S, the chance of the way back, and S as chains carry it."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED, Likelihood
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.kernels.entry_points import claimed_change, claimed_ratio, make_move
from ffbm.kernels.workspace import FIELD, make_workspace
from ffbm.types import Array, Graph
from ffbm.verification.findings import Check, Effort, Finding

SIZES = ((8, 14, 3), (30, 60, 4), (12, 6, 5), (40, 300, 4), (60, 900, 6))  # vertices, edges, blocks
LARGE = ((40, 6000, 4),)  # beyond the exact table of q


def random_graph(rng: np.random.Generator, n_nodes: int, n_edges: int, directed: bool = False) -> Graph:
    """Throw edges at random pairs, so that loops and parallels occur, on all but the last two vertices."""
    ends = rng.integers(0, max(n_nodes - 2, 1), size=(n_edges, 2))
    return Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes, directed)


def random_moves(rng: np.random.Generator, labels: Array, n_blocks: int, n_moves: int) -> Iterator[tuple[int, int]]:
    """Yield moves of any vertex to another block than its present one; blocks may empty and open."""
    for _ in range(n_moves):
        i = int(rng.integers(len(labels)))
        s = int(rng.integers(n_blocks - 1))
        yield i, s + int(s >= labels[i])


def proposal_probability(graph: Graph, b: Array, i: int, s: int, epsilon: float, n_blocks: int) -> float:
    """Return the chance that vertex i is proposed block s, from the definition: see docs/blocks.md."""
    row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
    if len(row) == 0:
        return 1 / n_blocks
    ends = np.bincount(b, weights=graph.degrees, minlength=n_blocks)
    total = 0.0
    for j in row:
        t = b[j]
        e_ts = 0.0
        for v in np.flatnonzero(b == t):
            e_ts += np.count_nonzero(b[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]] == s)
            e_ts += 2 * graph.loops[v] * (t == s)
        total += (e_ts + epsilon) / (ends[t] + epsilon * n_blocks)
    return float(total / len(row))


def change_of_entropy(
    sizes: tuple[tuple[int, int, int], ...], likelihood: Likelihood, directed: bool, bound: float, effort: Effort
) -> Finding:
    """Compare the change of S that moves claim with S before and after."""
    worst, n_moves = 0.0, 400 if effort.full else 150
    for n_nodes, n_edges, n_blocks in sizes:
        rng = np.random.default_rng([effort.seed, n_edges])
        target = BlockTarget(random_graph(rng, n_nodes, n_edges, directed), likelihood)
        model = block_model(target, n_blocks)
        ledger = block_ledger(model, rng.integers(0, n_blocks, n_nodes), n_blocks)
        scratch = make_workspace(n_nodes, n_blocks).scratch
        before = target.entropy(ledger.b, n_blocks)
        for i, s in random_moves(rng, ledger.b, n_blocks, n_moves):
            claimed = claimed_change(model, ledger, i, s, *scratch)
            make_move(model, ledger, i, s)
            after = target.entropy(ledger.b, n_blocks)
            worst = max(worst, abs(claimed - (after - before)))
            before = after
    return Finding(worst, bound)


def way_back(directed: bool, effort: Effort) -> Finding:
    """Compare the ratio of proposal chances that a move claims with the definition, before and after the move."""
    worst, n_moves = 0.0, 150 if effort.full else 60
    for n_nodes, n_edges, n_blocks in ((8, 14, 3), (20, 40, 4), (12, 6, 5), (9, 90, 2)):
        rng = np.random.default_rng([effort.seed, n_edges, 1])
        graph = random_graph(rng, n_nodes, n_edges, directed)
        model = block_model(BlockTarget(graph), n_blocks)
        ledger = block_ledger(model, rng.integers(0, n_blocks, n_nodes), n_blocks)
        scratch = make_workspace(n_nodes, n_blocks).scratch
        for i, s in random_moves(rng, ledger.b, n_blocks, n_moves):
            r, epsilon = int(ledger.b[i]), float(rng.choice([0.1, 0.5, 3.0]))
            claimed = claimed_ratio(model, ledger, i, s, epsilon, *scratch)
            forth = proposal_probability(graph, ledger.b, i, s, epsilon, n_blocks)
            make_move(model, ledger, i, s)
            back = proposal_probability(graph, ledger.b, i, r, epsilon, n_blocks)
            worst = max(worst, abs(claimed - np.log(back / forth)))
    return Finding(float(worst), 1e-12)


def carried_entropy(effort: Effort) -> Finding:
    """Run chains with all moves, a field and empty blocks, and compare S as carried with S counted again."""
    worst = 0.0
    for allow_empty in (False, True):
        rng = np.random.default_rng([effort.seed, int(allow_empty), 2])
        target = BlockTarget(random_graph(rng, 60, 240), UNCORRECTED if allow_empty else DEGREE_CORRECTED)
        model = block_model(target, 5, rng.normal(size=(60, 5)))
        setup = BlockSetup(target, model, BlockSettings(0, 10, allow_empty=allow_empty, jumps=2.0))
        state, draws = advance(setup, start(setup, np.arange(60) % 5, rng), 2000 if effort.full else 300)
        for labels, carried in zip(draws.labels, draws.entropy, strict=True):
            worst = max(worst, abs(carried - target.entropy(labels, 5)))
        lift = float(model.field[np.arange(60), state.ledger.b].sum())
        worst = max(worst, abs(lift - float(state.totals[FIELD])))
    return Finding(worst, 1e-7)


CHECKS = (
    Check(
        "change of S",
        "largest error of the claimed change over random moves, nats",
        "a wrong term in the change of S: loops, blocks that close, the degrees of a block",
        partial(change_of_entropy, SIZES, DEGREE_CORRECTED, False, 1e-9),
    ),
    Check(
        "change of S, large q",
        "the same where ln q is not from the exact table",
        "a wrong branch or table of the approximation of ln q in the kernel",
        partial(change_of_entropy, LARGE, DEGREE_CORRECTED, False, 4e-6),
    ),
    Check(
        "change of S, no degree correction",
        "the same without degree correction",
        "a wrong term of the likelihood without degree correction",
        partial(change_of_entropy, SIZES, UNCORRECTED, False, 1e-9),
    ),
    Check(
        "way back",
        "largest error of the log ratio of proposal chances over random moves",
        "a Hastings ratio that is wrong or left out",
        partial(way_back, False),
    ),
    Check(
        "change of S, directed",
        "the same for directed networks",
        "arcs counted from the wrong end, out- and in-degrees mixed up",
        partial(change_of_entropy, SIZES, DEGREE_CORRECTED, True, 1e-9),
    ),
    Check(
        "change of S, directed, no degree correction",
        "the same for directed networks without degree correction",
        "a wrong term of the directed likelihood without degree correction",
        partial(change_of_entropy, SIZES, UNCORRECTED, True, 1e-9),
    ),
    Check(
        "way back, directed",
        "largest error of the log ratio of proposal chances over random moves in directed networks",
        "a proposal that looks at out-neighbours alone, arcs between blocks counted one way",
        partial(way_back, True),
    ),
    Check(
        "S as carried",
        "largest difference between S and field as chains carry them and as counted again, nats",
        "counts that a move leaves wrong, a change of S or of the field that is not booked",
        carried_entropy,
    ),
)
