"""The joint stage under the learned prior: chains of labels, columns and weights, and the full model's weights after.

Labels are drawn under the selection of columns. Weights with all columns included are another model's: they are drawn
given each of some of the kept partitions, which do not learn from them. That is a cut step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.likelihoods import likelihood_of
from ffbm.blocks.target import BlockTarget
from ffbm.check import check_bool, check_choice, check_int, check_real, check_tempering
from ffbm.config import JOINT_SWEEPS, FitConfig
from ffbm.joint.chain import ADAPTING, JointSettings
from ffbm.joint.selection import ColumnDraws, ColumnSetup, ColumnState, advance, column_setup, start
from ffbm.pipeline.blockstarts import check_length
from ffbm.pipeline.context import QUIET, RunContext
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.estimate import seconds_of_draws
from ffbm.pipeline.joint import (
    JUMPS,
    align_together,
    check_joint_number,
    choose_number,
    like_numbers,
    most_draws,
    within_memory,
)
from ffbm.pipeline.labels import number_alike, take_draws
from ffbm.pipeline.length import MOST_KEPT, Chains
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.selection import WARM_UP, gather_selection, starts_full
from ffbm.pipeline.tempering import first_labels, run_joint_chains
from ffbm.rng import stream
from ffbm.theta.design import Design, make_design
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import BlockTrace, Memberships, Network, Note
from ffbm.types.selection import MOST_ERROR, SelectionTrace, mean_error
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace
from ffbm.workers import open_workers

SECONDS = 60.0  # of one core, about, that the weights of the full model may take
LEAST_PARTITIONS = 20  # of each chain that they are drawn given
_GAP = 5  # sweeps over labels for one over columns, if the thinning is a multiple of it, as the default is
_EACH = 60  # moves for a partition, its mode and warm-up counted


class SelectedBlocks(NamedTuple):
    """Draws of labels and of columns under one numbering of the blocks: (c, t) of one goes with (c, t) of the other."""

    blocks: BlockTrace
    memberships: Memberships
    selected: SelectionTrace
    notes: tuple[Note, ...] = ()


def select_jointly(
    net: Network,
    n_blocks: int | str,
    rows: Any = None,
    intercept: bool = True,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    n_sweeps: int | str = JOINT_SWEEPS,
    burn_in: float = FitConfig.burn_in,
    thin: int = FitConfig.thin,
    n_chains: int = FitConfig.n_chains,
    seed: int = 0,
    moves: str = FitConfig.moves,
    *,
    features: Any = None,
    degree_corrected: bool = True,
    tempering: Any = "auto",
    max_minutes: float | None = None,
    stage: str = "joint",
    context: RunContext = QUIET,
) -> SelectedBlocks:
    """Sample labels, which columns matter and their weights from the model's own posterior under the learned prior.

    The target is p(b, inclusion, weights, scales | A, X), on all of [B]^N: a block may be empty. Features say nothing
    to vertices that do not train. Every second chain starts with all columns included, the others with none.

    Parameters
    ----------
    net, n_blocks, rows, n_sweeps, burn_in, thin, n_chains, seed, moves, features, degree_corrected
        As in ``sample_joint``; every fifth sweep over the labels is followed by one over the columns, that before a
        kept draw always; every sweep is, if ``thin`` is no multiple of 5. With "auto" chains run until labels are
        graded converged at two checks in a row and inclusion is known to 0.01, or ``max_minutes`` are over.
    intercept, intercept_sd, column_groups
        The learned prior: see ``sample_weights``.
    tempering : bool, "auto" or inverse temperatures
        Replica exchange: every chain is a ladder of joint chains. "auto" does so where chains whose length is open do
        not converge without.
    stage, context
        As in ``sample_joint``.

    Returns
    -------
    SelectedBlocks
        ``blocks``, ``memberships`` and ``selected``: ``blocks.labels[c, t]``, ``selected.inclusion[c, t]`` and
        ``selected.weights[c, t]`` are one draw.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> draws = select_jointly(net, 3, n_sweeps=100, n_chains=2, seed=1)
    >>> draws.blocks.labels.shape, draws.selected.inclusion.shape
    ((2, 16, 105), (2, 16, 1))
    """
    wanted = check_joint_number(net.graph, n_blocks)
    length = check_length(n_sweeps, burn_in, thin, max_minutes)
    n_chains, tempering = check_int("n_chains", n_chains, low=1), check_tempering(tempering)
    intercept_sd = check_real("intercept_sd", intercept_sd, low=0, above=True)
    jumps = JUMPS[check_choice("moves", moves, tuple(JUMPS))]
    burn = ADAPTING if length.n_sweeps is None else length.burn
    settings = JointSettings(burn, length.thin, jumps=jumps, shifts=jumps)
    partitions = BlockTarget(net.graph, likelihood_of(check_bool("degree_corrected", degree_corrected)))
    design = make_design(net.features if features is None else features, intercept)
    chosen: dict[str, Any] = {
        "target": "joint", "moves": moves, "seed": seed, "n_chains": n_chains, "weight_prior": "learned",
        "intercept": bool(intercept), "intercept_sd": intercept_sd,
        "degree_corrected": degree_corrected,
    }  # fmt: skip
    if wanted is None:
        wanted, search = choose_number(partitions, seed, context)
        chosen |= search
    make_setup = partial(
        column_setup, partitions, design, settings=settings, rows=rows, intercept=intercept,
        intercept_sd=intercept_sd, column_groups=column_groups, n_warmup=WARM_UP,
    )  # fmt: skip
    with open_workers(1, 1) as run:  # for its one BLAS thread
        setup = run(lambda b: make_setup(n_blocks=b), [wanted])[0]
    settings, notes = within_memory(settings, length.n_sweeps, n_chains, setup.model)
    length = length._replace(thin=settings.thin)
    gap = 1 if settings.thin % _GAP else _GAP
    setup, stepper = setup._replace(settings=settings, gap=gap), Stepper(advance, ColumnState, ColumnDraws)
    most_kept = min(MOST_KEPT, most_draws(n_chains, setup.model))
    chains = run_joint_chains(
        tempering, stage, stepper, setup, _begin_one, length, seed, n_chains, context, most_kept=most_kept,
        is_enough=_is_inclusion_known,
    )  # fmt: skip
    return gather(net, setup, chains, chosen | settings._asdict() | {"gap": gap}, notes)


def _is_inclusion_known(draws: ColumnDraws) -> bool:
    return bool(mean_error(draws.chance).max(initial=0.0) <= MOST_ERROR)


def _begin_one(seed: int, stage: str, setup: ColumnSetup, chain: int) -> ColumnState:
    rng, model = stream(seed, stage, chain), setup.model
    return start(setup, first_labels(model.partitions, model.n_blocks, rng), rng, starts_full(chain))


def gather(
    net: Network, setup: ColumnSetup, chains: Chains, chosen: dict[str, Any], notes: tuple[Note, ...]
) -> SelectedBlocks:
    """Join the draws of all chains and bring labels and rows of weights to one numbering of the blocks, together."""
    drawn: ColumnDraws = chains.draws
    blocks, members, w = align_together(net.graph, setup.model.n_blocks, chains, chosen)
    groups, (n_chains, n_draws) = setup.columns.target.groups, drawn.energy.shape
    assert groups is not None
    settings = {
        "target": "joint", "n_draws": n_draws, "n_warmup": WARM_UP, "n_chains": n_chains, "seed": chosen["seed"],
        "n_partitions": n_chains * n_draws,
    }  # fmt: skip
    partition = np.arange(n_chains * n_draws).reshape(n_chains, n_draws)
    selected = gather_selection(groups, drawn._replace(weights=w), partition, 1, settings)
    return SelectedBlocks(blocks, members, selected, notes)


def number_blocks_like(draws: SelectedBlocks, like: Memberships) -> SelectedBlocks:
    """Give the blocks of a run the numbers of those of other memberships that they overlap with most."""
    members = like_numbers(draws.memberships, like)
    blocks, members, w = number_alike(draws.blocks, members, draws.selected.weights)
    return draws._replace(blocks=blocks, memberships=members, selected=replace(draws.selected, weights=w))


def draw_full_weights(
    net: Network, design: Design, draws: SelectedBlocks, **options: Any
) -> tuple[WeightTrace, VarianceSplit]:
    """Draw the weights of the full model given some of the kept partitions, evenly spaced: a cut step.

    As many of each chain are taken as about a minute of one core allows, 20 at least: ``settings["n_partitions"]`` of
    the trace says how many in all. ``options`` are those of ``sample_weights_drawn``.
    """
    blocks = draws.blocks
    n_chains, n_draws = blocks.labels.shape[:2]
    each = seconds_of_draws(net, blocks.n_blocks, _EACH)
    n_some = int(min(max(SECONDS / (each * n_chains), LEAST_PARTITIONS), n_draws))
    which = np.linspace(0, n_draws - 1, n_some).round().astype(np.int64)
    some, aligned = take_draws(blocks, draws.memberships, which)
    weights, variance = sample_weights_drawn(design, some, aligned, n_sweeps=0, weight_prior="learned", **options)
    counted = {"target": "joint", "n_partitions": n_chains * n_some}
    return replace(weights, settings=weights.settings | counted, notes=(*weights.notes, *draws.notes)), variance
