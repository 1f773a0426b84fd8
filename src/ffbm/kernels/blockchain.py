"""The block chain: sweeps and moves of many vertices in turn, the draws kept, and the partition of the lowest S."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INLINE, ONCE, copy
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.relocate import relocate_if_priced
from ffbm.kernels.single import ROUNDING, sweep
from ffbm.kernels.workspace import ENTROPY, LOWEST, MADE, MOVES, SWEEPS, TRIED, VISITS


class Schedule(NamedTuple):
    """What is chosen for a chain: after ``burn`` sweeps every ``thin``-th is kept."""

    burn: int
    thin: int
    beta: float = 1.0
    epsilon: float = 0.5  # of single-vertex proposals
    allow_empty: bool = False
    jumps: float = 0.0  # moves of many vertices tried after each sweep, on average
    n_scans: int = 2  # restricted Gibbs scans of a launch
    relocations: float = 0.0  # probability after each sweep, for each block in use, of trying a relocation
    n_steps: int = 40  # temperatures of its annealing path


class BlockDraws(NamedTuple):
    """The draws kept on a stretch of the chain."""

    labels: np.ndarray  # (T, N)
    entropy: np.ndarray  # (T,)
    acceptance: np.ndarray  # (T,) the share of visits that moved their vertex, since the draw before


@njit(**ENTRY)
def run_blocks(rng, model, ledger, schedule, n_sweeps, counters, workspace, draws):
    """Advance a chain by n_sweeps and write the draws it keeps; return how many."""
    m, c, counters, workspace = bare(model), bare(ledger), bare(counters), bare(workspace)
    kept = 0
    for _ in range(n_sweeps):
        step(rng, m, c, schedule, schedule.beta, counters, workspace)
        if keep(counters, schedule, draws.entropy, draws.acceptance, kept):
            copy(c.b, draws.labels[kept])
            kept += 1
    return kept


@njit(**ONCE)
def step(rng, m, c, schedule, beta, counters, workspace):
    """Visit every vertex once, then try moves of many vertices, ``schedule.jumps`` on average, and a relocation."""
    totals, tally, best, undo_log = counters.totals, counters.tally, counters.best, workspace.undo_log
    noted = sweep(
        rng, m, c, beta, schedule.epsilon, schedule.allow_empty, totals, tally, undo_log, workspace.scratch
    )  # fmt: skip
    if noted >= 0:
        copy(c.b, best)
        for a in range(noted - 1, -1, -1):
            best[undo_log[0, a]] = undo_log[1, a]
    if schedule.jumps > 0.0:
        for _ in range(int(schedule.jumps + rng.random())):
            kind = int(rng.random() * (3 if schedule.allow_empty else 2))
            tally[TRIED] += 1
            if many_at_once(rng, m, c, kind, beta, schedule.n_scans, totals, workspace.work, workspace.scratch):
                tally[MADE] += 1
                note_best(c.b, totals, best)
    # a relocation does not change the number of blocks in use, so how often it is tried may depend on that
    if schedule.relocations > 0.0 and rng.random() < schedule.relocations * c.used[0]:
        tally[TRIED] += 1
        if relocate_if_priced(rng, m, c, beta, schedule.n_steps, totals, workspace.work, workspace.scratch):
            tally[MADE] += 1
            note_best(c.b, totals, best)
    tally[SWEEPS] += 1


@njit(**INLINE)
def note_best(b, totals, best):
    """Keep the labels if S is the lowest so far."""
    if totals[ENTROPY] < totals[LOWEST] - ROUNDING:
        totals[LOWEST] = totals[ENTROPY]
        copy(b, best)


@njit(**INLINE)
def keep(counters, schedule, entropy, acceptance, kept):
    """Tell whether the state is a draw to keep; if so write S and the acceptance rate as draw number ``kept``."""
    tally, drawn = counters.tally, counters.tally[SWEEPS] - schedule.burn
    if drawn < 0 or drawn % schedule.thin != 0:
        return False
    if drawn > 0:
        entropy[kept] = counters.totals[ENTROPY]
        acceptance[kept] = tally[MOVES] / max(tally[VISITS], 1)
    tally[VISITS] = tally[MOVES] = 0
    return drawn > 0
