"""The loop that runs chains: in short segments, in parallel, with progress between them."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ffbm import kernels
from ffbm.progress import Listener, Progress
from ffbm.workers import open_workers

State = TypeVar("State")
Draws = TypeVar("Draws")
Advance = Callable[[State, int], tuple[State, Draws]]

_SEGMENT_SECONDS = 0.5  # how often progress shows and Ctrl-C is seen


def run_chains(
    stage: str,
    states: Sequence[State],
    advance: Advance[State, Draws],
    n_steps: int,
    workers: int | None,
    tell: Listener,
) -> tuple[list[State], list[list[Draws]]]:
    """Advance every chain by ``n_steps`` and return the last states and each chain's draws, in segments.

    The length of a segment follows the clock. That changes no draw: advancing a chain by a and then
    by b is, bit for bit, advancing it by a + b.
    """
    if kernels.is_cold():
        logging.getLogger("ffbm").info("compiling kernels: once per installation, some seconds")
    chains = list(states)
    draws: list[list[Draws]] = [[] for _ in states]
    done, segment = 0, 1
    with open_workers(workers, len(chains)) as run:
        while done < n_steps:
            size = min(segment, n_steps - done)
            tell(Progress(stage, done, n_steps))
            begun = time.perf_counter()
            moved = run(partial(_turn, advance, size), chains)
            pace = max(time.perf_counter() - begun, 1e-6) / size
            segment = max(1, min(round(_SEGMENT_SECONDS / pace), 4 * segment))
            done += size
            for chain, (state, part) in enumerate(moved):
                chains[chain] = state
                draws[chain].append(part)
    tell(Progress(stage, n_steps, n_steps))
    return chains, draws


def _turn(advance: Advance[State, Draws], size: int, state: State) -> tuple[State, Draws]:
    return advance(state, size)
