"""What features say of each split of a tree: a softmax over the children of a node, on the vertices of that node.

Columns are selected at all splits at once, with one omega; the weights that bits are taken with are those of each split
alone.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.config import FitConfig
from ffbm.explanation import Explanation
from ffbm.pipeline.clock import SHARES, Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.explanation import SampledWeights, explain
from ffbm.pipeline.run import Stepper, run_chains
from ffbm.pipeline.selection import (
    LEAST_SWEEPS,
    OPERATIONS,
    WARM_UP,
    gather_selection,
    starts_full,
    sweep_cost,
    thinning,
)
from ffbm.pipeline.weights import sample_weights
from ffbm.rng import child_seed, stream
from ffbm.theta.columns import keep_groups
from ffbm.theta.cost import affordable_moves
from ffbm.theta.design import Design, make_design
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
from ffbm.theta.scales import settle_scales
from ffbm.theta.selection import SelectionSetup, set_up_selection
from ffbm.theta.split_selection import SplitsRecord, SplitsState, advance_splits, records_of_splits, start_splits
from ffbm.types import Array, Features
from ffbm.types.selection import SelectionTrace
from ffbm.types.tree import Tree, TreeNode
from ffbm.workers import open_workers

_FOLDS = 5  # of the bits of a split
_LEAST_DRAWS, _LEAST_WARM = 100, 100
_PER_SECOND = 4e9  # operations of a chain that selects columns, about
_SELECTING = 0.5  # the share of the time of splits in which columns are selected


def explain_splits(features: Features, tree: Tree, config: FitConfig, context: RunContext, schedule: Schedule) -> Tree:
    """Return the tree with the bits of its splits and the columns that matter there.

    The root comes first, parents before children; splits that there is no time for stay without.
    """
    end = schedule.end_of("splits")
    explained: dict[int, TreeNode] = {}
    for number, selected in select_at_splits(features, tree, config, context).items():
        if explained and time.monotonic() >= end:
            break
        explanation = explain_split(features, tree, number, config, context, selected)
        explained[number] = _with_explanation(tree.nodes[number], explanation)
    return replace(tree, nodes=tuple(explained.get(node.number, node) for node in tree.nodes))


def explain_split(
    features: Features,
    tree: Tree,
    number: int,
    config: FitConfig,
    context: RunContext,
    selected: SelectionTrace | None = None,
) -> Explanation:
    """Explain in which child of a node each of its vertices is, under the learned prior; block r is child number r.

    ``selected`` are the columns that were selected there among those of all splits; without it they are selected here,
    with an omega of this split alone.
    """
    vertices, labels = _children_of(tree, number)
    return explain_labels(features, vertices, labels, config, context, f"split {number}", selected)


def _children_of(tree: Tree, number: int) -> tuple[Array, Array]:
    """Return the vertices of a node, and the number of the child that each is in."""
    vertices, child = tree.vertices(number), np.empty(len(tree.labels), dtype=np.int64)
    for rank, node in enumerate(tree.nodes[number].children):
        child[tree.vertices(node)] = rank
    return vertices, child[vertices]


def select_at_splits(
    features: Features, tree: Tree, config: FitConfig, context: RunContext
) -> dict[int, SelectionTrace]:
    """Select columns at the splits of a tree, all at once: one omega for every column at every split.

    The root comes first, parents before children; splits whose sweeps there is no time for are not among them. Random
    streams are those of this name under the fit's seed, and lengths depend on settings and sizes alone, so asking again
    gives the same answer.
    """
    seed, seconds = child_seed(config.known_seed, "splits"), _seconds_of_selection(config)
    setups, numbers, cost = list[SelectionSetup](), list[int](), 0.0
    for node in tree.splits:
        setup = _setup_of(features, *_children_of(tree, node.number), config, child_seed(seed, node.number))
        if numbers and LEAST_SWEEPS * (cost + sweep_cost(setup)) > _PER_SECOND * seconds:
            break
        setups.append(setup)
        numbers.append(node.number)
        cost += sweep_cost(setup)
    if not setups:
        return {}
    affordable = round(min(OPERATIONS * len(setups), _PER_SECOND * seconds) / cost)
    n_sweeps = min(max(affordable, LEAST_SWEEPS), config.countable_draws)
    n_numbers = sum(setup.full.shape[1] * len(setup.target.scale) for setup in setups)
    thin = thinning(config.n_chains * n_sweeps * n_numbers, n_sweeps)
    stepper = Stepper(advance_splits, SplitsState, SplitsRecord)
    begin = partial(_begin, setups, seed, config.n_chains, thin)
    _, drawn, _ = run_chains("splits, columns", stepper, setups, begin, WARM_UP + n_sweeps, context)
    settings = {
        "n_draws": n_sweeps, "n_warmup": WARM_UP, "n_chains": config.n_chains, "seed": seed, "n_splits": len(setups),
    }  # fmt: skip
    traces = {}
    for number, setup, record in zip(numbers, setups, records_of_splits(setups, drawn), strict=True):
        assert setup.target.groups is not None
        partition = np.zeros(record.energy.shape, np.int64)
        traces[number] = gather_selection(setup.target.groups, record, partition, thin, settings)
    return traces


def _setup_of(features: Features, vertices: Array, labels: Array, config: FitConfig, seed: int) -> SelectionSetup:
    """Prepare the selection of columns at one split."""
    design = make_design(rows_of(features, vertices), intercept=True)
    groups = keep_groups(config.column_groups, design.columns)
    target = weight_target(
        design, labels, intercept=True, weight_prior="learned", intercept_sd=config.intercept_sd, column_groups=groups
    )
    with open_workers(1, 1) as run:  # for its one BLAS thread
        [scaled] = run(lambda rng: settle_scales(target, rng), [stream(seed, "scales")])
        [setup] = run(lambda one: set_up_selection(one, WARM_UP, find_mode(one.gaussian)), [scaled])
    return setup


def _begin(setups: Sequence[SelectionSetup], seed: int, n_chains: int, thin: int) -> list[SplitsState]:
    states = []
    for chain in range(n_chains):
        rngs = [stream(seed, "selection", chain, number) for number in range(1 + len(setups))]
        states.append(start_splits(setups, rngs, starts_full(chain), thin))
    return states


def _seconds_of_selection(config: FitConfig) -> float:
    """Return how long a chain that selects columns at all splits may take.

    >>> _seconds_of_selection(FitConfig(max_minutes=8)), _seconds_of_selection(FitConfig(n_sweeps=9, n_draws=9))
    (3.0, 1000000000.0)
    """
    if not config.is_open:
        return 1e9
    share = SHARES["splits"] - SHARES["scores"]
    return round(_SELECTING * 60 * share * config.max_minutes / config.n_chains, 9)


def explain_level(features: Features, tree: Tree, level: int, config: FitConfig, context: RunContext) -> Explanation:
    """Explain in which group of a level each vertex is; block r is the group number r by size."""
    groups = tree.level(level)
    _, labels, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))
    return explain_labels(features, np.arange(len(groups)), rank[labels], config, context, f"level {level}")


def explain_labels(
    features: Features,
    vertices: Array,
    labels: Array,
    config: FitConfig,
    context: RunContext,
    name: str,
    selected: SelectionTrace | None = None,
) -> Explanation:
    """Explain labels of some vertices by their features, under the learned prior; scores come from folds.

    Columns are selected here, unless they were ``selected``. The random streams are those of this name under the fit's
    seed, and lengths depend on settings and sizes alone, so asking again gives the same answer.
    """
    subset = rows_of(features, vertices)
    design = make_design(subset, intercept=True)
    folds = min(_FOLDS, len(vertices))
    longest = _seconds_of_chain(config, folds)
    cost = design.x.nnz, int(labels.max()) + 1, longest / 2
    options: dict[str, Any] = {
        "weight_prior": "learned", "intercept": True, "intercept_sd": config.intercept_sd,
        "column_groups": keep_groups(config.column_groups, design.columns),
        "n_draws": affordable_moves(*cost, _LEAST_DRAWS, config.countable_draws),
        "n_warmup": affordable_moves(*cost, _LEAST_WARM, config.n_warmup), "n_chains": config.n_chains,
        "workers": context.workers, "progress": context.tell,
    }  # fmt: skip

    def sample(design: Design, rows: Array, seed: int, stage: str, selects: bool = False) -> SampledWeights:
        sweeps = None if selects and selected is None else 0  # 0: columns are not selected
        trace = sample_weights(design, labels, rows, seed=seed, stage=stage, n_sweeps=sweeps, **options)
        if selects and selected is not None:
            trace = replace(trace, selected=selected)
        return SampledWeights(replace(trace, settings=trace.settings | {"fdr": config.fdr}), labels)

    seed = child_seed(config.known_seed, name)
    return explain(
        subset, design, np.arange(len(vertices)), sample, seed, folds=folds, decides=True, stage=name,
        workers=context.threads,
    )  # fmt: skip


def _seconds_of_chain(config: FitConfig, folds: int) -> float:
    """Return how long a weight chain of a split may take: all of its runs together have what splits have of the time.

    >>> _seconds_of_chain(FitConfig(max_minutes=7), 5), _seconds_of_chain(FitConfig(n_sweeps=9, n_draws=9), 5)
    (0.75, 1000000000.0)
    """
    if not config.is_open:
        return 1e9
    share = SHARES["splits"] - SHARES["scores"]
    return round(60 * share * config.max_minutes / (folds + 2) / config.n_chains, 9)  # columns are selected on as much


def rows_of(features: Features, vertices: Array) -> Features:
    """Return the features of some vertices."""
    missing = features.missing
    if missing is not None:
        missing = sp.csr_array(missing[vertices])
    return Features(
        features.values[vertices], features.names, features.columns, features.mean, features.sd,
        missing if missing is not None and missing.nnz else None, replaced=features.replaced,
    )  # fmt: skip


def _with_explanation(node: TreeNode, explanation: Explanation) -> TreeNode:
    scores, relevance = explanation.scores, explanation.relevance
    columns: tuple[tuple[str, float], ...] = ()
    if relevance is not None:
        columns = tuple((relevance.column_names[g], float(relevance.inclusion[g])) for g in relevance.decided)
    return replace(node, bits=float(scores.bits_test), bits_se=float(scores.bits_se_test), columns=columns)
