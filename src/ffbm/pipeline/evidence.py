"""The evidence stage: ladders of joint chains over t, run until the integral over t is known."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.target import BlockTarget
from ffbm.diagnostics import Verdict, summarise, verdict
from ffbm.diagnostics.convergence import MIN_DRAWS
from ffbm.diagnostics.verdict import CONVERGED, MULTIMODAL, TOO_SHORT, USABLE_ESS, USABLE_RHAT
from ffbm.joint.path import PathDraws, PathSetup, PathState, advance, make_path, start
from ffbm.joint.quadrature import (
    barriers,
    coarse_weights,
    first_points,
    rule_weights,
    spread,
    stepping_stones,
    values_needed,
)
from ffbm.pipeline.clock import Clock
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.run import Stepper, join_draws, run_chains
from ffbm.pipeline.tempering import first_labels, joint_betas
from ffbm.rng import stream
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.design import Design
from ffbm.types import Array

FEWEST, MOST = 8, 64  # values of t
PILOT = 100  # steps of a ladder after the burn-in from which values of t are chosen
LEAST_RATE = 0.15  # of exchanges between neighbours: values of t that make fewer are chosen again
FIRST = 200  # steps of a ladder after the burn-in, before the first look; then twice as many, and so on
BURN, GAP = 100, 3  # steps, and sweeps in a step
SHARE = 0.01  # of the evidence: an error as small is small enough, however many nats it is
APART = 4.0  # standard errors by which the stepping stones may differ


class Subject(NamedTuple):
    """What is asked: the joint target, the prior, and the features whose weights are multiplied by t."""

    partitions: BlockTarget
    design: Design
    n_blocks: int
    scale: Array  # (D,)
    moving: Array  # (D,) bool
    groups: ColumnGroups | None = None  # the columns whose scales are learned; None under the fixed prior

    @property
    def is_empty(self) -> bool:
        """Whether the features can say nothing: there is one block, or no vertex has any of them."""
        return self.n_blocks == 1 or not (self.moving & (self.design.support > 0)).any()


@dataclass(frozen=True, eq=False)
class Integral:
    """ln p(A | X, t) - ln p(A) at each t, and how it came about.

    Parameters
    ----------
    t, slope, slope_error : (K,) float64
        The values of t; d/dt ln p there, and its Monte Carlo standard error.
    nats, error : (K,) float64
        The integral from 0 to t, and its Monte Carlo standard error; at t = 1 with what two rules differ by beyond
        chance.
    is_smooth : bool
        Whether the rule with half the points agrees at t = 1, within the Monte Carlo error or one that is small enough.
    stones, stones_error : float
        The stepping-stone estimate at t = 1.
    verdict : Verdict
    swap_rates : (K-1,) float64
        The share of exchanges made between neighbours.
    n_steps, round_trips, hot_round_trips : int
        Steps of each ladder after the burn-in; round trips of all replicas between the ends of the path, and of those
        on its branches from the path to the hot end and back.
    """

    t: Array
    slope: Array
    slope_error: Array
    nats: Array
    error: Array
    is_smooth: bool
    stones: float
    stones_error: float
    verdict: Verdict
    swap_rates: Array
    n_steps: int
    round_trips: int
    hot_round_trips: int = 0


def integrate(t: Array, draws: PathDraws, states: list[PathState]) -> Integral:
    """Return the integral over t from draws (C, T, K) of ladders.

    At each step of a ladder the weighted sum of its slopes is one draw of the integral, so that what exchanges do to
    neighbours is in its error.
    """
    n = len(t)
    whole, coarse = rule_weights(t), coarse_weights(t)
    sums = draws.slope @ whole.T  # (C, T, K)
    (slope, slope_error), (nats, error) = _mean(draws.slope), _mean(sums)
    gap, chance = (float(part) for part in _mean(draws.slope @ (whole[-1] - coarse)))
    is_smooth = abs(gap) <= max(2 * max(chance, error[-1]), SHARE * abs(nats[-1]))
    error[-1] = math.sqrt(error[-1] ** 2 + max(0.0, gap**2 - chance**2))
    by_ladder = np.array([stepping_stones(down, up)[-1] for down, up in zip(draws.down, draws.up, strict=True)])
    stones = float(by_ladder.mean())
    stones_error = float(by_ladder.std(ddof=1) / math.sqrt(len(by_ladder))) if len(by_ladder) > 1 else math.nan
    judged = _judge(draws, sums[:, :, -1])
    judged &= _agree(float(nats[-1]), stones, math.hypot(error[-1], stones_error))
    if not is_smooth:
        rough = f"quadrature rules with {n} and {n // 2} values of t differ by {abs(gap):.2g} nats"
        judged = Verdict(TOO_SHORT, rough) & judged
    swaps = np.sum([state.exchange.swaps for state in states], axis=0)
    return Integral(
        t=t,
        slope=slope,
        slope_error=slope_error,
        nats=nats,
        error=error,
        is_smooth=is_smooth,
        stones=stones,
        stones_error=stones_error,
        verdict=judged,
        swap_rates=swaps[:, 1] / np.maximum(swaps[:, 0], 1),
        n_steps=draws.slope.shape[1],
        round_trips=sum(state.exchange.round_trips for state in states),
        hot_round_trips=sum(branch.exchange.round_trips for state in states for branch in state.branches),
    )


def _mean(draws: Array) -> tuple[Array, Array]:
    """Return the mean of (C, T, ...) draws and its Monte Carlo standard error; that of a constant is 0."""
    spread = draws.std(axis=(0, 1))
    with np.errstate(invalid="ignore"):
        error = np.where(spread == 0, 0.0, spread / np.sqrt(summarise(draws).ess_mean))
    return draws.mean(axis=(0, 1)), error


def _judge(draws: PathDraws, integral: Array) -> Verdict:
    of_integral = verdict({"the evidence": summarise(integral)}, tails=False)
    if not of_integral.is_usable and _keep_apart(integral):
        by_ladder = integral.mean(axis=1)
        span = f"{by_ladder.min():.1f} to {by_ladder.max():.1f} nats: they hold different blocks along the path"
        reason = f"each of {len(by_ladder)} ladders keeps to an integral of its own, {span}"
        return Verdict(MULTIMODAL, f"{reason}, and more time may not change that")
    of_s = {"S along the path": summarise(np.round(draws.entropy, 6))}
    rough = verdict(of_s, rhat_limit=USABLE_RHAT, ess_per_chain=USABLE_ESS / len(draws.entropy), tails=False)
    return of_integral & rough


def _keep_apart(integral: Array) -> bool:
    """Tell whether every ladder by itself knows its integral (C, T) while they differ by far more than their errors."""
    alone = [chain[np.newaxis] for chain in integral]
    least = min(float(summarise(chain).ess_mean) for chain in alone)
    error = max(float(_mean(chain)[1]) for chain in alone)
    return least >= USABLE_ESS / len(alone) and bool(np.ptp(integral.mean(axis=1)) > 2 * APART * error)


def _agree(nats: float, stones: float, error: float) -> Verdict:
    if not abs(nats - stones) > APART * error:
        return Verdict(CONVERGED, f"the stepping-stone estimate, {stones:.2f}, agrees")
    return Verdict(TOO_SHORT, f"the integral is {nats:.2f} nats, the stepping-stone estimate {stones:.2f}")


def find_evidence(
    subject: Subject, wanted: float, n_chains: int, seed: int, end: float, context: RunContext
) -> tuple[Integral, int]:
    """Run ladders until the evidence is converged and known to ``wanted`` nats, or the time is over.

    Short runs show where along the path the barriers are, and the values of t are spread over them evenly. More are
    taken, and the ladders begun again where they were, until two rules agree and all neighbours exchange. Hot chains
    leave the path at its first t and half-way. Returned are the integral and how many sweeps were made in all.
    """
    ladders = _Ladders(subject, n_chains, seed, end, context)
    n = FEWEST if subject.groups is None else 2 * FEWEST  # heavy tails make sharp turns
    ladders.begin(first_points(n))
    ladders.run(PILOT)
    n = FEWEST
    while not ladders.is_over:
        n = ladders.begin_again(n)
        ladders.run(FIRST)
        while not ladders.is_over:
            integral = ladders.integral()
            is_fine = n == MOST or (integral.is_smooth and integral.swap_rates.min() >= LEAST_RATE)
            if not is_fine:
                break
            if integral.verdict and integral.error[-1] <= max(wanted, SHARE * abs(integral.nats[-1])):
                return integral, ladders.swept
            ladders.run(integral.n_steps)
        n = min(MOST, 2 * n)
    return ladders.integral(), ladders.swept


class _Ladders:
    """The ladders that are run at the current values of t, and what they have drawn there."""

    def __init__(self, subject: Subject, n_chains: int, seed: int, end: float, context: RunContext) -> None:
        self.subject, self.n_chains, self.seed, self.end, self.context = subject, n_chains, seed, end, context
        self.round, self.swept, self.is_over = 0, 0, False
        self.hot = joint_betas(subject.partitions, subject.n_blocks, seed)[1:]
        self.t, self.states = np.zeros(0), list[PathState]()

    def begin(self, t: Array) -> None:
        """Begin ladders at values of t: from starts of their own, or where those before them are."""
        labels = [np.array([chain.ledger.b for chain in state.chains]) for state in self.states]
        branching = [0, len(t) // 2]
        values = [*t, *np.repeat(t[branching], len(self.hot))]
        nearest = [np.abs(self.t - value).argmin() for value in values] if labels else []
        self.t, self.round = t, self.round + 1
        self.setup = make_path(*self.subject, t, self.hot, branching, burn=BURN, gap=GAP)
        begin = partial(_begin_one, self.seed, self.round, [by_value[nearest] for by_value in labels])
        self.states = self.context.begin(begin, PathState, self.n_chains, self.setup)
        self.draws, self.is_begun = PathDraws(*np.empty((4, self.n_chains, 0, len(t)))), False

    def begin_again(self, at_least: int) -> int:
        """Begin ladders at so many values of t, or more, with equal barriers between them; return how many."""
        barrier = barriers(*(np.concatenate(table) for table in (self.draws.down, self.draws.up)))
        n = min(MOST, max(at_least, values_needed(barrier)))
        self.begin(spread(self.t, barrier, n))
        return n

    def run(self, n_steps: int) -> None:
        """Make so many steps after the burn-in, or fewer if the time is over."""
        n_asked, n = n_steps + BURN * (not self.is_begun), len(self.t)
        stage, stepper = f"evidence, {n} values of t", Stepper(advance, PathState, PathDraws)
        self.states, more, n_made = run_chains(
            stage, stepper, self.setup, lambda: self.states, n_asked, self.context, clock=Clock(self.end)
        )
        self.draws, self.is_begun = join_draws(self.draws, more), True
        self.swept += n_made * len(self.setup.targets) * self.n_chains * GAP
        self.is_over = n_made < n_asked or Clock(self.end).is_over()

    def integral(self) -> Integral:
        """Return what is known from the draws."""
        return (
            integrate(self.t, self.draws, self.states) if self.draws.slope.shape[1] >= MIN_DRAWS else _nothing(self.t)
        )


def _begin_one(seed: int, number: int, labels: list[Array], setup: PathSetup, chain: int) -> PathState:
    """Begin a ladder: every chain from a start of its own, or at labels (C, K+H', N) of the ladders before it."""
    rng, model = stream(seed, "evidence", number, chain), setup.chains[0].model
    if labels:
        return start(setup, labels[chain], rng)
    return start(setup, np.array([first_labels(model.partitions, model.n_blocks, rng) for _ in setup.targets]), rng)


def _nothing(t: Array) -> Integral:
    """Return what is known where the time was over before the first draws."""
    none = np.full(len(t), np.nan)
    judged = Verdict(TOO_SHORT, "the time was over before the burn-in")
    return Integral(t, none, none, none, none, False, math.nan, math.nan, judged, none[1:], 0, 0)


def no_evidence(why: str) -> Integral:
    """Return the integral where features can say nothing: 0 exactly."""
    nought = np.zeros(1)
    return Integral(
        np.ones(1), nought, nought, nought, nought, True, 0.0, 0.0, Verdict(CONVERGED, why), nought[1:], 0, 0
    )


def describe(integral: Integral) -> dict[str, Any]:
    """Return what is written down of the run."""
    return {
        "n_values": len(integral.t),
        "n_steps": integral.n_steps,
        "round_trips": integral.round_trips,
        "hot_round_trips": integral.hot_round_trips,
        "swap_rates": integral.swap_rates.round(4).tolist(),
    }
