"""How long chains of labels run: until two checks in a row are passed, or until the clock stops them.

The length doubles from check to check. The rule looks at draws only, so it gives the same length on any number of
workers; a length that the clock decides is written down, and chains of that length are the same, bit for bit.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ffbm.config import burn_sweeps
from ffbm.diagnostics import BlockMeasures, judge_blocks, measure_blocks
from ffbm.pipeline.clock import Clock
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.run import Stepper, join_draws, run_chains
from ffbm.types import Array

_FIRST = 200  # draws, burn-in counted, at the first check
MOST_KEPT = 1000  # draws of a chain after burn-in: above, thinning doubles with the length
_MEANS, _SUMS = ("moved", "chance"), ("accepted",)  # fields of joint draws that tell of the sweeps between
_OF_BLOCKS = ("acceptance",)  # of block draws; that of joint draws tells of the weight moves before the draw alone
_PER_BURN = 5  # a length is a multiple of so many draws: the default burn-in is then a whole number of them
_LADDERS = 2.0  # times what chains without tempering have taken: less is no time for ladders
LEAST_VISITS = 1_000_000  # of vertices by a chain of labels: less takes a second, and may miss what is rarely visited
_EARLY, _LATE = 3, 6  # checks after which chains without tempering are given up: if not usable, if not converged


class Length(NamedTuple):
    """How long chains run, and what is kept of them."""

    n_sweeps: int | None  # None: until they are done
    burn_in: float
    burn: int  # sweeps, of a fixed length
    thin: int
    end: float  # of the clock


def least_sweeps(n_nodes: int) -> int:
    """Return how many sweeps chains of labels make at least: short ones that agree may all have missed the same.

    >>> least_sweeps(100), least_sweeps(10**7)
    (10000, 1)
    """
    return -(-LEAST_VISITS // n_nodes)


class Chains(NamedTuple):
    """Block chains that have run: their last states, the draws after burn-in, and how long that took."""

    states: list[Any]
    draws: Any  # labels (C, T, N), entropy (C, T), ...: BlockDraws, or those of a joint chain
    n_sweeps: int
    burn: int  # sweeps
    thin: int
    previous: BlockMeasures | None = None  # what was measured at half the length
    is_stuck: bool = False  # given up, for tempering to help

    @property
    def round_trips(self) -> Array | None:
        """The round trips (C,) of ladders; None of plain chains."""
        if not hasattr(self.states[0], "exchange"):
            return None
        return np.array([state.exchange.round_trips for state in self.states])


def run_for(
    stage: str,
    stepper: Stepper[Any, Any],
    setup: Any,
    begin: Callable[[], list[Any]],
    length: Length,
    seed: int,
    context: RunContext,
    key: str,
    gives_up: bool = False,
    n_measured: int | None = None,
    most_kept: int = MOST_KEPT,
    least: int = 0,
    is_enough: Callable[[Any], bool] = lambda _: True,
) -> Chains:
    """Run chains for a fixed length, or until they are done; with ``gives_up`` only while there is hope that they are.

    Only the first ``n_measured`` labels of a draw are measured: those of vertices.
    Two checks in a row must grade them converged, at ``least`` so many sweeps be made, and ``is_enough`` say so of the
    draws. They are given up if they are not even usable at the third check, or not converged at the sixth, and enough
    time is left for ladders, which take several times as long to begin. Sweeps of the setup's own burn-in, in which
    chains adapt, come first and are not counted.
    """
    if length.n_sweeps is not None:
        states, draws, _ = run_chains(stage, stepper, setup, begin, length.n_sweeps, context, key)
        return Chains(states, draws, length.n_sweeps, length.burn, length.thin)
    ahead, thin, done, note, n_checks, start = setup.settings.burn, length.thin, 0, "", 0, time.monotonic()
    whole: Any = None  # burn-in included
    previous: BlockMeasures | None = None
    while True:
        total = max(2 * done, _FIRST * thin)
        if total * (1 - length.burn_in) > most_kept * thin:
            thin, whole = 2 * thin, None if whole is None else _every_second(whole)
        first = 0 if done else ahead
        thinned = setup._replace(settings=setup.settings._replace(thin=thin))
        clock = Clock(length.end, _PER_BURN * thin, stage, done, note, first and first + _PER_BURN * thin)
        name = f"{stage} {done} to {total}"
        states, draws, n_made = run_chains(name, stepper, thinned, begin, first + total - done, context, key, clock)
        begin, done = partial(list, states), done + n_made - first
        whole = draws if whole is None else join_draws(whole, draws)
        burn = burn_sweeps(length.burn_in, done) // thin * thin
        kept = type(whole)(*(field[:, burn // thin :] for field in whole))
        measures = measure_blocks(kept.labels[:, :, :n_measured], kept.entropy, seed)
        n_checks, note = n_checks + 1, measures.state
        chains = Chains(states, kept, ahead + done, ahead + burn, thin, previous)
        verdict = judge_blocks(measures, previous, chains.round_trips)
        if done < total or (verdict and previous is not None and done >= least and is_enough(kept)):
            return chains
        is_hopeless = not verdict and (n_checks >= _LATE or (n_checks >= _EARLY and not verdict.is_usable))
        now = time.monotonic()
        if gives_up and is_hopeless and length.end - now > _LADDERS * (now - start):
            return chains._replace(is_stuck=True)
        previous = measures


def _every_second(draws: Any) -> Any:
    """Keep every second draw: those that chains with twice the thinning keep. What is counted between draws is joined.

    >>> from ffbm.blocks.chain import BlockDraws
    >>> _every_second(BlockDraws(np.array([[7, 8]]), np.array([[1.0, 2.0]]), np.array([[0.25, 0.75]])))
    BlockDraws(labels=array([[8]]), entropy=array([[2.]]), acceptance=array([[0.5]]))
    """
    fields = draws._asdict()
    means = _MEANS if "moved" in fields else _OF_BLOCKS
    sums = {name: field[:, 0::2] + field[:, 1::2] for name, field in fields.items() if name in means + _SUMS}
    later = {name: field[:, 1::2] for name, field in fields.items()}
    return type(draws)(**later | {name: field / 2 if name in means else field for name, field in sums.items()})
