"""The joint stage of a tree: chains of leaves, columns and weights of every node, given the shape that edges gave."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.chain import BlockDraws
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.config import FitConfig
from ffbm.joint.tree import TreeDraws, TreeSettings, TreeSetup, TreeState, TreeTarget, advance, start, tree_setup
from ffbm.nested.consensus import consensus_levels
from ffbm.pipeline.blockstarts import check_length
from ffbm.pipeline.blocktrace import gather
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.hierarchy import SampledHierarchies
from ffbm.pipeline.length import run_for
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.selection import starts_full
from ffbm.relevance import find_decided
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.theta.design import Design
from ffbm.types import Array, BlockTrace
from ffbm.types.tree import Tree

_ADAPTING = 100  # cycles before the first that is counted, if chains run until they are done


class SampledTree(NamedTuple):
    """Draws of leaves, and what they say of the columns of each node."""

    blocks: BlockTrace
    inside: tuple[Array, ...]  # of each node: the vertices (N,) below it that its split is about
    columns: tuple[str, ...]
    inclusion: Array  # (C, G)


def sample_tree(
    sampled: SampledHierarchies, labels: Array, design: Design, config: FitConfig, minutes: float, context: RunContext
) -> SampledTree:
    """Sample leaves, columns and weights of the tree whose leaves are ``labels`` (N,) under the groups of the draws."""
    graph, seed = sampled.target.graph, config.known_seed
    leaves, *parents = consensus_levels(labels, sampled.central)
    target = TreeTarget(graph, tuple(parents), likelihood_of(config.degree_corrected))
    length = check_length(config.n_sweeps, config.burn_in, config.thin, minutes)
    settings = TreeSettings(_ADAPTING if length.n_sweeps is None else length.burn, length.thin)
    setup = tree_setup(target, design, leaves, settings, None, config.intercept_sd, config.column_groups)
    context = context._replace(workers=context.threads)
    begin = partial(context.begin, partial(_begin, seed, leaves), TreeState, config.n_chains, setup)
    key = digest(setup, leaves, seed, config.n_chains) if context.checkpoints else ""
    stepper = Stepper(advance, TreeState, TreeDraws)
    chains = run_for("joint tree", stepper, setup, begin, length, seed, context, key)
    draws = chains.draws
    chosen: dict[str, Any] = {
        **settings._asdict(), "target": "joint", "seed": seed, "degree_corrected": config.degree_corrected,
        "hierarchy": sampled.target.partitions([leaves, *parents]), "omega": float(draws.omega.mean()),
    }  # fmt: skip
    flat = chains._replace(draws=BlockDraws(draws.labels, draws.entropy, draws.moved))
    blocks = gather(graph, target.n_leaves, flat, chosen)
    groups = setup.columns[0].target.groups
    assert groups is not None
    inside = tuple(child[leaves] >= 0 for child in setup.children)
    return SampledTree(blocks, inside, groups.names, draws.inclusion.mean(axis=(0, 1)))


def _begin(seed: int, leaves: Array, setup: TreeSetup, chain: int) -> TreeState:
    return start(setup, leaves, stream(seed, "joint tree", chain), starts_full(chain))


def with_joint_columns(tree: Tree, sampled: SampledTree, fdr: float) -> Tree:
    """Return the tree with the columns that matter by the joint posterior, decided over all columns of all nodes.

    A split of the tree is the node whose vertices are most like its own.
    """
    n_columns = len(sampled.columns)
    decided = {divmod(trial, n_columns) for trial in find_decided(sampled.inclusion.ravel(), fdr)}
    nodes = list(tree.nodes)
    for node in tree.splits:
        below = np.zeros(len(tree.labels), dtype=bool)
        below[tree.vertices(node.number)] = True
        likeness = [(below & inside).sum() / max((below | inside).sum(), 1) for inside in sampled.inside]
        c = int(np.argmax(likeness))
        chosen = sorted((g for at, g in decided if at == c), key=lambda g: -sampled.inclusion[c, g])
        columns = tuple((sampled.columns[g], float(sampled.inclusion[c, g])) for g in chosen)
        nodes[node.number] = replace(node, columns=columns)
    return replace(tree, nodes=tuple(nodes))
