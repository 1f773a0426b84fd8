"""Weights again, of other columns or other training vertices: one short chain that starts where the full fit is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ffbm.config import FitConfig
from ffbm.kernels.slab import DEGREES
from ffbm.kernels.weightchain import Record
from ffbm.pipeline.imputation import gather_imputed
from ffbm.pipeline.weights import gather
from ffbm.rng import stream
from ffbm.theta.chain import WeightState, advance, set_up, start
from ffbm.theta.columns import group_columns, keep_groups
from ffbm.theta.cost import affordable_moves, affordable_vertices
from ffbm.theta.design import Design
from ffbm.theta.imputed import ImputedRecord, ImputedSetup, ImputedState, advance_imputed, start_imputed
from ffbm.theta.prepare import WeightTarget, weight_target
from ffbm.theta.prior import keep_scales
from ffbm.theta.response import read_members
from ffbm.theta.unknown import Unknown, find_unknown
from ffbm.types.graph import Array
from ffbm.types.weights import INTERCEPT, WeightTrace
from ffbm.workers import Workers, open_workers

N_WARMUP, N_DRAWS = 100, 250
_MOVES_EACH = 3  # moves of the weights for a sweep over unknown cells
_LEAST = 50  # of either, where moves are long
_SECONDS = 10.0  # of one refit, about, as long as that leaves enough of them
_LOOKED_AT = 200  # draws of the full fit that its scales are taken from


class Refitted(NamedTuple):
    """The last state and the draws of a short chain."""

    state: WeightState
    drawn: Record


class ImputedRefitted(NamedTuple):
    """The same of a chain that also samples unknown cells."""

    state: ImputedState
    drawn: ImputedRecord


class _Plan(NamedTuple):
    """What a short chain samples, and for how long."""

    target: WeightTarget
    unknown: Unknown | None
    n_warmup: int
    n_draws: int

    @property
    def kind(self) -> Any:
        """The type of its result."""
        return Refitted if self.unknown is None else ImputedRefitted


@dataclass(frozen=True, eq=False)
class Refit:
    """How weights are sampled again: with the prior of a fit, from about where its weights are.

    Parameters
    ----------
    config : FitConfig
        Which prior.
    whole : Design
        With all features.
    like : WeightTrace
        The full fit: its mean weights are where modes are looked for, its scales where learned ones start.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> from ffbm.theta.design import make_design
    >>> x, labels = np.repeat(np.eye(2), 20, axis=0), np.repeat([0, 1], 20)
    >>> like = sample_weights(x, labels, n_draws=100, n_sweeps=0, seed=1)
    >>> refit = Refit(FitConfig(), make_design(x, intercept=True), like)
    >>> refit(make_design(x[:, :1]), labels, np.arange(30), np.random.default_rng(1)).weights.shape
    (1, 250, 2, 1)
    """

    config: FitConfig
    whole: Design
    like: WeightTrace

    def __call__(self, design: Design, members: Any, rows: Array, rng: np.random.Generator) -> WeightTrace:
        """Sample the weights of a design, some columns of the whole one, given memberships of training vertices."""
        plan = self._plan(design, members, rows, rng)
        return self._gather(plan, self._run(plan, rng))

    def folds(
        self, design: Design, members: Any, parts: Sequence[Array], seeds: Sequence[int], workers: Workers
    ) -> Iterator[WeightTrace]:
        """Yield the weights given each of some sets of training vertices, from streams named "refit" under the seeds.

        The first is alone, since there may be no time for the others; these are pieces of work.

        >>> from ffbm.pipeline.weights import sample_weights
        >>> from ffbm.theta.design import make_design
        >>> x, labels = make_design(np.repeat(np.eye(2), 20, axis=0), intercept=True), np.repeat([0, 1], 20)
        >>> refit = Refit(FitConfig(), x, sample_weights(x, labels, n_draws=100, n_sweeps=0, seed=1))
        >>> parts = [np.arange(30), np.arange(10, 40)]
        >>> [len(weights.rows) for weights in refit.folds(x, labels, parts, [1, 2], workers=2)]
        [30, 30]
        """
        for numbers in ([0], list(range(1, len(parts)))):
            plans = [self._plan(design, members, parts[f], stream(seeds[f], "refit")) for f in numbers]
            with open_workers(workers, len(numbers)) as pool:
                shared = self, design, members, parts, seeds
                futures = [pool.submit(_run_fold, f, *shared, kind=p.kind) for f, p in zip(numbers, plans, strict=True)]
                refitted = [future.result() for future in futures]
            for plan, result in zip(plans, refitted, strict=True):
                yield self._gather(plan, result)

    def run(self, design: Design, members: Any, rows: Array, rng: np.random.Generator) -> Refitted | ImputedRefitted:
        """Sample as a call does, and return the state and the draws: what travels from a worker."""
        return self._run(self._plan(design, members, rows, rng), rng)

    def _plan(self, design: Design, members: Any, rows: Array, rng: np.random.Generator) -> _Plan:
        sigma = keep_scales(self.config.sigma, self.whole, design)
        rows = affordable_vertices(design, rows, self.like.n_blocks, rng)
        target = weight_target(design, members, rows, sigma, design.has_intercept, **self._prior(design))
        unknown = None
        if design.blanks is not None:
            unknown = find_unknown(target, read_members(members, design.n_nodes))
        return _Plan(target, unknown, *lengths(len(target.training.rows.indices), target.n_blocks))

    def _run(self, plan: _Plan, rng: np.random.Generator) -> Refitted | ImputedRefitted:
        target, near = self._starting_target(plan.target), self._means(plan.target)
        n_moves = plan.n_warmup + plan.n_draws
        if plan.unknown is None:
            setup = set_up(target, "hmc", plan.n_warmup, rng, near=near)
            return Refitted(*advance(setup, start(setup, rng), n_moves))
        target = plan.unknown.complete(target, plan.unknown.cells.begin(rng))
        model = ImputedSetup(set_up(target, "hmc", plan.n_warmup, rng, near=near), plan.unknown, _MOVES_EACH)
        return ImputedRefitted(*advance_imputed(model, start_imputed(model, rng), n_moves))

    def _gather(self, plan: _Plan, refitted: Refitted | ImputedRefitted) -> WeightTrace:
        state, lengths = refitted.state, {"n_draws": plan.n_draws, "n_warmup": plan.n_warmup}
        drawn = type(refitted.drawn)(*(part[np.newaxis] for part in refitted.drawn))
        chosen = {"sampler": "hmc", "sigma": 1.0, **lengths, "n_chains": 1}
        trace = gather(plan.target.training, drawn, [state.mean], [state.square], 1, chosen)
        if plan.unknown is None or isinstance(refitted, Refitted):
            return trace
        law = refitted.drawn.law[np.newaxis]
        return replace(trace, imputed=gather_imputed(plan.unknown.cells, [refitted.state.cells], law))

    def _prior(self, design: Design) -> dict[str, Any]:
        config = self.config
        if config.weight_prior == "fixed":
            return {}
        groups = keep_groups(config.column_groups, design.columns)
        return {"weight_prior": config.weight_prior, "intercept_sd": config.intercept_sd, "column_groups": groups}

    def _starting_target(self, target: WeightTarget) -> WeightTarget:
        """Return the target with the scales of the full fit to start from, if they are learned."""
        if target.groups is None:
            return target
        scales = self._scales
        scale = [scales.get(name, s) for name, s in zip(target.training.design.names, target.scale, strict=True)]
        return replace(target, scale=np.array(scale))

    def _means(self, target: WeightTarget) -> Array:
        """Return the mean weights of the full fit (A, B), 0 for an intercept that it has not."""
        names = [target.training.design.names[d] for d in target.training.rows.active]
        nothing = np.zeros(self.like.n_blocks)
        return np.array([self._mean_of.get(name, nothing) for name in names]).reshape(len(names), target.n_blocks)

    @cached_property
    def _mean_of(self) -> dict[str, Array]:
        mean = self.like.mean - self.like.mean.mean(axis=0)
        return dict(zip(self.like.names, mean.T, strict=True))

    @cached_property
    def _scales(self) -> dict[str, float]:
        """Typical scales of the full fit by feature: the median over draws of their conditional mean."""
        like = self.like
        groups = group_columns(self.whole, self.config.column_groups)
        group_of = dict(zip(self.whole.names, groups.of_feature.tolist(), strict=True))
        of_feature = np.array([group_of[name] for name in like.names])
        draws = like.weights.reshape(-1, *like.weights.shape[2:])
        draws = draws[:: max(1, len(draws) // _LOOKED_AT)]
        squares = ((draws - draws.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        scales: dict[str, float] = {}
        for g in range(len(groups.names)):
            inside = np.flatnonzero((of_feature == g) & (like.support > 0))
            freedom = len(inside) * (like.n_blocks - 1)
            scale = np.median(np.sqrt((DEGREES + squares[:, inside].sum(axis=1)) / (DEGREES + freedom)))
            scales |= {name: float(scale) for name, h in group_of.items() if h == g and name != INTERCEPT}
        return scales


def _run_fold(
    refit: Refit, design: Design, members: Any, parts: Sequence[Array], seeds: Sequence[int], number: int
) -> Refitted | ImputedRefitted:
    return refit.run(design, members, parts[number], stream(seeds[number], "refit"))


def lengths(n_cells: int, n_blocks: int) -> tuple[int, int]:
    """Return warm-up and draws of a refit: 100 and 250, or fewer, down to 50 each, where the data are large.

    >>> lengths(1_000, 3), lengths(600_000, 15)
    ((100, 250), (50, 50))
    """
    share = N_WARMUP / (N_WARMUP + N_DRAWS)
    return (
        affordable_moves(n_cells, n_blocks, share * _SECONDS, _LEAST, N_WARMUP),
        affordable_moves(n_cells, n_blocks, (1 - share) * _SECONDS, _LEAST, N_DRAWS),
    )
