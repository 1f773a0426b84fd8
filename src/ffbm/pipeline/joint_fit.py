"""The whole flow for the joint posterior: labels and weights, ranking, the same again on the kept features, scores."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ffbm.config import FitConfig
from ffbm.errors import OptionError, keyword
from ffbm.explanation import Explanation
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import Fold, make_measure, make_measure_on
from ffbm.pipeline.explanation import SampledWeights, explain, explain_kept, fill_held_out, score_sampled
from ffbm.pipeline.imputation import with_remarks
from ffbm.pipeline.joint import JointTrace, number_like, sample_joint
from ffbm.pipeline.joint_selection import SelectedBlocks, draw_full_weights, number_blocks_like, select_jointly
from ffbm.rng import child_seed, stream
from ffbm.scoring import combine_folds, fold_rows, split_rows
from ffbm.store.parts import FitParts
from ffbm.theta.columns import keep_groups
from ffbm.theta.design import Design
from ffbm.theta.prior import keep_scales
from ffbm.types import Array, Memberships, Network

_OF_CHAINS = 0.7  # the share of the time that they may take; the rest is for weights and the table of columns
_LENGTH = ("n_sweeps", "burn_in", "thin", "tempering")
_LENGTHS = ("description_length", "description_length_without_partition")


def fit_jointly(net: Network, design: Design, config: FitConfig, seed: int, context: RunContext) -> FitParts:
    """Sample labels and weights together, rank features, and do it again with the kept ones alone.

    Further runs, on the kept features and for folds, are as long as the first, and all together have seven tenths of
    the time.
    The training vertices are those that the cut posterior has under the same seed. If folds are asked for, each is a
    run of its own, in which features say nothing of the vertices held out, and is scored against its own memberships.

    Under the learned prior blocks and decisions on columns come from all vertices, and scores from a further run, in
    which features say nothing of the vertices held out. The weights of the full model, with all columns included, are
    drawn given some of the kept partitions after each run: a cut step.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.load_dataset("polbooks")
    >>> config = FitConfig(n_blocks=2, target="joint", n_sweeps=100, n_draws=16, n_chains=2, seed=1)
    >>> parts = fit_jointly(net, make_design(net.features, True), config, 1, RunContext())
    >>> parts.blocks.labels.shape, parts.weights.inclusion.shape, parts.weights.weights.shape
    ((2, 16, 105), (2, 16, 1), (2, 32, 2, 4))
    """
    if config.weight_prior == "learned":
        return _fit_selecting(net, design, config, seed, context)
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    n_folds = config.n_folds(net.n_nodes)
    n_runs = 1 + (n_folds if n_folds > 1 else 0) + (config.n_kept is not None)
    options: dict[str, Any] = {
        "rows": train, "intercept": bool(config.intercept), "n_draws": config.countable_draws,
        "max_minutes": _OF_CHAINS * config.max_minutes / n_runs,
        **config.pick(*_LENGTH, "sampler", "n_warmup", "n_chains", "moves", "degree_corrected"), "context": context,
    }  # fmt: skip
    first = sample_joint(net, config.n_blocks, seed=seed, features=design, sigma=config.sigma, **options)
    if config.n_sweeps == "auto":
        lengths = first.blocks.settings
        n_draws = lengths["n_moves"] * (lengths["n_sweeps"] - lengths["burn"])
        options |= {name: lengths[name] for name in _LENGTH} | {"n_draws": n_draws}

    def sample_again(kept: Design, _rows: Array, seed: int, stage: str) -> SampledWeights:
        sigma = keep_scales(config.sigma, design, kept)
        trace = sample_joint(net, first.blocks.n_blocks, seed=seed, features=kept, sigma=sigma, stage=stage, **options)
        return _sampled(number_like(trace, first.memberships))

    rule: dict[str, Any] = {"k": config.k, "n_kept": config.n_kept}
    whole = explain(net.features, design, train, lambda *_: _sampled(first), seed, **rule, workers=context.threads)
    whole = _remarked(whole, net, first.memberships, config)
    measure = make_measure(net, config, design, whole.weights, first.memberships, train, seed, context.threads)
    if n_folds > 1:
        folds = (
            (part, number_like(sample_joint(
                net, first.blocks.n_blocks, seed=child_seed(seed, "fold", number), features=design, sigma=config.sigma,
                stage=f"joint, fold {number + 1} of {n_folds}", **options | {"rows": part},
            ), first.memberships))
            for number, part in enumerate(fold_rows(net.n_nodes, n_folds, stream(seed, "folds")))
        )  # fmt: skip
        whole, fold_memberships = _cross_validated(whole, design, folds, context.threads)
        measure = make_measure_on(net, config, design, whole.weights, fold_memberships, seed, context.threads)
    whole = replace(whole, measure=measure)
    reduced = explain_kept(
        whole, design, train, sample_again, seed, stage="joint, kept features", workers=context.threads
    )
    return FitParts(net, config, train, first.blocks, first.memberships, whole, reduced)


def _fit_selecting(net: Network, design: Design, config: FitConfig, seed: int, context: RunContext) -> FitParts:
    """Sample labels and columns together, draw the full model's weights given the labels, and score other runs."""
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    runs: list[tuple[Array, SelectedBlocks]] = []
    options: dict[str, Any] = {
        "intercept": bool(config.intercept), "intercept_sd": config.intercept_sd, "context": context,
    }  # fmt: skip
    length = config.pick(*_LENGTH)
    n_folds = config.n_folds(net.n_nodes)
    n_runs = 1 + n_folds + (config.n_kept is not None)  # scores come from others, which are as long as the first
    length["max_minutes"] = _OF_CHAINS * config.max_minutes / n_runs

    def sample(columns: Design, rows: Array, seed: int, stage: str, selects: bool = False) -> SampledWeights:
        groups: dict[str, Any] = {"column_groups": keep_groups(config.column_groups, columns.columns)}
        draws = select_jointly(
            net, runs[0][1].blocks.n_blocks if runs else config.n_blocks, rows, n_chains=config.n_chains, seed=seed,
            moves=config.moves, features=columns, degree_corrected=config.degree_corrected,
            stage=stage.replace("weights", "joint"), **length, **options, **groups,
        )  # fmt: skip
        draws = number_blocks_like(draws, runs[0][1].memberships) if runs else draws
        runs.append((rows, draws))
        if config.n_sweeps == "auto":
            length.update({name: draws.blocks.settings[name] for name in _LENGTH})
        weights, variance = draw_full_weights(
            net, columns, draws, rows=rows, sampler=config.sampler, n_draws=config.countable_draws,
            n_warmup=config.n_warmup, seed=seed, stage=stage.replace("joint", "weights"), **options, **groups,
        )  # fmt: skip
        if selects:
            weights = replace(weights, selected=draws.selected, settings=weights.settings | {"fdr": config.fdr})
        return SampledWeights(weights, draws.memberships, draws.blocks, variance)

    whole = explain(
        net.features, design, train, sample, seed, k=config.k, n_kept=config.n_kept,
        folds=n_folds, decides=True, stage="joint", workers=context.threads,
    )  # fmt: skip
    whole = _remarked(whole, net, runs[0][1].memberships, config)
    columns = [Fold(rows, draws.memberships.probs) for rows, draws in runs[1:] or runs]
    whole = replace(whole, measure=make_measure_on(net, config, design, whole.weights, columns, seed, context.threads))
    reduced = explain_kept(whole, design, train, sample, seed, stage="joint, kept features", workers=context.threads)
    first = runs[0][1]
    return FitParts(net, config, train, first.blocks, first.memberships, whole, reduced)


def _remarked(whole: Explanation, net: Network, members: Memberships, config: FitConfig) -> Explanation:
    """Return the explanation with notes on missing cells."""
    return replace(whole, weights=with_remarks(whole.weights, net.features, members.labels, config.impute))


def _cross_validated(
    whole: Explanation, design: Design, folds: Iterable[tuple[Array, JointTrace]], workers: int | None
) -> tuple[Explanation, list[Fold]]:
    """Return the explanation with scores of folds, each against the memberships of its own run, and the folds."""
    held_out = np.full((design.n_nodes, whole.weights.n_blocks), np.nan)
    each, fold_memberships = [], []
    for part, trace in folds:
        fold_memberships.append(Fold(part, trace.memberships.probs))
        each.append(score_sampled(_sampled(trace), design, part, workers))
        fill_held_out(held_out, _sampled(trace), design, part)
    lengths = {name: getattr(whole.scores, name) for name in _LENGTHS}
    return replace(whole, scores=replace(combine_folds(each), **lengths), held_out=held_out), fold_memberships


def check_joint(config: FitConfig, blocks: Any) -> None:
    """Refuse what has no meaning for the joint posterior."""
    cut, joint = keyword("target", '"cut"'), '"joint"'
    if config.memberships != "averaged":
        raise OptionError(
            f"{keyword('memberships', repr(config.memberships))} is for {cut}: with {joint} every draw of the weights"
            " has labels of its own; leave it out"
        )
    if blocks is not None:
        raise OptionError(f"blocks= is for {cut}: with {joint} blocks are sampled with the weights; leave it out")


def _sampled(trace: JointTrace) -> SampledWeights:
    return SampledWeights(trace.weights, trace.memberships, trace.blocks, is_joint=True)
