"""The weight stage with drawn memberships: weights from p(theta | X, b) for every partition b of the block chains."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from ffbm.check import check_bool, check_bool_or, check_choice, check_int
from ffbm.config import FitConfig, choose_prior
from ffbm.errors import DataError
from ffbm.kernels.weightchain import Record
from ffbm.pipeline import weights as averaged
from ffbm.pipeline.context import QUIET, RunContext
from ffbm.pipeline.imputation import gather_imputed
from ffbm.pipeline.labels import number_labels
from ffbm.pipeline.run import Stepper, run_chains
from ffbm.pipeline.selection import select_drawn
from ffbm.pipeline.weightlength import check_draws
from ffbm.store.checkpoints import digest
from ffbm.theta.blanks import INDEPENDENT
from ffbm.theta.design import make_design
from ffbm.theta.drawn import DrawnPlan, DrawnState, advance_drawn, plan_drawn, start_drawn
from ffbm.theta.imputed import ImputedDrawnState, ImputedRecord, advance_imputed_drawn, start_imputed_drawn
from ffbm.theta.prior import INTERCEPT_SD, plain_sigma
from ffbm.types.blocks import BlockTrace, Memberships
from ffbm.types.graph import Array
from ffbm.types.selection import SelectionTrace
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import Sigma, WeightTrace

LEAST_EACH = 2  # draws for each partition: fewer would not tell within from between
LEAST_WARMUP = 50  # moves for each partition


def sample_weights_drawn(
    features: Any,
    blocks: BlockTrace,
    members: Memberships,
    rows: Any = None,
    sigma: Sigma = 1.0,
    intercept: bool | None = None,
    sampler: str = FitConfig.sampler,
    n_draws: int | str = FitConfig.n_draws,
    n_warmup: int = FitConfig.n_warmup,
    seed: int = 0,
    *,
    max_minutes: float | None = FitConfig.max_minutes,
    weight_prior: str | None = None,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    n_sweeps: int | None = None,
    impute: bool | str = False,
    stage: str = "weights",
    context: RunContext = QUIET,
) -> tuple[WeightTrace, VarianceSplit]:
    """Sample the weights from p(theta | X, b) for every kept b, so that the uncertainty of the blocks reaches them.

    The draws are from the mixture (1/T) sum_t p(theta | X, b(t)), one weight chain for each block chain, in the order
    of its partitions; with b(t) from p(b | A) that is the cut posterior of the weights.

    Parameters
    ----------
    features : Features, (N, D) array or sparse matrix, or Design
    blocks : BlockTrace
        The partitions, C chains of T.
    members : Memberships
        Of the same trace, for its ``order``: partitions are brought to one numbering of the blocks.
    rows, sigma, intercept, sampler, seed, weight_prior, intercept_sd, column_groups, impute, stage
        As in ``sample_weights``.
    n_draws : int or "auto"
        Draws of each chain, at least: each partition gets m = max(2, ceil(n_draws / T)). "auto" are 1,000: more draws
        come with more partitions. Only the sweeps over columns go on until they are precise, or ``max_minutes`` over.
    n_warmup : int
        Warm-up of each chain, shared out: each partition gets max(50, ceil(n_warmup / T)) moves, not kept.
    n_sweeps : int, optional
        Under the learned prior: sweeps over the columns that each chain keeps, shared out over ten of its partitions,
        20 at a time.
    context : RunContext

    Returns
    -------
    WeightTrace
        ``weights`` (C, T m, B, D): the m draws of the first partition, then those of the second, and so on.
    VarianceSplit
        The variance of every weight within and between partitions.

    Notes
    -----
    Fifty moves are enough of a warm-up because they have little to do: a chain starts at a draw from the normal
    approximation at the mode of its own target, which is nearly the target itself, and moves in the geometry of that
    mode, where the first step size is nearly right.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> blocks = ffbm.sample_blocks(net, n_blocks=3, n_sweeps=200, seed=1)
    >>> trace, split = sample_weights_drawn(net.features, blocks, ffbm.align_blocks(blocks), n_draws=64, n_sweeps=0)
    >>> trace.weights.shape, split.within.shape  # three values and an intercept
    ((4, 64, 3, 4), (3, 4))
    """
    labels = _aligned(blocks, members)
    n_chains, n_partitions, _ = labels.shape
    check_choice("sampler", sampler, ("hmc", "mala"))
    length, n_warmup = check_draws(n_draws, max_minutes), check_int("n_warmup", n_warmup, low=0)
    chosen = {
        "n_warmup": max(LEAST_WARMUP, ceil(n_warmup / n_partitions)),
        "n_each": max(LEAST_EACH, ceil(length.planned / n_partitions)),
        "sampler": sampler,
        "seed": seed,
    }
    weight_prior = choose_prior(weight_prior)
    learns = weight_prior == "learned"
    intercept = learns if intercept is None else check_bool("intercept", intercept)
    prior = averaged.read_prior(weight_prior, sigma, intercept_sd, column_groups)
    design = make_design(features, intercept, check_bool_or("impute", impute, INDEPENDENT))
    plan = plan_drawn(design, labels, blocks.n_blocks, rows, sigma, intercept, **chosen, **prior)
    chosen |= {
        "sigma": plain_sigma(sigma, plan.scale),
        "intercept": bool(intercept),
        "n_draws": plan.n_each * n_partitions,
        "n_chains": n_chains,
        "memberships": "drawn",
    } | prior
    n_bytes = 8 * n_chains * chosen["n_draws"] * blocks.n_blocks * len(plan.scale)
    plan = plan._replace(thin=min(max(1, ceil(n_bytes / averaged.STORED_BYTES)), chosen["n_draws"]))
    key = digest(plan._replace(repeats=Counter(), setups={})) if context.checkpoints else ""
    stepper: Stepper[Any, Any] = Stepper(advance_drawn, DrawnState, Record)
    if plan.unknown is not None:
        stepper = Stepper(advance_imputed_drawn, ImputedDrawnState, ImputedRecord)
    states, drawn, _ = run_chains(stage, stepper, plan, partial(_begin, plan), n_partitions, context, key)
    selects = learns and n_sweeps != 0
    selected = select_drawn(plan, length, n_sweeps, context, stage) if selects else None
    imputed = None
    if plan.unknown is not None:
        imputed = gather_imputed(plan.unknown.cells, [state.cells for state in states], drawn.law)
        states = [state.chain for state in states]
    means = [state.mean for state in states]
    squares = [state.within + plan.n_each * state.between for state in states]
    trace = averaged.gather(plan.training, drawn, means, squares, plan.thin, chosen)
    return replace(trace, selected=selected, imputed=imputed), _split(plan, states)


def select_columns(
    features: Any,
    blocks: BlockTrace,
    members: Memberships,
    rows: Any = None,
    intercept: bool = True,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    n_draws: int | str = FitConfig.n_draws,
    seed: int = 0,
    max_minutes: float | None = FitConfig.max_minutes,
    whole_minutes: float | None = None,
    stage: str = "weights",
    context: RunContext = QUIET,
) -> SelectionTrace:
    """Sample which columns are included for some of the kept partitions: their mean is the inclusion given A.

    Averaged memberships blur partitions of different modes and do not decide. The arguments are those of
    ``sample_weights_drawn``; ``whole_minutes`` are those of a fit, if ``max_minutes`` are what is left of them.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> blocks = ffbm.sample_blocks(net, n_blocks=3, n_sweeps=100, n_chains=2, seed=1)
    >>> trace = select_columns(net.features, blocks, ffbm.align_blocks(blocks), n_draws=100)
    >>> trace.by_partition.shape, round(float(trace.probability[0]), 3)
    ((5, 1), 1.0)
    """
    labels, length = _aligned(blocks, members), check_draws(n_draws, max_minutes, whole_minutes)
    prior = averaged.read_prior("learned", 1.0, intercept_sd, column_groups)
    plan = plan_drawn(
        features, labels, blocks.n_blocks, rows, 1.0, intercept, sampler="hmc", n_warmup=0, n_each=1,
        seed=seed, **prior,
    )  # fmt: skip
    return select_drawn(plan, length, None, context, stage)


def _begin(plan: DrawnPlan) -> list[Any]:
    begin: Any = start_drawn if plan.unknown is None else start_imputed_drawn
    return [begin(plan, chain) for chain in range(len(plan.labels))]


def _aligned(blocks: BlockTrace, members: Memberships) -> Array:
    """Return the labels of all draws in one numbering of the blocks (C, T, N)."""
    n_chains, n_partitions, _ = blocks.labels.shape
    shape = n_chains, n_partitions, blocks.n_blocks
    if np.shape(members.order) != shape or n_chains * n_partitions == 0:
        raise DataError(
            f"members must be of these blocks, with an order of shape {shape}; got {np.shape(members.order)}:"
            " use align_blocks(blocks)"
        )
    return number_labels(blocks.labels, members.order)


def _split(plan: DrawnPlan, states: list[DrawnState]) -> VarianceSplit:
    """Return the variance of every weight within and between the partitions of all chains."""
    n_each, n_partitions = plan.n_each, len(plan.labels[0])
    n_all = n_partitions * len(states)
    means = np.stack([state.mean for state in states])
    apart = n_partitions * ((means - means.mean(axis=0)) ** 2).sum(axis=0)
    spread = np.sum([state.between for state in states], axis=0) + apart
    within = np.sum([state.within for state in states], axis=0) / (n_all * (n_each - 1))
    between = spread / (n_all - 1) - within / n_each if n_all > 1 else np.full_like(within, np.nan)
    return VarianceSplit(within, between, n_all, n_each)
