"""How long weight chains run: until the verdict on them holds, or until the clock stops them.

The length doubles from check to check. The rule looks at draws only, so it gives the same length on any number of
workers; a length that the clock decides is written down, and a longer chain begins with the draws of a shorter one.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ffbm.check import check_int_or, check_real
from ffbm.config import PLANNED_DRAWS
from ffbm.diagnostics import summarise, verdict
from ffbm.kernels.weightchain import Record
from ffbm.pipeline.clock import Clock, end_in
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.run import Stepper, join_draws, run_chains
from ffbm.theta.chain import WeightState, advance
from ffbm.theta.selection import SelectionRecord
from ffbm.types.graph import Array
from ffbm.types.selection import MOST_ERROR, mean_error

WEIGHTS = Stepper(advance, WeightState, Record)
_LEAST_DRAWS = 100  # of a weight chain, whatever the time
_LEAST_SWEEPS = 10  # over the columns, where partitions are not drawn
_MOST_STORED = 2000  # draws of the weights of a chain: above, thinning doubles with the length
IN_VAIN = 0.1  # the share of ``max_minutes`` that sweeps over columns may take which will not be precise in all of them


class DrawLength(NamedTuple):
    """How long weight chains run."""

    n_draws: int | None  # None: until they are done
    end: float = inf  # of the clock
    in_vain: float = inf  # seconds of sweeps over columns that will not be precise by then

    @property
    def planned(self) -> int:
        """The draws of a chain, or those at the first check."""
        return PLANNED_DRAWS if self.n_draws is None else self.n_draws

    @property
    def half(self) -> "DrawLength":
        """The same with half of the time that is left: what follows is to have some, too."""
        return self._replace(end=0.5 * (time.monotonic() + self.end))

    def goes_on(self) -> bool:
        """Tell whether chains that are not done may run on."""
        return self.n_draws is None and time.monotonic() < self.end

    def end_of_sweeps(self, seconds: float, n_rounds: int, error: float) -> float:
        """Return when sweeps over columns are to end that took so many seconds for so many rounds.

        The error falls with the square root of the length. Where that takes longer than there is time, there is no
        further round beyond ``in_vain``.
        """
        now = time.monotonic()
        if now + seconds * ((error / MOST_ERROR) ** 2 - 1) <= self.end:
            return self.end
        return min(now + self.in_vain - seconds * (1 + 1 / n_rounds), self.end)


def check_draws(n_draws: Any, max_minutes: Any, whole_minutes: float | None = None) -> DrawLength:
    """Return how long weight chains run: so many draws, or until they are done or so many minutes are over.

    ``whole_minutes`` are those of a fit, if ``max_minutes`` are what is left of them.
    """
    minutes = None if max_minutes is None else check_real("max_minutes", max_minutes, low=0, above=True)
    wanted = check_int_or("auto", "n_draws", n_draws, low=1)
    if not isinstance(wanted, str):
        return DrawLength(wanted)
    whole = minutes if whole_minutes is None else whole_minutes
    return DrawLength(None, end_in(minutes), inf if whole is None else 60 * IN_VAIN * whole)


def run_weights(
    stage: str,
    setup: Any,
    begin: Callable[[], list[Any]],
    length: DrawLength,
    most_bytes: int,
    context: RunContext,
    key: str,
    stepper: Stepper[Any, Any] = WEIGHTS,
) -> tuple[list[Any], Any]:
    """Run chains of the full model for a fixed length, or until R-hat and ESS of every weight and of U are good enough.

    The first check is at 1,000 draws; a clock may cut them short, but not below 100. Single chains, which cannot be
    judged, end there. ``setup`` is what the stepper advances states by.
    """
    n_warmup, thin, done = setup.plan.n_warmup, setup.plan.thin, length.planned
    clock = Clock(length.end, thin, least=n_warmup + min(-(-_LEAST_DRAWS // thin) * thin, done))
    states, drawn, n_made = run_chains(stage, stepper, setup, begin, n_warmup + done, context, key, clock)
    done = n_made - n_warmup
    while length.goes_on() and len(states) > 1 and not (judged := _judge(drawn, int(states[0].thin[0]))):
        thin = int(states[0].thin[0])
        if 2 * done // thin > _MOST_STORED or 2 * drawn.weights.nbytes > most_bytes:
            thin, drawn = 2 * thin, drawn._replace(weights=every_second(drawn.weights, drawn.weights.shape[1]))
        _set_thin(states, thin)
        clock = Clock(length.end, thin, stage, n_warmup + done, judged.reason.partition(" over ")[0])
        name = f"{stage} {done} to {2 * done}"
        states, more, n_made = run_chains(name, stepper, setup, partial(list, states), done, context, key, clock)
        drawn, is_cut, done = join_draws(drawn, more), n_made < done, done + n_made
        if is_cut:
            break
    return states, drawn


def _judge(drawn: Record, thin: int) -> Any:
    """Return the verdict on stored weights and their energies; divergences, which no length cures, do not count."""
    energy = drawn.energy[:, thin - 1 :: thin]
    return verdict({"the weights": summarise(drawn.weights), "the energy": summarise(energy)})


class Rounds(NamedTuple):
    """How chains that select columns go on: in rounds of equal length, after some steps that no round counts."""

    n_rounds: int | None  # None: until they are done
    n_before: int  # steps before the first round
    n_steps: int  # of a round
    each: int | None = None  # draws of a partition, after which thinning begins again; None if there are no partitions


def run_selection(
    stage: str,
    stepper: Stepper[Any, SelectionRecord],
    model: Any,
    begin: Callable[[], list[Any]],
    rounds: Rounds,
    partition: Callable[[int], Array],
    length: DrawLength,
    most_bytes: int,
    context: RunContext,
    key: str,
) -> tuple[SelectionRecord, Array, int]:
    """Run chains for so many rounds, or until no Monte Carlo error is above 0.01 at two checks in a row.

    They end at the latest when the time is over, and sooner where all of it would not do: see ``end_of_sweeps``. The
    first round has one partition at least; where there are none, 10 steps. Return the draws, the
    partition of each (C, T), which is ``partition`` of the number of rounds, and one in how many weights is stored.
    """
    done, n_before, n_steps = rounds.n_rounds or 1, rounds.n_before, rounds.n_steps
    first, start = Clock(), time.monotonic()
    if rounds.n_rounds is None:
        first = Clock(length.end, least=n_before + (min(_LEAST_SWEEPS, n_steps) if rounds.each is None else 1))
    states, drawn, _ = run_chains(stage, stepper, model, begin, n_before + done * n_steps, context, key, first)
    thin, was_precise, is_cut = int(states[0].thin[0]), False, rounds.n_rounds is not None
    while not is_cut and length.goes_on():
        error = mean_error(drawn.chance, partition(done)).max(initial=0.0)
        is_precise = bool(error <= MOST_ERROR)
        end = length.end_of_sweeps(time.monotonic() - start, done, float(error))
        if (is_precise and was_precise) or time.monotonic() >= end:
            break
        was_precise, n_stored = is_precise, drawn.weights.shape[1]
        n_each = n_stored if rounds.each is None else rounds.each // thin
        if n_each > 1 and (2 * n_stored > _MOST_STORED or 2 * drawn.weights.nbytes > most_bytes):
            thin, drawn = 2 * thin, drawn._replace(weights=every_second(drawn.weights, n_each))
        _set_thin(states, thin)
        clock = Clock(end, n_steps, stage, n_before + done * n_steps, f"error of inclusion up to {error:.3f}")
        name, begin_again = f"{stage} {done} to {2 * done}", partial(list[Any], states)
        states, more, n_made = run_chains(name, stepper, model, begin_again, done * n_steps, context, key, clock)
        drawn, is_cut, done = join_draws(drawn, more), n_made < done * n_steps, done + n_made // n_steps
    return drawn, partition(done)[:, : drawn.energy.shape[1]], thin


def every_second(weights: Array, n_each: int) -> Array:
    """Return every second of stored weights (C, T, ...), by groups of ``n_each``: what twice the thinning stores.

    >>> every_second(np.arange(10).reshape(1, 10), 5).tolist()
    [[1, 3, 6, 8]]
    """
    n_chains, n_stored, *rest = weights.shape
    groups = weights.reshape(n_chains, n_stored // max(n_each, 1), n_each, *rest)[:, :, 1::2]
    return np.ascontiguousarray(groups).reshape(n_chains, -1, *rest)


def _set_thin(states: Sequence[Any], thin: int) -> None:
    for state in states:
        state.thin[0] = thin
