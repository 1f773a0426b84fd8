"""The stage of hierarchies: chains of them until they converge, and the draws as block draws with one numbering."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ffbm.blocks.blocktypes import types_of_blocks
from ffbm.blocks.chain import BlockDraws
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.config import FitConfig
from ffbm.diagnostics import block_diagnostics
from ffbm.nested.chain import NestedSettings, NestedSetup, NestedState, advance, start, unpack
from ffbm.nested.consensus import central_draw, grow_tree
from ffbm.nested.search import find_hierarchy
from ffbm.nested.target import Hierarchy, NestedTarget, layout_for, nested_model
from ffbm.pipeline.blocks import blocks_of
from ffbm.pipeline.blockstarts import check_length
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.length import run_for
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.tempering import ladder_settings, run_nested_ladders, run_tempered_if_stuck
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.types import Array, BlockTrace, Graph, NodeTypes
from ffbm.types.tree import Tree


class SampledHierarchies(NamedTuple):
    """Draws of hierarchies, and their blocks as draws in the numbering of the central one."""

    target: NestedTarget
    blocks: BlockTrace
    draws: list[Hierarchy]  # of all chains, one after the other
    central: Hierarchy
    lowest: float

    def tree(self, labels: Array, of: int = 0) -> Tree:
        """Return the consensus tree of blocks ``labels`` (N,), or that of one type of vertices."""
        return grow_tree(self.target, labels, self.draws, self.central, self.lowest, of)


def sample_hierarchies(
    graph: Graph, config: FitConfig, max_minutes: float, context: RunContext, types: NodeTypes | None = None
) -> SampledHierarchies:
    """Sample hierarchies of blocks from p(b^0, b^1, ... | A), the nested microcanonical SBM.

    A sweep is three over the vertices and one over the groups of every level above.
    """
    of_vertex = None if types is None else types.of_vertex
    seed, target = config.known_seed, NestedTarget(graph, likelihood_of(config.degree_corrected), of_vertex)
    length = check_length(config.n_sweeps, config.burn_in, config.thin, max_minutes)
    layout = layout_for(graph)
    settings = NestedSettings(length.burn, length.thin)
    setup = NestedSetup(target, nested_model(target, layout), layout, settings)
    begin = partial(context.begin, partial(_begin_one, seed), NestedState, config.n_chains, setup)
    key = digest(setup, seed, config.n_chains) if context.checkpoints else ""
    plain = partial(
        run_for, "hierarchies", Stepper(advance, NestedState, BlockDraws), setup, begin, length, seed, context, key,
        n_measured=graph.n_nodes,
    )  # fmt: skip
    ladders = partial(run_nested_ladders, config.tempering, setup, length, seed, config.n_chains, context, key)
    chains = run_tempered_if_stuck(config.tempering, graph, plain, ladders, seed, graph.n_nodes)
    rows, entropy, rate = chains.draws
    draws = [unpack(setup, row) for chain in rows for row in chain]
    central = by_type(draws[central_draw(draws)], of_vertex)
    without = entropy - np.array([target.partitions(levels) for levels in draws]).reshape(entropy.shape)
    labels = project([levels[0] for levels in draws], central[0]).reshape(*entropy.shape, graph.n_nodes)
    diagnostics = block_diagnostics(
        rows[:, :, : graph.n_nodes],
        entropy,
        rate,
        seed,
        previous=chains.previous,
        round_trips=chains.round_trips,
    )
    record = {
        **settings._asdict(), "seed": seed, "degree_corrected": config.degree_corrected, "n_sweeps": chains.n_sweeps,
        "burn_in": chains.burn / chains.n_sweeps, "burn": chains.burn, "thin": chains.thin,
        "hierarchy": float((entropy - without).mean()), **ladder_settings(chains),
    }  # fmt: skip
    if types is not None:
        record["node_types"] = blocks_of(types, types_of_blocks(of_vertex, central[0]))
    blocks = BlockTrace(
        labels=labels,
        entropy=without,
        acceptance=rate,
        best_labels=central[0],
        best_entropy=float(without.min()),
        n_blocks=int(central[0].max(initial=0)) + 1,
        n_edges=graph.n_edges,
        settings=record,
        diagnostics=diagnostics,
    )
    lowest = min(state.lowest for state in chains.states)
    return SampledHierarchies(target, blocks, draws, central, lowest)


def by_type(levels: Hierarchy, types: Array | None) -> Hierarchy:
    """Return the same hierarchy with its blocks numbered type by type; as it is if there are no types.

    >>> by_type([np.array([1, 0, 1]), np.array([0, 1])], np.array([0, 1, 0]))
    [array([0, 1, 0]), array([1, 0])]
    """
    if types is None:
        return levels
    order = np.argsort(types_of_blocks(types, levels[0]), kind="stable")
    first = np.argsort(order)[levels[0]]
    return [first, levels[1][order], *levels[2:]] if len(levels) > 1 else [first]


def project(draws: Sequence[Array], reference: Array) -> Array:
    """Return draws (T, N) in the numbering of a reference: each block counts for the one it shares most vertices with.

    >>> project([np.array([5, 5, 0, 0]), np.array([0, 1, 2, 2])], np.array([0, 0, 1, 1])).tolist()
    [[0, 0, 1, 1], [0, 0, 1, 1]]
    """
    n_blocks = int(reference.max(initial=0)) + 1
    projected = np.empty((len(draws), len(reference)), dtype=np.min_scalar_type(n_blocks - 1))
    for labels, row in zip(draws, projected, strict=True):
        shared = np.bincount(labels * n_blocks + reference, minlength=(int(labels.max(initial=0)) + 1) * n_blocks)
        row[:] = shared.reshape(-1, n_blocks).argmax(axis=1)[labels]
    return projected


def _begin_one(seed: int, setup: NestedSetup, chain: int) -> NestedState:
    rng = stream(seed, "hierarchies", chain)
    return start(setup, find_hierarchy(setup, rng, chain).levels, rng)
