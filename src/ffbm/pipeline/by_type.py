"""What features say of the blocks of each type of vertices: a softmax over the blocks of a vertex's own type.

Given the types the likelihood of the weights is a product over types, so each has a regression of its own, on its own
vertices and on the columns that vary among them. What the other types have in a column is absent, not zero.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.explanation import Explanation
from ffbm.pipeline.clock import Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import make_measure
from ffbm.pipeline.explanation import SampledWeights, explain, refitter_given, sampler_given
from ffbm.pipeline.permutation import Among
from ffbm.pipeline.splits import explain_splits, rows_of
from ffbm.progress import Listener, listening
from ffbm.rng import child_seed, resolve_seed, stream
from ffbm.scoring import split_rows
from ffbm.theta.design import Design, make_design
from ffbm.types import Array, BlockTrace, Features, Memberships, Network, NodeTypes, node_types
from ffbm.types.tree import Tree
from ffbm.types.weights import Sigma
from ffbm.workers import Workers


def explain_types(
    net: Network,
    blocks: BlockTrace,
    node_type: Any,
    *,
    weight_prior: str = "learned",
    memberships: str = "averaged",
    sigma: Sigma = 1.0,
    intercept: bool | None = None,
    n_draws: int = 1000,
    n_warmup: int = 500,
    n_chains: int = 4,
    folds: int | str = "auto",
    fdr: float = 0.1,
    seed: int | None = 0,
    workers: Workers = None,
    progress: Listener | bool | None = None,
) -> dict[str, Explanation]:
    """Explain the blocks of each type of vertices by the features of its own vertices.

    A vertex is in one of the blocks of its type, so each type has a softmax and weights of its own, on the columns that
    vary among its vertices; numbers are standardised among them.

    Parameters
    ----------
    net : Network
        With features.
    blocks : BlockTrace
        What ``sample_blocks(net, ..., node_type=...)`` returns, with a fixed number of blocks of each type or "auto".
    node_type : column name or (N,) types
        The same as for the blocks.
    weight_prior, memberships, sigma, intercept, n_draws, n_warmup, n_chains, folds, fdr
        As for ``fit``.
    seed : int or None
        The same seed gives the same answer on any number of workers; None draws one.
    workers : int, or address or Client of a dask cluster, optional
    progress : None, bool or callable

    Returns
    -------
    dict of Explanation, by type
        ``weights`` (C, T, B, D) of the B blocks of the type, ``ranking``, ``scores``, ``relevance``, ``column_table``.
        Blocks of a type are numbered from 0 by decreasing size. A type with one block, or without a column that varies,
        has nothing to explain and is left out.

    Examples
    --------
    >>> import ffbm, pandas as pd
    >>> pairs = [(f"p{i}", f"e{j}") for i in range(12) for j in range(8) if (i < 6) == (j < 4)]
    >>> who = pd.DataFrame({"kind": "person", "team": ["red"] * 6 + ["blue"] * 6}, index=[f"p{i}" for i in range(12)])
    >>> what = pd.DataFrame({"kind": "event", "place": [*"xyxyxyxy"]}, index=[f"e{j}" for j in range(8)])
    >>> net = ffbm.as_network(pairs, pd.concat([who, what]))
    >>> blocks = ffbm.sample_blocks(net, {"person": 2, "event": 2}, n_sweeps=200, node_type="kind", seed=1)
    >>> explanations = ffbm.explain_types(net, blocks, "kind", n_draws=200, seed=1)
    >>> {of: explanation.weights.names for of, explanation in explanations.items()}
    {'event': ('place=x', 'place=y', '(intercept)'), 'person': ('team=blue', 'team=red', '(intercept)')}
    """
    types = node_types(net, node_type)
    if types is None:
        raise OptionError("explain_types needs node_type, a column or a type for each vertex; got None")
    check_typed(blocks, types)
    config = FitConfig(
        weight_prior=weight_prior, memberships=memberships, sigma=sigma, intercept=intercept, n_draws=n_draws,  # type: ignore[arg-type]
        n_warmup=n_warmup, n_chains=n_chains, folds=folds, fdr=fdr, seed=resolve_seed(seed), n_kept="all",
    )  # fmt: skip
    with listening(progress) as tell:
        context, members = RunContext(workers, tell), align_blocks(blocks)
        return explain_each(net, types, blocks, members, config, context, Schedule.of(config))


def explain_each(
    net: Network,
    types: NodeTypes,
    blocks: BlockTrace,
    members: Memberships,
    config: FitConfig,
    context: RunContext,
    schedule: Schedule,
) -> dict[str, Explanation]:
    """Explain the blocks of each type that has two and a column that varies, by settings in one object.

    Chains whose length is open keep to the schedule.
    """
    explanations = {}
    for t, value in enumerate(types.values):
        vertices = np.flatnonzero(types.of_vertex == t)
        features = features_of_type(net.features, vertices, types.column)
        trace, type_members = blocks_of_type(blocks, members, value, vertices)
        if type_members.n_blocks > 1 and features.n_features:
            explanations[value] = _explain(
                net, value, Among(vertices, members.labels), features, trace, type_members, config, context, schedule
            )
    return explanations


def explain_trees(
    trees: dict[str, Tree],
    explanations: dict[str, Explanation],
    config: FitConfig,
    context: RunContext,
    schedule: Schedule,
) -> dict[str, Tree]:
    """Return the tree of each type with its splits explained, where there is something to explain."""
    explained = dict(trees)
    for value, explanation in explanations.items():
        explained[value] = explain_splits(explanation.features, trees[value], config, context, schedule)
    return explained


def _explain(
    net: Network,
    value: str,
    among: Among,
    features: Features,
    blocks: BlockTrace,
    members: Memberships,
    config: FitConfig,
    context: RunContext,
    schedule: Schedule,
) -> Explanation:
    """Explain the memberships of the vertices of one type, from random streams of its own."""
    seed = child_seed(config.known_seed, "type", value)
    design, n_nodes = make_design(features, bool(config.intercept)), len(members.labels)
    sampler = sampler_given(config, design, blocks, members, context, schedule.end_of("chains"))

    def sample(design: Design, rows: Array, seed: int, stage: str, selects: bool = False) -> SampledWeights:
        return sampler(design, rows, seed, stage, selects)._replace(blocks=None)  # S is that of all types

    refit = refitter_given(config, design, blocks, members, context.workers, scores_blocks=False)
    train = split_of_type(config, value, n_nodes)
    whole = explain(
        features, design, train, sample, seed, folds=config.n_folds(n_nodes), decides=config.weight_prior == "learned",
        refit=refit, stage=f"weights, {value}", workers=context.threads, schedule=schedule,
    )  # fmt: skip
    measure = make_measure(net, config, design, whole.weights, members, train, seed, context.threads, among)
    return replace(whole, measure=measure)


def split_of_type(config: FitConfig, value: str, n_nodes: int) -> Array:
    """Return the training vertices among those of one type."""
    seed = child_seed(config.known_seed, "type", value)
    return split_rows(n_nodes, config.train_fraction, stream(seed, "split"))


def check_typed(blocks: BlockTrace, types: NodeTypes) -> None:
    """Refuse blocks that were not sampled with these types, or whose number was free."""
    by_type = blocks.settings.get("node_types")
    if by_type is None or set(by_type) != set(types.values):
        came = "none" if by_type is None else ", ".join(map(repr, by_type))
        raise OptionError(
            f"blocks must be sampled with node_type, of the types {', '.join(map(repr, types.values))}; got {came}:"
            " see sample_blocks(node_type=...)"
        )
    if any(number is None for number in by_type.values()):
        raise OptionError('blocks must have a fixed number of each type; got n_blocks="free": take "auto"')


def blocks_of_type(
    blocks: BlockTrace, members: Memberships, value: str, vertices: Array
) -> tuple[BlockTrace, Memberships]:
    """Return the draws and the memberships of the vertices of one type in the blocks of that type, numbered from 0."""
    chain_numbers = np.array(blocks.settings["node_types"][value])
    numbers = np.unique(members.order[0, 0, chain_numbers])  # after alignment, the same in all draws
    index_of = np.full(members.n_blocks, -1)
    index_of[numbers] = np.arange(len(numbers))
    labels = blocks.labels[:, :, vertices] - chain_numbers[0]
    trace = replace(
        blocks,
        labels=labels,
        best_labels=blocks.best_labels[vertices] - chain_numbers[0],
        n_blocks=len(numbers),
        settings={name: setting for name, setting in blocks.settings.items() if name != "node_types"},
    )
    probs = np.ascontiguousarray(members.probs[np.ix_(vertices, numbers)])
    type_members = Memberships(
        probs=probs,
        labels=index_of[members.labels[vertices]],
        agreement=float(probs.max(axis=1).mean()),
        order=index_of[members.order[:, :, chain_numbers]],
    )
    return trace, type_members


def features_of_type(features: Features, vertices: Array, without: str | None) -> Features:
    """Return the features that vary among some vertices, but for those of one column; numbers standardised again."""
    part = rows_of(features, vertices)
    mean, sd, is_number = part.mean.copy(), part.sd.copy(), features.is_number
    numbers = part.values[:, is_number]
    numbers = numbers.toarray() if sp.issparse(numbers) else np.array(numbers)
    for x, j in zip(numbers.T, np.flatnonzero(is_number), strict=True):
        known = ~part.is_missing(part.columns[j])
        centre, spread = (x[known].mean(), x[known].std()) if known.any() else (0.0, 0.0)
        if spread > 0:
            x[:] = np.where(known, (x - centre) / spread, 0.0)
            mean[j], sd[j] = mean[j] + sd[j] * centre, sd[j] * spread
    values = _with_numbers(part.values, is_number, numbers)
    varies = _extreme(values, "max") > _extreme(values, "min")
    varies &= np.array([column != without for column in part.columns], dtype=bool)
    return replace(part, values=values, mean=mean, sd=sd).take(np.flatnonzero(varies))


def _with_numbers(values: Any, is_number: Array, numbers: Array) -> Any:
    """Return the values (n, D), dense or sparse, with other numbers in their columns."""
    if not sp.issparse(values):
        new = np.array(values)
        new[:, is_number] = numbers
        return new
    back = np.argsort(np.concatenate((np.flatnonzero(~is_number), np.flatnonzero(is_number))))
    return sp.csr_array(sp.hstack((values[:, ~is_number], sp.csr_array(numbers)), format="csc")[:, back])


def _extreme(values: Any, method: str) -> Array:
    extreme = getattr(values, method)(axis=0)
    return np.asarray(extreme.toarray() if sp.issparse(extreme) else extreme).reshape(-1)
