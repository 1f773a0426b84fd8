"""What features say of each split of a tree: a softmax over the children of a node, on the vertices of that node."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.config import FitConfig
from ffbm.explanation import Explanation
from ffbm.pipeline.clock import SHARES, Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.explanation import SampledWeights, explain
from ffbm.pipeline.weights import sample_weights
from ffbm.rng import child_seed
from ffbm.theta.cost import affordable_moves
from ffbm.theta.design import Design, make_design
from ffbm.types import Array, Features
from ffbm.types.tree import Tree, TreeNode

_FOLDS = 5  # of the bits of a split
_LEAST_DRAWS, _LEAST_WARM = 100, 100


def explain_splits(features: Features, tree: Tree, config: FitConfig, context: RunContext, schedule: Schedule) -> Tree:
    """Return the tree with the bits of its splits and the columns that matter there.

    The root comes first, parents before children; splits that there is no time for stay without.
    """
    end = schedule.end_of("splits")
    explained: dict[int, TreeNode] = {}
    for node in tree.splits:
        if explained and time.monotonic() >= end:
            break
        explained[node.number] = _with_explanation(node, explain_split(features, tree, node.number, config, context))
    return replace(tree, nodes=tuple(explained.get(node.number, node) for node in tree.nodes))


def explain_split(features: Features, tree: Tree, number: int, config: FitConfig, context: RunContext) -> Explanation:
    """Explain in which child of a node each of its vertices is, under the learned prior; block r is child number r."""
    children = tree.nodes[number].children
    vertices = tree.vertices(number)
    labels = np.empty(len(tree.labels), dtype=np.int64)
    for child, node in enumerate(children):
        labels[tree.vertices(node)] = child
    return explain_labels(features, vertices, labels[vertices], config, context, f"split {number}")


def explain_level(features: Features, tree: Tree, level: int, config: FitConfig, context: RunContext) -> Explanation:
    """Explain in which group of a level each vertex is; block r is the group number r by size."""
    groups = tree.level(level)
    _, labels, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))
    return explain_labels(features, np.arange(len(groups)), rank[labels], config, context, f"level {level}")


def explain_labels(
    features: Features, vertices: Array, labels: Array, config: FitConfig, context: RunContext, name: str
) -> Explanation:
    """Explain labels of some vertices by their features, under the learned prior; scores come from folds.

    The random streams are those of this name under the fit's seed, and lengths depend on settings and sizes alone, so
    asking again gives the same answer.
    """
    subset = rows_of(features, vertices)
    design = make_design(subset, intercept=True)
    folds = min(_FOLDS, len(vertices))
    longest = _seconds_of_chain(config, folds)
    cost = design.x.nnz, int(labels.max()) + 1, longest / 2
    options: dict[str, Any] = {
        "weight_prior": "learned", "intercept": True, "intercept_sd": config.intercept_sd,
        "n_draws": affordable_moves(*cost, _LEAST_DRAWS, config.countable_draws),
        "n_warmup": affordable_moves(*cost, _LEAST_WARM, config.n_warmup), "n_chains": config.n_chains,
        "workers": context.workers, "progress": context.tell,
    }  # fmt: skip

    def sample(design: Design, rows: Array, seed: int, stage: str, selects: bool = False) -> SampledWeights:
        sweeps = None if selects else 0  # 0: columns are not selected
        trace = sample_weights(design, labels, rows, seed=seed, stage=stage, n_sweeps=sweeps, **options)
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
