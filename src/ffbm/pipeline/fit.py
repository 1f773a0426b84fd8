"""The whole flow, from a network to scores: blocks, memberships, weights, ranking, refit on the kept features."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ffbm.blocks.align import align_blocks
from ffbm.check import check_int
from ffbm.config import FitConfig
from ffbm.data.remarks import why_no_features
from ffbm.errors import DataError, OptionError, keyword
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.clock import SHARES, Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import make_measure
from ffbm.pipeline.estimate import guess_blocks, seconds_of_draws
from ffbm.pipeline.explanation import explain, explain_kept, refitter_given, sampler_given
from ffbm.pipeline.given_blocks import take_blocks
from ffbm.pipeline.hierarchy import sample_hierarchies
from ffbm.pipeline.imputation import with_remarks
from ffbm.pipeline.joint_fit import check_joint, fit_jointly
from ffbm.pipeline.joint_tree import sample_tree, with_joint_columns
from ffbm.pipeline.precompilation import compiling_ahead
from ffbm.pipeline.readings import settle_readings
from ffbm.pipeline.splits import explain_splits
from ffbm.progress import Listener, listening
from ffbm.rng import stream
from ffbm.scoring import split_rows
from ffbm.store.checkpoints import Checkpoints
from ffbm.store.parts import FitParts
from ffbm.theta.columns import group_columns
from ffbm.theta.design import Design, make_design
from ffbm.theta.parts import find_parts
from ffbm.theta.prior import prior_scales
from ffbm.types import BlockTrace, Memberships, Network
from ffbm.workers import Workers

_LEAST_OF_BLOCKS = 0.3  # the share of blocks in the time that a fit may take
_MOVES = 4000  # of the weights, about, that columns need in a large network: chains, selection, refits; on two cores


def run_fit(
    net: Network,
    config: FitConfig,
    blocks: Any = None,
    progress: Listener | bool | None = None,
    workers: Workers = None,
    checkpoints: Checkpoints | None = None,
    schedule: Schedule | None = None,
) -> FitParts:
    """Sample blocks and weights of a network, rank its features and score them.

    The block chains see the whole network; floor(f N) vertices drawn at random train the weights and the others
    test them. Every stage draws from streams of its own name under the one seed, so a stage run alone with that
    seed gives the same draws.

    Parameters
    ----------
    net : Network
    config : FitConfig
    blocks : BlockTrace or (N,) labels, optional
        In place of the block stage.
    progress : None, bool or callable
    workers : int, or address or Client of a dask cluster, optional
    checkpoints : Checkpoints, optional
        Where chains are written down as they run, and found again.
    schedule : Schedule, optional
        When stages are to end; that of a fit that begins now if left out.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> config = FitConfig(n_blocks=2, n_sweeps=100, n_warmup=100, n_draws=100, seed=1)
    >>> parts = run_fit(net, config)
    >>> parts.weights.weights.shape, len(parts.train), parts.reduced
    ((4, 100, 2, 4), 73, None)
    """
    if net.n_features == 0:
        raise DataError(
            f"a fit explains blocks by features, and {why_no_features(net)}; in Python, ffbm.sample_blocks does without"
        )
    seed = config.known_seed
    design = make_design(net.features, bool(config.intercept), config.impute)
    if design.blanks is not None:
        find_parts(design)  # what cannot be imputed is refused before the block chains run
    group_columns(design, config.column_groups)
    prior_scales(config.sigma, design.columns)  # wrong ones are refused before the block chains run
    if (folds := config.n_folds(net.n_nodes)) > 1:
        check_int("folds", folds, low=2, high=net.n_nodes)
    if config.target == "joint":
        check_joint(config, blocks)
    if config.target == "joint" and not config.hierarchy:
        with listening(progress) as tell:
            return fit_jointly(net, design, config, seed, RunContext(workers, tell, checkpoints))
    with listening(progress) as tell, compiling_ahead(config.weight_prior == "learned") as wait_for_weight_level:
        context, schedule = RunContext(workers, tell, checkpoints), schedule or Schedule.of(config)
        if config.hierarchy:
            return _fit_hierarchy(net, design, config, blocks, context, wait_for_weight_level, schedule)
        trace = _find_blocks(net, config, blocks, context)
        members = align_blocks(trace)
        wait_for_weight_level()
        return _fit_given(net, design, config, trace, members, seed, context, schedule)


def _fit_given(
    net: Network,
    design: Design,
    config: FitConfig,
    blocks: BlockTrace,
    members: Memberships,
    seed: int,
    context: RunContext,
    schedule: Schedule,
) -> FitParts:
    """Explain the memberships of blocks that are known by now, with all features and with the kept ones."""
    if net.features.other:
        net = settle_readings(net, members.probs, config, seed)
        design = make_design(net.features, bool(config.intercept), config.impute)
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    sample = sampler_given(config, design, blocks, members, context, schedule.end_of("chains"))
    threads = context.threads
    whole = explain(
        net.features, design, train, sample, seed, k=config.k, n_kept=config.n_kept,
        folds=config.n_folds(net.n_nodes), decides=config.weight_prior == "learned",
        refit=refitter_given(config, design, blocks, members, context.workers), workers=threads, schedule=schedule,
    )  # fmt: skip
    whole = replace(whole, weights=with_remarks(whole.weights, net.features, members.labels, config.impute))
    whole = replace(whole, measure=make_measure(net, config, design, whole.weights, members, train, seed, threads))
    reduced = explain_kept(whole, design, train, sample, seed, stage="weights, kept features", workers=threads)
    return FitParts(net, config, train, blocks, members, whole, reduced)


def _fit_hierarchy(
    net: Network,
    design: Design,
    config: FitConfig,
    blocks: Any,
    context: RunContext,
    wait: Callable[[], object],
    schedule: Schedule,
) -> FitParts:
    """Sample hierarchies, explain their blocks as those of a flat fit, then every split of their tree."""
    if blocks is not None:
        raise OptionError(f"{keyword('hierarchy', True)} samples its blocks; got blocks=: leave one of them out")
    is_joint, minutes = config.target == "joint", minutes_of_blocks(net, config)
    if is_joint and net.graph.weights is not None:
        joint = keyword("target", '"joint"')
        raise OptionError(f"{keyword('hierarchy', True)} with {joint} is for edges without weights: leave them out")
    sampled = sample_hierarchies(net.graph, config, minutes / 2 if is_joint else minutes, context)
    trace, members = sampled.blocks, align_blocks(sampled.blocks)
    wait()
    leaves = None
    if is_joint and trace.n_blocks > 1:
        leaves = sample_tree(sampled, members.labels, design, config, minutes / 2, context)
        trace, members = leaves.blocks, align_blocks(leaves.blocks)
    parts = _fit_given(net, design, config, trace, members, config.known_seed, context, schedule)
    tree = explain_splits(
        parts.network.features, sampled.tree(members.labels), config, context._replace(checkpoints=None), schedule
    )
    return replace(parts, hierarchy=tree if leaves is None else with_joint_columns(tree, leaves, config.fdr))


def minutes_of_blocks(net: Network, config: FitConfig) -> float:
    """Return how long the blocks of a fit may take: seven tenths of the time, less where weights will need more of it.

    >>> import ffbm
    >>> minutes_of_blocks(ffbm.load_dataset("polbooks"), FitConfig(max_minutes=10))
    7.0
    """
    n_blocks = config.n_blocks if isinstance(config.n_blocks, int) else guess_blocks(net.n_nodes)
    needed = seconds_of_draws(net, n_blocks, _MOVES) / 60
    share = min(max(SHARES["chains"] - needed / config.max_minutes, _LEAST_OF_BLOCKS), SHARES["blocks"])
    return share * config.max_minutes


def _find_blocks(net: Network, config: FitConfig, blocks: Any, context: RunContext) -> BlockTrace:
    if blocks is not None:
        return take_blocks(net, blocks, config.n_blocks, config.degree_corrected)
    chosen = config.pick(
        "n_blocks", "n_sweeps", "burn_in", "thin", "n_chains", "seed", "moves", "degree_corrected", "tempering"
    )
    return sample_blocks(net, max_minutes=minutes_of_blocks(net, config), **chosen, **context.options)
