"""The selection stage: chains that say which columns matter, p(inclusion | X, y), from none of them and from all.

With drawn memberships two chains, one from either start, go through the same partitions: how far they disagree is then
no matter of partitions.
"""

from functools import partial
from math import ceil
from typing import Any

import numpy as np

from ffbm.check import check_int
from ffbm.joint.selection import ColumnDraws
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.weightlength import DrawLength, Rounds, run_selection
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.theta.bridge import EACH, LEAST, MOST
from ffbm.theta.chain import WeightSetup
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.design import Design
from ffbm.theta.drawn import DrawnPlan, response_of
from ffbm.theta.drawn_selection import (
    DrawnSelectionPlan,
    DrawnSelectionState,
    advance_drawn_selection,
    start_drawn_selection,
)
from ffbm.theta.imputed import (
    ImputedDrawnSelectionState,
    ImputedSelection,
    ImputedSelectionPlan,
    ImputedSelectionState,
    advance_imputed_drawn_selection,
    advance_imputed_selection,
    start_imputed_drawn_selection,
    start_imputed_selection,
)
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.selection import (
    SelectionRecord,
    SelectionSetup,
    SelectionState,
    advance_selection,
    set_up_selection,
    start_selection,
)
from ffbm.theta.unknown import Unknown
from ffbm.types.graph import Array
from ffbm.types.selection import SelectionTrace
from ffbm.workers import open_workers

STORED_BYTES = 1 << 28  # how much memory the stored weights of all chains may take
OPERATIONS = 8e10  # that a chain may take: about 20 s
LEAST_SWEEPS = 100
VISITED = 0.4  # the share of columns that a sweep visits after warm-up, about
PARTITIONS = 10  # that a chain goes through, where memberships are drawn; fewer where sweeps are long
N_EACH = 20  # sweeps kept for each of them in a round
WARM_EACH = 5  # sweeps dropped at the beginning of each but the first, which has a warm-up of its own
WARM_UP = 30  # sweeps of a chain that are dropped
LONG = 1.6e9  # operations of a sweep: the longer it is, the fewer there are, down to a third of the warm-up
LONGEST = 8e9  # beyond, columns are selected on some of the vertices
LEAST_VERTICES = 2000  # at least
FIRST_SWEEPS = 50  # at the first check, where the length is open and partitions are not drawn


def select(
    setup: WeightSetup,
    length: DrawLength,
    n_sweeps: int | None,
    n_chains: int,
    seed: int,
    context: RunContext,
    stage: str,
    unknown: Unknown | None = None,
) -> SelectionTrace:
    """Sample which columns are included, given a set-up of the full model, whose mode half of the chains start from."""
    target = setup.target
    assert target.groups is not None
    chosen = set_up_selection(target, WARM_UP, setup.mode)
    is_open = n_sweeps is None and length.n_draws is None
    if n_sweeps is None:
        n_sweeps = FIRST_SWEEPS if is_open else affordable(chosen, length.planned)
    n_sweeps = check_int("n_sweeps", n_sweeps, low=0)
    thin = thinning(n_chains * n_sweeps * target.n_blocks * len(target.scale), n_sweeps)
    key = digest(target, WARM_UP, seed, n_chains, "selection") if context.checkpoints else ""
    stepper: Stepper[Any, SelectionRecord] = Stepper(advance_selection, SelectionState, SelectionRecord)
    model: Any = chosen
    if unknown is not None:
        model = ImputedSelection(chosen, unknown)
        stepper = Stepper(advance_imputed_selection, ImputedSelectionState, SelectionRecord)
    drawn, partition, thin = run_selection(
        f"{stage}, columns", stepper, model, partial(_begin, model, seed, n_chains, thin),
        Rounds(None if is_open else 1, WARM_UP, n_sweeps), lambda n: np.zeros((n_chains, n * n_sweeps), np.int64),
        length, STORED_BYTES, context, key,
    )  # fmt: skip
    settings = {"n_draws": drawn.energy.shape[1], "n_warmup": WARM_UP, "n_chains": n_chains, "seed": seed}
    return gather_selection(target.groups, drawn, partition, thin, settings)


def select_drawn(
    plan: DrawnPlan, length: DrawLength, n_sweeps: int | None, context: RunContext, stage: str
) -> SelectionTrace:
    """Sample which columns are included for some of the partitions of each chain, evenly spaced, round by round."""
    assert plan.groups is not None
    n_chains, n_kept = len(plan.labels), len(plan.labels[0])
    some = [labels[:: max(n_kept // PARTITIONS, 1)] for labels in plan.labels]
    sums = np.mean([response_of(plan.training, labels) for part in some for labels in part], axis=0)
    target = WeightTarget(plan.training, sums, plan.scale, groups=plan.groups, intercept_sd=plan.intercept_sd)
    if plan.unknown is not None:
        target = plan.unknown.complete(target, plan.unknown.cells.begin(stream(plan.seed, "selection", "cells")))
    with open_workers(1, 1) as run:  # for its one BLAS thread
        [setup] = run(lambda one: set_up_selection(one, 0, find_mode(one.gaussian)), [target])
    is_open = n_sweeps is None and length.n_draws is None
    most = affordable(setup, length.planned)
    in_all = most if n_sweeps is None else check_int("n_sweeps", n_sweeps, low=0)
    which = share_partitions(n_chains, n_kept, max(min(in_all, most) // N_EACH, 2))
    chain_labels = [np.stack([plan.labels[p // n_kept][p % n_kept] for p in part]) for part in which]
    each = which.shape[1]
    n_rounds = max(ceil(in_all / (each * N_EACH)), 1)
    thin = thinning(n_chains * n_rounds * each * N_EACH * target.n_blocks * len(target.scale), N_EACH)
    warm_up = max(round(WARM_UP * min(LONG / sweep_cost(setup), 1.0)), WARM_UP // 3)
    chosen = DrawnSelectionPlan(chain_labels, setup, warm_up, WARM_EACH, N_EACH, plan.seed)
    key = digest(chosen) if context.checkpoints else ""
    stepper: Stepper[Any, SelectionRecord] = Stepper(advance_drawn_selection, DrawnSelectionState, SelectionRecord)
    model: Any = chosen
    if plan.unknown is not None:
        model = ImputedSelectionPlan(chosen, plan.unknown)
        stepper = Stepper(advance_imputed_drawn_selection, ImputedDrawnSelectionState, SelectionRecord)
    rounds, number = Rounds(None if is_open else n_rounds, 0, each, N_EACH), np.repeat(which, N_EACH, axis=1)
    drawn, partition, thin = run_selection(
        f"{stage}, columns", stepper, model, partial(_begin_drawn, model, thin), rounds,
        lambda n: np.tile(number, (1, n)), length, STORED_BYTES, context, key,
    )  # fmt: skip
    settings = {
        "n_draws": drawn.energy.shape[1], "n_warmup": WARM_EACH, "n_chains": n_chains, "seed": plan.seed,
        "n_partitions": len(np.unique(partition)),
    }  # fmt: skip
    return gather_selection(plan.groups, drawn, partition, thin, settings)


def share_partitions(n_chains: int, n_draws: int, most: int) -> Array:
    """Return the partitions that each chain goes through (C, P), as chain times draws plus draw: alike by pairs.

    >>> share_partitions(3, 100, 4).tolist()
    [[0, 99, 100, 199], [0, 99, 100, 199], [200, 233, 266, 299]]
    """
    n_each = min(PARTITIONS, n_draws, most)
    partitions = np.empty((n_chains, n_each), dtype=np.int64)
    for c in range(n_chains):
        pair = [chain for chain in (c - c % 2, c - c % 2 + 1) if chain < n_chains]
        parts = np.array_split(np.arange(n_each), len(pair))
        rows = [
            chain * n_draws + np.linspace(0, n_draws - 1, len(p)).round() for chain, p in zip(pair, parts, strict=True)
        ]
        partitions[c] = np.concatenate(rows)
    return partitions


def _begin_drawn(plan: DrawnSelectionPlan | ImputedSelectionPlan, thin: int) -> list[Any]:
    if isinstance(plan, ImputedSelectionPlan):
        n_chains = len(plan.plan.labels)
        return [start_imputed_drawn_selection(plan, chain, starts_full(chain), thin) for chain in range(n_chains)]
    return [start_drawn_selection(plan, chain, starts_full(chain), thin) for chain in range(len(plan.labels))]


def affordable(setup: SelectionSetup, n_draws: int) -> int:
    """Return how many sweeps a chain keeps: as many as draws, or fewer where sweeps are long."""
    cost = sweep_cost(setup)
    least = max(round(LEAST_SWEEPS * min(LONG / cost, 1.0)), 2 * N_EACH)
    return int(np.clip(round(OPERATIONS / cost), min(least, n_draws), n_draws))


def affordable_rows(design: Design, rows: Array, n_blocks: int, rng: np.random.Generator, effort: float = 1.0) -> Array:
    """Return the vertices that columns are selected on: all of these, or some at random where sweeps would be long.

    ``effort`` is the share of the usual length of a sweep that there is time for.
    """
    n_steps = min(max(EACH * len(design.names) * (n_blocks - 1) / max(len(set(design.columns)), 1), LEAST), MOST)
    cost = 140 * n_steps * (design.x.nnz + 5 * design.x.shape[0]) * n_blocks * len(rows) / max(design.n_nodes, 1)
    n = max(int(len(rows) * effort * LONGEST / max(cost, 1.0)), int(effort * LEAST_VERTICES))
    return rows if n >= len(rows) else np.sort(rng.choice(rows, n, replace=False))


def sweep_cost(setup: SelectionSetup) -> float:
    """Return about how many multiplications a sweep takes: of rows by B^2, of features by B^3."""
    columns, n_blocks = setup.columns, setup.target.n_blocks
    along = np.repeat(columns.with_intercept, np.diff(columns.start))
    heavy = ~columns.light[columns.feature]
    n_rows = np.diff(columns.row_start)[columns.feature]
    of_rows = len(setup.target.training.rows.counts) * columns.with_intercept.sum() + n_rows.sum() + 20 * len(n_rows)
    of_features = (heavy & along).sum() * 2.0 + heavy.sum() / 3
    n_steps = EACH * setup.target.slab.freedom.mean() if len(along) else 0.0
    rows = setup.target.training.rows
    of_bridge = 140 * min(max(n_steps, LEAST), MOST) * (len(rows.indices) + 5 * len(rows.counts)) * n_blocks
    return float(VISITED * 15 * (of_rows * n_blocks**2 + of_features * n_blocks**3) + of_bridge + 1.0)


def thinning(n_numbers: int, n_draws: int) -> int:
    """Return one in how many draws of the weights is stored, for so many numbers in all."""
    return min(max(1, ceil(8 * n_numbers / STORED_BYTES)), n_draws)


def starts_full(chain: int) -> bool:
    """Tell whether a chain starts with all columns included: every second one does."""
    return chain % 2 == 1


def _begin(setup: SelectionSetup | ImputedSelection, seed: int, n_chains: int, thin: int) -> list[Any]:
    streams = [stream(seed, "selection", chain) for chain in range(n_chains)]
    if isinstance(setup, ImputedSelection):
        return [start_imputed_selection(setup, rng, starts_full(chain), thin) for chain, rng in enumerate(streams)]
    return [start_selection(setup, rng, starts_full(chain), thin) for chain, rng in enumerate(streams)]


def gather_selection(
    groups: ColumnGroups, drawn: SelectionRecord | ColumnDraws, partition: Any, thin: int, settings: dict[str, Any]
) -> SelectionTrace:
    """Join what the chains left behind."""
    return SelectionTrace(
        inclusion=drawn.inclusion,
        chance=drawn.chance,
        scales=drawn.scales,
        weights=drawn.weights,
        energy=drawn.energy,
        acceptance_rate=drawn.acceptance,
        accepted=drawn.accepted,
        full_start=np.array([starts_full(chain) for chain in range(len(drawn.energy))]),
        partition=np.asarray(partition),
        column_names=groups.names,
        of_feature=groups.of_feature,
        thin=thin,
        settings=settings,
    )
