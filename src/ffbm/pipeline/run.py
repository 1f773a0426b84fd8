"""The loop that runs chains: in short segments, in parallel; between them progress, Ctrl-C and checkpoints."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ffbm import kernels
from ffbm.pipeline.conduct import Conduct
from ffbm.progress import Progress
from ffbm.store.chainlog import Begun, ChainLog
from ffbm.types import Array
from ffbm.workers import open_workers

State = TypeVar("State")
Draws = TypeVar("Draws", bound=tuple[Array, ...])
Advance = Callable[[State, int], tuple[State, Draws]]

_SEGMENT_SECONDS = 0.5  # how often progress shows and Ctrl-C is seen
_SAVE_SECONDS = 10.0  # how often chains are written down, if they have a journal
_SAVE_BYTES = 1 << 24  # or how much they may have drawn since


def run_chains(
    stage: str,
    begin: Callable[[], list[State]],
    advance: Advance[State, Draws],
    kind: type[Draws],
    n_steps: int,
    conduct: Conduct,
    shared: Any = (),
    key: str = "",
) -> tuple[list[State], Draws]:
    """Advance every chain by ``n_steps`` and return the last states and the draws, (chain, draw, ...).

    ``begin`` makes the chains, unless the journal has them: then they go on from there, if ``key``, a name for all
    that they depend on but their length, is the one they were begun with. ``shared`` are data that the states refer
    to and never change. The length of a segment follows the clock. That changes no draw: advancing a chain by a and
    then by b is, bit for bit, advancing it by a + b.
    """
    log = None if conduct.journal is None else conduct.journal.stage(stage, key, kind)
    begun = None if log is None else log.load(shared)
    if begun is None or begun.done > n_steps:
        begun = Begun(0, begin())
        if log is not None:
            log.save(begun.states, shared, 0, 0, [])
    if kernels.is_cold():
        logging.getLogger("ffbm").info("compiling kernels: once per installation, some seconds")
    return _go_on(stage, begun, advance, kind, n_steps, conduct, shared, log)


def _go_on(
    stage: str,
    begun: Begun,
    advance: Advance[State, Draws],
    kind: type[Draws],
    n_steps: int,
    conduct: Conduct,
    shared: Any,
    log: ChainLog[Draws] | None,
) -> tuple[list[State], Draws]:
    chains, done, segment = begun.states, begun.done, 1
    pending: list[list[Draws]] = [[] for _ in chains]
    saved, since = time.perf_counter(), done
    with open_workers(conduct.workers, len(chains)) as run, _heeding(log is not None) as stopping:
        while done < n_steps:
            size = min(segment, n_steps - done)
            conduct.tell(Progress(stage, done, n_steps))
            begun_at = time.perf_counter()
            moved = run(partial(_turn, advance, size), chains, shared)
            now = time.perf_counter()
            pace = max(now - begun_at, 1e-6) / size
            segment = max(1, min(round(_SEGMENT_SECONDS / pace), 4 * segment))
            done += size
            for chain, (state, part) in enumerate(moved):
                chains[chain] = state
                pending[chain].append(part)
            is_due = now - saved > _SAVE_SECONDS or _size(pending) > _SAVE_BYTES
            if log is not None and (is_due or done == n_steps or stopping.is_set()):
                log.save(chains, shared, done, since, [_joined(kind, parts) for parts in pending])
                pending, saved, since = [[] for _ in chains], time.perf_counter(), done
            if stopping.is_set():
                raise KeyboardInterrupt
    conduct.tell(Progress(stage, n_steps, n_steps))
    if log is not None:
        return chains, log.join(n_steps)
    return chains, kind(*(np.stack(parts) for parts in zip(*(_joined(kind, parts) for parts in pending), strict=True)))


def _turn(advance: Advance[State, Draws], size: int, _: Any, state: State) -> tuple[State, Draws]:
    return advance(state, size)


def _joined(kind: type[Draws], parts: Sequence[Draws]) -> Draws:
    return kind(*(np.concatenate(pieces) for pieces in zip(*parts, strict=True)))


def _size(pending: Sequence[Sequence[Draws]]) -> int:
    return sum(array.nbytes for parts in pending for part in parts for array in part)


@contextlib.contextmanager
def _heeding(saves: bool) -> Iterator[threading.Event]:
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
