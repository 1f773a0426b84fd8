"""What each block chain says of the columns, on its own: weights given its own partitions, drawn one by one."""

from dataclasses import replace
from typing import Any

import numpy as np

from ffbm.diagnostics import ColumnVerdict, ess_mean, judge_columns
from ffbm.pipeline.context import QUIET
from ffbm.pipeline.estimate import seconds_of_draws
from ffbm.pipeline.explanation import sampler_given
from ffbm.pipeline.labels import number_labels, take_draws
from ffbm.relevance import LEAST, find_decided
from ffbm.rng import child_seed, stream
from ffbm.scoring import score_weights
from ffbm.store.parts import FitParts
from ffbm.theta.design import make_design
from ffbm.types import Array, BlockTrace
from ffbm.types.selection import SelectionTrace
from ffbm.types.weights import INTERCEPT, WeightTrace

_SECONDS = 4.0  # of one core, about, for all chains; these and what follows are of a fit that may take ten minutes
_MOST, _LEAST = 20, 2  # partitions of each chain
_MOST_SECONDS, _LEAST_VERTICES = 30.0, 2000  # where the least of them take longer, fewer vertices train the weights
_COMPARED = 50_000  # vertices that predictions of the chains are compared on: shares of them are known to 0.3 %
_WARMUP = 60  # moves for a partition, with what its mode costs
_PIECE = 64  # draws worked on at once
_LOOKED_AT = 500  # draws of a chain, at most, where weights belong to block chains: more would be read into memory
_DRAWS = 100  # of each chain
_ERRORS = 3.0  # standard errors: there may be hundreds of columns, and the extremes of the chains are compared
_BY_CHAIN = (
    "weights", "energy", "acceptance_rate", "step_size", "n_steps", "diverging", "chain_mean", "chain_sd",
)  # fmt: skip


def compare_chains(parts: FitParts) -> ColumnVerdict | None:
    """Compare what the block chains of a fit say of columns, each by itself; None where there is nothing to compare.

    With ``memberships="drawn"`` and with the joint posterior each weight chain belongs to a block chain already.
    Otherwise weights are drawn for some partitions of each chain, 20 at most and fewer where that would take more than
    a few seconds, from streams named "columns" under the seed of the fit. Of more than 50,000 vertices, the chains are
    compared on some.

    Under the learned prior a column matters by a chain if it is decided so from the partitions of that chain for which
    columns were selected. Under the fixed one the score of its best feature is to be above 0, as in the ranking, and
    the sentence says no more than that. Three standard errors either way are chance. Chains for whose partitions there
    was no time are not compared.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.config import FitConfig
    >>> from ffbm.pipeline.fit import run_fit
    >>> net = ffbm.load_dataset("polbooks")
    >>> parts = run_fit(net, FitConfig(n_blocks=3, n_sweeps=200, n_warmup=100, n_draws=100, seed=1))
    >>> compare_chains(parts).matter
    ('value',)
    """
    if parts.blocks.n_chains < 2 or parts.memberships.n_blocks < 2 or "given" in parts.blocks.settings:
        return None
    selected = parts.weights.selected
    chains = np.arange(parts.blocks.n_chains)
    if selected is not None:
        chains = np.unique(selected.partition // parts.blocks.n_draws)
        if len(chains) < 2:
            return None
    compared = _compared(parts)
    labels = number_labels(parts.blocks.labels[chains][:, :, compared], parts.memberships.order[chains])
    n_blocks = parts.memberships.n_blocks
    shares = np.stack([(labels == r).mean(axis=1) for r in range(n_blocks)], axis=-1)  # of a chain's draws (C, N, B)
    trace = _weights_by_chain(parts)
    if selected is None:
        names = list(dict.fromkeys(column for column in trace.columns if column != INTERCEPT))
        which = [np.flatnonzero([column == name for column in trace.columns]) for name in names]
    else:
        names = list(selected.column_names)
        which = [np.flatnonzero(selected.of_feature == g) for g in range(len(names))]
    by_chain = [_chain(trace, int(c)) for c in chains]
    features: Any = parts.network.features
    rows = np.isin(np.arange(parts.network.n_nodes)[compared], trace.rows)
    if not isinstance(compared, slice):
        features = make_design(features, INTERCEPT in trace.names).of(compared)
    scored = [score_weights(one, features, y, rows) for one, y in zip(by_chain, shares, strict=True)]
    side = "test" if scored[0].n_test else "train"
    if selected is None:
        pairs = [_scores(one, which, parts.ranking.k) for one in by_chain]
    else:
        pairs = _decisions(selected, parts.blocks, float(parts.weights.settings.get("fdr", parts.config.fdr)))
    scores, margins = zip(*pairs, strict=True)
    return judge_columns(
        names,
        _changed(shares),
        np.array([getattr(one, f"bits_{side}") for one in scored]),
        np.array([getattr(one, f"bits_se_{side}") for one in scored]),
        np.stack([_sizes(one.weights[0], which) for one in by_chain]),
        np.stack(scores),
        np.stack(margins),
        by_score=selected is None,
    )


def _compared(parts: FitParts) -> Any:
    """Return the vertices that the chains are compared on: all, or some where there are many and none is imputed."""
    n_nodes = parts.network.n_nodes
    if n_nodes <= _COMPARED or parts.config.impute:
        return slice(None)
    return np.sort(stream(parts.config.known_seed, "columns", "compared").choice(n_nodes, _COMPARED, replace=False))


def _weights_by_chain(parts: FitParts) -> WeightTrace:
    """Return weights whose chains belong to the block chains."""
    blocks, config = parts.blocks, parts.config
    if config.target == "joint" or config.memberships == "drawn":
        step = -(-parts.weights.weights.shape[1] // _LOOKED_AT)
        return parts.weights if step == 1 else replace(parts.weights, weights=parts.weights.weights[:, ::step].copy())
    some, members = take_draws(blocks, parts.memberships, _some(parts))
    short = replace(config, memberships="drawn", n_draws=_DRAWS, n_warmup=0)
    design = make_design(parts.network.features, bool(config.intercept), config.impute)
    sample = sampler_given(short, design, some, members, QUIET)
    return sample(design, _some_vertices(parts), child_seed(config.known_seed, "columns"), "weights by chain").weights


def _some(parts: FitParts) -> Array:
    """Return the numbers of the partitions that weights are drawn for, evenly spaced: as many as time allows."""
    blocks = parts.blocks
    n = int(np.clip(parts.config.effort * _SECONDS / (_seconds(parts) * blocks.n_chains), _LEAST, _MOST))
    return np.unique(np.linspace(0, blocks.n_draws - 1, min(n, blocks.n_draws)).round().astype(np.int64))


def _seconds(parts: FitParts) -> float:
    """Return about how long the weights of one partition take."""
    return seconds_of_draws(parts.network, parts.memberships.n_blocks, _WARMUP + _DRAWS // _MOST)


def _some_vertices(parts: FitParts) -> Array:
    """Return the training vertices, or some of them where two partitions of each chain would take long."""
    train, seconds = parts.train, _LEAST * parts.blocks.n_chains * _seconds(parts)
    effort = parts.config.effort
    most = effort * _MOST_SECONDS
    n = max(int(len(train) * most / max(seconds, most)), min(int(effort * _LEAST_VERTICES), len(train)))
    if n >= len(train):
        return train
    return np.sort(stream(parts.config.known_seed, "columns", "vertices").choice(train, n, replace=False))


def _changed(shares: Array) -> float:
    """Return the share of vertices that are not most often in the same block in all chains."""
    labels = shares.argmax(axis=2)
    return float((labels != labels[0]).any(axis=0).mean())


def _chain(trace: WeightTrace, number: int) -> WeightTrace:
    """Return one chain of a trace as a trace."""
    return replace(trace, **{name: getattr(trace, name)[number : number + 1] for name in _BY_CHAIN}, diagnose=None)


def _sizes(weights: Array, columns: list[Array]) -> Array:
    """Return |V_g|^2 of each draw and column, (T, G), from weights (T, B, D); some draws at a time, for memory."""
    sizes = []
    for first in range(0, len(weights), _PIECE):
        piece = weights[first : first + _PIECE]
        square = ((piece - piece.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        sizes.append(np.stack([square[:, features].sum(axis=1) for features in columns], axis=1))
    return np.concatenate(sizes)


def _decisions(selected: SelectionTrace, blocks: BlockTrace, fdr: float) -> list[tuple[Array, Array]]:
    """Return by chain how far inclusion is above one half (G,), at most 0 if undecided, and three standard errors."""
    chain = np.unique(selected.partition) // blocks.n_draws
    scored = []
    for c in np.unique(chain):
        by_draw = selected.by_partition[chain == c]
        inclusion = by_draw.mean(axis=0)
        score = np.minimum(inclusion - LEAST, 0.0)
        decided = list(find_decided(inclusion, fdr))
        score[decided] = inclusion[decided] - LEAST
        scored.append((score, _ERRORS * np.hypot(by_draw.std(axis=0) / np.sqrt(len(by_draw)), selected.error)))
    return scored


def _scores(trace: WeightTrace, columns: list[Array], k: float) -> tuple[Array, Array]:
    """Return the score of the best feature of each column (G,), and three Monte Carlo standard errors of it."""
    mean, sd = trace.mean, trace.sd
    score = np.abs(mean) - k * sd
    best = [np.unravel_index(score[:, features].argmax(), (len(score), len(features))) for features in columns]
    r, j = np.array([(row, features[at]) for (row, at), features in zip(best, columns, strict=True)]).T
    error = sd[r, j] * np.sqrt((1 + k**2 / 2) / ess_mean(trace.weights[:, :, r, j]))
    return score[r, j], _ERRORS * error
