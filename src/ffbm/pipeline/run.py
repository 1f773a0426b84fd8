"""The loop that runs chains: in short segments, in parallel; between them progress, Ctrl-C and checkpoints."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ffbm import kernels
from ffbm.pipeline.clock import Clock
from ffbm.pipeline.context import RunContext
from ffbm.store.chainlog import ChainLog, Checkpoint
from ffbm.types import Array
from ffbm.workers import Pool, open_workers

State = TypeVar("State", bound=tuple[Any, ...])
Draws = TypeVar("Draws", bound=tuple[Array, ...])

_SEGMENT_SECONDS = 0.25  # how long a chain runs before it is looked after: progress, Ctrl-C
_SAVE_SECONDS = 10.0  # how often chains are written down, if they have checkpoints
_SAVE_BYTES = 1 << 24  # or how much they may have drawn since


class Stepper(NamedTuple, Generic[State, Draws]):
    """How chains of one kind move: ``advance(model, state, n)`` returns the state after n steps, and the draws."""

    advance: Callable[[Any, State, int], tuple[State, Draws]]
    state: type[State]
    draws: type[Draws]


def join_draws(first: Draws, second: Draws) -> Draws:
    """Return draws (chain, draw, ...) and those that follow them as one."""
    return type(first)(*(np.concatenate(fields, axis=1) for fields in zip(first, second, strict=True)))


def run_chains(
    stage: str,
    stepper: Stepper[State, Draws],
    model: Any,
    begin: Callable[[], list[State]],
    n_steps: int,
    context: RunContext,
    key: str = "",
    clock: Clock | None = None,
) -> tuple[list[State], Draws, int]:
    """Advance every chain by ``n_steps``, or fewer if the clock stops them; return states, draws and how many.

    ``begin`` makes the chains, unless the checkpoints have them: then they go on from there, if ``key``, a name for all
    that they depend on but their length, is the one they were begun with. ``model`` is what the chains share and
    never change. The length of a segment follows the clock. That changes no draw: advancing a chain by a and then by
    b is, bit for bit, advancing it by a + b.
    """
    log = None if context.checkpoints is None else context.checkpoints.stage(stage, key, stepper.state, stepper.draws)
    checkpoint = None if log is None else log.load()
    if checkpoint is None or checkpoint.done > n_steps:
        checkpoint = Checkpoint(0, begin())
        if log is not None:
            log.save(checkpoint.states, 0, 0, [])
    kernels.announce_compiling()
    return _run_segments(stage, stepper, model, checkpoint, n_steps, context, log, clock or Clock())


def _run_segments(
    stage: str,
    stepper: Stepper[State, Draws],
    model: Any,
    checkpoint: Checkpoint[State],
    n_steps: int,
    context: RunContext,
    log: ChainLog[State, Draws] | None,
    clock: Clock,
) -> tuple[list[State], Draws, int]:
    """Let every chain run on by itself, those behind first; they wait for each other at checkpoints and at the end."""
    chains = [_Chain[State, Draws](state, checkpoint.done) for state in checkpoint.states]
    segment, saved, last_saved, barrier, is_cut = 1, time.perf_counter(), checkpoint.done, n_steps, False
    context.tell(clock.progress(stage, last_saved, n_steps))
    with open_workers(context.workers, len(chains)) as run, _handling_interrupts(log is not None) as stopping:
        while last_saved < n_steps:
            behind = sorted(
                (one for one in chains if not one.underway and one.done < barrier), key=lambda one: one.done
            )
            for chain in behind[: run.width - sum(one.underway > 0 for one in chains)]:
                chain.begin(run, stepper, model, min(segment, barrier - chain.done))
            running = {chain.future: chain for chain in chains if chain.underway}
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                seconds_per_step = running[future].end()
                segment = max(1, min(round(_SEGMENT_SECONDS / seconds_per_step), 4 * segment))
            context.tell(clock.progress(stage, sum(chain.done for chain in chains) // len(chains), n_steps))
            if not is_cut and clock.is_over():
                reached = max(chain.done + chain.underway for chain in chains)
                is_cut, n_steps = True, min(n_steps, clock.next_stop(reached if barrier == n_steps else barrier))
                barrier = min(barrier, n_steps)
            if log is not None and (stopping.is_set() or _is_due(chains, saved)):
                barrier = max(chain.done + chain.underway for chain in chains)
            if any(chain.done < barrier for chain in chains):
                continue
            if log is not None:
                log.save(
                    [one.state for one in chains], barrier, last_saved, [one.take(stepper.draws) for one in chains]
                )
            saved, last_saved, barrier = time.perf_counter(), barrier, n_steps
            if stopping.is_set():
                raise KeyboardInterrupt
    states = [chain.state for chain in chains]
    if log is not None:
        return states, log.join(n_steps), n_steps
    return states, _stack_draws(stepper.draws, [one.parts for one in chains], context), n_steps


class _Chain(Generic[State, Draws]):
    """A chain on its way: its state, the steps that led there, and its draws since it was last written down."""

    def __init__(self, state: State, done: int) -> None:
        self.state, self.done, self.parts = state, done, list[Draws]()
        self.underway, self.future = 0, Future[tuple[State, Draws, float]]()

    def begin(self, run: Pool, stepper: Stepper[State, Draws], model: Any, n_steps: int) -> None:
        """Have a worker make these steps."""
        work, kind = partial(_timed_advance, stepper.advance, n_steps), tuple[stepper.state, stepper.draws, float]  # type: ignore[name-defined]
        self.underway, self.future = n_steps, run.submit(work, self.state, model, kind=kind)

    def end(self) -> float:
        """Take what the worker made; return the seconds of a step."""
        self.state, draws, seconds = self.future.result()
        self.parts.append(draws)
        seconds_per_step = seconds / self.underway
        self.done, self.underway = self.done + self.underway, 0
        return seconds_per_step

    def take(self, kind: type[Draws]) -> Draws:
        """Return the draws as one, and keep none of them."""
        parts, self.parts = self.parts, []
        return kind(*(np.concatenate(pieces) for pieces in zip(*parts, strict=True)))


def _is_due(chains: Sequence[_Chain[Any, Any]], saved: float) -> bool:
    drawn = sum(array.nbytes for chain in chains for part in chain.parts for array in part)
    return drawn > _SAVE_BYTES or time.perf_counter() - saved > _SAVE_SECONDS


def _timed_advance(
    advance: Callable[[Any, State, int], tuple[State, Draws]], size: int, model: Any, state: State
) -> tuple[State, Draws, float]:
    start = time.perf_counter()
    state, draws = advance(model, state, size)
    return state, draws, max(time.perf_counter() - start, 1e-9)


def _stack_draws(kind: type[Draws], parts: Sequence[Sequence[Draws]], context: RunContext) -> Draws:
    """Return the draws of all chains, (chain, draw, ...); every chain is copied once, by a thread of its own."""
    fields = [*zip(*(zip(*chain, strict=True) for chain in parts), strict=True)]  # field, chain, part
    whole = [
        np.empty((len(chains), sum(map(len, chains[0])), *chains[0][0].shape[1:]), chains[0][0].dtype)
        for chains in fields
    ]

    def fill(chain: int) -> None:
        for array, chains in zip(whole, fields, strict=True):
            np.concatenate(chains[chain], out=array[chain])

    with open_workers(context.threads, len(parts)) as run:
        run(fill, range(len(parts)))
    return kind(*whole)


@contextlib.contextmanager
def _handling_interrupts(saves: bool) -> Iterator[threading.Event]:
    """Let Ctrl-C end the segment, so that it can be saved, where that can be; a second one ends at once."""
    stopping = threading.Event()
    if not saves or threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler

    def stop(*_: Any) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, before)
        logging.getLogger("ffbm").info("stopping: saving what was sampled")

    signal.signal(signal.SIGINT, stop)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, before)
