"""A weight chain over many partitions as a stepper: for each of them a few draws from p(theta | X, b)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.kernels.weightchain import Record
from ffbm.rng import stream
from ffbm.theta.chain import WeightSetup, WeightState, advance, set_up, start
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import Training, make_design, train_on
from ffbm.theta.prepare import WeightTarget
from ffbm.theta.prior import INTERCEPT_SD, learned_scales, prior_scales
from ffbm.theta.scales import settle_scales
from ffbm.theta.unknown import Unknown, find_unknown
from ffbm.types.graph import Array

_KEPT_SETUPS = 64  # of partitions that come more than once


class DrawnPlan(NamedTuple):
    """What the chains share, and no step changes but for what is remembered."""

    labels: list[Array]  # of each chain (T, n): the aligned labels of the training vertices, draw by draw
    training: Training  # the design, which partitions share: they differ in the response X'y
    scale: Array  # (D,) the prior
    sampler: str
    n_warmup: int  # moves for each partition, not kept
    n_each: int  # draws for each partition
    thin: int  # every thin-th draw of a chain is stored
    seed: int
    repeats: Counter[bytes]  # how often each partition of the training vertices comes, over all chains
    setups: dict[bytes, WeightSetup]  # of those that come again
    groups: ColumnGroups | None = None  # under the learned prior
    intercept_sd: float = INTERCEPT_SD
    unknown: Unknown | None = None  # cells that are sampled; memberships and response are those of all partitions


class DrawnState(NamedTuple):
    """A chain at rest, between two partitions."""

    chain: Array  # (1,) int64: its number
    done: Array  # (1,) int64: partitions dealt with
    mean: Array  # (B, D): running mean of the partitions' means
    between: Array  # (B, D): running sum of squared deviations of those means
    within: Array  # (B, D): running sum of squared deviations from each partition's own mean


def plan_drawn(
    features: Any,
    labels: Array,
    n_blocks: int,
    rows: Any,
    sigma: Any,
    intercept: bool,
    *,
    sampler: str,
    n_warmup: int,
    n_each: int,
    seed: int,
    weight_prior: str = "fixed",
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
) -> DrawnPlan:
    """Prepare what is the same for all partitions.

    ``labels`` (C, T, N) are aligned. The features are checked, merged and laid out once: partitions differ in X'y only.
    Learned scales have one start for all of them, that of the averaged memberships.
    """
    design = make_design(features, intercept)
    design.check_vertices(labels.shape[2])
    groups = None if weight_prior == "fixed" else group_columns(design, column_groups)
    training = train_on(design, rows, n_blocks)
    scale = prior_scales(sigma, design.columns) if groups is None else learned_scales(design, intercept_sd)
    trained = [np.ascontiguousarray(chain[:, training.vertices]) for chain in labels]
    repeats = Counter(part.tobytes() for chain in trained for part in chain)
    unknown = None
    if groups is not None or design.blanks is not None:
        everyone = np.concatenate([chain[:: max(len(chain) // 10, 1)] for chain in trained])
        sums = np.mean([response_of(training, part) for part in everyone], axis=0)
        target = WeightTarget(training, sums, scale, groups=groups, intercept_sd=intercept_sd)
        y = np.zeros((design.n_nodes, n_blocks))
        np.add.at(y, (np.broadcast_to(training.vertices, everyone.shape), everyone), 1 / len(everyone))
        unknown = find_unknown(target, y)
        if unknown is not None:
            target = unknown.complete(target, unknown.cells.begin(stream(seed, "weights", "cells")))
        scale = settle_scales(target, stream(seed, "weights", "scales")).scale
    return DrawnPlan(
        trained, training, scale, sampler, n_warmup, n_each, 1, seed, repeats, {}, groups, intercept_sd, unknown
    )


def start_drawn(plan: DrawnPlan, chain: int) -> DrawnState:
    """Set up a chain before its first partition."""
    shape = plan.training.n_blocks, len(plan.scale)
    return DrawnState(np.array([chain]), np.zeros(1, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(shape))


def advance_drawn(plan: DrawnPlan, state: DrawnState, n: int) -> tuple[DrawnState, Record]:
    """Deal with the next ``n`` partitions and return the state, changed in place, and their draws in order.

    Each partition has a random stream of its own name, its own start around its own mode and its own warm-up. Advancing
    by a and then by b is, bit for bit, advancing by a + b.
    """
    records, chain = [], int(state.chain[0])
    for _ in range(n):
        at = int(state.done[0])
        setup = _prepare(plan, plan.labels[chain][at])
        inner = start(setup, stream(plan.seed, "weights", chain, at))
        inner, record = advance(setup, inner, plan.n_warmup + plan.n_each)
        number = np.arange(at * plan.n_each, (at + 1) * plan.n_each)
        records.append(record._replace(weights=record.weights[(number + 1) % plan.thin == 0]))
        take_moments(state, inner)
    return state, join(records)


def take_moments(state: DrawnState, inner: WeightState) -> None:
    """Take the moments of the next partition's draws into those of the chain."""
    off = inner.mean - state.mean
    state.mean[:] += off / (int(state.done[0]) + 1)
    state.between[:] += off * (inner.mean - state.mean)
    state.within[:] += inner.square
    state.done[0] += 1


def join(pieces: Sequence[Any]) -> Any:
    """Return the draws of several stretches of a chain, named tuples of one class, as those of one."""
    return type(pieces[0])(*map(np.concatenate, zip(*pieces, strict=True)))


def response_of(training: Training, labels: Array) -> Array:
    """Return the response X'y (A, B) for labels (n,) of the training vertices."""
    one, shape = np.ones(len(labels)), (len(labels), training.n_blocks)
    return training.sums(sp.csr_array((one, (np.arange(len(labels)), labels)), shape=shape))


def _prepare(plan: DrawnPlan, labels: Array) -> WeightSetup:
    """Return the mode and the geometry for a partition: the same, whichever chain or worker asks."""
    key = labels.tobytes()
    setup = plan.setups.get(key)
    if setup is None:
        sums = response_of(plan.training, labels)
        target = WeightTarget(plan.training, sums, plan.scale, groups=plan.groups, intercept_sd=plan.intercept_sd)
        setup = set_up(target, plan.sampler, plan.n_warmup, stream(plan.seed, "weights", "mode"))
        if plan.repeats[key] > 1 and len(plan.setups) < _KEPT_SETUPS:
            plan.setups[key] = setup
    return setup
